"""Tests the exact aim: it meets every goal that can be met, within limits and without singular views; and its
result for other goals.
"""

import math
import random
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from limber.solvers.aim_residual import residual
from limber.solvers.erik.exact import ErikExact
from limber.solvers.exact_aim import correct, least_change
from limber.solvers.gaze import FRAME
from limber.solvers.goals import Direction, GazeGoal, Orientation, Point
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    Z,
    about,
    add,
    dot,
    rotate,
    scale,
    vector_angle,
)
from limber.solvers.kinematics.skeleton import Joint, Skeleton
from limber.solvers.table import make_solver

from tests.solvers.chains import (
    any_chain,
    any_direction,
    any_turn,
    lamp,
    posture_of,
    shared_places,
    skeleton_of,
    unit_chain,
)
from tests.solvers.exact_goals import EXACT, goals, solve

# The residual


@pytest.mark.parametrize("kind", ["orientation", "direction", "point", "point up"])
@pytest.mark.parametrize("seed", range(4))
def test_the_residuals_jacobian_agrees_with_finite_differences_where_the_aim_is_met(kind, seed):
    draw = random.Random(seed)
    chain = any_chain(draw, 5)
    chain = replace(
        chain, joints=(*chain.joints[:2], replace(chain.joints[2], kind="prismatic"), *chain.joints[3:])
    )
    angles = posture_of(draw, chain)
    pose = chain.forward(angles)
    view = rotate(pose.tool_rotation, Y)
    near = add(pose.tool_position, scale(view, 0.4))  # near, so that parallax has an effect
    up = rotate(pose.tool_rotation, Z)
    aims = {
        "orientation": Orientation(pose.tool_rotation),
        "direction": Direction(view),
        "point": Point(near),
        "point up": Point(near, up),
    }
    goal = GazeGoal(aims[kind], angles)
    exact = residual(chain, goal, pose)
    assert exact.size == pytest.approx(0, abs=1e-7)
    small = 1e-6
    for k in range(5):
        ahead, behind = angles.copy(), angles.copy()
        ahead[k] += small
        behind[k] -= small
        after, before = (
            np.array(residual(chain, goal, chain.forward(moved)).error) for moved in (ahead, behind)
        )
        slope = (after - before) / (2 * small)
        # Perpendicular to the view, the basis of the components rotates with the view, which has no
        # first-order effect on a met aim.
        assert np.array(exact.columns[k]) == pytest.approx(-slope, abs=2e-3 if kind == "point up" else 1e-5)


def test_the_residual_is_the_true_angle_even_looking_the_other_way():
    chain = lamp()
    pose = chain.forward([0.0] * 5)
    for angle in (1e-6, 0.5, 3.0, math.pi):
        wanted = rotate(about(Z, angle), Y)
        assert residual(chain, GazeGoal(Direction(wanted), np.zeros(5)), pose).size == pytest.approx(
            angle, abs=1e-9
        )
        turned = GazeGoal(Orientation(about(X, angle)), np.zeros(5), symmetric=False)
        assert residual(chain, turned, pose).size == pytest.approx(angle, abs=1e-9)


# The correction


def test_a_step_takes_the_least_change_and_others_take_over_at_a_limit():
    chain = unit_chain("XXX", 1.0)
    goal = GazeGoal(Direction(rotate(about(X, 0.3), Y)), np.zeros(3))

    def step(start, costs):
        return least_change(
            chain, start, residual(chain, goal, chain.forward(start)), costs, [0.5] * 3, 1e-12
        )

    assert step([0.0] * 3, [1.0] * 3) == pytest.approx([0.1] * 3)
    assert step([0.0] * 3, [1.0, 1.0, 2.0]) == pytest.approx([0.12, 0.12, 0.06])
    assert step([0.95, 0.0, -0.95], [1.0] * 3) == pytest.approx([0.05, 0.125, 0.125])


def test_a_slide_is_corrected_alike_whatever_the_size_of_the_chain():
    found = []
    for size in (0.01, 1.0, 100.0):
        slide = Joint("slide", -1, IDENTITY, (0.0, 0.0, 0.0), X, -2.0 * size, 2.0 * size, "prismatic")
        hinge = Joint("hinge", 0, IDENTITY, (0.0, 0.0, 0.0), Z, -0.2, 0.2)
        chain = Skeleton((slide, hinge), tool_offset=(0.0, 0.5 * size, 0.0))
        done = correct(
            chain, GazeGoal(Point((1.9 * size, 2.0 * size, 0.0)), np.zeros(2)), [-0.5 * size, 0.0], [1.0] * 2
        )
        assert done.aim_error <= EXACT
        found.append((done.angles[0] / size, done.angles[1], done.steps))
    assert found == [pytest.approx(found[0])] * 3


