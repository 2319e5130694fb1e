"""What every connection to a robot has in common: what is wanted of it, what became of that, what is wrong. Knows no Blender.

A channel's position here is raw, as `device.Channel` says. No connection reads a clock: every call is told the time [s], so that tests run
it in simulated time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from enum import Enum

from ..device import Device
from ..protocols.interface import Quantity
from ..safety import Fault, Trouble
from ..transport import Transport, TransportError
from .moves import Moves

GREET_FOR = 5.0  # [s] until a port counts as silent
POLL_EVERY = 0.05  # [s] while nothing moves: fresh positions, and a pulled cable is noticed
READ_EVERY = 0.02  # [s] while the robot is moved by hand
SILENT_AFTER = 0.5  # [s] without an answer: by then the device's own watchdog, where it has one, has ended the motion
AWAY = 0.1  # [s] between two turns: the worker was held up
POSE_FRESH = 0.25  # [s] positions older than this are not where the robot is
COMPLAINTS = (  # the connection itself still works
    Fault.DEVICE_RESET,
    Fault.DEVICE_WATCHDOG,
    Fault.DEVICE_REFUSED,
    Fault.POSE_UNREAD,
    Fault.BLOCKED,
    Fault.WRONG_MODE,
    Fault.POSITION_DOUBTFUL,
    Fault.SERVO_FORGOT,
    Fault.WENT_ON,
)

Raw = tuple[float | None, ...]
Readings = Mapping[Quantity, float]


class Want(Enum):
    """What the device is to do."""

    QUIET = "disarmed"
    ARMED = "armed"
    STOPPED = "stopped"
    LIMP = "limp"


class Talk(ABC):
    """A connection from its first word to its end.

    Args:
        device: The robot's description.
        transport: An open connection; closed with `close`.
        moves: Where they are counted.
        now: [s].

    Attributes:
        trouble: What is wrong; the first reason stays.
    """

    def __init__(self, device: Device, transport: Transport, moves: Moves, now: float) -> None:
        self.trouble: Trouble | None = None
        self._device = device
        self._transport = transport
        self._moves = moves
        self._began = now
        self._want = Want.QUIET
        self._all = frozenset(range(len(device.channels)))
        self._wanted = self._all  # the channels that are meant
        self._settled = False

    @property
    def connected(self) -> bool:
        """Whether the device has said who it is, knows its channels and is well."""
        return self._is_set_up and self.trouble is None

    @property
    def alive(self) -> bool:
        """Whether the connection can still be used."""
        return self.trouble is None or self.trouble.fault in COMPLAINTS

    @property
    def armed(self) -> bool:
        """Whether the device is wanted armed and is."""
        return self._want is Want.ARMED and self._settled

    @property
    def quiet(self) -> bool:
        """Whether the device is disarmed, or stopped, as wanted."""
        return self._want is not Want.ARMED and self._settled

    def want(self, want: Want, channels: Collection[int] | None = None) -> None:
        """Change what the device is to do with these channels (None: all); the next `speak` says so without waiting for an older answer."""
        wanted = self._all if channels is None else frozenset(channels)
        if want is self._want and wanted == self._wanted:
            return
        before = self._want
        self._want, self._wanted = want, wanted
        self._change(before)

    def fail(self, fault: Fault, detail: str) -> None:
        """The first reason stays."""
        if self.trouble is None:
            self.trouble = Trouble(fault, detail)

    def readings(self) -> Sequence[Readings]:
        """What is known of each channel's servo besides where it is: volts, degrees Celsius, share of the greatest load, amperes."""
        return ({},) * len(self._device.channels)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about what the device did."""
        return ()

    @property
    def releases(self) -> bool:
        """Whether servos can be made limp."""
        return True

    @property
    @abstractmethod
    def measures(self) -> bool:
        """Whether the servos measure where they are."""

    @property
    @abstractmethod
    def _is_set_up(self) -> bool:
        """Whether the device knows its channels."""

    @abstractmethod
    def _change(self, before: Want) -> None:
        """Another thing is wanted than `before`."""

    @abstractmethod
    def measured(self) -> Raw:
        """Where the servos were measured last (channels,); None where they were not."""

    @abstractmethod
    def pose(self, now: float) -> Raw:
        """Where the servos are (channels,), as far as that is known now: measured, or else where a pulse holds them."""

    @abstractmethod
    def listen(self, now: float) -> None:
        """Take in what the device has said."""

    @abstractmethod
    def move(self, now: float, raw: Sequence[float | None]) -> None:
        """Send armed servos to these positions (channels,), unless the line or the device is behind; None: leave that one alone."""

    @abstractmethod
    def speak(self, now: float) -> None:
        """Say what is due besides moves."""

    @abstractmethod
    def forget_complaint(self, now: float) -> None:
        """The user took note of what the device did; a lost connection stays lost."""

    @abstractmethod
    def close(self, now: float) -> None:
        """Give the port back, after a last word to a device that may still hear."""

    def _receive(self) -> bytes | None:
        """What has arrived; None where the port has failed."""
        try:
            return self._transport.read()
        except TransportError as error:
            self.fail(error.fault, error.detail)
            return None

    def _transmit(self, data: bytes) -> bool:
        """Send; False where the port did not take it."""
        try:
            return self._transport.write(data)
        except TransportError as error:
            self.fail(error.fault, error.detail)
            return False
