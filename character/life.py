"""Life on top of a posture: breathing, sway and small glances. A function of time and seed alone. Knows no Blender.

It is added to the posture before the warp, so the body breathes and the aim stays exact. The same frame always has the same life, in
whatever order frames are shown.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np

from ..solvers.rotations import Vector
from ..solvers.skeleton import Angles, Skeleton

BREATH = 4.0  # [s] a calm adult's
INHALE = 0.4  # of a breath: breathing in is quicker than out
SWAY = (2.9, 5.3, 9.1)  # [s] periods that meet never: a standing body's slow swing, without a beat that one sees
GLANCE = 1.7  # [s] between glances, in the mean
JITTER = 0.7  # of that time: how early or late a glance may be
DART = 0.15  # [s] that a glance takes: the head's share of a quick look
LIFTS = 0.1  # of the reach: joints that all lift the end by less a radian breathe less, down to none in a chain that stands straight
ROOTED = 0.3  # of the sway at the root that is left at the end: bodies swing from the feet


@dataclass(frozen=True)
class Life:
    """How much of everything.

    Attributes:
        breathing, sway, glances: [rad] by which the joints that do most of it move at most, either way.
        seed: Another one is another life.
    """

    breathing: float = 0.0
    sway: float = 0.0
    glances: float = 0.0
    seed: int = 0


def offsets(life: Life, skeleton: Skeleton, posture: Angles, up: Vector, seconds: float) -> Angles:
    """What life adds to a posture (n,) [rad]; slides keep still, and no joint leaves its limits by it.

    Args:
        life: How much.
        skeleton: The chain.
        posture: (n,) [rad, slides m].
        up: The world's up in the base frame, unit.
        seconds: [s] Scene time.
    """
    turns = np.array([joint.kind == "revolute" for joint in skeleton.joints])
    added = np.zeros(len(skeleton))
    if life.breathing:
        added += life.breathing * _breath(life.seed, seconds) * _lift(skeleton, posture, up)
    if life.sway:
        fall = np.linspace(1.0, ROOTED, len(skeleton))
        added += life.sway * fall * np.array([_swing(life.seed, k, seconds) for k in range(len(skeleton))])
    if life.glances:
        for k in _last(skeleton):
            added[k] += life.glances * _glance(life.seed, k, seconds)
    lower, upper = np.minimum(skeleton.lower, posture), np.maximum(skeleton.upper, posture)
    return np.where(turns, np.clip(posture + added, lower, upper) - posture, 0.0)


def _breath(seed: int, seconds: float) -> float:
    """-1 breathed out, 1 breathed in."""
    phase = (seconds / BREATH + _random(seed, "breath", 0)[0]) % 1.0
    share = phase / INHALE if phase < INHALE else 1.0 - (phase - INHALE) / (1.0 - INHALE)
    return -math.cos(math.pi * share)


def _lift(skeleton: Skeleton, posture: Angles, up: Vector) -> Angles:
    """How much each joint lifts the end, of the one that does most."""
    _, linear = skeleton.jacobian(posture.tolist())
    rise: Angles = np.array(up) @ linear
    largest = max(float(np.abs(rise).max()), LIFTS * skeleton.reach, 1e-9)  # a chain without length lifts nothing
    return rise / largest


def _swing(seed: int, joint: int, seconds: float) -> float:
    """Slow noise of a joint, -1 to 1."""
    phases = _random(seed, "sway", joint)
    return sum(math.sin(math.tau * (seconds / period + phase)) for period, phase in zip(SWAY, phases, strict=True)) / len(SWAY)


def _last(skeleton: Skeleton) -> Sequence[int]:
    """The joints that glance: the last third, two at least."""
    count = max(2, len(skeleton) // 3)
    return skeleton.path()[-count:]


def _glance(seed: int, joint: int, seconds: float) -> float:
    """A joint's glances, -1 to 1: it darts from one to the next, and every other one is back to the posture."""
    number = math.floor(seconds / GLANCE) + 1
    while _begins(seed, number) > seconds:
        number -= 1
    before, now = (_random(seed, f"glance {joint}", k)[0] * 2.0 - 1.0 if k % 2 else 0.0 for k in (number - 1, number))
    share = min(1.0, (seconds - _begins(seed, number)) / DART)
    return before + (now - before) * share**3 * (10.0 - 15.0 * share + 6.0 * share * share)


def _begins(seed: int, number: int) -> float:
    """When a glance begins [s]."""
    return GLANCE * (number + JITTER * (_random(seed, "when", number)[0] - 0.5))


@lru_cache(maxsize=4096)
def _random(seed: int, what: str, number: int) -> tuple[float, float, float]:
    """Three numbers from 0 to 1, always the same ones."""
    source = Random(f"{seed} {what} {number}")
    return source.random(), source.random(), source.random()
