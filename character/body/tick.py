"""One frame of a body that follows a motion: targets and state in; joint values, base pose and the next state
out. Pure functions.

Live motion, baking and streaming all call it, so their results are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from ...motion import Filter, Kinematic
from ...solvers.kinematics.se3 import Array
from ...solvers.kinematics.tree import BASE
from ...solvers.limits import Limit, usual_limits
from ...solvers.whole_body import state as bodies
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.law import Law
from ...solvers.whole_body.options import WholeBodyOptions
from ...solvers.whole_body.solver import WholeBody
from ...solvers.whole_body.targets import Target
from ..joint_filters import JointFilters
from . import leaps
from .feet import Foot, FootContact
from .frame_solve import (
    AT_REST,
    Solved,
    SolvedBody,
    first_frame,
    next_frame,
    same_frame,
    step_count,
    target_motion,
    values_of,
)
from .inputs import BodyInputs

# number of steps without progress toward constant targets, after which the body counts as at rest
STALLED = 120
# relative decrease of the error that counts as progress; the lowest usual velocity limits achieve it within
# STALLED steps
GAIN = 0.02
# [rad^2/m^2] weight of the base's position error: a centimetre counts as much as six degrees of one link
BASE_WEIGHT = 100.0


@dataclass(frozen=True)
class BodyModel(SolvedBody):
    """Model of a body's mover: its solver, the links that follow targets, and motion settings."""

    # motion filters of the joints; empty: joints reach their solved values at once
    filters: tuple[Filter, ...] = ()

    @cached_property
    def joint_filters(self) -> JointFilters:
        """The motion filters, which step together."""
        return JointFilters(self.filters)

    @property
    def links(self) -> tuple[Target, ...]:
        """Targets of the links, without that of a floating base's position."""
        targets = self.solver.targets
        return targets[:-1] if self.floating else targets

    def tick(
        self, inputs: BodyInputs | None, state: "BodyState | None", dt: float
    ) -> tuple["BodyOutputs", "BodyState"]:
        """The body's next frame; see `MoverModel.tick`."""
        if inputs is None and state is not None:
            inputs = state.inputs
        if inputs is None:
            raise ValueError("a body that has not moved yet needs inputs")
        return tick(self, inputs, state, dt)


@dataclass(frozen=True)
class BodyState:
    """State of a body's mover, passed on to the next tick."""

    model: "BodyModel"  # the model that made this state; under a changed model the state is solved again
    state: bodies.KinematicState
    inputs: BodyInputs
    stalled: int  # number of steps without progress since the targets last changed
    nearest: float  # root of the sum of squared errors [rad, m] at the last progress
    # state of the body solved without a floor; equal to `state` if no foot is held
    free: bodies.KinematicState
    feet: tuple[FootContact, ...] = ()  # contact of each of the model's feet
    leap: leaps.Leap = leaps.NO_LEAP
    motion: Sequence[Kinematic] = ()  # motion of the joints after the filter


@dataclass(frozen=True)
class BodyOutputs:
    """Result of one tick of a body: its state, errors of its targets, contacts and active limits."""

    state: bodies.KinematicState  # pose after the motion filter
    desired: bodies.KinematicState  # pose as solved, before the motion filter
    missed: Array  # (k,) [rad] orientation errors of the links as solved; NaN if the target is lost
    filtered_missed: Array  # (k,) [rad] the same errors after the motion filter
    base_missed: float  # [m] position error of the base as solved
    distances: Array  # (p,) [m] position errors of the links whose position counts
    lost: tuple[str, ...]  # links without a target in this frame
    planted: tuple[str, ...]  # feet in contact with the floor
    bounded: tuple[str, ...]  # names of the joints at a limit
    violated: tuple[str, ...]  # couplings of joints that cannot be satisfied
    at_rest: bool
    stopped: bool = False  # whether the search for the best pose was stopped early


def make_model(
    body: Body,
    links: list[Target],
    base: str,
    limits: tuple[Limit, ...] | None = None,
    gain: float = 0.0,
    feet: tuple[Foot, ...] = (),
    posture_gain: float = 0.0,
    filters: tuple[Filter, ...] = (),
) -> BodyModel:
    """The mover of a body.

    Args:
        body: The body's model.
        links: Targets of the links: the rotation of each link's source and, for some, its position. The
            position of a floating base is added.
        base: Name of the base link.
        limits: Limits of the joints; None: position limits only.
        gain: Rate [1/s] at which errors are corrected; 0: completely in each frame.
        feet: Feet that stand on the floor while their sources stand.
        posture_gain: Rate [1/s] at which joints that no target determines return to the inputs' posture.
        filters: Motion filter of each joint; empty: the joints reach their solved values in the same frame.
    """
    base_gain = next((target.gain for target in links if target.link == base), None)
    targets = [*links, *([Target(base, "position", BASE_WEIGHT, base_gain)] if body.floating else [])]
    law = Law(gain=gain) if gain else Law()
    return BodyModel(
        body,
        WholeBody(body, targets, WholeBodyOptions(law, limits or usual_limits(), posture_gain=posture_gain)),
        base,
        feet,
        filters,
    )


