"""Dynamixel's X series, protocol 2.0. Knows no Blender."""

from .packets import Packets, crc16, stuff, unstuff
from .series import MODELS, TABLE, Dynamixel, load_worth

__all__ = ["MODELS", "TABLE", "Dynamixel", "Packets", "crc16", "load_worth", "stuff", "unstuff"]
