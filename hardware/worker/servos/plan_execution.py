"""Execution of plans: exchanges sent in sequence, each repeated until it is answered. Independent of
ports and clocks.
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

    Attributes:
        missing: Ids of the servos that did not answer the last exchange sent; None for the controller.
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self.missing: list[int | None] = []
        self._left = deque(exchanges)
        self._tries = 0

    def hear(self, messages: Iterable[Message]) -> None:
        """Process messages received from the device: record the servos whose answers are missing."""
        for message in messages:
            if isinstance(message, Problem) and message.kind is ProblemKind.MISSING:
                self.missing.append(message.servo)

    def advance(self, dialogue: Dialogue) -> PlanOutcome:
        """Send the next exchange, or repeat the last one, unless an answer is still awaited; returns the
        progress.
        """
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
        plan: Yields groups of exchanges.
    """

    def __init__(self, plan: Iterator[tuple[Exchange, ...]]) -> None:
        self._plan = plan
        self._sequence = ExchangeSequence(())

    @property
    def missing(self) -> list[int | None]:
        """Ids of the servos that did not answer the last exchange sent; None for the controller."""
        return self._sequence.missing

    def hear(self, messages: Iterable[Message]) -> None:
        """Process messages received from the device: record the servos whose answers are missing."""
        self._sequence.hear(messages)

    def advance(self, dialogue: Dialogue) -> PlanOutcome:
        """Send the next exchange, or repeat the last one, unless an answer is still awaited; returns the
        progress. Raises what the plan raises.
        """
        while (outcome := self._sequence.advance(dialogue)) is PlanOutcome.DONE:
            exchanges = next(self._plan, None)
            if exchanges is None:
                return PlanOutcome.DONE
            self._sequence = ExchangeSequence(exchanges)
        return outcome
