"""What the worker reports to Blender, and what Blender's side makes of it. Knows no Blender."""

from __future__ import annotations

from dataclasses import dataclass

from .safety import DRIVEN, Fault, State


@dataclass(frozen=True, slots=True)
class Status:
    """The link at one moment, cheap to ask for.

    Attributes:
        state: Where the link stands.
        sentence: What that is and what to do about it.
        fault: Why, in FAULT and WORKER_LOST.
        commanded: Angles last sent to the device (channels,) [rad]; None while it is not driven.
        reported: Angles that the device says it is at (channels,) [rad]; None where it cannot tell or has not yet.
        sent: Frames of angles sent to the device since it was connected.
        acknowledged: How many of them the device acknowledged.
        lost: How many it did not acknowledge in time.
        refused: Frames from Blender that were not usable (an angle that is not a number).
        clamped: Frames from Blender with an angle out of its channel's range; it was held at the range's end.
        late_ms_p50: Median lateness of the worker's 100 Hz loop [ms].
        late_ms_p99: Its 99th percentile [ms].
        ack_ms_p50: Median time from sending angles to their acknowledgement [ms].
    """

    state: State
    sentence: str
    fault: Fault = Fault.NONE
    commanded: tuple[float, ...] | None = None
    reported: tuple[float, ...] | None = None
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
        """Whether the servos are being driven."""
        return self.state in DRIVEN
