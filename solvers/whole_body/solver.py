"""A body that follows targets step by step: one linearisation, one bounded least squares and one integration a step. Knows no Blender.

Source: Rapetti, Tirupachuri, Darvish, Latella & Pucci 2020, "Model-Based Real-Time Motion Tracking using Dynamical Inverse Kinematics on
SO(3)"; what differs is told in `law`, `limits` and docs/whole_body.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from . import box
from .body import BASE, Body, Frames
from .law import Law
from .limits import Limits
from .normal import Normal
from .so3 import Array, exp, orthonormal
from .targets import Target, TargetError, Values, check

ROTATION_SIZE = 3.0  # the sum of a rotation's squared entries
NO_ROTATION = 0.03  # what differs from it by more is none: a sensor's zeros, a scaled matrix, NaN


@dataclass(frozen=True)
class Options:
    """How a body follows."""

    law: Law = field(default_factory=Law)
    limits: Limits = field(default_factory=Limits)
    damping: float = 1e-2  # [of a unit weight's square root] of moves: 1e-3 shakes where three hinges lock, .1 lags by half a degree
    damping_by_error: float = 0.1  # further damping, in proportion to the errors' root mean square


@dataclass(frozen=True)
class State:
    """Where a body is and how it moves: a value, to be kept and gone back to."""

    joints: Array  # (n,) [rad or m]
    base_rotation: Array  # (3, 3)
    base_position: Array  # (3,) [m]
    velocity: Array  # (6 + n,) [m/s, rad/s] of the base, linear then angular, and the joints [rad/s or m/s], in the step before
    frames: Frames = field(repr=False, compare=False)
    sides: box.Sides = field(repr=False, compare=False)  # bounds that held the step before


@dataclass(frozen=True)
class Solution:
    """What a step came to."""

    joints: Array  # (n,) [rad or m], within limits
    base_rotation: Array  # (3, 3)
    base_position: Array  # (3,) [m]
    velocity: Array  # (6 + n,) as in `State`
    lost: tuple[str, ...]  # links with a target without values, free for this step
    bounded: Array  # (n,) bool: joints that a limit held back
    rounds: int  # linear solves


class WholeBody:
    """Follows targets with a body."""

    def __init__(self, body: Body, targets: Sequence[Target], options: Options | None = None) -> None:
        """
        Raises:
            SkeletonError: a target is on a link that the body does not have.
            TargetError: two targets of a kind are on one link.
        """
        self.body, self.targets, self.options = body, tuple(targets), options or Options()
        self.turning = tuple(target for target in targets if target.kind == "orientation")
        self.placed = tuple(target for target in targets if target.kind == "position")
        for group in (self.turning, self.placed):
            names = [target.link for target in group]
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise TargetError(f"link '{twice[0]}' has two {group[0].kind} targets: give it one")
        self._turning = body.rows([target.link for target in self.turning])
        self._placed = body.rows([target.link for target in self.placed])
        self._normal = Normal(body, self._turning, self._placed)
        self._weights = tuple(np.array([target.weight for target in group]) for group in (self.turning, self.placed))
        default = self.options.law.gain
        self._gains = tuple(
            np.array([default if target.gain is None else target.gain for target in group], float) for group in (self.turning, self.placed)
        )

    def start(self, joints: Array | None = None, base_rotation: Array | None = None, base_position: Array | None = None) -> State:
        """A state at rest.

        Args:
            joints: (n,) [rad or m]; None: zero. Moved to the nearest within limits.
            base_rotation: (3, 3); None: none.
            base_position: (3,) [m]; None: the origin.
        """
        body = self.body
        angles = np.clip(np.zeros(len(body)) if joints is None else np.asarray(joints, float), body.lower, body.upper)
        turn = np.eye(3) if base_rotation is None else np.array(base_rotation, float)
        place = np.zeros(3) if base_position is None else np.array(base_position, float)
        frames = body.forward(turn, angles)
        return State(angles, turn, place, np.zeros(body.unknowns), frames, np.zeros(body.unknowns, np.int8))

    def step(self, values: Values, state: State, dt: float) -> tuple[Solution, State]:
        """One step of `dt` [s] toward a frame's values.

        Raises:
            TargetError: the values do not suit the targets, or no time passes.
        """
        check(values, self.turning, self.placed)
        if not 0.0 < dt < np.inf:
            raise TargetError(f"a step takes time above zero, got {dt} s")
        body, options = self.body, self.options
        turns = body.placed(state.frames, self._turning)[:, :3, :3]
        places = body.placed(state.frames, self._placed)[:, :3, 3]
        turn_errors, turn_weights, lost_turns = self._turns(values, turns, dt)
        errors, weights, lost_places = self._moves(values, places + state.base_position, dt)
        matrix, vector = self._normal.equations(state.frames, turn_weights, turn_errors, places, weights, errors)
        damping = options.damping**2
        if options.damping_by_error:
            damping += options.damping_by_error**2 * (float((turn_errors**2).sum()) + float((errors**2).sum())) / max(len(self.targets), 1)
        matrix.flat[:: body.unknowns + 1] += damping

        down, up = options.limits.box(state.joints, state.velocity[BASE:], body.lower, body.upper, dt)
        free = np.full(BASE, np.inf if body.floating else 0.0)
        answer = box.solve(matrix, vector, np.concatenate([-free, down]), np.concatenate([free, up]), state.sides)
        after = self._integrated(state, answer.x, dt, answer.sides)
        lost = lost_turns + lost_places
        solution = Solution(
            after.joints, after.base_rotation, after.base_position, after.velocity, lost, answer.sides[BASE:] != 0, answer.rounds
        )
        return solution, after

    def _turns(self, values: Values, now: Array, dt: float) -> tuple[Array, Array, tuple[str, ...]]:
        """Wanted turns (k, 3) [rad], their weights (k,), and links without a target for now."""
        target, weights, law = values.rotation, self._weights[0], self.options.law
        found = np.abs((target * target).sum((1, 2)) - ROTATION_SIZE) < NO_ROTATION
        lost: tuple[str, ...] = ()
        if not found.all():
            lost = tuple(wish.link for wish, is_found in zip(self.turning, found, strict=True) if not is_found)
            target = np.where(found[:, None, None], target, now)
            weights = np.where(found, weights, 0.0)
        share = law.share(self._gains[0], dt)
        return law.turns(now, target, known(values.angular_velocity, found), share, dt), weights, lost

    def _moves(self, values: Values, now: Array, dt: float) -> tuple[Array, Array, tuple[str, ...]]:
        """The same of position targets [m]."""
        target, weights, law = values.position, self._weights[1], self.options.law
        found = np.isfinite(target).all(1)
        lost: tuple[str, ...] = ()
        if not found.all():
            lost = tuple(wish.link for wish, is_found in zip(self.placed, found, strict=True) if not is_found)
            target = np.where(found[:, None], target, now)
            weights = np.where(found, weights, 0.0)
        share = law.share(self._gains[1], dt)
        return law.moves(now, target, known(values.linear_velocity, found), share, dt), weights, lost

    def _integrated(self, state: State, moved: Array, dt: float, sides: box.Sides) -> State:
        """The state after a step of moves (6 + n,)."""
        body = self.body
        joints = np.minimum(np.maximum(state.joints + moved[BASE:], body.lower), body.upper)
        turn = orthonormal(exp(moved[3:BASE]) @ state.base_rotation)
        place = state.base_position + moved[:3]
        velocity = moved / dt
        velocity[BASE:] = (joints - state.joints) / dt
        return State(joints, turn, place, velocity, body.forward(turn, joints), sides)


def known(velocity: Array | None, found: Array) -> Array | None:
    """Velocities of targets, none where they or their targets are not known."""
    if velocity is None:
        return None
    sound = found & np.isfinite(velocity).all(1)
    return velocity if sound.all() else np.where(sound[:, None], velocity, 0.0)
