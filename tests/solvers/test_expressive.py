"""Tests the expressive solver: exact aim, the nearest shape, limits, no pops, for any chain."""

import math
import random

import numpy as np
import pytest
from limber.solvers.aim_residual import residual
from limber.solvers.aims.blocks import ROLL_WEIGHT
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.model import Model
from limber.solvers.expressive.shape import Authored
from limber.solvers.gaze import FRAME, SPEED, shape_deviation
from limber.solvers.goals import Direction, GazeGoal, Orientation, Point, PostureShapeError, TargetError
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    Z,
    about,
    add,
    cross,
    dot,
    exponential,
    length,
    multiply,
    rotate,
    scale,
)
from limber.solvers.kinematics.skeleton import Joint, Skeleton

from .chains import aim_that_can_be_met, any_chain, any_direction, any_turn, lamp, shared_places, unit_chain

KINDS = ("orientation", "direction", "point")


def any_posture(draw: random.Random, chain: Skeleton) -> np.ndarray:
    return np.array(
        [draw.uniform(lower, upper) for lower, upper in zip(chain.lower, chain.upper, strict=True)]
    )


def with_slide(draw: random.Random) -> Skeleton:
    chain = any_chain(draw, 5)
    slide = Joint("slide", 1, any_turn(draw), (0.0, 0.2, 0.0), any_direction(draw), 0.0, 0.1, "prismatic")
    return Skeleton((*chain.joints[:2], slide, *chain.joints[3:]), chain.tool_rotation, chain.tool_offset)


def test_a_posture_beyond_limits_counts_as_the_nearest_one_within() -> None:
    chain = unit_chain("YXXZY", math.pi / 3)
    beyond = np.array([0.3, 1.4, -1.6, 0.5, 0.2])
    within = np.array(chain.clamp(beyond))
    target = Orientation(multiply(about(Y, 0.9), about(X, 0.7)))
    start = Expressive(chain).solve(GazeGoal(target, within)).angles
    for begin in (None, start):
        solved, expected = (
            Expressive(chain).solve(GazeGoal(target, posture), begin).angles for posture in (beyond, within)
        )
        assert solved.tolist() == expected.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "chain", [lamp(), shared_places(3), unit_chain("YXXZY", math.pi / 2)], ids=["lamp", "spine", "C"]
)
def test_an_aim_that_can_be_met_is_met_exactly_within_limits(chain: Skeleton, kind: str) -> None:
    draw = random.Random(4)
    solver = Expressive(chain)
    for _ in range(8):
        goal = GazeGoal(aim_that_can_be_met(draw, chain, kind), any_posture(draw, chain))
        solution = solver.solve(goal)
        assert solution.converged
        assert solution.aim_error < math.radians(0.001)
        assert np.all(solution.angles >= chain.lower)
        assert np.all(solution.angles <= chain.upper)


def test_a_target_that_the_posture_meets_changes_no_shape() -> None:
    draw, chain = random.Random(5), unit_chain("YXZYXZY", 1.5)
    for _ in range(8):
        posture = any_posture(draw, chain)
        solution = Expressive(chain).solve(
            GazeGoal(Orientation(chain.forward(posture.tolist()).tool_rotation), posture)
        )
        assert solution.shape_deviation < 1e-3
        assert solution.aim_error < 1e-8


def test_the_same_question_gets_the_same_bits() -> None:
    draw, chain = random.Random(6), lamp()
    goal = GazeGoal(aim_that_can_be_met(draw, chain, "point"), any_posture(draw, chain))
    first, again = Expressive(chain).solve(goal), Expressive(chain).solve(goal)
    assert first.angles.tobytes() == again.angles.tobytes()
    warm = [Expressive(chain).solve(goal, goal.posture, first.memory) for _ in range(2)]
    assert warm[0].angles.tobytes() == warm[1].angles.tobytes()
    assert warm[0].memory == warm[1].memory


