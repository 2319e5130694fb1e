"""Tests the checks of goals, and that scores of solutions agree with an animator's view."""

import math
import random

import numpy as np
import pytest
from limber.solvers.gaze import aim_error, orientation_error, shape_deviation
from limber.solvers.goals import (
    Direction,
    GazeError,
    GazeGoal,
    Orientation,
    Point,
    PostureShapeError,
    TargetError,
    upright,
)
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z, about, add, dot, multiply, rotate, scale
from limber.solvers.table import SOLVERS, make_solver

from tests.solvers.chains import (
    any_chain,
    any_direction,
    any_turn,
    lamp,
    posture_of,
    shared_places,
    unit_chain,
)

NAMES = sorted(SOLVERS)


@pytest.mark.parametrize("seed", range(4))
def test_a_turn_of_the_whole_body_is_no_change_of_shape(seed):
    draw = random.Random(seed)
    chain = lamp()
    posture = posture_of(draw, chain)
    turned = posture.copy()
    turned[0] += draw.uniform(-3, 3)
    assert shape_deviation(chain, turned, posture) == pytest.approx(0, abs=1e-6)
    assert shape_deviation(chain, posture, posture) == pytest.approx(0, abs=1e-6)


def test_a_mirrored_bend_and_a_twist_in_the_middle_are_changes_of_shape():
    chain = unit_chain("YXZXY", math.pi)
    posture = np.array([0.0, 0.8, 0.3, 0.9, 0.0])
    mirrored = posture * [1, 1, 1, -1, 1]
    assert shape_deviation(chain, mirrored, posture) > math.radians(20)
    twisted = unit_chain("YXYXY", math.pi)
    assert shape_deviation(twisted, np.array([0, 1, 1.5, 1, 0]), np.array([0.0, 1, 0, 1, 0])) > math.radians(
        20
    )


def test_shape_deviation_is_the_angle_of_the_mean_cosine_of_links():
    # two directions are compared: the link after the first bend, and the view
    chain = unit_chain("YXX", math.pi)
    apart = shape_deviation(chain, np.array([0.0, 0.0, 0.5]), np.array([0.0, 0.0, 0.0]))
    assert math.cos(apart) == pytest.approx((1 + math.cos(0.5)) / 2)


def test_links_without_a_length_do_not_count():
    chain = shared_places(2)
    changed = np.zeros(6)
    changed[5] = 0.3  # the last joint rotates the head, and no link of the spine
    assert shape_deviation(chain, changed, np.zeros(6)) > 0.1


@pytest.mark.parametrize("roll", [0.0, math.pi])
def test_a_symmetric_end_may_be_rolled_by_half_a_turn(roll):
    draw = random.Random(1)
    chain = any_chain(draw, 4)
    pose = chain.forward(posture_of(draw, chain))
    rolled = Orientation(multiply(pose.tool_rotation, about(Y, roll)))
    assert aim_error(GazeGoal(rolled, np.zeros(4)), pose) == pytest.approx(0, abs=1e-7)
    assert aim_error(GazeGoal(rolled, np.zeros(4), symmetric=False), pose) == pytest.approx(roll, abs=1e-7)


def test_the_papers_orientation_error_is_half_the_quaternions_distance():
    draw = random.Random(2)
    chain = any_chain(draw, 3)
    for _ in range(20):
        pose, target = chain.forward(posture_of(draw, chain)), any_turn(draw)
        apart = min(
            math.dist(candidate, [sign * part for part in pose.tool_rotation])
            for candidate in (target, multiply(target, about(Y, math.pi)))
            for sign in (1, -1)
        )
        found = orientation_error(GazeGoal(Orientation(target), np.zeros(3)), pose)
        assert found == pytest.approx(apart / math.sqrt(2), abs=1e-9)


def test_the_view_of_a_point_is_measured_from_where_the_tool_is():
    chain = lamp()
    pose = chain.forward([0.3, 0.4, -0.2, 0.5, 0.1])
    ahead = add(pose.tool_position, scale(rotate(pose.tool_rotation, Y), 2.0))
    assert aim_error(GazeGoal(Point(ahead), np.zeros(5)), pose) == pytest.approx(0, abs=1e-9)
    beside = add(pose.tool_position, scale(rotate(pose.tool_rotation, X), 2.0))
    assert aim_error(GazeGoal(Point(beside), np.zeros(5)), pose) == pytest.approx(math.pi / 2)


def test_upright_keeps_x_level_and_z_up():
    draw = random.Random(3)
    for _ in range(20):
        view, up = any_direction(draw), any_direction(draw)
        turn = upright(view, up)
        assert rotate(turn, Y) == pytest.approx(view)
        assert dot(rotate(turn, X), up) == pytest.approx(0, abs=1e-9)
        assert dot(rotate(turn, Z), up) > 0
    assert upright(Z, Z) is None
    assert upright(Z, (0.0, 0.0, -2.0)) is None
    assert upright(Z, None) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("aim", "remedy"),
    [
        (Orientation((math.nan, 0.0, 0.0, 0.0)), "finite"),
        (Orientation((0.0, 0.0, 0.0, 0.0)), "no length"),
        (Direction((0.0, 0.0, 0.0)), "no length"),
        (Direction((math.inf, 0.0, 0.0)), "finite"),
        (Point((0.0, math.nan, 1.0)), "finite"),
        (Direction((1.0, 0.0, 0.0), up=(0.0, 0.0, 0.0)), "up vector"),
        (Direction((1.0, 0.0)), "3 finite numbers"),
    ],
)
def test_a_target_without_a_direction_is_refused_with_the_remedy(name, aim, remedy):
    with pytest.raises(TargetError, match=remedy):
        make_solver(name, lamp()).solve(GazeGoal(aim, np.zeros(5)))


@pytest.mark.parametrize("name", NAMES)
def test_a_target_at_the_ends_own_place_is_no_error_but_a_reason(name):
    chain = lamp()
    posture = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    here = chain.forward(posture).tool_position
    solution = make_solver(name, chain).solve(GazeGoal(Point(here), posture))
    assert np.isfinite(solution.angles).all()
    if not solution.converged:
        assert "'head roll'" in solution.reason


@pytest.mark.parametrize("name", NAMES)
def test_a_posture_of_another_chain_is_refused_with_the_joints_names(name):
    solver = make_solver(name, lamp())
    with pytest.raises(PostureShapeError, match=r"4 angles, the chain 5 joints \(base, lower arm"):
        solver.solve(GazeGoal(Direction(X), np.zeros(4)))
    with pytest.raises(PostureShapeError, match=r"'upper arm' is nan"):
        solver.solve(GazeGoal(Direction(X), np.array([0.0, 0.0, math.nan, 0.0, 0.0])))


def test_an_unknown_solver_is_told_which_exist():
    with pytest.raises(GazeError, match=r"'erick'.*erik, erik_exact"):
        make_solver("erick", lamp())


def test_a_lamp_at_rest_looks_along_its_own_y():
    assert rotate(lamp().forward([0.0] * 5).tool_rotation, Y) == Y
    assert lamp().forward([0.0] * 5).tool_rotation == IDENTITY
