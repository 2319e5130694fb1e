"""One frame of a chain: goal and state in; filtered joint values and the next state out. Pure functions.

Live motion, baking and streaming all call it, so their results are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ...motion import (
    NO_FILTER,
    Filter,
    Kinematic,
    Limits,
    MotionStyle,
    Transition,
    make_filter,
    used_limits,
)
from ...solvers.aims.blocks import EndError
from ...solvers.gaze import FRAME, GazeSolution, GazeSolver, end_errors
from ...solvers.goals import GazeError, GazeGoal
from ...solvers.kinematics.skeleton import Angles, Skeleton
from ...solvers.table import SOLVERS, make_solver
from ..eyes import lid
from ..joint_filters import JointFilters
from .inputs import ChainInputs, ChainTask, KeptPosture, task
from .posture_change import PostureChange, in_change, in_transition

# share of the joints' velocity, acceleration and jerk limits that a transition between stored postures uses;
# the rest is left for keeping the aim meanwhile
TRANSITION = 0.5
# [rad or m] motion in a tick up to which all joints count as still; an unchanged goal is then not solved
# again if it is met, or if the solver does not plan
STILL = 1e-5
# decrease of the sum of the end effectors' errors that counts as progress: the larger of an absolute one
# [rad, m] and, for goals far out of reach, a relative one
NEARER, SHARE = 1e-6, 1e-3
BETTER = 1e-4  # [rad] decrease of the shape deviation that counts as progress at equal errors
# number of ticks without progress after which an unchanged goal is not solved again; enough for a branch
# transition
NO_MORE = 60
Progress = tuple[tuple[float, float], int]  # `best` and `stalled`, as in `ChainState`


@dataclass(frozen=True)
class ChainModel:
    """The mover of a chain: its skeleton, solver, motion filters and transitions between postures."""

    skeleton: Skeleton
    solver: GazeSolver
    filters: tuple[Filter, ...]  # motion filters of the joints; empty: no joint is filtered
    # transitions of a posture that can change abruptly; empty for an animated posture with a motion filter
    transitions: tuple[Transition, ...] = ()
    looks_ahead: bool = False  # whether the solver uses goals of future frames

    @cached_property
    def joint_filters(self) -> JointFilters:
        """The motion filters, which step together."""
        return JointFilters(self.filters)

    def tick(
        self, inputs: ChainInputs | None, state: "ChainState | None", dt: float
    ) -> tuple["ChainOutputs", "ChainState"]:
        """The chain's next frame; see `MoverModel.tick`.

        Raises:
            InputsError, GazeError: the inputs cannot be used.
        """
        if inputs is None and state is not None:
            last = state.task
            held_state = state._replace(change=state.change and PostureChange(state.change.kept))
            influence, kept = last.influence if last else 1.0, held_state.change and held_state.change.kept
            outputs, new = tick(
                self, state.goal, held_state, dt, influence=influence, offsets=state.offsets, kept=kept
            )
            return _with_eyes(outputs, last), new._replace(task=last)
        if inputs is None:
            raise ValueError("a chain that has not moved yet needs inputs")
        frame_task = task(inputs, self.skeleton, state.task if state is not None else None, dt)
        outputs, new = tick(
            self,
            frame_task.goal,
            state,
            dt,
            ahead=inputs.ahead,
            influence=frame_task.influence,
            offsets=frame_task.offsets,
            mutual=inputs.is_mutual,
            kept=inputs.kept,
        )
        return _with_eyes(outputs, frame_task), new._replace(task=frame_task)


class ChainState(NamedTuple):
    """State of a chain's mover, passed on to the next tick."""

    solution: GazeSolution
    motion: Sequence[Kinematic]  # motion of the joints after the filter
    # state of the transition to the goal's posture, joint by joint; empty without transitions
    posture: tuple[Kinematic, ...]
    model: ChainModel
    goal: GazeGoal
    requested: Angles  # (n,) [rad; prismatic joints m] posture of the goal as requested
    # smallest errors of solutions for this goal: (of the ends [rad, m], shape deviation [rad])
    best: tuple[float, float]
    stalled: int  # number of ticks without progress; from NO_MORE on the goal is not solved again
    problem: str  # value of `ChainOutputs.problem`
    offsets: Angles | None = None  # (n,) [rad; prismatic joints m] added to the goal's posture
    task: ChainTask | None = None  # the task from which the goal was made
    change: PostureChange | None = None  # change of the goal's posture; None with a motion filter


