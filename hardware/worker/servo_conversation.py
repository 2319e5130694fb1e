"""One connection's talk with servos, or a board of them, through any codec: who is there, arming, goals, reading back. Knows no Blender."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..device import Device
from ..errors import HardwareError
from ..protocols.dialogue import Dialogue
from ..protocols.interface import Codec, Complaint, Exchange, Identified, Measured, Message, Problem, ProtocolError, Quantity, Trouble
from ..safety import Fault
from ..transport import Transport
from .jobs import Job, Outcome
from .moves import Moves
from .servo_channels import ServoChannels
from .servo_health import ServoHealth
from .servo_places import ServoPlaces
from .talk import AWAY, GREET_FOR, POLL_EVERY, POSE_FRESH, READ_EVERY, SILENT_AFTER, Raw, Readings, Talk, Want

WATCHDOG = 0.25  # [s] the firmware's own: several turns, and less than what a joint does harm in
CHECK_EVERY = 0.2  # [s]
EARLY = 1e-3  # [s] by which a turn may come early, or times be rounded
PATIENT = 0.1  # [s] for an answer while nothing moves: a busy computer hands bytes over late
HURRIED = 0.05  # [s] while the servos follow: a lost answer must not hold up the goals for long
NOISY = 3  # problems with what came, while nobody was found: more is another protocol


class ServoConversation(Talk):
    """A connection from its first question to its end.

    Args:
        device: The robot's description.
        transport: An open connection; closed with `close`.
        codec: The protocol's.
        moves: Where they are counted.
        now: [s].
    """

    def __init__(self, device: Device, transport: Transport, codec: Codec, moves: Moves, now: float) -> None:
        super().__init__(device, transport, moves, now)
        self._settled = True  # connecting moves nothing, and nothing needs to be said
        self._codec = codec
        self._can = codec.capabilities
        self._channels = ServoChannels(device, codec)
        self._servos = self._channels.servos
        self._health = ServoHealth(device, codec)
        self._dialogue = Dialogue(codec.decoder(), device.baudrate)
        self._dialogue.patience = PATIENT
        self._places = ServoPlaces()
        self._goals: dict[int, int] = {}  # newest raw goal of each servo
        self._noise = 0
        self._someone = False  # answered
        self._absent = ""  # who did not, when all were asked last
        self._set_up = False
        self._job: Job | None = None
        self._arming_since = now
        self._then: Callable[[float], None] = self._found
        self._polled_at = self._checked_at = -math.inf
        self._sent_at = self._heard_at = self._listened_at = now
        self._asks = False  # whether anything that is asked now and then is answered
        self._move = 0
        unsuitable = self._channels.why_unsuitable()
        if unsuitable is not None:
            self.fail(Fault.UNSUITABLE, unsuitable)

    @property
    def measures(self) -> bool:
        return self._can.measures

    @property
    def releases(self) -> bool:
        return self._can.releases

    @property
    def _is_set_up(self) -> bool:
        return self._set_up

    def measured(self) -> Raw:
        return self._channels.raw(self._places.newest)

    def pose(self, now: float) -> Raw:
        return self._channels.raw(self._places.since(now - POSE_FRESH) if self._can.measures else self._kept())

    def readings(self) -> Sequence[Readings]:
        return self._health.readings

    def _change(self, before: Want) -> None:
        self._settled = self._want is Want.QUIET and before is not Want.ARMED
        self._job = None
        self._dialogue.patience = PATIENT
        self._dialogue.interrupt(())

    def listen(self, now: float) -> None:
        data = self._receive()
        if data is None:
            return
        if self._set_up and now - self._listened_at > AWAY:
            self._began = now  # who was not there to listen cannot say that nobody spoke
        self._listened_at = now
        self._turn(data, now)
        self._watch_silence(now)

    def move(self, now: float, raw: Sequence[float | None]) -> None:
        """As `Talk.move`; where an answer is still to come the next positions are newer anyway."""
        if not self.armed or self._dialogue.busy:
            return
        if self._can.watchdog is not None and now - self._sent_at > WATCHDOG:
            self.fail(Fault.DEVICE_WATCHDOG, "")
            return
        goals = self._channels.goals(raw)
        say = self._codec.write if self._goals.keys() >= goals.keys() else self._codec.arm  # the first goal where none was given yet
        if not self._ask(lambda: say(goals)):
            return
        self._goals = {**self._goals, **goals}
        self._sent_at = now
        self._dialogue.patience = HURRIED
        self._move = (self._move + 1) & 0xFFFF
        reads = self._can.measures and self._ask(self._read_places)
        self._check(now)
        self._moves.send(self._move, now, self._turn(b"", now))
        if not reads:
            self._moves.answer(self._move, True, now)  # nobody will say

    def speak(self, now: float) -> None:
        if not self.alive:
            return
        if self._want is Want.STOPPED and not self._settled:
            self._stop(now)
        elif self._job is not None:
            self._work(now)
        elif not self._set_up:
            self._begin(self._found, lambda: self._codec.identify(self._servos))
        elif not self._settled and self._want is Want.ARMED:
            self._arming_since = now
            self._begin(self._arm, self._read_places if self._can.measures else lambda: ())
        elif not self._settled:
            limp = self._channels.servos_of(self._wanted) if self._want is Want.LIMP else self._channels.limp
            self._begin(self._disarmed, lambda: self._codec.disarm(limp))
        elif self._want is not Want.ARMED:
            self._poll(now)
        self._turn(b"", now)

    def forget_complaint(self, now: float) -> None:
        if self.alive:
            self.trouble = None
            self._began = self._sent_at = self._heard_at = now

    def close(self, now: float) -> None:
        self._moves.give_up()
        if self._set_up and (self._want is Want.ARMED or not self._settled):
            self._dialogue.interrupt(())
            self._ask(lambda: self._codec.stop({}, self._channels.limp))
            self._turn(b"", now)
        self._transport.close()

    def _kept(self) -> dict[int, int]:
        """Newest goals of servos that hold them also while they are disarmed."""
        return {servo: goal for servo, goal in self._goals.items() if not self._can.releases or servo not in self._channels.limp}

    def _read_places(self) -> tuple[Exchange, ...]:
        return self._codec.read([Quantity.POSITION], self._servos)

    def _ask(self, say: Callable[[], tuple[Exchange, ...]]) -> bool:
        """Put what `say` says in line; what it cannot say ends the connection."""
        try:
            exchanges = say()
        except HardwareError as error:
            self.fail(Fault.UNSUITABLE, str(error))
            return False
        self._dialogue.ask(exchanges)
        return bool(exchanges)

    def _turn(self, data: bytes, now: float) -> bool:
        """Give and take; False where the port did not take all."""
        try:
            sent, messages = self._dialogue.turn(data, now)
        except ProtocolError as error:
            self.fail(Fault.UNSUITABLE, str(error))
            return False
        self._hear(messages, now)
        return not sent or self._transmit(sent)

    def _hear(self, messages: Sequence[Message], now: float) -> None:
        if any(not isinstance(message, Problem) for message in messages):
            self._heard_at = now
        if self._job is not None:
            self._job.hear(messages)
        for message in messages:
            match message:
                case Measured(servo, Quantity.POSITION, raw) if servo in self._servos:
                    self._places.take(servo, raw, now)
                case Measured():
                    self._health.take(message)
                case Identified():
                    self._someone = True
                    self._health.identify(message)
                case Complaint(servo, text) if self._want is Want.ARMED:
                    self.fail(Fault.DEVICE_REFUSED, f"{self._channels.name(servo)}: {text}")
                case Problem(trouble) if trouble is not Trouble.MISSING:
                    self._noise += 1
        if any(isinstance(message, Measured) for message in messages) and self._moves.is_waiting(self._move):
            self._moves.answer(self._move, True, now)

    def _begin(self, then: Callable[[float], None], say: Callable[[], tuple[Exchange, ...]]) -> None:
        try:
            self._job, self._then = Job(say()), then
        except HardwareError as error:
            self.fail(Fault.UNSUITABLE, str(error))
            return
        self._job.advance(self._dialogue)

    def _work(self, now: float) -> None:
        assert self._job is not None
        outcome = self._job.advance(self._dialogue)
        if outcome is Outcome.GOING:
            return
        job, self._job = self._job, None
        if outcome is Outcome.DONE:
            self._then(now)
            return
        self._absent = ", ".join(self._channels.name(servo) for servo in job.missing) + " did not answer"
        if self._set_up:
            self.fail(Fault.POSE_UNREAD if self._want is Want.ARMED else Fault.DEVICE_REFUSED, self._absent)

    def _found(self, now: float) -> None:
        """All servos are there: tell them their limits."""
        self._begin(self._ready, self._channels.limits)

    def _ready(self, now: float) -> None:
        self._set_up = True
        self._began = self._heard_at = now

    def _arm(self, now: float) -> None:
        """Every servo said where it is: that is its goal, and then it gets torque, and a watchdog where it can have one."""
        if not self._can.measures:
            self._goals = self._kept()
            self._armed(now)  # the first goal comes with the first move
            return
        wanted = self._channels.servos_of(self._wanted)
        there = self._channels.as_goals(self._places.since(self._arming_since))
        at = {servo: there[servo] for servo in wanted if servo in there}
        unread = [servo for servo in wanted if servo not in at]
        if unread:
            self.fail(Fault.POSE_UNREAD, ", ".join(self._channels.name(servo) for servo in unread) + " did not say where it is")
            return
        guard = self._can.watchdog is not None
        self._goals = {**self._goals, **at}

        def say() -> tuple[Exchange, ...]:
            clear = self._codec.watchdog(wanted, None) if guard else ()
            return clear + self._codec.arm(at) + self._read_places()

        self._begin(self._guard if guard else self._armed, say)

    def _guard(self, now: float) -> None:
        """Set the watchdogs, last of all: arming many servos takes longer than they wait."""
        wanted = self._channels.servos_of(self._wanted)
        self._begin(self._armed, lambda: self._codec.watchdog(wanted, WATCHDOG) + self._read_places())

    def _armed(self, now: float) -> None:
        self._settled = True
        self._sent_at = now

    def _disarmed(self, now: float) -> None:
        self._settled = True
        if self._want is Want.LIMP:
            for servo in self._channels.servos_of(self._wanted):
                self._goals.pop(servo, None)  # it holds nothing any more

    def _stop(self, now: float) -> None:
        """Now, whatever is open: stay where the servos are, as far as that is known, or at the newest goal."""
        held = self._channels.as_goals({**self._goals, **self._places.since(now - POSE_FRESH)})
        hold = {servo: raw for servo, raw in held.items() if servo in self._goals and servo not in self._channels.limp}
        self._job = None
        self._dialogue.interrupt(())
        self._ask(lambda: self._codec.stop(hold, self._channels.limp))
        self._settled = True

    def _poll(self, now: float) -> None:
        every = READ_EVERY if self._want is Want.LIMP else POLL_EVERY
        if now - self._polled_at < every - EARLY or self._dialogue.busy:
            return
        self._polled_at = now
        if self._can.measures:
            self._ask(self._read_places)
            self._ask(lambda: self._health.ask(now))
        else:
            self._check(now)

    def _check(self, now: float) -> None:
        """Ask now and then whether all are well, for orders of the stream are not answered, and how warm one of them is."""
        if now - self._checked_at >= CHECK_EVERY:
            self._checked_at = now
            self._asks = self._ask(lambda: self._codec.check(self._servos))
        else:
            self._ask(lambda: self._health.ask(now))

    def _watch_silence(self, now: float) -> None:
        if not self._set_up:
            if now - self._began > GREET_FOR and self._someone:
                self.fail(Fault.UNSUITABLE, self._absent)
            elif now - self._began > GREET_FOR:
                self.fail(Fault.OTHER_PROTOCOL if self._noise > NOISY else Fault.SILENT, "")
            return
        if not self._can.measures:
            if self._asks and now - self._heard_at > SILENT_AFTER:
                self.fail(Fault.SILENT, "")
            return
        silent = self._places.silent(self._servos, now - SILENT_AFTER) if now - self._began > SILENT_AFTER else []
        if len(silent) == len(self._servos):
            self._moves.give_up()
            self.fail(Fault.SILENT, "")
        elif silent and self._want is Want.ARMED:
            self.fail(Fault.DEVICE_REFUSED, ", ".join(f"{self._channels.name(servo)} does not answer" for servo in silent))
