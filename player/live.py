"""Plays a character in real time with its robots, directed by a person and other programs."""

import gc
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..character.file.contents import CharacterFile
from ..character.one_thread import in_one_thread
from ..files.reasons import reason
from ..hardware.errors import HardwareError
from ..hardware.robot_session import EXPIRING, HEARTBEAT, TO_ROBOTS
from ..hardware.sentences import HostWords
from ..inputs.page.orders import order_from
from ..inputs.page.server import PageServer
from ..inputs.waiting_orders import FRESH, WaitingOrder, WaitingOrders
from ..inputs.words import NUMBERED, WORDS, Order
from .arm_at_start import Permission
from .directing import Director
from .errors import PlayerError
from .live_robots import LiveRobots
from .osc import PlayerInbox
from .pacing import Pacing
from .page import page_state, why_not_served
from .performance import Performance
from .playhead import Playhead
from .robots import HOST, NO_ORDERS
from .scene import MoverEntry
from .service import ServiceManager
from .sound import DELAY, ClipSoundPlayer
from .streams import OrderStreams
from .typed_orders import order_of_line

STOP = "stop"  # word of the command that is executed at once
SHOWN_EVERY = 0.1  # [s] time between two updates of the page's state
KEPT = 30  # number of decisions and of sentences on the page, and of reported problems of OSC
NOBODY = (
    "A robot is released or armed by a person at a terminal alone, or on the page: start limber play in one,"
    " and type it there, or with --page"
)
TYPED, PAGE, OSC = "typed", "page", "OSC"  # sources of commands


@dataclass(frozen=True)
class LiveOptions:
    """Options for playing a character.

    Attributes:
        rate: Ticks per second.
        seconds: Duration [s]; None: until a person ends the performance.
        port: Port of the character's robot; "": the port in the file.
        without_robot: Whether to connect no robot.
        is_attended: Whether a person types the commands; lines that a program writes cannot arm.
        arm: Whether that person has requested at the start to arm the robots once they are connected.
        permission: The installer's permission to arm them at the start of this computer; None if there is
            none.
        has_status: Whether a status line is printed every second.
        seed: Seed of the behaviour's random numbers.
        osc, osc_host: UDP port and address for OSC; None for no OSC.
        page, page_host: Port and address of the page; None for no page.
        sound_delay: Delay [s] of the sound after the start of the clip.
        token: Token of the page's address; "": a new one is made.
    """

    rate: float = 60.0
    seconds: float | None = None
    port: str = ""
    without_robot: bool = False
    is_attended: bool = False
    arm: bool = False
    permission: Permission | None = None
    has_status: bool = False
    seed: int = 0
    osc: int | None = None
    osc_host: str = "127.0.0.1"
    page: int | None = None
    page_host: str = "127.0.0.1"
    token: str = ""
    sound_delay: float = DELAY

    @property
    def has_stop(self) -> bool:
        """Whether a person can give Stop: typed, on the page, or by OSC."""
        return self.is_attended or self.page is not None or self.osc is not None


