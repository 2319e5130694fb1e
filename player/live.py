"""Plays a character in real time, with its robots. A robot moves after a person's order alone."""

import queue
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..character.file.contents import CharacterFile
from ..files.reasons import reason
from ..hardware.errors import HardwareError
from ..hardware.robot_session import HEARTBEAT, RobotSession, RobotSessions
from ..hardware.safety import DRIVEN, Fault, State
from ..hardware.status import Status
from ..motion import Kinematic
from .errors import PlayerError
from .osc import PlayerInbox
from .pacing import Pacing
from .performance import Performance
from .robots import HOST, FollowedValues, calibration_beside, check_origin, device_of, per_unit
from .scene import MoverEntry

RETRY_AFTER = 2.0  # [s] between two attempts to reach a robot that is away
END_WITHIN = 6.0  # [s] for robots to come to rest at the end
# of a robot that is not there: it may come back, and stays disarmed then
AWAY = {Fault.PORT_MISSING, Fault.PORT_BUSY, Fault.PORT_UNUSABLE, Fault.UNPLUGGED, Fault.SILENT}
ARMING = ("arm", "confirm")  # orders after which a robot may move
STOP = "stop"  # the order that is done at once
# in which an order to arm waits for the robot to be connected
BEFORE_ARMING = {State.CLOSED, State.CONNECTING, State.DISARMED}
NOBODY = "A robot is armed by a person at a terminal alone: start limber play in one, and type arm"


@dataclass(frozen=True)
class LiveOptions:
    """How a character is played.

    Attributes:
        rate: Ticks a second.
        seconds: How long it plays [s]; None: until it is ended.
        port: Port of its robot, in place of that in the file; "": that one.
        without_robot: Whether no robot is connected.
        is_attended: Whether a person types the orders: nobody else may arm.
        arm: Whether that person has ordered, at the start, to arm the robots once they are connected.
        has_status: Whether a line a second says what it does.
        seed: Seed of the behaviour's random draws.
        osc, osc_host: UDP port and address on which OSC is heard; None: it is not.
    """

    rate: float = 60.0
    seconds: float | None = None
    port: str = ""
    without_robot: bool = False
    is_attended: bool = False
    arm: bool = False
    has_status: bool = False
    seed: int = 0
    osc: int | None = None
    osc_host: str = "127.0.0.1"


@dataclass
class LiveRobot:
    """A robot that follows the performance."""

    name: str
    session: RobotSession
    values: FollowedValues
    is_ordered: bool = False  # whether it is to be armed as soon as it is connected: a person's order, once
    retry_at: float = 0.0  # [s]
    said: str = ""  # its last sentence
    # values that it keeps while a person brings it to their pose; None: it follows
    shown: list[Kinematic] | None = None


