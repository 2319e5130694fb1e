"""One frame of a body that follows a motion: targets and state in; joint values, base pose and the next state
out. Pure functions.

Live motion, baking and streaming all call it, so their results are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import ceil

import numpy as np

from ...motion import Filter, Kinematic
from ...solvers.kinematics.se3 import Array
from ...solvers.kinematics.tree import BASE, Indices
from ...solvers.limits import Limit, usual_limits
from ...solvers.whole_body import state as bodies
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.full_solve import settled
from ...solvers.whole_body.law import Law
from ...solvers.whole_body.solver import Options, WholeBody
from ...solvers.whole_body.targets import Contact, Target, Values
from . import leaps
from .feet import Floor, Foot, Step, first, following, place, rise, slipped
from .inputs import NOWHERE, UNKNOWN, BodyInputs, Velocities, between, velocities_of

STEP = (
    1 / 60
    # [s] the solver's longest step, a linearisation: captured limbs rotate by 20 degrees per frame at 24
    # frames a second
)
AT_REST = 1e-5  # [rad/s or m/s] of the fastest joint and the base: not visible
STALLED = 120  # steps without progress toward constant targets after which the body counts as at rest
# relative decrease of the error that counts as progress: the lowest usual velocity limits achieve it within
# STALLED steps
GAIN = 0.02
# solves of a first frame with held feet: the foot's tilt after the first one gives its height for the second
LOOKS = 2
SAME = 1e-6  # [rad or m] if the bodies with and without a floor differ by less, they count as equal
BASE_WEIGHT = (
    100.0  # [rad^2/m^2] weight of the base's position error: a centimetre counts as six degrees of one link
)


@dataclass(frozen=True)
class Model:
    """The mover of a body: its model, which links follow targets, and motion settings. It rarely changes."""

    body: Body
    solver: WholeBody
    base: str  # the link that is the base
    feet: tuple[Foot, ...] = ()  # those that stand on the floor while their sources stand
    filters: tuple[Filter, ...] = ()  # of the joints; empty: they have their solved values in the same frame

    @cached_property
    def above(self) -> Indices:
        """For each link with a target orientation the next one that carries it; see `leaps.nearest_above`."""
        return leaps.nearest_above(
            self.body, self.body.link_indices([target.link for target in self.solver.turning])
        )

    @property
    def floating(self) -> bool:
        return self.body.floating

    def tick(
        self, inputs: BodyInputs | None, state: "BodyState | None", dt: float
    ) -> tuple["Outputs", "BodyState"]:
        """The body's next frame; see `Mover.tick`."""
        if inputs is None and state is not None:
            inputs = state.inputs
        if inputs is None:
            raise ValueError("a body that has not moved yet needs inputs")
        return tick(self, inputs, state, dt)


@dataclass(frozen=True)
class BodyState:
    """State of a body's mover, passed on to the next tick."""

    model: "Model"  # the one that made this state; a changed model may do better
    state: bodies.State
    inputs: BodyInputs
    stalled: int  # steps without progress since the targets are constant
    nearest: float  # root of the sum of squared errors [rad, m] at the last progress
    free: bodies.State  # the body solved without a floor; the same as `state` if no foot is held
    feet: tuple[Step, ...] = ()
    leap: leaps.Leap = leaps.NO_LEAP
    motion: tuple[Kinematic, ...] = ()  # of the joints after the filter


@dataclass(frozen=True)
class Outputs:
    """Result of one tick of a body: its state, errors of its targets, contacts and active limits."""

    state: bodies.State  # after the motion filter
    desired: bodies.State  # as solved
    missed: Array  # (k,) [rad] orientation errors of the links as solved; NaN: target lost
    base_missed: float  # [m]
    distances: Array  # (p,) [m] position errors of the links whose position counts
    lost: tuple[str, ...]  # links without a target in this frame
    planted: tuple[str, ...]  # feet in contact with the floor
    bounded: tuple[str, ...]  # joints at a limit
    violated: tuple[str, ...]  # couplings of joints that cannot be kept
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
) -> Model:
    """The mover of a body.

    Args:
        body: The body's model.
        links: Targets of the links: the rotation of each link's source and, for some, its position.
        base: Name of the base link.
        limits: Limits of the joints; None: position limits only.
        gain: Rate [1/s] at which errors are corrected; 0: completely in each frame.
        feet: Feet that stand on the floor while their sources stand.
        posture_gain: Rate [1/s] at which joints that no target determines return to the inputs' posture.
        filters: Motion filter of each joint; none: the joints have their solved values in the same frame.
    """
    base_gain = next((target.gain for target in links if target.link == base), None)
    targets = [*links, *([Target(base, "position", BASE_WEIGHT, base_gain)] if body.floating else [])]
    law = Law(gain=gain) if gain else Law()
    return Model(
        body,
        WholeBody(body, targets, Options(law, limits or usual_limits(), posture_gain=posture_gain)),
        base,
        feet,
        filters,
    )


