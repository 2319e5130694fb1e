"""Tests the expressive solver on bones: exact aim with the smallest rotation of bones from the authored pose,
including the roll.
"""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.bones.ball_angles import ball_angles, ball_rotation
from limber.solvers.bones.inertia import hanging_inertias
from limber.solvers.bones.level import Levels
from limber.solvers.bones.model import BoneModel
from limber.solvers.bones.problem import PoseProblem
from limber.solvers.bones.solver import BoneSolver
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.measures import expressive
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.expressive.solver import Expressive
from limber.solvers.goals import Direction, GazeGoal, Point, Position
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z, add, angle_between, rotate, scale
from limber.solvers.kinematics.se3 import angle_of
from limber.solvers.kinematics.skeleton import Joint, Skeleton

UNLIMITED = 1e4
ANGLES = st.floats(-3.0, 3.0)
BONES = ExpressiveOptions(hold_body=True, measure="bones")


def spine(bones: int, limit: float = UNLIMITED) -> Skeleton:
    """A sequence of bones of .1 m along +Y, each with three joints."""
    joints = []
    for bone in range(bones):
        for number, axis in enumerate((Z, Y, X)):
            offset = (0.0, 0.1, 0.0) if bone and not number else (0.0, 0.0, 0.0)
            joints.append(
                Joint(f"bone {bone} {number}", len(joints) - 1, IDENTITY, offset, axis, -limit, limit)
            )
    return Skeleton(tuple(joints), tool_offset=(0.0, 0.1, 0.0))


def toward(aside: float, up: float) -> tuple[float, float, float]:
    """Direction at angles [degrees] to the side of +Y and above it."""
    aside, up = math.radians(aside), math.radians(up)
    return math.sin(aside) * math.cos(up), math.cos(aside) * math.cos(up), math.sin(up)


def rotations_of_bones(skeleton: Skeleton, angles) -> list[float]:
    """Rotation [degrees] of each bone relative to its parent."""
    pose = skeleton.forward(list(angles))
    turned = [IDENTITY, *pose.rotations[2::3]]
    return [math.degrees(angle_between(*pair)) for pair in pairwise(turned)]


@given(first=ANGLES, second=ANGLES, third=ANGLES, near=st.tuples(ANGLES, ANGLES, ANGLES))
def test_angles_of_a_ball_make_its_rotation_in_every_order(first, second, third, near):
    for order in ((X, Y, Z), (X, Z, Y), (Y, X, Z), (Y, Z, X), (Z, X, Y), (Z, Y, X)):
        axes = np.array([order])
        rotation = ball_rotation(axes, np.array([[first, second, third]]))
        found = ball_rotation(axes, ball_angles(axes, rotation, np.array([near])))
        assert angle_of(found.swapaxes(1, 2) @ rotation)[0] < 1e-6


@given(angles=st.tuples(st.floats(-9.0, 9.0), st.floats(-1.5, 1.5), st.floats(-9.0, 9.0)))
def test_angles_of_a_ball_stay_near_those_that_are_given(angles):
    axes, asked = np.array([(Z, Y, X)]), np.array([angles])
    assert ball_angles(axes, ball_rotation(axes, asked), asked + 0.01) == pytest.approx(asked, abs=1e-6)


def test_a_ball_whose_outer_joints_share_an_axis_keeps_the_last_one():
    axes, near = np.array([(X, Y, Z)]), np.array([[0.2, 1.0, 0.7]])
    rotation = ball_rotation(axes, np.array([[0.5, math.pi / 2, 0.3]]))
    found = ball_angles(axes, rotation, near)
    assert found[0, 2] == pytest.approx(0.7)
    assert angle_of(ball_rotation(axes, found).swapaxes(1, 2) @ rotation)[0] < 1e-6


def test_inertia_of_a_rod_is_that_of_textbooks():
    carried = np.ones((1, 1), bool)
    inertia = hanging_inertias(np.zeros((1, 3)), np.array([[0.0, 2.0, 0.0]]), carried, np.zeros((1, 3)))[0]
    mass, length, radius = 2.0, 2.0, 0.15 * 2.0
    across = mass * (length**2 / 3.0 + radius**2 / 4.0)
    assert inertia == pytest.approx(np.diag([across, mass * radius**2 / 2.0, across]))


def test_inertia_grows_with_the_distance_from_the_pivot():
    heads, tails = np.array([[1.0, 0.0, 0.0]]), np.array([[1.0, 1.0, 0.0]])
    near, far = hanging_inertias(
        heads, tails, np.ones((2, 1), bool), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    )
    assert far[2, 2] - near[2, 2] == pytest.approx(1.0)  # parallel axis theorem: mass times squared distance


