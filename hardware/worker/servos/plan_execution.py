"""Execution of plans: exchanges sent in sequence, each repeated until it is answered. Knows no port and no
clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum

from ...protocols.dialogue import Dialogue
from ...protocols.interface import Exchange, Message, Problem, ProblemKind

TRIES = 3  # number of tries of an exchange; noise may destroy one of them, but hardly three


class PlanOutcome(Enum):
    """Progress of a sequence of exchanges: running, done or failed."""

    GOING = "going on"
    DONE = "done"
    FAILED = "failed"


class ExchangeSequence:
    """Sends exchanges in order; one that is not fully answered is repeated, and fails the sequence after
    TRIES.

    Args:
        exchanges: The exchanges, in order.
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self.missing: list[int | None] = []  # servos that did not answer the exchange that failed
        self._left = deque(exchanges)
        self._tries = 0

    def hear(self, messages: Iterable[Message]) -> None:
        """Process messages received from the device: mark the exchanges that they answer."""
        for message in messages:
            if isinstance(message, Problem) and message.kind is ProblemKind.MISSING:
                self.missing.append(message.servo)

    def advance(self, dialogue: Dialogue) -> PlanOutcome:
        """Send the next exchange, unless one is unanswered; returns the progress."""
        if dialogue.busy:
            return PlanOutcome.GOING
        if self._tries and not self.missing:
            self._left.popleft()
            self._tries = 0
        if not self._left:
            return PlanOutcome.DONE
        if self._tries == TRIES:
            return PlanOutcome.FAILED
        self._tries += 1
        self.missing.clear()
        dialogue.ask((self._left[0],))
        return PlanOutcome.GOING


class PlanExecution:
    """Executes a plan: takes the next group of exchanges when the last one was answered.

    Args:
        plan: Yields groups of exchanges; `advance` raises what it raises.
    """

    def __init__(self, plan: Iterator[tuple[Exchange, ...]]) -> None:
        self._plan = plan
        self._job = ExchangeSequence(())

    @property
    def missing(self) -> list[int | None]:
        """Servos that did not answer their last exchange."""
        return self._job.missing

    def hear(self, messages: Iterable[Message]) -> None:
        """Process messages received from the device: mark the exchanges that they answer."""
        self._job.hear(messages)

    def advance(self, dialogue: Dialogue) -> PlanOutcome:
        """Send the next exchange, unless one is unanswered; returns the progress."""
        while (outcome := self._job.advance(dialogue)) is PlanOutcome.DONE:
            exchanges = next(self._plan, None)
            if exchanges is None:
                return PlanOutcome.DONE
            self._job = ExchangeSequence(exchanges)
        return outcome
