"""Gradual change of the posture that a chain keeps, when another stored posture replaces it. Pure functions.

With a motion filter the whole posture moves within the joints' limits (`in_transition`), since the filter
follows it. Without a filter only the difference of the two stored postures fades (`in_change`), so that keyed
motion has no lag.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from ...motion import Kinematic, Transition, together
from ...solvers.crossing import minimum_jerk
from ...solvers.goals import GazeGoal
from ...solvers.kinematics.skeleton import Angles, Skeleton
from .inputs import KeptPosture


class PostureChange(NamedTuple):
    """Gradual change to another stored posture, of a chain without a motion filter.

    Attributes:
        kept: The new posture.
        offset: (n,) [rad; prismatic joints m] from the new posture to the previous one.
        seconds: Duration [s] of the change.
        left: Remaining time [s] of the change; 0 when it has ended.
    """

    kept: KeptPosture | None
    offset: Angles | None = None
    seconds: float = 0.0
    left: float = 0.0


class LastTick(Protocol):
    """Fields of the chain's state that a change of posture uses; see `tick.ChainState`."""

    @property
    def goal(self) -> GazeGoal: ...

    @property
    def requested(self) -> Angles: ...

    @property
    def posture(self) -> tuple[Kinematic, ...]: ...

    @property
    def change(self) -> PostureChange | None: ...


def in_change(
    transitions: Sequence[Transition],
    goal: GazeGoal,
    state: LastTick | None,
    dt: float,
    kept: KeptPosture | None,
) -> tuple[GazeGoal, PostureChange]:
    """The goal with a posture between the last stored posture and the current one, and the state of the
    change.

    Only the difference of the two postures fades, so that keyed motion under them has no lag.
    """
    before = state.change if state is not None else None
    if state is None or before is None or len(state.goal.posture) != len(goal.posture):
        return goal, PostureChange(kept)
    change = (
        before._replace(left=max(before.left - dt, 0.0))
        if before.kept == kept
        else _begun(transitions, goal, state.goal, before, kept)
    )
    if change.offset is None or change.left == 0.0:
        return goal, PostureChange(kept)
    posture = goal.posture + minimum_jerk(change.left / change.seconds) * change.offset
    # returning the last tick's object tells the solver that the goal has not changed
    if (
        state.goal.ends == goal.ends
        and state.goal.keep == goal.keep
        and np.array_equal(state.goal.posture, posture)
    ):
        return state.goal, change
    return replace(goal, posture=posture), change


def _begun(
    transitions: Sequence[Transition],
    goal: GazeGoal,
    last: GazeGoal,
    before: PostureChange,
    kept: KeptPosture | None,
) -> PostureChange:
    """The change to another stored posture, in its first frame; without an offset if a value is not finite.
    `last`: the goal of the previous frame.
    """
    changed = {joint for each in (before.kept, kept) if each is not None for joint in each.joints}
    if before.offset is not None:
        changed.update(np.flatnonzero(before.offset).tolist())
    offset = np.zeros(len(goal.posture))
    for joint in changed:
        offset[joint] = last.posture[joint] - goal.posture[joint]
    if not np.isfinite(offset).all():
        return PostureChange(kept)
    # the joint with the longest path determines the duration, so that all joints arrive together
    changes = zip(transitions, offset.tolist(), goal.posture.tolist(), strict=True)
    seconds = max(
        transition.duration(Kinematic(end + distance), end) for transition, distance, end in changes
    )
    return PostureChange(kept, offset, seconds, seconds)


def in_transition(
    transitions: Sequence[Transition], skeleton: Skeleton, goal: GazeGoal, state: LastTick | None, dt: float
) -> tuple[GazeGoal, tuple[Kinematic, ...]]:
    """The goal with its posture replaced by the current one of the transition to it, and the transition's
    state. The aim is kept during the transition.

    The step of `dt` that ends at this tick leads toward the posture that the last tick requested; a posture
    requested now counts from the next step on.
    """
    if not transitions or len(goal.posture) != len(transitions):
        return goal, ()
    if state is not None and _has_arrived(state, goal):
        return goal, state.posture
    desired = skeleton.clamp(goal.posture)
    if state is None:
        return goal, tuple(joint.rest(angle) for joint, angle in zip(transitions, desired, strict=True))
    last = state.posture or tuple(
        joint.rest(angle)
        for joint, angle in zip(transitions, skeleton.clamp(state.goal.posture), strict=True)
    )
    posture = together(transitions, last, skeleton.clamp(state.requested), dt)
    angles = tuple(joint.position for joint in posture)
    if angles == desired:
        return goal, posture
    # returning the last tick's object tells the solver that the goal has not changed
    if state.goal.aim == goal.aim and angles == tuple(state.goal.posture.tolist()):
        return state.goal, posture
    return replace(goal, posture=np.array(angles)), posture


def _has_arrived(state: LastTick, goal: GazeGoal) -> bool:
    """Whether the transition to the goal's posture has ended: its joints are at rest, and the last tick had
    the same goal posture.
    """
    if not state.posture or any(joint.velocity or joint.acceleration for joint in state.posture):
        return False
    return state.goal.posture is goal.posture or state.goal.angles == goal.angles
