"""The motors of Reachy Mini, and the capabilities of its daemon.

Positions are steps of its servos, as on its bus: an angle of the daemon's is (steps - 2048) 2 pi / 4096
[rad]. The daemon's antennas rotate opposite to the joints of the robot's URDF: their channels have direction
-1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from ..interface import Capabilities, Quantity, Silence, Units

PROTOCOL = "reachy_mini"
ADDRESS = "reachy-mini.local:8000"  # default address of a robot in the local network, with the daemon's port

MOTORS: Mapping[int, str] = MappingProxyType(
    {
        10: "body_rotation",
        **{10 + leg: f"stewart_{leg}" for leg in range(1, 7)},
        17: "right_antenna",
        18: "left_antenna",
    }
)
"""The daemon's names of the motors, by the ids of their servos."""

LIMITS: Mapping[int, tuple[int, int]] = MappingProxyType(
    dict.fromkeys(MOTORS, (0, 4095))
    | {
        11: (1502, 2958),
        12: (1138, 2844),
        13: (1502, 2958),
        14: (1138, 2594),
        15: (1252, 2958),
        16: (1138, 2594),
    }
)
"""Lowest and highest position of each servo [steps], as the daemon writes them into it: a servo ignores goals
beyond.
"""

HEAD = tuple(range(10, 17))  # ids in the order of the daemon's head joints
ANTENNAS = (17, 18)  # ids of the motors of the antennas: right, left

STEPS = 4096  # number of steps per revolution
MIDDLE = 2048  # steps of a servo at the daemon's angle 0

CAPABILITIES = Capabilities(
    title="Reachy Mini",
    units=Units("steps", 0, STEPS - 1, STEPS),
    servos=range(min(MOTORS), max(MOTORS) + 1),
    baudrates=(),
    reads=frozenset((Quantity.POSITION,)),
    measures=True,
    on_silence=Silence.HOLD,
    address=ADDRESS,
    remark="Its daemon takes orders from every program: end other apps and moves before you arm it",
)


def angle(steps: float) -> float:
    """Angle [rad] of a motor, as the daemon counts it, from the position of its servo [steps]."""
    return (steps - MIDDLE) * math.tau / STEPS


def steps(angle: float) -> float:
    """Position of a servo [steps] for an angle [rad] as the daemon counts it: the inverse of `angle`."""
    return MIDDLE + angle * STEPS / math.tau
