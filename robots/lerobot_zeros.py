"""Joint values of the models of LeRobot's arms at LeRobot's zero.

LeRobot's degrees are the joint values of `so101_new_calib.urdf`; other models of the same arms have other
zero poses. The numbers follow from the models' files: `python -m benchmarks.lerobot_zeros` derives them from
the lines of the joints' axes.
"""

from dataclasses import dataclass
from math import pi, radians
from typing import Literal

Sense = Literal[1, -1]


@dataclass(frozen=True)
class Zero:
    """Value that a joint of a model has at LeRobot's zero, and the direction in which LeRobot counts.

    Attributes:
        value: The joint's value at LeRobot's 0 degrees [rad].
        sense: -1 if the joint's value decreases while LeRobot's grows, else 1.
        of: The joint's name in the model; "" if it is LeRobot's.
        swing: Angle [rad] to each side by which the joint is moved in the maker's calibration; None if it is
            moved to its stops.
    """

    value: float = 0.0
    sense: Sense = 1
    of: str = ""
    swing: float | None = None

    def joint(self, angle: float) -> float:
        """The joint's value [rad] at LeRobot's angle [rad]."""
        return self.sense * angle + self.value

    def lerobot(self, value: float) -> float:
        """LeRobot's angle [rad] for a joint value [rad]: the inverse of `joint`."""
        return self.sense * (value - self.value)


def _zeros(**degrees: float) -> dict[str, Zero]:
    return {name: Zero(radians(value)) for name, value in degrees.items()}


SO101 = _zeros(shoulder_pan=0.0, shoulder_lift=0.0, elbow_flex=0.0, wrist_flex=0.0, wrist_roll=0.0)

ZEROS = {
    "so101_new_calib": SO101,
    "so101_old_calib": _zeros(
        shoulder_pan=0.0,
        shoulder_lift=-90.00042,
        elbow_flex=90.00006,
        wrist_flex=-0.00022,
        wrist_roll=-2.78914,
    ),
    "so_arm100": {
        "shoulder_pan": Zero(0.0, -1),
        **_zeros(shoulder_lift=103.13219, elbow_flex=-89.99943, wrist_flex=-32.70459, wrist_roll=-2.78804),
    },
}
"""Robot's name in its model -> joint -> zero. A gripper has none: LeRobot gives its value as a share of its
range, from closed to open.
"""

LELAMP = {
    name: Zero((lower + upper) / 2, 1, of, pi / 2)
    for name, of, lower, upper in (
        ("base_yaw", "1", -5.02103, 1.26215),
        ("base_pitch", "2", -1.08426, 2.05734),
        ("elbow_pitch", "3", -2.82002, 0.321569),
        ("wrist_roll", "4", -3.78654, 2.49665),
        ("wrist_pitch", "5", -0.853337, 2.28826),
    )
}
"""LeLamp's motors: LeRobot's zero is taken to be the middle of the model's range, with the model's
directions. This was not compared with a real lamp.
"""

KNOWN = ZEROS | {"simulation": LELAMP}
"""All of these by a robot's name in its model."""
