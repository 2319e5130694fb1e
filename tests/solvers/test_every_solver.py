"""Tests the guarantees of every solver for any input: no crash, no NaN, limits respected, and a correct
statement of convergence.

`python -m benchmarks.fuzz` tries ten thousand such cases.
"""

import math
import random
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.aims.blocks import PoseErrors
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.expressive.measures import MOST_JOINTS
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.goals import (
    Direction,
    EndGoal,
    Frame,
    GazeError,
    GazeGoal,
    GoalKindError,
    Orientation,
    Point,
    Position,
    PostureShapeError,
    TargetError,
)
from limber.solvers.jacobian.options import DampedOptions
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z, add, rotate, scale
from limber.solvers.kinematics.skeleton import FARTHEST, End, Joint, Skeleton
from limber.solvers.table import SOLVERS, UnavailableSolverError, make_solver, unavailable
from limber.solvers.tolerances import LONGEST_FRAME, SHORTEST_FRAME

from benchmarks import fuzz_cases as cases
from benchmarks.fuzz import attempt, available, faults_of
from benchmarks.fuzz_cases import Recipe, make
from tests.solvers.chains import lamp, unit_chain

NAMES = list(SOLVERS)
CHOSEN = 20  # number of cases for each solver that hypothesis chooses
DRAWN = 12  # number of cases for each solver that are drawn as by the command
WALKS, FRAMES = 3, 12  # number of cases that are followed, and of frames

recipes = st.builds(
    Recipe,
    seed=st.integers(0, 2**32 - 1),
    joints=st.integers(1, 8) | st.integers(1, cases.MOST_JOINTS),
    ends=st.sampled_from([1, 1, 2, 3]),
    links=st.sampled_from(cases.LINKS),
    axes=st.sampled_from(cases.AXES),
    limits=st.sampled_from(cases.LIMITS),
    slides=st.sampled_from(cases.SLIDES),
    kinds=st.lists(st.sampled_from(cases.KINDS), min_size=1, max_size=3).map(tuple),
    where=st.sampled_from(cases.WHERE),
    up=st.sampled_from(cases.UPS),
    weights=st.lists(st.sampled_from(cases.WEIGHTS), min_size=1, max_size=2).map(tuple),
    posture=st.sampled_from(cases.POSTURES),
    keep=st.sampled_from(cases.KEEPS),
    symmetric=st.booleans(),
    size=st.sampled_from([1.0, 1e-3, 1e3]),
)


def able(names: list[str], skeleton: Skeleton, *aims) -> list[str]:
    return [name for name in names if not unavailable(name, skeleton, [type(aim) for aim in aims])]


def trunk_with_two_arms() -> Skeleton:
    """A trunk that rotates, and at its top two arms of two joints."""
    joints = [Joint("trunk", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -2.0, 2.0)]
    for side, name in ((-1.0, "left"), (1.0, "right")):
        joints.append(Joint(f"{name} shoulder", 0, IDENTITY, (0.2 * side, 0.0, 0.5), X, -2.0, 2.0))
        joints.append(Joint(f"{name} elbow", len(joints) - 1, IDENTITY, (0.0, 0.3, 0.0), Z, -2.0, 2.0))
    hand = (0.0, 0.3, 0.0)
    return Skeleton(tuple(joints), IDENTITY, hand, 2, (End(4, IDENTITY, hand, "right hand"),))


