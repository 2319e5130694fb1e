"""Tests a body whose targets leap: a cut in a clip, an outlier of a tracker, a link that was lost."""

from dataclasses import replace

import numpy as np
import pytest
from limber.character.body import leaps
from limber.character.body.feet import Foot, foot_position
from limber.character.body.inputs import BodyInputs
from limber.character.body.tick import AT_REST, BodyModel, BodyState, make_model, tick
from limber.solvers.kinematics.se3 import exponential
from limber.solvers.limits import usual_limits
from limber.solvers.whole_body.state import at_rest
from limber.solvers.whole_body.targets import Target

from tests.solvers import bodies

DT = 1 / 60  # [s] duration of a frame
REACH = 2.0  # [rad] range of the joints to both sides: poses near the limits have a wrong side
POSES = np.random.default_rng(5).uniform(-REACH, REACH, (12, 33))  # [rad] joint values of poses
# indices of poses from which a leap to the next one leaves joints at limits without a search
LEAPS = (2, 4, 8)
FASTEST, ACCELERATION = 6.0, 60.0  # [rad/s, rad/s^2] limits of the joints


def model(
    velocity: float | None = None, acceleration: float | None = None, reach: float = REACH
) -> BodyModel:
    limits = usual_limits(velocity, acceleration)
    return make_model(bodies.manikin(reach), [Target(link) for link in bodies.LINKS], "pelvis", limits)


def posed(mover: BodyModel, joints: np.ndarray, swing: float = 0.0) -> BodyInputs:
    """Targets of the pose with joint values (n,) [rad], on a base rotated about Z by `swing` [rad]."""
    values = bodies.asks(
        mover.body,
        at_rest(mover.body, joints, exponential(np.array([0.0, 0.0, swing])), np.zeros(3)),
        bodies.TRACKED,
    )
    return BodyInputs(values.rotation, values.position[0], np.eye(4), np.zeros((0, 3)))


def waved(mover: BodyModel, number: int) -> BodyInputs:
    """Targets of a wave of all joints."""
    return posed(mover, bodies.wave(mover.body, number * DT)[0])


def moved(mover: BodyModel, frames: list[BodyInputs], dt: float = DT) -> list[BodyState]:
    state, states = None, []
    for inputs in frames:
        _, state = tick(mover, inputs, state, dt)
        states.append(state)
    return states


def error(mover: BodyModel, inputs: BodyInputs, state: BodyState | None) -> float:
    """Largest orientation error [rad] of a link; without a state, that of a new start."""
    outputs, _ = tick(mover, inputs, state, 0.0)
    return float(outputs.missed.max())


@pytest.mark.parametrize("dt", [1 / 24, 1 / 60])
@pytest.mark.parametrize("first", LEAPS)
def test_in_the_second_frame_after_a_leap_a_body_meets_its_targets_as_a_new_start_does(first: int, dt: float):
    mover = model()
    here, there = (posed(mover, pose) for pose in POSES[first : first + 2])
    states = moved(mover, [here] + 10 * [there], dt)
    assert states[2].stalled == 0  # the solver continues toward the goal that the new start has not reached
    for state in states[2:]:
        assert error(mover, there, state) < error(mover, there, None) + bodies.DEGREE


@pytest.mark.parametrize("first", LEAPS)
def test_joints_with_limits_of_motion_keep_them_on_their_way_after_a_leap(first: int):
    mover = model(FASTEST, ACCELERATION)
    here, there = (posed(mover, pose) for pose in POSES[first : first + 2])
    states = moved(mover, [here] + 120 * [there])
    joints = np.array([state.state.joints for state in states])
    speeds = np.diff(joints, axis=0, prepend=joints[:1]) / DT
    assert np.abs(speeds).max() < FASTEST * (1.0 + 1e-9)
    assert np.abs(np.diff(speeds, axis=0)).max() < ACCELERATION * DT * (1.0 + 1e-6)
    assert error(mover, there, states[-1]) < error(mover, there, None) + bodies.DEGREE


@pytest.mark.parametrize("limits", [(None, None), (FASTEST, ACCELERATION)])
def test_a_body_stands_on_its_feet_again_after_a_leap(limits):
    free = model(*limits)
    mover = replace(free, feet=(Foot("left foot"), Foot("right foot")))
    stands = {
        "base": np.array([0.0, 0.0, 0.8]),
        "feet": np.zeros((2, 3)),
        "floor_up": np.array([0.0, 0.0, 1.0]),
        "floor_height": 0.0,
    }
    straight = np.where([name.split()[1] in ("leg", "foot") for name in mover.body.names], 0.1, 1.0)
    here, there = (posed(mover, straight * pose)._replace(**stands) for pose in POSES[2:4])
    state = moved(mover, [here] + 90 * [there])[-1]
    assert all(step.is_planted for step in state.feet)
    assert error(mover, there, state) < 3.0 * bodies.DEGREE  # error that remains with feet on the floor
    for foot in mover.feet:
        assert foot_position(mover.body, foot, state.state)[2] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("first", LEAPS)
