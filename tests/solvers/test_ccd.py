"""Tests CCD: every kind of goal, annealing, trees, prismatic joints."""

import random
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from limber.solvers.ccd import Ccd, CcdOptions
from limber.solvers.ccd.descent import CoordinateDescent
from limber.solvers.goals import Direction, EndGoal, Frame, GazeGoal, Point, Position
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    Z,
    about,
    add,
    rotate,
)  # fmt: skip
from limber.solvers.kinematics.skeleton import Joint, Skeleton

from tests.solvers.chains import (
    aims_of,
    any_chain,
    lamp,
    pairs_of,
    posture_of,
    shared_places,
    skeleton_of,
    tree,
    unit_chain,
)

CHAINS = {
    "G": lambda draw: skeleton_of("G"),
    "spine": lambda draw: shared_places(3),
    "lamp": lambda draw: lamp(),
    "any": lambda draw: any_chain(draw, 8),
}
# Share of the goals, each met by some pose, that CCD meets exactly. An orientation requires all five joints
# of the lamp.
MET = {
    "orientation": 0.9,
    "direction": 0.95,
    "direction up": 0.8,
    "point": 0.95,
    "near point": 0.9,
    "point up": 0.8,
    "position": 0.9,
}


@pytest.mark.parametrize("kind", [*MET, "frame"])
@pytest.mark.parametrize("name", list(CHAINS))
def test_goals_that_some_pose_meets_are_met_mostly(name, kind):
    draw = random.Random(f"{name} {kind}")
    solutions = []
    for _ in range(20):
        chain = CHAINS[name](draw)
        goal = GazeGoal(aims_of(chain, posture_of(draw, chain))[kind], posture_of(draw, chain))
        solutions.append(Ccd(chain).solve(goal))
    assert fmean(s.converged for s in solutions) >= MET.get(kind, 0.5)
    assert all(s.converged or s.reason for s in solutions)


@pytest.mark.parametrize("name", ["B", "C", "E", "G"])
def test_annealing_leaves_concavities(name):
    chain = skeleton_of(name)
    goals = pairs_of(name, 80)
    error = {
        anneals: fmean(
            Ccd(chain, CcdOptions(anneals=anneals)).solve(goal).orientation_error for goal in goals
        )
        for anneals in (0, 12)
    }
    assert error[12] < 0.01
    assert error[0] > error[12] or error[0] < 1e-6


def test_several_ends_of_a_tree_reach_their_places_together():
    draw = random.Random(7)
    met = 0
    for _ in range(20):
        skeleton = tree(draw)
        pose = skeleton.forward(posture_of(draw, skeleton))
        positions = [skeleton.end_pose(pose, e)[1] for e in range(2)]
        goal = GazeGoal(
            Position(positions[0]), posture_of(draw, skeleton), others=(EndGoal(Position(positions[1]), 1),)
        )
        met += Ccd(skeleton).solve(goal).converged
    assert met >= 16


def test_where_ends_contradict_each_other_the_heavier_gets_nearer():
    draw = random.Random(8)
    skeleton = tree(draw)
    positions = [(0.5, 0.5, 0.6), (-0.9, -0.9, 0.2)]
    posture = np.zeros(len(skeleton))

    def error(weight: float):
        goal = GazeGoal(
            Position(positions[0]), posture, weight=weight, others=(EndGoal(Position(positions[1]), 1),)
        )
        return Ccd(skeleton).solve(goal)

    light, heavy = error(0.2), error(5.0)
    assert heavy.measured.errors[0].distance < light.measured.errors[0].distance
    assert heavy.measured.errors[1].distance > light.measured.errors[1].distance
    assert not heavy.converged
    assert "not met together" in heavy.reason


def test_a_goal_of_little_weight_is_met_as_exactly_where_nothing_stands_against_it():
    draw = random.Random(16)
    for weight, other in ((1e-3, 1e-3), (1e-3, 1.0), (100.0, 1.0)):
        met = 0
        for _ in range(8):
            skeleton = tree(draw)
            pose = skeleton.forward(posture_of(draw, skeleton))
            views = [rotate(skeleton.end_pose(pose, e)[0], Y) for e in range(2)]
            goal = GazeGoal(
                Direction(views[0]),
                posture_of(draw, skeleton),
                weight=weight,
                others=(EndGoal(Direction(views[1]), 1, other),),
            )
            met += Ccd(skeleton).solve(goal).converged
        assert met >= 6


