"""Finds out which moves a daemon has read, although it does not answer them: a numbered WebSocket ping
follows each move.
"""

from __future__ import annotations

from collections import deque

from ..safety import HOLD_AFTER
from .connection import AWAY, Moves

# [s] age of the oldest unread move from which the motion slows down, to a standstill at `HOLD_AFTER`: more
# than a move needs in most networks
SLOWER_AFTER = 0.05
RECOVERY_TIME = 1.0  # [s] time in which a motion that was stopped regains its speed
LATE_AFTER = 0.1  # [s] age of an unread move from which the daemon counts as slow
SLOW_FOR = 1.0  # [s] time for which a daemon counts as slow after it has read a move late
BYTES = 8  # [bytes] size of a move's number, the content of its ping


class NumberedMoves:
    """The moves that a daemon has not read yet.

    A daemon that answers pings has read the moves before the newest ping that it has answered. One that has
    answered none, not even the first, which comes before all moves, is taken to have read what was sent
    before its newest positions.

    In each of its steps the worker calls `listen`, then sends one move at most: `next_ping`, `record`.

    Args:
        moves: The statistics of moves: one counts as acknowledged when the daemon has read it.
        time: Current time [s].

    Attributes:
        unread_for: Age [s] of the oldest unread move; 0 without one. Time in which the worker itself was held
            up does not count.
        speed_scale: Factor, 0 to 1, of the motion's speed: less the older that move is, and growing slowly.
    """

    def __init__(self, moves: Moves, time: float) -> None:
        self.unread_for = 0.0
        self.speed_scale = 1.0
        self._moves = moves
        self._number = 0  # number of the newest move
        self._read: int | None = None  # number of the newest move that an answered ping shows as read
        # number of each unread move, and when it was sent, by `_clock`
        self._unread: deque[tuple[int, float]] = deque()
        self._time = time
        self._clock = 0.0  # [s] time in which the worker was not held up
        self._slow_until = 0.0  # [s] by `_clock`

    @property
    def is_slow(self) -> bool:
        """Whether a move was unread for more than LATE_AFTER at some time within the last SLOW_FOR."""
        return self._clock < self._slow_until

    @property
    def has_answered(self) -> bool:
        """Whether the daemon has answered a ping."""
        return self._read is not None

    @property
    def first_ping(self) -> bytes:
        """Content of the ping before the first move."""
        return bytes(BYTES)

    def next_ping(self) -> bytes:
        """Content of the ping to send after the next move. It counts up the number of moves."""
        self._number += 1
        return self._number.to_bytes(BYTES, "big")

    def record(self, time: float, taken: bool) -> None:
        """Record that the newest move was sent at `time` [s]; `taken`: the network accepted it."""
        self._moves.send(self._number, time, taken)
        if taken:
            self._unread.append((self._number, self._clock))

    def listen(self, answered: bytes, has_positions: bool, time: float) -> None:
        """Record what has come until `time` [s]: the content of the newest answered ping, and whether there
        are new positions.
        """
        passed, self._time = min(time - self._time, AWAY), time
        self._clock += passed
        number = int.from_bytes(answered, "big")
        if len(answered) == BYTES and number <= self._number:  # another content answers no ping of a move
            self._read = max(number, self._read or 0)
        read = self._number if self._read is None and has_positions else self._read or 0
        self._moves.acknowledge_to(read, time)
        while self._unread and self._unread[0][0] <= read:
            self._unread.popleft()
        self.unread_for = self._clock - self._unread[0][1] if self._unread else 0.0
        largest = (HOLD_AFTER - self.unread_for) / (HOLD_AFTER - SLOWER_AFTER)
        self.speed_scale = max(0.0, min(largest, 1.0, self.speed_scale + passed / RECOVERY_TIME))
        if self.unread_for > LATE_AFTER:
            self._slow_until = self._clock + SLOW_FOR