def test_a_chain_that_is_too_long_to_plan_for_in_time_is_refused_with_the_solvers_that_take_it():
    long = unit_chain("XYZ" * (MOST_JOINTS // 3 + 1), 1.0, 0.01)
    sentence = f"Expressive moves at most {MOST_JOINTS} joints unless Shape is Rotations of Bones, and here are {len(long)}"
    with pytest.raises(UnavailableSolverError, match=f"{sentence}: choose ERIK, CCD, "):
        make_solver("expressive", long)
    of_bones = ExpressiveOptions(measure="bones")
    assert not unavailable("expressive", long, options=of_bones), "its time grows with the number itself"
    assert not unavailable("expressive", unit_chain("X" * MOST_JOINTS, 1.0, 0.01))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=CHOSEN)
@given(recipe=recipes)
def test_whatever_is_asked_the_answer_is_sound(name, recipe):
    if not SOLVERS[name].trees:
        recipe = replace(recipe, ends=1)
    case = make(recipe)
    if not available(name, case):
        with pytest.raises((UnavailableSolverError, GoalKindError)):
            make_solver(name, case.skeleton).solve(case.goal)
        return
    assert attempt(name, case).faults == []


@pytest.mark.parametrize("name", NAMES)
def test_the_cases_of_the_command_leave_no_fault(name):
    for seed in range(10**6, 10**6 + DRAWN):
        case = make(cases.any_recipe(random.Random(seed)))
        if available(name, case):
            assert attempt(name, case).faults == [], (
                f"python -m benchmarks.fuzz --count 1 --seed {seed} --solvers {name}"
            )


@pytest.mark.parametrize("name", NAMES)
def test_from_frame_to_frame_the_answers_stay_sound(name):
    for seed in range(2 * 10**6, 2 * 10**6 + WALKS):
        case = make(cases.any_recipe(random.Random(seed)))
        if available(name, case):
            assert attempt(name, case, FRAMES).faults == [], (
                f"python -m benchmarks.fuzz --count 1 --seed {seed} --frames {FRAMES}"
            )


def test_the_cases_are_of_every_sort():
    # A generator that drew only easy cases would find no fault.
    met, trees, fixed, kinds = 0, 0, 0, Counter()
    for seed in range(300):
        case = make(cases.any_recipe(random.Random(seed)))
        trees += not case.skeleton.is_chain
        fixed += any(joint.lower == joint.upper for joint in case.skeleton.joints)
        kinds.update(type(wanted.aim) for wanted in case.goal.ends)
        if seed < 60:
            met += make_solver("ccd", case.skeleton).solve(case.goal).converged
    assert 10 < met < 50
    assert trees > 60
    assert fixed > 60
    assert min(kinds[kind] for kind in (Orientation, Direction, Point, Position, Frame)) > 30


def test_the_fuzz_sees_what_is_wrong():
    case = make(Recipe(seed=1))
    right = make_solver("ccd", case.skeleton).solve(case.goal)
    wrong = {
        "limits are exceeded": replace(right, angles=right.angles + 100.0),
        "a figure is not finite": replace(right, measured=PoseErrors((math.nan, math.nan, 0.0, 0.0))),
        "the angles are": replace(right, angles=right.angles * math.nan),
        "gives no reason": replace(right, is_accepted=False, unfinished=""),
        "says that it has converged": replace(
            right, angles=np.array(case.skeleton.clamp(right.angles + 0.1))
        ),
        "2 misses for 1 goals": replace(right, measured=PoseErrors(2 * right.measured)),
    }
    assert faults_of("ccd", case.skeleton, case.goal, right) == []
    for said, solution in wrong.items():
        assert any(said in fault for fault in faults_of("ccd", case.skeleton, case.goal, solution))


NOT_FINITE = [
    (Orientation((math.nan, 0.0, 0.0, 0.0)), "target orientation"),
    (Orientation((1.0, 0.0, 0.0)), "target orientation"),
    (Orientation((0.0, 0.0, 0.0, 0.0)), "target orientation"),
    (Direction((math.inf, 0.0, 0.0)), "target direction"),
    (Direction((0.0, 0.0, 0.0)), "target direction"),
    (Direction(Y, up=(0.0, math.nan, 0.0)), "up vector"),
    (Direction(Y, up=(0.0, 0.0, 0.0)), "up vector"),
    (Point((0.0, 1.0)), "target point"),
    (Point((0.0, math.nan, 1.0)), "target point"),
    (Point((0.0, 0.0, 1.0), up=(1.0, 0.0)), "up vector"),
    (Position((0.0, math.inf, 1.0)), "target point"),
    (Position((0.0, 0.0, 1.0, 0.0)), "target point"),
    (Frame((0.0, math.nan, 1.0), IDENTITY), "target point"),
    (Frame((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0)), "target orientation"),
    (Frame((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, -math.inf)), "target orientation"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("aim", "what"), NOT_FINITE)
def test_a_target_that_is_none_is_refused_by_name(name, aim, what):
    with pytest.raises((TargetError, GoalKindError)) as refused:
        make_solver(name, lamp()).solve(GazeGoal(aim, np.zeros(5)))
    assert what in str(refused.value) or not SOLVERS[name].supports(type(aim))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"posture": np.zeros(4)}, PostureShapeError),
        ({"posture": np.zeros(6)}, PostureShapeError),
        ({"posture": np.array([0.0, math.inf, 0.0, 0.0, 0.0])}, PostureShapeError),
        ({"weight": -1.0}, GazeError),
        ({"weight": math.nan}, GazeError),
        ({"weight": math.inf}, GazeError),
        ({"keep": 1.5}, GazeError),
        ({"keep": math.nan}, GazeError),
        ({"others": (EndGoal(Direction(X), 1),)}, GazeError),
        ({"others": (EndGoal(Direction((math.nan, 0.0, 0.0)), 0),)}, TargetError),
    ],
)
def test_a_goal_that_makes_no_sense_is_refused(name, changes, error):
    with pytest.raises(error):
        make_solver(name, lamp()).solve(replace(GazeGoal(Direction(X), np.zeros(5)), **changes))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "start", [np.zeros(4), np.full(5, math.nan), np.array([0.0, math.inf, 0.0, 0.0, 0.0])]
)
def test_a_start_that_is_none_is_refused(name, start):
    with pytest.raises(PostureShapeError, match="start"):
        make_solver(name, lamp()).solve(GazeGoal(Direction(X), np.zeros(5)), start)