def test_an_aim_already_met_changes_nothing():
    draw = random.Random(1)
    chain = lamp()
    angles = posture_of(draw, chain)
    goal = GazeGoal(Orientation(chain.forward(angles).tool_rotation), angles)
    done = correct(chain, goal, angles, [1.0] * 5)
    assert done.steps == 0
    assert done.angles == pytest.approx(angles)
    assert solve(chain, goal).angles == pytest.approx(angles, abs=1e-9)
    assert solve(chain, goal).shape_deviation == pytest.approx(0, abs=1e-6)


# ERIK with an exact aim


@pytest.mark.parametrize("chain", [lamp(), shared_places(6), *(skeleton_of(name) for name in "BCDEFG")])
def test_every_aim_that_can_be_met_is_met(chain):
    draw = random.Random(2)
    solver = make_solver("erik_exact", chain)
    for goal in goals(draw, chain, 12):
        solution = solver.solve(goal)
        assert solution.aim_error <= EXACT
        assert solution.converged


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 18])
def test_chains_of_arbitrary_axes_places_and_limits_are_no_exception(count):
    draw = random.Random(count)
    met = []
    for _ in range(6):
        chain = any_chain(draw, count)
        met += [solve(chain, goal).aim_error <= EXACT for goal in goals(draw, chain, 2)]
    assert fmean(met) >= 0.97


def test_plain_eriks_aim_is_mended_and_its_shape_not_worsened():
    draw = random.Random(3)
    chain = skeleton_of("G")
    pairs = [(make_solver("erik", chain).solve(goal), solve(chain, goal)) for goal in goals(draw, chain, 20)]
    assert fmean(exact.shape_deviation for _, exact in pairs) <= fmean(
        plain.shape_deviation for plain, _ in pairs
    )
    assert max(exact.aim_error for _, exact in pairs) <= EXACT < max(plain.aim_error for plain, _ in pairs)


@pytest.mark.parametrize(
    "chain", [lamp(), unit_chain("YX", math.pi), unit_chain("YXXZY", 2.0), skeleton_of("G")]
)
@pytest.mark.parametrize("view", [X, Y, Z, scale(X, -1), scale(Y, -1), scale(Z, -1)])
@pytest.mark.parametrize("up", [None, Z, Y])
def test_no_view_is_singular(chain, view, up):
    # Straight up, straight back (from a straight posture), along `up` and opposite to it.
    for posture in (np.zeros(len(chain)), np.full(len(chain), 0.3)):
        for aim in (Direction(view, up), Point(scale(view, 50.0), up)):
            assert solve(chain, GazeGoal(aim, posture)).aim_error <= EXACT


def test_an_upright_head_keeps_its_x_level_and_its_z_up():
    draw = random.Random(4)
    chain = shared_places(6)
    for symmetric in (True, False):
        for _ in range(8):
            view = rotate(about(any_direction(draw), draw.uniform(0, 1.2)), X)
            for aim in (Direction(view, Z), Point(scale(view, 5.0), Z)):
                solution = solve(chain, GazeGoal(aim, posture_of(draw, chain), symmetric))
                pose = chain.forward(solution.angles)
                assert solution.aim_error <= EXACT
                assert solution.converged
                assert dot(rotate(pose.tool_rotation, X), Z) == pytest.approx(0, abs=1e-4)
                assert symmetric or dot(rotate(pose.tool_rotation, Z), Z) > 0


def test_where_a_head_cannot_be_upright_the_view_wins():
    chain = unit_chain("XZ", math.pi)  # no joint for the roll
    draw = random.Random(5)
    for _ in range(10):
        solution = solve(chain, GazeGoal(Direction(any_direction(draw), any_direction(draw)), np.zeros(2)))
        assert solution.aim_error <= EXACT


def test_uprightness_fades_towards_the_pole():
    # Close to `up`, a wrong roll has little weight: no row of the residual jumps.
    chain = lamp()
    sizes = []
    for tilt in (0.3, 0.03, 0.003, 0.0):
        aim = Direction(rotate(about(X, math.pi / 2 - tilt), Y), Z)
        pose = chain.forward([0.0, 0.0, 0.0, math.pi / 2 - tilt, 0.5])
        sizes.append(residual(chain, GazeGoal(aim, np.zeros(5)), pose).size)
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == pytest.approx(0, abs=1e-9)


def test_the_roll_is_free_where_only_a_direction_is_asked():
    # A lamp that already looks in this direction keeps its authored roll.
    posture = np.array([0.4, 0.5, -0.9, 0.6, 0.7])
    chain = lamp()
    pose = chain.forward(posture)
    view = rotate(pose.tool_rotation, Y)
    for aim in (Direction(view), Point(add(pose.tool_position, scale(view, 3.0)))):
        assert solve(chain, GazeGoal(aim, posture)).angles == pytest.approx(posture, abs=1e-7)


def test_a_point_is_seen_from_where_the_end_is():
    draw = random.Random(6)
    chain = lamp()
    for goal in goals(draw, chain, 10)[20:]:
        solution = solve(chain, goal)
        pose = chain.forward(solution.angles)
        gap = tuple(a - b for a, b in zip(goal.aim.position, pose.tool_position, strict=True))
        assert vector_angle(gap, rotate(pose.tool_rotation, Y)) <= EXACT


