"""Tests that the compiled step of a whole body gives the results of the Python reference."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.kernel.library import KernelError, kernel
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.skeleton import End, Joint
from limber.solvers.limits import usual_limits
from limber.solvers.whole_body.body import Body, Coupling
from limber.solvers.whole_body.law import DEAD_BEAT, Law
from limber.solvers.whole_body.options import WholeBodyOptions
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import KinematicState, at_rest
from limber.solvers.whole_body.targets import Contact, Target, Values

from benchmarks.whole_body.printed import PaperLaw
from tests.solvers.bodies import DT, TRACKED, asks, follow, manikin, random_body, wave

pytestmark = pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel")

seeds = st.integers(0, 2**32 - 1)
ROUNDING = 1e-8  # tolerance of a step: 1e-12 times the condition number that remains with a damping of 1e-4
SAME_MOTION = 1e-9  # [rad or m] tolerance of whole motions
# tolerance of a step with constraints: the reference's springs are up to 1e11 times as stiff as its
# objective, so that it loses as many digits of the objective
SPRINGS = 1e-6


def reference(solver: WholeBody) -> WholeBody:
    """The same solver without the kernel."""
    other = WholeBody(solver.body, solver.targets, solver.options)
    other.compiled = None
    return other


def chain(count: int, **more) -> Body:
    """Hinges one after the other."""
    joints = [
        Joint(f"{k}", k - 1, IDENTITY, (0.0, 0.0, 0.1), (X, Y, Z)[k % 3], -2.0, 2.0) for k in range(count)
    ]
    links = [End(-1, name="base"), *(End(k, name=f"link {k}") for k in range(2, count, 3))]
    return Body(joints, links, **more)


class Case:
    """A random body with targets, limits and a frame's values, of which some are lost."""

    def __init__(
        self, seed: int, count: int, positions: str, gain: float, is_fixed: bool, is_far: bool
    ) -> None:
        draw = np.random.default_rng(seed)
        body, _, joints = random_body(random.Random(seed), count)
        body.floating = not is_fixed
        links = list(body.links)
        placed = {"everywhere": links, "at the base": ["base"], "nowhere": []}[positions]
        weights = iter(draw.uniform(0.0, 2.0, 2 * len(links)).tolist())
        targets = [Target(link, weight=next(weights)) for link in links if draw.random() < 0.8]
        targets += [Target(link, "position", next(weights)) for link in placed]
        velocity, acceleration = (
            float(draw.uniform(0.2, 5.0)) if draw.random() < 0.5 else None for _ in "ab"
        )
        self.solver = WholeBody(
            body, targets, WholeBodyOptions(Law(gain), usual_limits(velocity, acceleration), posture_gain=5.0)
        )
        turn, position = wave(body, draw.uniform(0.0, 3.0))[1:]
        goal = body.lower + draw.random(len(body)) * (body.upper - body.lower) if is_far else joints
        near = np.clip(goal + 0.05 * draw.normal(size=len(body)), body.lower, body.upper)
        values = asks(body, at_rest(body, near, turn, position), targets)
        k, p = len(values.rotation), len(values.position)
        values.rotation[draw.random(k) < 0.1] = 0.0
        values.position[draw.random(p) < 0.1] = np.nan
        spins, speeds = draw.normal(size=(k, 3)), draw.normal(size=(p, 3))
        spins[draw.random(k) < 0.1] = np.inf
        posture = joints if draw.random() < 0.5 else None
        self.values = replace(values, angular_velocity=spins, linear_velocity=speeds, posture=posture)
        state = at_rest(body, joints, turn, position)
        velocity = np.concatenate([np.zeros(6), 0.1 * draw.normal(size=len(body))])
        sides = draw.integers(-1, 2, body.unknowns).astype(np.int8)
        sides[:6] = 0
        self.state = replace(state, velocity=velocity, sides=sides)


cases = st.builds(
    Case,
    seeds,
    st.integers(1, 40),
    st.sampled_from(["everywhere", "at the base", "nowhere"]),
    st.sampled_from([DEAD_BEAT, 10.0]),
    st.booleans(),
    st.booleans(),
)