def test_derivatives_of_the_cost_are_its_differences():
    skeleton, draw = spine(3), random.Random(2)
    model, posture = BoneModel(skeleton, BONES), np.array([draw.gauss(0, 0.3) for _ in range(9)])
    goal = GazeGoal(Direction(toward(40, 20), level=Z), posture, False)
    pose = model.pose(posture)
    frames = model.frames(pose)
    problem = PoseProblem(model, BatchedAim(model, goal), pose, frames, Levels(model.tree, frames, goal))
    pose = model.moved(pose, np.array([draw.gauss(0, 0.3) for _ in range(9)]))
    descent = problem.evaluated(pose).descent
    for joint, step in enumerate(np.eye(9) * 1e-6):
        ahead, behind = (problem.evaluated(model.moved(pose, way)).secondary for way in (step, -step))
        assert descent[joint] == pytest.approx(-(ahead - behind) / 2e-6, abs=1e-7)


@pytest.mark.parametrize("bones", [1, 3, 6, 20])
@pytest.mark.parametrize("look_from", [0.0, 0.5, 1.0])
def test_the_aim_is_exact_and_no_bone_twists_far(bones, look_from):
    skeleton, draw = spine(bones), random.Random(bones)
    solver = BoneSolver(skeleton, ExpressiveOptions(hold_body=True, measure="bones", look_from=look_from))
    for _ in range(12):
        aim = Direction(toward(draw.uniform(-100, 100), draw.uniform(-50, 50)), level=Z)
        solution = solver.solve(
            GazeGoal(aim, np.array([draw.gauss(0, 0.2) for _ in range(3 * bones)]), False)
        )
        assert solution.converged, solution.reason
        assert solution.aim_error < 1e-8


def test_a_look_is_shared_more_evenly_the_more_it_comes_from_the_spine():
    skeleton = spine(6)
    shares = []
    for look_from in (0.0, 0.25, 0.5, 0.75, 1.0):
        solver = BoneSolver(skeleton, ExpressiveOptions(hold_body=True, measure="bones", look_from=look_from))
        turned = rotations_of_bones(
            skeleton, solver.solve(GazeGoal(Direction(toward(60, 0), level=Z), np.zeros(18), False)).angles
        )
        assert turned == pytest.approx(sorted(turned))
        shares.append(turned[-1] / sum(turned))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.75
    assert shares[-1] == pytest.approx(1 / 6, abs=1e-3)


def test_the_pose_that_is_authored_is_left_alone_where_it_meets_the_aim():
    skeleton, draw = spine(5), random.Random(3)
    posture = np.array([draw.gauss(0, 0.4) for _ in range(15)])
    pose = skeleton.forward(posture)
    ahead = rotate(pose.tool_rotation, Y)
    solution = BoneSolver(skeleton, BONES).solve(
        GazeGoal(Point(add(pose.tool_position, scale(ahead, 2.0))), posture, False)
    )
    assert solution.converged
    assert solution.angles == pytest.approx(posture, abs=1e-9)


def test_clips_may_rotate_a_bone_beyond_half_a_turn():
    posture = np.zeros(9)
    posture[1] = 5.0  # the first bone's rotation about its length
    solution = BoneSolver(spine(3), BONES).solve(GazeGoal(Direction(toward(20, 0)), posture, False))
    assert solution.angles[1] == pytest.approx(5.0, abs=0.5)


def test_limits_hold_and_the_others_do_the_rest():
    skeleton, limit = spine(4, limit=math.radians(15)), math.radians(15)
    solution = BoneSolver(skeleton, BONES).solve(
        GazeGoal(Direction(toward(50, 0), level=Z), np.zeros(12), False)
    )
    assert solution.converged
    assert np.abs(solution.angles).max() <= limit + 1e-12
    assert np.abs(solution.angles).max() == pytest.approx(limit)


def test_a_view_out_of_reach_is_approached_as_far_as_limits_allow():
    solution = BoneSolver(spine(2, limit=math.radians(10)), BONES).solve(
        GazeGoal(Direction(toward(90, 0)), np.zeros(6), False)
    )
    assert not solution.converged
    assert math.degrees(solution.aim_error) == pytest.approx(70.0, abs=0.5)


def test_a_hand_reaches_a_position():
    skeleton = spine(4)
    solution = BoneSolver(skeleton, BONES).solve(
        GazeGoal(Position((0.15, 0.2, 0.1)), np.array([0.3, 0.0, 0.2] * 4), False)
    )
    assert solution.converged, solution.reason
    assert solution.measured.errors[0].distance < 1e-6


@pytest.mark.parametrize("distance", [0.15, 0.25, 0.5])
def test_a_long_body_looks_exactly_at_what_is_near_its_end(distance):
    solver, tip = BoneSolver(spine(24), BONES), (0.0, 2.4, 0.0)
    for aside, up in ((60, 0), (-80, 10), (0, 70), (120, -20)):
        near = add(tip, scale(toward(aside, up), distance))
        assert solver.solve(GazeGoal(Point(near, level=Z), np.zeros(72), False)).aim_error < 1e-6