def test_an_aim_out_of_reach_is_missed_by_as_little_as_a_search_finds():
    draw = random.Random(7)
    chain = unit_chain("YXXZY", math.radians(35))
    for _ in range(10):
        goal = GazeGoal(Orientation(any_turn(draw)), posture_of(draw, chain))
        solution = solve(chain, goal)
        least = min(correct(chain, goal, posture_of(draw, chain), [1.0] * 5).aim_error for _ in range(20))
        assert solution.aim_error <= 1.02 * least + 1e-6
        assert solution.converged == (solution.aim_error <= 1e-6)


def test_a_descent_ends_where_no_small_step_helps():
    draw = random.Random(8)
    chain = unit_chain("YXXZY", math.radians(35))
    settled = []
    for _ in range(100):
        goal = GazeGoal(Orientation(any_turn(draw)), np.zeros(5))
        done = correct(chain, goal, posture_of(draw, chain), [1.0] * 5)
        around = [
            chain.clamp(np.array(done.angles) + 1e-3 * np.array([draw.gauss(0, 1) for _ in range(5)]))
            for _ in range(40)
        ]
        settled.append(
            done.aim_error <= min(residual(chain, goal, chain.forward(near)).size for near in around) + 1e-4
        )
    assert fmean(settled) >= 0.92


def test_the_search_for_a_target_out_of_reach_pauses_and_starts_again():
    chain = unit_chain("YXXZY", math.radians(35))
    solver = make_solver("erik_exact", chain)
    goal = GazeGoal(Direction(scale(Y, -1.0)), np.full(5, 0.1))
    solution, pauses = solver.solve(goal), []
    for _ in range(80):
        solution = solver.solve(goal, solution.angles, solution.memory)
        pauses.append(solution.memory.pause)
    assert max(pauses) > 0.2
    assert min(pauses) < FRAME
    assert pauses.count(max(pauses)) >= 2


def test_a_root_turns_rather_than_a_body_bends():
    draw = random.Random(9)
    chain = skeleton_of("G")
    even, uneven = ErikExact(chain), ErikExact(chain)
    even.correction.costs = None
    asked = goals(draw, chain, 15)
    assert fmean(uneven.solve(goal).shape_deviation for goal in asked) < fmean(
        even.solve(goal).shape_deviation for goal in asked
    )


def test_of_equal_shapes_the_authored_angles_are_kept():
    chain = unit_chain("YXXY", 2.0)
    # straight: the twists of the root and the end have no visible effect
    posture = np.array([0.5, 0.0, 0.0, 0.3])
    assert solve(chain, GazeGoal(Direction(Y), posture)).angles == pytest.approx(posture, abs=1e-9)


@pytest.mark.parametrize(
    ("view", "posture"),
    [
        ((-0.6, 0.1, 0.8), (-2.5, 0.0, 2.0, -2.1)),
        ((-0.7, 0.7, 0.2), (1.9, 0.7, -2.3, 2.3)),
        ((0.5, 0.8, -0.4), (-1.4, 1.5, 1.5, 0.1)),
    ],
)
def test_of_shapes_that_only_rounding_tells_apart_the_authored_angles_are_kept(view, posture):
    # two joints rotate the body alike, and the end's twist has no visible effect
    chain = unit_chain("YYXY", 2.5)
    solution = solve(chain, GazeGoal(Direction(view), np.array(posture)))
    assert solution.angles[-1] == pytest.approx(posture[-1], abs=1e-6)


def test_how_near_the_authored_angles_are_is_measured_alike_whatever_the_size_of_the_chain():
    found = []
    for size in (1.0, 1000.0):
        turning = [
            Joint(name, k - 1, IDENTITY, (0.0, size * (k > 0), 0.0), axis, -2.0, 2.0)
            for k, (name, axis) in enumerate((("a", Y), ("b", X)))
        ]
        slide = Joint("slide", 1, IDENTITY, (0.0, size, 0.0), Y, -0.5 * size, 0.5 * size, "prismatic")
        end = Joint("end", 2, IDENTITY, (0.0, size, 0.0), Y, -2.0, 2.0)
        chain = Skeleton((*turning, slide, end), tool_offset=(0.0, 0.5 * size, 0.0))
        shares = np.array([1.0, 1.0, size, 1.0])
        goal = GazeGoal(
            Point((3.25 * size, 1.05 * size, -0.58 * size)), np.array([-0.35, -1.56, 0.25, 0.05]) * shares
        )
        found.append(solve(chain, goal).angles / shares)
    assert found[1] == pytest.approx(found[0], abs=1e-6)


def test_the_limits_that_were_hit_are_told():
    chain = unit_chain("YXX", math.radians(30))
    solution = solve(chain, GazeGoal(Direction((0.0, -1.0, 0.0)), np.zeros(3)))
    assert {1, 2} <= set(solution.limits_hit)
    assert not solution.converged
