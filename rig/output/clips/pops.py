"""Pops in a clip's motion: frames in which a bone leaves the path of the frames beside it.

The motion from one frame to the next is compared with three motions that a body can make there: that of
the frame before (a blow begins), that of the frame after (a blow ends, as where hands meet or a foot
strikes), and the one on the curve through the motions beside (a swing). A deviation from all three is a pop
if it is large in proportion to the deviations of the motion beside it; in a motion that trembles throughout
there are no pops. For two limbs that exchange their poses the sum of both deviations is compared with the
motion beside, so that each may be smaller; but each limb must go on along the other's path.
"""

from collections.abc import Callable

import numpy as np

from ....solvers.kinematics import se3
from ....solvers.kinematics.se3 import Array

POP = np.radians(10.0)  # [rad] a smaller deviation of a bone in one frame is no pop: people do not see it
# a smaller deviation of a figure's position in one frame, as a share of the figure's height, is no pop
POP_WAY = 0.06
# smallest ratio of a pop to the deviations beside it. In captured dance at 24 to 120 frames per second, with
# feet that strike the floor, only wrists exceed it, which flip about straight arms.
OUT_OF_PROPORTION = 4.0
# largest number of frames for which a displaced bone stays before it returns, both as one pop; if it stays
# longer, each of the two jumps has smooth motion beside it, and counts alone
LONGEST_DISPLACED = 2
WINDOW = 5  # number of motions in a window: one motion, and two on either side, whose curve predicts it
# [rad] a larger rotation in a frame is not expected to go on: beyond a right angle two frames do not show to
# which side a bone rotates
FASTEST = np.radians(90.0)
# number of motions on either side of an exchange that must be smooth: quick sinusoids have single smooth ones
BESIDE = 2

Between = Callable[[Array, Array], Array]  # gives the motions (..., 3) from some poses to others


def rotation_pops(rotations: Array, least: float) -> Array:
    """Mask (t - 1, k) of frames, from the second on, in which bones pop by more than `least` [rad];
    `rotations` (t, k, 3, 3).
    """
    return _pops(rotations, _rotation_vectors, least, FASTEST)


def position_pops(positions: Array, height: float) -> Array:
    """Mask (t - 1, k) of frames, from the second on, in which points (t, k, 3) of a figure of this height
    pop.
    """
    return _pops(positions, _displacements, POP_WAY * height, np.inf)


def exchanges(rotations: Array, least: float) -> Array:
    """Mask (t - 1, p) of frames, from the second on, in which a left and a right bone exchange their poses:
    they differ, both deviate by more than `least` [rad], each goes on along the other's path, and both
    together deviate out of proportion to the motion beside.

    Args:
        rotations: (t, p, 2, 3, 3) rotations of p pairs of bones on their parents, as in `Sides`.
        least: Difference and deviation from which a motion may be an exchange.
    """
    motions = _rotation_vectors(rotations[:-1], rotations[1:])
    is_exchange = np.zeros(motions.shape[:2], bool)
    if len(motions) <= WINDOW or not is_exchange.size:
        return is_exchange
    bones = motions.reshape(len(motions), -1, 3)
    deviations = _deviations(bones, FASTEST).reshape(motions.shape[:3])
    apart = _lengths(_rotation_vectors(rotations[:, :, 0], rotations[:, :, 1]))
    size = np.minimum(deviations.min(axis=2), np.minimum(apart[:-1], apart[1:]))
    is_crossing = (size > least) & (size > OUT_OF_PROPORTION * _deviations_crossing(rotations, motions))
    together = deviations.sum(axis=2)
    for frames in range(LONGEST_DISPLACED + BESIDE):
        # the bones exchange their poses here and, unless they stay exchanged for long, back again later
        last = len(motions) - frames
        beside = _deviations_beside(bones, frames, BESIDE).reshape(last, -1, 2).max(axis=2)
        smooth = np.minimum(together[:last], together[frames:]) > OUT_OF_PROPORTION * beside
        both = is_crossing[:last] & is_crossing[frames:] & smooth
        is_exchange[:last] |= both
        is_exchange[frames:] |= both
    return is_exchange


def _deviations_crossing(rotations: Array, motions: Array) -> Array:
    """The larger deviation (t - 1, p) of the two bones of each pair.

    A bone's deviation is that of the rotation from its pose to the other bone's pose in the next frame, from
    the nearest rotation that continues its own motion before or leads to the other's motion after.

    Args:
        rotations: (t, p, 2, 3, 3) as for `exchanges`.
        motions: (t - 1, p, 2, 3) rotation vectors from each frame to the next.
    """
    crossing = _rotation_vectors(rotations[:-1], rotations[1:, :, ::-1])
    before, after = _continued(motions), _continued(motions[::-1])[:, ::-1, :, ::-1]
    deviations: Array = _lengths(crossing - np.concatenate((before, after))).min(axis=0).max(axis=2)
    return deviations


def _continued(motions: Array) -> Array:
    """Two predictions (2, ...) of each motion from those before it: the previous motion, and the previous
    motion with its change repeated. Infinite if not known, or larger than FASTEST.
    """
    continued = np.full((2, *motions.shape), np.inf)
    continued[0, 1:] = motions[:-1]
    continued[1, 2:] = 2.0 * motions[1:-1] - motions[:-2]
    continued[_lengths(continued) > FASTEST] = np.inf
    return continued


