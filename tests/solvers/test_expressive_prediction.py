"""Where goals are expected: what turns goes on turning more and more slowly, what jumps does not go on."""

import math

import numpy as np
import pytest
from limber.solvers.expressive.prediction import DECAY, Outlook, Velocity, moved, velocity
from limber.solvers.goals import Direction, EndGoal, Frame, GazeGoal, Orientation, Point, Position
from limber.solvers.rotations import IDENTITY, X, Y, Z, about, angle_between, vector_angle

STILL = np.zeros(3)


def steady(before, now) -> Velocity:
    """The velocity that many such frames lead to."""
    found = Velocity()
    for _ in range(60):
        found = velocity(before, now, found)
    return found


def test_an_orientation_goes_on_turning_about_the_same_axis() -> None:
    found = steady(Orientation(IDENTITY), Orientation(about(Z, 0.02)))
    assert found.turn == pytest.approx((0.0, 0.0, 0.02))
    later = moved(Orientation(about(Z, 0.02)), found, 10)
    assert angle_between(later.wxyz, about(Z, 0.22)) < 1e-9


def test_a_direction_goes_on_along_its_great_circle() -> None:
    found = steady(Direction(X), Direction((2 * math.cos(0.03), 2 * math.sin(0.03), 0.0)))
    later = moved(Direction(X), found, 5)
    assert vector_angle(later.vector, (math.cos(0.15), math.sin(0.15), 0.0)) < 1e-9


@pytest.mark.parametrize("kind", [Point, Position])
def test_a_place_goes_on_straight(kind) -> None:
    found = steady(kind((1.0, 2.0, 3.0)), kind((1.1, 2.0, 2.9)))
    assert moved(kind((1.1, 2.0, 2.9)), found, 10).place == pytest.approx((2.1, 2.0, 1.9))


def test_a_frame_goes_on_both_ways() -> None:
    found = steady(Frame((1.0, 0.0, 0.0), IDENTITY), Frame((1.1, 0.0, 0.0), about(X, 0.1)))
    later = moved(Frame((1.1, 0.0, 0.0), about(X, 0.1)), found, 2)
    assert later.place == pytest.approx((1.3, 0.0, 0.0))
    assert angle_between(later.wxyz, about(X, 0.3)) < 1e-9


def test_what_jumps_or_changes_its_kind_is_expected_to_stay() -> None:
    last = Velocity((0.1, 0.0, 0.0), (0.1, 0.0, 0.0))
    assert velocity(Orientation(IDENTITY), Orientation(about(Y, 2.0)), last) == Velocity()
    assert velocity(Point((1.0, 0.0, 0.0)), Point((0.0, 5.0, 0.0)), last) == Velocity()
    assert velocity(Direction(X), Point(X), last) == Velocity()


def test_velocities_decay() -> None:
    turning = Velocity((0.0, 0.01, 0.0))
    outlook = Outlook(GazeGoal(Orientation(IDENTITY), STILL), [turning])
    angles = [angle_between(outlook.at(frames).aim.wxyz, IDENTITY) for frames in (0, 1, 2, 1000)]
    assert angles == pytest.approx([0.0, 0.01 * DECAY, 0.01 * (DECAY + DECAY**2), 0.01 * DECAY / (1 - DECAY)])


def test_all_ends_go_on() -> None:
    goal = GazeGoal(Position(X), STILL, others=(EndGoal(Position(Y), 1, weight=0.5),))
    later = Outlook(goal, [Velocity(), Velocity(drift=(0.0, 0.0, 1.0))]).at(1)
    assert later.aim == goal.aim
    assert later.others[0] == EndGoal(Position((0.0, 1.0, DECAY)), 1, weight=0.5)


def test_known_goals_need_no_guess() -> None:
    goals = [GazeGoal(Position((float(frame), 0.0, 0.0)), STILL) for frame in range(4)]
    outlook = Outlook(goals[0], [Velocity(drift=Z)], goals[1:])
    assert [outlook.at(frames) for frames in range(4)] == goals
    assert outlook.at(10) is goals[3]
