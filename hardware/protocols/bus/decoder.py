"""Decodes answers of bus servos; recognises echoes, answers of other servos, and damage."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

from ..interface import (
    Acknowledged,
    Answer,
    AnswerKind,
    Exchange,
    Measured,
    Message,
    Problem,
    ProblemKind,
    ReportedError,
)
from ..stream import Broken, Skip, Stream, Wait, Whole
from .framing import Framing
from .instructions import StatusPacket
from .table import RegisterTable

ECHOES = 8  # number of the newest sent frames whose echo is recognised: goals and queries of one period


class BusDecoder:
    """The decoder of one connection to bus servos.

    Some adapters echo every byte that is sent. Such an echo equals the sent frame, and is skipped.

    Args:
        framing: The frame format.
        table: The registers and error texts.
    """

    def __init__(self, framing: Framing, table: RegisterTable) -> None:
        self._framing = framing
        self._table = table
        self._stream = Stream(self._look)
        self._open: list[Answer] = []  # answers that have not come yet
        self._answered: Counter[int] = Counter()
        self._longest = framing.longest
        self._echoes: deque[bytes] = deque(maxlen=ECHOES)

    @property
    def waiting(self) -> bool:
        return bool(self._open)

    def expect(self, exchange: Exchange) -> None:
        self._stream.forget()
        self._open = list(exchange.answers)
        self._answered.clear()
        self._echoes.append(exchange.data)
        single = max((self._framing.status_length(answer.size) for answer in exchange.answers), default=0)
        self._longest = max(single, *map(len, self._echoes))

    def feed(self, data: bytes) -> list[Message]:
        return self._read(self._stream.feed(data))

    def give_up(self) -> list[Message]:
        messages = self._read(self._stream.give_up())
        for answer in self._open:
            messages.append(
                Problem(ProblemKind.MISSING, f"Servo {answer.servo} did not answer", servo=answer.servo)
            )
        self._open.clear()
        return messages

    def _look(self, pending: bytearray) -> Wait | Skip | Whole | Broken:
        return self._framing.look(pending, self._longest)

    def _read(self, frames: list[bytes | Problem]) -> list[Message]:
        messages: list[Message] = []
        for item in frames:
            if isinstance(item, Problem):
                messages.append(item)
            elif item in self._echoes:
                self._echoes.remove(item)
            else:
                status = self._framing.status(item)
                if status is None:
                    messages.append(
                        Problem(ProblemKind.MALFORMED, f"A message that is no answer: {item.hex(' ')}", item)
                    )
                else:
                    messages += self._take(status)
        return messages

    def _take(self, status: StatusPacket) -> list[Message]:
        answer = next((answer for answer in self._open if answer.servo == status.servo), None)
        if answer is None:
            return [self._unexpected(status)]
        complete = len(status.data) == answer.size
        if not complete and (status.data or not status.error):
            text = f"Servo {status.servo} answered with {len(status.data)} bytes; {answer.size} were expected"
            return [Problem(ProblemKind.MALFORMED, text, status.data, status.servo)]
        self._open.remove(answer)
        self._answered[status.servo] += 1
        messages: list[Message] = [
            ReportedError(status.servo, text) for text in self._table.status_errors(status.error)
        ]
        if not complete or self._table.refused(status.error):
            return messages
        return messages + self._ANSWERS[answer.kind](self, answer, status)

    def _unexpected(self, status: StatusPacket) -> Problem:
        if self._answered[status.servo]:
            text = (
                f"Servo {status.servo} answered twice: two servos may have that id; connect them one by one"
                " and change one's id"
            )
        elif self._open:
            queried_servos = ", ".join(str(answer.servo) for answer in self._open)
            text = f"Servo {status.servo} answered where servo {queried_servos} was queried"
        else:
            text = f"Servo {status.servo} answered without a query"
        return Problem(ProblemKind.UNEXPECTED, text, status.data, status.servo)

    def _values(self, answer: Answer, status: StatusPacket) -> list[Message]:
        messages: list[Message] = []
        for quantity in answer.quantities:
            register = self._table.quantities[quantity]
            data = status.data[register.start - answer.start : register.end - answer.start]
            messages.append(Measured(status.servo, quantity, register.unpack(data)))
        return messages

    def _meaning(self, answer: Answer, status: StatusPacket) -> list[Message]:
        return [
            *self._values(answer, status),
            self._table.requirements.meaning(status.servo, answer.start, status.data),
        ]

    def _errors(self, answer: Answer, status: StatusPacket) -> list[Message]:
        return [
            Acknowledged(status.servo),
            *(ReportedError(status.servo, text) for text in self._table.register_errors(status.data)),
        ]

    def _held(self, answer: Answer, status: StatusPacket) -> list[Message]:
        lost_settings = (
            self._table.lost_setting(status.servo, expected, answer.start, status.data)
            for expected in answer.expected
        )
        return [Acknowledged(status.servo), *(message for message in lost_settings if message is not None)]

    _ANSWERS: dict[AnswerKind, Callable[[BusDecoder, Answer, StatusPacket], list[Message]]] = {
        AnswerKind.IDENTITY: lambda self, _, status: [self._table.identity(status.servo, status.data)],
        AnswerKind.DONE: lambda _self, _, status: [Acknowledged(status.servo)],
        AnswerKind.VALUES: _values,
        AnswerKind.ERRORS: _errors,
        AnswerKind.SETTINGS: lambda self, _, status: [
            self._table.requirements.read(status.servo, status.data)
        ],
        AnswerKind.HELD: _held,
        AnswerKind.MEANING: _meaning,
    }
