"""Feetech STS and Dynamixel X servos as their manuals describe them: bytes in, bytes out, at times that they
are told.

Independent of Limber's codecs on purpose: nothing here is imported from the extension, so that both would
have to be wrong in the same way. Only relative imports, so that a play inside Blender can load the folder by
itself. With a body to move: `body.py`, which needs MuJoCo.
"""

from .bus import STEP, TOP_SPEED, Bus, Servo
from .dynamixel import DynamixelBus
from .feetech import StsBus

__all__ = ["STEP", "TOP_SPEED", "Bus", "DynamixelBus", "Servo", "StsBus"]
