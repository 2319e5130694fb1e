"""Tests targets and other numbers that programs send at their own rate: live chains follow them smoothly."""

from math import cos, degrees, dist, pi, sin

import bpy
import numpy as np
import pytest
from limber.rig.live import live, persons

from tests.blender.osc_sender import bundle, packet
from tests.blender.remote.remote_control import problem, sending
from tests.blender.rigs import looking_chain
from tests.blender.shown import go_live, no_handler_raises  # noqa: F401

CLOCK = 60  # [Hz] ticks of the clock
RATE = 2 * pi * 0.35  # [rad/s] angular frequency of the motion
WIDTH = 0.3  # [m] amplitude of the motion


@pytest.fixture
def chain():
    """A live chain without a motion filter on a rig that listens, and a function that sends to it."""
    rig, chain = looking_chain()
    chain.filter = "none"
    go_live(rig, chain)
    with sending(rig) as send:
        yield rig, chain, send


def tick(number: int) -> None:
    bpy.context.view_layer.update()
    live.advance_clock(
        bpy.context.scene, bpy.context.evaluated_depsgraph_get(), 5000.0 + number / CLOCK + 1e-6
    )


def place(seconds: float) -> float:
    return WIDTH * sin(RATE * seconds)


def followed(chain, send, ticks: int, rate: int, data) -> tuple[np.ndarray, np.ndarray]:
    """Positions (ticks, 3) [m] of the target, and the chain's joint values (ticks, n), while `data`, a
    function of time, is sent at a rate [Hz].
    """
    places, angles = [], []
    for number in range(1, ticks + 1):
        sample = number * rate // CLOCK
        if sample > (number - 1) * rate // CLOCK:
            send(data(sample / rate))
        tick(number)
        places.append(tuple(chain.target.location))
        angles.append(tuple(live.session(chain.id_data, chain).values().values()))
    return np.array(places), np.array(angles)


@pytest.mark.parametrize("rate", [30, 25])
def test_a_chain_follows_a_target_that_comes_slower_than_the_clock_without_stairs(chain, rate: int):
    rig, settings, send = chain
    places, angles = followed(
        settings,
        send,
        180,
        rate,
        lambda time: packet("/limber/target/" + settings.name, place(time), -0.6, 0.5),
    )
    assert problem(rig) == ""
    assert np.abs(np.diff(places[60:, 0])).min() > 0.0, "no tick at a standstill"
    assert np.abs(np.diff(places[60:, 0], 2)).max() * CLOCK**2 < 1.5 * WIDTH * RATE**2
    turning = angles[60:, np.ptp(angles, axis=0).argmax()]
    assert np.abs(np.diff(turning)).min() > 0.0


@pytest.mark.every_blender
def test_one_coordinate_alone_is_sent_to_its_axis(chain):
    rig, settings, send = chain
    before = tuple(settings.target.location)
    send(packet(f"/limber/axis/{settings.name}/z", 0.9))
    assert problem(rig) == ""
    assert tuple(settings.target.location) == pytest.approx((*before[:2], 0.9))
    send(packet(f"/limber/axis/{settings.name}/w", 0.9))
    assert problem(rig) == f"'/limber/axis/{settings.name}/w' ends with no axis: end it with /x, /y or /z"


def test_axes_that_are_sent_together_move_the_target_along_each(chain):
    _, settings, send = chain
    places, _ = followed(
        settings,
        send,
        60,
        30,
        lambda time: bundle(
            packet(f"/limber/axis/{settings.name}/x", place(time)),
            packet(f"/limber/axis/{settings.name}/z", 0.5 + place(time)),
        ),
    )
    assert places[30:, 2] - places[30:, 0] == pytest.approx(0.5, abs=1e-5)
    assert np.abs(np.diff(places[30:, 0])).min() > 0.0


