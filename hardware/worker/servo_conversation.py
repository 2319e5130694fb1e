"""One connection's talk with servos, or a board of them, through any codec: who is there, arming, goals, reading back. Knows no Blender."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

from ..device import Device
from ..errors import HardwareError
from ..protocols.dialogue import Dialogue
from ..protocols.interface import Codec, Complaint, Exchange, Identified, Measured, Message, Problem, ProtocolError, Quantity, Trouble
from ..protocols.servo_state import Forgotten, Settings
from ..safety import Fault
from ..transport import Transport
from .jobs import Outcome, Run
from .moves import Moves
from .servo_channels import ServoChannels
from .servo_health import ServoHealth
from .servo_places import ServoPlaces
from .servo_plans import WATCHDOG, Plan, Refusal, ServoPlans
from .servo_rest import ServoRest
from .talk import AWAY, GREET_FOR, POLL_EVERY, POSE_FRESH, READ_EVERY, SILENT_AFTER, Raw, Readings, Talk, Want

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
        self._plans = ServoPlans(codec, self._channels, self._places)
        self._rest = ServoRest()
        self._let_go: set[int] = set()  # servos that must not keep torque, whatever their channel is set to
        self._went_on: list[int] = []  # servos that went on turning after their motion was ended
        self._goals = self._plans.goals  # newest raw goal of each servo
        self._noise = 0
        self._someone = False  # answered
        self._absent = ""  # who did not, when all were asked last
        self._set_up = False
        self._run: Run | None = None
        self._then: Callable[[float], None] = self._ready
        self._polled_at = -math.inf
        self._sent_at = self._heard_at = self._listened_at = now
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

    @property
    def quiet(self) -> bool:
        return super().quiet and self._run is None and not self._rest.is_watching(self._listened_at)

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(
            f"{self._channels.name(one)} went on turning after Stop and was made limp: check its operating mode" for one in self._went_on
        )

    def readings(self) -> Sequence[Readings]:
        return self._health.readings

    def _change(self, before: Want) -> None:
        self._settled = self._want is Want.QUIET and before is not Want.ARMED
        self._run = None
        if self._want in (Want.ARMED, Want.LIMP):
            self._rest.forget()
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
        self._goals.update(goals)
        self._sent_at = now
        self._dialogue.patience = HURRIED
        self._move = (self._move + 1) & 0xFFFF
        reads = self._can.measures and self._ask(self._plans.read_places)
        self._check(now)
        self._moves.send(self._move, now, self._turn(b"", now))
        if not reads:
            self._moves.answer(self._move, True, now)  # nobody will say

    def speak(self, now: float) -> None:
        if not self.alive:
            return
        if self._want is Want.STOPPED and not self._settled:
            self._stop(now)
        elif self.trouble is not None and (self._want is Want.ARMED or not self._set_up):
            self._run = None  # no step further
        elif self._run is not None:
            self._work(now)
        elif not self._set_up:
            self._begin(self._plans.connecting(), self._ready, now)
        elif not self._settled and self._want is Want.ARMED:
            self._begin(self._plans.arming(self._channels.servos_of(self._wanted), now), self._armed, now)
        elif not self._settled:
            limp = self._channels.servos_of(self._wanted) if self._want is Want.LIMP else self._to_release
            self._begin(self._plans.ending(limp), self._disarmed, now)
        elif self._want is not Want.ARMED:
            self._mind_rest(now)
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
            self._ask(lambda: self._codec.stop({}, self._to_release))
            self._turn(b"", now)
        self._transport.close()

    @property
    def _to_release(self) -> list[int]:
        """Servos that go limp when the robot is disarmed or stopped."""
        return sorted({*self._channels.limp, *self._let_go, *self._plans.misfits})

    def _kept(self) -> dict[int, int]:
        """Newest goals of servos that hold them also while they are disarmed."""
        return {servo: goal for servo, goal in self._goals.items() if not self._can.releases or servo not in self._channels.limp}

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
        if self._run is not None:
            self._run.hear(messages)
        for message in messages:
            match message:
                case Measured(servo, Quantity.POSITION, raw) if servo in self._servos:
                    self._places.take(servo, raw, now)
                    self._rest.take(servo, raw, now)
                case Measured():
                    self._health.take(message)
                case Identified():
                    self._someone = True
                    self._health.identify(message)
                case Settings():
                    self._plans.settings[message.servo] = message
                case Forgotten(servo, text):
                    self._plans.forgotten[servo] = text
                    if self.armed:
                        self.fail(Fault.SERVO_FORGOT, self._plans.what_is_forgotten)
                case Complaint(servo, text) if self._want is Want.ARMED:
                    self.fail(Fault.DEVICE_REFUSED, f"{self._channels.name(servo)}: {text}")
                case Problem(trouble) if trouble is not Trouble.MISSING:
                    self._noise += 1
        if any(isinstance(message, Measured) for message in messages) and self._moves.is_waiting(self._move):
            self._moves.answer(self._move, True, now)

    def _begin(self, plan: Plan, then: Callable[[float], None], now: float) -> None:
        self._run, self._then = Run(plan), then
        self._work(now)

    def _work(self, now: float) -> None:
        """Go on with the plan until something is open."""
        run, self._run = self._run, None
        assert run is not None
        try:
            outcome = run.advance(self._dialogue)
        except Refusal as refusal:
            self._give_up(refusal)
            return
        except HardwareError as error:
            self.fail(Fault.UNSUITABLE, str(error))
            return
        match outcome:
            case Outcome.GOING:
                self._run = run
            case Outcome.DONE:
                self._then(now)
            case Outcome.FAILED:
                self._absent = f"{self._channels.names(run.missing)} did not answer"
                if self._set_up:
                    self.fail(Fault.POSE_UNREAD if self._want is Want.ARMED else Fault.DEVICE_REFUSED, self._absent)

    def _give_up(self, refusal: Refusal) -> None:
        """The plan goes no further; what must not keep torque loses it at once, and again when the robot is disarmed."""
        if refusal.release:
            self._release(refusal.release)
            self._ask(lambda: self._codec.stop({}, refusal.release))
        self.fail(refusal.fault, refusal.detail)

    def _release(self, servos: Collection[int]) -> None:
        """These are to hold no more."""
        self._let_go.update(servos)
        for servo in servos:
            self._goals.pop(servo, None)

    def _ready(self, now: float) -> None:
        self._set_up = True
        self._began = self._heard_at = now

    def _armed(self, now: float) -> None:
        if not self._can.measures:
            for servo in self._goals.keys() - self._kept().keys():
                del self._goals[servo]
        self._settled = True
        self._sent_at = now
        self._let_go.difference_update(self._channels.servos_of(self._wanted))
        self._went_on = []

    def _disarmed(self, now: float) -> None:
        self._settled = True
        if self._want is Want.LIMP:
            for servo in self._channels.servos_of(self._wanted):
                self._goals.pop(servo, None)  # it holds nothing any more
        else:
            self._look_for_rest(now)

    def _stop(self, now: float) -> None:
        """Now, whatever is open: stay where the servos are, as far as that is known, or at the newest goal.

        What is to go limp is then made so once more, and answers: the frames of a stop have no answer, and the line may damage them.
        """
        held = {**self._goals, **self._channels.near_goals(self._places.since(now - POSE_FRESH))}
        release = self._to_release
        hold = {servo: raw for servo, raw in held.items() if servo in self._goals and servo not in release}
        self._run = None
        self._dialogue.interrupt(())
        self._ask(lambda: self._codec.stop(hold, release))
        self._settled = True
        self._look_for_rest(now)
        self._begin(self._plans.ending(release), lambda now: None, now)

    def _look_for_rest(self, now: float) -> None:
        """From now on, whether the servos that hold come to rest."""
        if self._can.measures:
            release = self._to_release
            self._rest.begin(now, {servo: self._channels.raw_turn(servo, 1.0) for servo in self._goals if servo not in release})

    def _mind_rest(self, now: float) -> None:
        """What goes on turning after its motion was ended loses its torque, also where it is set to hold."""
        if went_on := self._rest.went_on() if self._rest.is_watching(now) else []:
            self._went_on = sorted({*self._went_on, *went_on})
            self._release(went_on)
            self._begin(self._plans.ending(went_on), lambda now: None, now)
            self.fail(Fault.WENT_ON, self._channels.names(went_on))

    def _poll(self, now: float) -> None:
        every = READ_EVERY if self._want is Want.LIMP or self._rest.is_watching(now) else POLL_EVERY
        if now - self._polled_at < every - EARLY or self._dialogue.busy:
            return
        self._polled_at = now
        if self._can.measures:
            self._ask(self._plans.read_places)
            self._ask(lambda: self._health.ask(now))
        else:
            self._check(now)

    def _check(self, now: float) -> None:
        """Ask now and then whether all are well, for goals are not answered."""
        held = self._plans.held(self._channels.servos_of(self._wanted)) if self.armed else {}
        self._ask(lambda: self._health.check(now, held))

    def _watch_silence(self, now: float) -> None:
        if not self._set_up:
            if now - self._began > GREET_FOR and self._someone:
                self.fail(Fault.UNSUITABLE, self._absent)
            elif now - self._began > GREET_FOR:
                self.fail(Fault.OTHER_PROTOCOL if self._noise > NOISY else Fault.SILENT, "")
            return
        if self._run is not None:
            self._began = now  # a plan notices by itself who does not answer
            return
        if not self._can.measures:
            if self._health.is_answered and now - self._heard_at > SILENT_AFTER:
                self.fail(Fault.SILENT, "")
            return
        silent = self._places.silent(self._servos, now - SILENT_AFTER) if now - self._began > SILENT_AFTER else []
        if len(silent) == len(self._servos):
            self._moves.give_up()
            self.fail(Fault.SILENT, "")
        elif silent and self._want is Want.ARMED:
            self.fail(Fault.DEVICE_REFUSED, ", ".join(f"{self._channels.name(servo)} does not answer" for servo in silent))
