"""Tests that the expressive solver reaches positions, meets goals of several ends of a tree, and follows its
options.
"""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.model import Model
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.expressive.shape import Authored
from limber.solvers.goals import (
    Direction,
    EndGoal,
    Frame,
    GazeError,
    GazeGoal,
    Point,
    Position,
    PositionAndDirection,
)
from limber.solvers.kinematics.rotations import X, Y, rotate, vector_angle
from limber.solvers.kinematics.skeleton import Skeleton

from tests.solvers.chains import aim_that_can_be_met, any_chain, lamp, posture_of, unit_chain
from tests.solvers.test_skeleton import any_tree


@pytest.mark.parametrize("kind", [Position, Frame, PositionAndDirection])
def test_places_that_some_pose_reaches_are_reached(kind):
    draw = random.Random(5)
    for _ in range(12):
        chain = any_chain(draw, draw.randint(3, 10))
        pose = chain.forward(posture_of(draw, chain))
        place, turn = pose.tool_position, pose.tool_rotation
        aim = kind(
            *{Position: (place,), Frame: (place, turn), PositionAndDirection: (place, rotate(turn, Y))}[kind]
        )
        solution = Expressive(chain).solve(GazeGoal(aim, posture_of(draw, chain)))
        assert solution.converged, solution.reason
        assert solution.measured.errors[0].distance == pytest.approx(0, abs=1e-5)
        assert kind is Position or solution.measured.errors[0].angle == pytest.approx(0, abs=1e-5)


def test_a_place_out_of_reach_is_approached_and_the_reason_says_by_how_much_it_is_missed():
    chain = lamp()
    solution = Expressive(chain).solve(GazeGoal(Position((10.0, 0.0, 0.05)), np.zeros(5)))
    assert not solution.converged
    assert "'head roll' has an error of 9" in solution.reason
    assert chain.forward(solution.angles).tool_position[0] == pytest.approx(
        chain.reach - 0.06, abs=1e-3
    )  # all links but the upright base


def tree_and_goal(draw: random.Random) -> tuple[Skeleton, GazeGoal]:
    tree = any_tree(draw, 9)
    pose = tree.forward(posture_of(draw, tree))
    others = (
        EndGoal(Position(tree.end_pose(pose, 1)[1]), 1),
        EndGoal(Direction(rotate(tree.end_pose(pose, 2)[0], Y)), 2),
    )
    return tree, GazeGoal(Direction(rotate(pose.tool_rotation, Y)), posture_of(draw, tree), others=others)


def test_several_ends_of_a_tree_meet_their_goals_together():
    draw = random.Random(6)
    for _ in range(10):
        tree, goal = tree_and_goal(draw)
        solution = Expressive(tree).solve(goal)
        assert solution.converged, solution.reason
        assert len(solution.measured.errors) == 3


def test_goals_that_contradict_each_other_are_met_by_their_weights_and_the_reason_names_them():
    chain = lamp()
    near, far = Position((0.2, 0.2, 0.2)), Position((-0.2, 0.2, 0.3))
    end_errors = []
    for weight in (0.2, 5.0):
        goal = GazeGoal(near, np.zeros(5), weight=weight, others=(EndGoal(far, 0),))
        solution = Expressive(chain).solve(goal)
        assert not solution.converged
        assert "not met together" in solution.reason
        end_errors.append(solution.measured.errors)
    assert end_errors[1][0].distance < 0.2 * end_errors[0][0].distance
    assert end_errors[0][1].distance < 0.2 * end_errors[1][1].distance


def test_weights_only_count_beside_each_other():
    chain = lamp()
    whole = GazeGoal(Direction((0.3, 0.6, 0.5)), [0.2, 0.5, -0.9, 0.4, 0.1])
    light = replace(whole, weight=0.001)
    solver = Expressive(chain)
    start = solver.solve(replace(whole, aim=Direction((0.3, 0.6, 0.7)))).angles
    assert solver.solve(light, start).angles.tobytes() == solver.solve(whole, start).angles.tobytes()


def test_several_goals_are_followed_without_a_pop():
    tree, goal = tree_and_goal(random.Random(8))
    solver = Expressive(tree)
    solution = solver.solve(GazeGoal(Direction(X), goal.posture))
    turning = [joint.kind == "revolute" for joint in tree.joints]
    for _ in range(60):
        after = solver.solve(goal, solution.angles, solution.memory)
        assert np.abs(after.angles - solution.angles)[turning].max() < math.radians(15)
        solution = after
    assert solution.converged, solution.reason