@pytest.mark.parametrize("name", NAMES)
def test_the_memory_of_another_solver_or_chain_does_no_harm(name):
    goal = GazeGoal(Direction((1.0, 0.5, 0.2)), np.zeros(5))
    solver = make_solver(name, lamp())
    shorter = GazeGoal(goal.aim, np.zeros(3))
    others = [
        make_solver(other, Skeleton(lamp().joints[:3])).solve(shorter, np.zeros(3)).memory for other in NAMES
    ]
    for memory in ("memory", *others):
        solution = solver.solve(goal, np.zeros(5), memory)
        assert np.isfinite(solution.angles).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_posture_outside_the_limits_is_clamped_and_said_so_once(name):
    posture = np.array([0.0, 5.0, 0.0, 0.0, 0.0])
    solution = make_solver(name, lamp()).solve(GazeGoal(Direction(Y), posture))
    assert "lower arm" in solution.remark
    assert "head" not in solution.remark
    assert make_solver(name, lamp()).solve(GazeGoal(Direction(Y), np.zeros(5))).remark == ""


@pytest.mark.parametrize("name", [name for name in NAMES if SOLVERS[name].trees])
def test_of_goals_that_contradict_each_other_the_reason_names_the_ends_that_give_way(name):
    skeleton = trunk_with_two_arms()
    pose = skeleton.forward(np.zeros(5))
    left = skeleton.end_pose(pose, 0)[1]
    goal = GazeGoal(
        Position(left), np.zeros(5), weight=30.0, others=(EndGoal(Position((-3.0, -3.0, 0.2)), 1),)
    )
    solution = make_solver(name, skeleton).solve(goal)
    assert not solution.converged
    assert "'right hand'" in solution.reason
    assert solution.measured.errors[1].distance > 1.0
    assert solution.measured.errors[0].distance < 0.3 * solution.measured.errors[1].distance