@pytest.mark.parametrize(
    "chain", [any_chain(random.Random(7), 6), with_slide(random.Random(8))], ids=["turns", "with a slide"]
)
def test_the_shape_and_its_descent_agree_with_finite_differences(chain: Skeleton) -> None:
    draw = random.Random(9)
    model = Model(chain)
    posture, angles = any_posture(draw, chain), any_posture(draw, chain)
    authored = Authored(model, posture)

    def cost(at: np.ndarray) -> float:
        return float(len(authored.directions) * (1.0 - authored.fit(model.poses(at[None]))[0][0]))

    poses = model.poses(angles[None])
    assert math.acos(1.0 - cost(angles) / len(authored.directions)) == pytest.approx(
        shape_deviation(chain, angles, posture), abs=1e-9
    )
    descent = authored.system(poses, authored.fit(poses)[1]).descent[0]
    h = 1e-6
    numeric = [-(cost(angles + h * unit) - cost(angles - h * unit)) / (2 * h) for unit in np.eye(len(angles))]
    assert np.allclose(descent, numeric, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_batched_aim_misses_what_the_plain_one_misses(kind: str) -> None:
    draw = random.Random(10)
    for up in (None, Z):
        chain = any_chain(draw, 5)
        goal = GazeGoal(aim_that_can_be_met(draw, chain, kind, up), any_posture(draw, chain))
        model = Model(chain)
        angles = any_posture(draw, chain)
        aim_error = BatchedAim(chain, goal).evaluate(model.poses(angles[None]).frames)
        assert float(aim_error.size[0]) == pytest.approx(
            residual(chain, goal, chain.forward(angles.tolist())).size, abs=1e-9
        )


@pytest.mark.parametrize("away", [0.0, 1e-9, 1e-8, 1e-6, 0.5, 2.0, 3.0])
def test_the_batched_aims_errors_are_the_rotations_that_bring_a_head_on_target_and_upright(
    away: float,
) -> None:
    draw, chain = random.Random(12), unit_chain("YXXZY", 2.0)
    for _ in range(6):
        angles = any_posture(draw, chain)
        tool = chain.forward(angles.tolist()).tool_rotation
        x, view, z = (rotate(tool, axis) for axis in (X, Y, Z))
        backward = math.pi - away  # about any axis perpendicular to the view
        target = rotate(about(rotate(about(view, draw.uniform(0.0, math.tau)), x), backward), view)
        up = any_direction(draw)
        aim = BatchedAim(chain, GazeGoal(Direction(target, up), angles, symmetric=False))
        sideways, tilted, rolled = aim.evaluate(chain.tree.forward(angles[None])).error[0]
        swung = multiply(exponential(add(scale(x, sideways), scale(z, tilted))), tool)
        upright = multiply(about(target, rolled / (ROLL_WEIGHT * length(cross(target, up)))), swung)
        assert rotate(upright, Y) == pytest.approx(target, abs=1e-6)
        assert dot(rotate(upright, X), up) == pytest.approx(0.0, abs=1e-6)
        assert dot(rotate(upright, Z), up) > 0.0


@pytest.mark.parametrize("axes", ["YXXZY", "YXZYXZY"])
def test_from_frame_to_frame_nothing_moves_farther_than_the_eye_follows(axes: str) -> None:
    draw, chain = random.Random(11), unit_chain(axes, math.pi / 2)
    solver, posture = Expressive(chain), any_posture(draw, chain)
    angles, memory = posture, None
    for frame in range(120):
        # Circles, passes behind the end, and a jump half-way.
        target = Direction(
            (math.sin(0.1 * frame), -0.2, math.cos(0.1 * frame)) if frame < 60 else (0.0, -1.0, 1e-9)
        )
        solution = solver.solve(GazeGoal(target, posture), angles, memory)
        assert np.abs(solution.angles - angles).max() <= SPEED * FRAME + 1e-12
        angles, memory = solution.angles, solution.memory


def test_a_slow_target_that_can_be_met_is_followed_exactly() -> None:
    chain = unit_chain("YXZXY", math.pi / 2)
    posture = np.array([0.0, 0.4, 0.2, 0.5, 0.0])
    view = chain.forward(posture.tolist()).tool_rotation
    first = Expressive(chain).solve(GazeGoal(Orientation(view), posture))
    angles, memory = first.angles, first.memory
    for frame in range(60):
        pose = chain.forward([0.0, 0.4 + 0.004 * frame, 0.2, 0.5, 0.01 * frame])
        solution = Expressive(chain).solve(GazeGoal(Orientation(pose.tool_rotation), posture), angles, memory)
        assert solution.aim_error < 1e-6
        angles, memory = solution.angles, solution.memory


def test_a_target_out_of_reach_is_approached_and_left_without_a_jump() -> None:
    chain = unit_chain("YXX", 0.4)
    posture, solver = np.zeros(3), Expressive(chain)
    angles, memory = posture, None
    for frame in range(160):
        tilt = 2.0 * math.sin(math.pi * frame / 159)
        solution = solver.solve(
            GazeGoal(Direction((0.0, math.cos(tilt), math.sin(tilt))), posture), angles, memory
        )
        assert np.abs(solution.angles - angles).max() <= SPEED * FRAME + 1e-12
        if frame == 80:
            assert not solution.converged
            assert solution.aim_error == pytest.approx(tilt - 0.8, abs=1e-3)
        angles, memory = solution.angles, solution.memory
    assert solution.aim_error < 1e-6


def test_no_valid_chain_breaks_it() -> None:
    draw = random.Random(12)
    for case in range(60):
        chain = with_slide(draw) if case % 10 == 0 else any_chain(draw, draw.choice([1, 1, 2, 3, 5, 8, 40]))
        posture = 2.0 * any_posture(draw, chain)  # sometimes outside the limits
        aims = [
            Orientation(any_turn(draw)),
            Direction(any_direction(draw)),
            Direction(any_direction(draw), Z),
            Point(any_direction(draw)),
        ]
        aims += [Point((0.0, 0.0, 0.0), Y), Point(chain.forward(chain.clamp(posture)).positions[0])]
        goal = GazeGoal(draw.choice(aims), posture, draw.random() < 0.5)
        solver = Expressive(chain)
        try:
            solution = solver.solve(goal)
        except TargetError:  # the target is at the end's position, and so is the root: refused with a message
            assert isinstance(goal.aim, Point)
            continue
        for _ in range(3):
            numbers = (
                solution.aim_error,
                solution.orientation_error,
                solution.posture_error,
                solution.shape_deviation,
            )
            assert np.isfinite(solution.angles).all()
            assert all(map(math.isfinite, numbers))
            assert np.all(solution.angles >= chain.lower)
            assert np.all(solution.angles <= chain.upper)
            solution = solver.solve(goal, solution.angles, solution.memory)


def test_a_chain_that_only_looks_ahead_says_that_it_cannot_look_behind() -> None:
    chain = Skeleton((Joint("roll", -1, IDENTITY, (0.0, 0.0, 0.0), Y, -1.0, 1.0),))
    solution = Expressive(chain).solve(GazeGoal(Direction((0.0, -1.0, 0.0)), np.zeros(1)))
    assert not solution.converged
    assert solution.aim_error == pytest.approx(math.pi)


def test_a_goal_that_is_none_is_refused_by_name() -> None:
    solver = Expressive(lamp())
    with pytest.raises(PostureShapeError, match="posture"):
        solver.solve(GazeGoal(Direction(X), np.zeros(2)))
    with pytest.raises(TargetError, match="finite"):
        solver.solve(GazeGoal(Point((math.nan, 0.0, 0.0)), np.zeros(5)))
    with pytest.raises(TargetError, match="length"):
        solver.solve(GazeGoal(Orientation((0.0, 0.0, 0.0, 0.0)), np.zeros(5)))


def test_a_symmetric_end_may_be_met_rolled_by_half_a_turn() -> None:
    chain = unit_chain("YXZXY", 1.2)
    posture = np.array([0.1, 0.3, 0.2, 0.4, 0.1])
    pose = chain.forward(posture.tolist())
    goal = Orientation(multiply(pose.tool_rotation, about(Y, math.pi)))
    assert Expressive(chain).solve(GazeGoal(goal, posture)).shape_deviation < 1e-3
    assert Expressive(chain).solve(GazeGoal(goal, posture, symmetric=False)).shape_deviation > 0.05
