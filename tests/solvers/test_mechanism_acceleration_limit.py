"""No body jolts while a target is out of reach, whatever stops it there: measured on the bodies themselves."""

import math
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import X, Y, about
from limber.solvers.kinematics.se3 import logarithm
from limber.solvers.mechanism.acceleration_limit import BRAKING_ANGLE, FARTHEST, TOLERANCE, AccelerationLimit, BodyAccelerations
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.descent import Configuration, Descent
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.mechanism.task_errors import TaskErrors
from limber.solvers.mechanism.workspace_edge import GOAL_WEIGHT, LARGEST_ACCELERATION

from tests.solvers.mechanisms import stewart

RATE = 60  # [Hz]
HOME = np.array((0.0, 0.0, 0.5))  # [m] of the platform


def moving(t: float, velocity: tuple, spin: tuple | None) -> Goals:
    """After so long [s]."""
    turn = None if spin is None else about(spin[0], math.radians(spin[1] * t))
    return Goals((FrameGoal("platform", position=tuple(HOME + t * np.array(velocity)), rotation=turn),))


def follow(velocity: tuple, spin: tuple | None, is_eased: bool = True) -> tuple[np.ndarray, np.ndarray, float]:
    """A platform for a second after a target that moves [m/s] and turns (axis, degrees/s): jolts (t,) [deg], misses (t,), largest gap."""
    solver = MechanismSolver(stewart())
    found = assemble(solver, None, moving(0.0, velocity, spin))
    turns, missed, gap = [], [], 0.0
    for k in range(RATE):
        found = solver.solve(moving(k / RATE, velocity, spin), found.state, 1 / RATE if is_eased else None)
        turns.append(found.poses[:, :3, :3])
        missed.append(found.report.goal_error)
        gap = max(gap, found.report.residual)
    moved = logarithm(np.array(turns[1:]) @ np.swapaxes(np.array(turns[:-1]), -1, -2))
    accelerations = np.linalg.norm(np.diff(moved, axis=0), axis=-1).max(1)
    return np.concatenate(((0.0, 0.0), np.degrees(accelerations))), np.array(missed), gap


WAYS = [((0.6, 0.0, 1.2), (Y, 120.0)), ((1.2, 0.0, 0.6), (X, 180.0)), ((0.0, 0.0, 1.2), None), ((1.8, 0.0, 0.6), (X, 240.0))]
SMOOTH = 1.94  # [deg] a frame


@pytest.mark.parametrize(("velocity", "spin"), WAYS)
def test_where_limits_stop_legs_dead_the_platform_turns_on_and_gives_way(velocity: tuple, spin: tuple | None):
    exact, nearest, _ = follow(velocity, spin, is_eased=False)
    eased, missed, gap = follow(velocity, spin)
    away = nearest > 1e-6
    assert exact[away].max() > 2.0 * SMOOTH
    assert eased[away].max() < SMOOTH
    assert (missed - nearest)[away].max() < FARTHEST + 1e-6
    assert missed[~away].max() < 1e-8
    assert gap < 1e-8


def test_without_it_bodies_jolt_though_every_coordinate_is_eased(monkeypatch):
    monkeypatch.setattr(AccelerationLimit, "applied", lambda self, desired: desired)
    assert follow(*WAYS[0])[0].max() > 5.0


def test_what_is_fast_is_slowed_down_before_it_cannot_be_any_more(monkeypatch):
    """Looked at frame by frame nothing seems amiss, until a leg's limit comes."""
    monkeypatch.setattr("limber.solvers.mechanism.acceleration_limit.FRAMES", 1)
    accelerations, missed, _ = follow(*WAYS[-1])
    assert accelerations[missed > 1e-6].max() > 2.0 * SMOOTH


def raised(up: float) -> Goals:
    """The platform by so much [m]."""
    return Goals((FrameGoal("platform", position=(0.0, 0.0, HOME[2] + up)),))


def place_at(solver: MechanismSolver, up: float, goals: Goals | None = None) -> tuple[Descent, Configuration]:
    """The platform raised by so much [m], and what looks for poses near it."""
    found = assemble(solver, None, raised(up))
    task = TaskErrors(solver.mechanism, solver.tree, solver.coordinates, goals or Goals(), found.state.values)
    descent = Descent(solver.coordinates, solver.loops, task, None, {}, (solver.lower, solver.upper), 1e-3)
    return descent, descent.evaluate(found.state.values, found.state.balls)


