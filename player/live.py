"""Plays a character in real time, with its robots. A robot moves after a person's order alone."""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..character.file.contents import CharacterFile
from ..hardware.errors import HardwareError
from ..hardware.robot_session import HEARTBEAT, RobotSession, RobotSessions
from ..hardware.safety import DRIVEN, Fault, State
from ..hardware.status import Status
from .errors import PlayerError
from .keys import Entry
from .pacing import Pacing
from .performance import Performance
from .robots import HOST, FollowedValues, device_of, per_unit

RETRY_AFTER = 2.0  # [s] between two attempts to reach a robot that is away
END_WITHIN = 6.0  # [s] for robots to come to rest at the end
# of a robot that is not there: it may come back, and stays disarmed then
AWAY = {Fault.PORT_MISSING, Fault.PORT_BUSY, Fault.PORT_UNUSABLE, Fault.UNPLUGGED, Fault.SILENT}
ARMING = ("arm", "confirm")  # orders after which a robot may move
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
    """

    rate: float = 60.0
    seconds: float | None = None
    port: str = ""
    without_robot: bool = False
    is_attended: bool = False
    arm: bool = False
    has_status: bool = False
    seed: int = 0


@dataclass
class LiveRobot:
    """A robot that follows the performance."""

    name: str
    session: RobotSession
    values: FollowedValues
    is_ordered: bool = False  # whether it is to be armed as soon as it is connected: a person's order, once
    retry_at: float = 0.0  # [s]
    said: str = field(default="")  # its last sentence


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
        self._ended = threading.Event()
        self._orders: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._events: list[str] = []
        entries = () if options.without_robot else character.robots
        if options.port and len(entries) != 1:
            raise PlayerError(f"--port is for one robot, and the file has {len(entries)}: leave it out")
        devices = [(entry, device_of(entry, path, options.port)) for entry in entries]
        self._robots: list[LiveRobot] = []
        try:
            for entry, device in devices:
                session = self._sessions.connect(entry.name, entry.name, device, host=HOST)
                values = FollowedValues(entry, character)
                self._robots.append(LiveRobot(entry.name, session, values, options.arm))
        except HardwareError as error:
            self._sessions.close_all()
            raise PlayerError(str(error)) from error

    def order(self, line: str) -> None:
        """Takes a line that a person has typed, from any thread. A stop is done at once."""
        if line.strip() == "stop":
            self._sessions.stop_all()
        self._orders.put(line.strip())

    def end(self) -> None:
        """Ends the performance, from any thread: robots come to rest, and are disarmed."""
        self._ended.set()

    def run(self) -> None:
        """Plays until it is ended.

        Raises:
            PlayerError: The character cannot play.
        """
        began = time.monotonic()
        pacing, seconds, said_at = Pacing(self._options.rate, began), 0.0, began
        is_first, dt = True, 0.0
        try:
            while not self._ended.is_set() and (
                self._options.seconds is None or seconds <= self._options.seconds
            ):
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
        self._performance.advance(seconds / self._rate.seconds_a_frame, dt, {}, events)
        for robot in self._robots:
            link = robot.session.link
            robot.session.note_movers(frozenset({"play"}))
            values = robot.values.at(self._performance, dt)
            self._sessions.send(robot.name, per_unit(values, link.unit(due)), plays=True, due=due)
            self._look(robot, link.read_status())

    def _check_first(self) -> None:
        """Raises PlayerError if a mover could not be solved in the first tick."""
        character = self._performance.character
        movers: list[Entry] = [*character.chains, *character.mechanisms, *character.bodies]
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
        if robot.is_ordered and status.state is State.DISARMED:
            robot.is_ordered = False
            robot.session.link.arm()
        is_away = status.state is State.WORKER_LOST or (status.state is State.FAULT and status.fault in AWAY)
        if not is_away:
            return
        robot.is_ordered = False
        if (now := time.monotonic()) >= robot.retry_at:
            robot.retry_at = now + RETRY_AFTER
            robot.session.link.reconnect()

    def _obey(self) -> None:
        """Does what was typed since the last tick."""
        while not self._orders.empty():
            words = self._orders.get().split(maxsplit=2)
            try:
                self._do(words)
            except PlayerError as error:
                self._say(str(error))

    def _do(self, words: list[str]) -> None:
        match words:
            case [] | ["stop"]:
                return
            case ["quit"]:
                self.end()
            case [("arm" | "confirm" | "disarm" | "clear" | "connect") as word]:
                self._order_robots(word)
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
                    f"'{' '.join(words)}' is no order: type arm, confirm, disarm, stop, clear, event NAME,"
                    " state NAME, set PATH VALUE, target CHAIN TARGET or quit"
                )

    def _order_robots(self, word: str) -> None:
        if word in ARMING and not self._options.is_attended:
            raise PlayerError(NOBODY)
        for robot in self._robots:
            link = robot.session.link
            is_asking = link.read_status().state is State.CONFIRM_POSE
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
        while (left := due - time.monotonic()) > 0.0 and not self._ended.wait(min(left, HEARTBEAT)):
            if left > HEARTBEAT:
                for robot in self._robots:
                    robot.session.link.send_again()

    def _finish(self) -> None:
        """Lets robots come to rest, and disarms them."""
        for robot in self._robots:
            robot.session.note_movers(frozenset())
        until = time.monotonic() + END_WITHIN
        waiting = threading.Event()
        while time.monotonic() < until and any(
            robot.session.link.status().state in DRIVEN for robot in self._robots
        ):
            waiting.wait(HEARTBEAT)
        self._sessions.close_all()
        if self._robots:
            self._say("Ended: robots are at rest and disarmed")


def play_live(character: CharacterFile, path: Path, options: LiveOptions) -> None:
    """Plays a character until Ctrl C, SIGTERM, or `quit` is typed.

    Raises:
        PlayerError: The character or its robot cannot be used, or `arm` was not typed by a person.
    """
    if options.arm and not options.is_attended:
        raise PlayerError(NOBODY)
    play = LivePlay(character, path, options, _say)
    with _signals(play):
        threading.Thread(target=_read_orders, args=(sys.stdin.fileno(), play), daemon=True).start()
        play.run()


def _say(line: str) -> None:
    print(line, flush=True)


def _read_orders(descriptor: int, play: LivePlay) -> None:
    """Hands every line of a file descriptor to the performance, without a lock that would outlive it."""
    rest = b""
    while data := os.read(descriptor, 4096):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            play.order(line.decode("utf-8", "replace"))


@contextmanager
def _signals(play: LivePlay) -> Iterator[None]:
    """Ends the performance on Ctrl C and SIGTERM, in which robots come to rest first."""
    known = {
        number: signal.signal(number, lambda *_: play.end()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in known.items():
            signal.signal(number, handler)


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
