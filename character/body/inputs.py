"""Inputs of a body in a frame: the target poses of its links, also interpolated between two frames, and their
velocities. Pure functions.
"""

from typing import NamedTuple

import numpy as np

from ...solvers.kinematics.se3 import Array, exponential, logarithm
from ...solvers.kinematics.tree import Mask
from ...solvers.whole_body.targets import has_position, has_rotation
from ..stream import StreamState

NOWHERE = np.full(3, np.nan)
NO_PLACES = np.zeros((0, 3))
NO_POSTURE = np.zeros(0)


class BodyInputs(NamedTuple):
    """Target poses of the links in a frame, in armature space."""

    rotation: Array  # (k, 3, 3) rotations of the links with targets; NaN if lost
    base: Array  # (3,) [m] position of the base
    base_frame: Array  # (4, 4) authored frame of the base, used if the base does not float
    # (f, 3) [m] positions of the source feet, scaled to the body; z is the height above their standing height
    feet: Array
    floor_up: Array = NOWHERE  # (3,) unit normal of the floor; NaN if unknown
    floor_height: float = np.nan  # [m] height of the floor along its normal
    base_known: bool = True  # whether the base's position comes from its source; False if it is authored
    places: Array = NO_PLACES  # (p, 3) [m] targets of the links whose position counts; NaN if lost
    # (n,) [rad or m] values to which joints return that no target determines; empty: these joints stay
    posture: Array = NO_POSTURE
    # state of the stream from which the targets were read, kept for the next frame and not compared
    stream: StreamState | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BodyInputs):
            return False
        parts = zip(self[:-1], other[:-1], strict=True)
        return all(np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True) for a, b in parts)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise TypeError("it is compared, never looked up")


class Velocities(NamedTuple):
    """Velocities of the targets for feed-forward, by which links follow moving targets without lag; None if
    unknown.
    """

    angular: Array | None = None  # (k, 3) [rad/s]
    # (p, 3) [m/s] velocities of the links whose position counts, and of a floating base
    linear: Array | None = None


UNKNOWN = Velocities()


def between(begin: BodyInputs, last: BodyInputs, share: float) -> BodyInputs:
    """Inputs between two frames, at a share from 0 (`begin`) to 1 (`last`): rotations, base position and
    `places` are interpolated if they are known in both; everything else is that of `last`.
    """
    if share >= 1.0:
        return last
    known = _rotation_known(begin, last)
    start = np.where(known, begin.rotation, last.rotation)
    turned = exponential(share * logarithm(last.rotation @ start.swapaxes(1, 2))) @ start
    turned = np.where(known, turned, last.rotation)
    base = begin.base + share * (last.base - begin.base)
    is_known = has_position(begin.places)[:, None]
    positions = np.where(is_known, begin.places + share * (last.places - begin.places), last.places)
    return last._replace(rotation=turned, base=base, places=positions)


def velocities_of(first: BodyInputs, last: BodyInputs, dt: float) -> Velocities:
    """Mean velocities of the targets between two frames; NaN for targets that are not known in both, which
    are then approached without feed-forward.
    """
    base = (last.base - first.base) / dt if first.base_known and last.base_known else np.full(3, np.nan)
    linear = np.vstack([(last.places - first.places) / dt, base])
    turns = logarithm(last.rotation @ first.rotation.swapaxes(1, 2))
    return Velocities(np.where(_rotation_known(first, last)[:, 0], turns / dt, np.nan), linear)


def _rotation_known(first: BodyInputs, last: BodyInputs) -> Mask:
    """Whether each target's rotation is known in two frames, (k, 1, 1)."""
    return (has_rotation(first.rotation) & has_rotation(last.rotation))[:, None, None]
