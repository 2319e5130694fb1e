"""Solves of a body in one frame: first without a floor, then with the feet that the floor holds. Pure
functions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import ceil
from typing import NamedTuple, Protocol

import numpy as np

from ...solvers.kinematics.se3 import Array
from ...solvers.kinematics.tree import BASE, Indices
from ...solvers.whole_body import state as bodies
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.full_solve import settled
from ...solvers.whole_body.solver import WholeBody
from ...solvers.whole_body.targets import Contact, Values
from . import leaps
from .feet import Floor, Foot, FootContact, first, following, foot_position, in_last_frame, rise, slipped
from .inputs import NOWHERE, UNKNOWN, BodyInputs, Velocities, between, velocities_of

# [s] longest step of the solver, since its model is linear; captured limbs rotate by up to 20 degrees per
# frame at 24 frames per second
STEP = 1 / 60
# number of solves of a first frame with held feet: the foot's tilt after the first gives its height for the
# second
LOOKS = 2
SAME = 1e-6  # [rad or m] difference within which the bodies with and without a floor count as equal
# [rad/s or m/s] magnitude below which all velocity components of joints and base count as zero
AT_REST = 1e-5


@dataclass(frozen=True)
class SolvedBody:
    """A body with its solver, and the feet that can stand."""

    body: Body
    solver: WholeBody
    base: str  # name of the base link
    feet: tuple[Foot, ...] = ()  # feet that stand on the floor while their sources stand

    @cached_property
    def above(self) -> Indices:
        """For each link with a target orientation, the index of the nearest such link that carries it; see
        `leaps.nearest_above`.
        """
        return leaps.nearest_above(
            self.body, self.body.link_indices([target.link for target in self.solver.orientation_targets])
        )

    @property
    def floating(self) -> bool:
        """Whether the base is free to move."""
        return self.body.floating


class LastFrame(Protocol):
    """Fields of the body's last state that the solves use; see `tick.BodyState`."""

    @property
    def model(self) -> SolvedBody: ...

    @property
    def inputs(self) -> BodyInputs: ...

    @property
    def state(self) -> bodies.KinematicState: ...

    @property
    def free(self) -> bodies.KinematicState: ...

    @property
    def feet(self) -> tuple[FootContact, ...]: ...

    @property
    def leap(self) -> leaps.Leap: ...


class Solved(NamedTuple):
    """Result of a frame's solves."""

    state: bodies.KinematicState
    # state of the body solved without a floor; equal to `state` if no foot is held
    free: bodies.KinematicState
    feet: tuple[FootContact, ...]  # contact of each of the model's feet
    leap: leaps.Leap = leaps.NO_LEAP
    is_crossing: bool = False  # whether joints move to a better start in this frame
    # solution of the solver's last step; None without a step
    solution: bodies.WholeBodySolution | None = None


class FrameTargets(NamedTuple):
    """Targets on the path from the last frame to this one."""

    inputs: BodyInputs  # targets and settings of this frame
    parts: list[BodyInputs]  # targets and settings at the end of each of the solver's steps
    velocities: Velocities

    @property
    def steps(self) -> int:
        """Number of the solver's steps in the frame."""
        return len(self.parts)


def step_count(dt: float) -> int:
    """Number of the solver's steps in a frame of `dt` [s]."""
    return ceil(dt / STEP - 1e-6)


def target_motion(
    model: SolvedBody, inputs: BodyInputs, before: LastFrame, is_same: bool, dt: float, steps: int
) -> FrameTargets:
    """Targets on the way from the last frame to this one, which takes `dt` [s] in `steps` steps; `is_same`:
    the inputs have not changed, so that the targets stand still.
    """
    gains = (
        model.solver.options.law.gain,
        *(
            target.gain
            for target in (*model.solver.orientation_targets, *model.solver.position_targets)
            if target.gain is not None
        ),
    )
    # a target that is reached within the frame needs no feed-forward
    lags = min(gains) < np.inf or model.solver.acceleration is not None
    velocities = velocities_of(before.inputs, inputs, dt) if lags else UNKNOWN
    parts = [inputs if is_same else between(before.inputs, inputs, (k + 1) / steps) for k in range(steps)]
    return FrameTargets(inputs, parts, velocities)


