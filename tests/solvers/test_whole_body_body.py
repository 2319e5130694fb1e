"""Tests that a body's kinematics are the skeleton's, and that the normal equations are those of its
Jacobians.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.kinematics.rotations import IDENTITY, X, about, to_matrix
from limber.solvers.kinematics.se3 import exponential, logarithm
from limber.solvers.kinematics.skeleton import End, Joint, SkeletonError
from limber.solvers.kinematics.tree import BASE
from limber.solvers.whole_body.body import Body, Coupling
from limber.solvers.whole_body.normal import Normal
from limber.solvers.whole_body.state import at_rest, moved

from tests.solvers.bodies import LINKS, manikin, random_body
from tests.solvers.chains import any_turn

often = settings(derandomize=True, deadline=None, max_examples=60)
seeds = st.integers(0, 10**6)
SMALL = 1e-6  # [rad or m] step of central differences


def any_matrix(draw: random.Random) -> np.ndarray:
    return np.array(to_matrix(any_turn(draw)))


@often
@given(seeds)
def test_links_are_where_the_skeleton_has_them(seed):
    draw = random.Random(seed)
    body, tree, angles = random_body(draw, draw.randint(2, 12))
    frames = body.forward(angles)
    pose = tree.forward(angles.tolist())
    placed = body.placed(frames, np.arange(len(tree.ends)))
    for end in range(len(tree.ends)):
        rotation, position = tree.end_pose(pose, end)
        assert placed[end, :3, :3] == pytest.approx(np.array(to_matrix(rotation)), abs=1e-12)
        assert placed[end, :3, 3] == pytest.approx(np.array(position), abs=1e-12)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(seeds)
def test_jacobians_agree_with_finite_differences_of_a_moved_state(seed):
    draw = random.Random(seed)
    body, _, angles = random_body(draw, draw.randint(2, 9))
    body.lower[:], body.upper[:] = -np.inf, np.inf
    state = at_rest(body, angles, any_matrix(draw), np.array([1.0, 2.0, 3.0]))
    for link in range(len(body.links)):
        angular, linear = body.jacobian(state.frames, link)
        for k in range(body.unknowns):
            step = np.zeros(body.unknowns)
            step[k] = SMALL
            ahead, behind = (moved(body, state, sign * step, 1.0) for sign in (1.0, -1.0))
            one, other = (body.placed(end.frames, np.array([link]))[0] for end in (ahead, behind))
            turn = logarithm(one[:3, :3] @ other[:3, :3].T) / (2 * SMALL)
            move = (one[:3, 3] + ahead.base_position - other[:3, 3] - behind.base_position) / (2 * SMALL)
            assert angular[:, k] == pytest.approx(turn, abs=1e-7)
            assert linear[:, k] == pytest.approx(move, abs=1e-7)


@often
@given(seeds)
def test_normal_equations_are_those_of_the_jacobians(seed):
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    body, _, angles = random_body(draw, draw.randint(2, 12))
    links = np.arange(len(body.links))
    turning, placed = (
        np.array(draw.sample(list(links), draw.randint(0, len(links))), np.intp) for _ in range(2)
    )
    frames = body.forward(angles, any_matrix(draw))
    positions = body.placed(frames, placed)[:, :3, 3]
    turn_weights, weights = numbers.uniform(0, 2, len(turning)), numbers.uniform(0, 2, len(placed))
    turns, moves = numbers.normal(size=(len(turning), 3)), numbers.normal(size=(len(placed), 3))
    matrix, vector = Normal(body, turning, placed).equations(
        frames, turn_weights, turns, positions, weights, moves
    )

    jacobians = [body.jacobian(frames, int(k))[0] for k in turning] + [
        body.jacobian(frames, int(k))[1] for k in placed
    ]
    jacobian = np.concatenate([np.zeros((0, body.unknowns)), *jacobians])
    weight = np.repeat(np.append(turn_weights, weights), 3)
    assert matrix == pytest.approx(jacobian.T @ (weight[:, None] * jacobian), abs=1e-10)
    assert vector == pytest.approx(jacobian.T @ (weight * np.append(turns, moves)), abs=1e-10)


def test_a_position_at_the_bases_own_place_needs_nothing_of_the_tree():
    body = manikin()
    frames = body.forward(np.linspace(-1, 1, len(body)), exponential(np.array([0.3, -0.4, 0.5])))
    pelvis = body.link_indices(["pelvis"])
    normal = Normal(body, body.link_indices(LINKS), pelvis)
    assert normal.all_at_base
    matrix, vector = normal.equations(
        frames, np.ones(len(LINKS)), np.ones((len(LINKS), 3)), np.zeros((1, 3)), np.ones(1), np.ones((1, 3))
    )
    normal.all_at_base = False
    longer = normal.equations(
        frames, np.ones(len(LINKS)), np.ones((len(LINKS), 3)), np.zeros((1, 3)), np.ones(1), np.ones((1, 3))
    )
    assert matrix == pytest.approx(longer[0], abs=1e-12)
    assert vector == pytest.approx(longer[1], abs=1e-12)


def hinge(name="a", parent=-1) -> Joint:
    return Joint(name, parent, IDENTITY, (0.0, 0.0, 0.0), X, -1.0, 1.0)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Body([hinge("a", 0)], []), "joint 'a': its parent must come before it"),
        (lambda: Body([hinge()], [End(1, name="hand")]), "link 'hand' is carried by joint 1: there are 1"),
        (lambda: Body([hinge()], [End(0, name="hand"), End(-1, name="hand")]), "two links are called 'hand'"),
        (
            lambda: Body([hinge()], [], couplings=[Coupling("pair", {"b": 1.0})]),
            "coupling 'pair': there is no joint 'b'",
        ),
        (
            lambda: Body([hinge()], [], couplings=[Coupling("pair", {"a": 1.0}, 2.0, 1.0)]),
            "coupling 'pair': 2 is above 1",
        ),
        (lambda: manikin().link_indices(["tail"]), "there is no link 'tail': the links are pelvis"),
    ],
)
def test_what_cannot_be_is_said_by_name(make, said):
    with pytest.raises(SkeletonError, match=said):
        make()


def test_a_body_without_joints_is_its_base():
    body = Body([], [End(-1, about(X, 0.5), (0.0, 1.0, 0.0), "box")])
    frames = body.forward(np.zeros(0))
    assert body.unknowns == BASE
    assert body.placed(frames, np.array([0]))[0, :3, 3] == pytest.approx([0.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("angles", "violated"),
    [((0.5, 0.4), ("sum",)), ((-0.5, -0.4), ("sum",)), ((0.5, -0.5), ()), ((0.7, 0.1 + 1e-9), ())],
)
def test_couplings_that_are_violated_to_either_side_are_named(angles, violated):
    couplings = [Coupling("sum", {"a": 1.0, "b": 1.0}, -0.8, 0.8), Coupling("free", {"a": 1.0})]
    body = Body([hinge(), hinge("b", 0)], [], couplings=couplings)
    assert body.violated(np.array(angles)) == violated
