"""Tests the exact aim frame by frame: no pops except unavoidable ones, no drift, and the same solution for
the same input.
"""

import math
import random

import numpy as np
import pytest
from limber.solvers.aim_residual import residual
from limber.solvers.exact_aim import correct
from limber.solvers.goals import Direction, GazeGoal, Orientation, Point
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, about, multiply, rotate, scale
from limber.solvers.kinematics.skeleton import Joint, Skeleton
from limber.solvers.table import make_solver

from benchmarks.gaze import answer_paths
from tests.solvers.chains import (
    any_direction,
    lamp,
    posture_of,
    skeleton_of,
)
from tests.solvers.exact_goals import EXACT, goals


def path(chain_name: str) -> dict[str, np.ndarray]:
    """Targets that move smoothly at 60 frames per second within about 60 degrees of each posture's view."""
    draw = random.Random(8)
    chain = skeleton_of(chain_name)
    postures, targets = [], []
    for _ in range(4):
        posture = posture_of(draw, chain) * 0.6
        middle = chain.forward(posture).tool_rotation
        axes, speeds = [any_direction(draw) for _ in range(2)], [draw.uniform(0.5, 1.5) for _ in range(2)]
        frames = []
        for t in range(150):
            swing = [
                about(axis, 0.5 * math.sin(speed * t / 20)) for axis, speed in zip(axes, speeds, strict=True)
            ]
            frames.append(multiply(multiply(swing[0], swing[1]), middle))
        postures.append(posture)
        targets.append(frames)
    return {"posture": np.array(postures), "target_wxyz": np.array(targets)}


@pytest.mark.parametrize("name", ["C", "F", "G"])
def test_following_a_target_pops_less_than_solving_each_frame_and_aims_as_well(name):
    chain, given = skeleton_of(name), path(name)
    angles = answer_paths(given, make_solver("erik_exact", chain))["angles"]
    steps = np.degrees(np.abs(np.diff(angles, axis=1)).max(-1))
    alone = make_solver("erik_exact", chain)
    goals_of = [
        [GazeGoal(Orientation(tuple(target)), posture) for target in frames]
        for frames, posture in zip(given["target_wxyz"].tolist(), given["posture"], strict=True)
    ]
    scratch = np.array([[alone.solve(goal).angles for goal in frames] for frames in goals_of])
    assert (steps > 15).mean() <= 0.002
    assert (steps > 15).sum() <= (np.degrees(np.abs(np.diff(scratch, axis=1)).max(-1)) > 15).sum()
    aim_error = [
        solver_miss
        for frames, row in zip(goals_of, angles, strict=True)
        for solver_miss in end_errors(chain, frames, row)
    ]
    assert max(aim_error) <= EXACT


def end_errors(chain, frames, row):
    return [
        residual(chain, goal, chain.forward(angles)).size for goal, angles in zip(frames, row, strict=True)
    ]


def test_another_start_is_led_to_the_best_by_steps_that_hold_the_aim():
    chain = skeleton_of("F")
    draw = random.Random(13)
    solver = make_solver("erik_exact", chain)
    led = 0
    for _ in range(20):
        goal = goals(draw, chain, 1)[1]
        best = solver.solve(goal)
        start = correct(
            chain, goal, best.angles + np.array([draw.uniform(-0.5, 0.5) for _ in range(6)]), [1.0] * 6
        )
        if start.aim_error > EXACT or np.abs(np.array(start.angles) - best.angles).max() < 0.2:
            continue
        led += 1
        now = solver.solve(goal, np.array(start.angles))
        assert np.abs(now.angles - start.angles).max() < math.radians(15)
        for _ in range(60):
            before, now = now, solver.solve(goal, now.angles, now.memory)
            assert np.abs(now.angles - before.angles).max() < math.radians(15)
            assert now.aim_error <= EXACT
        assert now.shape_deviation <= best.shape_deviation + math.radians(3)
    assert led > 5


def test_what_the_animation_moves_is_not_slowed_down():
    chain = lamp()
    solver = make_solver("erik_exact", chain)
    now = memory = None
    for t in range(8):
        posture = np.array([0.0, 0.2 * t, -0.2 * t, 0.3, 0.0])  # eleven degrees per frame
        pose = chain.forward(posture)
        goal = GazeGoal(Direction(rotate(pose.tool_rotation, Y)), posture)  # which the posture itself meets
        solution = solver.solve(goal, now, memory)
        now, memory = solution.angles, solution.memory
        assert now == pytest.approx(posture, abs=1e-6)


def test_without_a_start_the_memory_changes_nothing():
    draw = random.Random(9)
    chain = lamp()
    solver = make_solver("erik_exact", chain)
    for goal in goals(draw, chain, 3):
        first = solver.solve(goal)
        assert np.array_equal(solver.solve(goal, memory=first.memory).angles, first.angles)