PLATFORM = 1  # of the mechanism's bodies


def calm(
    solver: MechanismSolver, descent: Descent, start: Configuration, exact: Configuration, speed: float, most: float
) -> AccelerationLimit:
    """What is asked where the platform turned about the vertical by so much [rad] in the last frame, and its target rests."""
    nodes = np.array([solver.tree.bodies[PLATFORM].node])
    accelerations = BodyAccelerations(nodes, start.shape.frames[nodes, :3, :3], np.array([[0.0, 0.0, speed]]))
    return AccelerationLimit(descent, start, exact, accelerations, most, np.zeros(len(exact.goals[0])))


def test_what_turns_too_fast_to_be_stopped_in_time_goes_the_wanted_way():
    """To go on for long would lead far from the target."""
    solver = MechanismSolver(stewart())
    descent, here = place_at(solver, 0.0)
    most = math.radians(0.9)
    fast = math.sqrt(2.0 * most * BRAKING_ANGLE)
    for speed, is_calmed in ((0.9 * fast, True), (1.1 * fast, False)):
        assert (calm(solver, descent, here, here, speed, most).applied(here) is not here) == is_calmed


def test_what_is_wanted_far_behind_its_target_catches_up_first():
    solver = MechanismSolver(stewart())
    descent, exact = place_at(solver, 0.0, raised(0.0))
    most = math.radians(0.9)
    for lag, is_calmed in ((0.9 * FARTHEST, True), (1.1 * FARTHEST, False)):
        _, late = place_at(solver, lag * solver.coordinates.size, raised(0.0))
        found = calm(solver, descent, exact, exact, 2.0 * most, most).applied(late)
        assert (found is not late) == is_calmed
        assert math.sqrt(found.square) <= max(FARTHEST, lag) + 1e-6


def test_how_far_off_it_may_stay_can_be_told():
    """Where the nearest pose itself leaps to another one far away, bodies take their time."""
    solver = MechanismSolver(stewart())
    descent, exact = place_at(solver, 0.0, raised(0.0))
    _, far = place_at(solver, 3.0 * FARTHEST * solver.coordinates.size, raised(0.0))
    most = math.radians(0.9)
    asked = replace(calm(solver, descent, far, exact, 3.0 * most, most), farthest=math.sqrt(far.square))
    found = asked.applied(far)
    assert asked.accelerations.largest(far) > 2.9 * most
    assert asked.accelerations.largest(found) < 1.1 * most
    assert FARTHEST < math.sqrt(found.square) <= math.sqrt(far.square) + 1e-9


def test_a_turn_that_nothing_wants_dies_down_as_fast_as_is_allowed():
    solver = MechanismSolver(stewart())
    descent, here = place_at(solver, 0.0)
    most = math.radians(1.0)
    asked = calm(solver, descent, here, here, 2.5 * most, most)
    found = asked.applied(here)
    turned = asked.accelerations.at(found)[0][0, 2] + 2.5 * most
    assert asked.accelerations.largest(found) < 1.05 * most
    assert turned == pytest.approx(1.5 * most, rel=0.1)


@pytest.mark.parametrize("allowed", [0.02, 0.002])
def test_goals_count_the_more_the_less_they_may_be_missed(allowed: float):
    """A platform that turns, whose target does not: all of the turn cannot be taken away, and no more may be left than is allowed."""
    goals = Goals((FrameGoal("platform", position=tuple(HOME), rotation=(1.0, 0.0, 0.0, 0.0)),))
    solver = MechanismSolver(stewart())
    descent, here = place_at(solver, 0.0, goals)
    most = math.radians(0.5)
    asked = replace(calm(solver, descent, here, here, 4.0 * most, most), goal_weight=GOAL_WEIGHT, farthest=allowed)
    found = asked.applied(here)
    assert 0.5 * allowed < math.sqrt(found.square) <= allowed
    assert asked.accelerations.largest(found) < asked.accelerations.largest(here)


