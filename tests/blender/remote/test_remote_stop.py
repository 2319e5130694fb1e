"""Tests that other programs can always stop the robot, and arm it only with permission; floods of packets
neither block Blender nor fill memory.
"""

import socket

import bpy
import pytest
from limber.hardware.safety import Fault
from limber.inputs import newest_orders
from limber.inputs.inbox import BUDGET, WAITING
from limber.inputs.packets import Message
from limber.rig.robot import links, remote, sending

from tests.blender.osc_sender import Ticking, bundle, packet, padded, words
from tests.blender.remote.remote_control import problem
from tests.blender.robots import a_turn, a_while, connect, state, until
from tests.blender.shown import no_handler_raises  # noqa: F401


@pytest.mark.every_blender
def test_other_programs_arm_only_where_they_may_and_always_stop(rig, send):
    rig.limber.remote.allow_arm = True
    send(packet("/limber/arm", 1.0))
    assert "is not connected: press Connect" in problem(rig)
    rig.limber.remote.allow_arm = False
    connect(rig)
    send(packet("/limber/arm", 1.0))
    assert "tick Allow Arming" in problem(rig)
    assert state(rig) == "DISARMED"
    rig.limber.remote.allow_arm = True
    send(packet("/limber/arm", 0.0))
    assert state(rig) == "DISARMED", "a button that is let go arms nothing"
    send(packet("/limber/arm", 1.0))
    until(lambda: state(rig) == "ARMED", "the robot is armed")
    rig.limber.remote.allow_arm = False
    send(packet("/limber/stop", 0.0))
    until(lambda: state(rig) == "FAULT", "the robot has stopped")
    rig.limber.remote.allow_arm = True
    send(packet("/limber/arm", 1.0))
    assert "asks to arm the robot. " in problem(rig)
    assert state(rig) == "FAULT"


@pytest.mark.parametrize(
    "said",
    [
        packet("/limber/stop", float("nan")),
        padded("/limber/stop"),
        padded("/limber/stop") + padded(",I"),
        padded("/limber/stop") + padded(",s") + padded("now"),
        padded("/limber/stop") + padded(",f"),
        bundle(b"\xff\xff\xff\xff", packet("/limber/stop", 1.0)),
    ],
)
def test_a_stop_is_obeyed_whatever_comes_along(rig, send, monkeypatch, said: bytes):
    asked = []
    monkeypatch.setattr(links, "stop_all", lambda: asked.append(True))
    send(said)
    assert asked == [True]


def test_a_stop_wins_over_what_arms_in_the_same_moment(rig, send, monkeypatch):
    rig.limber.remote.allow_arm = True
    connect(rig)
    asked = []
    monkeypatch.setattr(links.link(rig), "arm", lambda: asked.append(True))
    send(bundle(packet("/limber/stop"), packet("/limber/arm", 1.0)))
    until(lambda: state(rig) == "FAULT", "the robot has stopped")
    assert asked == []


def test_the_flood_of_a_sender_does_not_fill_the_memory(rig, send, monkeypatch):
    heard = remote.heard(rig)
    monkeypatch.setattr(newest_orders, "MOST_PENDING", 3)
    for number in range(9):
        heard.take(Message(f"/limber/{number}", ()))
    assert len(heard.newest) == 3


def test_a_stop_of_another_program_stops_nothing(rig, send):
    send(
        bundle(
            packet("/other/stop"),
            words("/other/words", "/limber/stop"),
            packet("/limber/influence/head", 0.5),
        )
    )
    assert rig.limber.chains[0].influence == 0.5
    assert not remote.heard(rig).is_alarmed


@pytest.fixture
def slow(rig, send):
    """The listener, with a clock by which a reading processes only a few messages, and a function that sends
    to it.
    """
    heard = remote.heard(rig)
    heard.clock = Ticking(BUDGET / 20)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        yield heard, lambda data: sender.sendto(data, ("127.0.0.1", rig.limber.remote.port))


def test_a_stop_is_obeyed_before_what_came_before_it_is_read_and_no_arm_outlives_it(rig, slow, monkeypatch):
    stopped, armed = [], []
    monkeypatch.setattr(links, "stop_all", lambda: stopped.append(True))
    monkeypatch.setattr(remote, "_arm", lambda *_: armed.append(True))
    heard, put = slow
    heard.clock.step = BUDGET / 1e4
    flood = bundle(*(packet(f"/limber/influence/{k}", 1.0) for k in range(500)))
    for _ in range(5):
        put(flood)
    put(packet("/limber/arm", 1.0))
    put(flood)
    put(bundle(bundle(packet("/limber/influence/head", 0.5), packet("/limber/stop"))))
    heard.clock.step = BUDGET / 30  # enough time for the packets, but hardly for their messages
    assert remote.look()
    assert stopped == [True]
    while heard.newest:
        remote.look()
    assert stopped == [True], "once"
    assert armed == []


@pytest.mark.every_blender
def test_a_look_is_short_whatever_comes_and_the_newest_of_each_address_is_obeyed(rig, slow):
    heard, put = slow
    chain = rig.limber.chains[0]
    for value in range(200):
        put(
            bundle(
                *(packet(f"/limber/influence/{k}", 1.0) for k in range(30)),
                packet("/limber/influence/head", value / 256),
            )
        )
    looks = 0
    while chain.influence != 199 / 256:
        begun = heard.clock.time
        remote.look()
        assert heard.clock.time - begun <= 1.3 * BUDGET
        looks += 1
        assert looks < 200
    for _ in range(50):
        remote.look()
        assert chain.influence == 199 / 256, "what is older never comes after what is newer"


