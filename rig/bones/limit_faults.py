"""Sentences on limits of a joint or motor that no solver and no robot can use: not numbers, or too large."""

from collections.abc import Iterator
from math import isfinite

from ...solvers.kinematics.skeleton import FARTHEST

RATES = ("velocity", "acceleration", "jerk")


def range_faults(lower: float, upper: float, value: str) -> Iterator[str]:
    """Sentences on position limits of a joint or motor that are not numbers or are too large, with the
    remedy; `value` is the limited quantity, such as "angle".
    """
    for name, size, number in (("Min", "smallest", lower), ("Max", "largest", upper)):
        if not abs(number) <= FARTHEST:
            yield f"{name} is {number:g}: enter its {size} {value} again, a number of at most {FARTHEST:g}"


def rate_faults(limits: object) -> Iterator[str]:
    """Sentences on limits of velocity, acceleration and jerk that are not finite and above 0, with the
    remedy.
    """
    for field in RATES:
        if not ((number := getattr(limits, field)) > 0 and isfinite(number)):
            yield f"its {field} limit must be above 0 and finite, not {number:g}: enter what the motor can do"