@dataclass
class ChainOutputs:
    """Result of a tick: filtered joint values to show and to send, the solution, and its errors."""

    angles: Angles  # (n,) [rad; prismatic joints m] joint values after the filter
    desired: Angles  # (n,) [rad; prismatic joints m] joint values before the filter
    solution: GazeSolution
    lag: float  # [rad] largest difference between filtered and solved value of a revolute joint
    slide_lag: float  # [m] largest difference between filtered and solved value of a prismatic joint
    at_rest: bool  # whether filter and solver have both converged
    problem: str  # why the goal could not be used; "" if it was used
    goal: GazeGoal
    skeleton: Skeleton
    # how far the lids are closed: 0 open, 1 closed; below 0 they are open beyond their rest pose
    lid: float = 0.0

    @cached_property
    def filtered_errors(self) -> tuple[EndError, ...]:
        """Errors of the goal's ends after the filter, computed on first access."""
        return (
            self.solution.measured.errors
            if self.problem
            else end_errors(self.skeleton, self.goal, self.skeleton.forward(self.angles.tolist()))
        )

    @property
    def filtered_aim_error(self) -> float:
        """Aim error [rad] of the chain's own end after the filter."""
        return self.solution.aim_error if self.problem else self.filtered_errors[0].angle


def _with_eyes(outputs: ChainOutputs, last: ChainTask | None) -> ChainOutputs:
    """The outputs with the lids' closure added; `last`: the last frame's task, if there was one."""
    if last is None or last.eyes is None:
        return outputs
    return replace(outputs, lid=lid(last.eyes, outputs.skeleton, outputs.angles))


def make_model(
    skeleton: Skeleton,
    solver: str,
    filter_name: str,
    style: MotionStyle | Sequence[MotionStyle],
    posture_jumps: bool,
    options: object = None,
    transition: float = 0.0,
) -> ChainModel:
    """Makes the mover of a chain.

    Args:
        skeleton: The chain.
        solver, filter_name: Names of the solver and of the motion filter; `NO_FILTER` for none.
        style: Style of the motion filter, for all joints or one for each.
        posture_jumps: Whether the posture can change abruptly, as between stored postures; the mover then
            makes a gradual transition, as always without a motion filter.
        options: The solver's options object.
        transition: Duration [s] of that transition; 0: as fast as possible with half of the joints' velocity,
            acceleration and jerk limits.

    Raises:
        SkeletonError, GazeError, LimitsError: a joint or a name cannot be used; the message names it and the
            remedy.
    """

    def limits(share: float) -> tuple[Limits, ...]:
        return tuple(
            Limits(j.lower, j.upper, share * j.velocity, share * j.acceleration, share * j.jerk)
            for j in skeleton.joints
        )

    styles = [style] * len(skeleton) if isinstance(style, MotionStyle) else style
    filters = (
        () if filter_name == NO_FILTER else tuple(map(partial(make_filter, filter_name), limits(1.0), styles))
    )
    return ChainModel(
        skeleton,
        make_solver(solver, skeleton, options),
        filters,
        (
            tuple(
                Transition(used_limits(style_of_joint.within(joint), style_of_joint), transition)
                for joint, style_of_joint in zip(limits(TRANSITION), styles, strict=True)
            )
            if posture_jumps or not filters
            else ()
        ),
        looks_ahead=SOLVERS[solver].looks_ahead > 0,
    )


