"""What servos are asked and told, step by step, before they follow. Knows no Blender, no port and no clock.

A plan yields exchanges and goes on when all of them were answered; what it then learns is in `ServoPlaces` and `settings`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..protocols.interface import Codec, Exchange, Quantity
from ..protocols.servo_state import Held, Settings
from ..safety import Fault
from .servo_channels import ServoChannels
from .servo_places import ServoPlaces

Plan = Iterator[tuple[Exchange, ...]]

WATCHDOG = 0.25  # [s] the firmware's own: several turns, and less than what a joint does harm in
CREEP = 1e-6  # [units/s] rounded up to the slowest that a servo knows
JUMPED = 0.17  # [rad of the servo] 10 degrees, while it got torque: its count of turns changed, or something moved it


class Refusal(Exception):  # noqa: N818  # a servo refuses nothing by mistake
    """The plan ends here.

    Attributes:
        fault: Why.
        detail: For the sentence.
        release: Servos that must not keep torque.
    """

    def __init__(self, fault: Fault, detail: str, release: Collection[int] = ()) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
        self.release = frozenset(release)


class ServoPlans:
    """The plans of one connection.

    Args:
        codec: The protocol's.
        channels: The device's.
        places: Where servos said that they are.

    Attributes:
        settings: How servos said that they are set, by id.
        forgotten: What servos do not hold that was written to them, in words, by id.
        goals: What each servo was told to go to, by id.
    """

    def __init__(self, codec: Codec, channels: ServoChannels, places: ServoPlaces) -> None:
        self._codec = codec
        self._can = codec.capabilities
        self._channels = channels
        self._places = places
        self.settings: dict[int, Settings] = {}
        self.forgotten: dict[int, str] = {}
        self.goals: dict[int, int] = {}
        self._uncompared: dict[int, int] = {}  # where servos were before they got torque, until they are looked at again

    @property
    def what_is_forgotten(self) -> str:
        """For a sentence; empty: nothing."""
        return "; ".join(f"{self._channels.name(servo)}: {text}" for servo, text in self.forgotten.items())

    @property
    def misfits(self) -> set[int]:
        """Servos that are set so that they must not be driven."""
        return {servo for servo, settings in self.settings.items() if settings.refusal}

    def read_places(self) -> tuple[Exchange, ...]:
        """Ask all where they are."""
        return self._codec.read([Quantity.POSITION], self._channels.servos)

    def held(self, servos: Collection[int]) -> dict[int, Held]:
        """What servos that follow must hold."""
        watchdog = None if self._can.watchdog is None else WATCHDOG
        return {servo: Held(True, self._channels.speeds.get(servo), watchdog) for servo in servos}

    def connecting(self) -> Plan:
        """Who is there, and how they are set. Nothing is written."""
        yield self._codec.identify(self._channels.servos)
        yield from self._look_at_settings(self._channels.servos)

    def arming(self, wanted: Sequence[int], now: float) -> Plan:
        """Servos get torque where they are, at `now` [s] or later.

        They get it at the slowest speed that they know, and the speed that they may have when it is sure that their reading means the
        same as before: some count their turns anew when they get torque, and would go a whole turn to the goal that they have.
        """
        yield from self._look_at_settings(wanted)
        if not self._can.measures:
            yield self._channels.limits(wanted)
            return  # the first goal comes with the first move
        yield self.read_places()
        at = self._standing(wanted, now)
        guard = self._can.watchdog is not None
        if guard:
            yield self._codec.watchdog(wanted, None)
        yield from self._limit(wanted, CREEP)
        self.goals.update(at)
        self._uncompared = at
        yield self._codec.arm(at) + self.read_places()
        self._compare()
        yield from self._limit(wanted)
        if guard:  # last of all: arming many servos takes longer than they wait
            yield self._codec.watchdog(wanted, WATCHDOG)
        yield self.read_places()

    def ending(self, limp: Collection[int]) -> Plan:
        """These servos go limp, and answer. Where arming was broken off, what it gave torque to is looked at all the same."""
        yield self._codec.disarm(limp)
        if self._uncompared:
            yield self.read_places()
            self._compare()

    def _look_at_settings(self, servos: Sequence[int]) -> Plan:
        for servo in servos:
            self.settings.pop(servo, None)
        questions = self._codec.settings(servos)
        yield questions
        if unset := [servo for servo in servos if questions and servo not in self.settings]:
            raise Refusal(Fault.POSE_UNREAD, f"{self._channels.names(unset)} did not say how it is set")
        if wrong := [f"{self._channels.name(servo)}: {self.settings[servo].refusal}" for servo in servos if servo in self.misfits]:
            raise Refusal(Fault.WRONG_MODE, "; ".join(wrong))

    def _standing(self, wanted: Sequence[int], now: float) -> dict[int, int]:
        """Where each is; it can be told to stay there."""
        there = self._places.since(now)
        if unread := [servo for servo in wanted if servo not in there]:
            raise Refusal(Fault.POSE_UNREAD, f"{self._channels.names(unread)} did not say where it is")
        bounds = {servo: settings.bounds for servo, settings in self.settings.items()}
        if beyond := [text for servo in wanted if (text := self._channels.why_no_goal(servo, there[servo], bounds.get(servo)))]:
            raise Refusal(Fault.POSITION_DOUBTFUL, "; ".join(beyond))
        return {servo: there[servo] for servo in wanted}

    def _limit(self, servos: Sequence[int], speed: float | None = None) -> Plan:
        """Tell servos their limits, and read back that they have them."""
        yield self._channels.limits(servos, speed)
        speeds = self._channels.speeds
        self.forgotten.clear()
        yield self._codec.verify({servo: Held(speed=speeds[servo] if speed is None else speed) for servo in servos if servo in speeds})
        if self.forgotten:
            raise Refusal(Fault.SERVO_FORGOT, self.what_is_forgotten)

    def _compare(self) -> None:
        """Whether servos are where they were before they had torque."""
        before, self._uncompared = self._uncompared, {}
        after = self._places.newest
        jumped = [servo for servo, raw in before.items() if abs(after[servo] - raw) > abs(self._channels.raw_turn(servo, JUMPED))]
        if jumped:
            texts = (f"{self._channels.name(servo)} read {before[servo]} without torque and {after[servo]} with it" for servo in jumped)
            raise Refusal(Fault.POSITION_DOUBTFUL, "; ".join(texts), jumped)
