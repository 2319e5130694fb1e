"""The worker's reports to Blender. Independent of ports and clocks."""

from __future__ import annotations

from collections.abc import Sequence

from ..memory import SharedMemory
from ..messages import Report
from ..mixing import Mixing
from ..protocols.interface import Quantity
from ..safety import Safety
from ..status import ChannelStatus
from .command_buffer import CommandBuffer
from .connection import Connection, Durations, Moves, Raw, Readings
from .monitors import PoseConfirmation, TrackingErrorMonitor
from .motion_controller import MotionController

# reported quantities, in the order of the attributes of `ChannelStatus`
READINGS = (Quantity.TEMPERATURE, Quantity.VOLTAGE, Quantity.LOAD, Quantity.CURRENT)
PERCENTILES_EVERY = 50  # number of periods between two updates of the reported percentiles


class Reporter:
    """Writes a report in each period.

    Args:
        memory: The memory that the worker shares with Blender.
        moves: Statistics of moves and their acknowledgements.
        buffer: Command buffer, with the counts of refused and clamped joint values.
        pose: Confirmed positions of joints.
        tracking: Tracking errors of the channels.

    Attributes:
        late: Statistics of the lateness of the worker's steps [s].
    """

    def __init__(
        self,
        memory: SharedMemory,
        moves: Moves,
        buffer: CommandBuffer,
        pose: PoseConfirmation,
        tracking: TrackingErrorMonitor,
    ) -> None:
        self.late = Durations()
        self._memory = memory
        self._moves = moves
        self._buffer = buffer
        self._pose = pose
        self._tracking = tracking
        self._beat = 0
        self._percentiles: tuple[float, ...] = (0.0, 0.0, 0.0)

    def write(
        self,
        connection: Connection | None,
        controller: MotionController | None,
        safety: Safety,
        mixing: Mixing,
        needs_confirmation: bool,
        warnings: tuple[str, ...],
    ) -> None:
        """Write the report of this period.

        Args:
            connection: Connection to the robot; None if there is none.
            controller: Controller that drives the robot; None if the robot is not driven.
            safety: State and fault.
            mixing: Conversion between joints' and channels' positions.
            needs_confirmation: Whether the user must confirm the robot's pose before it can be armed.
            warnings: Sentences for the user.
        """
        self._beat += 1
        if self._beat % PERCENTILES_EVERY == 1:
            shares = ((self.late, 0.5), (self.late, 0.99), (self._moves.answer_times, 0.5))
            self._percentiles = tuple(1e3 * times.percentile(share) for times, share in shares)
        late_p50, late_p99, answer_p50 = self._percentiles
        count = len(self._memory.device.channels)
        measured: Raw = (None,) * count
        if connection is not None and connection.measures:
            measured = connection.measured()
        self._memory.write_report(
            Report(
                beat=self._beat,
                state=safety.state,
                fault=safety.fault,
                detail=safety.detail,
                sent=self._moves.sent,
                acknowledged=self._moves.acknowledged,
                lost=self._moves.lost,
                refused=self._buffer.refused,
                clamped=self._buffer.clamped,
                late_ms_p50=late_p50,
                late_ms_p99=late_p99,
                ack_ms_p50=answer_p50,
                commanded=None if controller is None else controller.commanded,
                positions=mixing.values(measured),
                confirmed=self._pose.confirmed,
                is_reached=connection is not None and _is_reached(connection),
                needs_confirmation=needs_confirmation,
                channels=self._channels(connection, controller, measured),
                warnings=warnings,
            )
        )

    def _channels(
        self, connection: Connection | None, controller: MotionController | None, measured: Raw
    ) -> tuple[ChannelStatus, ...]:
        """Status of each channel; `measured`: raw positions (channels,)."""
        count = len(measured)
        commanded: Raw = (None,) * count if controller is None else controller.raw
        readings: Sequence[Readings] = ({},) * count
        offsets: Raw = (None,) * count
        if connection is not None:
            commanded, readings = connection.sent(commanded), connection.readings()
            offsets = connection.homing_offsets
        return tuple(
            ChannelStatus(sent, position, error, offset, *(reading.get(quantity) for quantity in READINGS))
            for sent, position, error, reading, offset in zip(
                commanded, measured, self._tracking.errors, readings, offsets, strict=True
            )
        )


def _is_reached(connection: Connection) -> bool:
    """Whether the robot is connected: it is set up, or has a fault in spite of which the connection works."""
    return connection.connected or (connection.fault_report is not None and connection.alive)
