"""Tests the rules by which every host moves robots: one owner for each port, permission to arm, and disarming
when the mover ends.
"""

import re
from dataclasses import replace

import pytest
from limber.hardware.device import VIRTUAL_PORT
from limber.hardware.errors import DeviceError
from limber.hardware.protocols.interface import ProtocolError
from limber.hardware.protocols.program import read_program
from limber.hardware.protocols.program_consents import ProgramConsents
from limber.hardware.robot_session import HEARTBEAT, RobotSession, RobotSessions
from limber.hardware.safety import Fault, State
from limber.hardware.sentences import sentence
from limber.player.robots import HOST, ORDERS

from tests.hardware.simulation import make_device


class RecordedLink:
    """A link in a given state that records its commands."""

    def __init__(self, state: State) -> None:
        self.state, self.orders = state, []

    def status(self):
        return self

    def disarm(self, reason: str = "") -> None:
        self.orders.append(("disarm", reason))


def session(state: State) -> tuple[RecordedLink, RobotSession, RobotSessions]:
    sessions, link = RobotSessions(), RecordedLink(state)
    sessions.permits.allow("Lamp")
    return link, RobotSession(link, "Lamp", "Lamp", sessions.permits), sessions


def test_a_robot_is_disarmed_when_something_that_moved_it_ends():
    link, robot, sessions = session(State.ARMED)
    robot.note_movers(frozenset({"body", "gaze"}))
    robot.note_movers(frozenset({"body", "gaze", "life"}))
    assert link.orders == []
    robot.note_movers(frozenset({"gaze", "life"}))
    assert link.orders == [("disarm", "live motion has ended")]
    assert not sessions.permits.is_allowed("Lamp"), "and nobody else may arm it again"


@pytest.mark.parametrize("state", [State.SETUP, State.PARKING, State.LIMP])
def test_a_robot_that_moves_by_itself_goes_on(state: State):
    link, robot, _ = session(state)
    robot.note_movers(frozenset({"gaze"}))
    robot.note_movers(frozenset())
    assert link.orders == []


def test_a_port_has_one_owner_in_a_host(tmp_path):
    sessions = RobotSessions()
    device = replace(make_device(2), port=str(tmp_path / "port"))
    try:
        sessions.connect(1, "Lamp", device)
        with pytest.raises(DeviceError, match="moves 'Lamp' already"):
            sessions.connect(2, "Arm", device)
        sessions.connect(1, "Lamp", device)  # its owner may connect again
        sessions.connect(2, "Arm", replace(device, port=VIRTUAL_PORT))
        # any number of virtual robots is possible
        sessions.connect(3, "Leg", replace(device, port=VIRTUAL_PORT))
    finally:
        sessions.close_all()


def test_a_stop_ends_all_permits():
    sessions = RobotSessions()
    sessions.permits.allow("Lamp")
    assert sessions.stop_all() == 0
    assert not sessions.permits.is_allowed("Lamp")


def test_no_sentence_of_another_host_names_blender_or_a_button():
    for state in State:
        for fault in Fault:
            is_fault = state in (State.FAULT, State.WORKER_LOST)
            if is_fault == (fault is Fault.NONE):
                continue
            said = sentence(state, fault, "", make_device(2), host=HOST)
            assert "Blender" not in said, said
            assert not [button for button in ORDERS if re.search(f"(press|then|or) {button}", said)], said


def test_a_program_drives_a_robot_only_with_this_users_consent(tmp_path):
    path, marked = tmp_path / "robot.py", tmp_path / "it_ran"
    path.write_text(f"open({str(marked)!r}, 'w').close()\ndef frame(positions):\n    return b''\n")
    device = replace(make_device(2), protocol=f"file:{path}", port=str(tmp_path / "port"))
    consents = ProgramConsents(lambda: tmp_path / "allowed.json")
    for sessions in (RobotSessions(), RobotSessions(consents=consents)):
        with pytest.raises(ProtocolError, match="a program that you have not allowed"):
            sessions.connect(1, "Lamp", device)
    assert not marked.exists()
    assert consents.allow(str(path), consents.question(str(path)).digest) == ""
    assert consents.require(str(path)) == read_program(path).digest
    assert ProgramConsents(lambda: tmp_path / "allowed.json").question(str(path)) is None, (
        "after a restart, too"
    )
    path.write_text("print('changed')")
    with pytest.raises(ProtocolError, match="not allowed on this computer as it is now"):
        RobotSessions(consents=consents).connect(1, "Lamp", device)


def test_another_file_disarms_every_robot_and_ends_all_permits():
    sessions = RobotSessions()
    try:
        link = sessions.connect(1, "Lamp", replace(make_device(2), port=VIRTUAL_PORT)).link
        sessions.permits.allow(1)
        sessions.change_file()
        assert link.status().state is State.CLOSED
        assert not sessions.permits.is_allowed(1)
    finally:
        sessions.close_all()


def test_signs_of_life_are_apart_from_values():
    class Counted(RecordedLink):
        def send(self, *values: object) -> None:
            self.orders.append("values")

        def send_again(self) -> None:
            self.orders.append("alive")

    link = Counted(State.ARMED)
    robot = RobotSession(link, "Lamp", "Lamp", RobotSessions().permits)
    robot.send([0.0])
    robot.keep_alive()
    assert link.orders == ["values"], "values are a sign of life themselves"
    robot._sent_at -= HEARTBEAT
    robot.keep_alive()
    robot.keep_alive()
    assert link.orders == ["values", "alive"]
