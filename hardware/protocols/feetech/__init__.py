"""Feetech's STS and SCS bus servos. Knows no Blender."""

from .packets import Packets, checksum
from .series import MIDPOINT, MODELS, Series, feetech, table_of

__all__ = ["MIDPOINT", "MODELS", "Packets", "Series", "checksum", "feetech", "table_of"]
