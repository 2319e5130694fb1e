"""Postures for a robot that nobody has posed yet, and how far the thing that it looks at may go. Knows no
Blender.

Many poses within the limits are drawn; those that look ahead, a high one, a low one and one that differs most
from both, are its postures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atan2, cos, pi, sin

import numpy as np

DRAWN = 800
SEED = 7
MARGIN = 0.12  # of a joint's range, kept from either limit
MOST = 1.6  # [rad] from its home to either side: farther turns tell nothing more
SLIDE = 0.4  # of a slide's range to either side
LEVEL = 0.55  # [rad] above or below the horizon, within which a look is ahead
ASIDE = 0.7  # [rad] to either side of the front
HIGH, LOW = (
    0.85,
    0.15,
)  # shares of the poses, by height, that are below those two: the very highest is stretched out
FEW = 6  # poses that will do
EASY = 6.0  # joints that may each use all of their room; of longer chains each uses less, or they would coil


@dataclass(frozen=True)
class Stances:
    """What was chosen."""

    postures: dict[str, np.ndarray]  # name -> (n,) [rad, slides m]
    front: float  # [rad] azimuth of the looks, about the world's Z from its X
    eyes: np.ndarray  # (m, 3) [m] from where the postures look, in the world


def home(lower: Sequence[float], upper: Sequence[float]) -> np.ndarray:
    """The angles nearest 0 (n,) that keep a margin from the limits."""
    lower, upper = np.array(lower), np.array(upper)
    room = MARGIN * (upper - lower)
    return np.clip(0.0, lower + room, upper - room)


def draw(skeleton) -> np.ndarray:
    """Poses within limits (m, n), the home first."""
    lower, upper = np.array(skeleton.lower), np.array(skeleton.upper)
    middle, room = home(lower, upper), MARGIN * (upper - lower)
    is_revolute = np.array([joint.kind == "revolute" for joint in skeleton.joints])
    reach = np.where(is_revolute, MOST, SLIDE * (upper - lower)) * min(1.0, EASY / len(lower)) ** 1.5
    dice = np.random.default_rng(SEED).uniform(-1.0, 1.0, (DRAWN, len(lower)))
    dice[0] = 0.0
    return np.clip(middle + reach * dice, lower + room, upper - room)


def choose(skeleton, look: Callable, floor: float) -> Stances:
    """Three postures that all look about the same way.

    Args:
        skeleton: The chain.
        look: From a pose of it to where its joints and its eye are (k, 3) [m], the eye last, and which way it
            looks (3,), in the world.
        floor: Height [m] beneath which nothing may be.
    """
    angles = draw(skeleton)
    seen = [look(skeleton.forward(row.tolist())) for row in angles]
    eyes, ways = np.array([positions[-1] for positions, _ in seen]), np.array([way for _, way in seen])
    above = np.array([positions[:, 2].min() >= floor for positions, _ in seen])
    ahead = (
        np.array([(positions[-1] - positions[:-1]) @ way for positions, way in seen]).min(1) > 0.0
    )  # else it would look past itself
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
    """Indices of what fits; where that is too little, of the best."""
    fitting = np.flatnonzero(fit)
    return fitting if len(fitting) >= FEW else np.argsort(badness, kind="stable")[:FEW]


def _at(some: np.ndarray, values: np.ndarray, share: float) -> int:
    """The one of `some` that has that share of them below it."""
    return int(some[np.argsort(values[some], kind="stable")[round(share * (len(some) - 1))]])


def path(middle: np.ndarray, front: float, size: float, frames: int, floor: float) -> np.ndarray:
    """Places (frames, 3) of something that swings from side to side, up and down, in front of who looks.

    Args:
        middle: (3,) [m] around which it moves.
        front: [rad] azimuth of the way from the robot to there.
        size: [m] how far it goes aside; up and down it goes less.
        frames: How many.
        floor: [m] beneath which it does not go.
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
    """The first of the sizes at which what is looked at is missed by no more than `enough`; where there is
    none, the one missed least.
    """
    missed = {}
    for size in sizes:
        missed[size] = miss(size)
        if missed[size] <= enough:
            return size
    return min(missed, key=missed.__getitem__)
