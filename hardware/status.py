"""Status of the robot link for its host, Blender or the player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .safety import DRIVEN, Fault, State


class ChannelStatus(NamedTuple):
    """State of a channel's servo; None for values that are unknown or not measured.

    Attributes:
        commanded: Last raw position sent; None while the robot is not driven.
        measured: Raw position that the servo reports.
        error: Signed distance from the range of recently commanded positions [rad of the servo], 0 within it.
        homing_offset: Offset that the servo stores [raw units].
        temperature: Temperature [degrees Celsius].
        voltage: Supply voltage [V].
        load: Share of the maximum load, signed by direction.
        current: Current [A].
    """

    commanded: float | None = None
    measured: float | None = None
    error: float | None = None
    homing_offset: float | None = None
    temperature: float | None = None
    voltage: float | None = None
    load: float | None = None
    current: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """State of the robot link at one time.

    Attributes:
        state: State of the link.
        sentence: Sentence about the state, and what to do.
        fault: The fault, in the states FAULT and WORKER_LOST; else `Fault.NONE`.
        commanded: Values last sent (joints,), each in its joint's unit; None while the robot is not driven,
            or in SETUP.
        measured: Measured joint values (joints,); None if one of them is unknown.
        positions: Measured value of each joint (joints,); None if unknown.
        channels: Status of each channel (channels,).
        warnings: Warnings, as sentences.
        confirmed: In CONFIRM_POSE: whether the user has confirmed each joint (joints,).
        is_reached: Whether the robot is connected, with or without a fault; if not, nothing is known of it.
        needs_confirmation: In DISARMED: whether the user must confirm the robot's pose before it can be
            armed.
        sent: Number of moves sent to the device.
        acknowledged: Number of moves that the device acknowledged.
        lost: Number of moves that were refused, not answered, or not accepted by the port.
        refused: Number of unusable frames from Blender (a value that is not finite).
        clamped: Number of frames from Blender with a value out of its range, which was clamped.
        late_ms_p50: Median lateness of the worker's 100 Hz loop [ms].
        late_ms_p99: 99th percentile of that lateness [ms].
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
    is_reached: bool = False
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