def _rotation_vectors(before: Array, after: Array) -> Array:
    """Rotation vectors (..., 3) [rad] from rotations (..., 3, 3) to others, along the world's axes."""
    return se3.logarithm(after @ before.swapaxes(-1, -2))


def _displacements(before: Array, after: Array) -> Array:
    """Displacements (..., 3) from positions (..., 3) to others."""
    return after - before


def _pops(poses: Array, between: Between, least: float, fastest: float) -> Array:
    """Mask (t - 1, k) of motions from a frame to the next that begin a pop.

    Args:
        poses: (t, k, ...) rotations or positions.
        between: Function that gives their rotation vectors [rad] or displacements.
        least: Deviation from which a motion may be a pop.
        fastest: Largest motion in a frame that is expected to go on.
    """
    motions = between(poses[:-1], poses[1:])
    is_pop = np.zeros(motions.shape[:2], bool)
    if len(motions) < WINDOW:
        return is_pop
    deviations = _deviations(motions, fastest)
    for frames in range(LONGEST_DISPLACED + 1):
        # the bone leaves its path with one motion and, unless it stays away, returns with another
        last = len(motions) - frames
        size = np.minimum(deviations[:last], deviations[frames:])
        smooth = size > OUT_OF_PROPORTION * _deviations_beside(motions, frames)
        across = between(poses[:last], poses[frames + 1 :])
        returns = frames == 0 or _deviations_across(motions, across, frames) < size
        is_pop[:last] |= (size > least) & smooth & returns
    return is_pop


def _deviations(motions: Array, fastest: float) -> Array:
    """Deviation (t - 1, k) of each motion from the nearest of those that a body can make there: the motion
    before, the motion after, and that on the curve. Before the first and after the last frame the body may
    stand still, as it may instead of an expected motion larger than `fastest` (as for `_pops`).
    """
    still = np.zeros_like(motions[:1])
    expected = np.array(
        [
            np.concatenate((still, motions[:-1])),
            np.concatenate((motions[1:], still)),
            _on_curve(motions),
        ]
    )
    expected[_lengths(expected) > fastest] = 0.0
    deviations: Array = _lengths(motions - expected).min(axis=0)
    return deviations


def _on_curve(motions: Array) -> Array:
    """For each motion the value (t - 1, k, 3), at its time, of the cubic polynomial through the two motions
    before and the two after it; at the clip's ends, of the polynomial through those of the four that exist.
    """
    count = len(motions)
    first = np.clip(np.arange(count) - WINDOW // 2, 0, count - WINDOW)
    windows = motions[first[:, None] + np.arange(WINDOW)]
    curve: Array = np.einsum("tj,tjkc->tkc", CURVES[np.arange(count) - first], windows)
    return curve


def _curve(index: int) -> list[float]:
    """Weights of a window's values in the value at `index` of the polynomial through the values beside it."""
    beside = [j for j in range(WINDOW) if 0 < abs(j - index) <= WINDOW // 2]
    return [
        float(np.prod([(index - i) / (j - i) for i in beside if i != j])) if j in beside else 0.0
        for j in range(WINDOW)
    ]


CURVES = np.array([_curve(index) for index in range(WINDOW)])


def _deviations_beside(motions: Array, frames: int, count: int = 1) -> Array:
    """Largest deviation (t - 1 - frames, k) of the motions beside a pop that begins with each motion and ends
    `frames` later: of the `count` motions before it, from what still earlier ones predict, and of the `count`
    motions after it, from what still later ones predict.

    Near the clip's ends both are taken from the side that has enough motions. For its first and last motion
    the size of the neighbouring motion counts, since a blow may end in the first frame or begin in the last.
    """
    last = len(motions) - frames
    before, after = np.full((2, *motions.shape[:2]), np.nan)
    before[2:] = _changes(motions)[:-1]
    after[:-2] = _changes(motions[::-1])[::-1][1:]
    for _ in range(count - 1):
        before[1:], after[:-1] = np.fmax(before[1:], before[:-1]), np.fmax(after[:-1], after[1:])
    before, after = before[:last], after[frames:]
    before[1], after[-2] = after[2], before[-3]
    before[0], after[-1] = _lengths(motions[frames + 1]), _lengths(motions[last - 2])
    return np.maximum(before, after)


def _changes(motions: Array) -> Array:
    """Deviation (t - 2, k) of each motion, from the second on, from what was expected: the motion before or,
    if nearer, that motion with its last change repeated.
    """
    changes = _lengths(np.diff(motions, axis=0))
    changes[1:] = np.minimum(changes[1:], _lengths(np.diff(motions, n=2, axis=0)))
    return changes


def _deviations_across(motions: Array, across: Array, frames: int) -> Array:
    """Deviation (t - 1 - frames, k) of the whole motion across a pop from the mean of the motions before and
    after it: about 0 if the bone returns to its path.

    Args:
        motions: (t - 1, k, 3) motion from each frame to the next.
        across: (t - 1 - frames, k, 3) motion from each frame to the one after `frames` others.
        frames: Number of frames for which the bone is displaced.
    """
    before = np.concatenate((motions[:1], motions[: len(across) - 1]))
    after = np.concatenate((motions[frames + 1 :], motions[-1:]))
    before[0], after[-1] = after[0], before[-1]
    return _lengths(across - 0.5 * (frames + 1) * (before + after))


def _lengths(vectors: Array) -> Array:
    """Lengths (...) of vectors (..., 3)."""
    lengths: Array = np.linalg.norm(vectors, axis=-1)
    return lengths