def same(states: tuple[KinematicState, KinematicState], tolerance: float) -> None:
    ours, theirs = states
    for name in ("joints", "base_rotation", "base_position"):
        expected = getattr(theirs, name)
        np.testing.assert_allclose(getattr(ours, name), expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(ours.velocity, theirs.velocity, rtol=tolerance, atol=tolerance / DT)
    np.testing.assert_allclose(ours.frames.nodes, theirs.frames.nodes, rtol=tolerance, atol=10.0 * tolerance)


@given(cases)
def test_a_step_is_that_of_the_reference(case: Case) -> None:
    assert case.solver.compiled is not None
    ours, theirs = (
        solver.step(case.values, case.state, DT) for solver in (case.solver, reference(case.solver))
    )
    same((ours[1], theirs[1]), ROUNDING)
    for name in ("lost", "yielded", "rounds", "stopped"):
        assert getattr(ours[0], name) == getattr(theirs[0], name)
    assert np.array_equal(ours[0].bounded, theirs[0].bounded)


@pytest.mark.parametrize("velocity", [None, 1.0])
@pytest.mark.parametrize("size", [0.5, 1.5])
def test_a_motion_is_that_of_the_reference(velocity: float | None, size: float) -> None:
    solver = WholeBody(manikin(0.2), TRACKED, WholeBodyOptions(limits=usual_limits(velocity)))
    states = zip(follow(solver, 240, size), follow(reference(solver), 240, size), strict=True)
    bounded = 0
    for (_, ours, after), (_, _, expected) in states:
        same((after, expected), SAME_MOTION)
        bounded += ours.bounded.any()
    assert bounded > 100, "limits hold in many frames"


@pytest.mark.parametrize("count", [0, 1, 300])
def test_a_chain_of_any_length_moves_as_in_the_reference(count: int) -> None:
    body, draw = chain(count), np.random.default_rng(1)
    solver = WholeBody(
        body,
        [*map(Target, body.links), Target("base", "position")],
        WholeBodyOptions(limits=usual_limits(1.0)),
    )
    goal = at_rest(body, draw.uniform(-0.1, 0.1, count), np.eye(3), np.zeros(3))
    values, ours, theirs, plain = (
        asks(body, goal, solver.targets),
        solver.start(),
        solver.start(),
        reference(solver),
    )
    for _ in range(4):
        solution, ours = solver.step(values, ours, DT)
        theirs = plain.step(values, theirs, DT)[1]
        same((ours, theirs), ROUNDING)
        assert solution.bounded.any() == (count > 1)


class ConstrainedCase:
    """A random body with couplings, targets of several levels, and contacts near their positions."""

    def __init__(self, seed: int, count: int, contacts: int, couplings: int, levels: int) -> None:
        draw = np.random.default_rng(seed)
        body, _, joints = random_body(random.Random(seed), count)
        couplings = [self.coupling(draw, f"coupling {k}", body, joints) for k in range(couplings)]
        body = Body(body.joints, body.link_ends, bool(draw.random() < 0.7), couplings=couplings)
        links = list(body.links)
        targets = [
            Target(link, kind, float(draw.uniform(0.0, 2.0)), level=int(draw.integers(levels)))
            for kind, share in (("orientation", 0.6), ("position", 0.4))
            for link in links
            if draw.random() < share
        ]
        velocity = float(draw.uniform(0.2, 5.0)) if draw.random() < 0.5 else None
        self.solver = WholeBody(body, targets, WholeBodyOptions(limits=usual_limits(velocity)))
        turn, position = wave(body, draw.uniform(0.0, 3.0))[1:]
        self.state = at_rest(body, joints, turn, position)
        moved = joints + draw.choice([0.05, 0.5]) * draw.normal(size=count)
        goal = at_rest(body, np.clip(moved, body.lower, body.upper), turn, position)
        self.values = replace(
            asks(body, goal, targets),
            contacts=tuple(
                self.contact(draw, body, str(link), self.state)
                for link in draw.choice(links, min(contacts, len(links)), replace=False)
            ),
        )

    @staticmethod
    def coupling(draw: np.random.Generator, name: str, body: Body, joints: np.ndarray) -> Coupling:
        """A coupling of up to three joints that holds at first: equal, between bounds, or one-sided."""
        chosen = draw.choice(len(body.names), min(len(body.names), int(draw.integers(1, 4))), replace=False)
        factors = {body.names[k]: float(draw.choice([1.0, -1.0, 0.5, 1.7])) for k in chosen}
        at = sum(factor * float(joints[body.names.index(joint)]) for joint, factor in factors.items())
        below, above = draw.choice([0.0, 0.1, math.inf]), draw.choice([0.0, 0.05])
        return Coupling(name, factors, at - below, at + above)

    @staticmethod
    def contact(draw: np.random.Generator, body: Body, link: str, state: KinematicState) -> Contact:
        frame = body.placed(state.frames, body.link_indices([link]))[0]
        place = frame[:3, 3] + state.base_position + 0.01 * draw.normal(size=3)
        return Contact(link, place, frame[:3, :3] if draw.random() < 0.3 else None)


constrained_cases = st.builds(
    ConstrainedCase, seeds, st.integers(1, 30), st.integers(0, 2), st.integers(0, 3), st.integers(1, 3)
)


@given(constrained_cases)
def test_contacts_couplings_and_levels_are_those_of_the_reference(case: ConstrainedCase) -> None:
    ours, theirs = (
        solver.step(case.values, case.state, DT) for solver in (case.solver, reference(case.solver))
    )
    assert ours[0].yielded == theirs[0].yielded
    same((ours[1], theirs[1]), SPRINGS)


@pytest.mark.parametrize("share", [1e-5, 1e-4, 5e-4])
def test_couplings_that_contradict_each_other_little_and_much_are_violated_least(share: float) -> None:
    """A row that is violated by a small share of the largest violation counts, too."""
    values = 0.02 * np.array([2.0, 0.0, 1.0 + share])
    couplings = [Coupling(f"{k}", {"0": 1.0}, value, value) for k, value in enumerate(values.tolist())]
    solver = WholeBody(chain(1, couplings=couplings), [Target("base")])
    goal, state = Values(np.eye(3)[None]), solver.start()
    for each in (solver, reference(solver)):
        assert each.step(goal, state, DT)[0].joints == pytest.approx([values.mean()], abs=1e-7)


def test_a_motion_on_planted_feet_is_that_of_the_reference() -> None:
    couplings = [Coupling("elbows", {"left forearm x": 1.0, "right forearm x": -1.0}, 0.0, 0.0)]
    targets = [replace(target, level=int("arm" in target.link)) for target in TRACKED]
    solver = WholeBody(manikin(0.15, couplings=couplings), targets)
    first = solver.start(base_rotation=wave(solver.body, 0.0)[1], base_position=wave(solver.body, 0.0)[2])
    frames = solver.body.placed(first.frames, solver.body.link_indices(["left foot", "right foot"]))
    feet = tuple(
        Contact(name, frame[:3, 3] + first.base_position)
        for name, frame in zip(("left foot", "right foot"), frames, strict=True)
    )

    def planted(step: int, values: Values) -> Values:
        return replace(values, contacts=feet[: 2 - step // 20 % 3])

    motions = (follow(each, 120, 0.2, first, planted) for each in (solver, reference(solver)))
    bounded = 0
    for (_, ours, after), (_, theirs, expected) in zip(*motions, strict=True):
        same((after, expected), SPRINGS)
        assert ours.yielded == theirs.yielded
        bounded += ours.bounded.any()
    assert bounded > 20


def test_another_law_is_left_to_the_reference() -> None:
    assert WholeBody(chain(3), [Target("link 2")], WholeBodyOptions(PaperLaw())).compiled is None
    assert WholeBody(chain(3), [Target("link 2")]).compiled is not None


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e200])
def test_a_state_that_is_not_finite_is_refused(value: float) -> None:
    solver = WholeBody(chain(5), [Target("link 2")])
    state = solver.start()
    joints = state.joints.copy()
    joints[2] = value
    with pytest.raises(KernelError, match="not finite"):
        solver.step(Values(np.eye(3)[None]), replace(state, joints=joints), DT)
