"""Tests the sentences for users: every state and every fault is a complete sentence that says what to do."""

import threading
from dataclasses import replace

import pytest
from limber.hardware import ports
from limber.hardware.checklists import CHECKS
from limber.hardware.device import VIRTUAL_HOBBY_PORT, VIRTUAL_PORT
from limber.hardware.safety import JUMPED, NO_POSE, UNREACHED, Fault, State
from limber.hardware.sentences import BLENDER, sentence
from limber.player.robots import HOST

from tests.hardware.patience import wait_until
from tests.hardware.simulation import make_device

REMEDIES = ("press", "wait", "ready", "follows", "connect again", "install")
DEVICE = make_device(port="/dev/ttyUSB0")


@pytest.mark.parametrize("state", [state for state in State if state not in (State.FAULT, State.WORKER_LOST)])
def test_every_state_says_what_it_is_and_what_to_do(state):
    text = sentence(state, Fault.NONE, "", DEVICE)
    assert any(remedy in text for remedy in REMEDIES)
    assert "{" not in text


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.NONE])
def test_every_fault_says_what_to_do(fault):
    for detail in ("", "what was found"):
        text = sentence(State.FAULT, fault, detail, DEVICE)
        assert any(remedy in text for remedy in REMEDIES)
        assert "{" not in text


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.NONE])
def test_of_a_robot_that_is_not_reached_every_fault_says_so(fault):
    reached, unreached = (
        sentence(State.FAULT, fault, "", DEVICE, is_reached=is_reached) for is_reached in (True, False)
    )
    assert unreached.endswith(reached)
    assert (unreached == reached) is (fault in UNREACHED)


def test_every_fault_has_a_list_of_what_to_check():
    assert CHECKS.keys() == set(Fault) - {Fault.NONE}


@pytest.mark.parametrize("fault", [Fault.WRONG_MODE, Fault.POSITION_DOUBTFUL, Fault.WENT_ON])
def test_what_the_maker_s_tool_mends_begins_with_disconnect_since_limber_keeps_the_port(fault):
    text = sentence(State.FAULT, fault, "", DEVICE)
    assert "maker's tool" in text
    assert text.index("disconnect") < text.index("maker's tool")


@pytest.mark.parametrize(
    "fault",
    [
        Fault.PORT_MISSING,
        Fault.PORT_BUSY,
        Fault.PORT_FORBIDDEN,
        Fault.PORT_UNUSABLE,
        Fault.UNPLUGGED,
        Fault.SILENT,
    ],
)
def test_what_is_wrong_with_a_port_names_the_port(fault):
    assert "/dev/ttyUSB0" in sentence(State.FAULT, fault, "", DEVICE)


@pytest.mark.parametrize("fault", [Fault.WORKER_DIED, Fault.WORKER_HUNG])
@pytest.mark.parametrize(
    ("protocol", "words", "stops"),
    [
        ("limber", "the robot stops itself: press Clear Fault", True),
        ("dynamixel", "the robot stops itself: press Clear Fault", True),
        (
            "feetech_sts",
            "no watchdog, so each goes to its last goal and holds it with torque: switch off their power",
            False,
        ),
        ("feetech_scs", "no watchdog", False),
        ("servo_animation", "no watchdog", False),
        ("maestro", "its maker's decision: switch off its power", False),
        ("file:/nowhere/robot.py", "its maker's decision: switch off its power", False),
    ],
)
def test_that_a_robot_stops_itself_is_said_of_those_that_do(fault, protocol, words, stops):
    text = sentence(State.WORKER_LOST, fault, "", replace(DEVICE, protocol=protocol))
    assert words in text
    assert ("the robot stops itself:" in text) is stops


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.NONE])
def test_the_player_names_itself_and_what_is_typed(fault, network):
    robot = replace(DEVICE, protocol="reachy_mini", port="reachy-mini.local:8000") if network else DEVICE
    text = sentence(State.FAULT, fault, "", robot, host=HOST)
    assert "Blender" not in text
    assert "press" not in text
    assert "{" not in text
    assert ("Limber connects again by itself" in text) is (fault in HOST.retried)


def test_words_of_a_detail_stay_as_they_are_for_every_host():
    detail = "Blender.log says: press Arm, then press Clear Fault"
    assert detail in sentence(State.FAULT, Fault.DEVICE_REFUSED, detail, DEVICE, host=HOST)


@pytest.mark.parametrize(("host", "name"), [(BLENDER, "Blender"), (HOST, "Limber")])
def test_a_pose_that_is_not_shown_is_missed_from_the_host(host, name):
    text = sentence(State.CONFIRM_POSE, Fault.NONE, NO_POSE, DEVICE, host=host)
    assert text.endswith(
        f"({name} has shown no new pose for a second: wait until it is no longer busy, then give the order again)"
    )


def test_braces_in_a_detail_are_only_text():
    assert "{0}" in sentence(State.FAULT, Fault.PORT_UNUSABLE, "{0}", DEVICE)
    assert "{port}" in sentence(State.HOLDING, Fault.NONE, "the angle of '{port}' is not a number", DEVICE)


@pytest.mark.parametrize("state", [State.HOLDING, State.ARMING])
def test_a_leap_of_the_pose_is_told_with_what_the_robot_does(state):
    text = sentence(state, Fault.NONE, JUMPED, DEVICE)
    assert text.startswith("The pose in Blender jumped: the robot goes there slowly")


def test_the_virtual_robot_is_called_by_its_name():
    assert "the virtual robot" in sentence(State.CONNECTING, Fault.NONE, "", make_device(port=VIRTUAL_PORT))


def test_the_list_of_ports_begins_with_the_virtual_robots():
    assert [port.name for port in ports.list_ports()][:2] == [VIRTUAL_PORT, VIRTUAL_HOBBY_PORT]


def test_a_listing_does_not_wait_for_a_system_that_takes_its_time(monkeypatch):
    goes_on = threading.Event()
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: goes_on.wait(30.0) and [])
    listing = ports.Listing()
    assert listing.ports is None
    goes_on.set()
    wait_until(lambda: listing.ports is not None)
    assert len(listing.ports) == 2


def test_a_system_that_lists_no_ports_leaves_the_virtual_robots(monkeypatch):
    def broken():
        raise OSError("no such bus")

    monkeypatch.setattr("serial.tools.list_ports.comports", broken)
    assert len(ports.list_ports()) == 2
