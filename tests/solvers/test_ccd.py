"""CCD: the step of a hinge, sweeps, every kind of goal, annealing, and motion from frame to frame."""

import itertools
import math
import random
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.ccd import Ccd, CcdOptions
from limber.solvers.ccd.descent import Descent
from limber.solvers.ccd.wishes import Room, pull_to_frame, pull_to_point, turn_within
from limber.solvers.coordinate_descent import Linkage, Pull, Tool, pull_of_frames, pull_of_vectors, sweep
from limber.solvers.goals import Direction, EndGoal, Frame, GazeGoal, Orientation, Point, Position
from limber.solvers.rotations import (
    IDENTITY,
    X,
    Y,
    Z,
    about,
    add,
    angle_between,
    between,
    dot,
    multiply,
    rotate,
    scale,
    subtract,
    twist_angle,
    unit,
    vector_angle,
)  # fmt: skip
from limber.solvers.skeleton import End, Joint, Skeleton

from benchmarks.fuzz import attempt
from benchmarks.fuzz_cases import any_recipe, make
from tests.solvers.chains import any_chain, any_direction, any_turn, lamp, pairs_of, posture_of, shared_places, skeleton_of, unit_chain

DEGREE = math.radians(1)


def tree(draw: random.Random) -> Skeleton:
    """A trunk of two joints, with two arms of three."""
    joints = [Joint("trunk 0", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -2.0, 2.0), Joint("trunk 1", 0, IDENTITY, (0.0, 0.0, 0.3), X, -1.0, 1.0)]
    ends = []
    for side in (-1.0, 1.0):
        for k in range(3):
            parent = 1 if k == 0 else len(joints) - 1
            joints.append(Joint(f"arm {side:+.0f} {k}", parent, any_turn(draw), (0.1 * side, 0.0, 0.25), any_direction(draw), -2.0, 2.0))
        ends.append(End(len(joints) - 1, IDENTITY, (0.0, 0.1, 0.0), f"hand {side:+.0f}"))
    return Skeleton(tuple(joints), ends[0].rotation, ends[0].offset, ends[0].joint, (ends[1],))


def aims_of(chain: Skeleton, angles) -> dict[str, object]:
    """An aim of each kind that these angles meet."""
    pose = chain.forward(angles)
    turned, place = pose.tool_rotation, pose.tool_place
    view, up = rotate(turned, Y), rotate(turned, Z)
    near, far = (add(place, scale(view, share * chain.reach)) for share in (0.3, 3.0))
    return {
        "orientation": Orientation(turned),
        "direction": Direction(view),
        "direction up": Direction(view, up),
        "point": Point(far),
        "near point": Point(near),
        "point up": Point(far, up),
        "position": Position(place),
        "frame": Frame(place, turned),
    }


# The step of a hinge


@given(st.integers(0, 10**6))
def test_a_hinge_turns_as_if_all_turned_and_its_axis_were_put_back(seed):
    # Zalo's two steps, literally: the quaternion between both vectors, then the shortest way back for the axis.
    draw = random.Random(seed)
    axis, now, wanted = (any_direction(draw) for _ in range(3))
    free = between(now, wanted)
    kept = multiply(between(rotate(free, axis), axis), free)
    assert angle_between(kept, about(axis, pull_of_vectors(axis, now, wanted).turn)) == pytest.approx(0, abs=1e-6)


@given(st.integers(0, 10**6))
def test_a_hinge_never_turns_too_far_and_the_best_turn_is_the_best(seed):
    draw = random.Random(seed)
    axis = any_direction(draw)
    pairs = [(any_direction(draw), any_direction(draw), draw.uniform(0, 2)) for _ in range(3)]
    pull = Pull()
    for now, wanted, weight in pairs:
        pull = pull.plus(pull_of_vectors(axis, now, wanted).times(weight))

    def nearness(turn: float) -> float:
        return sum(weight * dot(rotate(about(axis, turn), now), wanted) for now, wanted, weight in pairs)

    gains = [nearness(share * pull.turn) for share in np.linspace(0, 1, 9)]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(gains))
    assert nearness(pull.best_turn) >= max(nearness(turn) for turn in np.linspace(-math.pi, math.pi, 60)) - 1e-12
    assert abs(pull.turn) <= abs(pull.best_turn) + 1e-9
    assert pull.gain(0.7) - pull.gain(0.0) == pytest.approx(nearness(0.7) - nearness(0.0), abs=1e-12)


