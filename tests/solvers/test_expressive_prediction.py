"""Tests the prediction of goals: a rotation continues ever more slowly, a jump does not continue."""

import math

import numpy as np
import pytest
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.prediction import (
    LASTING,
    WHOLE_TURN,
    GoalForecast,
    Velocity,
    extrapolated,
    velocity,
)
from limber.solvers.expressive.simulation import AIM_LOST
from limber.solvers.expressive.tracking import FRAME, IDLE_TIME
from limber.solvers.goals import (
    Direction,
    EndGoal,
    Frame,
    GazeError,
    GazeGoal,
    Orientation,
    Point,
    Position,
    PostureShapeError,
    TargetError,
)
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    X,
    Y,
    Z,
    about,
    angle_between,
    multiply,
    vector_angle,
)

from .chains import unit_chain

STILL = np.zeros(3)


def steady(before, now) -> Velocity:
    """The velocity after many frames with the same change."""
    found = Velocity()
    for _ in range(60):
        found = velocity(before, now, found, 1.0)
    return found


def test_an_orientation_goes_on_turning_about_the_same_axis() -> None:
    found = steady(Orientation(IDENTITY), Orientation(about(Z, 0.02)))
    assert found.angular == pytest.approx((0.0, 0.0, 0.02))
    later = extrapolated(Orientation(about(Z, 0.02)), found, 10)
    assert angle_between(later.wxyz, about(Z, 0.22)) < 1e-9


def test_a_direction_goes_on_along_its_great_circle() -> None:
    found = steady(Direction(X), Direction((2 * math.cos(0.03), 2 * math.sin(0.03), 0.0)))
    later = extrapolated(Direction(X), found, 5)
    assert vector_angle(later.vector, (math.cos(0.15), math.sin(0.15), 0.0)) < 1e-9


@pytest.mark.parametrize("kind", [Point, Position])
def test_a_place_goes_on_straight(kind) -> None:
    found = steady(kind((1.0, 2.0, 3.0)), kind((1.1, 2.0, 2.9)))
    assert extrapolated(kind((1.1, 2.0, 2.9)), found, 10).position == pytest.approx((2.1, 2.0, 1.9))


def test_a_frame_goes_on_both_ways() -> None:
    found = steady(Frame((1.0, 0.0, 0.0), IDENTITY), Frame((1.1, 0.0, 0.0), about(X, 0.1)))
    later = extrapolated(Frame((1.1, 0.0, 0.0), about(X, 0.1)), found, 2)
    assert later.position == pytest.approx((1.3, 0.0, 0.0))
    assert angle_between(later.wxyz, about(X, 0.3)) < 1e-9


def test_what_jumps_or_changes_its_kind_is_expected_to_stay() -> None:
    last = Velocity((0.1, 0.0, 0.0), (0.1, 0.0, 0.0))
    assert velocity(Orientation(IDENTITY), Orientation(about(Y, 2.0)), last, FRAME) == Velocity()
    assert velocity(Point((1.0, 0.0, 0.0)), Point((0.0, 5.0, 0.0)), last, FRAME) == Velocity()
    assert velocity(Direction(X), Point(X), last, FRAME) == Velocity()


def test_velocities_decay() -> None:
    forecast = GoalForecast(GazeGoal(Orientation(IDENTITY), STILL), [Velocity((0.0, 0.6, 0.0))], FRAME)
    angles = [angle_between(forecast.at(time).aim.wxyz, IDENTITY) for time in (0.0, 0.02, LASTING, 100.0)]
    turned = [0.6 * LASTING * (1.0 - math.exp(-time / LASTING)) for time in (0.0, 0.02, LASTING, 100.0)]
    assert angles == pytest.approx(turned)
    assert angles[1] == pytest.approx(0.012, rel=0.02)


def test_all_ends_go_on() -> None:
    goal = GazeGoal(Position(X), STILL, others=(EndGoal(Position(Y), 1, weight=0.5),))
    later = GoalForecast(goal, [Velocity(), Velocity(drift=(0.0, 0.0, 1.0))], FRAME).at(FRAME)
    assert later.aim == goal.aim
    assert later.others[0] == EndGoal(
        Position((0.0, 1.0, LASTING * (1.0 - math.exp(-FRAME / LASTING)))), 1, weight=0.5
    )