def tick(
    model: ChainModel,
    goal: GazeGoal,
    state: ChainState | None,
    dt: float,
    ahead: Sequence[GazeGoal] = (),
    influence: float = 1.0,
    offsets: Angles | None = None,
    mutual: bool = False,
    kept: KeptPosture | None = None,
) -> tuple[ChainOutputs, ChainState]:
    """The chain's next frame.

    A goal that is the same object as in the last tick is not solved again when its solution cannot improve,
    so that for a target at rest the pose is at rest, and the same frame gives the same pose. A solver that
    looks ahead can begin to move before its target does.

    Args:
        model: The mover.
        goal: Goals of the ends, and the posture to keep.
        state: State returned by the last tick; None at a new start, where the filter begins at rest at the
            solution.
        dt: Time step [s]; 0 solves without moving the filter.
        ahead: Goals of the next frames, if known, for solvers that look ahead.
        influence: Blend from the posture (0) to the solution (1), for each joint.
        offsets: (n,) [rad; prismatic joints m] added to the posture, also during a transition.
        mutual: Whether the target's motion depends on this chain's motion, as when two chains look at each
            other.
        kept: The stored posture that the goal keeps.

    Raises:
        GazeError: the goal cannot be used, and there is no state to hold.
    """
    requested = goal.posture
    posture: tuple[Kinematic, ...] = ()
    change = None
    if model.filters:
        goal, posture = in_transition(model.transitions, model.skeleton, goal, state, dt)
    else:
        goal, change = in_change(model.transitions, goal, state, dt, kept)
    alive = goal if offsets is None else goal.with_offsets(offsets)

    # an unchanged goal is not solved again if its solution cannot improve, unless its target soon moves
    again = state if state is not None and _is_same(model, state, goal, offsets) else None
    if again is not None and (dt == 0.0 or (again.stalled >= NO_MORE and not _stirs(model, goal, ahead))):
        solution, best, stalled, problem = again.solution, again.best, again.stalled, again.problem
    else:
        foresight: dict[str, Any] = {"ahead": ahead, "mutual": mutual} if model.looks_ahead else {}
        solution, best, stalled, problem = _solved(model, alive, state, again is not None, dt, foresight)

    desired = _blend(model, alive.posture, solution.angles, influence)
    motion, angles = _filtered(model, desired, state, dt)
    lag, slide_lag = _lags(model.skeleton, angles, desired)
    outputs = ChainOutputs(
        angles=np.array(angles),
        desired=np.array(desired),
        solution=solution,
        lag=lag,
        slide_lag=slide_lag,
        at_rest=stalled >= NO_MORE
        and lag == slide_lag == 0.0
        and not _are_moving(motion)
        and not _are_moving(posture)
        and np.array_equal(goal.posture, requested),
        problem=problem,
        goal=alive,
        skeleton=model.skeleton,
    )
    return outputs, ChainState(
        solution, motion, posture, model, goal, requested, best, stalled, problem, offsets, change=change
    )


def _is_same(model: ChainModel, state: ChainState, goal: GazeGoal, offsets: Angles | None) -> bool:
    """Whether the last tick had the same mover, goal and idle motion."""
    return state.goal is goal and state.model is model and state.offsets is offsets


def _stirs(model: ChainModel, goal: GazeGoal, ahead: Sequence[GazeGoal]) -> bool:
    """Whether the solver looks ahead and a target is known to move soon."""
    return model.looks_ahead and any(coming.ends != goal.ends for coming in ahead)


def _are_moving(joints: Sequence[Kinematic]) -> bool:
    return any(joint.velocity or joint.acceleration for joint in joints)


def _filtered(
    model: ChainModel, desired: list[float], state: ChainState | None, dt: float
) -> tuple[Sequence[Kinematic], Sequence[float]]:
    """Motion and values (n,) of the joints after the filter; without a filter their desired values."""
    if not model.filters:
        return tuple(map(Kinematic, desired)), desired
    return model.joint_filters.step(state.motion if state is not None else None, desired, dt)