def test_a_stop_reaches_the_robot_while_blender_is_busy_and_looks_at_nothing(rig, send):
    connect(rig)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(packet("/limber/stop"), ("127.0.0.1", rig.limber.remote.port))
    until(lambda: state(rig) == "FAULT", "the robot has stopped")
    assert links.status(rig).fault is Fault.STOPPED


def test_a_flood_fills_neither_socket_nor_memory_while_blender_is_busy_so_that_a_stop_behind_it_is_heard(
    rig, slow
):
    heard, put = slow
    for _ in range(40):  # in parts that fit into any socket's buffer
        until_number = heard.received + 100
        for number in range(100):
            put(packet(f"/limber/influence/{number}", 1.0) + bytes(400))
        until(lambda number=until_number: heard.received >= number, "the flood is received")
        assert heard._size <= WAITING
    put(packet("/limber/stop"))
    until(lambda: heard._is_alarmed, "the stop is heard")


def held(rig, send, seconds: float) -> set[str]:
    """Simulates a button that is held, which programs repeat; returns the states of the robot meanwhile."""
    states = set()
    for _ in a_while(seconds):
        send(packet("/limber/arm", 1.0))
        states.add(state(rig))
    return states


def test_a_held_button_arms_once_and_disarm_takes_the_permission(rig, send):
    rig.limber.remote.allow_arm = True
    connect(rig)
    send(packet("/limber/arm", 1.0))
    until(lambda: state(rig) == "ARMED", "the robot is armed")
    held(rig, send, 0.2)
    bpy.ops.limber.disarm()
    assert rig.limber.remote.allow_arm is False
    until(lambda: state(rig) == "DISARMED", "the robot is disarmed")
    rig.limber.remote.allow_arm = True
    assert held(rig, send, 0.5) == {"DISARMED"}
    assert "repeats its order to arm the robot: send 0, or nothing for a second" in problem(rig)
    send(packet("/limber/arm", 0.0))
    send(packet("/limber/arm", 1.0))
    until(lambda: state(rig) == "ARMED", "a new press arms")


def test_a_second_of_silence_makes_the_next_order_a_new_press_and_a_busy_blender_does_not(
    rig, send, monkeypatch
):
    now = [100.0]
    monkeypatch.setattr(newest_orders, "monotonic", lambda: now[0])
    armed = []
    monkeypatch.setattr(remote, "_arm", lambda _rig, is_new: armed.append(is_new))
    for gap, looks in ((0.0, 1), (0.02, 1), (0.02, 30), (2.0, 1), (2.0, 2), (0.05, 30)):
        for _ in range(looks - 1):
            now[0] += gap
            remote.look()
        now[0] += gap
        send(packet("/limber/arm", 1.0))
    assert armed == [True, False, False, False, False, True]


@pytest.mark.every_blender
def test_a_button_that_was_pressed_before_a_stop_is_no_new_press_after_it(rig, send):
    rig.limber.remote.allow_arm = True
    connect(rig)
    send(bundle(packet("/limber/arm", 1.0), packet("/limber/stop")))
    until(lambda: state(rig) == "FAULT", "the robot has stopped")
    bpy.ops.limber.clear_fault()
    until(lambda: state(rig) == "DISARMED", "the fault is cleared")
    rig.limber.remote.allow_arm = True
    assert held(rig, send, 0.3) == {"DISARMED"}


def test_a_button_that_was_pressed_unseen_before_a_stop_is_no_new_press_after_it(rig, send):
    rig.limber.remote.allow_arm = True
    connect(rig)
    heard = remote.heard(rig)
    send(packet("/limber/arm", 0.0))
    with heard._lock, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for order in (packet("/limber/arm", 1.0), packet("/limber/stop")):
            sender.sendto(order, ("127.0.0.1", rig.limber.remote.port))
    until(lambda: heard._is_alarmed, "the stop is heard")
    remote.look()
    until(lambda: state(rig) == "FAULT", "the robot has stopped")
    bpy.ops.limber.clear_fault()
    until(lambda: state(rig) == "DISARMED", "the fault is cleared")
    rig.limber.remote.allow_arm = True
    assert held(rig, send, 0.3) == {"DISARMED"}
    send(packet("/limber/arm", 0.0))
    send(packet("/limber/arm", 1.0))
    until(lambda: state(rig) == "ARMED", "a new press arms")


def test_stop_takes_every_permission_to_arm(rig, send):
    rig.limber.remote.allow_arm = True
    connect(rig)
    send(packet("/limber/stop"))
    assert rig.limber.remote.allow_arm is False
    until(lambda: state(rig) == "FAULT", "the robot has stopped")
    rig.limber.remote.allow_arm = True
    bpy.ops.limber.stop()
    assert rig.limber.remote.allow_arm is False
    a_turn(rig)  # commands sent together with Stop are void
    bpy.ops.limber.clear_fault()
    until(lambda: state(rig) == "DISARMED", "the fault is cleared")
    assert held(rig, send, 0.3) == {"DISARMED"}


def test_the_end_of_live_motion_takes_the_permission_to_arm(rig, send):
    bpy.ops.limber.live()
    connect(rig)
    rig.limber.remote.allow_arm = True
    bpy.ops.limber.end_live()
    sending.heartbeat()
    assert rig.limber.remote.allow_arm is False


def test_no_file_and_no_undo_brings_the_permission_to_arm(rig, undo_step, tmp_path):
    rig.limber.remote.allow_arm = True
    undo_step("before Stop")
    bpy.ops.limber.stop()
    undo_step("after Stop")
    bpy.ops.ed.undo()
    rig = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    assert bpy.data.objects[rig.name].limber.remote.allow_arm is False
    bpy.data.objects[rig.name].limber.remote.allow_arm = True
    path = str(tmp_path / "allowed.blend")
    name = rig.name
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects[name].limber.remote.allow_arm is False
