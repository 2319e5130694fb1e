"""The usual limits of joints, in their order of precedence. Knows no Blender."""

import numpy as np

from ..kinematics.se3 import Array
from .acceleration import AccelerationLimit
from .limit import Limit
from .position import PositionLimit
from .velocity import VelocityLimit


def usual_limits(velocity: Array | float | None = None, acceleration: Array | float | None = None) -> tuple[Limit, ...]:
    """Limits of velocity [rad/s or m/s], of position and of acceleration [rad/s^2 or m/s^2]; None: no limit.

    Where they contradict each other position limits hold, not those of acceleration; a joint outside its position limits comes back as fast
    as its velocity limit allows.

    Raises:
        ValueError: a limit is not above zero.
    """
    for name, value in (("velocity", velocity), ("acceleration", acceleration)):
        if value is not None and not np.all(np.asarray(value) > 0.0):
            raise ValueError(f"the {name} limits must be above zero, got {value}: None means no limit")
    first = () if velocity is None else (VelocityLimit(velocity),)
    return (*first, PositionLimit(), *(() if acceleration is None else (AccelerationLimit(acceleration),)))