def _solved(
    model: ChainModel,
    goal: GazeGoal,
    state: ChainState | None,
    is_same_goal: bool,
    dt: float,
    foresight: dict[str, Any],
) -> tuple[GazeSolution, tuple[float, float], int, str]:
    """(solution, `best`, `stalled`, `problem`) of the state after a solve (see `ChainState`); with a goal
    that cannot be used, the last solution.

    Args:
        model, goal, state, dt: As for `tick`, the goal with the offsets of its posture.
        is_same_goal: Whether the last tick had the same goal.
        foresight: Further arguments of a solver that looks ahead.
    """
    last = state.solution if state else None
    # a memory fits only the kind of solver that made it; the rest of the model can be new in every frame
    memory = (
        last.memory if state is not None and last and type(state.model.solver) is type(model.solver) else None
    )
    try:
        solution = model.solver.solve(
            goal, start=last.angles if last else None, memory=memory, dt=dt or FRAME, **foresight
        )
        before = (state.best, state.stalled) if state is not None and is_same_goal else None
        return solution, *_progress(solution, last, before, model.looks_ahead), ""
    except GazeError as error:
        if state is None:
            raise
        return state.solution, state.best, NO_MORE, str(error)


def _progress(
    solution: GazeSolution, last: GazeSolution | None, progress: Progress | None, plans: bool
) -> Progress:
    """Progress after a new solution.

    Args:
        solution, last: Solution of this tick, and of the last one if there was one.
        progress: The progress after the last tick; None: the goal is new.
        plans: Whether the solver plans; if it misses its goal and does not move, it may be about to begin a
            transition to another branch.
    """
    shape = solution.shape_deviation if solution.lowered is None else solution.lowered
    current = sum(error.whole + error.distance for error in solution.measured.errors), shape
    if last is None:
        return current, NO_MORE if solution.converged else 0
    if solution.is_on_its_way:
        return current, 0
    moved = zip(solution.angles.tolist(), last.angles.tolist(), strict=True)
    is_done = all(abs(angle - before) <= STILL for angle, before in moved) and (
        solution.converged or (not plans and progress is not None)
    )
    best, stalled = (
        (current, 0) if progress is None or _gains(current, progress[0]) else (progress[0], progress[1] + 1)
    )
    return best, NO_MORE if is_done else stalled


def _gains(current: tuple[float, float], best: tuple[float, float]) -> bool:
    """Whether a solution is better than the best one so far; both as in `ChainState.best`."""
    (missed, shape), (least_missed, best_shape) = current, best
    return missed < least_missed - max(NEARER, SHARE * least_missed) or (
        missed <= least_missed + NEARER and shape < best_shape - BETTER
    )


def _blend(model: ChainModel, posture: Angles, solved: Angles, influence: float) -> list[float]:
    """Joint values (n,) [rad; prismatic joints m] between the posture and the solution. With a motion filter,
    which keeps the joints' limits, the posture is clamped to them.
    """
    # without a usable posture (the goal's problem says why) the solution counts whole
    if influence >= 1.0 or len(posture) != len(solved) or not np.isfinite(posture).all():
        whole: list[float] = solved.tolist()
        return whole
    share = max(influence, 0.0)
    begin = model.skeleton.clamp(posture) if model.filters else posture.tolist()
    blended: list[float] = [
        angle + share * (answer - angle) for angle, answer in zip(begin, solved.tolist(), strict=True)
    ]
    return blended


def _lags(skeleton: Skeleton, angles: Sequence[float], desired: list[float]) -> tuple[float, float]:
    """Largest distance of the joints from their desired values: (revolute joints [rad], prismatic joints
    [m]).
    """
    lag = slide_lag = 0.0
    for is_revolute, angle, target in zip(skeleton.revolute, angles, desired, strict=True):
        if is_revolute:
            lag = max(lag, abs(angle - target))
        else:
            slide_lag = max(slide_lag, abs(angle - target))
    return lag, slide_lag
