"""Tests a body that follows a stream whose rate differs from the clock's: smooth, and at rest when the stream
ends.
"""

from collections.abc import Callable
from math import cos, degrees, pi, sin

import bpy
import numpy as np
import pytest
from limber.rig.live import live

from tests.blender.osc_figure import osc_figure
from tests.blender.osc_sender import bundle, packet

CLOCK = 60  # [Hz] ticks of the clock
RATE = 2 * pi * 0.35  # [rad/s] angular frequency of the motion
WIDTH = 0.5  # [rad] amplitude of the motion
LINK = "LeftUpperArm"


@pytest.fixture
def body():
    """A live figure that follows data received over UDP, and a function that sends to it."""
    with osc_figure() as (rig, send):
        for name in ("Pelvis", LINK):
            send(packet(f"/limber/link/{name}", 1.0, 0.0, 0.0, 0.0))
        bpy.ops.limber.pair_bones()
        bpy.ops.limber.live()
        live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), 0.0)
        yield rig, send


def shown(rig) -> np.ndarray:
    """Shown rotation (3, 3) of the link."""
    return np.array(rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[LINK].matrix.to_3x3())


def played(rig, send, sent: Callable[[int], list[bytes]], ticks: int) -> np.ndarray:
    """Angles (ticks,) [degrees] of the link about X, while packets `sent` before each tick arrive."""
    rest = shown(rig)
    angles = []
    for tick in range(1, ticks + 1):
        for data in sent(tick):
            send(data)
        live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), tick / CLOCK + 1e-6)
        turn = shown(rig) @ rest.T
        angles.append(degrees(np.arctan2(turn[2, 1] - turn[1, 2], np.trace(turn) - 1.0)))
    return np.array(angles)


def angle(seconds: float) -> float:
    return WIDTH * sin(RATE * seconds)


def pose(seconds: float) -> bytes:
    half = 0.5 * angle(seconds)
    return packet(f"/limber/link/{LINK}", cos(half), sin(half), 0.0, 0.0)


@pytest.mark.parametrize("rate", [30, 25, 50])
def test_a_stream_slower_than_the_clock_moves_a_body_without_stairs(body, rate: int):
    rig, send = body

    def sent(tick: int) -> list[bytes]:
        sample = tick * rate // CLOCK
        return [pose(sample / rate)] if sample > (tick - 1) * rate // CLOCK else []

    angles = played(rig, send, sent, 180)[60:]
    assert np.abs(np.diff(angles)).min() > 0.0, "no tick at a standstill"
    acceleration = np.abs(np.diff(angles, 2)).max() * CLOCK**2
    assert acceleration < 1.5 * degrees(WIDTH) * RATE**2


def test_a_body_follows_the_times_that_a_sender_says_and_not_those_at_which_packets_come(body):
    rig, send = body
    chance = np.random.default_rng(2)
    taken = np.cumsum(chance.uniform(0.7, 1.3, 200)) / 30
    ticks = np.ceil((taken + chance.uniform(0.0, 0.02, 200)) * CLOCK)

    def sent(tick: int) -> list[bytes]:
        return [bundle(pose(time), time=3.9e9 + time) for time in taken[ticks == tick]]

    angles = played(rig, send, sent, 300)[180:]
    assert np.abs(np.diff(angles)).min() > 0.0
    assert np.abs(np.diff(angles, 2)).max() * CLOCK**2 < 1.5 * degrees(WIDTH) * RATE**2


def test_a_stream_of_the_clocks_own_rate_is_followed_without_delay(body):
    rig, send = body
    angles = played(rig, send, lambda tick: [pose(tick / CLOCK)], 60)
    assert angles[2:] == pytest.approx([degrees(angle(tick / CLOCK)) for tick in range(3, 61)], abs=1e-2)


def test_a_stream_of_half_the_clocks_rate_is_one_tick_behind(body):
    rig, send = body
    angles = played(rig, send, lambda tick: [] if tick % 2 else [pose(tick / CLOCK)], 60)
    assert angles[20:] == pytest.approx(
        [degrees(angle((tick - 1) / CLOCK)) for tick in range(21, 61)], abs=0.05
    )


def test_a_body_joins_a_motion_that_has_begun_without_a_jump(body):
    rig, send = body
    angles = played(rig, send, lambda tick: [] if tick % 2 else [pose(tick / CLOCK)], 40)
    speed = degrees(WIDTH) * RATE / CLOCK
    assert np.abs(np.diff(angles)).max() < 2.5 * speed
    assert np.abs(np.diff(angles, 2)).max() < 0.5 * speed


def test_where_a_stream_ends_the_body_comes_to_rest_in_the_last_pose(body):
    rig, send = body
    last = 40
    angles = played(
        rig, send, lambda tick: [] if tick % 2 or tick > last else [pose(tick / CLOCK)], last + 40
    )
    final = degrees(angle(last / CLOCK))
    assert angles[-1] == pytest.approx(final, abs=0.01)
    assert np.abs(np.diff(angles[-20:])).max() < 1e-3
    packet_way = degrees(WIDTH) * RATE / 30
    assert np.abs(angles - np.clip(angles, None, final + 1.5 * packet_way)).max() == 0.0


def test_a_packet_that_comes_late_does_not_make_the_body_jump(body):
    rig, send = body

    def sent(tick: int) -> list[bytes]:
        return [] if tick % 2 or 40 < tick < 64 else [pose(tick / CLOCK)]

    angles = played(rig, send, sent, 120)
    way = degrees(abs(angle(64 / CLOCK) - angle(40 / CLOCK)))
    assert np.abs(np.diff(angles[60:])).max() < 0.3 * way
    assert angles[-1] == pytest.approx(degrees(angle(119 / CLOCK)), abs=0.1)


def test_a_body_takes_the_velocity_that_is_sent(body):
    rig, send = body
    with_velocity = bundle(
        packet(f"/limber/link/{LINK}", 1.0, 0.0, 0.0, 0.0),
        packet(f"/limber/velocity/{LINK}", 0.0, 0.0, 0.0, 0.3, 0.0, 0.0),
    )
    angles = played(rig, send, lambda tick: [] if tick % 2 or tick > 40 else [with_velocity], 42)
    assert angles[-1] - angles[-2] == pytest.approx(degrees(0.3) / CLOCK, rel=0.02), (
        "it goes on with the velocity"
    )
