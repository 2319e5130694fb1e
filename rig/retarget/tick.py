"""One frame of a body that follows another: targets and state in, joints and base and the next state out, without side effects.

Live, baking and streaming all call this, so that they are the same motion.
"""

from dataclasses import dataclass, replace
from math import ceil
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...solvers.whole_body import state as bodies
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.law import Law
from ...solvers.whole_body.limits import Limits
from ...solvers.whole_body.so3 import Array, exp, log
from ...solvers.whole_body.solver import Options, WholeBody
from ...solvers.whole_body.targets import Contact, Target, Values

STEP = 1 / 60  # [s] the solver's longest step: each is a linearisation, and capture at 24 frames a second turns limbs by 20 degrees a frame
AT_REST = 1e-5  # [rad/s or m/s] of the fastest joint and the base: nobody sees it
VAIN = 120  # steps without gain toward targets that stand still, after which what still creeps will bring none
GAIN = 0.02  # of what is missed: less is no gain. The slowest limit that anybody sets brings a hundredth of a turn within two seconds
STANDS = 0.15  # [m/s] a foot of the source that is slower stands: capture of one that does is noisy
LIFTS = 0.3  # [m/s] one that is faster is lifted: further up, so that noise does not lift it
FLOOR = 0.08  # [m] above the lower of the feet: higher ones are in the air
DRIFT = 0.1  # [m] of the source's foot from where it was when the body's was planted: then it has been dragged
BASE_WEIGHT = 100.0  # [rad^2/m^2] of the base's place: a centimetre counts as six degrees of one link


@dataclass(frozen=True)
class Model:
    """What seldom changes: the body, what of it follows, and how."""

    body: Body
    solver: WholeBody
    base: str  # the link that is the base
    feet: tuple[str, ...] = ()  # links that stay where they are while their sources stand

    @property
    def floating(self) -> bool:
        return self.body.floating


class Wanted(NamedTuple):
    """Where links should be, in the armature's space."""

    rotation: Array  # (k, 3, 3) of the links that follow; NaN: lost
    base: Array  # (3,) [m] place of the base
    base_frame: Array  # (4, 4) of the base as it is authored, where it does not float
    feet: Array  # (f, 3) [m] where the sources of the body's feet are, in the body's size
    base_known: bool = True  # the base's place comes from its source; False: it is the authored one

    def equals(self, other: "Wanted") -> bool:
        return all(np.array_equal(mine, others, equal_nan=True) for mine, others in zip(self, other, strict=True))


class Velocities(NamedTuple):
    """Velocities of the targets, fed forward so that a gain follows motion without lag; None: not known."""

    angular: Array | None = None  # (k, 3) [rad/s]
    linear: Array | None = None  # (1, 3) [m/s] of the base


UNKNOWN = Velocities()


class Planted(NamedTuple):
    """A foot that stands."""

    link: str
    place: Array  # (3,) [m] where it stays
    source: Array  # (3,) [m] where its source was then, in the body's size


@dataclass(frozen=True)
class BodyState:
    """What the next frame needs of this one."""

    model: "Model"  # that has answered; another one may do better
    state: bodies.State
    wanted: Wanted
    vain: int  # steps since the targets stand still and are missed by no less
    nearest: float  # root of the sum of squares [rad, m] by which they were missed then
    planted: tuple["Planted", ...] = ()


@dataclass(frozen=True)
class Outputs:
    """What one tick says."""

    state: bodies.State
    missed: Array  # (k,) [rad] by which links miss their orientation; NaN where it is lost
    base_missed: float  # [m]
    lost: tuple[str, ...]  # links without a target in this frame
    planted: tuple[str, ...]  # feet that stand
    bounded: tuple[str, ...]  # joints at a limit
    at_rest: bool
    seconds: float


def make_model(
    body: Body, links: list[Target], base: str, limits: Limits | None = None, gain: float = 0.0, feet: tuple[str, ...] = ()
) -> Model:
    """The body as tick wants it.

    Args:
        body: The body.
        links: Those that follow, each turning as its source does.
        base: The link that is the base.
        limits: How fast joints may move.
        gain: [1/s] how soon errors are corrected; 0: at once.
        feet: Links that stay where they are while their sources stand.
    """
    targets = [*links, *([Target(base, "position", BASE_WEIGHT)] if body.floating else [])]
    law = Law(gain=gain) if gain else Law()
    return Model(body, WholeBody(body, targets, Options(law=law, limits=limits or Limits())), base, feet)