def test_the_same_frame_from_the_same_start_gives_the_same_answer():
    draw = random.Random(10)
    chain = lamp()
    one, other = make_solver("erik_exact", chain), make_solver("erik_exact", chain)
    for goal in goals(draw, chain, 3):
        start = posture_of(draw, chain)
        one.solve(goals(draw, chain, 1)[0])  # earlier solutions have no effect
        a, b = one.solve(goal, start), other.solve(goal, start)
        assert np.array_equal(a.angles, b.angles)
        assert a.memory == b.memory


def test_a_target_that_was_moved_far_is_solved_as_from_scratch():
    draw = random.Random(11)
    chain = lamp()
    solver = make_solver("erik_exact", chain)
    posture = posture_of(draw, chain)
    before = solver.solve(GazeGoal(Direction(X), posture))
    goal = GazeGoal(Direction(scale(X, -1.0)), posture)
    assert np.array_equal(solver.solve(goal, before.angles, before.memory).angles, solver.solve(goal).angles)


@pytest.mark.parametrize("frames_a_second", [24, 60, 240])
def test_a_target_has_jumped_where_it_was_faster_than_any_that_moves(frames_a_second):
    draw, dt = random.Random(14), 1.0 / frames_a_second
    chain = skeleton_of("F")
    solver = make_solver("erik_exact", chain)
    posture = posture_of(draw, chain)
    begun = correct(
        chain, GazeGoal(Direction(Y), posture), posture_of(draw, chain), [1.0] * 6
    )  # on another branch than the best one
    before = solver.solve(GazeGoal(Direction(Y), posture), np.array(begun.angles), dt=dt)
    for speed, has_jumped in ((15.0, False), (21.0, True)):  # [rad/s] speed, and whether the solution jumps
        goal = GazeGoal(Direction(rotate(about(X, speed * dt), Y)), posture)
        solution = solver.solve(goal, before.angles, before.memory, dt=dt)
        assert np.array_equal(solution.angles, solver.solve(goal).angles) == has_jumped


@pytest.mark.parametrize("dt", [1e-12, 1e-9, 1e-3])
def test_a_movement_that_nobody_sees_is_no_jump_however_short_the_frame(dt):
    draw, chain = random.Random(14), skeleton_of("F")
    solver = make_solver("erik_exact", chain)
    posture = posture_of(draw, chain)
    begun = correct(
        chain, GazeGoal(Direction(Y), posture), posture_of(draw, chain), [1.0] * 6
    )  # on another branch than the best one
    before = solver.solve(GazeGoal(Direction(Y), posture), np.array(begun.angles), dt=dt)
    goal = GazeGoal(Direction(rotate(about(X, 1e-3), Y)), posture)
    solution = solver.solve(goal, before.angles, before.memory, dt=dt)
    assert (
        np.abs(solution.angles - before.angles).max()
        < 0.1
        < np.abs(solver.solve(goal).angles - before.angles).max()
    )


def test_a_chain_with_a_slide_is_led_to_the_best_alike_whatever_its_size():
    led = []
    for size in (1e-3, 1.0, 1e3):
        hinge = Joint("hinge", -1, IDENTITY, (0.0, 0.0, 0.0), X, -3.0, 3.0)
        slide = Joint("slide", 0, IDENTITY, (0.0, size, 0.0), Y, -size, size, "prismatic")
        last = Joint("last", 1, IDENTITY, (0.0, size, 0.0), X, -3.0, 3.0)
        chain = Skeleton((hinge, slide, last), tool_offset=(0.0, 0.5 * size, 0.0))
        unit = np.array([1.0, size, 1.0])
        solver = make_solver("erik_exact", chain)
        target = GazeGoal(Point((0.0, 3.0 * size, 2.0 * size)), np.zeros(3))
        start = correct(chain, target, np.array([1.5, 0.9, -1.0]) * unit, [1.0] * 3)
        now = solver.solve(target, np.array(start.angles))
        rows = [now.angles / unit]
        for _ in range(5):
            now = solver.solve(target, now.angles, now.memory)
            rows.append(now.angles / unit)
        led.append(rows)
    assert np.abs(np.diff(led[1], axis=0)).max() > 0.05, "it is on its way"
    for other in (led[0], led[2]):
        assert np.array(other) == pytest.approx(np.array(led[1]), abs=1e-6)


def test_a_still_target_is_looked_at_without_drifting():
    draw = random.Random(12)
    chain = skeleton_of("G")
    solver = make_solver("erik_exact", chain)
    goal = goals(draw, chain, 1)[0]
    solution = solver.solve(goal, posture_of(draw, chain))
    for _ in range(120):
        last, solution = solution, solver.solve(goal, solution.angles, solution.memory)
    assert solution.angles == pytest.approx(last.angles, abs=1e-3)
    assert solution.aim_error <= EXACT
