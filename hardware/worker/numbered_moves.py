"""Finds out which moves a daemon has read that answers none: a WebSocket ping with a number follows each."""

from __future__ import annotations

import math

from .connection import AWAY, UNREAD_WITHIN, Moves

SLOW_FOR = 1.0  # [s] time for which a daemon counts as slow after it has read a move late
BYTES = 8  # [bytes] size of a move's number, the content of its ping


class NumberedMoves:
    """Numbers moves, and finds out which of them the daemon has read.

    A daemon that answers pings has read the moves before the newest ping that it has answered. One that
    answers none, although positions come, is taken to have read what was sent before these.

    Args:
        moves: The statistics of moves: one counts as acknowledged when the daemon has read it.
        time: Current time [s].
    """

    def __init__(self, moves: Moves, time: float) -> None:
        self._moves = moves
        self._number = 0  # of the newest move
        self._read: int | None = None  # number of the newest move that an answered ping shows as read
        self._back_at, self._late_at = time, -math.inf

    @property
    def ping(self) -> bytes:
        """Content of the ping after the newest move."""
        return self._number.to_bytes(BYTES, "big")

    def next_ping(self) -> bytes:
        """Content of the ping after the next move, which is the newest from now on."""
        self._number += 1
        return self.ping

    def sent(self, time: float, taken: bool) -> None:
        """Record that the newest move was sent at `time` [s]; `taken`: the network accepted it."""
        self._moves.send(self._number, time, taken)

    def answered(self, content: bytes, has_positions: bool, time: float) -> None:
        """Record the content of the newest answered ping, and whether positions have just come."""
        number = int.from_bytes(content, "big")
        if len(content) == BYTES and number <= self._number:  # another content answers no ping of a move
            self._read = max(number, self._read or 0)
        if self._read is not None:
            self._moves.acknowledge_to(self._read, time)
        elif has_positions:
            self._moves.acknowledge_to(self._number, time)
        if self.unread_for(time) > UNREAD_WITHIN:
            self._late_at = time

    def is_slow(self, time: float) -> bool:
        """Whether the daemon has lately read moves too late."""
        return time - self._late_at < SLOW_FOR

    def was_away(self, time: float) -> None:
        """Record that the worker was held up until `time` [s], and did not see what the daemon has read."""
        self._back_at = time - AWAY

    def unread_for(self, time: float) -> float:
        """Age [s] of the oldest unread move; 0 without one."""
        since = self._moves.waiting_since
        return 0.0 if since is None else time - max(since, self._back_at)
