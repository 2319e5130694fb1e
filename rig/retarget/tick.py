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
from ...solvers.whole_body.targets import Target, Values

STEP = 1 / 60  # [s] the solver's longest step: each is a linearisation, and capture at 24 frames a second turns limbs by 20 degrees a frame
AT_REST = 1e-5  # [rad/s or m/s] of the fastest joint and the base: nobody sees it
VAIN = 120  # steps toward targets that stand still, after which what still creeps is no gain
BASE_WEIGHT = 100.0  # [rad^2/m^2] of the base's place: a centimetre counts as six degrees of one link


@dataclass(frozen=True)
class Model:
    """What seldom changes: the body, what of it follows, and how."""

    body: Body
    solver: WholeBody
    base: str  # the link that is the base

    @property
    def floating(self) -> bool:
        return self.body.floating


class Wanted(NamedTuple):
    """Where links should be, in the armature's space."""

    rotation: Array  # (k, 3, 3) of the links that follow; NaN: lost
    base: Array  # (3,) [m] place of the base
    base_frame: Array  # (4, 4) of the base as it is authored, where it does not float

    def equals(self, other: "Wanted") -> bool:
        return all(np.array_equal(mine, others, equal_nan=True) for mine, others in zip(self, other, strict=True))


@dataclass(frozen=True)
class BodyState:
    """What the next frame needs of this one."""

    state: bodies.State
    wanted: Wanted
    vain: int  # steps since the targets stand still


@dataclass(frozen=True)
class Outputs:
    """What one tick says."""

    state: bodies.State
    missed: Array  # (k,) [rad] by which links miss their orientation; NaN where it is lost
    base_missed: float  # [m]
    lost: tuple[str, ...]  # links without a target in this frame
    bounded: tuple[str, ...]  # joints at a limit
    at_rest: bool
    seconds: float


def make_model(body: Body, links: list[tuple[str, float]], base: str, velocity: float = 0.0, gain: float = 0.0) -> Model:
    """The body as tick wants it.

    Args:
        body: The body.
        links: Those that follow, with their weights.
        base: The link that is the base.
        velocity: [rad/s, slides m/s] limit of all joints; 0: none.
        gain: [1/s] how soon errors are corrected; 0: at once.
    """
    targets = [Target(link, weight=weight) for link, weight in links]
    if body.floating:
        targets.append(Target(base, "position", BASE_WEIGHT))
    law = Law(gain=gain) if gain else Law()
    return Model(body, WholeBody(body, targets, Options(law=law, limits=Limits(velocity=velocity or None))), base)


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
        vain, lost, bounded = 0, (), ()
    else:
        state = _carried(model, before.state, wanted)
        again = before.wanted.equals(wanted)
        vain, lost, bounded = before.vain if again else 0, (), ()
        steps = ceil(dt / STEP - 1e-6) if dt > 0.0 and vain < VAIN else 0
        speeds = _speeds(before.wanted, wanted, dt) if steps and np.isfinite(solver.options.law.gain) else None
        for k in range(steps):
            part = _between(before.wanted, wanted, (k + 1) / steps) if not again else wanted
            solution, state = solver.step(_values(model, part, speeds), state, dt / steps)
            lost = solution.lost
            bounded = tuple(name for name, held in zip(model.body.names, solution.bounded.tolist(), strict=True) if held)
        vain += steps
        if again and steps and np.abs(state.velocity).max() < AT_REST:
            vain = VAIN
    missed, base_missed = solver.missed(_values(model, wanted), state)
    outputs = Outputs(
        state,
        missed,
        float(base_missed[0]) if model.floating else 0.0,
        lost,
        bounded,
        vain >= VAIN,
        perf_counter() - begun,
    )
    return outputs, BodyState(state, wanted, vain)


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


def _values(model: Model, wanted: Wanted, speeds: Array | None = None) -> Values:
    place = wanted.base[None] if model.floating else np.zeros((0, 3))
    return Values(wanted.rotation, place, speeds)


def _between(first: Wanted, last: Wanted, share: float) -> Wanted:
    """Targets on their way from one frame to the next."""
    if share >= 1.0:
        return last
    known = np.isfinite(first.rotation).all((1, 2))
    start = np.where(known[:, None, None], first.rotation, last.rotation)
    turned = exp(share * log(last.rotation @ start.swapaxes(1, 2))) @ start
    base = first.base + share * (last.base - first.base)
    return Wanted(turned, base, last.base_frame)


def _speeds(first: Wanted, last: Wanted, dt: float) -> Array:
    """Angular velocities (k, 3) [rad/s] of the targets between two frames."""
    speeds: Array = log(last.rotation @ first.rotation.swapaxes(1, 2)) / dt
    return speeds
