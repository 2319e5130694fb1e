"""Feetech STS and Dynamixel X servos, simulated from their manuals: bytes in, bytes out, at given times.

It is deliberately independent of Limber's codecs and imports nothing from the extension, so that an error
would remain undetected only if both had the same one. Imports are relative, so that a script in Blender can
load the folder alone. `body.py`, which needs MuJoCo, adds a body that the servos move.
"""

from .bus import STEP, TOP_SPEED, Bus, Servo
from .dynamixel import DynamixelBus
from .feetech import StsBus

__all__ = ["STEP", "TOP_SPEED", "Bus", "DynamixelBus", "Servo", "StsBus"]