@pytest.mark.parametrize("name", [name for name in NAMES if SOLVERS[name].trees])
def test_a_goal_without_weight_stands_in_no_other_goals_way(name):
    skeleton = trunk_with_two_arms()
    left = skeleton.end_pose(skeleton.forward(skeleton.clamp([0.3] * 5)), 0)[1]
    goal = GazeGoal(
        Position(left), np.zeros(5), others=(EndGoal(Position((-3.0, -3.0, 0.2)), 1, weight=0.0),)
    )
    solution = make_solver(name, skeleton).solve(goal)
    assert solution.measured.errors[0].distance < 1e-3
    assert "'right hand' has an error of" in solution.reason
    assert "no weight" in solution.reason
    assert "together" not in solution.reason


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("joints", [1, 40])
def test_the_shortest_and_the_longest_chain_look_at_a_point(name, joints):
    chain = Skeleton(
        tuple(
            Joint(f"joint {k}", k - 1, IDENTITY, (0.0, 0.1 if k else 0.0, 0.0), (X, Z)[k % 2], -0.5, 0.5)
            for k in range(joints)
        )
    )
    ahead = chain.forward([0.2] * joints)
    target = Point(add(ahead.tool_position, scale(rotate(ahead.tool_rotation, Y), 3.0 * chain.reach + 1.0)))
    solution = make_solver(name, chain).solve(GazeGoal(target, np.zeros(joints)))
    assert solution.aim_error < math.radians(7)  # ERIK's threshold; the other solvers are more accurate


@pytest.mark.parametrize("name", NAMES)
def test_a_slide_may_be_as_long_as_a_joints_limits_allow(name):
    joints = list(lamp().joints)
    joints[2] = replace(joints[2], kind="prismatic", lower=-FARTHEST, upper=FARTHEST)
    goal, solver = GazeGoal(Point((2.0, 3.0, 0.4)), np.zeros(5)), make_solver(name, Skeleton(tuple(joints)))
    first = solver.solve(goal)
    again = solver.solve(goal, first.angles, first.memory, dt=1 / 24)
    assert np.isfinite(again.angles).all()


@pytest.mark.parametrize("dt", [-1.0, 0.0, math.nan, math.inf, 1e300, 1e-300])
@pytest.mark.parametrize("name", NAMES)
def test_a_duration_that_no_frame_has_is_refused(name, dt):
    skeleton = lamp()
    with pytest.raises(GazeError, match=re.escape(f"the frame lasts {dt} s: give it a duration above 0")):
        make_solver(name, skeleton).solve(
            GazeGoal(Direction((1.0, 0.2, 0.3)), np.full(len(skeleton), 0.1)), dt=dt
        )


@pytest.mark.parametrize("dt", [SHORTEST_FRAME, LONGEST_FRAME])
@pytest.mark.parametrize("name", NAMES)
def test_the_shortest_and_the_longest_frame_are_solved(name, dt):
    skeleton = lamp()
    solver, goal = (
        make_solver(name, skeleton),
        GazeGoal(Orientation((1.0, 0.2, 0.3, 0.1)), np.full(len(skeleton), 0.1), keep=0.5),
    )
    first = solver.solve(goal)
    second = solver.solve(
        goal, start=np.array(skeleton.clamp(np.array(first.angles) + 0.1)), memory=first.memory, dt=dt
    )
    assert np.isfinite(second.angles).all()


@pytest.mark.parametrize(
    ("key", "solver", "options", "aim"),
    [
        ("erik_exact", "erik", Hyperparameters(exact_aim=True), Direction((1.0, 0.2, 0.3))),
        ("dls_clamped", "dls", DampedOptions(near_targets=True), Position((5.0, 0.0, 2.0))),
    ],
)
def test_a_solver_with_its_option_is_the_solver_of_the_key_that_stands_for_both(key, solver, options, aim):
    skeleton = lamp()
    goal = GazeGoal(aim, np.full(len(skeleton), 0.2))
    of_key, of_option, plain = (
        make_solver(*chosen).solve(goal).angles
        for chosen in ((key, skeleton), (solver, skeleton, options), (solver, skeleton))
    )
    assert of_key.tolist() == of_option.tolist()
    assert of_key.tolist() != plain.tolist()
