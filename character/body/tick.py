"""One frame of a body that follows a motion: targets and state in; joint values, base pose and the next state out. Pure functions.

Live motion, baking and streaming all call it, so their results are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

import numpy as np

from ...solvers.kinematics.se3 import Array, exponential, logarithm
from ...solvers.limits import Limit, usual_limits
from ...solvers.whole_body import state as bodies
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.full_solve import settled
from ...solvers.whole_body.law import Law
from ...solvers.whole_body.solver import Options, WholeBody
from ...solvers.whole_body.targets import Contact, Target, Values
from .feet import Floor, Foot, Step, first, following, place, rise, slipped

STEP = 1 / 60  # [s] the solver's longest step, a linearisation: captured limbs rotate by 20 degrees per frame at 24 frames a second
AT_REST = 1e-5  # [rad/s or m/s] of the fastest joint and the base: not visible
STALLED = 120  # steps without progress toward constant targets after which the body counts as at rest
GAIN = 0.02  # relative decrease of the error that counts as progress: the lowest usual velocity limits achieve it within STALLED steps
LOOKS = 2  # solves of a first frame with held feet: the foot's tilt after the first one gives its height for the second
SAME = 1e-6  # [rad or m] if the bodies with and without a floor differ by less, they count as equal
BASE_WEIGHT = 100.0  # [rad^2/m^2] weight of the base's position error: a centimetre counts as six degrees of one link


@dataclass(frozen=True)
class Model:
    """The mover of a body: its model, which links follow targets, and motion settings. It rarely changes."""

    body: Body
    solver: WholeBody
    base: str  # the link that is the base
    feet: tuple[Foot, ...] = ()  # those that stand on the floor while their sources stand

    @property
    def floating(self) -> bool:
        return self.body.floating

    def tick(self, inputs: "BodyInputs | None", state: "BodyState | None", dt: float) -> tuple["Outputs", "BodyState"]:
        """The body's next frame; see `Mover.tick`."""
        if inputs is None and state is not None:
            inputs = state.inputs
        if inputs is None:
            raise ValueError("a body that has not moved yet needs inputs")
        return tick(self, inputs, state, dt)


NOWHERE = np.full(3, np.nan)
NO_PLACES = np.zeros((0, 3))
NO_POSTURE = np.zeros(0)


class BodyInputs(NamedTuple):
    """Target poses of the links in a frame, in armature space."""

    rotation: Array  # (k, 3, 3) of the links with targets; NaN: lost
    base: Array  # (3,) [m] position of the base
    base_frame: Array  # (4, 4) authored frame of the base, used if it does not float
    feet: Array  # (f, 3) [m] positions of the source feet, scaled to the body; z is the height above their standing height
    floor_up: Array = NOWHERE  # (3,) normal of the floor; NaN: not known
    floor_height: float = np.nan  # [m] height of the floor along its normal
    base_known: bool = True  # whether the base's position comes from its source; False: it is authored
    places: Array = NO_PLACES  # (p, 3) [m] of the links whose position counts; NaN: lost
    posture: Array = NO_POSTURE  # (n,) [rad or m] to which joints return that no link's target determines; empty: they stay

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BodyInputs):
            return False
        return all(np.array_equal(np.asarray(one), np.asarray(two), equal_nan=True) for one, two in zip(self, other, strict=True))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise TypeError("it is compared, never looked up")


class Velocities(NamedTuple):
    """Velocities of the targets for feed-forward, by which links follow moving targets without lag; None: unknown."""

    angular: Array | None = None  # (k, 3) [rad/s]
    linear: Array | None = None  # (p, 3) [m/s] of the links whose position counts, and of a base that floats


UNKNOWN = Velocities()


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


@dataclass(frozen=True)
class Outputs:
    """Result of one tick of a body: its state, errors of its targets, contacts and active limits."""

    state: bodies.State
    missed: Array  # (k,) [rad] orientation errors of the links; NaN: target lost
    base_missed: float  # [m]
    lost: tuple[str, ...]  # links without a target in this frame
    planted: tuple[str, ...]  # feet in contact with the floor
    bounded: tuple[str, ...]  # joints at a limit
    violated: tuple[str, ...]  # couplings of joints that cannot be kept
    at_rest: bool


