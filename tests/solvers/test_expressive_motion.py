"""Tests the expressive solver from frame to frame: no jump, no jitter, timely changes of branch, exact
rest.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.motion import ACCELERATION, DIRECT, HURRIED, PLANNING_TIME
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.expressive.tracking import AT_RISK, IDLE_TIME
from limber.solvers.gaze import FRAME, SPEED, GazeSolution
from limber.solvers.goals import Aim, Direction, GazeGoal, Orientation, Point, Position
from limber.solvers.kinematics.rotations import Vector, X, Y, about, multiply
from limber.solvers.kinematics.skeleton import Skeleton

from benchmarks.fuzz_cases import any_recipe, make

from .chains import lamp, unit_chain

IDLE_FRAMES, PLANNING_FRAMES = round(IDLE_TIME / FRAME), round(PLANNING_TIME / FRAME)
FIVE = unit_chain("YXXZY", math.pi / 2)
POSTURE = np.array([0.3, 0.4, -0.6, 0.5, 0.2])


def followed(
    chain: Skeleton, goals: Sequence[GazeGoal], solver: Expressive | None = None, look_ahead: int = 0
) -> list[GazeSolution]:
    """Solutions of goals: the first from scratch, each other one from that of the last frame."""
    solver = solver or Expressive(chain)
    answers = [solver.solve(goals[0])]
    for frame, goal in enumerate(goals[1:], 1):
        ahead = goals[frame + 1 : frame + 1 + look_ahead]
        answers.append(solver.solve(goal, answers[-1].angles, answers[-1].memory, ahead))
    return answers


def moves_of(answers: Sequence[GazeSolution]) -> np.ndarray:
    """Movements (frames - 1, n) [rad or m] from frame to frame."""
    return np.diff([answer.angles for answer in answers], axis=0)


def tumbling(frames: int, rate: float = 0.02) -> list[GazeGoal]:
    """An orientation that passes over the whole sphere."""
    turns = [
        multiply(about(Y, 1.7 * rate * t), multiply(about(X, rate * t), about(Y, 0.6 * rate * t)))
        for t in range(frames)
    ]
    return [GazeGoal(Orientation(turn), POSTURE) for turn in turns]


def circle(frame: int) -> Aim:
    return Direction((math.sin(0.05 * frame), 0.3, math.cos(0.05 * frame)))


def behind(frame: int) -> Aim:
    return Direction((math.sin(0.02 * frame - 0.6), 0.2, -math.cos(0.02 * frame - 0.6)))


def close_to_the_head(frame: int) -> Aim:
    return Point((0.02 + 0.002 * (frame - 60), 0.1, 0.55))


def through_the_pole(frame: int) -> Aim:
    return Direction((0.02 * (frame - 60), 1.0, 1e-6))


WAYS = {
    "circle": circle,
    "behind": behind,
    "close to the head": close_to_the_head,
    "through the pole": through_the_pole,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_target_is_followed_without_a_jump_or_a_jolt(way: str) -> None:
    chain = lamp()
    answers = followed(
        chain, [GazeGoal(WAYS[way](frame), np.array([0.2, 0.5, -0.9, 0.4, 0.1])) for frame in range(120)]
    )
    moves = moves_of(answers)
    assert np.abs(moves).max() <= SPEED * FRAME + 1e-9
    jolts = np.abs(np.diff(moves, axis=0))
    at_limit = np.array([[k in answer.limits_hit for k in range(len(chain))] for answer in answers[2:]])
    aim_error = np.array([answer.aim_error for answer in answers])
    at_risk = (
        np.max([aim_error[:-2], aim_error[1:-1], aim_error[2:]], axis=0) > AT_RISK
    )  # joints that hold the aim may accelerate faster then
    assert jolts[~at_risk][~at_limit[~at_risk]].max() <= ACCELERATION * FRAME**2 + 1e-9
    assert jolts[~at_limit].max() <= HURRIED * FRAME**2 + 1e-9
    assert np.sum(aim_error > math.radians(1)) < 12


def swung(rate: float, seconds: float = 1.5) -> list[GazeSolution]:
    """Solutions at `rate` frames per second for a target that swings, starting and reversing abruptly."""
    turns = [1.2 * max(0.0, min(t - 0.3, 0.8 - t)) for t in np.arange(0.0, seconds, 1.0 / rate)]
    goals = [GazeGoal(Orientation(about(Y, turn)), POSTURE) for turn in turns]
    solver = Expressive(FIVE)
    answers = [solver.solve(goals[0])]
    for goal in goals[1:]:
        answers.append(solver.solve(goal, answers[-1].angles, answers[-1].memory, dt=1.0 / rate))
    return answers


@pytest.mark.parametrize("rate", [24.0, 30.0, 48.0, 120.0])
def test_limits_hold_per_second_whatever_the_frame_rate(rate: float) -> None:
    velocities = moves_of(swung(rate)) * rate
    assert np.abs(velocities).max() <= SPEED + 1e-9
    assert np.abs(np.diff(velocities, axis=0)).max() * rate <= ACCELERATION + 1e-6


@pytest.mark.parametrize("rate", [24.0, 30.0, 120.0])
def test_the_same_motion_of_a_target_is_followed_alike_at_every_frame_rate(rate: float) -> None:
    usual, other = (np.array([answer.angles for answer in swung(frames)]) for frames in (60.0, rate))
    times, others = np.arange(len(usual)) / 60.0, np.arange(len(other)) / rate
    apart = [np.abs(np.interp(others, times, usual[:, k]) - other[:, k]).max() for k in range(len(FIVE))]
    assert max(apart) < math.radians(2)


def test_an_even_motion_takes_one_step_and_one_correction_a_frame_however_fast() -> None:
    # In this number of frames no transition to a branch of better shape begins.
    turns = [multiply(about(Y, 0.2 + 4.0 * FRAME * frame), about(X, 0.7)) for frame in range(18)]
    answers = followed(
        unit_chain("YXXZY", math.tau), [GazeGoal(Orientation(turn), POSTURE) for turn in turns]
    )
    assert all(
        answer.converged and answer.iterations == 2 for answer in answers[2:]
    )  # in the first frame joints accelerate


def test_a_posture_that_changes_under_a_moving_target_is_followed_alike_at_every_frame_rate() -> None:
    """Steps have the same accuracy for long frames, in which movements are large."""
    chain, bent = lamp(), np.radians([-14.0, 60.0, 4.0, 24.0, -48.0])

    def angles(rate: int) -> np.ndarray:
        solver, answers = Expressive(chain), []
        for frame in range(round(1.6 * rate) + 1):
            time = frame / rate
            share = min(max(time - 0.2, 0.0), 1.0)
            posture = (
                np.radians([0.0, -16.0, 14.0, 0.0, 84.0])
                + share**3 * (10.0 - 15.0 * share + 6.0 * share**2) * bent
            )
            goal = GazeGoal(Point((math.cos(time), math.sin(time), 0.3)), posture)
            answers.append(
                solver.solve(goal, answers[-1].angles, answers[-1].memory, dt=1.0 / rate)
                if answers
                else solver.solve(goal)
            )
        return np.array([answer.angles for answer in answers])

    fine = angles(120)
    assert max(np.abs(angles(rate) - fine[:: 120 // rate]).max() for rate in (24, 30, 60)) < math.radians(0.2)


def test_an_orientation_all_over_the_sphere_is_never_lost_for_long() -> None:
    aim_error = [answer.aim_error for answer in followed(FIVE, tumbling(160))]
    assert np.mean(np.array(aim_error) > math.radians(1)) < 0.4
    lost, longest = 0, 0
    for error in aim_error:
        lost = lost + 1 if error > math.radians(1) else 0
        longest = max(longest, lost)
    assert longest < 60  # a transition over half a turn takes 30 frames


def test_the_same_frames_get_the_same_bits() -> None:
    once, again = followed(FIVE, tumbling(50)), followed(FIVE, tumbling(50))
    for a, b in zip(once, again, strict=True):
        assert a.angles.tobytes() == b.angles.tobytes()
        assert a.memory == b.memory


@pytest.mark.parametrize("tilt", [0.6, 2.6], ids=["in reach", "out of reach"])
def test_a_target_at_rest_is_watched_without_a_tremble(tilt: float) -> None:
    chain = unit_chain("YXZX", 0.7)
    goals = [
        GazeGoal(Direction((0.1, math.cos(x), math.sin(x))), np.array([0.1, 0.3, 0.2, 0.2]))
        for x in np.linspace(0.0, tilt, 40)
    ]
    answers = followed(chain, goals + [goals[-1]] * (IDLE_FRAMES + 120))
    last = [answer.angles.tobytes() for answer in answers[-20:]]
    assert len(set(last)) == 1
    assert answers[-1].memory == answers[-2].memory  # and no computation is repeated


@pytest.mark.parametrize("seed", [0, 13, 15, 28, 68, 93, 95, 145])
def test_any_chain_comes_to_rest_at_a_target_that_does_whether_it_can_be_met_or_not(seed: int) -> None:
    case = make(any_recipe(random.Random(seed)))
    answers = followed(case.skeleton, [case.goal] + [case.moved] * (PLANNING_FRAMES + 2 * IDLE_FRAMES + 120))
    assert answers[-1].memory.idle > IDLE_TIME
    assert answers[-1].angles.tobytes() == answers[-2].angles.tobytes()


@pytest.mark.parametrize("position", [(0.5, -0.9, 0.6), (-0.7, 0.2, 1.5)])
def test_rest_is_seconds_away_even_along_a_shallow_valley(position: Vector) -> None:
    chain = unit_chain("YXXXZYZ", 3.0)
    goals = [
        GazeGoal(Point(at), np.array([0.1, 0.6, -0.5, 0.4, 0.1, 0.3, -0.2]))
        for at in [(0.3, 2.0, 4.0)] + [position] * 300
    ]
    assert followed(chain, goals)[-1].memory.idle > IDLE_TIME


@pytest.mark.parametrize(("first", "then"), [(None, (0.0, 0.0, 1.0)), ((0.0, 0.0, 1.0), None)])
def test_an_end_that_may_roll_no_longer_or_may_again_is_followed_on(
    first: Vector | None, then: Vector | None
) -> None:
    goals = [GazeGoal(Direction((0.4, 0.5, 0.5), up), POSTURE) for up in [first] * 5 + [then] * 60]
    answers = followed(FIVE, goals)
    assert np.abs(moves_of(answers)).max() <= SPEED * FRAME + 1e-9
    assert answers[-1].aim_error < 1e-6


CRAWL = 1e-6  # [rad] rotation per frame


def test_what_crawls_or_is_nudged_after_a_rest_is_followed_without_swinging() -> None:
    chain = unit_chain("YXXZY", math.pi / 2)
    first = Direction((0.9, -0.3, 0.2))
    crawling = [
        GazeGoal(replace(first, vector=(0.9, -0.3 + CRAWL * frame, 0.2)), POSTURE) for frame in range(200)
    ]
    settling = [GazeGoal(first, POSTURE)] * 200
    nudged = [GazeGoal(replace(first, vector=(0.9, -0.3 + CRAWL, 0.2)), POSTURE)] * 40
    begun = GazeGoal(Direction((0.2, 0.9, 0.4)), POSTURE)
    for goals in ([begun] * 3 + crawling, [begun] * 3 + settling + nudged):
        moves = np.abs(moves_of(followed(chain, goals)))
        assert moves[-40:].max() < math.radians(0.1)


def test_a_target_that_stops_is_arrived_at_without_swinging_on() -> None:
    chain = lamp()
    way = [GazeGoal(circle(min(frame, 30)), np.array([0.2, 0.5, -0.9, 0.4, 0.1])) for frame in range(90)]
    moves = np.abs(moves_of(followed(chain, way)))
    assert moves[36:].max() < math.radians(1)


@pytest.mark.parametrize("change", ["kind", "options", "limits"])
def test_what_rests_moves_on_once_something_else_is_asked(change: str) -> None:
    chain, goal = lamp(), GazeGoal(Point((0.3, 0.4, 0.6)), np.zeros(len(lamp())))
    settling = followed(chain, [goal] * (2 * IDLE_FRAMES))[-1]
    anew = {
        "kind": (Expressive(chain), replace(goal, aim=Position((0.3, 0.4, 0.6)))),
        "options": (Expressive(chain, ExpressiveOptions(hold_body=True)), goal),
        "limits": (
            Expressive(replace(chain, joints=tuple(replace(joint, upper=3.1) for joint in chain.joints))),
            goal,
        ),
    }
    solver, asked = anew[change]
    assert solver.solve(asked, settling.angles, settling.memory).memory.idle == 0


def test_a_posture_that_changes_is_followed() -> None:
    chain = unit_chain("YXZXZY", 1.4)
    first, then = np.array([0.0, 0.5, 0.2, 0.3, 0.1, 0.0]), np.array([0.0, 0.1, -0.3, 0.6, 0.3, 0.0])
    target = Direction((0.3, 0.8, 0.5))
    shares = [*np.linspace(0.0, 1.0, 40), *([1.0] * 60)]
    answers = followed(chain, [GazeGoal(target, first + share * (then - first)) for share in shares])
    assert all(answer.aim_error < 1e-6 for answer in answers)
    best = Expressive(chain).solve(GazeGoal(target, then)).shape_deviation
    assert answers[-1].shape_deviation < best + math.radians(1)


def test_a_start_that_is_not_the_last_answer_is_taken_up_where_it_is() -> None:
    answers = followed(FIVE, tumbling(20))
    elsewhere = np.clip(answers[-1].angles + 0.4, FIVE.lower, FIVE.upper)
    solution = Expressive(FIVE).solve(tumbling(21)[-1], elsewhere, answers[-1].memory)
    assert np.abs(solution.angles - elsewhere).max() <= SPEED * FRAME + 1e-9
    assert solution.memory.planning.transition is None  # type: ignore[attr-defined]


def test_who_is_looked_back_at_leaves_its_branch_for_the_aim_alone() -> None:
    """The chain that looks back moves with each transition: for the shape, both would change branches without
    end.
    """

    def glides_begun(mutual: bool) -> list[int]:
        """Number of frames for which the aim was lost when each transition began."""
        solver, began = Expressive(FIVE), []
        answer = solver.solve(tumbling(1)[0])
        for goal in tumbling(300):
            before, answer = answer, solver.solve(goal, answer.angles, answer.memory, mutual=mutual)
            if answer.memory.planning.transition and before.memory and not before.memory.planning.transition:  # type: ignore[attr-defined]
                began.append(before.memory.lost)  # type: ignore[attr-defined]
        return began

    assert 0 in glides_begun(False)
    assert glides_begun(True)
    assert 0 not in glides_begun(True)


def test_known_goals_of_frames_to_come_are_used() -> None:
    goals = tumbling(160)
    told, guessed = followed(FIVE, goals, look_ahead=40), followed(FIVE, goals)
    assert [a.angles.tobytes() for a in told] != [a.angles.tobytes() for a in guessed]
    assert np.abs(moves_of(told)).max() <= SPEED * FRAME + 1e-9


def test_a_glide_goes_no_faster_than_the_user_wants() -> None:
    speed = math.radians(5)
    answers = followed(
        FIVE, tumbling(150), Expressive(FIVE, ExpressiveOptions(transition_speed=speed / FRAME))
    )
    gliding = [answer.memory.planning.transition is not None for answer in answers[1:]]  # type: ignore[attr-defined]
    assert any(gliding)
    both = [now and before for now, before in zip(gliding[1:], gliding, strict=False)]
    straight = [
        np.abs(move).max()
        for move, glide, answer in zip(moves_of(answers)[1:], both, answers[2:], strict=True)
        if glide and answer.memory.planning.transition.kind == DIRECT  # type: ignore[attr-defined]
    ]
    assert len(straight) > 12
    assert speed - 1e-9 <= max(straight[8:]) <= speed + 1e-9, "it begins as fast as the chain was"


@pytest.mark.parametrize("dt", [10.0, 3600.0])
def test_a_frame_of_a_time_lapse_is_solved_with_no_more_work_than_any_other(
    dt: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work is measured as the number of configurations for which forward kinematics is computed."""
    solver, counted = Expressive(FIVE), 0
    real = solver.model.poses

    def poses(angles):
        nonlocal counted
        counted += len(angles)
        return real(angles)

    monkeypatch.setattr(solver.model, "poses", poses)

    def work(duration: float) -> int:
        nonlocal counted
        goals = [GazeGoal(Direction((math.sin(0.3 * k), 0.3, math.cos(0.3 * k))), POSTURE) for k in range(12)]
        answer, most = solver.solve(goals[0]), 0
        for goal in goals[1:]:
            counted = 0
            answer = solver.solve(goal, answer.angles, answer.memory, dt=duration)
            most = max(most, counted)
            assert np.isfinite(answer.angles).all()
        assert answer.aim_error < AT_RISK
        return most

    assert work(dt) <= work(1.0)