def test_a_bone_alone_takes_the_shortest_rotation_whatever_hangs_on_it():
    heavy = tuple(np.diag([5.0, 0.1, 1.0]).ravel()) * 3
    solver = BoneSolver(spine(1), ExpressiveOptions(hold_body=True, measure="bones", inertias=heavy))
    view = toward(40, 30)
    angles = solver.solve(GazeGoal(Direction(view), np.zeros(3), False)).angles
    turned = solver.skeleton.forward(list(angles)).rotations[-1]
    assert angle_between(turned, IDENTITY) == pytest.approx(math.acos(view[1]), abs=1e-6)


def test_what_is_level_in_the_posture_stays_level():
    skeleton = spine(6)
    solver = BoneSolver(skeleton, BONES)
    tilts = []
    for level in (None, Z):
        solution = solver.solve(GazeGoal(Direction(toward(60, 40), level=level), np.zeros(18), False))
        side = skeleton.world_axes(skeleton.forward(solution.angles))[17]  # X axis of the last bone
        tilts.append(abs(math.degrees(math.asin(side[2]))))
    assert tilts[1] < 10.0 < tilts[0]


def test_the_answer_hardly_depends_on_the_last_frame():
    skeleton, draw = spine(4), random.Random(5)
    solver = BoneSolver(skeleton, BONES)
    last = solver.solve(GazeGoal(Direction(toward(20, 10)), np.zeros(12), False))
    for frame in range(1, 60):
        posture = np.array([0.2 * math.sin(0.1 * frame + k) for k in range(12)])
        goal = GazeGoal(Direction(toward(20 + 70 * math.sin(0.1 * frame), 10)), posture, False)
        last, alone = solver.solve(goal, start=last.angles, memory=last.memory), solver.solve(goal)
        assert last.aim_error < 1e-8
        assert last.angles == pytest.approx(alone.angles, abs=2e-3)
    elsewhere = np.array([draw.gauss(0, 1) for _ in range(12)])
    assert solver.solve(goal, start=elsewhere).angles.tolist() == alone.angles.tolist()


def test_the_answer_of_bones_with_other_limits_is_no_start():
    free, limited = BoneSolver(spine(4), BONES), BoneSolver(spine(4, limit=1.0), BONES)
    goal = GazeGoal(Direction(toward(20, 10)), np.zeros(12), False)
    last, alone = free.solve(goal), limited.solve(goal)
    assert limited.solve(goal, start=last.angles, memory=last.memory).angles.tolist() == alone.angles.tolist()


def test_a_target_that_moves_evenly_is_met_in_one_step():
    solver, last, steps = BoneSolver(spine(4), BONES), None, []
    for frame in range(40):
        goal = GazeGoal(Direction(toward(-60 + 3.0 * frame, 10)), np.zeros(12), False)
        last = solver.solve(goal, start=last and last.angles, memory=last and last.memory)
        assert last.aim_error < 1e-8
        steps.append(last.iterations)
    assert max(steps[3:]) == 1


def test_a_posture_without_weight_pulls_nothing_back():
    solver = BoneSolver(spine(4), BONES)
    turned = solver.solve(GazeGoal(Direction(toward(60, 0)), np.zeros(12), False)).angles
    stays = solver.solve(GazeGoal(Direction(toward(60, 0)), np.zeros(12), False, keep=0.0), start=turned)
    assert stays.angles == pytest.approx(turned, abs=1e-6)


def test_the_measure_of_links_is_that_of_solvers_without_an_option():
    assert isinstance(expressive(spine(2)), Expressive)
    assert isinstance(expressive(spine(2), ExpressiveOptions()), Expressive)
    assert isinstance(expressive(spine(2), BONES), BoneSolver)


def test_a_bone_with_one_axis_is_a_hinge_and_a_turntable_carries_a_character_for_nothing():
    base = Joint("base", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -UNLIMITED, UNLIMITED)
    joints = [base]
    for joint in spine(3).joints:
        offset = (0.0, 0.1, 0.0) if joint.parent == -1 else joint.rest_offset
        joints.append(
            Joint(joint.name, joint.parent + 1, IDENTITY, offset, joint.axis, joint.lower, joint.upper)
        )
    skeleton = Skeleton(tuple(joints), tool_offset=(0.0, 0.1, 0.0))
    goal = GazeGoal(Direction(toward(60, 0)), np.zeros(10), False)
    for hold, turned in ((False, 59.0), (True, 30.0)):
        angles = BoneSolver(skeleton, ExpressiveOptions(hold_body=hold, measure="bones")).solve(goal).angles
        assert (abs(math.degrees(angles[0])) > turned) is not hold