def first_frame(model: SolvedBody, inputs: BodyInputs) -> Solved:
    """The body at rest, as near as possible to its targets, with standing feet on the floor."""
    free = _begin(model, inputs)
    state, feet = free, first(model.body, model.feet, inputs.feet, _floor(inputs), free)
    for _ in range(LOOKS if _any_held(feet) else 0):
        values = values_of(model, _raised(inputs, rise(feet)), contacts=_contacts(feet, model))
        state = settled(model.solver, values, state)
        feet = first(model.body, model.feet, inputs.feet, _floor(inputs), free, state)
    return Solved(state, free, feet)


def same_frame(model: SolvedBody, inputs: BodyInputs, before: LastFrame) -> Solved:
    """The body in its last state; a base that does not float is at its authored pose of this frame."""
    state, free = (_carried(model, body_state, inputs) for body_state in (before.state, before.free))
    feet, _ = _last_feet(model, before)
    if before.state is before.free and not _any_held(feet):
        state = free
    return Solved(state, free, feet, before.leap)


def next_frame(model: SolvedBody, targets: FrameTargets, before: LastFrame, dt: float) -> Solved:
    """The body after the solver's steps of a frame of `dt` [s]: without a floor, then with the feet that it
    holds; or, after a leap of the targets, on the way to a better start.
    """
    solver, inputs, steps = model.solver, targets.inputs, targets.steps
    state, free = (_carried(model, body_state, inputs) for body_state in (before.state, before.free))

    # the solve without a floor
    for part in targets.parts:
        solution, free = solver.step(values_of(model, part, targets.velocities), free, dt / steps)

    # after a leap of the targets, steps can end at limits that only a new start avoids
    leapt = leaps.have_leapt(before.inputs.rotation, inputs.rotation, model.above, steps)
    leap = before.leap.after(leapt, dt, partial(_better_start, model, inputs, free))
    if leap.goal is not None:
        return _crossing(model, targets, before, free, leap, leap.goal, dt)._replace(solution=solution)

    # the solve with the feet that the floor holds
    feet: tuple[FootContact, ...] = ()
    if model.feet:
        last_feet, last_sources = _last_feet(model, before)
        sources, frees = (last_sources, inputs.feet), (before.free, free)
        feet = following(model.body, model.feet, last_feet, sources, _floor(inputs), frees, before.state, dt)
    if before.state is before.free and not _any_held(feet):
        return Solved(free, free, feet, leap, solution=solution)
    solution, state = _on_contacts(model, targets, before, state, feet, dt)
    feet = tuple(
        slipped(model.body, foot, step, free, state)
        if f"contact of {foot.link}" in solution.yielded
        else step
        for foot, step in zip(model.feet, feet, strict=True)
    )
    # the states of the two solves are merged once no foot is held and they agree
    state = free if not _any_held(feet) and _are_same(free, state) else state
    return Solved(state, free, feet, leap, solution=solution)


def _on_contacts(
    model: SolvedBody,
    targets: FrameTargets,
    before: LastFrame,
    state: bodies.KinematicState,
    feet: tuple[FootContact, ...],
    dt: float,
) -> tuple[bodies.WholeBodySolution, bodies.KinematicState]:
    """The last step's solution and the state after a frame in which contacts move the held feet to their
    goals, and with them the height of the body.
    """
    starts = [foot_position(model.body, foot, before.state) for foot in model.feet]
    last_rise, steps = rise(before.feet), targets.steps
    for k, part in enumerate(targets.parts):
        share = (k + 1) / steps
        contacts = _contacts(feet, model, starts, share)
        raised = _raised(part, last_rise + share * (rise(feet) - last_rise))
        values = values_of(model, raised, targets.velocities, contacts)
        solution, state = model.solver.step(values, state, dt / steps)
    return solution, state


def _crossing(
    model: SolvedBody,
    targets: FrameTargets,
    before: LastFrame,
    stepped: bodies.KinematicState,
    leap: leaps.Leap,
    goal: Array,
    dt: float,
) -> Solved:
    """The body while its joints cross over to a better start, `goal` (n,) [rad or m], on a base at its
    targets; without targets of the base, that of `stepped`, the body after the solver's steps.
    """
    inputs = targets.inputs
    pose = _base(model, inputs, stepped)
    free, state = (
        leaps.crossed(model.solver, body_state, goal, pose, dt, targets.steps)
        for body_state in (before.free, before.state)
    )
    # The crossing ends early if joints are blocked by limits that have changed meanwhile.
    is_blocked = np.abs(free.velocity[BASE:]).max(initial=0.0) < AT_REST
    leap = leap._replace(goal=None) if is_blocked or leaps.has_arrived(free, goal) else leap
    feet = first(model.body, model.feet, inputs.feet, _floor(inputs), free)
    return Solved(free if before.state is before.free else state, free, feet, leap, is_crossing=True)