class LivePlay:
    """A character that plays in real time.

    Args:
        character, path: The character, and the path of its file.
        options: How it is played.
        say: Prints a line.

    Raises:
        PlayerError: A robot of the file cannot be used.
    """

    def __init__(
        self, character: CharacterFile, path: Path, options: LiveOptions, say: Callable[[str], None]
    ) -> None:
        self._options, self._say = options, say
        self._performance = Performance(character, (), options.seed)
        self._rate = character.rate
        self._sessions = RobotSessions()
        self._is_ended = False  # no lock: signal handlers set it, between any two steps of this thread
        self._orders: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()  # with the stops before each
        self._stops = 0  # number of typed stops
        self._events: list[str] = []
        self._problems: dict[str, str] = {}  # of movers, as they were said last
        entries = () if options.without_robot else character.robots
        if options.port and len(entries) != 1:
            raise PlayerError(f"--port is for one robot, and the file has {len(entries)}: leave it out")
        devices = [(entry, device_of(entry, path, options.port)) for entry in entries]
        for entry, device in devices:
            check_origin(entry, device, path, options.port, len(entries))
            said = (
                f", calibrated by {calibration_beside(path).name}"
                if calibration_beside(path).exists()
                else ""
            )
            say(f"Robot of '{entry.name}': {device.protocol} on {device.port}{said}")
        self._robots: list[LiveRobot] = []
        self._inbox: PlayerInbox | None = None
        if options.osc is not None:
            try:
                self._inbox = PlayerInbox(options.osc_host, options.osc, self._sessions.stop_all)
            except OSError as error:
                raise PlayerError(f"OSC cannot be heard on port {options.osc}: {reason(error)}") from error
        try:
            for entry, device in devices:
                session = self._sessions.connect(entry.name, entry.name, device, host=HOST)
                values = FollowedValues(entry, character)
                self._robots.append(LiveRobot(entry.name, session, values, options.arm))
        except HardwareError as error:
            self._sessions.close_all()
            self._close_inbox()
            raise PlayerError(str(error)) from error

    def _close_inbox(self) -> None:
        if self._inbox is not None:
            self._inbox.close()

    def order(self, line: str) -> None:
        """Takes a line that a person has typed, from any thread. A stop is done at once, and orders that were
        typed before it and wait are dropped.
        """
        if line.strip().casefold() == STOP:
            self._stops += 1
            self._sessions.stop_all()
        else:
            self._orders.put((self._stops, line.strip()))

    def end(self) -> None:
        """Ends the performance, from any thread: robots come to rest, and are disarmed."""
        self._is_ended = True

    def run(self) -> None:
        """Plays until it is ended.

        Raises:
            PlayerError: The character cannot play.
        """
        began = time.monotonic()
        pacing, seconds, said_at = Pacing(self._options.rate, began), 0.0, began
        is_first, dt = True, 0.0
        try:
            while not self._is_ended and (self._options.seconds is None or seconds <= self._options.seconds):
                tick_began = time.monotonic()
                self._tick(seconds, dt, 1.0 / pacing.rate)
                if is_first:
                    self._check_first()
                    is_first = False
                now = time.monotonic()
                if pacing.ticked(tick_began, now):
                    self._say(f"This computer is too slow: {pacing.rate:.0f} ticks a second from now on")
                if self._options.has_status and now - said_at >= 1.0:
                    said_at += 1.0
                    self._say(self._line(seconds, pacing))
                self._wait(pacing.due)
                before, seconds = seconds, time.monotonic() - began
                dt = seconds - before
        finally:
            self._finish()

    def _tick(self, seconds: float, dt: float, due: float) -> None:
        """Moves the character and its robots on by `dt` [s]; the next tick is `due` [s] later."""
        self._obey()
        events, self._events = self._events, []
        frame, targets = seconds / self._rate.seconds_a_frame, {}
        if self._inbox is not None:
            told, troubles = self._inbox.told(self._performance)
            events += told
            for trouble in troubles:
                self._say(trouble)
            targets = self._inbox.targets(self._performance, frame)
        self._performance.advance(frame, dt, targets, events)
        self._performance.forget_decisions()
        self._say_problems()
        for robot in self._robots:
            link, status = robot.session.link, robot.session.link.read_status()
            robot.session.note_movers(frozenset({"play"}))
            values = self._followed(robot, status, dt)
            link.send(per_unit(values, link.unit(due)), plays=True, due=due)
            self._look(robot, status)

    def _followed(self, robot: LiveRobot, status: Status, dt: float) -> list[Kinematic]:
        """Values that a robot is sent: those of the character, but while a person brings the robot to a pose
        that pose, which is said once.
        """
        values = robot.values.at(self._performance, dt)
        if status.state is not State.CONFIRM_POSE:
            robot.shown = None
            return values
        if robot.shown is None:
            robot.shown = [Kinematic(value.position) for value in values]
            pose = ", ".join(robot.values.texts(robot.shown))
            self._say(f"Robot of '{robot.name}': the pose is {pose}")
        return robot.shown

    def _say_problems(self) -> None:
        """Says of each mover why it does not follow its goals, when that changes."""
        character = self._performance.character
        movers: list[MoverEntry] = [*character.chains, *character.mechanisms, *character.bodies]
        for mover in movers:
            problem = self._performance.problem(mover)
            if problem != self._problems.get(mover.name, ""):
                self._problems[mover.name] = problem
                self._say(problem or f"'{mover.name}' follows again")

    def _check_first(self) -> None:
        """Raises PlayerError if a mover could not be solved in the first tick."""
        character = self._performance.character
        movers: list[MoverEntry] = [*character.chains, *character.mechanisms, *character.bodies]
        for mover in movers:
            if problem := self._performance.problem(mover):
                raise PlayerError(problem)

    def _look(self, robot: LiveRobot, status: Status) -> None:
        """Says what has changed of a robot; arms one that is connected where that was ordered, and connects
        one that was away, which then stays disarmed.
        """
        if status.sentence != robot.said:
            robot.said = status.sentence
            self._say(f"Robot of '{robot.name}': {status.sentence}")
        if status.state not in BEFORE_ARMING:
            robot.is_ordered = False
        if robot.is_ordered and status.state is State.DISARMED:
            robot.is_ordered = False
            robot.session.link.arm()
        if _is_away(status) and (now := time.monotonic()) >= robot.retry_at:
            robot.retry_at = now + RETRY_AFTER
            robot.session.link.reconnect()

    def _obey(self) -> None:
        """Does what was typed since the last tick, and since the last stop."""
        while not self._orders.empty():
            stops, line = self._orders.get()
            if stops != self._stops:
                continue
            try:
                self._do(shlex.split(line))
            except ValueError as error:
                self._say(f"{line}: {error}; a name with blanks stands in quotes")
            except (PlayerError, HardwareError) as error:
                self._say(str(error))
            if stops != self._stops:  # typed meanwhile: the stop counts
                self._sessions.stop_all()

    def _do(self, words: list[str]) -> None:
        match words:
            case []:
                return
            case ["quit"]:
                self.end()
            case [("arm" | "confirm" | "disarm" | "clear" | "connect") as word, *name]:
                self._order_robots(word, " ".join(name))
            case ["event", *name] if name:
                self._events.append(" ".join(name))
            case ["state", *name] if name:
                self._performance.enter(" ".join(name), "typed")
            case ["set", path, value]:
                self._performance.controls.set(path, _number_or_text(value))
            case ["target", chain, target]:
                self._performance.controls.follow(chain, target)
            case _:
                raise PlayerError(
                    f"'{' '.join(words)}' is no order: type arm, confirm, disarm, stop, clear, connect,"
                    " event NAME, state NAME, set PATH VALUE, target CHAIN TARGET or quit"
                )

    def _order_robots(self, word: str, name: str) -> None:
        """Gives an order to the robot of this name; "": to all."""
        if word in ARMING and not self._options.is_attended:
            raise PlayerError(NOBODY)
        robots = [robot for robot in self._robots if name in ("", robot.name)]
        names = ", ".join(f"'{robot.name}'" for robot in self._robots) or "none"
        if name and not robots:
            raise PlayerError(f"there is no robot '{name}': there is {names}")
        if word == "confirm" and len(robots) > 1:
            raise PlayerError(f"each robot is confirmed by itself: type confirm and its name, of {names}")
        for robot in robots:
            link, status = robot.session.link, robot.session.link.read_status()
            robot.is_ordered = False
            if (
                word == "connect"
                and status.state not in (State.CLOSED, State.DISARMED)
                and not _is_away(status)
            ):
                raise PlayerError(f"Robot of '{robot.name}': type disarm or clear first, then connect")
            is_asking = status.state is State.CONFIRM_POSE
            {
                "arm": link.arm,
                "confirm": link.confirm_pose if is_asking else link.arm_confirmed,
                "disarm": robot.session.disarm,
                "clear": link.clear_fault,
                "connect": link.reconnect,
            }[word]()

    def _line(self, seconds: float, pacing: Pacing) -> str:
        """A line on what the character does."""
        state = f", {self._performance.state}" if self._performance.state else ""
        robots = "; ".join(f"'{robot.name}': {robot.said}" for robot in self._robots) or "no robot"
        milliseconds = 1000.0 * pacing.tick_seconds
        return f"{seconds:.0f} s{state}, {pacing.rate:.0f} ticks a second of {milliseconds:.1f} ms; {robots}"

    def _wait(self, due: float) -> None:
        """Waits until a time [s] or the end; robots get signs of life meanwhile."""
        while (left := due - time.monotonic()) > 0.0 and not self._is_ended:
            time.sleep(min(left, HEARTBEAT))
            if left > HEARTBEAT:
                for robot in self._robots:
                    robot.session.link.send_again()

    def _finish(self) -> None:
        """Lets robots come to rest, and disarms them."""
        for robot in self._robots:
            robot.session.note_movers(frozenset())
        until = time.monotonic() + END_WITHIN
        while time.monotonic() < until and any(
            robot.session.link.status().state in DRIVEN for robot in self._robots
        ):
            time.sleep(HEARTBEAT)
        moving = [robot.name for robot in self._robots if robot.session.link.status().state in DRIVEN]
        self._sessions.close_all()
        self._close_inbox()
        if moving:
            self._say(
                f"Ended: {', '.join(moving)} did not come to rest within {END_WITHIN:g} s, and is disarmed"
            )
        elif self._robots:
            self._say("Ended: robots are at rest and disarmed")


def _is_away(status: Status) -> bool:
    """Whether a robot is not there; it may come back."""
    return status.state is State.FAULT and status.fault in AWAY


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
