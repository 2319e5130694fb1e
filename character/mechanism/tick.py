"""One frame of a mechanism: goals and state in; body poses, motor values and the next state out. Pure
functions.

Live motion, baking and streaming all call it, so their results are equal. Goals give desired poses of bodies;
the motor values that follow from them go through the motion filter, and the filtered motor values determine
the poses of the bodies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...motion import Filter, Kinematic
from ...solvers.kinematics.rotations import Vector
from ...solvers.kinematics.se3 import Array
from ...solvers.mechanism.goals import NO_REGULARISER, FrameGoal, Goals
from ...solvers.mechanism.solution import AssemblyState, SolveReport
from ...solvers.mechanism.solver import MechanismSolver
from ..joint_filters import JointFilters

FIRST = 200  # largest number of solver steps in the first frame, whose goals can be far from the rest pose
# largest number of poses evaluated in a later frame: about 6 ms at 30 bodies in Python, a tenth of that
# compiled; an unfinished solve continues in the next frame
PLACES = 20
# magnitude of the difference of matrix entries [1, m] below which bodies count as back in their start poses
BACK = 1e-4
# [rad, m] change of a motor value from tick to tick, or lag behind its desired value, that counts as none
STILL = 1e-9
# number of ticks with the same goals after which they are not solved again, even if the result still changes
NO_MORE = 30
FAINT = 0.03  # largest weight of goals when they only determine the DoF that the filtered motors leave free


@dataclass(frozen=True)
class MechanismMotor:
    """A motor on one DoF of a joint."""

    joint: str
    index: int  # index of the motor's DoF among the joint's values
    filter: Filter


@dataclass(frozen=True, eq=False)
class MechanismModel:
    """The mover of a mechanism: the mechanism, its motors, and the pose in which motion
    begins.
    """

    solver: MechanismSolver
    rest: AssemblyState
    motors: tuple[MechanismMotor, ...]
    # names of bodies that can move while every motor keeps its value
    undetermined: frozenset[str] = frozenset()
    # whether motor values depend on each other, so that separately filtered values cannot all be met
    is_over_actuated: bool = False

    @cached_property
    def joint_filters(self) -> JointFilters:
        """The motors' motion filters, which step together."""
        return JointFilters([motor.filter for motor in self.motors])

    def tick(
        self, inputs: Goals | None, state: "MechanismState | None", dt: float
    ) -> tuple["MechanismOutputs", "MechanismState"]:
        """The mechanism's next frame; see `MoverModel.tick`. Without `inputs` it keeps the last goals.

        Raises:
            ValueError: there are neither inputs nor a state.
        """
        if inputs is None and state is not None:
            inputs = state.goals
        if inputs is None:
            raise ValueError("a mechanism that has not moved yet needs goals")
        return tick(self, inputs, state, dt)


@dataclass(frozen=True, eq=False)
class MechanismState:
    """State of a mechanism's mover, passed on to the next tick. As it holds arrays, it equals only itself."""

    goals: Goals
    desired: AssemblyState  # solution for the goals, before the motion filter
    shown: AssemblyState  # assembly for the filtered motor values
    motion: Sequence[Kinematic]  # motion of the motors after the filter
    report: SolveReport  # report of the solve for the goals
    model: MechanismModel  # the model that made this state
    stalled: int = 0  # number of ticks with the same goals; from NO_MORE on the goals are not solved again
    flipped: bool = False  # whether a loop has changed its assembly mode since the start
    first: Array | None = None  # (b, 4, 4) poses of the bodies at the start


@dataclass(frozen=True, eq=False)
class MechanismOutputs:
    """Result of one tick of a mechanism: motor values, poses of bodies, and errors of its goals."""

    poses: Array  # (b, 4, 4) shown poses of the bodies in the base frame
    # [rad, m] motor values after the filter; for an over-actuated mechanism, those of the shown poses
    values: tuple[float, ...]
    desired: tuple[float, ...]  # [rad, m] motor values before the filter
    report: SolveReport  # report of the solve for the goals
    is_closed: bool  # whether the loops are closed in the shown poses
    at_rest: bool


def tick(
    model: MechanismModel, goals: Goals, state: MechanismState | None, dt: float
) -> tuple[MechanismOutputs, MechanismState]:
    """The mechanism's next frame.

    Args:
        model: The mover.
        goals: Goals of bodies and motors.
        state: State returned by the last tick; None at a new start, where the filter begins at rest at the
            solution.
        dt: Time step [s]; 0 solves without moving the filter.
    """
    same = state if state is not None and state.model is model and state.goals == goals else None
    if same is not None and (same.stalled >= NO_MORE or dt == 0.0):
        desired, report, stalled = same.desired, same.report, same.stalled
    else:
        desired, report, stalled = _solved(model, goals, state, same, dt)

    desired_values = values(model, desired)
    motion, filtered = model.joint_filters.step(_motion_of(state), desired_values, dt)

    # if the filter lags, the bodies are where the filtered motors put them
    shown, is_closed, flipped = desired, report.assembled, report.flipped
    if any(abs(a - b) > STILL for a, b in zip(filtered, desired_values, strict=True)):
        start = state.shown if state is not None else desired
        follow = model.solver.solve(_held(model, goals, filtered), start)
        shown, is_closed, flipped = follow.state, follow.report.assembled, flipped or follow.report.flipped

    first = _first_poses(model, state, desired)
    flipped = _stays_flipped(model, state, desired, first, flipped)
    at_rest = stalled >= NO_MORE and filtered == desired_values and not _are_moving(motion)
    outputs = MechanismOutputs(
        poses=model.solver.poses(shown),
        values=values(model, shown) if model.is_over_actuated else filtered,
        desired=desired_values,
        report=report,
        is_closed=is_closed,
        at_rest=at_rest,
    )
    return outputs, MechanismState(goals, desired, shown, motion, report, model, stalled, flipped, first)