def test_influence_that_is_sent_slower_than_the_clock_changes_at_every_tick(chain):
    _, settings, send = chain
    values = []
    for number in range(1, 61):
        if number % 2 == 0:
            send(packet(f"/limber/influence/{settings.name}", 0.5 + place(number / CLOCK)))
        tick(number)
        values.append(settings.influence)
    assert np.abs(np.diff(values[10:])).min() > 0.0


@pytest.mark.every_blender
def test_a_rotation_is_followed_the_short_way_and_keeps_its_length(chain):
    _, settings, send = chain

    def data(time: float) -> bytes:
        sign = -1.0 if int(time * 30) % 2 else 1.0  # both signs are the same orientation
        return packet(f"/limber/rotation/{settings.name}", sign * cos(time), sign * sin(time), 0.0, 0.0)

    settings.target.rotation_mode = "QUATERNION"
    angles = []
    for number in range(1, 41):
        if number % 2 == 0:
            send(data(number / CLOCK))
        tick(number)
        turn = settings.target.rotation_quaternion
        assert turn.magnitude == pytest.approx(1.0, abs=1e-5)
        angles.append(degrees(turn.angle))
    assert np.diff(angles[20:]) == pytest.approx(degrees(2.0 / CLOCK), abs=0.02)


@pytest.mark.every_blender
def test_the_velocity_that_is_sent_with_a_target_counts(chain):
    rig, settings, send = chain
    for number in range(1, 43):
        if number % 2 == 0 and number <= 40:
            send(
                bundle(
                    packet(f"/limber/velocity/{settings.name}", 0.6, 0.0, 0.0),
                    packet(f"/limber/target/{settings.name}", 0.1, -0.6, 0.5),
                )
            )
        before = settings.target.location.x
        tick(number)
    assert settings.target.location.x - before == pytest.approx(0.6 / CLOCK, rel=0.02), (
        "it goes on with the velocity"
    )
    send(packet(f"/limber/velocity/{settings.name}", 0.6))
    assert problem(rig) == f"'/limber/velocity/{settings.name}' has 1 number, and 3 or 6 were expected"


def test_a_single_message_after_a_pause_counts_at_once(chain):
    _, settings, send = chain
    for number in range(1, 90):
        if number in (2, 4, 6, 8):
            send(packet(f"/limber/target/{settings.name}", 0.01 * number, -0.6, 0.5))
        tick(number)
    assert settings.target.location.x == pytest.approx(0.08)
    send(packet(f"/limber/target/{settings.name}", -0.4, -0.6, 0.5))
    assert settings.target.location.x == pytest.approx(-0.4)


def test_a_target_follows_the_times_that_a_sender_says_and_not_those_at_which_packets_come(chain):
    rig, settings, send = chain
    chance = np.random.default_rng(3)
    taken = np.cumsum(chance.uniform(0.7, 1.3, 200)) / 30
    ticks = np.ceil((taken + chance.uniform(0.0, 0.02, 200)) * CLOCK)
    places = []
    for number in range(1, 301):
        for time in taken[ticks == number]:
            target = packet("/limber/target/" + settings.name, place(time), -0.6, 0.5)
            send(bundle(target, time=3.9e9 + time))
        tick(number)
        places.append(settings.target.location.x)
    assert problem(rig) == ""
    assert np.abs(np.diff(places[180:])).min() > 0.0
    assert np.abs(np.diff(places[180:], 2)).max() * CLOCK**2 < 1.5 * WIDTH * RATE**2


def test_a_target_that_a_program_moves_is_a_person_who_is_lost_by_silence(chain):
    rig, settings, send = chain
    scene = bpy.context.scene
    data = packet("/limber/target/" + settings.name, 0.0, -1.5, 0.0)
    assert persons.of(scene) is None
    followed(settings, send, 60, 30, lambda time: data)
    base = live.session(rig, settings).record.ticked[1].base
    away = dist([row[3] for row in base[:3]], (0.0, -1.5, 0.0))
    assert persons.of(scene).senses.distance == pytest.approx(away)
    for number in range(61, 121):
        tick(number)
    assert persons.of(scene).senses.distance is None
