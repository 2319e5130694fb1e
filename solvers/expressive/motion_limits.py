"""Limits of the solver's movement from frame to frame. Knows no Blender."""

import math

LARGEST_MOVE = math.radians(8)  # [rad per frame] of a joint: more is seen as a jump (15 degrees is a pop)
LARGEST_ACCELERATION = math.radians(2.1)  # [rad per frame^2] change of a joint's speed; 7600 deg/s2 at 60 frames per second
REFERENCE_RATE = 60.0  # [Hz] frame rate for which it holds
DIRECT_ACCELERATION = LARGEST_MOVE  # the same for direct transitions, which lose the aim: the fewer frames the better
EMERGENCY_ACCELERATION = LARGEST_MOVE  # the same where the aim would be lost otherwise: rare, for a frame or two
ARRIVAL_DISTANCE = math.radians(5)  # [rad] distance of the farthest joint at which a transition ends and local steps go on


def allowed_acceleration(dt: float) -> float:
    """Largest change of a joint's speed [rad per frame^2] that may be used to keep the aim, for frames of `dt` seconds.

    Frames longer than those of `REFERENCE_RATE` allow more: the acceleration per second is the same.
    """
    return min(LARGEST_MOVE, LARGEST_ACCELERATION * max(1.0, REFERENCE_RATE * dt) ** 2)
