"""Names, signs and units of joints in the files of a robot's maker."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..lerobot.calibration import Mode
from .recording import MotionFileError, Unit


@dataclass(frozen=True, slots=True)
class Scale:
    """Conversion between a joint's value and LeRobot's value.

    Attributes:
        zero: The joint's value [rad] at LeRobot's 0 degrees.
        sense: -1 if the joint's value decreases while LeRobot's degrees grow, else 1.
        ends: The joint's values [rad or m] at the lower and the upper end of LeRobot's range; None if not
            known.
    """

    zero: float = 0.0
    sense: float = 1.0
    ends: tuple[float, float] | None = None

    def joint(self, value: float, mode: Mode) -> float:
        """The joint's value [rad or m] for LeRobot's value; in the range modes one beyond the range is
        clamped to it, as in LeRobot.

        Raises:
            MotionFileError: The mode needs the joint's range, which is not known.
        """
        if mode == "degrees":
            return self.zero + self.sense * math.radians(value)
        low, high = self._ends()
        share = (value + 100.0) / 200.0 if mode == "range_m100_100" else value / 100.0
        return low + min(max(share, 0.0), 1.0) * (high - low)

    def value(self, joint: float, mode: Mode) -> float:
        """LeRobot's value for a joint's value [rad or m]: the inverse of `joint`. Raises MotionFileError as
        `joint`.
        """
        if mode == "degrees":
            return math.degrees(self.sense * (joint - self.zero))
        low, high = self._ends()
        share = min(max((joint - low) / (high - low), 0.0), 1.0)
        return 200.0 * share - 100.0 if mode == "range_m100_100" else 100.0 * share

    def _ends(self) -> tuple[float, float]:
        if self.ends is None or self.ends[0] == self.ends[1]:
            raise MotionFileError(
                "its values are shares of the servos' ranges, which are not known: give the joints their"
                " servos, and import LeRobot's calibration (Robot > Set Up > Calibrate)"
            )
        return self.ends


@dataclass(frozen=True, slots=True)
class Named:
    """Description of a joint in the motion files of a robot's maker.

    Attributes:
        name: The joint's name there.
        sign: -1 if its values there have the opposite sign, else 1.
        unit: Unit of its values there.
        servo: Id of its servo; -1 for none.
        scale: Conversion to LeRobot's values.
    """

    name: str
    sign: float = 1.0
    unit: Unit = "rad"
    servo: int = -1
    scale: Scale = Scale()