def tick(model: Model, wanted: Wanted, before: BodyState | None, dt: float) -> tuple[Outputs, BodyState]:
    """The body's next frame.

    Args:
        model: The body.
        wanted: What its links should do.
        before: What the last tick returned; None at a new start, where the body begins at rest as near to its targets as it can be.
        dt: Time since then [s]; 0 leaves the body where it is.
    """
    begun = perf_counter()
    solver = model.solver
    if before is None:
        state = _begin(model, wanted)
        again, steps, vain, lost, bounded, planted = False, 0, 0, (), (), ()
    else:
        state = _carried(model, before.state, wanted)
        again = before.model is model and before.wanted.equals(wanted)
        planted = _planted(model, wanted, before, dt) if dt > 0.0 else before.planted
        vain, lost, bounded = before.vain if again else 0, (), ()
        steps = ceil(dt / STEP - 1e-6) if dt > 0.0 and vain < VAIN else 0
        late = np.isfinite(solver.options.law.gain) or solver.options.limits.acceleration is not None
        velocities = _velocities(before.wanted, wanted, dt) if steps and late else UNKNOWN
        for k in range(steps):
            part = _between(before.wanted, wanted, (k + 1) / steps) if not again else wanted
            solution, state = solver.step(_values(model, part, velocities, planted), state, dt / steps)
            lost = solution.lost
            planted = tuple(foot for foot in planted if f"contact of {foot.link}" not in solution.yielded)
            bounded = tuple(name for name, held in zip(model.body.names, solution.bounded.tolist(), strict=True) if held)
    missed, base_missed = solver.missed(_values(model, wanted), state)
    miss = float(np.sqrt(np.nansum(missed**2) + np.sum(base_missed**2)))
    nearest = before.nearest if before is not None and again else np.inf
    vain, nearest = (0, miss) if miss < (1.0 - GAIN) * nearest else (vain + steps, nearest)
    if again and steps and np.abs(state.velocity).max() < AT_REST:
        vain = VAIN
    outputs = Outputs(
        state,
        missed,
        float(base_missed[0]) if model.floating else 0.0,
        lost,
        tuple(foot.link for foot in planted),
        bounded,
        vain >= VAIN,
        perf_counter() - begun,
    )
    return outputs, BodyState(model, state, wanted, vain, nearest, planted)


def _begin(model: Model, wanted: Wanted) -> bodies.State:
    """At rest where the targets are met as well as can be, found from the joints' own zero: wherever the body was before."""
    base = wanted.base_frame
    first = model.solver.start(np.zeros(len(model.body)), base[:3, :3], wanted.base if model.floating else base[:3, 3])
    return model.solver.settled(_values(model, wanted), first)


def _carried(model: Model, state: bodies.State, wanted: Wanted) -> bodies.State:
    """A base that does not float goes where it is authored."""
    if model.floating:
        return state
    turn, place = wanted.base_frame[:3, :3], wanted.base_frame[:3, 3]
    return replace(state, base_rotation=turn, base_position=place, frames=model.body.forward(turn, state.joints))


def _values(model: Model, wanted: Wanted, velocities: Velocities = UNKNOWN, planted: tuple[Planted, ...] = ()) -> Values:
    place = wanted.base[None] if model.floating else np.zeros((0, 3))
    linear = velocities.linear if model.floating else None
    contacts = tuple(Contact(foot.link, foot.place) for foot in planted)
    return Values(wanted.rotation, place, velocities.angular, linear, contacts)


def _planted(model: Model, wanted: Wanted, before: BodyState, dt: float) -> tuple[Planted, ...]:
    """The feet that stand from now on, each where the body had it when its source came to stand."""
    if not model.feet or wanted.feet.shape != before.wanted.feet.shape:
        return ()
    speeds = np.linalg.norm(wanted.feet - before.wanted.feet, axis=1) / dt
    floor = np.min(wanted.feet[:, 2], where=np.isfinite(wanted.feet[:, 2]), initial=np.inf) + FLOOR
    stood = {foot.link: foot for foot in before.planted}
    frames = before.state.frames
    found = []
    for link, place, speed in zip(model.feet, wanted.feet, speeds, strict=True):
        if not place[2] <= floor:  # in the air, or not known
            continue
        foot = stood.get(link)
        if foot is not None and speed < LIFTS and np.linalg.norm(place - foot.source) < DRIFT:
            found.append(foot)
        elif foot is None and speed < STANDS:
            at = model.body.placed(frames, model.body.rows([link]))[0, :3, 3] + before.state.base_position
            found.append(Planted(link, at, place))
    return tuple(found)


def _between(first: Wanted, last: Wanted, share: float) -> Wanted:
    """Targets on their way from one frame to the next."""
    if share >= 1.0:
        return last
    known = np.isfinite(first.rotation).all((1, 2))
    start = np.where(known[:, None, None], first.rotation, last.rotation)
    turned = exp(share * log(last.rotation @ start.swapaxes(1, 2))) @ start
    base = first.base + share * (last.base - first.base)
    return last._replace(rotation=turned, base=base)


def _velocities(first: Wanted, last: Wanted, dt: float) -> Velocities:
    """Mean velocities of the targets between two frames; NaN of what was not known in both: it is approached, not followed."""
    linear = (last.base - first.base) / dt if first.base_known and last.base_known else np.full(3, np.nan)
    return Velocities(log(last.rotation @ first.rotation.swapaxes(1, 2)) / dt, linear[None])