def tick(model: Model, inputs: BodyInputs, before: BodyState | None, dt: float) -> tuple[Outputs, BodyState]:
    """The body's next frame.

    Args:
        model: The mover.
        inputs: Target poses.
        before: State that the last tick returned; None at a new start, where the body begins at rest, as near
            to its targets as possible.
        dt: Time step [s]; 0 does not move the body.
    """
    solver = model.solver
    lost: tuple[str, ...] = ()
    bounded: tuple[str, ...] = ()
    stopped = False
    leap, goal = leaps.NO_LEAP, None
    if before is None:
        free = _begin(model, inputs)
        again, steps, stalled = False, 0, 0
        state, feet = free, first(model.body, model.feet, inputs.feet, _floor(inputs), free)
        for _ in range(LOOKS if _any_held(feet) else 0):
            state = settled(
                solver, _values(model, _raised(inputs, rise(feet)), contacts=_contacts(feet, model)), state
            )
            feet = first(model.body, model.feet, inputs.feet, _floor(inputs), free, state)
    else:
        again = before.model is model and before.inputs == inputs
        stalled = before.stalled if again else 0
        steps = ceil(dt / STEP - 1e-6) if dt > 0.0 and stalled < STALLED else 0
        gains = (
            solver.options.law.gain,
            *(target.gain for target in (*solver.turning, *solver.placed) if target.gain is not None),
        )
        late = min(gains) < np.inf or solver.acceleration is not None
        velocities = velocities_of(before.inputs, inputs, dt) if steps and late else UNKNOWN
        state, free = (_carried(model, body_state, inputs) for body_state in (before.state, before.free))
        was_free = before.state is before.free
        feet = (
            before.feet
            if len(before.feet) == len(model.feet)
            else first(model.body, model.feet, inputs.feet, _floor(inputs), free)
        )
        on_way = [inputs if again else between(before.inputs, inputs, (k + 1) / steps) for k in range(steps)]
        for part in on_way:
            solution, free = solver.step(_values(model, part, velocities), free, dt / steps)
        leap = before.leap
        if steps:
            leapt = leaps.have_leapt(before.inputs.rotation, inputs.rotation, model.above, steps)
            leap = leap.after(leapt, dt, partial(_better_start, model, inputs, free))
        goal = leap.goal if steps else None
        if goal is not None:
            pose = _base(model, inputs, free)
            free, state = (
                leaps.crossed(solver, body_state, goal, pose, dt, steps)
                for body_state in (before.free, before.state)
            )
            is_blocked = (
                np.abs(free.velocity[BASE:]).max(initial=0.0) < AT_REST
            )  # the limits were changed on the way
            leap = leap._replace(goal=None) if is_blocked or leaps.has_arrived(free, goal) else leap
            feet = first(model.body, model.feet, inputs.feet, _floor(inputs), free)
        elif steps and model.feet:
            sources, then = (before.inputs.feet, inputs.feet), (before.free, free)
            feet = following(model.body, model.feet, feet, sources, _floor(inputs), then, before.state, dt)
        if was_free and (goal is not None or not _any_held(feet)):
            state = free
        elif steps and goal is None:
            starts = [place(model.body, foot, before.state) for foot in model.feet]
            for k, part in enumerate(on_way):
                contacts = _contacts(feet, model, starts, (k + 1) / steps)
                part = _raised(part, rise(before.feet) + (k + 1) / steps * (rise(feet) - rise(before.feet)))
                solution, state = solver.step(_values(model, part, velocities, contacts), state, dt / steps)
            feet = tuple(
                (
                    slipped(model.body, foot, step, free, state)
                    if f"contact of {foot.link}" in solution.yielded
                    else step
                )
                for foot, step in zip(model.feet, feet, strict=True)
            )
            state = free if not _any_held(feet) and _are_same(free, state) else state
        if steps:
            lost, stopped = solution.lost, solution.stopped
            bounded = tuple(
                name
                for name, is_bounded in zip(model.body.names, solution.bounded.tolist(), strict=True)
                if is_bounded
            )
    missed, distances = solver.missed(_values(model, inputs), state)
    miss = float(np.sqrt(np.nansum(missed**2) + np.nansum(distances**2)))
    nearest = before.nearest if before is not None and again else np.inf
    returns = len(inputs.posture) > 0 and np.abs(state.velocity).max() >= AT_REST
    is_searching = leap.is_open or goal is not None
    stalled, nearest = (
        (0, miss) if miss < (1.0 - GAIN) * nearest or returns or is_searching else (stalled + steps, nearest)
    )
    if again and steps and not is_searching and np.abs(state.velocity).max() < AT_REST:
        stalled = STALLED
    shown, motion = _filtered(model, state, before, dt)
    outputs = Outputs(
        shown,
        state,
        missed,
        float(distances[-1]) if model.floating else 0.0,
        distances[: len(model.solver.placed) - model.floating],
        lost,
        tuple(foot.link for foot, step in zip(model.feet, feet, strict=True) if step.is_planted),
        bounded,
        model.body.violated(state.joints),
        stalled >= STALLED and _has_arrived(motion, state),
        stopped,
    )
    return outputs, BodyState(model, state, inputs, stalled, nearest, free, feet, leap, motion)


