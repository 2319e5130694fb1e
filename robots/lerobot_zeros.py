"""Joint values of the models of LeRobot's arms at LeRobot's zero. Knows no Blender.

LeRobot's degrees are the joint values of `so101_new_calib.urdf`; other models of the same arms count from other poses. The numbers follow
from the models' files: `python -m benchmarks.lerobot_zeros` derives them from the lines of the joints' axes.
"""

from dataclasses import dataclass
from math import radians
from typing import Literal

Sense = Literal[1, -1]


@dataclass(frozen=True)
class Zero:
    """Where a joint of a model is at LeRobot's zero.

    Attributes:
        value: The joint's value at LeRobot's 0 degrees [rad].
        sense: -1 where the joint's value falls while LeRobot's grows.
    """

    value: float = 0.0
    sense: Sense = 1

    def joint(self, angle: float) -> float:
        """The joint's value [rad] at LeRobot's angle [rad]."""
        return self.sense * angle + self.value

    def lerobot(self, value: float) -> float:
        """The inverse of `joint`."""
        return self.sense * (value - self.value)


def _zeros(**degrees: float) -> dict[str, Zero]:
    return {name: Zero(radians(value)) for name, value in degrees.items()}


SO101 = _zeros(shoulder_pan=0.0, shoulder_lift=0.0, elbow_flex=0.0, wrist_flex=0.0, wrist_roll=0.0)

ZEROS = {
    "so101_new_calib": SO101,
    "so101_old_calib": _zeros(shoulder_pan=0.0, shoulder_lift=-90.00042, elbow_flex=90.00006, wrist_flex=-0.00022, wrist_roll=-2.78914),
    "so_arm100": {
        "shoulder_pan": Zero(0.0, -1),
        **_zeros(shoulder_lift=103.13219, elbow_flex=-89.99943, wrist_flex=-32.70459, wrist_roll=-2.78804),
    },
}
"""Zeros by a robot's name in its model, by joint. A gripper has none: LeRobot gives the share of its range, from closed to open."""
