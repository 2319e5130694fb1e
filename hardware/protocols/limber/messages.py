"""The messages of Limber's own protocol, independent of their encoding.

A pulse width is in microseconds; `None` is a pulse that is not sent, or not given. docs/protocol.md has the
rules of a session.
"""

from dataclasses import dataclass
from enum import IntEnum, IntFlag

# exported from this module too; all protocols share this error
from ..interface import ProtocolError as ProtocolError

VERSION = 1
MAX_CHANNELS = 24  # largest number of channels of a device
# number of the wire's units in a microsecond; a unit is 1/90 of a degree on a common servo, and a whole
# number of ticks on every timer
UNITS_PER_US = 8
MAX_US = 0xFFFF / UNITS_PER_US  # [us] longest pulse that a message can contain
NAME_BYTES = 24  # [bytes] longest name of a device


class MessageKind(IntEnum):
    """Type of a message, as the byte in its frame; 0x80 and above come from the device."""

    HELLO = 0x01
    CONFIGURE = 0x02
    ARM = 0x03
    MOVE = 0x04
    DISARM = 0x05
    STOP = 0x06
    POLL = 0x07
    WELCOME = 0x81
    WRONG_VERSION = 0x82
    REPORT = 0x83


class DeviceState(IntEnum):
    """State of the device, as its reports give it."""

    DISARMED = 0
    ARMED = 1
    HOLDING = 2  # armed, but no move came within the watchdog's time; ARM continues
    FAULT = 3  # latched; DISARM or HELLO clears it


class Reason(IntFlag):
    """Causes of the device's state, and limits that it applies."""

    SILENCE = 0x01  # the watchdog ended the motion
    STOPPED = 0x02  # a STOP was received
    CLAMPED = 0x04  # a position of the newest move is outside its channel's range
    SLOWED = 0x08  # a channel lags behind its move because of its speed limit
    NO_SESSION = 0x10  # no handshake since the device was reset
    HARDWARE = 0x20  # the device itself has a fault (its supply, a servo on its bus)


class DeviceResult(IntEnum):
    """Result of the command to which a report is the answer."""

    ACCEPTED = 0
    NO_SESSION = 1
    WRONG_SESSION = 2
    NOT_ARMED = 3
    FAULT_LATCHED = 4
    NOT_DISARMED = 5
    NO_SUCH_CHANNEL = 6
    NOT_CONFIGURED = 7
    OUT_OF_RANGE = 8
    WRONG_LENGTH = 9
    UNKNOWN_KIND = 10


class OnSilence(IntEnum):
    """Behaviour of a channel's pulse while the device must not move."""

    HOLD = 0  # the pulse keeps its last width
    DETACH = 1  # the pulse ends, so that the servo has no torque


class Features(IntFlag):
    """Optional features of a device."""

    FEEDBACK = 0x01  # the device measures positions; reports contain them
    INTERPOLATION = 0x02  # the device interpolates over the interval of a move


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens a session; `session` is any number from 1 to 65535 other than the last one."""

    session: int
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Configure:
    """Settings of a channel: range [us], speed limit [us/s], and its pulse on silence."""

    channel: int
    lower_us: float
    upper_us: float
    speed_us_per_s: int
    on_silence: OnSilence


@dataclass(frozen=True, slots=True)
class Arm:
    """Arms the device, if `session` is the open one."""

    session: int


@dataclass(frozen=True, slots=True)
class Move:
    """Goal of each channel [us], to be reached after `interval_ms`; None leaves a channel as it is."""

    positions_us: tuple[float | None, ...]
    interval_ms: int = 0


@dataclass(frozen=True, slots=True)
class Disarm:
    """Ends motion and clears a fault; with `release` all pulses end, for any `on_silence`."""

    release: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends motion at once and latches a fault."""


@dataclass(frozen=True, slots=True)
class Poll:
    """Requests a report and changes nothing; it does not feed the watchdog."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """Identification of the device; the session is open."""

    session: int
    firmware: tuple[int, int]
    channels: int
    features: Features
    lowest_us: float
    highest_us: float
    period_us: int
    watchdog_ms: int
    name: str
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class WrongVersion:
    """The device does not support the protocol version of the HELLO; it supports `version`."""

    version: int
    firmware: tuple[int, int]

    def sentence(self) -> str:
        """Sentence for the user with both versions and the remedy."""
        remedy = (
            "flash the device with the firmware that came with this Limber"
            if self.version < VERSION
            else "update Limber"
        )
        return (
            f"The device speaks version {self.version} of Limber's protocol (its firmware is"
            f" {self.firmware[0]}.{self.firmware[1]}) and this Limber version {VERSION}: {remedy}"
        )


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """Answer to every frame but a HELLO that opens a session or has another version; also sent when the
    device restarts or its watchdog trips (`answers` is None).

    `answers` is the kind of the frame that it answers. `commanded_us` are the pulses being sent;
    `measured_us`, of the same length or empty, are the servos' measured positions.
    """

    answers: int | None
    result: int
    state: DeviceState
    reasons: Reason
    session: int  # 0 if there was none since the device was reset
    bad_frames: int  # damaged frames since the reset, modulo 65536
    commanded_us: tuple[float | None, ...]
    measured_us: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A valid frame that is no message of this protocol version; `result` is the device's answer to it."""

    kind: int
    payload: bytes
    result: DeviceResult


Message = Hello | Configure | Arm | Move | Disarm | Stop | Poll | Welcome | WrongVersion | DeviceReport


@dataclass(frozen=True, slots=True)
class MessageFrame:
    """A message with its sequence number, 0 to 255; an answer carries the number of the frame that it
    answers.
    """

    sequence: int
    message: Message | Unreadable