def tick(
    model: BodyModel, inputs: BodyInputs, before: BodyState | None, dt: float
) -> tuple[BodyOutputs, BodyState]:
    """The body's next frame.

    Args:
        model: The mover.
        inputs: Target poses.
        before: State that the last tick returned; None at a new start, where the body begins at rest, as near
            to its targets as possible.
        dt: Time step [s]; 0 does not move the body.
    """
    is_same = before is not None and before.model is model and before.inputs == inputs
    stalled, steps = before.stalled if before is not None and is_same else 0, 0
    if before is None:
        solved = first_frame(model, inputs)
    else:
        # a body that counts as at rest is not solved again until its mover or its inputs change
        steps = step_count(dt) if dt > 0.0 and stalled < STALLED else 0
        solved = (
            next_frame(model, target_motion(model, inputs, before, is_same, dt, steps), before, dt)
            if steps
            else same_frame(model, inputs, before)
        )
    values = values_of(model, inputs)
    missed, distances = model.solver.missed(values, solved.state)
    miss = float(np.sqrt(np.nansum(missed**2) + np.nansum(distances**2)))
    nearest = before.nearest if before is not None and is_same else np.inf
    stalled, nearest = _progress(solved, miss, nearest, stalled, steps, is_same, len(inputs.posture) > 0)

    shown, motion = _filtered(model, solved.state, before, dt)
    filtered_missed = model.solver.missed(values, shown)[0] if model.filters else missed
    at_rest = stalled >= STALLED and _has_arrived(motion, solved.state)
    return _outputs(model, solved, shown, (missed, filtered_missed), distances, at_rest), BodyState(
        model, solved.state, inputs, stalled, nearest, solved.free, solved.feet, solved.leap, motion
    )


def _progress(
    solved: Solved,
    miss: float,
    nearest: float,
    stalled: int,
    steps: int,
    is_same: bool,
    has_posture: bool,
) -> tuple[int, float]:
    """Values of `BodyState.stalled` and `nearest` after a frame. The body counts as at rest when its error
    has made no progress for `STALLED` steps, or nothing moves.

    Args:
        solved: The frame's solves.
        miss: Root of the sum of squared errors [rad, m] after them.
        nearest, stalled: These values before the frame.
        steps: Number of the solver's steps in the frame.
        is_same: Whether mover and targets are those of the last frame.
        has_posture: Whether joints that no target determines return to a posture.
    """
    is_moving = np.abs(solved.state.velocity).max() >= AT_REST
    # while a better start is being searched, or the joints move to it, an equal error is no sign of rest
    is_searching = solved.leap.is_open or solved.is_crossing
    # a return to the posture reduces no target's error, and must not be stopped for that reason
    if miss < (1.0 - GAIN) * nearest or (has_posture and is_moving) or is_searching:
        stalled, nearest = 0, miss
    else:
        stalled += steps
    # if nothing moves, further steps would repeat this frame
    if is_same and steps and not is_searching and not is_moving:
        stalled = STALLED
    return stalled, nearest


def _outputs(
    model: BodyModel,
    solved: Solved,
    shown: bodies.KinematicState,
    missed: tuple[Array, Array],
    distances: Array,
    at_rest: bool,
) -> BodyOutputs:
    """Result of a frame.

    Args:
        model: The mover.
        solved: The frame's solves.
        shown: State after the motion filter.
        missed: Orientation errors (k,) [rad] as solved, and after the motion filter.
        distances: Position errors [m] as solved, the floating base's last.
        at_rest: Whether the body is at rest.
    """
    solution = solved.solution
    return BodyOutputs(
        shown,
        solved.state,
        *missed,
        float(distances[-1]) if model.floating else 0.0,
        distances[: len(model.solver.position_targets) - model.floating],
        solution.lost if solution is not None else (),
        tuple(foot.link for foot, step in zip(model.feet, solved.feet, strict=True) if step.is_planted),
        tuple(compress(model.body.names, solution.bounded.tolist())) if solution is not None else (),
        model.body.violated(solved.state.joints),
        at_rest,
        solution is not None and solution.stopped,
    )


def _filtered(
    model: BodyModel, state: bodies.KinematicState, before: BodyState | None, dt: float
) -> tuple[bodies.KinematicState, Sequence[Kinematic]]:
    """The state with the joints after the motion filter, and their motion."""
    if not model.filters:
        return state, ()
    joints = state.joints.tolist()
    motion, angles = model.joint_filters.step(before.motion if before is not None else None, joints, dt)
    positions = np.array(angles)
    velocity = np.concatenate([state.velocity[:BASE], [joint.velocity for joint in motion]])
    frames = model.body.forward(positions, state.base_rotation)
    return replace(state, joints=positions, velocity=velocity, frames=frames), motion


def _has_arrived(motion: Sequence[Kinematic], state: bodies.KinematicState) -> bool:
    """Whether all joints are at rest at their solved values."""
    at_rest = not any(joint.velocity or joint.acceleration for joint in motion)
    return at_rest and all(
        joint.position == value for joint, value in zip(motion, state.joints.tolist(), strict=False)
    )