def test_a_slide_slides_to_what_turning_alone_cannot_reach():
    rail = Joint("rail", -1, IDENTITY, (0.0, 0.0, 0.0), X, -2.0, 2.0, kind="prismatic")
    chain = Skeleton(
        (rail, *(replace(joint, parent=k) for k, joint in enumerate(lamp().joints))),
        tool_offset=(0.0, 0.06, 0.0),
    )
    there = chain.forward([1.6, 0.3, 0.4, 0.3, 0.2, 0.0]).tool_position
    solution = Ccd(chain).solve(GazeGoal(Position(there), np.zeros(6)))
    assert solution.converged
    assert solution.angles[0] > 0.9


def test_a_chain_of_slides_alone_looks_at_a_point_by_sliding():
    slides = tuple(
        Joint(f"slide {k}", k - 1, IDENTITY, (0.0, 0.0, 0.0), axis, -2.0, 2.0, kind="prismatic")
        for k, axis in enumerate((X, Z))
    )
    solution = Ccd(Skeleton(slides)).solve(GazeGoal(Point((0.7, 3.0, -0.4)), np.zeros(2)))
    assert solution.converged
    assert solution.angles == pytest.approx([0.7, -0.4], abs=1e-5)


def test_an_arm_brings_its_wrist_and_the_wrist_turns_so_that_neither_spoils_the_other():
    # Three joints at the shoulder and elbow, three at the wrist's position, and a hand beyond them.
    arm = [
        Joint("pan", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -3.0, 3.0),
        Joint("shoulder", 0, IDENTITY, (0.0, 0.0, 0.3), X, -2.0, 2.0),
    ]
    arm.append(Joint("elbow", 1, IDENTITY, (0.0, 0.0, 0.4), X, -2.5, 2.5))
    wrist = [
        Joint(f"wrist {k}", 2 + k, IDENTITY, (0.0, 0.0, 0.0 if k else 0.4), (Z, X, Z)[k], -3.1, 3.1)
        for k in range(3)
    ]
    chain = Skeleton((*arm, *wrist), tool_offset=(0.0, 0.05, 0.3))
    draw = random.Random(14)
    solver = Ccd(chain)
    met = [
        solver.solve(GazeGoal(aims_of(chain, posture_of(draw, chain))["frame"], posture_of(draw, chain)))
        for _ in range(40)
    ]
    assert fmean(s.converged for s in met) > 0.9
    assert np.median([s.iterations for s in met if s.converged]) < 50


def test_a_slide_in_the_wrist_brings_the_end_nearest_to_its_position_though_its_orientation_cannot_be_met():
    joints = [
        Joint(f"hinge {k}", k - 1, IDENTITY, (0.0, 0.0, 0.3), axis, -2.0, 2.0)
        for k, axis in enumerate((Z, X, X))
    ]
    joints.append(Joint("slide", 2, IDENTITY, (0.0, 0.0, 0.1), Z, -1.0, 1.0, kind="prismatic"))
    joints.append(Joint("last hinge", 3, IDENTITY, (0.0, 0.0, 0.1), X, -2.0, 2.0))
    chain, bounds = Skeleton(tuple(joints), tool_offset=(0.0, 0.2, 0.1)), np.zeros(5)
    bounds[3] = 1.0  # only the prismatic joint can move
    goal = GazeGoal(
        Frame(add(chain.forward(np.zeros(5)).tool_position, (0.2, 0.0, 0.4)), about(X, 1.0)), np.zeros(5)
    )
    result = CoordinateDescent(chain, CcdOptions()).descend(
        goal, np.zeros(5), -bounds, bounds, splits=True, sweeps=1
    )
    assert result.angles == pytest.approx([0.0, 0.0, 0.0, 0.4, 0.0])


def test_where_a_chain_cannot_be_upright_as_well_the_view_wins():
    chain = unit_chain("ZX", 1.5)  # pan and tilt: the roll cannot be chosen
    solution = Ccd(chain).solve(GazeGoal(Direction((0.4, 1.0, 0.3), up=(1.0, 0.0, 0.2)), np.zeros(2)))
    assert solution.aim_error < 1e-5
    assert not solution.converged


def test_the_less_the_posture_is_kept_the_nearer_to_zero_it_starts():
    chain = unit_chain("YXXXY", 1.6)
    posture = np.array([0.0, 0.9, -0.8, 0.9, 0.0])
    goal = GazeGoal(Direction(rotate(about(X, 0.9), Y)), posture)
    kept, forgotten = Ccd(chain).solve(goal), Ccd(chain).solve(replace(goal, keep=0.0))
    assert np.abs(kept.angles - posture).sum() < np.abs(forgotten.angles - posture).sum()
    assert kept.shape_deviation < forgotten.shape_deviation


def test_limits_given_as_whole_numbers_are_numbers():
    chain = Skeleton((Joint("base", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -1, 1),))
    assert Ccd(chain).solve(GazeGoal(Direction((0.0, -1.0, 0.0)), np.zeros(1))).angles[0] in (-1.0, 1.0)