def make_model(
    body: Body,
    links: list[Target],
    base: str,
    limits: tuple[Limit, ...] | None = None,
    gain: float = 0.0,
    feet: tuple[Foot, ...] = (),
    posture_gain: float = 0.0,
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
    """
    targets = [*links, *([Target(base, "position", BASE_WEIGHT)] if body.floating else [])]
    law = Law(gain=gain) if gain else Law()
    return Model(body, WholeBody(body, targets, Options(law, limits or usual_limits(), posture_gain=posture_gain)), base, feet)


def tick(model: Model, inputs: BodyInputs, before: BodyState | None, dt: float) -> tuple[Outputs, BodyState]:
    """The body's next frame.

    Args:
        model: The mover.
        inputs: Target poses.
        before: State that the last tick returned; None at a new start, where the body begins at rest, as near to its targets as possible.
        dt: Time step [s]; 0 does not move the body.
    """
    solver = model.solver
    lost: tuple[str, ...] = ()
    bounded: tuple[str, ...] = ()
    if before is None:
        free = _begin(model, inputs)
        again, steps, stalled = False, 0, 0
        state, feet = free, first(model.body, model.feet, inputs.feet, _floor(inputs), free)
        for _ in range(LOOKS if _any_held(feet) else 0):
            state = settled(solver, _values(model, _raised(inputs, rise(feet)), contacts=_contacts(feet, model)), state)
            feet = first(model.body, model.feet, inputs.feet, _floor(inputs), free, state)
    else:
        again = before.model is model and before.inputs == inputs
        stalled = before.stalled if again else 0
        steps = ceil(dt / STEP - 1e-6) if dt > 0.0 and stalled < STALLED else 0
        late = np.isfinite(solver.options.law.gain) or solver.acceleration is not None
        velocities = _velocities(before.inputs, inputs, dt) if steps and late else UNKNOWN
        state, free = (_carried(model, own, inputs) for own in (before.state, before.free))
        was_free = before.state is before.free
        feet = before.feet if len(before.feet) == len(model.feet) else first(model.body, model.feet, inputs.feet, _floor(inputs), free)
        on_way = [inputs if again else _between(before.inputs, inputs, (k + 1) / steps) for k in range(steps)]
        for part in on_way:
            solution, free = solver.step(_values(model, part, velocities), free, dt / steps)
        if steps and model.feet:
            sources, then = (before.inputs.feet, inputs.feet), (before.free, free)
            feet = following(model.body, model.feet, feet, sources, _floor(inputs), then, before.state, dt)
        if was_free and not _any_held(feet):
            state = free
        elif steps:
            starts = [place(model.body, foot, before.state) for foot in model.feet]
            for k, part in enumerate(on_way):
                contacts = _contacts(feet, model, starts, (k + 1) / steps)
                part = _raised(part, rise(before.feet) + (k + 1) / steps * (rise(feet) - rise(before.feet)))
                solution, state = solver.step(_values(model, part, velocities, contacts), state, dt / steps)
            feet = tuple(
                slipped(model.body, foot, step, free, state) if f"contact of {foot.link}" in solution.yielded else step
                for foot, step in zip(model.feet, feet, strict=True)
            )
            state = free if not _any_held(feet) and _are_same(free, state) else state
        if steps:
            lost = solution.lost
            bounded = tuple(name for name, held in zip(model.body.names, solution.bounded.tolist(), strict=True) if held)
    missed, distances = solver.missed(_values(model, inputs), state)
    miss = float(np.sqrt(np.nansum(missed**2) + np.nansum(distances**2)))
    nearest = before.nearest if before is not None and again else np.inf
    returns = len(inputs.posture) > 0 and np.abs(state.velocity).max() >= AT_REST
    stalled, nearest = (0, miss) if miss < (1.0 - GAIN) * nearest or returns else (stalled + steps, nearest)
    if again and steps and np.abs(state.velocity).max() < AT_REST:
        stalled = STALLED
    outputs = Outputs(
        state,
        missed,
        float(distances[-1]) if model.floating else 0.0,
        lost,
        tuple(foot.link for foot, step in zip(model.feet, feet, strict=True) if step.is_planted),
        bounded,
        model.body.violated(state.joints),
        stalled >= STALLED,
    )
    return outputs, BodyState(model, state, inputs, stalled, nearest, free, feet)


def _begin(model: Model, inputs: BodyInputs) -> bodies.State:
    """State at rest that best meets the targets, solved from the inputs' posture, else from the joints' zero."""
    base = inputs.base_frame
    first = model.solver.start(
        inputs.posture if len(inputs.posture) else None, base[:3, :3], inputs.base if model.floating else base[:3, 3]
    )
    return settled(model.solver, _values(model, inputs), first)


def _carried(model: Model, state: bodies.State, inputs: BodyInputs) -> bodies.State:
    """The state with the base at its authored pose if it does not float."""
    if model.floating:
        return state
    turn, place = inputs.base_frame[:3, :3], inputs.base_frame[:3, 3]
    return replace(state, base_rotation=turn, base_position=place, frames=model.body.forward(state.joints, turn))


def _values(model: Model, inputs: BodyInputs, velocities: Velocities = UNKNOWN, contacts: tuple[Contact, ...] = ()) -> Values:
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


def _contacts(feet: tuple[Step, ...], model: Model, starts: Sequence[Array] = (), share: float = 1.0) -> tuple[Contact, ...]:
    """Contact constraints of the held feet; with `starts` and `share` (0 to 1), interpolated from there to their goal positions."""
    return tuple(
        Contact(foot.link, step.goal if share >= 1.0 else starts[k] + share * (step.goal - starts[k]))
        for k, (foot, step) in enumerate(zip(model.feet, feet, strict=True))
        if step.is_held
    )


def _are_same(first: bodies.State, last: bodies.State) -> bool:
    apart = np.abs(first.base_position - last.base_position).max(), np.abs(first.base_rotation - last.base_rotation).max()
    return bool(max(*apart, np.abs(first.joints - last.joints).max(initial=0.0)) < SAME)


def _between(begin: BodyInputs, last: BodyInputs, share: float) -> BodyInputs:
    """Targets interpolated between two frames."""
    if share >= 1.0:
        return last
    known = np.isfinite(begin.rotation).all((1, 2))
    start = np.where(known[:, None, None], begin.rotation, last.rotation)
    turned = exponential(share * logarithm(last.rotation @ start.swapaxes(1, 2))) @ start
    base = begin.base + share * (last.base - begin.base)
    placed = np.isfinite(begin.places).all(1)[:, None]
    places = np.where(placed, begin.places + share * (last.places - begin.places), last.places)
    return last._replace(rotation=turned, base=base, places=places)


def _velocities(first: BodyInputs, last: BodyInputs, dt: float) -> Velocities:
    """Mean velocities of the targets between two frames; NaN for targets that are not known in both, which are then approached without
    feed-forward.
    """
    base = (last.base - first.base) / dt if first.base_known and last.base_known else np.full(3, np.nan)
    linear = np.vstack([(last.places - first.places) / dt, base])
    return Velocities(logarithm(last.rotation @ first.rotation.swapaxes(1, 2)) / dt, linear)