def _first_poses(model: MechanismModel, state: MechanismState | None, desired: AssemblyState) -> Array:
    """Poses (b, 4, 4) of the bodies at the start of the motion, which is this frame if there is no earlier
    one.
    """
    return state.first if state is not None and state.first is not None else model.solver.poses(desired)


def _stays_flipped(
    model: MechanismModel, state: MechanismState | None, desired: AssemblyState, first: Array, flipped: bool
) -> bool:
    """Whether a loop has changed its assembly mode, in this frame (`flipped`) or before. It counts as changed
    until the bodies are back in their start poses, `first` (b, 4, 4).
    """
    if not flipped and (state is None or not state.flipped):
        return False
    return not np.abs(model.solver.poses(desired) - first).max() < BACK


def _are_moving(motors: Sequence[Kinematic]) -> bool:
    return any(motor.velocity or motor.acceleration for motor in motors)


def _solved(
    model: MechanismModel,
    goals: Goals,
    state: MechanismState | None,
    same: MechanismState | None,
    dt: float,
) -> tuple[AssemblyState, SolveReport, int]:
    """Solves for the goals.

    Args:
        model, goals, state, dt: As for `tick`.
        same: The state if its goals and mover are the same; else None.

    Returns:
        The desired pose; its report; the number of ticks with the same goals.
    """
    solver = model.solver
    if state is None:
        answer = solver.solve(goals, model.rest, iterations=FIRST)
        return answer.state, answer.report, 0
    answer = solver.solve(goals, state.desired, dt or None, evaluations=PLACES)
    if same is None:
        return answer.state, answer.report, 0
    value_pairs = zip(values(model, answer.state), values(model, state.desired), strict=False)
    moved = max((abs(a - b) for a, b in value_pairs), default=0.0)
    has_settled = moved < STILL and answer.report.settled
    return answer.state, answer.report, NO_MORE if has_settled else same.stalled + 1


def _motion_of(state: MechanismState | None) -> Sequence[Kinematic] | None:
    return state.motion if state is not None else None


def values(model: MechanismModel, pose: AssemblyState) -> tuple[float, ...]:
    """Motor values [rad or m] in a pose."""
    return tuple(model.solver.values(pose, motor.joint)[motor.index] for motor in model.motors)


def by_joint(model: MechanismModel, numbers: Mapping[int, float]) -> Mapping[str, tuple[float, ...]]:
    """Motor values grouped by joint name, in the form of the solver's goals. Joints with a motor without a
    value are left out.

    Args:
        model: The mover.
        numbers: Values [rad or m] by the motors' indices.
    """
    values_by_joint: dict[str, dict[int, float]] = {}
    incomplete = set()
    for k, motor in enumerate(model.motors):
        if k in numbers:
            values_by_joint.setdefault(motor.joint, {})[motor.index] = numbers[k]
        else:
            incomplete.add(motor.joint)
    return {
        joint: tuple(of_joint[k] for k in sorted(of_joint))
        for joint, of_joint in values_by_joint.items()
        if joint not in incomplete
    }


def _held(model: MechanismModel, goals: Goals, filtered: tuple[float, ...]) -> Goals:
    """Goals that keep the motors at their filtered values; the remaining DoF follow the original goals, whose
    weights are reduced to `FAINT` at most.
    """
    # goals of bodies whose poses follow from the motors could only pull the motors from their filtered values
    frames = [goal for goal in goals.frames if goal.body in model.undetermined]
    bodies = model.solver.mechanism.bodies
    centres = (
        goals.centres if any(body.mass > 0.0 and body.name in model.undetermined for body in bodies) else ()
    )
    weights = [
        weight
        for goal in frames
        for weight in (*goal.position_weight, *goal.rotation_weight, goal.direction_weight)
    ]
    share = FAINT / max((1.0, *weights, *(weight for goal in centres for weight in goal.weight)))
    return replace(
        goals,
        frames=tuple(_fainter(goal, share) for goal in frames),
        centres=tuple(replace(goal, weight=_times(goal.weight, share)) for goal in centres),
        actuators=by_joint(model, dict(enumerate(filtered))),
        regulariser_weights=NO_REGULARISER,
        counts_full_rotations=True,
    )


def _fainter(goal: FrameGoal, share: float) -> FrameGoal:
    """The goal with all weights multiplied by `share`."""
    position, rotation = _times(goal.position_weight, share), _times(goal.rotation_weight, share)
    return replace(
        goal,
        position_weight=position,
        rotation_weight=rotation,
        direction_weight=share * goal.direction_weight,
    )


def _times(weight: Vector, share: float) -> Vector:
    x, y, z = weight
    return share * x, share * y, share * z
