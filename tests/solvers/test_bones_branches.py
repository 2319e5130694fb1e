"""Tests that the solver on bones stays on a branch, leaves it with easing where it ends, and keeps its eye
away from the target.
"""

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from limber.solvers.bones.branch_transition import begin, most_rotation, rotation
from limber.solvers.bones.inertia import hanging_inertias, rod_lengths
from limber.solvers.bones.level import Levels
from limber.solvers.bones.model import BoneModel, BonePose
from limber.solvers.bones.problem import PoseProblem
from limber.solvers.bones.solver import BoneSolver
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.gaze import GazeSolution
from limber.solvers.goals import GazeGoal, Point
from limber.solvers.kinematics.rotations import IDENTITY, Vector, X, Y, Z, angle_between
from limber.solvers.kinematics.se3 import angle_of, exponential
from limber.solvers.kinematics.skeleton import Joint, Skeleton

from .test_bones import BONES, UNLIMITED, spine

RATE = 24  # frames per second
ROUND = 6 * RATE  # number of frames in which a target completes a circle
FASTEST = 20.0  # [degrees] largest rotation of a head per frame at 24 frames per second
LINKS = {  # [m] distance from each bone to the next, and from the last one to the eye
    "lamp of 3 bones": [(0.0, 0.05, 0.35), (0.0, -0.15, 0.3), (0.0, 0.2, -0.05)],
    "lamp of 4 bones": [(0.0, 0.0, 0.06), (0.0, -0.15, 0.32), (0.0, 0.25, 0.25), (0.0, 0.2, -0.05)],
    "crane": [(0.0, 0.0, 0.3), (0.0, 0.0, 1.7), (0.0, 1.5, 0.4), (0.0, 0.3, -0.2)],
    "snake": [(0.0, 0.1, 0.0)] * 8,
    "tentacle": [(0.0, 0.0, 0.1)] * 12 + [(0.0, 0.1, 0.0)],
}
# Circles of targets about the last bone: radius, and height above it, relative to the eye's distance from the
# root.
CIRCLES = [(0.9, 0.0), (1.5, 0.0), (3.0, 0.3), (1.5, -0.3), (0.4, 0.5)]


def rig(name: str) -> Skeleton:
    """A sequence of bones with three free joints each; the eye looks along +Y."""
    joints: list[Joint] = []
    for offset in [(0.0, 0.0, 0.0), *LINKS[name][:-1]]:
        for number, axis in enumerate((Z, Y, X)):
            place = (0.0, 0.0, 0.0) if number else offset
            joints.append(
                Joint(f"{len(joints)}", len(joints) - 1, IDENTITY, place, axis, -UNLIMITED, UNLIMITED)
            )
    return Skeleton(tuple(joints), tool_offset=LINKS[name][-1])


def looking(skeleton: Skeleton, position: Iterable[float]) -> GazeGoal:
    x, y, z = map(float, position)
    return GazeGoal(Point((x, y, z), level=Z), np.zeros(len(skeleton)))


def walked(
    name: str, skeleton: Skeleton, radius: float, height: float, frames: Iterable[float]
) -> list[GazeGoal]:
    """Goals of a target that circles around the last bone."""
    links = np.array(LINKS[name])
    centre, size = links[:-1].sum(0), float(np.linalg.norm(links.sum(0)))
    angles = [math.tau * frame / ROUND for frame in frames]
    return [
        looking(skeleton, centre + size * np.array((radius * math.sin(a), radius * math.cos(a), height)))
        for a in angles
    ]


def played(solver: BoneSolver, goals: list[GazeGoal], rate: float = RATE) -> list[GazeSolution]:
    """The solutions of a motion at `rate` frames per second."""
    solutions: list[GazeSolution] = []
    for goal in goals:
        last = solutions[-1] if solutions else None
        solutions.append(solver.solve(goal, last and last.angles, last and last.memory, dt=1.0 / rate))
    return solutions


