"""Measures of faults in a clip and in a robot's motion that follows it: pops, sliding feet, joints stopped by
limits.
"""

from collections.abc import Sequence

import numpy as np

from ....solvers.kinematics.se3 import Array

POP = np.radians(10.0)  # [rad] rotation in one frame from which a bone's motion may be a pop
# displacement in one frame, as a share of the figure's height, from which the figure's motion may be a pop
POP_WAY = 0.06
# smallest ratio of a pop to the motion in the frames beside it. In captured dance at 24 to 120 frames per
# second, with feet that strike the floor, no ratio exceeds 4.3.
OUT_OF_PROPORTION = 5.0
FLAT = np.radians(40.0)  # [rad/s] speed below which a foot may stand; in a step it rolls and swings
STANDING_TIME = 0.1  # [s] time over which a foot's velocity is measured
LOW, RISING, SLIDES = (
    0.04,
    0.12,
    0.09,
    # largest height [leg lengths] and vertical speed [leg lengths/s] of a foot that may be flat on the
    # ground, and distance [leg lengths] beyond which it slides
)


def steps(rotations: Array) -> Array:
    """Angles (t - 1, k) [rad] by which bones rotate from each frame to the next; `rotations` (t, k, 3, 3)."""
    return angles(rotations[:-1], rotations[1:])


def rotation_pops(rotations: Array, least: float) -> Array:
    """Mask (t - 1, k) of frames, from the second on, in which bones pop by more than `least` [rad];
    `rotations` (t, k, 3, 3).
    """
    return _pops(steps(rotations), angles(rotations[:-2], rotations[2:]), least)


def position_pops(positions: Array, height: float) -> Array:
    """Mask (t - 1, k) of frames, from the second on, in which points (t, k, 3) of a figure of this height
    pop.
    """
    distances = np.linalg.norm(np.diff(positions, axis=0), axis=2)
    across = np.linalg.norm(positions[2:] - positions[:-2], axis=2)
    return _pops(distances, across, POP_WAY * height)


def _pops(amounts: Array, across: Array, least: float) -> Array:
    """Mask (t - 1, k) of motions between frames that are pops: the motion is large while the frames beside it
    are still, or it is reversed in the next frame.

    Args:
        amounts: (t - 1, k) amounts of motion from each frame to the next.
        across: (t - 2, k) amounts from each frame to the one after the next.
        least: Amount from which a motion may be a pop.
    """
    beside = np.full_like(amounts, np.inf)  # the first and the last motion have a neighbour on one side only
    beside[1:-1] = np.maximum(amounts[:-2], amounts[2:])
    stays = amounts > OUT_OF_PROPORTION * beside
    returns = np.zeros_like(stays)
    returns[:-1] = np.minimum(amounts[:-1], amounts[1:]) > OUT_OF_PROPORTION * across
    return (amounts > least) & (stays | returns)


def angles(before: Array, after: Array) -> Array:
    """Angles (...) [rad] between rotations (..., 3, 3)."""
    relative = np.einsum("...ij,...il->...jl", before, after)
    return np.arccos(np.clip((np.trace(relative, axis1=-2, axis2=-1) - 1.0) / 2.0, -1.0, 1.0))


def slides(rotations: Array, positions: Array, feet: Sequence[int], hips: int, seconds: float) -> Array:
    """For each foot (f,) the largest distance, as a share of the leg's length, that it slides flat on the
    floor.

    Args:
        rotations, positions: (t, k, 3, 3) and (t, k, 3) world poses of the bones in each frame.
        feet, hips: Indices of the feet's bones and of the hips'.
        seconds: Time [s] from one frame to the next.
    """
    window = max(1, round(STANDING_TIME / seconds))
    if not len(feet) or len(positions) <= window:
        return np.zeros(len(feet))
    legs = np.linalg.norm(positions[:, feet] - positions[:, [hips]], axis=2)
    leg = float(np.percentile(legs, 95.0))
    floor = float(np.percentile(positions[:, feet, 2].min(1), 25.0))
    return np.array(
        [_slide(rotations[:, foot], positions[:, foot], leg, floor, window, seconds) / leg for foot in feet]
    )


def _slide(
    rotations: Array, positions: Array, leg: float, floor: float, window: int, seconds: float
) -> float:
    """Largest distance, as a share of the leg's length, that a foot moves while it is low, level and does not
    rotate.
    """
    time = window * seconds
    heights = np.maximum(positions[window:, 2], positions[:-window, 2]) - floor
    rising = np.abs(positions[window:, 2] - positions[:-window, 2]) / time
    rotation_speeds = angles(rotations[:-window], rotations[window:]) / time
    flat = (heights < LOW * leg) & (rising < RISING * leg) & (rotation_speeds < FLAT)
    farthest, start = 0.0, None
    for index, is_flat in enumerate(flat):
        if not is_flat:
            start = None
            continue
        start = index if start is None else start
        distance = np.linalg.norm(positions[index + window, :2] - positions[start, :2])
        farthest = max(farthest, float(distance))
    return farthest


def stopped(values: Array, lower: Array, upper: Array) -> Array:
    """Mask (t, n) of joints that are at a limit; `values` (t, n), `lower` and `upper` (n,) [rad or m]."""
    near = 1e-3 * (upper - lower)
    with np.errstate(invalid="ignore"):
        return np.isfinite(near) & (np.minimum(values - lower, upper - values) <= near)
