"""What is wrong with a clip and with a robot's motion that follows it: pops, feet that slide, joints that
limits stop.
"""

from collections.abc import Sequence

import numpy as np

from ....solvers.kinematics.se3 import Array

POP = np.radians(10.0)  # rotation in one frame from which a bone may pop; fast limbs rotate by more
POP_WAY = 0.06  # displacement in one frame, as a share of the figure's height
OUT_OF_PROPORTION = 4.0  # a pop is so many times as large as the frames around it have; fast motion is not
AROUND = 5  # frames before and after that count as around
FLAT = np.radians(40.0)  # [rad/s] a standing foot rotates slower; in a step it rolls and swings
STANDING_TIME = 0.1  # [s] over which a foot's velocity is measured
LOW, RISING, SLIDES = (
    0.04,
    0.12,
    0.09,
)  # height [of the leg], its rate [1/s] and way of a foot that slides flat


def steps(rotations: Array) -> Array:
    """Angles (t - 1, k) [rad] by which bones rotate from each frame to the next; `rotations` (t, k, 3, 3)."""
    relative = np.einsum("tkij,tkil->tkjl", rotations[:-1], rotations[1:])
    return np.arccos(np.clip((np.trace(relative, axis1=2, axis2=3) - 1.0) / 2.0, -1.0, 1.0))


def ways(positions: Array) -> Array:
    """Distances (t - 1, k) that points (t, k, 3) move from each frame to the next."""
    return np.linalg.norm(np.diff(positions, axis=0), axis=2)


def pops(amounts: Array, least: float) -> Array:
    """Which of the amounts of motion (t, k) are pops: larger than `least`, and out of proportion to the
    frames around.
    """
    around = np.zeros_like(amounts)
    for index in range(len(amounts)):
        neighbours = [*range(max(0, index - AROUND), index), *range(index + 1, index + 1 + AROUND)]
        known = amounts[[k for k in neighbours if k < len(amounts)]]
        around[index] = np.median(known, axis=0) if len(known) else amounts[index]
    return (amounts > least) & (amounts > OUT_OF_PROPORTION * around)


def slides(rotations: Array, positions: Array, feet: Sequence[int], hips: int, seconds: float) -> Array:
    """For each foot (f,) the largest distance, as a share of the leg's length, over which it slides flat on
    the floor.

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
    """Largest distance that a foot moves while it is low, level and does not rotate."""
    time = window * seconds
    heights = np.maximum(positions[window:, 2], positions[:-window, 2]) - floor
    rising = np.abs(positions[window:, 2] - positions[:-window, 2]) / time
    relative = np.einsum("tij,til->tjl", rotations[:-window], rotations[window:])
    turning = np.arccos(np.clip((np.trace(relative, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0)) / time
    flat = (heights < LOW * leg) & (rising < RISING * leg) & (turning < FLAT)
    farthest, start = 0.0, None
    for index, is_flat in enumerate(flat):
        if not is_flat:
            start = None
            continue
        start = index if start is None else start
        way = np.linalg.norm(positions[index + window, :2] - positions[start, :2])
        farthest = max(farthest, float(way))
    return farthest


def stopped(values: Array, lower: Array, upper: Array) -> Array:
    """Which joints (t, n) stand at a limit; `values` (t, n), `lower` and `upper` (n,)."""
    near = 1e-3 * (upper - lower)
    with np.errstate(invalid="ignore"):
        return np.isfinite(near) & (np.minimum(values - lower, upper - values) <= near)
