"""Solving limb by limb finds what solving the whole at once finds, and keeps to bounds."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.skeleton import End, Joint
from limber.solvers.least_squares import box
from limber.solvers.limits import usual_limits
from limber.solvers.whole_body.articulated import Limbs
from limber.solvers.whole_body.body import Body
from limber.solvers.whole_body.limbs import limbs_of
from limber.solvers.whole_body.normal import Normal
from limber.solvers.whole_body.solver import Options, WholeBody
from limber.solvers.whole_body.state import at_rest
from limber.solvers.whole_body.targets import Target

from tests.solvers.bodies import asks, random_body, wave

often = settings(derandomize=True, deadline=None, max_examples=60)
seeds = st.integers(0, 10**6)
DAMPING = 1e-3


def both_ways(body: Body, joints: np.ndarray, draw: np.random.Generator, positions: str):
    """The same least squares, limb by limb and at once; position targets "everywhere", "at the base" or
    nowhere.
    """
    links = np.arange(len(body.links))
    turning = links[draw.random(len(links)) < 0.8]
    placed = {"everywhere": links, "at the base": np.array([body.links["base"]]), "nowhere": links[:0]}[
        positions
    ]
    turn, position = wave(body, draw.uniform(0.0, 3.0))[1:]
    frames = at_rest(body, joints, turn, position).frames
    asked = (
        frames,
        draw.uniform(0.0, 2.0, len(turning)),
        draw.normal(size=(len(turning), 3)),
        body.placed(frames, placed)[:, :3, 3],
        draw.uniform(0.0, 2.0, len(placed)),
        draw.normal(size=(len(placed), 3)),
    )
    damped, drawn = draw.uniform(DAMPING, 2.0 * DAMPING, body.unknowns), draw.normal(size=body.unknowns)
    normal = Normal(body, turning, placed)
    matrix, vector = normal.equations(*asked)
    dense = box.Dense(matrix + np.diag(damped), vector + drawn)
    return Limbs(body, turning, placed).equations(*asked, damped, drawn), dense


def any_box(body: Body, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of which some are infinite and some pin their unknown, the base's too."""
    lower, upper = -draw.uniform(0.0, 1.0, body.unknowns), draw.uniform(0.0, 1.0, body.unknowns)
    kind = draw.integers(0, 6, body.unknowns)
    lower[kind < 2], upper[(kind == 1) | (kind == 2)] = -np.inf, np.inf
    upper[kind == 3] = lower[kind == 3]
    return lower, upper


def same(limbs: box.Quadratic, dense: box.Dense, lower: np.ndarray, upper: np.ndarray) -> None:
    by_limbs, at_once = box.minimum(limbs, lower, upper), box.minimum(dense, lower, upper)
    assert by_limbs.x == pytest.approx(at_once.x, rel=1e-10, abs=1e-10 * (1.0 + np.abs(at_once.x).max()))
    assert np.array_equal(by_limbs.sides, at_once.sides)


@often
@given(seeds, st.integers(1, 40), st.sampled_from(["everywhere", "at the base", "nowhere"]))
def test_any_tree_within_any_box_comes_to_the_same_limb_by_limb_as_at_once(seed, count, positions):
    draw = np.random.default_rng(seed)
    body, _, joints = random_body(random.Random(seed), count)
    limbs, dense = both_ways(body, joints, draw, positions)
    unbounded = np.full(body.unknowns, np.inf)
    same(limbs, dense, -unbounded, unbounded)
    same(limbs, dense, *any_box(body, draw))


def chain(count: int) -> Body:
    """Hinges one after the other."""
    joints = [
        Joint(f"{k}", k - 1, IDENTITY, (0.0, 0.0, 0.1), (X, Y, Z)[k % 3], -2.0, 2.0) for k in range(count)
    ]
    return Body(joints, [End(-1, name="base"), *(End(k, name=f"link {k}") for k in range(2, count, 3))])


@pytest.mark.parametrize("count", [0, 1, 16, 17, 100])
def test_a_chain_longer_than_a_limb_comes_to_the_same(count):
    draw, body = np.random.default_rng(count), chain(count)
    limbs, dense = both_ways(body, draw.uniform(-1.0, 1.0, count), draw, "everywhere")
    same(limbs, dense, *any_box(body, draw))


def test_the_slope_of_what_is_held_is_that_of_the_whole():
    draw, body = np.random.default_rng(5), chain(40)
    limbs, dense = both_ways(body, draw.uniform(-1.0, 1.0, 40), draw, "at the base")
    lower, upper = -draw.uniform(0.0, 1.0, (2, body.unknowns)) * [[1.0], [-1.0]]
    sides = draw.integers(-1, 2, body.unknowns).astype(np.int8)
    held = np.where(sides < 0, lower, np.where(sides > 0, upper, 0.0))
    slopes = [way.free(sides, held)[1] for way in (limbs, dense)]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-9, abs=1e-9)
    assert np.abs(slopes[0]).max() > 1.0


def test_limbs_end_at_branches_and_at_the_longest_and_carriers_come_first():
    parents = [-1, 0, 1, 1, 3, 4, 5, -1]
    limbs, above = limbs_of(parents, longest=3)
    assert limbs == [[0, 1], [2], [3, 4, 5], [6], [7]]
    assert above == [-1, 0, 0, 2, -1]


def test_a_large_body_is_solved_by_limbs_and_moves_as_if_at_once():
    body, draw = chain(300), np.random.default_rng(1)
    solvers = [
        WholeBody(
            body, [*map(Target, body.links), Target("base", "position")], Options(limits=usual_limits(1.0))
        )
        for _ in range(2)
    ]
    assert solvers[0]._limbs.is_quicker
    solvers[1]._limbs.is_quicker = False
    values = asks(
        body, at_rest(body, draw.uniform(-0.1, 0.1, 300), np.eye(3), np.zeros(3)), solvers[0].targets
    )
    states = [solver.start() for solver in solvers]
    for _ in range(4):
        stepped = [
            solver.step(values, state, 1.0 / 60.0) for solver, state in zip(solvers, states, strict=True)
        ]
        states = [state for _, state in stepped]
        assert stepped[0][0].bounded.any()
        assert np.array_equal(stepped[0][0].bounded, stepped[1][0].bounded)
        assert states[0].joints == pytest.approx(states[1].joints, abs=1e-10)
