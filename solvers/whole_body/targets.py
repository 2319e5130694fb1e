"""Targets of links: which links have them, with what weights, and their values in a frame."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Mask

Kind = Literal["orientation", "position"]

# deviation from 3 of a matrix's sum of squared entries, from which the matrix counts as no rotation, but as
# zeros or scaled; NaN counts so too
NO_ROTATION = 0.03


class BodyTargetError(ValueError):
    """Invalid targets, target values, options or time step; the message names the fault and says what to
    do.
    """


@dataclass(frozen=True)
class Target:
    """A target of one link, for its orientation or its position."""

    link: str
    kind: Kind = "orientation"
    weight: float = 1.0  # weight of the squared error [1/rad^2 or 1/m^2]
    gain: float | None = None  # [1/s] gain with which the error is corrected; None: the law's gain
    level: int = 0  # priority, 0 first: a level does not disturb higher ones

    def __post_init__(self) -> None:
        if self.kind not in ("orientation", "position"):
            raise BodyTargetError(
                f"target '{self.link}': kind is 'orientation' or 'position', not '{self.kind}'"
            )
        if not 0.0 <= self.weight < np.inf:
            raise BodyTargetError(
                f"target '{self.link}': the weight must be zero or more and finite, got {self.weight}"
            )
        if self.gain is not None and not 0.0 <= self.gain <= np.inf:
            raise BodyTargetError(f"target '{self.link}': the gain must be zero or more, got {self.gain}")


@dataclass(frozen=True)
class Contact:
    """Constraint that holds a link exactly at a position, such as a planted foot."""

    link: str
    position: Array  # (3,) [m] position of the link's origin in the world
    rotation: Array | None = None  # (3, 3) orientation in the world; None: not held


def no_rotations() -> Array:
    return np.zeros((0, 3, 3))


def no_positions() -> Array:
    return np.zeros((0, 3))


@dataclass(frozen=True)
class Values:
    """Target values of one frame in the world, in the order of the orientation and of the position targets.

    A target without a valid rotation or position is ignored in the frame.
    """

    rotation: Array = field(default_factory=no_rotations)  # (k, 3, 3) values of the orientation targets
    position: Array = field(default_factory=no_positions)  # (p, 3) [m] values of the position targets
    angular_velocity: Array | None = None  # (k, 3) [rad/s]; None if unknown
    linear_velocity: Array | None = None  # (p, 3) [m/s]; None if unknown
    contacts: tuple[Contact, ...] = ()
    # (n,) [rad or m] posture to which joints return that no target determines; None: they stay
    posture: Array | None = None


def has_rotation(rotations: Array) -> Mask:
    """Whether each of several matrices (k, 3, 3) counts as a rotation, (k,), by the sum of its squared
    entries (`NO_ROTATION`); a target with another value is lost.
    """
    are_rotations: Mask = np.abs(np.einsum("kij,kij->k", rotations, rotations) - 3.0) < NO_ROTATION
    return are_rotations


def has_position(positions: Array) -> Mask:
    """Whether each of several positions (p, 3) [m] is finite, (p,); a target with another value is lost."""
    are_finite: Mask = np.isfinite(positions).all(1)
    return are_finite


def check_links(targets: Sequence[Target]) -> None:
    """Raises BodyTargetError if two targets, all of one kind, are on the same link."""
    links = [target.link for target in targets]
    twice = [link for link in links if links.count(link) > 1]
    if twice:
        raise BodyTargetError(f"link '{twice[0]}' has two {targets[0].kind} targets: give it one")


def check(values: Values, turning: Sequence[Target], placed: Sequence[Target], joints: int) -> None:
    """Raises BodyTargetError if an array does not have one row for each of its targets (`turning`: those for
    orientations, `placed`: those for positions), a contact is not finite, or the posture does not have
    `joints` values.
    """
    k, p = len(turning), len(placed)
    shapes = {
        "rotation": (k, 3, 3),
        "position": (p, 3),
        "angular_velocity": (k, 3),
        "linear_velocity": (p, 3),
    }
    for name, shape in shapes.items():
        value = getattr(values, name)
        if value is not None and np.shape(value) != shape:
            raise BodyTargetError(
                f"{name} must have the shape {shape}, one row for each target of its kind, and has"
                f" {np.shape(value)}"
            )
    for contact in values.contacts:
        rotation = np.eye(3) if contact.rotation is None else contact.rotation
        if not (np.isfinite(contact.position).all() and np.isfinite(rotation).all()):
            raise BodyTargetError(
                f"contact of '{contact.link}': its position and rotation must be finite numbers, got"
                f" {np.asarray(contact.position).tolist()} m"
            )
    if values.posture is not None and np.shape(values.posture) != (joints,):
        raise BodyTargetError(
            f"the posture must have one value for each of the {joints} joints, and has the shape"
            f" {np.shape(values.posture)}"
        )