def test_known_goals_need_no_guess() -> None:
    goals = [GazeGoal(Position((float(frame), 0.0, 0.0)), STILL) for frame in range(4)]
    forecast = GoalForecast(goals[0], [Velocity(drift=Z)], FRAME, goals[1:])
    assert [forecast.at(frames * FRAME) for frames in range(4)] == goals
    assert forecast.at(10 * FRAME) is goals[3]


@pytest.mark.parametrize(
    ("wrong", "kind", "named"),
    [
        (
            GazeGoal(Point((1.0, math.nan, 0.0)), np.zeros(5)),
            TargetError,
            r"3 frames ahead the target point \(1.0, nan, 0.0\) must",
        ),
        (
            GazeGoal(Direction((0.0, 0.0, 0.0)), np.zeros(5)),
            TargetError,
            "3 frames ahead the target direction .* has no length",
        ),
        (
            GazeGoal(Point(X), np.zeros(4)),
            PostureShapeError,
            "3 frames ahead the posture has 4 angles, the chain 5 joints",
        ),
        (
            GazeGoal(Point(X), np.full(5, math.inf)),
            PostureShapeError,
            "3 frames ahead the posture's angle for joint 'Y0' is inf",
        ),
        (
            GazeGoal(Point(X), np.zeros(5), others=(EndGoal(Point(X), 1),)),
            GazeError,
            "3 frames ahead there is no end 1",
        ),
    ],
)
def test_a_goal_to_come_that_cannot_be_used_is_refused(wrong, kind, named) -> None:
    solver, fine = Expressive(unit_chain("YXXZY", 1.5)), GazeGoal(Point((2.0, 3.0, 1.0)), np.zeros(5))
    with pytest.raises(kind, match=named):
        solver.solve(fine, np.zeros(5), ahead=(fine, fine, wrong))
    assert solver.solve(fine, np.zeros(5), ahead=(fine, fine)).angles.shape == (5,)


def test_goals_to_come_that_are_known_are_not_looked_at_again(monkeypatch) -> None:
    from limber.solvers.expressive import solver as module

    looked_at = []
    check = module.check_goal
    monkeypatch.setattr(
        module,
        "check_goal",
        lambda skeleton, goal, **more: looked_at.append(goal) or check(skeleton, goal, **more),
    )
    goals = [GazeGoal(Point((2.0, 3.0, 0.1 * frame)), np.zeros(5)) for frame in range(12)]
    solver = Expressive(unit_chain("YXXZY", 1.5))
    for frame in range(4):
        solver.solve(goals[frame], np.zeros(5), ahead=goals[frame + 1 : frame + 9])
    assert [goals.index(goal) for goal in looked_at] == [0, *range(1, 9), 1, 9, 2, 10, 3, 11]


def test_after_a_long_rest_a_turn_that_is_known_loses_the_aim_on_fewer_frames() -> None:
    """A target that is at rest for long, then leaves the reach of its branch by a rotation."""
    chain, posture = unit_chain("YXXZY", math.pi / 2), np.array([0.3, 0.4, -0.6, 0.5, 0.2])
    looks = chain.forward(posture.tolist()).tool_rotation
    seen = round(WHOLE_TURN / FRAME)
    stands = round(IDLE_TIME / FRAME) + seen + 20
    turns = [about(Z, 0.08 * min(max(frame - stands, 0), 30)) for frame in range(stands + 60)]
    goals = [GazeGoal(Orientation(multiply(turn, looks)), posture, symmetric=False) for turn in turns]
    lost = {}
    for told in (False, True):
        solver = Expressive(chain)
        last, lost[told] = solver.solve(goals[0]), 0
        for frame, goal in enumerate(goals[1:], 1):
            last = solver.solve(
                goal, last.angles, last.memory, goals[frame + 1 : frame + 1 + seen] if told else ()
            )
            lost[told] += last.aim_error > AIM_LOST
    assert lost[True] < 0.5 * lost[False]
