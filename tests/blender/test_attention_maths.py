"""Tests the perceived position of a target: dead zone, lag and changes of target, as functions of time."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from limber.character.attention import (
    AttentionSettings,
    CarriedLook,
    attend,
    bearing,
    has_jumped,
    partial,
    seen_position,
)
from limber.solvers.gaze import SPEED
from limber.solvers.goals import Direction, Frame, Orientation, Point, Position
from limber.solvers.kinematics import rotations
from limber.solvers.kinematics.skeleton import Joint, Skeleton

ROOT = (0.3, -0.2, 0.1)
DT = 1 / 24
COORDINATES = st.tuples(*[st.floats(-2.0, 2.0)] * 3)


def at(spot, turn=rotations.IDENTITY):
    return bearing(spot, turn, ROOT)


def around(angle: float, distance: float = 1.5):
    """A point at an angle [rad] about the root."""
    return at(rotations.add(ROOT, (distance * math.cos(angle), distance * math.sin(angle), 0.3)))


def angle(a, b) -> float:
    return rotations.vector_angle(a.direction, b.direction)


def run(state, targets, settings: AttentionSettings, of="a", dt: float = DT) -> list:
    states = []
    for target in targets:
        state = attend(state, target, of, settings, dt)
        states.append(state)
    return states


@given(COORDINATES, COORDINATES)
def test_without_any_settings_the_target_is_seen_where_it_is(first, second):
    state = attend(
        attend(None, at(first), "a", AttentionSettings(), DT), at(second), "a", AttentionSettings(), DT
    )
    assert state.seen == at(second)
    assert state.is_settled


@pytest.mark.parametrize(
    "settings", [AttentionSettings(lag=0.3), AttentionSettings(change=0.4), AttentionSettings(dead_zone=0.1)]
)
def test_a_target_is_seen_at_the_same_time_whatever_the_frame_rate(settings):
    speed = (
        0.0 if settings.change else 0.7
    )  # [rad/s] speed of the first target; the other one is followed from 1 s on

    def seen(rate: int) -> list:
        state = attend(None, around(0.0), "a", settings, 0.0)
        states = run(state, [around(speed * k / rate) for k in range(1, rate)], settings, "a", 1 / rate)
        states += run(
            states[-1], [around(0.7 - 0.7 * k / rate) for k in range(rate)], settings, "b", 1 / rate
        )
        return [states[k * rate // 12 - 1] for k in range(1, 24)]

    for slow, quick in zip(seen(24), seen(120), strict=True):
        assert angle(slow.seen, quick.seen) < math.radians(0.1)


@given(COORDINATES)
def test_a_bearing_is_a_position_again(spot):
    assert seen_position(at(spot), ROOT) == pytest.approx(spot, abs=1e-8)


@pytest.mark.parametrize("lag", [0.2, 0.5, 1.0])
def test_a_steady_target_is_trailed_by_the_lag(lag):
    speed = 0.5  # [rad/s] speed of the target
    fine = 1e-3
    start = around(0.0)
    states = run(
        attend(None, start, "a", AttentionSettings(lag), fine),
        [around(speed * fine * k) for k in range(1, 5000)],
        AttentionSettings(lag),
        dt=fine,
    )
    assert angle(states[-1].seen, states[-1].target) == pytest.approx(
        speed * lag * math.hypot(1.5) / math.hypot(1.5, 0.3), rel=0.03
    )


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(0.05, 0.5))
def test_after_a_while_the_lag_is_gone_and_nothing_moves(first, second, lag):
    states = run(
        attend(None, around(first), "a", AttentionSettings(lag), DT),
        [around(second)] * 240,
        AttentionSettings(lag),
    )
    assert states[-1].is_settled
    assert states[-1].seen == around(second)
    assert states[-1] is states[-2]


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.integers(2, 8))
def test_the_lag_is_the_same_whatever_the_frame_rate(first, second, parts):
    settings = AttentionSettings(lag=0.4)
    coarse = run(
        attend(None, around(first), "a", settings, DT),
        [around(second)] * 12,
        AttentionSettings(0.4),
        dt=2e-3 * parts,
    )
    fine = run(
        attend(None, around(first), "a", settings, DT),
        [around(second)] * 12 * parts,
        AttentionSettings(0.4),
        dt=2e-3,
    )
    assert angle(coarse[-1].seen, fine[-1].seen) < 0.05 * max(angle(around(first), around(second)), 1e-3)


@given(st.lists(st.floats(-1.4, 1.4), min_size=2, max_size=30), st.floats(0.01, 1.0))
def test_a_target_is_never_farther_off_than_the_dead_zone_and_within_it_moves_nothing(angles, zone):
    settings = AttentionSettings(dead_zone=zone)
    state = attend(None, around(angles[0]), "a", settings, DT)
    for number in angles[1:]:
        before, state = state, attend(state, around(number), "a", settings, DT)
        assert angle(state.seen, state.target) <= zone + 1e-7
        if angle(before.seen, state.target) <= zone:
            assert state.seen == before.seen
        else:
            assert angle(state.seen, state.target) == pytest.approx(zone, abs=1e-7)


@given(COORDINATES, COORDINATES, st.floats(0.1, 2.0))
def test_a_change_of_target_begins_where_the_last_was_seen_and_ends_at_the_new_one(first, second, change):
    settings = AttentionSettings(change=change)
    state = attend(None, at(first), "a", settings, DT)
    assume(state.target.distance > 0.01 and at(second).distance > 0.01)
    states = run(state, [at(second)] * (int(change / DT) + 2), settings, of="b")
    whole = angle(at(first), at(second))
    path = [state.seen, *(other.seen for other in states)]
    assert states[-1].seen == at(second)
    assert states[-1].is_settled
    assert max(angle(a, b) for a, b in pairwise(path)) <= 1.9 * whole * DT / change + 1e-7
    low, high = sorted((state.target.distance, at(second).distance))
    assert all(low - 1e-9 <= seen.distance <= high + 1e-9 for seen in path)


@pytest.mark.every_blender
def test_opposite_targets_are_changed_by_a_turn_about_the_vertical():
    settings = AttentionSettings(change=1.0)
    front, back = (at(rotations.add(ROOT, way)) for way in ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)))
    for state in run(attend(None, front, "a", settings, DT), [back] * 23, settings, of="b"):
        assert abs(state.seen.direction[2]) < 1e-6


def test_a_change_in_the_middle_of_another_goes_on_from_there():
    settings = AttentionSettings(change=1.0)
    states = run(attend(None, around(0.0), "a", settings, DT), [around(1.0)] * 12, settings, of="b")
    turned = run(states[-1], [around(-1.0)] * 40, settings, of="c")
    assert angle(states[-1].seen, turned[0].seen) < 0.01
    assert turned[-1].seen == around(-1.0)


def test_without_time_a_moved_target_is_noted_and_not_followed():
    settings = AttentionSettings(lag=0.5)
    state = attend(None, around(0.0), "a", settings, DT)
    moved = attend(state, around(1.0), "a", settings, 0.0)
    assert moved.seen == state.seen
    assert not moved.is_settled
    assert attend(moved, around(1.0), "a", settings, 0.0) is moved


def arm() -> Skeleton:
    axes = (rotations.X, rotations.Z, rotations.X)
    joints = tuple(
        Joint(f"joint {k}", k - 1, rotations.IDENTITY, (0.0, 0.3 if k else 0.0, 0.0), axis, -3.0, 3.0)
        for k, axis in enumerate(axes)
    )
    return Skeleton(joints, rotations.IDENTITY, (0.0, 0.2, 0.0))


@given(COORDINATES, st.floats(0.0, 1.0))
def test_a_share_is_so_much_of_the_angle_from_where_the_posture_looks(spot, share):
    skeleton, posture = arm(), np.array([0.3, -0.4, 0.6])
    pose = skeleton.forward(posture.tolist())
    look = rotations.rotate(pose.tool_rotation, rotations.Y)
    way = rotations.subtract(spot, pose.tool_position)
    whole = rotations.vector_angle(look, way)
    assume(rotations.length(way) > 0.01)
    aim = partial(pose, Point(spot), share)
    mixed = rotations.subtract(aim.position, pose.tool_position)
    assert rotations.vector_angle(look, mixed) == pytest.approx(share * whole, abs=1e-6)
    assert rotations.vector_angle(mixed, way) == pytest.approx((1 - share) * whole, abs=1e-6)
    assert rotations.length(mixed) == pytest.approx(rotations.length(way))
    along = partial(pose, Direction(way), share)
    assert rotations.vector_angle(along.vector, mixed) < 1e-6
    assert partial(pose, Position(spot), share) == Position(spot)


JUMPS = AttentionSettings(change=0.5, eases_jumps=True)


def shared_look(target, share: float, carried: CarriedLook):
    """Direction in which an end that faces Y looks at a far target; it leaves the rest to what it carries."""
    joint = Joint("neck", -1, rotations.IDENTITY, (0.0, 0.0, 0.0), rotations.X, -3.0, 3.0)
    pose = Skeleton((joint,), rotations.IDENTITY, (0.0, 0.2, 0.0)).forward([0.0])
    return partial(pose, Direction(rotations.unit(target)), share, carried).gaze(pose.tool_position)


@pytest.mark.parametrize("share", [0.2, 0.7])
@pytest.mark.parametrize("aside", [2, 10, 30])
def test_with_limits_of_what_is_carried_a_look_follows_a_target_overhead_evenly(share, aside):
    carried = CarriedLook(*map(math.radians, (20, 60, 30, 50)))
    level, step = math.radians(aside), math.radians(0.5)
    looks = [
        shared_look(
            (math.sin(level), math.cos(level) * math.cos(k * step), math.cos(level) * math.sin(k * step)),
            share,
            carried,
        )
        for k in range(200)
    ]
    changes = [rotations.vector_angle(*pair) for pair in pairwise(looks)]
    assert max(changes) < 1.5 * step


@pytest.mark.parametrize("aside", range(-80, 81, 20))
@pytest.mark.parametrize("up", [-40, -15, 0, 15, 40])
@pytest.mark.parametrize("most", [(40, 15, 30, 50), (40, 15, math.inf, math.inf)])
def test_what_is_left_of_a_look_to_others_is_within_their_limits_in_each_direction(aside, up, most):
    left, right, upward, downward = limits = tuple(map(math.radians, most))
    yaw, pitch = math.radians(aside), math.radians(up)
    target = (-math.sin(yaw) * math.cos(pitch), math.cos(yaw) * math.cos(pitch), math.sin(pitch))
    x, y, z = shared_look(target, 0.2, CarriedLook(*limits))
    level = rotations.multiply(
        rotations.about(rotations.Z, math.atan2(-x, y)), rotations.about(rotations.X, math.asin(z))
    )
    x, y, z = rotations.rotate(rotations.conjugate(level), target)
    assert -right - 1e-6 < math.asin(-x) < left + 1e-6
    assert -downward < math.atan2(z, y) < upward


@pytest.mark.parametrize("rate", [12, 24, 60, 240])
def test_a_target_that_jumps_is_changed_to_in_the_same_time_at_every_frame_rate(rate):
    state = attend(None, around(0.0), "a", JUMPS, 0.0)
    states = run(state, [around(1.5)] * rate, JUMPS, dt=1 / rate)
    assert angle(states[0].seen, around(0.0)) < 1e-9, "the change begins in the frame of the jump"
    assert angle(states[rate // 4].seen, around(0.0)) == pytest.approx(
        angle(around(0.0), around(1.5)) / 2, abs=1e-6
    )
    assert states[rate // 2].seen == around(1.5)
    assert states[-1].is_settled


@pytest.mark.parametrize("rate", [12, 24, 60, 240])
@pytest.mark.parametrize(("speed", "is_followed"), [(0.9, True), (1.2, False)])
def test_a_target_is_followed_up_to_the_speed_of_the_fastest_joints(rate, speed, is_followed):
    """The speed is given relative to that of the joints, and lasts for a tenth of a second."""
    target = [
        bearing(rotations.add(ROOT, (math.cos(a), math.sin(a), 0.0)), rotations.IDENTITY, ROOT)
        for a in np.arange(rate) * speed * SPEED / rate
    ]
    states = run(None, target[: max(rate // 10, 2)], JUMPS, dt=1 / rate)
    assert (states[-1].seen == states[-1].target) == is_followed


def test_without_a_duration_of_change_a_jump_is_followed_at_once():
    settings = AttentionSettings(eases_jumps=True)
    assert run(None, [around(0.0), around(2.0)], settings)[-1].seen == around(2.0)


def test_within_an_instant_nothing_jumps():
    assert run(None, [around(0.0), around(2.0)], JUMPS, dt=0.0)[-1].seen == around(2.0)


@pytest.mark.parametrize(
    ("kind", "far", "turned"),
    [
        (Point, False, False),
        (Direction, False, True),
        (Orientation, False, True),
        (Position, True, False),
        (Frame, True, True),
    ],
)
def test_only_what_a_goal_uses_of_its_target_can_jump(kind, far, turned):
    half = rotations.about(rotations.Z, 2.0)
    assert has_jumped(around(0.0), around(0.0, 4.0), kind, DT) == far
    assert has_jumped(around(0.0), around(0.0)._replace(rotation=half), kind, DT) == turned
    assert has_jumped(around(0.0), around(2.0), kind, DT) == (kind not in (Direction, Orientation))


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("aside", [60, 89, 100, 120, 150, 170])
@pytest.mark.parametrize("upward", [0, 20])
def test_a_look_does_not_flip_at_the_horizon_where_only_up_and_down_are_limited(share, aside, upward):
    carried = CarriedLook(up=math.radians(upward), down=math.radians(upward))
    level = math.radians(aside)
    below, above = (
        shared_look((math.sin(level), math.cos(level), height), share, carried) for height in (-1e-6, 1e-6)
    )
    assert rotations.vector_angle(below, above) < 1e-3


@pytest.mark.parametrize("limit", [14, 20, 40, 60])
def test_with_limits_of_what_is_carried_a_wide_look_is_up_where_its_target_is_and_goes_up_with_it(limit):
    carried = CarriedLook(*(4 * (math.radians(limit),)))
    for aside in range(0, 140, 10):
        elevations = []
        for up in range(-40, 41):
            pan, pitch = math.radians(aside), math.radians(up)
            target = (
                math.cos(pitch) * math.sin(pan),
                math.cos(pitch) * math.cos(pan),
                math.sin(pitch),
            )
            elevations.append(math.degrees(math.asin(shared_look(target, 0.2, carried)[2])))
            assert elevations[-1] * up >= -1e-9
        assert max(abs(b - a) for a, b in pairwise(elevations)) < 2.0
