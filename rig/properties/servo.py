"""Properties of servos, shared by joints, motors, additional servos and auxiliary values.

Positions are raw, in the protocol's own unit: microseconds for pulses. Names of properties contain "us" even
if positions are not in microseconds.
"""

from math import copysign, degrees, pi, radians

import bpy

from ...hardware.device import FARTHEST, LAST_SERVO
from .overridable import BoolProperty, EnumProperty, FloatProperty, IntProperty

# calibration of a hobby servo: 2000 us for 180 degrees, centred at 1500 us
CENTRE_US, MIN_US, MAX_US, US_PER_RADIAN = (1500.0, 500.0, 2500.0, 2000.0 / pi)
UNKNOWN_OFFSET = -(2**31)  # value of a servo's homing offset that is not known

ON_SILENCE = [
    ("hold", "Hold", "Keep the servo's position, for joints that carry weight"),
    ("detach", "Go Limp", "End the servo's signal, so that it goes limp"),
]


def _per_degree(servo: bpy.types.PropertyGroup) -> float:
    return servo.us_per_radian / degrees(1.0)


def _set_per_degree(servo: bpy.types.PropertyGroup, value: float) -> None:
    servo.us_per_radian = value * degrees(1.0)


class ServoSettings:
    """Mixin of all property groups with the settings of a servo.

    Attributes:
        has_zero: Whether the position is given by a zero and units per radian (joints, motors and additional
            servos), or by the positions at both ends of a range (auxiliary values).
    """

    has_zero = False

    servo: IntProperty(
        name="Servo",
        description="Number of the servo on the device, its ID on a bus; -1: none",
        default=-1,
        min=-1,
        max=LAST_SERVO,
    )
    on_silence: EnumProperty(
        name="On Signal Loss",
        description=("What the servo does when no more commands arrive"),
        items=ON_SILENCE,
    )
    homing_offset: IntProperty(
        name="Homing Offset",
        description=(
            "Homing offset of the servo when zero and range were calibrated; it is compared with the"
            " servo's current offset before the robot is armed"
        ),
        default=UNKNOWN_OFFSET,
    )

    @property
    def label(self) -> str:
        """Name in the interface and in messages."""
        return self.name

    @property
    def limits(self) -> tuple[float, float] | None:
        """Smallest and largest value that the servo follows [rad, m, or the value's own unit]; None if it has
        no value of its own.
        """
        return None

    @property
    def raw_range(self) -> tuple[float, float]:
        """(lowest, highest) position command [raw]."""
        raise NotImplementedError

    @property
    def value_at_ends(self) -> tuple[float, float]:
        """Values at the (lowest, highest) position command, in the unit of `limits`."""
        raise NotImplementedError

    @property
    def recorded_offset(self) -> int | None:
        """Homing offset of the calibration; None if it is not known."""
        return None if self.homing_offset == UNKNOWN_OFFSET else self.homing_offset

    @recorded_offset.setter
    def recorded_offset(self, offset: float | None) -> None:
        self.homing_offset = UNKNOWN_OFFSET if offset is None else round(offset)


class LimberServo(ServoSettings):
    """Mixin of joints, motors and additional servos: the mounting of a servo that rotates with its joint."""

    has_zero = True

    reverse: BoolProperty(name="Reverse", description="Rotate the servo opposite to the joint")
    zero_us: FloatProperty(
        name="Zero",
        description=(
            "Servo position at which the joint is at 0, in the protocol's unit (hobby servos: microseconds)"
        ),
        default=CENTRE_US,
        min=-FARTHEST,
        max=FARTHEST,
    )
    us_per_radian: FloatProperty(
        name="Units per Radian",
        description=(
            "Change of the position for one radian of the servo, in the protocol's unit (hobby servos: about"
            " 637 microseconds)"
        ),
        default=US_PER_RADIAN,
        min=1e-3,
        max=1e7,
    )
    per_degree: FloatProperty(
        name="Per Degree",
        description=(
            "Change of the position for one degree of the servo, in the protocol's unit (hobby servos: about"
            " 11.1 microseconds)"
        ),
        get=_per_degree,
        set=_set_per_degree,
        min=1e-5,
        max=1e6,
        precision=3,
    )
    min_us: FloatProperty(
        name="Lowest",
        description=(
            "Lowest position that is sent to the servo, in the protocol's unit (hobby servos: microseconds)"
        ),
        default=MIN_US,
        min=-FARTHEST,
        max=FARTHEST,
    )
    max_us: FloatProperty(
        name="Highest",
        description=(
            "Highest position that is sent to the servo, in the protocol's unit (hobby servos: microseconds)"
        ),
        default=MAX_US,
        min=-FARTHEST,
        max=FARTHEST,
    )
    servo_speed: FloatProperty(
        name="Top Speed",
        description="Top speed of the servo itself, as an angle per second; 0: not known",
        subtype="ANGLE",
        default=0.0,
        min=0.0,
        soft_max=radians(720),
    )
    gear: FloatProperty(
        name="Gear",
        description=(
            "Gear ratio: rotation of the servo per rotation of the joint; radians per metre for prismatic"
            " joints; negative: opposite direction"
        ),
        default=1.0,
        soft_min=-100.0,
        soft_max=100.0,
    )

    @property
    def raw_range(self) -> tuple[float, float]:
        return self.min_us, self.max_us

    @property
    def value_at_ends(self) -> tuple[float, float]:
        per_radian = self.sense * self.us_per_radian * abs(self.gear)
        return (self.min_us - self.zero_us) / per_radian, (self.max_us - self.zero_us) / per_radian

    @property
    def sense(self) -> float:
        """1.0 if the position grows with the joint's value, -1.0 if it decreases."""
        return copysign(1.0, self.gear) * (-1.0 if self.reverse else 1.0)