def test_later_frames_follow_a_target_that_goes_on():
    """A platform that rises with its target and turns: the third frame's target is twice as far as the second's."""
    goals = Goals((FrameGoal("platform", position=tuple(HOME)),))
    solver = MechanismSolver(stewart())
    descent, here = place_at(solver, 0.0, goals)
    most = math.radians(1.0)
    asked = calm(solver, descent, here, here, 3.0 * most, most)
    rising = replace(asked, move=np.array([0.0, 0.0, -0.01 / solver.coordinates.size]))  # [m] a frame
    raised_by = [place_at(solver, up)[1] for up in (0.0, 0.01, 0.02)]
    risen = [descent.evaluate(position.values, position.balls) for position in raised_by]
    assert max(np.abs(error).max() for error in rising.errors(risen)) < 1e-9
    assert max(np.abs(error).max() for error in rising.errors(risen[:1] * 3)) > 1e-3


@pytest.mark.parametrize(("times", "frames"), [(0, 1), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_large_mechanisms_are_looked_at_for_fewer_frames(times: int, frames: int, monkeypatch):
    """What a step takes grows with the third power of all frames' coordinates together."""
    solver = MechanismSolver(stewart())
    monkeypatch.setattr("limber.solvers.mechanism.acceleration_limit.WIDEST", times * solver.coordinates.width)
    descent, here = place_at(solver, 0.0)
    asked = calm(solver, descent, here, here, 0.0, math.radians(1.0))
    assert asked.applied(here) is here  # nothing turns
    assert asked.later_descent.evaluations == frames - 1


def test_where_places_are_counted_calming_ends_with_them():
    solver = MechanismSolver(stewart())
    descent, here = place_at(solver, 0.0)
    for most, is_calmed in ((descent.evaluations + 100, True), (0, False)):
        descent.most = most
        asked = calm(solver, descent, here, here, math.radians(4.0), math.radians(1.0))
        assert (asked.applied(here) is not here) == is_calmed


def test_what_helps_one_body_and_harms_another_is_weighed():
    """A platform and one of its legs that turn opposite ways by eight degrees."""
    solver = MechanismSolver(stewart())
    descent, here = place_at(solver, 0.0)
    nodes = np.array([solver.tree.bodies[k].node for k in (1, 2)])
    last = np.array([[0.0, 0.0, -math.radians(8.0)], [0.0, 0.0, math.radians(8.0)]])
    asked = AccelerationLimit(
        descent, here, here, BodyAccelerations(nodes, here.shape.frames[nodes, :3, :3], last), math.radians(1.8), np.zeros(0)
    )
    found = asked.applied(here)
    assert found is not here
    assert sum(np.square(asked.accelerations.at(found)[0]).sum(-1)) < sum(np.square(asked.accelerations.at(here)[0]).sum(-1))


def test_a_frame_that_lasts_longer_turns_on_by_more():
    solver = MechanismSolver(stewart())
    (_, before), (_, start) = place_at(solver, 0.0), place_at(solver, 0.01)
    nodes = np.arange(solver.coordinates.count)
    same, twice = (BodyAccelerations.since(before.shape.frames, start, nodes, share) for share in (1.0, 2.0))
    assert np.abs(same.last).max() > 1e-3
    assert twice.last == pytest.approx(2.0 * same.last)
    assert twice.largest(start) == pytest.approx(2.0 * same.largest(start))  # to stand still takes away all of it


def test_frames_of_changing_length_jolt_no_more_than_even_ones():
    """A frame of a 60th of a second, then one of a 30th: what the last one did goes on by as much time as this one has."""
    solver = MechanismSolver(stewart())
    lengths = np.array((1.0, 2.0) * 15) / RATE
    found = assemble(solver, None, moving(0.0, *WAYS[1]))
    turns = [found.poses[:, :3, :3]]
    for t, length in zip(np.cumsum(lengths), lengths, strict=True):
        found = solver.solve(moving(t, *WAYS[1]), found.state, length)
        turns.append(found.poses[:, :3, :3])
    speeds = logarithm(np.array(turns[1:]) @ np.swapaxes(np.array(turns[:-1]), -1, -2)) / lengths[:, None, None]
    gained = np.linalg.norm(np.diff(speeds, axis=0), axis=-1).max(1) / lengths[1:]
    assert found.report.goal_error > 0.1
    assert gained[1:].max() < 1.05 * TOLERANCE * LARGEST_ACCELERATION