def test_a_link_that_weighs_more_keeps_its_direction_better():
    draw = random.Random(2)
    chain = unit_chain("YXZXY", 2.0)
    turned = []
    for weights in ((), (1.0, 1.0, 30.0, 1.0, 1.0)):
        total = 0.0
        draw.seed(2)
        for _ in range(12):
            goal = GazeGoal(aim_that_can_be_met(draw, chain, "direction"), posture_of(draw, chain))
            options = ExpressiveOptions(link_weights=weights, hold_body=True)
            angles = Expressive(chain, options).solve(goal).angles
            solved, authored = chain.forward(angles), chain.forward(goal.posture)
            total += vector_angle(rotate(solved.rotations[2], Y), rotate(authored.rotations[2], Y))
        turned.append(total)
    assert turned[1] < 0.7 * turned[0]


def test_a_held_body_turns_less_at_the_root():
    draw = random.Random(3)
    chain = unit_chain("YXYXYX", 2.5)
    turns = {False: 0.0, True: 0.0}
    for _ in range(12):
        goal = GazeGoal(aim_that_can_be_met(draw, chain, "direction"), posture_of(draw, chain))
        for held in turns:
            solution = Expressive(chain, ExpressiveOptions(hold_body=held)).solve(goal)
            assert solution.converged
            turns[held] += abs(solution.angles[0] - goal.posture[0])
    assert turns[True] < 0.5 * turns[False]


def test_with_roll_twists_that_change_no_direction_are_kept():
    draw = random.Random(4)
    chain = unit_chain("YXYXY", 2.5)
    plain, rolled = ExpressiveOptions(), ExpressiveOptions(roll=1.0)
    better = 0
    for _ in range(12):
        goal = GazeGoal(aim_that_can_be_met(draw, chain, "direction"), posture_of(draw, chain))
        model = Model(chain, rolled)
        angles = np.array([Expressive(chain, options).solve(goal).angles for options in (rolled, plain)])
        with_roll, without = np.arccos(Authored(model, goal.posture).fit(model.poses(angles))[0])
        assert with_roll <= without + 1e-3
        better += with_roll < without - 1e-2
    assert better >= 6


def test_a_posture_that_counts_for_nothing_lets_the_body_move_least():
    chain = lamp()
    posture, start = np.array([0.5, 0.9, -0.8, 0.4, 0.0]), np.array([0.0, -0.5, 0.5, 0.3, 0.0])
    aim = Direction(rotate(chain.forward(start).tool_rotation, Y))
    moved = {}
    for keep in (0.0, 1.0):
        solver, angles, memory = Expressive(chain), start, None
        for _ in range(30):
            solution = solver.solve(GazeGoal(aim, posture, keep=keep), angles, memory)
            angles, memory = solution.angles, solution.memory
        moved[keep] = float(np.abs(angles - start).max())
    assert moved[0.0] < 0.05
    assert moved[1.0] > 0.3


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"link_weights": (1.0, -1.0)}, "link weights"),
        ({"roll": 2.0}, "Roll of Links"),
        ({"transition_speed": 0.0}, "Transition Speed"),
    ],
)
def test_a_wrong_option_is_named(wrong, named):
    with pytest.raises(GazeError, match=named):
        ExpressiveOptions(**wrong)


def test_a_number_of_link_weights_that_is_not_the_joints_is_named():
    with pytest.raises(GazeError, match="2 link weights for 5 joints"):
        Expressive(unit_chain("YXXZY", 1.0), ExpressiveOptions(link_weights=(1.0, 1.0)))


@pytest.mark.parametrize("dt", [0.0, -0.01, math.nan, math.inf])
def test_a_frame_without_a_duration_is_refused_in_a_sentence(dt):
    with pytest.raises(GazeError, match=f"the frame lasts {dt} s: give it a duration above 0"):
        Expressive(unit_chain("YXXZY", 1.5)).solve(
            GazeGoal(Point((2.0, 3.0, 0.0)), np.zeros(5)), np.zeros(5), dt=dt
        )


@pytest.mark.parametrize("kind", ["direction", "point", "upright"])
@pytest.mark.parametrize("count", [1, 5])
def test_equal_poses_have_equal_errors_to_the_bit_wherever_their_numbers_are_in_memory(
    kind, count, monkeypatch
):
    """For non-contiguous arrays numpy computes arctan2 in one of two ways, depending on whether the result is
    close behind them in memory.
    """
    draw, arctan2 = random.Random(4), np.arctan2
    chain = any_chain(draw, 5)
    aim = aim_that_can_be_met(
        draw, chain, "point" if kind == "point" else "direction", Y if kind == "upright" else None
    )
    seen = []
    monkeypatch.setattr(np, "arctan2", lambda *given: (seen.extend(given), arctan2(*given))[1])
    poses = np.array([posture_of(draw, chain) for _ in range(count)])
    BatchedAim(chain, GazeGoal(aim, posture_of(draw, chain))).evaluate(chain.tree.forward(poses))
    assert len(seen) == (4 if kind == "upright" else 2)
    assert all(array.strides == (array.itemsize,) for array in seen)
