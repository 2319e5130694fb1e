"""Status of the robot link for Blender. Knows no Blender."""

from __future__ import annotations

from dataclasses import dataclass

from .safety import DRIVEN, Fault, State


@dataclass(frozen=True, slots=True)
class ChannelStatus:
    """State of a channel; None: unknown, or not measured by its servo.

    Attributes:
        commanded: Raw position sent last.
        measured: Raw position that the servo says it is at.
        error: By how much it stays behind what was commanded lately [rad of the servo].
        temperature: [degrees Celsius].
        voltage: [V].
        load: Share of the greatest, with the sign of its direction.
        current: [A].
    """

    commanded: float | None = None
    measured: float | None = None
    error: float | None = None
    temperature: float | None = None
    voltage: float | None = None
    load: float | None = None
    current: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """State of the link at one moment.

    Attributes:
        state: Where the link stands.
        sentence: What that is and what to do about it.
        fault: Why, in FAULT and WORKER_LOST.
        commanded: Values last sent (joints,), each in its joint's unit; None while the robot does not follow.
        measured: Values that the device says the joints are at (joints,); None where it cannot tell of all, or has not yet.
        positions: The same joint by joint, None for those that are not known.
        channels: What is known of each channel (channels,).
        warnings: What is about to go wrong, in sentences.
        confirmed: In CONFIRM_POSE: which joints the user has confirmed (joints,).
        asks: In DISARMED: to be armed, it has to be confirmed where the robot is.
        sent: Frames of positions sent to the device since it was connected.
        acknowledged: How many of them the device acknowledged.
        lost: How many it did not acknowledge in time.
        refused: Frames from Blender that were not usable (a value that is not a number).
        clamped: Frames from Blender with a value out of its range; it was held at the range's end.
        late_ms_p50: Median lateness of the worker's 100 Hz loop [ms].
        late_ms_p99: Its 99th percentile [ms].
        ack_ms_p50: Median time from sending positions to their acknowledgement [ms].
    """

    state: State
    sentence: str
    fault: Fault = Fault.NONE
    commanded: tuple[float, ...] | None = None
    measured: tuple[float, ...] | None = None
    positions: tuple[float | None, ...] = ()
    channels: tuple[ChannelStatus, ...] = ()
    warnings: tuple[str, ...] = ()
    confirmed: tuple[bool, ...] = ()
    needs_confirmation: bool = False
    sent: int = 0
    acknowledged: int = 0
    lost: int = 0
    refused: int = 0
    clamped: int = 0
    late_ms_p50: float = 0.0
    late_ms_p99: float = 0.0
    ack_ms_p50: float = 0.0

    @property
    def moving(self) -> bool:
        """Whether servos are being driven."""
        return self.state in DRIVEN
