"""The common part of every connection to a robot: desired and confirmed state, faults, the port, statistics
of moves.

Positions here are a channel's raw positions, see `device.ServoChannel`. No connection reads a clock: the time
[s] is an argument of every call, so that tests run it in simulated time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

from ..device import Device
from ..protocols.interface import Quantity
from ..safety import Fault, FaultReport
from ..transport import Transport, TransportError
from .connection_state import AT_REST, CONFIRMED, PENDING, ConnectionState, DesiredState, Transitions

_FINEST = 1e-6  # [s] duration below which all durations count as equal
_STEP = math.log(1.05)  # logarithm of the ratio of neighbouring buckets, 5%: a percentile is known to 2.5%
_BUCKETS = math.ceil(math.log(1e8) / _STEP)  # number of buckets: up to 100 s


class Durations:
    """Histogram of durations [s]."""

    def __init__(self) -> None:
        self._counts = [0] * _BUCKETS
        self.total = 0

    def add(self, seconds: float) -> None:
        """Count one duration [s]."""
        bucket = int(math.log(seconds / _FINEST) / _STEP) if seconds > _FINEST else 0
        self._counts[min(bucket, _BUCKETS - 1)] += 1
        self.total += 1

    def percentile(self, share: float) -> float:
        """The duration [s] below which a `share` (0 to 1) of all durations lie, to 2.5% between 1 us and 100
        s; 0 if none was counted.
        """
        missing = share * self.total
        for bucket, count in enumerate(self._counts):
            missing -= count
            if count and missing <= 0:
                return _FINEST * math.exp((bucket + 0.5) * _STEP)
        return 0.0


class Moves:
    """Counts moves and acknowledgements over all connections of a worker.

    Attributes:
        sent: Number of moves sent.
        acknowledged: Number of moves that the device accepted.
        lost: Number of moves that were refused, not answered, or not accepted by the port.
        answer_times: Durations from sending to the answer.
    """

    def __init__(self) -> None:
        self.sent = 0
        self.acknowledged = 0
        self.lost = 0
        self.answer_times = Durations()
        self._waiting: dict[int, float] = {}  # sequence number -> when sent [s], oldest first

    @property
    def waiting(self) -> int:
        """Number of moves that are not answered yet."""
        return len(self._waiting)

    @property
    def waiting_since(self) -> float | None:
        """Time [s] at which the oldest move that is not answered yet was sent; None without one."""
        return next(iter(self._waiting.values()), None)

    def is_waiting(self, sequence: int) -> bool:
        return sequence in self._waiting

    def send(self, sequence: int, time: float, taken: bool) -> None:
        """Record that a move was sent; `taken`: the port accepted it."""
        self.sent += 1
        if taken:
            self._waiting[sequence] = time
        else:
            self.lost += 1

    def answer(self, answered: int, accepted: bool, time: float) -> None:
        """Record that the answer to move `answered` (a sequence number) arrived at `time` [s]; `accepted`:
        whether the device executes the move. Answers come in order, so earlier unanswered moves count as
        lost.
        """
        for sequence in list(self._waiting):
            sent = self._waiting.pop(sequence)
            if sequence == answered and accepted:
                self.acknowledged += 1
                self.answer_times.add(time - sent)
            else:
                self.lost += 1
            if sequence == answered:
                return

    def acknowledge_to(self, newest: int, time: float) -> None:
        """Record that at `time` [s] all moves up to `newest` (a sequence number) are known to have reached
        the device, which accepts them.
        """
        for sequence in [sequence for sequence in self._waiting if sequence <= newest]:
            self.answer(sequence, True, time)

    def give_up(self) -> None:
        """Count all unanswered moves as lost."""
        self.lost += len(self._waiting)
        self._waiting.clear()


GREET_FOR = 5.0  # [s] time without an answer after connecting from which the port counts as silent
# number of unanswered moves at which no further one is sent: with more the robot would go on after a stop
MOST_WAITING = 12
POLL_EVERY = 0.05  # [s] time between polls at rest, for fresh positions and to detect a disconnected cable
READ_EVERY = 0.02  # [s] time between polls while the robot is moved by hand
# [s] time without an answer after which the connection reports a fault. A board or servo with a watchdog
# (250 ms in Limber's firmware) has stopped by then.
SILENT_AFTER = 0.5
# [s] longest time between two steps of the worker that counts toward a device's silence; a longer one is a
# delay of the worker itself
AWAY = 0.1
# [s] longest time between two moves; a slower line is refused, since it comes near the watchdogs' timeouts
LONGEST_MOVE_INTERVAL = 0.1
TOO_SLOW = (
    "{} baud are too slow for its {} servos: choose a higher Baud Rate, here and in the board or the servos"
)
POSE_FRESH = 0.25  # [s] largest age of a position that counts as the robot's current one
RECOVERABLE = (  # faults after which the connection itself still works
    Fault.DEVICE_RESET,
    Fault.DEVICE_WATCHDOG,
    Fault.DEVICE_REFUSED,
    Fault.POSE_UNREAD,
    Fault.BLOCKED,
    Fault.WRONG_MODE,
    Fault.POSITION_DOUBTFUL,
    Fault.SERVO_FORGOT,
    Fault.WENT_ON,
    Fault.OTHER_CALIBRATION,
)

Raw = tuple[float | None, ...]
Readings = Mapping[Quantity, float]


class Connection(ABC):
    """An open connection to a robot, from the first message to the last.

    Args:
        device: The robot's description.
        transport: An open port; closed with `close`.
        transitions: The next state for each state and request.
        moves: Statistics of moves and their acknowledgements.
        time: Current time [s].

    Attributes:
        fault_report: The fault with its cause; None without one. `fail` sets it, and `acknowledge_fault`
            clears it if the connection still works.
        state: Confirmed or requested state of the device.
        limited_device: The device, with its channels' ranges narrowed to the limits that the servos
            themselves store.
    """

    def __init__(
        self, device: Device, transport: Transport, transitions: Transitions, moves: Moves, time: float
    ) -> None:
        self.fault_report: FaultReport | None = None
        self.state = ConnectionState.DISARMING
        self._desired = DesiredState.DISARMED
        self._device = self.limited_device = device
        self._transport = transport
        self._transitions = transitions
        self._moves = moves
        self._began = time
        self._all = frozenset(range(len(device.channels)))
        self._channels_meant = self._all  # channels to which the desired state applies

    @property
    def connected(self) -> bool:
        """Whether the device has identified itself, knows its channels and has no fault."""
        return self._is_set_up and self.fault_report is None

    @property
    def alive(self) -> bool:
        """Whether the connection can still be used."""
        return self.fault_report is None or self.fault_report.fault in RECOVERABLE

    @property
    def armed(self) -> bool:
        """Whether the device is armed and not about to be disarmed."""
        return self.state is ConnectionState.ARMED

    @property
    def is_disarmed(self) -> bool:
        """Whether the device is known to follow no goals: it is disarmed, stopped or limp."""
        return self.state in AT_REST

    def request(self, desired: DesiredState, channels: Collection[int] | None = None) -> None:
        """Change the desired state of these channels (None: all). If this changes anything and needs a
        command, the next `speak` sends it without waiting for an older answer.
        """
        requested_channels = self._all if channels is None else frozenset(channels)
        if desired is self._desired and requested_channels == self._channels_meant:
            return
        before = self.state
        self._desired, self._channels_meant = desired, requested_channels
        self.state = self._transitions[before, desired]
        self._requested(before)

    def _confirm(self, is_confirmed: bool = True) -> None:
        """Record that the device is in the desired state, or with `is_confirmed` False that it is in another
        state.
        """
        self.state = (CONFIRMED if is_confirmed else PENDING)[self._desired]

    def _stopped(self) -> None:
        """Record that the device has been stopped; what was requested since is pending."""
        self.state = ConnectionState.STOPPED
        if self._desired is not DesiredState.STOPPED:
            self.state = self._transitions[self.state, self._desired]

    def fail(self, fault: Fault, detail: str) -> None:
        """Record a fault. An earlier one stays, unless only the new one makes the connection unusable."""
        if self.fault_report is None or (self.alive and fault not in RECOVERABLE):
            self.fault_report = FaultReport(fault, detail)

    def readings(self) -> Sequence[Readings]:
        """Newest readings of each channel's servo (channels,), by quantity, apart from its position: volts,
        degrees Celsius, share of the maximum load, amperes; empty without readings.
        """
        return ({},) * len(self._device.channels)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about what the device did, as sentences; none by default."""
        return ()

    def sent(self, raw: Sequence[float | None]) -> Raw:
        """Goal positions `raw` (channels,) as they will be sent to servos, clamped to what servos accept if
        the protocol knows that; None for no goal.
        """
        return tuple(raw)

    @property
    def homing_offsets(self) -> tuple[int | None, ...]:
        """Homing offset that each channel's servo stores (channels,); None if not known, or if the servo has
        none.
        """
        return (None,) * len(self._device.channels)

    @property
    def releases(self) -> bool:
        """Whether the servos' torque can be switched off."""
        return True

    @property
    @abstractmethod
    def measures(self) -> bool:
        """Whether the servos measure their positions."""

    @property
    @abstractmethod
    def _is_set_up(self) -> bool:
        """Whether the device is identified and configured."""

    @abstractmethod
    def _requested(self, before: ConnectionState) -> None:
        """Hook: the desired state has changed while the connection was in the state `before`."""

    @property
    def unread_for(self) -> float:
        """Age [s] of the oldest move that the device has not read; 0 without one, or if the protocol's line
        and device cannot store moves.
        """
        return 0.0

    @property
    def speed_scale(self) -> float:
        """Factor, 0 to 1, of the motion's speed: less while moves are unread, since all of them would arrive
        at once, and Stop behind them. At 0 no move may be sent.
        """
        return 1.0

    @abstractmethod
    def measured(self) -> Raw:
        """Last measured raw position of each channel (channels,); None if not measured."""

    @abstractmethod
    def pose(self, time: float) -> Raw:
        """Current raw position of each channel (channels,): measured, or else that of the pulse that holds
        it; None if not known.
        """

    @abstractmethod
    def listen(self, time: float) -> None:
        """Process the bytes that have arrived from the device. Faults that these report, or a silence that is
        too long, become the connection's fault.
        """

    @abstractmethod
    def move(self, time: float, raw: Sequence[float | None]) -> None:
        """Send goal positions (channels,) to armed servos, unless the line or the device is still busy; None:
        no goal for that channel.
        """

    @abstractmethod
    def speak(self, time: float) -> None:
        """Send everything that is due to the device, except moves."""

    @abstractmethod
    def acknowledge_fault(self, time: float) -> None:
        """Clear a recoverable fault at the user's request; a lost connection stays lost."""

    @abstractmethod
    def close(self, time: float) -> None:
        """Close the port. If the device may still receive a command and is neither disarmed nor stopped,
        first disarm it (release the servos that go limp), or stop it again if it is stopping. Moves without
        an answer count as lost.
        """

    def _receive(self) -> bytes | None:
        """The bytes that have arrived; None if the port has failed, which is recorded as the fault."""
        try:
            return self._transport.read()
        except TransportError as error:
            self.fail(error.fault, error.detail)
            return None

    def _transmit(self, data: bytes) -> bool:
        """Send bytes; returns False if the port did not accept them. An error of the port is recorded as the
        fault.
        """
        try:
            return self._transport.write(data)
        except TransportError as error:
            self.fail(error.fault, error.detail)
            return False
