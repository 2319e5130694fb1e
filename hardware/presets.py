"""Data of common servo models.

Speeds are the makers', at the stated voltage and without load. The limits of a joint are derived from them: a
share of the speed as velocity limit, an acceleration that reaches that velocity in 0.3 s, and a jerk that
reaches that acceleration in 0.1 s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..motion.joint import Limits

SHARE = 0.7  # share of the no-load speed that a servo reaches under a usual load
GATHERING = 0.3  # [s] time from standstill to full speed
EASING = 0.1  # [s] time from zero to full acceleration

HOBBY = ("limber", "maestro", "servo_animation")  # protocols that send pulses to hobby servos
STEPS_PER_RADIAN = 4096 / math.tau  # of a bus servo with 4096 steps per revolution
PULSE = (1500.0, 500.0, 2500.0)  # [us] middle, lowest and highest pulse


@dataclass(frozen=True, slots=True)
class Preset:
    """A servo model.

    Attributes:
        label: Name for the user.
        protocols: Names of the protocols that drive it.
        per_radian: Raw units per radian: microseconds of pulse, or steps.
        zero: Middle raw position.
        lowest: Lowest raw position.
        highest: Highest raw position.
        speed: Maximum speed without load [rad/s].
        source: Source of the numbers.
    """

    label: str
    protocols: tuple[str, ...]
    per_radian: float
    zero: float
    lowest: float
    highest: float
    speed: float
    source: str

    @property
    def velocity(self) -> float:
        """Velocity limit for a joint on this servo [rad/s]."""
        return SHARE * self.speed

    @property
    def acceleration(self) -> float:
        """Acceleration limit for a joint on this servo [rad/s2]."""
        return self.velocity / GATHERING

    @property
    def jerk(self) -> float:
        """Jerk limit for a joint on this servo [rad/s3]."""
        return self.acceleration / EASING

    def limits(self, lower: float, upper: float, gear: float = 1.0) -> Limits:
        """Limits of a joint with the range `lower` ... `upper`, driven with `gear` [rad of the servo per
        joint unit].
        """
        ratio = abs(gear)
        return Limits(lower, upper, self.velocity / ratio, self.acceleration / ratio, self.jerk / ratio)


def _hobby(label: str, degrees: float, seconds_for_60: float, source: str) -> Preset:
    """A servo that rotates by `degrees` from 500 to 2500 us, and by 60 degrees in `seconds_for_60`."""
    zero, lowest, highest = PULSE
    per_radian = (highest - lowest) / math.radians(degrees)
    return Preset(
        label, HOBBY, per_radian, zero, lowest, highest, math.radians(60.0) / seconds_for_60, source
    )


def _bus(label: str, protocol: str, turns_per_minute: float, source: str, *more: str) -> Preset:
    """A servo with 4096 steps per revolution; `more` are further protocols that drive it."""
    return Preset(
        label,
        (protocol, *more),
        STEPS_PER_RADIAN,
        2048.0,
        0.0,
        4095.0,
        turns_per_minute * math.tau / 60.0,
        source,
    )


def _scs(label: str, seconds_for_60: float, source: str) -> Preset:
    """A servo with 1024 steps over 300 degrees, which rotates by 60 degrees in `seconds_for_60` [s]."""
    return Preset(
        label,
        ("feetech_scs",),
        1024 / math.radians(300.0),
        512.0,
        0.0,
        1023.0,
        math.radians(60.0) / seconds_for_60,
        source,
    )


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "SG90": _hobby("SG90 (micro)", 180.0, 0.12, "TowerPro's sheet, 4.8 V: 0.12 s for 60 degrees"),
        "MG90S": _hobby(
            "MG90S (micro, metal gears)", 180.0, 0.10, "TowerPro's sheet, 4.8 V: 0.1 s for 60 degrees"
        ),
        "MG996R": _hobby("MG996R", 180.0, 0.17, "TowerPro's sheet, 4.8 V: 0.17 s for 60 degrees"),
        "DS3218": _hobby("DS3218 (180 degrees)", 180.0, 0.16, "DSServo's sheet, 5 V: 0.16 s for 60 degrees"),
        "DS3218_270": _hobby(
            "DS3218 (270 degrees)", 270.0, 0.16, "DSServo's sheet, 5 V: 0.16 s for 60 degrees"
        ),
        "STS3215": _bus("Feetech STS3215", "feetech_sts", 45.0, "Feetech's sheet, 12 V: 45 rpm"),
        "SCS215": _scs("Feetech SCS215", 0.16, "Feetech's sheet, 6 V: 0.16 s for 60 degrees"),
        "SCS0009": _scs("Feetech SCS0009", 0.10, "Feetech's sheet, 6 V: 0.1 s for 60 degrees"),
        "XL330_M288": _bus(
            "Dynamixel XL330-M288", "dynamixel", 103.0, "ROBOTIS' manual, 5 V: 103 rpm", "reachy_mini"
        ),
        "XL330_M077": _bus(
            "Dynamixel XL330-M077", "dynamixel", 383.0, "ROBOTIS' manual, 5 V: 383 rpm", "reachy_mini"
        ),
        "XL430_W250": _bus("Dynamixel XL430-W250", "dynamixel", 57.0, "ROBOTIS' manual, 11.1 V: 57 rpm"),
        "XM430_W350": _bus("Dynamixel XM430-W350", "dynamixel", 46.0, "ROBOTIS' manual, 12 V: 46 rpm"),
        "XM430_W210": _bus("Dynamixel XM430-W210", "dynamixel", 77.0, "ROBOTIS' manual, 12 V: 77 rpm"),
    }
)