def _last_feet(model: SolvedBody, before: LastFrame) -> tuple[tuple[FootContact, ...], Array]:
    """Contact states and source positions (f, 3) [m] of the model's feet in the last frame, in which other
    feet can have been chosen.
    """
    return in_last_frame(
        model.body, model.feet, before.model.feet, before.feet, before.inputs.feet, before.free, before.state
    )


def _begin(model: SolvedBody, inputs: BodyInputs) -> bodies.KinematicState:
    """State at rest that best meets the targets, solved from the inputs' posture, else from the
    joints' zero.
    """
    base = inputs.base_frame
    first = model.solver.start(
        inputs.posture if len(inputs.posture) else None,
        base[:3, :3],
        inputs.base if model.floating else base[:3, 3],
    )
    return settled(model.solver, values_of(model, inputs), first)


def _better_start(model: SolvedBody, inputs: BodyInputs, state: bodies.KinematicState) -> Array | None:
    """Joint values (n,) [rad or m] of a new start that meets the targets better than steps from a state; None
    if steps are as good.
    """
    return leaps.better_start(model.solver, values_of(model, inputs), state, partial(_begin, model, inputs))


def _carried(model: SolvedBody, state: bodies.KinematicState, inputs: BodyInputs) -> bodies.KinematicState:
    """The state; if the base does not float, with the base at its authored pose."""
    if model.floating:
        return state
    rotation, position = inputs.base_frame[:3, :3], inputs.base_frame[:3, 3]
    return replace(
        state,
        base_rotation=rotation,
        base_position=position,
        frames=model.body.forward(state.joints, rotation),
    )


def _base(model: SolvedBody, inputs: BodyInputs, state: bodies.KinematicState) -> tuple[Array, Array]:
    """Rotation (3, 3) and position (3,) [m] of the base at its targets; those of `state` if the base does not
    float, or has no target orientation in this frame.
    """
    body, links = model.body, [target.link for target in model.solver.orientation_targets]
    turned = inputs.rotation[links.index(model.base)] if model.base in links else NOWHERE
    if not model.floating or not np.isfinite(turned).all():
        return state.base_rotation, state.base_position
    end = body.ends[body.links[model.base]]
    rotation: Array = turned @ end[:3, :3].T
    return rotation, inputs.base - rotation @ end[:3, 3]


def values_of(
    model: SolvedBody,
    inputs: BodyInputs,
    velocities: Velocities = UNKNOWN,
    contacts: tuple[Contact, ...] = (),
) -> Values:
    """The solver's values of a frame: targets, contacts, and the posture to which free joints return."""
    positions = np.vstack([inputs.places, inputs.base]) if model.floating else inputs.places
    linear = velocities.linear if velocities.linear is None or model.floating else velocities.linear[:-1]
    posture = inputs.posture if len(inputs.posture) else None
    return Values(inputs.rotation, positions, velocities.angular, linear, contacts, posture)


def _floor(inputs: BodyInputs) -> Floor:
    return Floor(inputs.floor_up, inputs.floor_height)


def _raised(inputs: BodyInputs, height: float) -> BodyInputs:
    """The inputs with all target positions raised by `height` [m] along the floor's normal."""
    up = height * inputs.floor_up
    return inputs._replace(base=inputs.base + up, places=inputs.places + up) if height else inputs


def _any_held(feet: tuple[FootContact, ...]) -> bool:
    return any(step.is_held for step in feet)


def _contacts(
    feet: tuple[FootContact, ...], model: SolvedBody, starts: Sequence[Array] = (), share: float = 1.0
) -> tuple[Contact, ...]:
    """Contact constraints of the held feet; with `starts`, a position (3,) [m] of each foot, and `share` (0
    to 1), interpolated from there to their goal positions.
    """
    return tuple(
        Contact(foot.link, step.goal if share >= 1.0 else starts[k] + share * (step.goal - starts[k]))
        for k, (foot, step) in enumerate(zip(model.feet, feet, strict=True))
        if step.is_held
    )


def _are_same(first: bodies.KinematicState, last: bodies.KinematicState) -> bool:
    """Whether two states have the same pose, but for rounding errors."""
    apart = (
        np.abs(first.base_position - last.base_position).max(),
        np.abs(first.base_rotation - last.base_rotation).max(),
    )
    return bool(max(*apart, np.abs(first.joints - last.joints).max(initial=0.0)) < SAME)
