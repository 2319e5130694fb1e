"""Postures for a robot without authored ones, and a path for the target at which it looks. Knows no Blender.

Many random poses within the limits are generated. Of those that look ahead, a high one, a low one, and the
one that differs most from both become postures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atan2, cos, pi, sin

import numpy as np

DRAWN = 800  # number of random poses from which the postures are chosen
SEED = 7
MARGIN = 0.12  # share of a joint's range that is kept free at either limit
MOST = 1.6  # [rad] largest rotation of a joint from its home to either side
SLIDE = 0.4  # share of a prismatic joint's range to either side
LEVEL = 0.55  # [rad] largest elevation of a look that counts as ahead
ASIDE = 0.7  # [rad] largest azimuth of such a look from the front
# shares of the poses, by height, that are below the tall and the low pose: the highest pose is stretched out
HIGH, LOW = 0.85, 0.15
FEW = 6  # smallest number of poses from which a posture is chosen
# number of joints that may use their whole range; with more joints each uses less, so that a chain does not
# coil
EASY = 6.0


@dataclass(frozen=True)
class Stances:
    """Chosen postures, with their eyes and view direction."""

    postures: dict[str, np.ndarray]  # posture -> joint values (n,) [rad; prismatic joints m]
    front: float  # [rad] azimuth of the looks, about the world's Z from X
    eyes: np.ndarray  # (m, 3) [m] positions of the eyes in the postures, in the world


def home(lower: Sequence[float], upper: Sequence[float]) -> np.ndarray:
    """Joint values (n,) [rad; prismatic joints m] nearest to 0 that keep a margin from the limits: the pose
    around which others are drawn.
    """
    lower, upper = np.array(lower), np.array(upper)
    room = MARGIN * (upper - lower)
    return np.clip(0.0, lower + room, upper - room)


def draw(skeleton) -> np.ndarray:
    """Joint values (m, n) [rad; prismatic joints m] of random poses within limits; the first are those of
    `home`.
    """
    lower, upper = np.array(skeleton.lower), np.array(skeleton.upper)
    middle, room = home(lower, upper), MARGIN * (upper - lower)
    is_revolute = np.array([joint.kind == "revolute" for joint in skeleton.joints])
    reach = np.where(is_revolute, MOST, SLIDE * (upper - lower)) * min(1.0, EASY / len(lower)) ** 1.5
    dice = np.random.default_rng(SEED).uniform(-1.0, 1.0, (DRAWN, len(lower)))
    dice[0] = 0.0
    return np.clip(middle + reach * dice, lower + room, upper - room)


def choose(skeleton, look: Callable, floor: float) -> Stances:
    """Chooses three postures that look in about the same direction.

    Args:
        skeleton: The chain.
        look: Function from a pose to the positions (k, 3) [m] of the joints and, last, of the eye, and the
            view direction (3,), in the world.
        floor: Height [m] below which no joint may be.
    """
    angles = draw(skeleton)
    seen = [look(skeleton.forward(row.tolist())) for row in angles]
    eyes, ways = np.array([positions[-1] for positions, _ in seen]), np.array([way for _, way in seen])
    above = np.array([positions[:, 2].min() >= floor for positions, _ in seen])
    # poses whose view does not pass a joint: all joints are behind the eye
    ahead = np.array([(positions[-1] - positions[:-1]) @ way for positions, way in seen]).min(1) > 0.0
    steep = np.abs(np.arcsin(np.clip(ways[:, 2], -1.0, 1.0)))
    fit = _enough(above & ahead & (steep < LEVEL), steep + pi * ~above + pi * ~ahead)
    azimuths = np.arctan2(ways[:, 1], ways[:, 0])
    high = _at(fit, eyes[:, 2], HIGH)
    off = np.abs((azimuths - azimuths[high] + pi) % (2 * pi) - pi)
    fits = np.isin(np.arange(len(angles)), fit)
    near = _enough(fits & (off < ASIDE), off + pi * ~fits)
    low = _at(near, eyes[:, 2], LOW)
    scale = np.maximum(np.ptp(angles, axis=0), 1e-9)
    apart = np.minimum(*(np.linalg.norm((angles - angles[k]) / scale, axis=1) for k in (high, low)))
    other = int(near[np.argmax(apart[near])])
    chosen = [high, low, other]
    way = ways[chosen].sum(0)
    return Stances(
        dict(zip(("High", "Low", "Other"), angles[chosen], strict=True)), atan2(way[1], way[0]), eyes[chosen]
    )


def _enough(fit: np.ndarray, badness: np.ndarray) -> np.ndarray:
    """Indices of the suitable poses, those in the mask `fit` (p,); if they are too few, of the poses with the
    least `badness` (p,).
    """
    fitting = np.flatnonzero(fit)
    return fitting if len(fitting) >= FEW else np.argsort(badness, kind="stable")[:FEW]


def _at(some: np.ndarray, values: np.ndarray, share: float) -> int:
    """Of the indices `some`, the one whose value is the quantile `share` (0: least, 1: largest) of the values
    at these indices.
    """
    return int(some[np.argsort(values[some], kind="stable")[round(share * (len(some) - 1))]])


def path(middle: np.ndarray, front: float, size: float, frames: int, floor: float) -> np.ndarray:
    """Positions (frames, 3) [m] of a target that swings sideways and vertically in front of the robot.

    Args:
        middle: (3,) [m] centre of the path.
        front: [rad] azimuth of the centre as seen from the robot.
        size: [m] amplitude to the sides; the vertical one is smaller.
        frames: Number of frames.
        floor: [m] lowest height of the path.
    """
    phase = 2 * pi * np.arange(frames) / frames
    aside, up, ahead = (
        np.array((-sin(front), cos(front), 0.0)),
        np.array((0.0, 0.0, 1.0)),
        np.array((cos(front), sin(front), 0.0)),
    )
    positions = np.asarray(middle) + size * (
        np.outer(np.sin(1.5 * phase + 0.6) - 0.25, aside)
        + np.outer(0.55 * np.sin(2.5 * phase + 0.3), up)
        + np.outer(0.2 * np.cos(phase), ahead)
    )
    positions[:, 2] = np.maximum(positions[:, 2], floor)
    return positions


def widest(sizes: Sequence[float], miss: Callable[[float], float], enough: float) -> float:
    """The first of `sizes` with an aim error of at most `enough`; without one, the size with the least
    error.
    """
    missed = {}
    for size in sizes:
        missed[size] = miss(size)
        if missed[size] <= enough:
            return size
    return min(missed, key=missed.__getitem__)
