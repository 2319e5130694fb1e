"""Leaps of a body's targets: a cut in a clip, or a glitch of a tracker. Pure functions.

Steps follow targets from the previous frame by a linear model, which is inaccurate for motion beyond
`LONGEST_STEP`. If targets leap farther, steps can lead joints to limits that no further step leaves. So the
next frame without a leap searches for a new start that meets the targets better, and then the joints cross
over to it within their limits. The search is not made in the frame of the leap: a glitch is over one frame
later, and targets that leap in every frame cost no solves. The search takes up to a fifth of a second, so it
is made at most once a second.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...solvers.kinematics.se3 import Array
from ...solvers.kinematics.tree import BASE, Indices
from ...solvers.least_squares.bounded_step import LONGEST_STEP
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.full_solve import converged, squared_error
from ...solvers.whole_body.law import stoppable
from ...solvers.whole_body.solver import CORRECTED_ERROR, WholeBody
from ...solvers.whole_body.state import KinematicState, at_rest, since
from ...solvers.whole_body.targets import Values, has_rotation

# [s] motion time between two searches for a better start: targets that leap all the time, such as a bad
# tracker's, must not stop playback
PAUSE = 1.0
WORLD = np.eye(3)[None]


class Leap(NamedTuple):
    """State after the last leap of the targets: whether a search is due, and the goal of a crossing."""

    is_open: bool = False  # whether the search for a better start has not finished yet
    pause: float = 0.0  # [s] time until the next search
    goal: Array | None = None  # (n,) [rad or m] values to which joints move from a worse start

    def after(self, leaps: bool, dt: float, search: Callable[[], Array | None]) -> "Leap":
        """State after a frame of `dt` [s]. `leaps`: whether targets leap in this frame; `search` returns
        joint values (n,) [rad or m] of a better start, or None.
        """
        pause, is_open = max(0.0, self.pause - dt), self.is_open or leaps
        if leaps or not is_open or pause > 0.0:
            return Leap(is_open, pause, self.goal)
        return Leap(pause=PAUSE, goal=search())


NO_LEAP = Leap()


def nearest_above(body: Body, links: Indices) -> Indices:
    """For each of the links (k,), the index in `links` of the nearest link that carries it; the base's own
    index for the base, -1 for a link that no other carries.
    """
    moved = body.moved_by[body.carriers[links], BASE:]
    counts = moved.sum(1)
    carries = ~(moved[None] & ~moved[:, None]).any(2) & (counts[None] < counts[:, None])
    nearest: Indices = np.where(carries.any(1), np.argmax(np.where(carries, counts, -1), 1), -1)
    return np.where(counts > 0, nearest, np.arange(len(links)))


def have_leapt(before: Array, after: Array, above: Indices, steps: int) -> bool:
    """Whether targets have rotated relative to each other farther than `steps` steps can reach, or have
    returned after they were lost.

    Args:
        before: Rotations (k, 3, 3) of the targets in the frame before; NaN, or no rotation, if lost.
        after: Rotations (k, 3, 3) now.
        above: Index (k,) of the target relative to which each one is compared; -1 for the world.
        steps: Number of steps between the two.
    """
    lost = ~has_rotation(after)
    first, last = (
        np.concatenate([rotations, WORLD])[above].swapaxes(1, 2) @ rotations for rotations in (before, after)
    )
    cosines = 0.5 * (np.einsum("kij,kij->k", first, last) - 1.0)
    are_followed = (
        (cosines >= np.cos(min(steps * LONGEST_STEP, np.pi))) | lost | np.append(lost, False)[above]
    )
    return not are_followed.all()


def better_start(
    solver: WholeBody, values: Values, state: KinematicState, restart: Callable[[], KinematicState]
) -> Array | None:
    """Joint values (n,) [rad or m] of the start that `restart` finds. None if the solver's steps from `state`
    end with no joint at a limit, or with an error below `CORRECTED_ERROR`, or if the error at the start is
    not smaller than theirs by more than `CORRECTED_ERROR`.
    """
    body, nearest = solver.body, converged(solver, values, state)
    is_held = ((nearest.joints == body.lower) | (nearest.joints == body.upper)) & (body.lower < body.upper)
    error = np.sqrt(squared_error(solver, values, nearest))
    if not is_held.any() or error < CORRECTED_ERROR:
        return None
    other = restart()
    return other.joints if np.sqrt(squared_error(solver, values, other)) < error - CORRECTED_ERROR else None


def crossed(
    solver: WholeBody, state: KinematicState, goal: Array, base: tuple[Array, Array], dt: float, steps: int
) -> KinematicState:
    """The state after `steps` steps, `dt` [s] in total, in which joints move to a goal (n,) [rad or m] within
    their limits, on a base with given rotation (3, 3) and position (3,) [m].
    """
    options, body, step = solver.options, solver.body, dt / steps
    joints = WholeBody(body, (), replace(options, posture_gain=np.inf))
    for _ in range(steps):
        move = goal - state.joints
        share = options.law.share(np.full(len(body), options.law.gain), step)
        if solver.acceleration is not None:
            share = np.minimum(share, stoppable(np.abs(move), solver.acceleration, step))
        _, after = joints.step(Values(posture=state.joints + share * move), state, step)
        after = at_rest(body, after.joints, *base)
        state = replace(after, velocity=since(after, state, step))
    return state


def has_arrived(state: KinematicState, goal: Array) -> bool:
    """Whether a goal (n,) [rad or m] is so near to a state that steps, by the linear model, lead to it."""
    return bool(np.abs(state.joints - goal).max(initial=0.0) < LONGEST_STEP)