def turns(skeleton: Skeleton, solutions: list[GazeSolution]) -> list[float]:
    """Rotations [degrees] of the head from frame to frame."""
    heads = [skeleton.forward(each.angles.tolist()).tool_rotation for each in solutions]
    return [math.degrees(angle_between(*pair)) for pair in pairwise(heads)]


def transitions(solutions: list[GazeSolution]) -> int:
    """Number of transitions that begin."""
    return sum(not a.is_on_its_way and b.is_on_its_way for a, b in pairwise(solutions))


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize(("radius", "height"), CIRCLES)
def test_round_a_free_chain_the_head_goes_to_the_other_side_once_a_round_and_eased(name, radius, height):
    skeleton = rig(name)
    solver = BoneSolver(skeleton, BONES)
    solutions = played(solver, walked(name, skeleton, radius, height, range(3 * ROUND)))
    assert max(turns(skeleton, solutions)) <= FASTEST
    assert transitions(solutions) <= 3
    for solution in solutions:
        assert solution.is_on_its_way or solution.aim_error < 1e-6


@pytest.mark.parametrize(
    ("name", "radius", "height"),
    [
        ("crane", 1.2, 0.3),  # within a head's length, where its direction turns faster than a joint
        ("crane", 1.0, 0.2),
        ("crane", 0.7, 0.05),
        ("snake", 0.6, 0.6),
        ("lamp of 4 bones", 0.7, 0.2),  # the pose to which the lamp goes over moves on quickly
    ],
)
def test_a_target_that_passes_close_to_a_head_turns_it_no_faster(name, radius, height):
    skeleton = rig(name)
    solutions = played(BoneSolver(skeleton, BONES), walked(name, skeleton, radius, height, range(2 * ROUND)))
    assert max(turns(skeleton, solutions)) <= FASTEST
    assert np.mean([solution.is_on_its_way for solution in solutions]) < 0.5


@pytest.mark.parametrize("rate", [12, 30, 60, 120])
def test_the_speed_of_a_head_does_not_depend_on_the_frame_rate(rate):
    name = "lamp of 4 bones"
    skeleton = rig(name)
    frames = np.arange(0, ROUND, RATE / rate)
    solutions = played(BoneSolver(skeleton, BONES), walked(name, skeleton, 0.9, 0.0, frames), rate)
    assert max(turns(skeleton, solutions)) <= FASTEST * RATE / rate
    assert transitions(solutions) == 1


def test_an_eye_keeps_off_a_target_within_its_reach():
    name = "lamp of 4 bones"
    skeleton = rig(name)
    solver, goals = BoneSolver(skeleton, BONES), walked(name, skeleton, 0.9, 0.0, range(ROUND))
    for goal, solution in zip(goals, played(solver, goals), strict=True):
        eye = skeleton.forward(solution.angles.tolist()).tool_position
        assert solution.is_on_its_way or math.dist(eye, goal.aim.position) > 0.3 * solver.model.sizes[0]