def test_opposite_vectors_turn_a_hinge_half_round_if_it_lies_across():
    assert abs(pull_of_vectors(Z, X, scale(X, -1.0)).turn) == pytest.approx(math.pi)
    assert pull_of_vectors(X, X, scale(X, -1.0)).turn == 0.0  # the hinge lies along them: no turn helps
    turned = rotate(about(Z, pull_of_vectors(Z, unit((1.0, 0.0, 0.5)), unit((-1.0, 0.0, -0.5))).turn), unit((1.0, 0.0, 0.5)))
    assert turned[0] < -0.8


@given(st.integers(0, 10**6))
def test_a_whole_orientation_turns_a_hinge_by_its_twist(seed):
    draw = random.Random(seed)
    axis, now, wanted = any_direction(draw), any_turn(draw), any_turn(draw)
    back = (now[0], -now[1], -now[2], -now[3])
    pull = pull_of_frames(axis, now, wanted)
    assert math.remainder(pull.turn - twist_angle(multiply(wanted, back), axis), math.tau) == pytest.approx(0, abs=1e-9)
    assert math.remainder(pull.turn - pull.best_turn, math.tau) == pytest.approx(0, abs=1e-9)


@given(st.integers(0, 10**6))
def test_a_free_joint_brings_its_line_of_sight_onto_any_point_at_once(seed):
    # However near the target: the eye moves as the joint turns, and the pull knows.
    draw = random.Random(seed)
    place, eye, view, target = any_direction(draw), scale(any_direction(draw), 1.5), any_direction(draw), scale(any_direction(draw), 2.0)
    vectors = []

    for axis in (X, Y, Z):
        pull = pull_to_point(axis, place, eye, view, target)
        if pull is None:
            return
        vectors.append(pull.across)
    # The three hinges feel the components of one turn, n sin; its direction is that of the free turn.
    size = math.hypot(*vectors)
    if size < 1e-6:
        return
    arm, sight = subtract(target, place), subtract(eye, place)
    if math.hypot(*arm) < math.sqrt(max(0.0, dot(sight, sight) - dot(sight, view) ** 2)):
        return  # nearer to the joint than the line ever comes
    for angle in (math.asin(min(1.0, size)), math.pi - math.asin(min(1.0, size))):
        turn = about(unit(tuple(vectors)), angle)
        moved, looks = add(rotate(turn, sight), place), rotate(turn, view)
        if vector_angle(looks, subtract(target, moved)) < 1e-6:
            return
    raise AssertionError("neither turn brings the sight onto the target")


def test_where_limits_block_a_turn_the_other_way_round_is_taken_or_the_better_end():
    pull = pull_of_vectors(Z, X, rotate(about(Z, 2.0), X))
    assert turn_within(pull, 2.0, Room(-1.0, 3.0)) == 2.0
    assert turn_within(pull, 2.0, Room(-6.0, 1.0)) == pytest.approx(2.0 - math.tau)
    assert turn_within(pull, 2.0, Room(-1.0, 1.5)) == 1.5
    assert turn_within(pull, 2.0, Room(-3.0, 0.0)) == -3.0  # past the opposite it comes nearer again


def test_of_a_symmetric_ends_rolls_the_one_within_limits_is_taken():
    now, target = IDENTITY, about(Y, math.radians(80))
    free, blocked = Room(-2.0, 2.0), Room(-2.0, 0.1)
    assert pull_to_frame(Y, now, target, True, free).best_turn == pytest.approx(math.radians(80))
    assert pull_to_frame(Y, now, target, True, blocked).best_turn == pytest.approx(math.radians(-100))
    assert pull_to_frame(Y, now, target, False, blocked).best_turn == pytest.approx(math.radians(80))


# Sweeps


