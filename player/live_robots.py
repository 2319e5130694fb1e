"""The robots of a character that plays in real time. A robot moves only after a person's command, or once at
the start of this computer if the installer has permitted it (`arm_at_start`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..character.file.contents import CharacterFile
from ..files.reasons import reason
from ..hardware.errors import HardwareError
from ..hardware.robot_session import ARMING, HEARTBEAT, LOST, RobotSession, RobotSessions, possible_orders
from ..hardware.safety import DRIVEN, State
from ..hardware.sentences import HostWords, pose_texts
from ..hardware.status import Status
from ..motion import Kinematic
from .arm_at_start import Permission, permission_path
from .errors import PlayerError
from .performance import Performance
from .robots import (
    AWAY,
    FollowedValues,
    calibration_beside,
    check_origin,
    device_of,
    per_unit,
)

RETRY_AFTER = 2.0  # [s] time between two attempts to reach a robot that is away
END_WITHIN = 6.0  # [s] time within which robots come to rest at the end
# states in which a command to arm waits until the robot is connected
BEFORE_ARMING = {State.CLOSED, State.CONNECTING, State.DISARMED}
PERSON, INSTALLER = "person", "installer"
MAY_HOLD = "one that was lost while it was armed may keep its torque until its power is switched off"


@dataclass
class LiveRobot:
    """A robot that follows the performance."""

    name: str
    session: RobotSession
    values: FollowedValues
    # who commanded to arm the robot once it is connected: a person or the installer; "" for nobody
    ordered_by: str = ""
    retry_at: float = 0.0  # [s] time of the next attempt to connect
    said: str = ""  # last reported sentence
    is_retrying: bool = False  # whether the robot is away and Limber tries to reconnect it; reported once
    # values that are sent while a person moves the robot to their pose; None: the robot follows the character
    shown: list[Kinematic] | None = None

    def tick(
        self, performance: Performance, status: Status, dt: float, due: float, say: Callable[[str], None]
    ) -> None:
        """Sends the robot its values, reports changes of its state, and arms or reconnects it if that is due.

        Args:
            performance: The performance, after its tick.
            status: Status of the robot.
            dt, due: Time [s] since the last tick, and until the next.
            say: Prints a line.
        """
        link = self.session.link
        self.session.note_movers(frozenset({"play"}))
        values = self._followed(performance, status, dt, say)
        self.session.send(per_unit(values, link.unit(due)), plays=True, due=due)
        self.is_retrying = is_away(status) or (self.is_retrying and status.state is State.CONNECTING)
        if status.sentence != self.said and not (self.is_retrying and status.state is State.CONNECTING):
            self.said = status.sentence
            say(f"Robot of '{self.name}': {status.sentence}")
        self._arm_or_reconnect(status, say)

    def _followed(
        self, performance: Performance, status: Status, dt: float, say: Callable[[str], None]
    ) -> list[Kinematic]:
        """Values to send to the robot: those of the character or, while a person moves the robot to a pose,
        that pose, which is reported once.
        """
        values = self.values.at(performance, dt)
        if status.state is not State.CONFIRM_POSE:
            self.shown = None
            return values
        if self.shown is None:
            self.shown = [Kinematic(value.position) for value in values]
            say(f"Robot of '{self.name}': the pose is {', '.join(self._pose)}")
        return self.shown

    def _arm_or_reconnect(self, status: Status, say: Callable[[str], None]) -> None:
        """Arms a connected robot if that was requested (by the installer: only one that needs no confirmation
        of its pose), and reconnects one that was away, which then stays disarmed.
        """
        if status.state not in BEFORE_ARMING:
            self.ordered_by = ""
        if self.ordered_by and status.state is State.DISARMED:
            if self.ordered_by == INSTALLER and status.needs_confirmation:
                say(f"Robot of '{self.name}' does not measure where it is, so a person confirms its pose")
            else:
                self.session.link.arm()
            self.ordered_by = ""
        if is_away(status) and (time_now := time.monotonic()) >= self.retry_at:
            self.retry_at = time_now + RETRY_AFTER
            self.session.link.reconnect()

    def order(self, word: str) -> None:
        """Executes a person's command, which also withdraws an earlier request to arm that still waits.
        Raises PlayerError if it is impossible now.
        """
        status = self.session.link.read_status()
        if word != "arm":
            self.ordered_by = ""  # any other word withdraws an arming that waits, even if it is refused
        if why := _refusal(word, status):
            raise PlayerError(f"Robot of '{self.name}': {why}")
        self.ordered_by = ""
        self.session.order(word)

    @property
    def _pose(self) -> list[str]:
        """The pose to which a person must move the robot, joint by joint; empty if the robot follows the
        character.
        """
        positions = [value.position for value in self.shown or ()]
        return pose_texts(self.session.link.device.joints, positions) if positions else []

    def plain(self) -> dict[str, Any]:
        """State of the robot for the page."""
        status = self.session.link.read_status()
        return {
            "name": self.name,
            "sentence": status.sentence,
            "is_moving": status.moving,
            "is_lost": status.state in LOST,
            "warnings": list(status.warnings),
            "orders": possible_orders(status),
            "pose": self._pose,
        }


def _refusal(word: str, status: Status) -> str:
    """Why a robot cannot execute a command now; "" if it can."""
    match word:
        case "connect" if status.state not in (State.CLOSED, State.DISARMED) and not is_away(status):
            return _not_disarmed(word, status)
        case "release" if status.state not in (State.DISARMED, State.LIMP):
            return _not_disarmed(word, status)
        case "confirm" if status.state is not State.CONFIRM_POSE:
            return "type arm first, which says the pose to confirm"
        case "arm" if status.state in (*LOST, State.CLOSED, State.CONNECTING):
            return status.sentence
    return ""


def _not_disarmed(word: str, status: Status) -> str:
    """What a person must do first, if a command needs a disarmed robot and this one is not disarmed."""
    if status.state is State.CONNECTING or is_away(status):
        return f"wait until it is connected, then type {word}"
    first = {State.CLOSED: "connect", **dict.fromkeys(LOST, "clear")}.get(status.state, "disarm")
    return f"type {first} first, then {word}"


def is_away(status: Status) -> bool:
    """Whether a robot is absent but may return."""
    return status.state is State.FAULT and status.fault in AWAY


class LiveRobots:
    """All robots of a character.

    Args:
        character, path: The character, and the path of its file.
        port: Port of the character's robot; "": the port in the file.
        is_ordered: Whether a person has requested at the start to arm them.
        permission: The installer's permission to arm them at the start of this computer; None if there is
            none.
        host: Words that stand for the player in sentences to users.
        say: Prints a line.

    Raises:
        PlayerError: A robot of the file cannot be used.
    """

    def __init__(
        self,
        character: CharacterFile,
        path: Path,
        port: str,
        is_ordered: bool,
        permission: Permission | None,
        host: HostWords,
        say: Callable[[str], None],
    ) -> None:
        self.sessions = RobotSessions()
        self.robots: list[LiveRobot] = []
        entries = character.robots
        self._say, self._permission, self._is_faulty = say, permission, False
        if port and len(entries) != 1:
            raise PlayerError(f"--port is for one robot, and the file has {len(entries)}: leave it out")
        # all devices are read and checked before the first port is opened
        devices = [(entry, device_of(entry, path, port)) for entry in entries]
        beside = calibration_beside(path)
        for entry, device in devices:
            check_origin(entry, device, path, port, len(entries))
            origin = f", calibrated by {beside.name}" if beside.exists() else ""
            say(f"Robot of '{entry.name}': {device.protocol} on {device.port}{origin}")
        try:
            for entry, device in devices:
                session = self.sessions.connect(entry.name, entry.name, device, host=host)
                values = FollowedValues(entry, character)
                self.robots.append(LiveRobot(entry.name, session, values, PERSON if is_ordered else ""))
        except HardwareError as error:
            # robots that are connected already would otherwise keep their ports
            self.sessions.close_all()
            raise PlayerError(str(error)) from error
        if permission is not None and self.robots:
            self._arm_at_start(permission, host)

    def _arm_at_start(self, permission: Permission, host: HostWords) -> None:
        """Requests to arm the robots once they are connected, if the installer's permission is not used
        up.
        """
        if why := permission.claim():
            self._say(f"Not armed at the start: {why}")
            return
        self._say(f"Armed once it is connected: {permission_path()} says so; {host.stop}")
        for robot in self.robots:
            robot.ordered_by = INSTALLER

    def _note_faults(self, is_faulty: bool) -> None:
        """Stores for the next start of this computer that a fault has begun, before it is reported; nothing
        without a permission to arm at the start.
        """
        was_faulty, self._is_faulty = self._is_faulty, is_faulty
        if self._permission is None or not is_faulty or was_faulty:
            return
        try:
            self._permission.note_fault()
        except OSError as error:
            self._say(f"This fault will not be known at the next start: {error.filename}: {reason(error)}")

    def tick(self, performance: Performance, dt: float, due: float) -> None:
        """Sends each robot its values, `dt` [s] after the last tick and `due` [s] before the next."""
        statuses = [robot.session.link.read_status() for robot in self.robots]
        self._note_faults(any(status.state in LOST for status in statuses))
        for robot, status in zip(self.robots, statuses, strict=True):
            robot.tick(performance, status, dt, due, self._say)

    def keep_alive(self) -> None:
        """Sends heartbeats between two ticks."""
        for robot in self.robots:
            robot.session.keep_alive()

    def order(self, word: str, name: str) -> None:
        """Executes a person's command for the robot of this name; "": for all. Clearing all robots, or arming
        while none has a fault, also clears the stored faults.

        Raises:
            PlayerError: No robot has that name, or the command cannot be executed now.
        """
        robots = self._addressed(word, name)
        is_lost = any(robot.session.link.read_status().state in LOST for robot in self.robots)
        for robot in robots:
            robot.order(word)
        if (word == "clear" and len(robots) == len(self.robots)) or (word in ARMING and not is_lost):
            self._forget_faults()

    def _addressed(self, word: str, name: str) -> list[LiveRobot]:
        """The robots that a command is for, by the name in it; "": all. Raises PlayerError if no robot has
        that name, or if several would be confirmed at once.
        """
        robots = [robot for robot in self.robots if name in ("", robot.name)]
        names = ", ".join(f"'{robot.name}'" for robot in self.robots) or "none"
        if name and not robots:
            raise PlayerError(f"there is no robot '{name}': there is {names}")
        if word == "confirm" and len(robots) > 1:
            raise PlayerError(f"each robot is confirmed by itself: type confirm and its name, of {names}")
        return robots

    def _forget_faults(self) -> None:
        """Clears earlier stored faults, since a person is present; a persisting fault is stored again."""
        if self._permission is None:
            return
        self._is_faulty = False
        try:
            self._permission.note_person()
        except OSError as error:
            self._say(f"The fault stays noted for the next start: {error.filename}: {reason(error)}")

    @property
    def summary(self) -> str:
        return "; ".join(f"'{robot.name}': {robot.said}" for robot in self.robots) or "no robot"

    def finish(self) -> None:
        """Lets robots come to rest, for END_WITHIN at most, disarms them, and closes their ports; reports how
        they ended.
        """
        for robot in self.robots:
            robot.session.note_movers(frozenset())
        until = time.monotonic() + END_WITHIN
        while time.monotonic() < until and self._moving():
            time.sleep(HEARTBEAT)
        moving = self._moving()
        statuses = [robot.session.link.read_status() for robot in self.robots]
        self._note_faults(any(status.state in LOST for status in statuses))
        away = [
            robot.name for robot, status in zip(self.robots, statuses, strict=True) if not status.is_reached
        ]
        self.sessions.close_all()
        if moving:
            self._say(
                f"Ended: {', '.join(moving)} did not come to rest within {END_WITHIN:g} s, and is disarmed"
            )
        if away:
            self._say(f"Ended without a connection to {', '.join(away)}: {MAY_HOLD}")
        if self.robots and not moving and not away:
            self._say("Ended: robots are at rest and disarmed")

    def _moving(self) -> list[str]:
        return [robot.name for robot in self.robots if robot.session.link.status().state in DRIVEN]