def _filtered(
    model: Model, state: bodies.State, before: BodyState | None, dt: float
) -> tuple[bodies.State, tuple[Kinematic, ...]]:
    """The state with the joints after the motion filter, and their motion."""
    filters, joints = model.filters, state.joints.tolist()
    if not filters:
        return state, ()
    if before is None or len(before.motion) != len(filters):
        motion = tuple(joint.rest(value) for joint, value in zip(filters, joints, strict=True))
    else:
        motion = tuple(
            joint.step(now, value, dt)
            for joint, now, value in zip(filters, before.motion, joints, strict=True)
        )
    positions = np.array([joint.position for joint in motion])
    velocity = np.concatenate([state.velocity[:BASE], [joint.velocity for joint in motion]])
    frames = model.body.forward(positions, state.base_rotation)
    return replace(state, joints=positions, velocity=velocity, frames=frames), motion


def _has_arrived(motion: tuple[Kinematic, ...], state: bodies.State) -> bool:
    """Whether all joints are at rest in their solved values."""
    at_rest = not any(joint.velocity or joint.acceleration for joint in motion)
    return at_rest and all(
        joint.position == value for joint, value in zip(motion, state.joints.tolist(), strict=False)
    )


def _begin(model: Model, inputs: BodyInputs) -> bodies.State:
    """State at rest that best meets the targets, solved from the inputs' posture, else from the
    joints' zero.
    """
    base = inputs.base_frame
    first = model.solver.start(
        inputs.posture if len(inputs.posture) else None,
        base[:3, :3],
        inputs.base if model.floating else base[:3, 3],
    )
    return settled(model.solver, _values(model, inputs), first)


def _better_start(model: Model, inputs: BodyInputs, state: bodies.State) -> Array | None:
    """Joint values (n,) of a new start that meets the targets better than steps from a state do; None: steps
    do.
    """
    return leaps.better_start(model.solver, _values(model, inputs), state, partial(_begin, model, inputs))


def _carried(model: Model, state: bodies.State, inputs: BodyInputs) -> bodies.State:
    """The state with the base at its authored pose if it does not float."""
    if model.floating:
        return state
    turn, position = inputs.base_frame[:3, :3], inputs.base_frame[:3, 3]
    return replace(
        state, base_rotation=turn, base_position=position, frames=model.body.forward(state.joints, turn)
    )


def _base(model: Model, inputs: BodyInputs, state: bodies.State) -> tuple[Array, Array]:
    """Rotation (3, 3) and position (3,) [m] of the base at its targets; those of a state where it has none or
    does not float.
    """
    body, links = model.body, [target.link for target in model.solver.turning]
    turned = inputs.rotation[links.index(model.base)] if model.base in links else NOWHERE
    if not model.floating or not np.isfinite(turned).all():
        return state.base_rotation, state.base_position
    end = body.ends[body.links[model.base]]
    turn: Array = turned @ end[:3, :3].T
    return turn, inputs.base - turn @ end[:3, 3]


def _values(
    model: Model, inputs: BodyInputs, velocities: Velocities = UNKNOWN, contacts: tuple[Contact, ...] = ()
) -> Values:
    places = np.vstack([inputs.places, inputs.base]) if model.floating else inputs.places
    linear = velocities.linear if velocities.linear is None or model.floating else velocities.linear[:-1]
    posture = inputs.posture if len(inputs.posture) else None
    return Values(inputs.rotation, places, velocities.angular, linear, contacts, posture)


def _floor(inputs: BodyInputs) -> Floor:
    return Floor(inputs.floor_up, inputs.floor_height)


def _raised(inputs: BodyInputs, height: float) -> BodyInputs:
    """The inputs with the base target raised by `height` [m]."""
    up = height * inputs.floor_up
    return inputs._replace(base=inputs.base + up, places=inputs.places + up) if height else inputs


def _any_held(feet: tuple[Step, ...]) -> bool:
    return any(step.is_held for step in feet)


def _contacts(
    feet: tuple[Step, ...], model: Model, starts: Sequence[Array] = (), share: float = 1.0
) -> tuple[Contact, ...]:
    """Contact constraints of the held feet; with `starts` and `share` (0 to 1), interpolated from there to
    their goal positions.
    """
    return tuple(
        Contact(foot.link, step.goal if share >= 1.0 else starts[k] + share * (step.goal - starts[k]))
        for k, (foot, step) in enumerate(zip(model.feet, feet, strict=True))
        if step.is_held
    )


def _are_same(first: bodies.State, last: bodies.State) -> bool:
    apart = (
        np.abs(first.base_position - last.base_position).max(),
        np.abs(first.base_rotation - last.base_rotation).max(),
    )
    return bool(max(*apart, np.abs(first.joints - last.joints).max(initial=0.0)) < SAME)
