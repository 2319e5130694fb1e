"""Messages between Blender and the worker; `message_codecs` encodes them as bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..motion import Kinematic
from .safety import Command, Fault, State
from .status import ChannelStatus


@dataclass(frozen=True, slots=True)
class Request:
    """A command with its arguments.

    Attributes:
        command: Command that the user requests.
        target: Index of the joint, or of the channel for WIGGLE.
        amount: Distance of a JOG, in the joint's unit.
        span: (lowest, highest) value of a TEST, in the joint's unit; NaN for a value near that end of the
            joint's range.
        free: Whether a JOG is limited only by the servo's range, and not by the joint's.
        channels: Indices of the channels to RELEASE; empty for all.
        values: Park pose for PARK (joints,).
        stops: Number of Stops when the command was given; a command older than the last Stop is ignored.
    """

    command: Command = Command.NOTHING
    target: int = 0
    amount: float = 0.0
    span: tuple[float, float] = (math.nan, math.nan)
    free: bool = False
    channels: frozenset[int] = frozenset()
    values: tuple[float, ...] = ()
    stops: int = 0


@dataclass(frozen=True, slots=True)
class Orders:
    """Message from Blender to the worker with the newest joint values. Commands are in a separate log, since
    all of them are executed.

    Attributes:
        beat: Number of Blender's heartbeats: every frame, command and query of the status.
        frame: Number of frames sent so far, repeated ones included; 0 before the first.
        stamp: Time of the newest frame of a motion [s, `clock.now`]; frames that repeat it do not change it.
        plays: Whether Blender plays, so that another frame is to follow.
        step: Unit of time [s] of the newest frame's velocities: the interval announced by the previous frame,
            or else by this one; 0 for the measured interval.
        due: Announced time [s] until the next frame; 0 if not known.
        motion: The newest frame (joints,), each in its joint's unit; with its velocity and acceleration per
            `step` where known, else 0.
    """

    beat: int
    frame: int
    stamp: float
    plays: bool
    step: float
    due: float
    motion: tuple[Kinematic, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Message from the worker to its host. Attributes that are not listed are as in `status.Status`.

    Attributes:
        beat: Number of the message, which shows that the worker runs.
        detail: Text that completes the sentence on the state and fault.
    """

    beat: int
    state: State
    fault: Fault
    detail: str
    sent: int
    acknowledged: int
    lost: int
    refused: int
    clamped: int
    late_ms_p50: float
    late_ms_p99: float
    ack_ms_p50: float
    commanded: tuple[float, ...] | None
    positions: tuple[float | None, ...]
    confirmed: tuple[bool, ...]
    is_reached: bool
    needs_confirmation: bool
    channels: tuple[ChannelStatus, ...]
    warnings: tuple[str, ...]

    @property
    def measured(self) -> tuple[float, ...] | None:
        """Measured values of all joints (joints,); None if one of them is unknown."""
        known = tuple(position for position in self.positions if position is not None)
        return known if len(known) == len(self.positions) else None