@pytest.mark.parametrize("across", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
def test_a_target_that_passes_through_an_eye_is_evaded(across):
    skeleton, solver = rig("lamp of 3 bones"), BoneSolver(rig("lamp of 3 bones"), BONES)
    eye = np.array(LINKS["lamp of 3 bones"]).sum(0)
    ways = np.linspace(-1.0, 1.0, 97)[:, None] * np.array(across)
    solutions = played(solver, [looking(skeleton, eye + way) for way in ways])
    assert max(turns(skeleton, solutions)) < 0.5 * FASTEST
    assert max(solution.aim_error for solution in solutions) < 1e-6


def test_derivatives_of_the_cost_of_a_distance_are_its_differences():
    skeleton, draw = spine(3), np.random.default_rng(4)
    model = BoneModel(skeleton, BONES)
    pose = model.pose(0.3 * draw.normal(size=9))
    eye = skeleton.forward(model.angles(pose, pose.values).tolist()).tool_position
    goal = looking(skeleton, np.array(eye) + 0.04)
    frames = model.frames(pose)
    problem = PoseProblem(model, BatchedAim(model, goal), pose, frames, Levels(model.tree, frames, goal))
    matrix, descent = np.zeros((9, 9)), np.zeros(9)
    assert problem.nearness.add(frames, matrix, descent) > 0.0
    for joint, step in enumerate(np.eye(9) * 1e-6):
        ahead, behind = (problem.evaluated(model.moved(pose, way)).secondary for way in (step, -step))
        assert problem.evaluated(pose).descent[joint] == pytest.approx((behind - ahead) / 2e-6, abs=1e-6)


def test_a_target_that_jumps_is_met_at_once():
    name = "lamp of 4 bones"
    skeleton = rig(name)
    before, after = walked(name, skeleton, 1.5, 0.0, (ROUND * 0.4, ROUND * 0.6))
    solutions = played(BoneSolver(skeleton, BONES), [before, before, after])
    assert solutions[-1].aim_error < 1e-6
    assert not solutions[-1].is_on_its_way


def test_a_transition_ends_while_its_target_rests():
    name = "lamp of 4 bones"
    skeleton, solver = rig(name), BoneSolver(rig(name), BONES)
    goals = walked(name, skeleton, 0.9, 0.0, range(ROUND))
    begins = next(k for k, each in enumerate(played(solver, goals)) if each.is_on_its_way)
    solutions = played(solver, goals[: begins + 1] + [goals[begins]] * 3 * RATE)
    assert "its bones are on their way" in solutions[begins + RATE // 4].reason
    assert max(turns(skeleton, solutions)) <= FASTEST
    assert not solutions[-1].is_on_its_way
    assert solutions[-1].converged


def test_a_setting_that_changes_is_no_other_branch():
    skeleton, last = spine(4), None
    for share in np.linspace(0.0, 1.0, 11):
        solver = BoneSolver(
            skeleton, ExpressiveOptions(hold_body=True, measure="bones", look_from=float(share))
        )
        goal = looking(skeleton, (2.0, 1.2, 0.0))
        last = solver.solve(goal, last and last.angles, last and last.memory, dt=1.0 / RATE)
        assert last.aim_error < 1e-6


def pose_of(*vectors: Vector) -> BonePose:
    """A deviation of balls, given by rotation vectors [rad]."""
    return BonePose(np.zeros(3 * len(vectors)), exponential(np.array(vectors)))


def test_bones_in_transition_stay_on_their_way_round():
    units = np.full(3, np.inf)
    transition = begin(pose_of((0.0, 0.0, 3.0)), pose_of((0.0, 0.0, 0.0)), units)
    shown = [transition.shown()]
    for frame in range(1, 12):  # after the first frames, the rotation the other way round is shorter
        following = transition.after(1 / RATE, pose_of((0.0, 0.0, -0.05 * frame)))
        assert following is not None
        transition = following
        shown.append(transition.shown())
    steps = [float(angle_of(a.balls[0].T @ b.balls[0])) for a, b in pairwise(shown)]
    assert max(steps) < math.radians(FASTEST)


def test_the_rotation_between_deviations_is_at_most_its_bounds():
    draw, units = np.random.default_rng(1), np.full(12, np.inf)
    for size in (1e-3, 0.1, 1.0, 3.0):
        before, after = (
            pose_of(*(size * draw.normal(size=(4, 3)) / math.sqrt(3.0)).tolist()) for _ in range(2)
        )
        end = np.linalg.multi_dot(before.balls).T @ np.linalg.multi_dot(after.balls)
        turned = rotation(before, after, units)
        assert float(angle_of(end)) <= turned + 1e-12
        assert turned <= most_rotation(before, after, units) + 1e-12


def test_the_size_of_what_hangs_on_a_bone_is_that_of_a_rod_of_its_inertia():
    heads, tails = np.zeros((1, 3)), np.array([[0.0, 0.3, 0.0]])
    inertias = hanging_inertias(heads, tails, np.ones((1, 1), bool), heads)
    assert rod_lengths(inertias) == pytest.approx([0.3], rel=0.02)


def test_bones_that_are_at_the_optimum_begin_no_transition():
    bones, units = pose_of((0.1, 0.2, 0.3), (0.0, 0.0, 1.0)), np.full(6, np.inf)
    assert begin(bones, bones, units) is None
