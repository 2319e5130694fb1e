"""Reads Blender's messages in the worker: Stop, joint values, and commands one at a time. Independent of
ports and clocks.
"""

from __future__ import annotations

import math
from collections import deque

from ..memory import SharedMemory
from ..messages import Orders, Request
from ..safety import HELD_UP_AFTER, Command
from .command_buffer import CommandBuffer


class OrdersReader:
    """Reads Blender's messages: joint values go to the command buffer, and commands into a queue.

    Args:
        memory: The memory that the worker shares with Blender.
        buffer: Receives the joint values.
        time: Current time [s].

    Attributes:
        blender_seen: Time [s] of Blender's last heartbeat.
    """

    def __init__(self, memory: SharedMemory, buffer: CommandBuffer, time: float) -> None:
        self.blender_seen = time
        self._memory = memory
        self._buffer = buffer
        self._stops = 0
        self._requests: deque[Request] = deque()  # commands that wait to be executed
        self._blender_beat = 0
        self._frame = 0
        # stamp of the newest frame; frames with the same stamp are heartbeats
        self._stamp = math.nan

    @property
    def is_stop_pressed(self) -> bool:
        """Whether Stop was pressed since the last reading."""
        return self._memory.stops != self._stops

    def drop_requests(self) -> None:
        """Drop the waiting commands."""
        self._requests.clear()

    def read(self, time: float, last_step: float) -> tuple[bool, Request]:
        """(whether Stop was pressed, the command to execute now; `Request()` for none). Also notices
        heartbeats, and passes new joint values to the buffer.

        Args:
            time: Current time [s].
            last_step: Time of the last reading [s].
        """
        stops = self._memory.stops
        stop, self._stops = stops != self._stops, stops
        orders = self._memory.read_orders()
        if orders is None:
            return stop, Request()
        if orders.beat != self._blender_beat:
            self._blender_beat, self.blender_seen = orders.beat, time
        if orders.frame != self._frame:
            self._take_frame(orders, time, last_step)
        self._buffer.advance(time)
        return stop, self._next_request(stop or time - last_step > HELD_UP_AFTER)

    def _take_frame(self, orders: Orders, time: float, last_step: float) -> None:
        self._frame = orders.frame
        repeated, self._stamp = orders.stamp == self._stamp, orders.stamp
        # clocks of two processes agree on the usual systems; if not, the frame still arrived since the last
        # period
        stamp = min(max(orders.stamp, last_step), time)
        self._buffer.take(stamp, orders.motion, time, repeated, orders.plays, orders.step, orders.due)

    def _next_request(self, voids: bool) -> Request:
        """The command to execute now: one at a time, in order. Disarm cancels all other waiting commands;
        with `voids` all are cancelled. A log that overflowed counts as Disarm.
        """
        new = self._memory.read_requests()
        self._requests += filter(
            self._is_valid, [Request(Command.DISARM, stops=self._stops)] if new is None else new
        )
        disarm = next((request for request in self._requests if request.command is Command.DISARM), None)
        if voids or disarm is not None:
            self._requests.clear()
        if disarm is not None and not voids:
            return disarm
        return self._requests.popleft() if self._requests else Request()

    def _is_valid(self, request: Request) -> bool:
        """Whether a command was given after the last Stop, its target is an existing joint or channel, and
        its amount and values are finite.
        """
        device = self._memory.device
        count = len(device.channels) if request.command is Command.WIGGLE else len(device.joints)
        return (
            request.stops == self._stops
            and 0 <= request.target < count
            and all(map(math.isfinite, (request.amount, *request.values)))
        )
