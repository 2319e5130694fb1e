"""Idle motion: breathing, sway and small glances. It is an effect on top of the posture (`effects.py`) and a
function of time and seed, so that the same frame always has the same offsets.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np

from ..solvers.kinematics.rotations import Vector
from ..solvers.kinematics.skeleton import Angles, Skeleton

BREATH = 4.0  # [s] period of a calm adult's breathing
INHALE = 0.4  # share of the period for breathing in, which is faster than breathing out
SWAY = (
    2.9,
    5.3,
    9.1,
)  # [s] periods of a standing body's slow sway, without a common multiple, so that no repetition is visible
GLANCE = 1.7  # [s] mean time between glances
JITTER = 0.7  # width of the random shift of a glance's start, as a share of GLANCE
DART = 0.15  # [s] duration of a glance's motion, that of a head's quick look
# share of the reach per radian: if no joint lifts the end by more, breathing is reduced, down to none in an
# upright chain
LIFTS = 0.1
ROOTED = 0.3  # amplitude of the sway at the end, relative to the root's, since bodies sway from the feet


@dataclass(frozen=True)
class Life:
    """Idle motion.

    Attributes:
        breathing, sway, glances: Amplitude [rad] of the joint that moves most.
        seed: Seed of the pseudo-random motion.
    """

    breathing: float = 0.0
    sway: float = 0.0
    glances: float = 0.0
    seed: int = 0

    def offsets(self, skeleton: Skeleton, posture: Angles, up: Vector, seconds: float) -> Angles:
        """Joint offsets (n,) [rad] of the idle motion, 0 for prismatic joints; arguments as for
        `PostureEffect.offsets`.
        """
        added = np.zeros(len(skeleton))
        if self.breathing:
            added += self.breathing * _breath(self.seed, seconds) * _lift(skeleton, posture, up)
        if self.sway:
            swings = np.array([_swing(self.seed, k, seconds) for k in range(len(skeleton))])
            added += self.sway * _fall(len(skeleton)) * swings
        if self.glances:
            for k in _last(skeleton):
                added[k] += self.glances * _glance(self.seed, k, seconds)
        lower, upper = np.minimum(skeleton.lower, posture), np.maximum(skeleton.upper, posture)
        offsets = np.minimum(np.maximum(posture + added, lower), upper) - posture
        return np.where(skeleton.tree.slides, 0.0, offsets)


def _breath(seed: int, seconds: float) -> float:
    """Breathing at a time [s]: -1 exhaled, 1 inhaled."""
    phase = (seconds / BREATH + _random(seed, "breath", 0)[0]) % 1.0
    share = phase / INHALE if phase < INHALE else 1.0 - (phase - INHALE) / (1.0 - INHALE)
    return -math.cos(math.pi * share)


def _lift(skeleton: Skeleton, posture: Angles, up: Vector) -> Angles:
    """(n,) share by which each joint lifts the end, relative to the joint that lifts it most."""
    tree = skeleton.tree
    rise: Angles = tree.velocity(tree.forward(posture), 0) @ up
    largest = max(
        float(np.abs(rise).max()), LIFTS * skeleton.reach, 1e-9
    )  # never 0, since no joint lifts a chain without length
    return rise / largest


@lru_cache
def _fall(count: int) -> Angles:
    """Amplitude (n,) of each joint's sway, relative to the root's. The array is cached and must not be
    changed.
    """
    return np.linspace(1.0, ROOTED, count)


def _swing(seed: int, joint: int, seconds: float) -> float:
    """Slow noise for the sway of a joint, -1 to 1."""
    phases = _random(seed, "sway", joint)
    return sum(
        math.sin(math.tau * (seconds / period + phase)) for period, phase in zip(SWAY, phases, strict=True)
    ) / len(SWAY)


def _last(skeleton: Skeleton) -> Sequence[int]:
    """Indices of the joints that glance: the last third, at least two."""
    count = max(2, len(skeleton) // 3)
    return skeleton.path()[-count:]


def _glance(seed: int, joint: int, seconds: float) -> float:
    """Glances of a joint, -1 to 1: quick moves with pauses; every second one returns to the posture."""
    number = math.floor(seconds / GLANCE) + 1
    while _begins(seed, number) > seconds:
        number -= 1
    before, target = (
        _random(seed, f"glance {joint}", k)[0] * 2.0 - 1.0 if k % 2 else 0.0 for k in (number - 1, number)
    )
    share = min(1.0, (seconds - _begins(seed, number)) / DART)
    return before + (target - before) * share**3 * (10.0 - 15.0 * share + 6.0 * share * share)


def _begins(seed: int, number: int) -> float:
    """Start time of a glance [s]."""
    return GLANCE * (number + JITTER * (_random(seed, "when", number)[0] - 0.5))


@lru_cache(maxsize=4096)
def _random(seed: int, what: str, number: int) -> tuple[float, float, float]:
    """Three pseudo-random numbers from 0 to 1 for a seed, a purpose and a number."""
    source = Random(f"{seed} {what} {number}")
    return source.random(), source.random(), source.random()
