"""Idle motion: breathing, sway and small glances. It is an effect on top of the posture (`effects.py`) and a
function of time and seed, so that the same frame always has the same offsets.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from math import sin, tau
from typing import NamedTuple

import numpy as np

from ..solvers.crossing import minimum_jerk
from ..solvers.kinematics import rotations
from ..solvers.kinematics.rotations import Vector
from ..solvers.kinematics.skeleton import Angles, Skeleton
from .draws import draws

BREATH = 4.0  # [s] period of a calm adult's breathing
INHALE = 0.4  # share of the period for breathing in, which is faster than breathing out
# [s] periods of a standing body's slow sway; their common multiple is hours, so that no repetition is visible
SWAY = (2.9, 5.3, 9.1)
GLANCE = 1.7  # [s] mean time between glances
JITTER = 0.7  # width of the random shift of a glance's start, as a share of GLANCE
DART = 0.15  # [s] duration of a glance's motion: that of a head's quick look
# share of the reach per radian: if no joint lifts the end effector by more than this, breathing is reduced;
# in an upright chain it vanishes
LIFTS = 0.1
POSTURES = 64  # number of chains' postures that are remembered, since they seldom change
# amplitude of the last joint's sway, relative to the first joint's, since bodies sway from the feet
ROOTED = 0.3


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
        angles, count = tuple(posture.tolist()), len(skeleton.joints)
        added = [0.0] * count
        if self.breathing:
            breath = self.breathing * _breath(self.seed, seconds)
            added = [breath * lift for lift in _lifts(skeleton, angles, up)]
        if self.sway:
            a, b, c = SWAY
            a, b, c = seconds / a, seconds / b, seconds / c
            for k, (share, (phase_a, phase_b, phase_c)) in enumerate(_sway(self.seed, count)):
                waves = sin(tau * (a + phase_a)) + sin(tau * (b + phase_b)) + sin(tau * (c + phase_c))
                added[k] += self.sway * share * (waves / len(SWAY))
        if self.glances:
            for k, glance in _glances(self.seed, skeleton, seconds):
                added[k] += self.glances * glance
        # with its offset a joint exceeds its limits no more than it does without; prismatic joints stay
        joints = zip(skeleton.revolute, angles, skeleton.lower, skeleton.upper, added, strict=True)
        return np.array(
            [
                min(max(angle + offset, min(lower, angle)), max(upper, angle)) - angle if is_revolute else 0.0
                for is_revolute, angle, lower, upper, offset in joints
            ]
        )


def _breath(seed: int, seconds: float) -> float:
    """Breathing at a time [s]: -1 breathed out, 1 breathed in."""
    phase = (seconds / BREATH + draws(seed, "breath", 0)[0]) % 1.0
    share = phase / INHALE if phase < INHALE else 1.0 - (phase - INHALE) / (1.0 - INHALE)
    return -math.cos(math.pi * share)


@lru_cache(maxsize=POSTURES)
def _lifts(skeleton: Skeleton, angles: tuple[float, ...], up: Vector) -> list[float]:
    """Upward velocity (n,) of the end effector per unit of each joint's velocity, divided by the largest of
    them in magnitude, or by `LIFTS` of the reach if that is larger.
    """
    pose = skeleton.forward(angles)
    axes, lifts = skeleton.world_axes(pose), [0.0] * len(skeleton)
    for k in skeleton.path():
        velocity = axes[k]
        if skeleton.joints[k].kind == "revolute":
            velocity = rotations.cross(velocity, rotations.subtract(pose.tool_position, pose.positions[k]))
        lifts[k] = rotations.dot(velocity, up)
    largest = max(*map(abs, lifts), LIFTS * skeleton.reach)  # the reach is never 0
    return [lift / largest for lift in lifts]


@lru_cache
def _sway(seed: int, count: int) -> tuple[tuple[float, tuple[float, float, float]], ...]:
    """Sway of each joint (n,): its amplitude relative to the root's, and the phases of its waves."""
    shares = np.linspace(1.0, ROOTED, count).tolist()
    return tuple((share, draws(seed, "sway", k)) for k, share in enumerate(shares))


class Glance(NamedTuple):
    """A glance: its start [s] and, for each joint that glances, the joint's index and its glance (-1 to 1)
    before and after.
    """

    begin: float
    joints: tuple[tuple[int, float, float], ...]


def _glances(seed: int, skeleton: Skeleton, seconds: float) -> list[tuple[int, float]]:
    """Glances of joints at a time [s]: the joints' indices, and -1 to 1. They are quick moves with pauses;
    every second one returns to the posture.
    """
    number = math.floor(seconds / GLANCE) + 1
    while (glance := _glance(seed, skeleton, number)).begin > seconds:
        number -= 1
    share = min(1.0, (seconds - glance.begin) / DART)
    completed = minimum_jerk(share)
    return [(k, before + (target - before) * completed) for k, before, target in glance.joints]


@lru_cache
def _glance(seed: int, skeleton: Skeleton, number: int) -> Glance:
    """A glance of a third of the chain's number of joints, at least two, counted back from the end effector;
    `number`: the number of glances before it.
    """
    joints = skeleton.path()[-max(2, len(skeleton) // 3) :]
    begin = GLANCE * (number + JITTER * (draws(seed, "when", number)[0] - 0.5))
    return Glance(begin, tuple((k, _aim(seed, k, number - 1), _aim(seed, k, number)) for k in joints))


def _aim(seed: int, joint: int, number: int) -> float:
    """Glance of a joint, given by its index, after a number of glances: -1 to 1; 0 if the number is even."""
    return draws(seed, f"glance {joint}", number)[0] * 2.0 - 1.0 if number % 2 else 0.0