class LivePlay:
    """A character that plays in real time.

    Args:
        character, path: The character, and the path of its file.
        options: Options for playing it.
        say: Prints a line.

    Raises:
        PlayerError: A robot of the file, or an address to listen on, cannot be used.
    """

    def __init__(
        self, character: CharacterFile, path: Path, options: LiveOptions, say: Callable[[str], None]
    ) -> None:
        self._options, self._print = options, say
        self._performance = Performance(character, (), options.seed)
        length = (character.frames - 1) * character.rate.seconds_a_frame
        self._director = Director(self._performance, Playhead(length), folder=path.parent)
        # without a lock, since signal handlers set it between any two steps of this thread
        self._is_ended = False
        self._orders = WaitingOrders()
        # mover's name -> its problem that was reported last; "" if it was solved
        self._problems: dict[str, str] = {}
        self._osc_problems: deque[str] = deque(maxlen=KEPT)  # last reported problems of OSC
        self._sound_problem = ""  # last reported problem of a sound
        self._said: deque[str] = deque(maxlen=KEPT)  # sentences for the page
        self._decisions: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._seconds = self._show_due = 0.0  # [s] time of the last tick, and of the next update of the page
        self._sounds = ClipSoundPlayer(path, character.sounds, options.sound_delay, self._say)
        self._robots: LiveRobots | None = None
        self._inbox: PlayerInbox | None = None
        self._streams = OrderStreams()
        self._page: PageServer | None = None
        if not options.without_robot:
            host = HOST._replace(has_stop=options.has_stop)
            if options.page is not None:
                host = host._replace(typed=HostWords().typed)
            elif not options.is_attended:
                host = host._replace(no_orders=NO_ORDERS)
            self._robots = LiveRobots(
                character, path, options.port, options.arm, options.permission, host, self._say
            )
        try:
            self._listen()
        except PlayerError:
            self._close()
            raise

    def _listen(self) -> None:
        """Opens the sources of commands; raises PlayerError if an address cannot be used."""
        options = self._options
        if options.osc is not None:
            try:
                self._inbox = PlayerInbox(options.osc_host, options.osc, self.stop)
            except OSError as error:
                raise PlayerError(
                    f"OSC cannot be heard on port {options.osc}: {reason(error)}; choose another port with"
                    " --osc PORT"
                ) from error
        if options.page is not None:
            try:
                self._page = PageServer(
                    options.page_host, options.page, self._take_from_page, self.stop, options.token
                )
            except (OSError, ValueError) as error:
                raise PlayerError(why_not_served(options.page_host, options.page, error)) from error
            # this line is not shown on the page, since the address contains the token
            self._print(f"Page: {self._page.address}")

    def _close(self) -> None:
        self._sounds.close()
        self._director.speech.close()
        if self._robots is not None:
            self._robots.sessions.close_all()
        if self._inbox is not None:
            self._inbox.close()
        if self._page is not None:
            self._page.close()

    def _say(self, line: str) -> None:
        self._said.append(line)
        self._print(line)

    def stop(self) -> None:
        """Stops all robots, from any thread; commands that arrived before it and still wait are dropped."""
        self._orders.stop()
        if self._robots is not None:
            self._robots.sessions.stop_all()

    def order(self, line: str) -> None:
        """Takes a line that a person has typed, from any thread. A stop is executed at once."""
        # a line that begins with the word "stop" stops all robots, whatever follows
        if line.split()[:1] and line.split()[0].casefold() == STOP:
            self.stop()
        else:
            self._orders.put(line.strip(), TYPED)

    def _take_from_page(self, message: dict[str, Any]) -> None:
        """Takes a command from the page, in its thread; invalid ones are ignored."""
        order = order_from(message)
        if order is not None:
            self._orders.put(order, PAGE)

    def end(self) -> None:
        """Ends the performance, from any thread: robots come to rest, and are disarmed."""
        self._is_ended = True

    @in_one_thread()
    def run(self) -> None:
        """Plays the character until somebody ends the performance, or its time is over.

        Raises:
            PlayerError: The character cannot play.
        """
        service = ServiceManager()
        try:
            self._tick(0.0, 0.0, 1.0 / self._options.rate)
            self._check_first()
            gc.collect()
            # the garbage collector skips objects that live as long as the performance
            gc.freeze()
            service.ready()
            self._keep_playing(service)
        finally:
            service.stopping()
            if self._robots is not None:
                self._robots.finish()
            self._close()

    def _keep_playing(self, service: ServiceManager) -> None:
        """Ticks from the second tick on, until the performance is ended. The first tick took longer, as it
        built the models.
        """
        began = time.monotonic()
        rate, seconds, end = self._options.rate, 0.0, self._options.seconds
        said_at = began + 1.0 / rate
        pacing = Pacing(rate, said_at)
        while True:
            self._wait(pacing.due)
            tick_began = time.monotonic()
            before, seconds = seconds, tick_began - began
            if self._is_ended or (end is not None and seconds > end):
                return
            self._tick(seconds, seconds - before, 1.0 / pacing.rate)
            ended, rate = time.monotonic(), pacing.rate
            if pacing.ticked(tick_began, ended):
                why = "is too slow" if pacing.rate < rate else "has time again"
                self._say(f"This computer {why}: {pacing.rate:.0f} ticks a second from now on")
            if self._options.has_status and ended - said_at >= 1.0:
                # after a pause of the process, no line is printed for each missed second
                said_at += int(ended - said_at)
                self._print(self._status_line(seconds, pacing))
            service.alive(partial(self._status_line, seconds, pacing))

    def _tick(self, seconds: float, dt: float, due: float) -> None:
        """Executes waiting commands, then advances character, sounds and robots by `dt` [s], and updates the
        page. The next tick is `due` [s] later.
        """
        self._seconds = seconds
        self._obey()
        if self._inbox is not None:
            self._hear(self._inbox, dt)
        for remark in self._director.remarks:
            self._say(remark)
        self._director.remarks.clear()
        self._director.tick(dt, seconds)
        self._sounds.follow(self._director.playhead)
        if self._performance.performer is not None:
            self._decisions += [each._asdict() for each in self._performance.performer.decisions]
        self._performance.forget_decisions()
        self._say_problems()
        if (problem := self._director.speech.problem) != self._sound_problem:
            self._sound_problem = problem
            self._say(problem or "Sounds are heard as usual again")
        if self._robots is not None:
            self._robots.tick(self._performance, dt, due)
        if self._page is not None and seconds >= self._show_due:
            self._show(self._page, seconds)

    def _hear(self, inbox: PlayerInbox, dt: float) -> None:
        """Executes OSC commands, `dt` [s] after the last call; reports why one is impossible, unless that is
        one of the last reports.
        """
        heard, problems = inbox.told(self._performance.state)
        for order, count, time_sent, age in heard:
            is_continued = self._streams.continues(order, count, time_sent, age)
            if not is_continued and self._can_do(order, problems):
                self._streams.begin(order, time_sent, age)
        for order in self._streams.advance(dt):
            if not self._can_do(order, problems):
                self._streams.end(order)
        self._director.note_targets(self._streams.targets())
        for problem in problems:
            if problem not in self._osc_problems:
                self._osc_problems.append(problem)
                self._say(problem)

    def _can_do(self, order: Order, problems: list[str]) -> bool:
        """Executes a program's command; returns whether it was possible, else adds why not to `problems`."""
        try:
            self._do(order, OSC)
        except (PlayerError, HardwareError) as error:
            problems.append(f"/limber/{order.path}: {error}")
            return False
        return True

    def _show(self, page: PageServer, seconds: float) -> None:
        """Sends the current state to the page at the first tick, and while somebody watches the page."""
        self._show_due = seconds + SHOWN_EVERY
        if page.is_watched or not seconds:
            robots = [robot.plain() for robot in self._robots.robots] if self._robots is not None else []
            state = page_state(self._director, robots, list(self._decisions), list(self._said))
            page.publish(json.dumps(state))

    def _say_problems(self) -> None:
        """Reports for each mover why it does not follow its goals, each time the reason changes, and when it
        follows again.
        """
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

    def _obey(self) -> None:
        """Executes the commands that have arrived since the last tick, except those before the last stop."""
        for waiting in self._orders.take():
            try:
                self._do_waiting(waiting)
            except (PlayerError, HardwareError) as error:
                self._say(str(error))
            # the robots are stopped again if a stop came before the command had been executed
            if not self._orders.is_valid(waiting) and self._robots is not None:
                self._robots.sessions.stop_all()

    def _do_waiting(self, waiting: WaitingOrder) -> None:
        order = order_of_line(waiting.order) if isinstance(waiting.order, str) else waiting.order
        if order is None:
            return
        if order.word in EXPIRING and waiting.is_late:
            raise PlayerError(f"'{order.word}' came over {FRESH:g} s ago, and is not done: give it again")
        self._do(order, waiting.cause)

    def _do(self, order: Order, cause: str) -> None:
        """Executes a command; `cause` is its source, OSC for other programs. Raises PlayerError or
        HardwareError if it is impossible, or if this source may not give it.
        """
        if cause == OSC and WORDS[order.word].is_personal:
            raise PlayerError("this is a person's order: no program gives it")
        if order.word == "quit":
            self.end()
        elif order.word in TO_ROBOTS:
            self._order_robots(order, cause)
        else:
            self._director.obey(order, cause)
            if cause != OSC:
                self._streams.end(order)
                self._record_order(order, cause)

    def _record_order(self, order: Order, cause: str) -> None:
        """Records a command among the decisions. One with numbers, as from a dragged slider, replaces the
        last decision if that has the same subject and source. Perception is not recorded, and an ordered
        state is a decision already.
        """
        if order.word in NUMBERED or order.word == "state":
            return
        noted = {"time": self._seconds, "cause": cause, "order": order.line, "about": order.path}
        last = self._decisions[-1] if self._decisions else {}
        if order.numbers and (last.get("about"), last.get("cause")) == (order.path, cause):
            self._decisions.pop()
        self._decisions.append(noted)

    def _order_robots(self, order: Order, cause: str) -> None:
        is_person = cause == PAGE or (cause == TYPED and self._options.is_attended)
        if order.word in EXPIRING and not is_person:
            raise PlayerError(NOBODY)
        if self._robots is None:
            raise PlayerError(f"there is no robot to {order.word}: --no-robot was given")
        self._robots.order(order.word, order.names)

    def _status_line(self, seconds: float, pacing: Pacing) -> str:
        """Line of text on time, state, rate of ticks and robots."""
        state = f", {self._performance.state}" if self._performance.state else ""
        robots = self._robots.summary if self._robots is not None else "no robot"
        milliseconds = 1000.0 * pacing.tick_seconds
        return f"{seconds:.0f} s{state}, {pacing.rate:.0f} ticks a second, each computed in {milliseconds:.1f} ms; {robots}"

    def _wait(self, due: float) -> None:
        """Waits until a time [s] or the end, and sends heartbeats to robots meanwhile."""
        while (left := due - time.monotonic()) > 0.0 and not self._is_ended:
            time.sleep(min(left, HEARTBEAT))
            if self._robots is not None:
                self._robots.keep_alive()