def test_joints_brake_before_a_new_start(first: int):
    mover = model(None, ACCELERATION)
    here, there = (posed(mover, pose) for pose in POSES[first : first + 2])
    joints = np.array([state.state.joints for state in moved(mover, [here] + 90 * [there])])
    ways = np.abs(np.diff(joints, axis=0)).sum(0)
    assert ways.sum() < 1.25 * np.abs(joints[-1] - joints[0]).sum()


@pytest.mark.parametrize("limits", [(None, None), (FASTEST, ACCELERATION)])
def test_motion_is_followed_after_a_leap(limits):
    mover = model(*limits)
    motion = [posed(mover, (1.0 - 0.5 * number / 150) * POSES[3]) for number in range(150)]
    states = moved(mover, [posed(mover, POSES[2]), *motion])
    assert (
        error(mover, motion[-1], states[-1])
        < error(mover, motion[-1], moved(mover, motion)[-1]) + bodies.DEGREE
    )
    assert states[-1].leap.goal is None


def test_a_body_whose_limits_are_narrowed_on_its_way_to_a_new_start_follows_and_rests():
    mover, narrow = model(FASTEST, ACCELERATION), model(FASTEST, ACCELERATION, reach=0.8)
    here, there = (posed(mover, pose) for pose in POSES[2:4])
    state = moved(mover, [here, there, there, there])[-1]
    assert state.leap.goal is not None
    for _ in range(600):
        outputs, state = tick(narrow, there, state, DT)
    assert state.leap.goal is None
    assert outputs.at_rest


@pytest.mark.parametrize("limits", [(None, None), (FASTEST, ACCELERATION)])
def test_a_glitch_of_one_frame_leaves_the_motion_as_it_was(limits):
    mover = model(*limits)
    frames = [waved(mover, number) for number in range(60)]
    glitch = [*frames[:20], posed(mover, POSES[0]), *frames[21:]]
    smooth, disturbed = (moved(mover, given)[-1].state.joints for given in (frames, glitch))
    assert disturbed == pytest.approx(smooth, abs=1e-3)


def test_continuous_motion_is_never_searched_however_the_body_spins():
    mover = model()
    for number, state in enumerate(
        moved(mover, [posed(mover, bodies.wave(mover.body, k * DT)[0], 0.6 * k) for k in range(40)])
    ):
        assert state.leap == leaps.NO_LEAP, number


def test_targets_that_leap_all_the_time_are_searched_once_a_second_at_most():
    mover = model()
    frames = [posed(mover, POSES[8 + number // 2 % 2]) for number in range(70)]
    searches = [
        number for number, state in enumerate(moved(mover, frames)) if state.leap.pause == leaps.PAUSE
    ]
    assert len(searches) == 2
    assert (searches[1] - searches[0]) * DT >= leaps.PAUSE


def test_targets_that_leap_in_every_frame_are_not_searched():
    mover = model()
    states = moved(mover, [posed(mover, POSES[number % len(POSES)]) for number in range(30)])
    assert not any(state.leap.pause for state in states)
    assert states[-1].leap.is_open


def test_a_body_that_stands_still_is_searched_when_the_pause_is_over():
    mover = model()
    # all within limits, so that the body soon rests
    here, there = (posed(mover, 0.4 * pose) for pose in POSES[8:10])
    states = moved(mover, [here, there, there] + 75 * [here])
    assert states[50].leap.is_open
    assert np.abs(states[50].state.velocity).max() < AT_REST
    assert not states[-1].leap.is_open


@pytest.mark.parametrize("nothing", [np.nan, 0.0])
@pytest.mark.parametrize("link", ["head", "chest"])  # other links depend on the chest
def test_a_link_that_was_lost_leaps_when_it_is_found(link: str, nothing: float):
    mover = model()
    found = posed(mover, POSES[0]).rotation
    lost = np.where(np.arange(len(found))[:, None, None] == bodies.LINKS.index(link), nothing, found)
    for before, after, leapt in ((found, lost, False), (lost, lost, False), (lost, found, True)):
        assert leaps.have_leapt(before, after, mover.above, 1) == leapt


def test_each_link_counts_against_the_next_one_with_a_target_that_carries_it():
    body = bodies.manikin()
    links = body.link_indices(["right foot", "pelvis", "head", "left forearm", "chest"])
    assert leaps.nearest_above(body, links[[0, 2]]).tolist() == [-1, -1]
    assert leaps.nearest_above(body, links).tolist() == [1, 1, 4, 4, 1]
