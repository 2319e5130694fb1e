"""What links follow: which ones, how much each counts, and a frame's values for them. Knows no Blender."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from .so3 import Array

Kind = Literal["orientation", "position"]


class TargetError(ValueError):
    """Targets that cannot be; the message names the link and the remedy."""


@dataclass(frozen=True)
class Target:
    """One thing that one link follows."""

    link: str
    kind: Kind = "orientation"
    weight: float = 1.0  # of its squared error [1/rad^2 or 1/m^2]
    gain: float | None = None  # [1/s] of the error's correction; None: the law's own
    level: int = 0  # those of a higher number do what they can without disturbing those of a lower one

    def __post_init__(self) -> None:
        if self.kind not in ("orientation", "position"):
            raise TargetError(f"target '{self.link}': kind is 'orientation' or 'position', not '{self.kind}'")
        if not 0.0 <= self.weight < np.inf:
            raise TargetError(f"target '{self.link}': the weight must be zero or more and finite, got {self.weight}")
        if self.gain is not None and not 0.0 <= self.gain <= np.inf:
            raise TargetError(f"target '{self.link}': the gain must be zero or more, got {self.gain}")


@dataclass(frozen=True)
class Contact:
    """A link that stays where it is told, exactly: a foot that is planted."""

    link: str
    position: Array  # (3,) [m] of the link's origin in the world
    rotation: Array | None = None  # (3, 3); None: it may turn


def no_turns() -> Array:
    return np.zeros((0, 3, 3))


def no_places() -> Array:
    return np.zeros((0, 3))


@dataclass(frozen=True)
class Values:
    """One frame's values, in the world, in the order of the targets of their kind.

    A target whose values are no rotation, or no place, is lost for the frame.
    """

    rotation: Array = field(default_factory=no_turns)  # (k, 3, 3) of the orientation targets
    position: Array = field(default_factory=no_places)  # (p, 3) [m] of the position targets
    angular_velocity: Array | None = None  # (k, 3) [rad/s]; None: not known
    linear_velocity: Array | None = None  # (p, 3) [m/s]
    contacts: tuple[Contact, ...] = ()


def check(values: Values, turning: Sequence[Target], placed: Sequence[Target]) -> None:
    """Raises TargetError where the values do not suit the targets."""
    k, p = len(turning), len(placed)
    shapes = {"rotation": (k, 3, 3), "position": (p, 3), "angular_velocity": (k, 3), "linear_velocity": (p, 3)}
    for name, shape in shapes.items():
        value = getattr(values, name)
        if value is not None and np.shape(value) != shape:
            raise TargetError(f"{name} must have the shape {shape}, one row for each target of its kind, and has {np.shape(value)}")
