"""Idle motion: breathing, sway and small glances. It is an effect on top of the posture (`effects.py`) and a
function of time and seed, so that the same frame always has the same offsets.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..solvers.kinematics import rotations
from ..solvers.kinematics.rotations import Vector
from ..solvers.kinematics.skeleton import Angles, Joint, Skeleton
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
        angles, added = posture.tolist(), [0.0] * len(skeleton)
        if self.breathing:
            breath = self.breathing * _breath(self.seed, seconds)
            added = [breath * lift for lift in _lifts(skeleton, angles, up)]
        if self.sway:
            for k, share in enumerate(_shares_of_sway(len(skeleton))):
                added[k] += self.sway * share * _swing(self.seed, k, seconds)
        if self.glances:
            for k in _glancing_joints(skeleton):
                added[k] += self.glances * _glance(self.seed, k, seconds)
        joints = zip(skeleton.joints, angles, added, strict=True)
        return np.array([_within_limits(joint, angle, offset) for joint, angle, offset in joints])


def _within_limits(joint: Joint, angle: float, offset: float) -> float:
    """An offset [rad] of a joint at an angle, with which it exceeds its limits no more than it does without;
    0 for a prismatic joint.
    """
    if joint.kind == "prismatic":
        return 0.0
    return min(max(angle + offset, min(joint.lower, angle)), max(joint.upper, angle)) - angle


def _breath(seed: int, seconds: float) -> float:
    """Breathing at a time [s]: -1 breathed out, 1 breathed in."""
    phase = (seconds / BREATH + draws(seed, "breath", 0)[0]) % 1.0
    share = phase / INHALE if phase < INHALE else 1.0 - (phase - INHALE) / (1.0 - INHALE)
    return -math.cos(math.pi * share)


def _lifts(skeleton: Skeleton, angles: Sequence[float], up: Vector) -> list[float]:
    """Upward velocity (n,) of the end effector per unit of each joint's velocity, relative to the largest of
    them, but at least to `LIFTS` of the reach.
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
def _shares_of_sway(count: int) -> tuple[float, ...]:
    """Amplitude (n,) of the sway of each joint, relative to the root's."""
    return tuple(np.linspace(1.0, ROOTED, count).tolist())


def _swing(seed: int, joint: int, seconds: float) -> float:
    """Slow noise for the sway of a joint, given by its index, at a time [s]: -1 to 1."""
    (a, b, c), (phase_a, phase_b, phase_c) = SWAY, draws(seed, "sway", joint)
    waves = (
        math.sin(math.tau * (seconds / a + phase_a))
        + math.sin(math.tau * (seconds / b + phase_b))
        + math.sin(math.tau * (seconds / c + phase_c))
    )
    return waves / len(SWAY)


def _glancing_joints(skeleton: Skeleton) -> Sequence[int]:
    """Indices of the joints that glance: a third of the chain's number of joints, at least two, counted back
    from the end effector.
    """
    count = max(2, len(skeleton) // 3)
    return skeleton.path()[-count:]


def _glance(seed: int, joint: int, seconds: float) -> float:
    """Glances of a joint at a time [s], -1 to 1: quick moves with pauses; every second one returns to the
    posture. `joint`: the joint's index.
    """
    number = math.floor(seconds / GLANCE) + 1
    while _begins(seed, number) > seconds:
        number -= 1
    before, target = (
        draws(seed, f"glance {joint}", k)[0] * 2.0 - 1.0 if k % 2 else 0.0 for k in (number - 1, number)
    )
    share = min(1.0, (seconds - _begins(seed, number)) / DART)
    return before + (target - before) * share**3 * (10.0 - 15.0 * share + 6.0 * share * share)


def _begins(seed: int, number: int) -> float:
    """Start time [s] of a glance, given the number of glances before it."""
    return GLANCE * (number + JITTER * (draws(seed, "when", number)[0] - 0.5))