@pytest.mark.parametrize("tip_first", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_sweep_carries_the_tools_as_the_joints_turn_and_slide(seed, tip_first):
    draw = random.Random(seed)
    bare = tree(draw)
    slide = replace(bare.joints[3], kind="prismatic", lower=-0.2, upper=0.3)
    skeleton = replace(bare, joints=(*bare.joints[:3], slide, *bare.joints[4:]))
    angles = list(posture_of(draw, skeleton))
    pose = skeleton.forward(angles)
    tools = [Tool(*skeleton.end_pose(pose, e)) for e in range(2)]
    seen = {}

    def move(k, axis, place):
        seen[k] = axis, place
        by = draw.uniform(-0.3, 0.3)
        before = skeleton.forward(angles)
        assert axis == pytest.approx(skeleton.world_axes(before)[k], abs=1e-9)
        if skeleton.joints[k].kind == "revolute":
            assert place == pytest.approx(before.places[k], abs=1e-9)
        angles[k] += by
        return by

    slides = [joint.kind == "prismatic" for joint in skeleton.joints]
    carried = [[e for e in range(2) if k in skeleton.path(e)] for k in range(len(skeleton))]
    linkage = Linkage(skeleton.world_axes(pose), pose.places, [joint.parent for joint in skeleton.joints], slides, carried, tools)
    sweep(linkage, move, tip_first)
    assert list(seen) == (list(range(len(skeleton)))[::-1] if tip_first else list(range(len(skeleton))))
    after = skeleton.forward(angles)
    for e, tool in enumerate(tools):
        rotation, place = skeleton.end_pose(after, e)
        assert tool.place == pytest.approx(place, abs=1e-9)
        assert angle_between(tool.rotation, rotation) == pytest.approx(0, abs=1e-7)


def test_the_joint_that_comes_first_turns_most():
    chain = unit_chain("XXXX", 1.5)
    goal = GazeGoal(Direction(rotate(about(X, 0.8), Y)), np.zeros(4))
    tip, base = (Ccd(chain, CcdOptions(order=order)).solve(goal).angles for order in ("tip", "base"))
    assert tip[3] == pytest.approx(0.8, abs=1e-5)
    assert base[0] == pytest.approx(0.8, abs=1e-5)
    assert np.abs(tip[:3]).max() < 1e-5


# Goals

CHAINS = {
    "G": lambda draw: skeleton_of("G"),
    "spine": lambda draw: shared_places(3),
    "lamp": lambda draw: lamp(),
    "any": lambda draw: any_chain(draw, 8),
}
# The share of goals, each met by some pose, that CCD meets exactly. A whole frame takes all of the lamp's five joints.
MET = {"orientation": 0.9, "direction": 0.95, "direction up": 0.8, "point": 0.95, "near point": 0.9, "point up": 0.8, "position": 0.9}


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
    missed = {
        anneals: fmean(Ccd(chain, CcdOptions(anneals=anneals)).solve(goal).orientation_error for goal in goals) for anneals in (0, 12)
    }
    assert missed[12] < 0.01
    assert missed[0] > missed[12] or missed[0] < 1e-6


def test_several_ends_of_a_tree_reach_their_places_together():
    draw = random.Random(7)
    met = 0
    for _ in range(20):
        skeleton = tree(draw)
        pose = skeleton.forward(posture_of(draw, skeleton))
        places = [skeleton.end_pose(pose, e)[1] for e in range(2)]
        goal = GazeGoal(Position(places[0]), posture_of(draw, skeleton), others=(EndGoal(Position(places[1]), 1),))
        met += Ccd(skeleton).solve(goal).converged
    assert met >= 16


def test_where_ends_contradict_each_other_the_heavier_gets_nearer():
    draw = random.Random(8)
    skeleton = tree(draw)
    places = [(0.5, 0.5, 0.6), (-0.9, -0.9, 0.2)]
    posture = np.zeros(len(skeleton))

    def missed(weight: float):
        goal = GazeGoal(Position(places[0]), posture, weight=weight, others=(EndGoal(Position(places[1]), 1),))
        return Ccd(skeleton).solve(goal)

    light, heavy = missed(0.2), missed(5.0)
    assert heavy.misses[0].distance < light.misses[0].distance
    assert heavy.misses[1].distance > light.misses[1].distance
    assert not heavy.converged
    assert "cannot be met together" in heavy.reason


def test_a_goal_of_little_weight_is_met_as_exactly_where_nothing_stands_against_it():
    draw = random.Random(16)
    for weight, other in ((1e-3, 1e-3), (1e-3, 1.0), (100.0, 1.0)):
        met = 0
        for _ in range(8):
            skeleton = tree(draw)
            pose = skeleton.forward(posture_of(draw, skeleton))
            views = [rotate(skeleton.end_pose(pose, e)[0], Y) for e in range(2)]
            goal = GazeGoal(
                Direction(views[0]), posture_of(draw, skeleton), weight=weight, others=(EndGoal(Direction(views[1]), 1, other),)
            )
            met += Ccd(skeleton).solve(goal).converged
        assert met >= 6


def test_a_slide_slides_to_what_turning_alone_cannot_reach():
    rail = Joint("rail", -1, IDENTITY, (0.0, 0.0, 0.0), X, -2.0, 2.0, kind="prismatic")
    chain = Skeleton((rail, *(replace(joint, parent=k) for k, joint in enumerate(lamp().joints))), tool_offset=(0.0, 0.06, 0.0))
    there = chain.forward([1.6, 0.3, 0.4, 0.3, 0.2, 0.0]).tool_place
    solution = Ccd(chain).solve(GazeGoal(Position(there), np.zeros(6)))
    assert solution.converged
    assert solution.angles[0] > 0.9


def test_a_chain_of_slides_alone_looks_at_a_point_by_sliding():
    slides = tuple(
        Joint(f"slide {k}", k - 1, IDENTITY, (0.0, 0.0, 0.0), axis, -2.0, 2.0, kind="prismatic") for k, axis in enumerate((X, Z))
    )
    solution = Ccd(Skeleton(slides)).solve(GazeGoal(Point((0.7, 3.0, -0.4)), np.zeros(2)))
    assert solution.converged
    assert solution.angles == pytest.approx([0.7, -0.4], abs=1e-5)


def test_an_arm_brings_its_wrist_and_the_wrist_turns_so_that_neither_spoils_the_other():
    # Three joints at the shoulder and elbow, three that share the wrist's place, a hand beyond it.
    arm = [Joint("pan", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -3.0, 3.0), Joint("shoulder", 0, IDENTITY, (0.0, 0.0, 0.3), X, -2.0, 2.0)]
    arm.append(Joint("elbow", 1, IDENTITY, (0.0, 0.0, 0.4), X, -2.5, 2.5))
    wrist = [Joint(f"wrist {k}", 2 + k, IDENTITY, (0.0, 0.0, 0.0 if k else 0.4), (Z, X, Z)[k], -3.1, 3.1) for k in range(3)]
    chain = Skeleton((*arm, *wrist), tool_offset=(0.0, 0.05, 0.3))
    draw = random.Random(14)
    solver = Ccd(chain)
    met = [solver.solve(GazeGoal(aims_of(chain, posture_of(draw, chain))["frame"], posture_of(draw, chain))) for _ in range(40)]
    assert fmean(s.converged for s in met) > 0.9
    assert np.median([s.iterations for s in met if s.converged]) < 50


def test_where_a_chain_cannot_be_upright_as_well_the_view_wins():
    chain = unit_chain("ZX", 1.5)  # pan and tilt: the roll is what it is
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


# From frame to frame


@pytest.mark.parametrize("iterations", [1, 60])
@pytest.mark.parametrize("name", ["C", "E", "G"])
def test_a_smooth_target_is_followed_without_a_jump(name, iterations):
    draw = random.Random(9)
    chain = skeleton_of(name)
    solver = Ccd(chain, CcdOptions(in_frame=iterations))
    misses = []
    for _ in range(5):
        posture, start = 0.5 * posture_of(draw, chain), None
        for t in range(60):
            swing = multiply(about(X, 0.5 * math.sin(t / 30)), about(Z, 0.4 * math.sin(t / 20)))
            target = Orientation(multiply(swing, chain.forward(posture).tool_rotation))
            solution = (solver if start is not None else Ccd(chain)).solve(GazeGoal(target, posture), start)
            if start is not None:
                assert np.abs(solution.angles - start).max() < 5 * DEGREE
                assert solution.iterations <= iterations
            start = solution.angles
            misses.append(solution.aim_error)
    assert np.median(misses) < DEGREE


def test_a_target_that_is_moved_at_once_is_gone_for_at_a_bounded_pace():
    chain = skeleton_of("G")
    solver = Ccd(chain)
    posture = np.array([0.0, 0.4, 0.3, 0.4, 0.0, 0.4, 0.3, 0.0])
    start = posture
    target = Direction((1.0, -0.2, 0.3))
    for _ in range(40):
        solution = solver.solve(GazeGoal(target, posture), start)
        assert np.abs(solution.angles - start).max() <= 10 * DEGREE + 1e-12
        start = solution.angles
    assert solution.converged


def test_what_a_slide_moves_in_a_frame_is_a_share_of_the_reach():
    shares = []
    for size in (0.01, 1.0, 100.0):
        slide = Joint("slide", -1, IDENTITY, (0.0, 0.0, 0.0), X, -size, size, "prismatic")
        hinge = Joint("hinge", 0, IDENTITY, (0.0, 0.0, 0.2 * size), Z, -2.0, 2.0)
        chain = Skeleton((slide, hinge), tool_offset=(0.0, 0.2 * size, 0.0))
        solver = Ccd(chain)
        far, near = (GazeGoal(Position((x * size, 0.2 * size, 0.2 * size)), np.zeros(2)) for x in (-0.9, 0.9))
        start = solver.solve(near).angles
        shares.append(float(abs(solver.solve(far, start).angles - start)[0]) / chain.reach)
    assert shares == pytest.approx([CcdOptions().largest_move] * 3)


def test_stuck_for_long_it_finds_a_way_out_and_goes_there_without_a_jump():
    # Two bends that point the wrong way: near the posture no sweep helps, elsewhere the target is met.
    draw = random.Random(15)
    chain = skeleton_of("C")
    left, met = 0, 0
    for _ in range(12):
        goal = GazeGoal(Orientation(chain.forward(posture_of(draw, chain)).tool_rotation), posture_of(draw, chain))
        solver, start, memory, paces = Ccd(chain), np.array(chain.clamp(goal.posture)), None, [0.0]
        solutions = []
        for _ in range(120):
            solution = solver.solve(goal, start, memory)
            paces.append(np.abs(solution.angles - start).max())
            start, memory = solution.angles, solution.memory
            solutions.append(solution)
        assert max(paces) <= 10 * DEGREE + 1e-12
        stuck = not solutions[28].converged
        left += stuck and solutions[-1].converged
        met += solutions[-1].converged
        if stuck and solutions[-1].converged:
            assert max(abs(b - a) for a, b in itertools.pairwise(paces[30:])) < 4 * DEGREE  # gently off and gently on
    assert left >= 2
    assert met >= 11


def test_out_of_reach_it_stays_calm_and_seldom_searches():
    chain = unit_chain("XXX", 0.3)
    goal = GazeGoal(Direction(scale(Y, -1.0)), np.zeros(3))
    solver, start, memory = Ccd(chain), np.zeros(3), None
    sweeps, moves = [], []
    for _ in range(200):
        solution = solver.solve(goal, start, memory)
        sweeps.append(solution.iterations)
        moves.append(np.abs(solution.angles - start).max())
        start, memory = solution.angles, solution.memory
    assert max(moves[20:]) < 1e-9
    assert sum(count > 60 for count in sweeps) <= 3
    assert not solution.converged


def test_its_ways_out_are_sound_whatever_is_asked():
    for seed in range(20):
        case = make(any_recipe(random.Random(seed)))
        tried = attempt("ccd", case, 10, lambda skeleton: Ccd(skeleton, CcdOptions(frames_stuck=2, anneals=4)))
        assert tried.faults == []


def test_at_rest_it_stays_where_it_is_to_the_bit():
    draw = random.Random(10)
    chain = skeleton_of("G")
    solver = Ccd(chain)
    goal = GazeGoal(Orientation(any_turn(draw)), posture_of(draw, chain))
    first = solver.solve(goal)
    assert first.converged
    again = solver.solve(goal, first.angles)
    assert np.array_equal(again.angles, first.angles)
    assert again.iterations == 0


def test_extrapolation_saves_sweeps():
    chain = lamp()
    draw = random.Random(11)
    goals = [GazeGoal(aims_of(chain, posture_of(draw, chain))["orientation"], posture_of(draw, chain)) for _ in range(20)]
    sweeps = {on: fmean(Ccd(chain, CcdOptions(extrapolates=on)).solve(goal).iterations for goal in goals) for on in (True, False)}
    assert sweeps[True] < 0.5 * sweeps[False]


def test_no_descent_makes_it_worse():
    draw = random.Random(12)
    for _ in range(20):
        chain = any_chain(draw, 6)
        descent = Descent(chain, CcdOptions())
        start = tuple(posture_of(draw, chain))
        for kind, aim in aims_of(chain, posture_of(draw, chain)).items():
            goal = GazeGoal(aim, np.array(start))
            way = descent.descend(goal, start, chain.lower, chain.upper, kind != "frame", 10)
            assert way.missed <= descent.missed(goal, chain.forward(start))
            assert way.missed == descent.missed(goal, chain.forward(way.angles))
