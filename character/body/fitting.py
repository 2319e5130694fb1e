"""A source's pose, fitted to a body of another size that stands elsewhere: the body's inputs in a frame. Pure
functions.
"""

from typing import NamedTuple

import numpy as np

from ...solvers.kinematics.se3 import Array
from ..stream import StreamState
from .inputs import NOWHERE, BodyInputs

UP = np.array((0.0, 0.0, 1.0))


class SourcePose(NamedTuple):
    """Pose of a source in the world."""

    rotations: Array  # (k, 3, 3) rotations of its links; NaN if lost
    positions: Array  # (k, 3) [m]; NaN if lost
    origin: Array  # (3,) [m] point about which its motion is scaled
    stream: StreamState | None = None  # state of the stream from which the pose was read


class FootHeights(NamedTuple):
    """Heights [m] of the feet's bones while the figures stand: the source's above its origin, the body's
    above its soles.
    """

    source: float
    body: float


class Fit(NamedTuple):
    """How the source's links become targets of the body's.

    Attributes:
        offsets: (k, 3, 3) rotations from the source's links to the body's.
        scale: Scale of the motion.
        shift: (3,) [m] displacement in the world.
        planted: Indices of the links that are feet to plant.
        placed: Indices of the links whose position counts, apart from a floating base.
        base: Index of a floating base; None if it does not float.
        heights: Heights of the feet, where both soles are to stand on one floor; else None.
    """

    offsets: Array
    scale: float
    shift: Array
    planted: list[int]
    placed: list[int]
    base: int | None
    heights: FootHeights | None


class BodyFrame(NamedTuple):
    """The space in which the body is solved: it can be moved and scaled in the world."""

    world: Array  # (4, 4) its matrix in the world
    from_world: Array  # (4, 4) the inverse
    rotation: Array  # (3, 3) the rotation nearest to that of `from_world`
    base: Array  # (4, 4) pose of the base bone as keyed or posed by the user, in this space


def fitted(pose: SourcePose, fit: Fit, frame: BodyFrame) -> BodyInputs:
    """Target poses of the body in its own space.

    The source's motion is scaled about the source's origin and moved horizontally to the body, since the two
    figures can differ in size and position, and then by `fit.shift`. If the base floats and the heights of
    both figures' feet are known, their soles (not their ankles) are put at equal heights.
    """
    world, linear, offset = frame.world, frame.from_world[:3, :3], frame.from_world[:3, 3]
    anchor = np.array((world[0, 3], world[1, 3], pose.origin[2])) + fit.shift
    positions = anchor + fit.scale * (pose.positions - pose.origin)
    feet = positions[fit.planted]
    floor_up, floor_height = NOWHERE, np.nan
    if fit.base is not None and fit.heights is not None:
        floor_up = world[:3, :3].T @ UP
        size = float(np.linalg.norm(floor_up))
        floor_up /= size
        floor_height = float(floor_up @ (linear @ (anchor[2] * UP) + offset))
        feet[:, 2] -= anchor[2] + fit.scale * fit.heights.source
        positions[:, 2] += fit.heights.body * size - fit.scale * fit.heights.source
    base = frame.base[:3, 3]
    base_known = fit.base is not None and bool(np.isfinite(positions[fit.base]).all())
    if base_known:
        base = linear @ positions[fit.base] + offset
    places = positions[fit.placed] @ linear.T + offset
    rotations = frame.rotation @ (pose.rotations @ fit.offsets)
    return BodyInputs(
        rotations, base, frame.base, feet, floor_up, floor_height, base_known, places, stream=pose.stream
    )
