"""Statistics of sent moves and their acknowledgements. Knows no Blender."""

from __future__ import annotations

from .statistics import Durations


class Moves:
    """Counts moves and acknowledgements over all connections of a worker.

    Attributes:
        sent: Number of moves sent.
        acknowledged: Number of moves that the device accepted.
        lost: Number of moves that were refused, not answered, or not accepted by the port.
        answer_times: Durations from sending to the answer.
    """

    def __init__(self) -> None:
        self.sent = 0
        self.acknowledged = 0
        self.lost = 0
        self.answer_times = Durations()
        self._waiting: dict[int, float] = {}  # sequence number -> when sent [s], oldest first

    @property
    def waiting(self) -> int:
        """Number of unanswered moves."""
        return len(self._waiting)

    def is_waiting(self, sequence: int) -> bool:
        return sequence in self._waiting

    def send(self, sequence: int, now: float, taken: bool) -> None:
        """Record that a move was sent; `taken`: the port accepted it."""
        self.sent += 1
        if taken:
            self._waiting[sequence] = now
        else:
            self.lost += 1

    def answer(self, answered: int, accepted: bool, now: float) -> None:
        """Record the answer to a waiting move. Answers come in order, so earlier moves were not answered."""
        for sequence in list(self._waiting):
            sent = self._waiting.pop(sequence)
            if sequence == answered and accepted:
                self.acknowledged += 1
                self.answer_times.add(now - sent)
            else:
                self.lost += 1
            if sequence == answered:
                return

    def give_up(self) -> None:
        """Count all unanswered moves as lost."""
        self.lost += len(self._waiting)
        self._waiting.clear()
