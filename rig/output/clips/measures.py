"""Measures of faults in a clip and in a robot's motion that follows it: sliding feet, feet that stand at
two heights, joints stopped by limits.
"""

from collections.abc import Sequence

import numpy as np

from ....solvers.kinematics.se3 import Array

# [rad/s] a foot that rotates faster does not count as standing: in a step it rolls and swings
FLAT = np.radians(40.0)
STANDING_TIME = 0.1  # [s] time over which a foot's velocity is measured
# [leg lengths] a foot does not count as standing if it is higher than this above the floor (in `two_heights`:
# above the lowest foot)
LOW = 0.04
# [leg lengths/s] a foot whose vertical speed (in `two_heights`: whose speed) is higher does not count as
# standing
RISING = 0.12
SLIDES = 0.09  # [leg lengths] a larger distance that a standing foot moves is a finding
SAME_PLACE = 0.15  # [leg lengths] distance within which a foot stands where it has stood before
# [rad] rotation within which a foot stands as before; on its toes it is rotated farther
SAME_ANGLE = np.radians(20.0)
# [leg lengths] a larger difference between heights of a foot that stands at one position is a finding: at one
# of the heights it is in the floor or above it
TWO_HEIGHTS = 0.1


def steps(rotations: Array) -> Array:
    """Angles (t - 1, k) [rad] by which bones rotate from each frame to the next; `rotations` (t, k, 3, 3)."""
    return angles(rotations[:-1], rotations[1:])


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
    leg = _leg_length(positions, feet, hips) if len(feet) and len(positions) > window else 0.0
    if not leg:
        return np.zeros(len(feet))
    floor = float(np.percentile(positions[:, feet, 2].min(1), 25.0))
    return np.array(
        [_slide(rotations[:, foot], positions[:, foot], leg, floor, window, seconds) / leg for foot in feet]
    )


def _leg_length(positions: Array, feet: Sequence[int], hips: int) -> float:
    """Distance [m] of a foot from the hips while the legs are nearly straight; arguments as for `slides`."""
    return float(np.percentile(np.linalg.norm(positions[:, feet] - positions[:, [hips]], axis=2), 95.0))


def _slide(
    rotations: Array, positions: Array, leg: float, floor: float, window: int, seconds: float
) -> float:
    """Largest horizontal distance [m] that a foot moves while it is low and hardly rises, falls or rotates.

    Args:
        rotations, positions: (t, 3, 3) and (t, 3) [m] poses of the foot.
        leg: Length [m] of the leg.
        floor: Height [m] of the floor.
        window: Number of frames over which motion is measured.
        seconds: Time [s] from one frame to the next.
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


def two_heights(rotations: Array, positions: Array, feet: Sequence[int], hips: int, seconds: float) -> Array:
    """For each foot (f,) the largest difference, as a share of the leg's length, between heights at which it
    stands at the same position: at one of these heights it is in the floor or above it. Arguments as for
    `slides`.
    """
    window = max(1, round(STANDING_TIME / seconds))
    leg = _leg_length(positions, feet, hips) if len(feet) and len(positions) > window else 0.0
    if not leg:
        return np.zeros(len(feet))
    places, poses = positions[:, feet], rotations[:, feet]
    # a foot that is raised may be held still; the lowest one stands, unless the figure leaps
    is_lowest = places[:, :, 2] <= places[:, :, 2].min(axis=1, keepdims=True) + LOW * leg
    moved = np.linalg.norm(places[window:] - places[:-window], axis=2)
    rotated = angles(poses[:-window], poses[window:])
    time = window * seconds
    still = (moved < RISING * leg * time) & (rotated < FLAT * time) & is_lowest[window:] & is_lowest[:-window]
    return np.array(
        [
            _height_range(places[:-window][still[:, k], k], poses[:-window][still[:, k], k], leg) / leg
            for k in range(len(feet))
        ]
    )


def _height_range(positions: Array, rotations: Array, leg: float) -> float:
    """Largest change [m] of a foot's height, from its height when it came to a place, while it stays there
    without a rotation.

    Args:
        positions, rotations: (s, 3) and (s, 3, 3) poses of the foot in the frames in which it stands.
        leg: Length [m] of the leg.
    """
    largest, first = 0.0, 0
    for k, position in enumerate(positions):
        if np.linalg.norm(position[:2] - positions[first, :2]) > SAME_PLACE * leg:
            first = k
        elif angles(rotations[first], rotations[k]) < SAME_ANGLE:
            largest = max(largest, abs(float(position[2] - positions[first, 2])))
    return largest


def stopped(values: Array, lower: Array, upper: Array) -> Array:
    """Mask (t, n) of joints that are at a limit; `values` (t, n), `lower` and `upper` (n,) [rad or m]."""
    near = 1e-3 * (upper - lower)
    with np.errstate(invalid="ignore"):
        return np.isfinite(near) & (np.minimum(values - lower, upper - values) <= near)
