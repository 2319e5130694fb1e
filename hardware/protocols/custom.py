"""Codec of a user's own robot, whose protocol is a small Python file.

The file is loaded by path, only in the worker process or that of a background job, and only if the user has
allowed its content. An error in it is reported with file and line; if it hangs or crashes, so does the
process, which Blender reports. docs/protocols.md has an example.
"""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable, Collection, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from .interface import (
    KEPT,
    Answer,
    AnswerKind,
    Capabilities,
    Codec,
    Exchange,
    Measured,
    Message,
    Problem,
    ProblemKind,
    ProtocolError,
    Quantity,
    Units,
)
from .program import read_allowed

MOST_BYTES = 4096  # [bytes] longest result of a function: a third of a second at 115200 baud
MOST_PENDING = 4096  # [bytes] largest unread rest that `decode` leaves; a larger one is discarded as noise
MOST_SERVOS = 256  # largest number of servos of a robot
MOST_SHOWN = 80  # number of characters of a value or an error in a sentence
MODULE = "limber_robot"  # name under which the user's file is loaded as a module
BAUDRATE = 115_200  # [bit/s] baud rate of a file that gives none

SETTINGS: dict[str, tuple[type | tuple[type, ...], Any]] = {  # name -> (type, default)
    "NAME": (str, ""),
    "BAUDRATE": (int, BAUDRATE),
    "SERVOS": (int, 16),
    "LOWEST": (int, 500),
    "HIGHEST": (int, 2500),
    "UNITS": (str, "microseconds"),
    "PER_TURN": ((int, float, type(None)), None),
    "MEASURES": (bool, False),
    "REMARK": (str, ""),
}


class Nowhere(io.TextIOBase):
    """Text stream that discards the output of a user's file: a pipe that nobody reads would block the
    worker.
    """

    def write(self, text: str) -> int:
        return len(text)


class RobotFile:
    """A user's protocol file, with validated settings; exceptions of its functions become ProtocolErrors.

    Args:
        path: Path of the file.
        allowed: SHA-256 of the content that the user has allowed to run.

    Raises:
        ProtocolError: The file cannot be read or run, its content is not what was allowed, a setting is
            invalid, or it defines no function `frame`.
    """

    def __init__(self, path: Path, allowed: str) -> None:
        self.path = path
        # read once, so that the bytes compared are the ones that run
        source = read_allowed(path, allowed).source
        self._nowhere = Nowhere()
        module = ModuleType(MODULE)
        module.__file__ = str(path)
        sys.modules[MODULE] = module  # dataclasses and others look up their module there
        self._names = module.__dict__
        self._guard(lambda: exec(compile(source, str(path), "exec"), self._names), "loading it")
        self.settings = {
            name: self._setting(name, kind, default) for name, (kind, default) in SETTINGS.items()
        }
        self._check_settings()
        if not self.has("frame"):
            raise ProtocolError(
                f"{path.name} has no function frame(positions); it makes the bytes that move servos"
            )

    def has(self, function: str) -> bool:
        """Whether the file defines a function."""
        return callable(self._names.get(function))

    def data(self, function: str, *arguments: Any) -> bytes:
        """The bytes that a function of the file returns.

        Raises:
            ProtocolError: The function raised an exception, or returned no bytes or more than MOST_BYTES.
        """
        return_value = self.call(function, *arguments)
        if not isinstance(return_value, bytes | bytearray):
            raise ProtocolError(
                f"{self.path.name}: {function}() gave {_shown(return_value)}; it must give bytes"
            )
        if len(return_value) > MOST_BYTES:
            raise ProtocolError(
                f"{self.path.name}: {function}() gave {len(return_value)} bytes; at most {MOST_BYTES} can be"
                " sent at once"
            )
        return bytes(return_value)

    def call(self, function: str, *arguments: Any) -> Any:
        """The return value of a function of the file. Raises ProtocolError if the function fails."""
        return self._guard(lambda: self._names[function](*arguments), f"{function}()")

    def _guard(self, run: Callable[[], Any], what: str) -> Any:
        """The return value of `run`, which runs the user's code; `what` names it in the ProtocolError that
        replaces its exceptions.
        """
        try:
            with redirect_stdout(self._nowhere), redirect_stderr(self._nowhere):
                return run()
        except (Exception, SystemExit) as error:  # a user's file may raise anything
            raise ProtocolError(self._sentence(error, what)) from error

    def _sentence(self, error: BaseException, what: str) -> str:
        line = error.lineno if isinstance(error, SyntaxError) else None
        for entry in traceback.extract_tb(error.__traceback__):
            if entry.filename == str(self.path):
                line = entry.lineno
        position = f", line {line}" if line else ""
        reason = error.msg if isinstance(error, SyntaxError) else _text(error)
        kind = type(error).__name__ + (f": {reason}" if reason else "")
        return f"{self.path.name}{position}: {what} failed: {kind}; correct the file and connect again"

    def _setting(self, name: str, kind: type | tuple[type, ...], default: Any) -> Any:
        value = self._names.get(name, default)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kind) or (isinstance(value, bool) and bool not in kinds):
            desired = " or ".join("None" if allowed is type(None) else allowed.__name__ for allowed in kinds)
            raise ProtocolError(f"{self.path.name}: {name} is {_shown(value)}; it must be {desired}")
        return value

    def _check_settings(self) -> None:
        settings = self.settings
        if settings["BAUDRATE"] <= 0:
            raise ProtocolError(f"{self.path.name}: BAUDRATE is {settings['BAUDRATE']}; it must be positive")
        if not 1 <= settings["SERVOS"] <= MOST_SERVOS:
            raise ProtocolError(
                f"{self.path.name}: SERVOS is {settings['SERVOS']}; it must be from 1 to {MOST_SERVOS}"
            )
        if not settings["LOWEST"] < settings["HIGHEST"]:
            raise ProtocolError(
                f"{self.path.name}: LOWEST is {settings['LOWEST']}, HIGHEST {settings['HIGHEST']}; LOWEST"
                " must be lower"
            )
        if settings["PER_TURN"] is not None and not 0 < settings["PER_TURN"] < float("inf"):
            raise ProtocolError(f"{self.path.name}: PER_TURN is {settings['PER_TURN']}; it must be positive")


class CustomDecoder:
    """Passes received bytes to the file's `decode`, and checks what it returns.

    Args:
        file: The user's file.
        servos: Valid servo ids.
    """

    def __init__(self, file: RobotFile, servos: range) -> None:
        self._file = file
        self._servos = servos
        self._pending = bytearray()
        self._open: list[Answer] = []

    @property
    def waiting(self) -> bool:
        return bool(self._open)

    def expect(self, exchange: Exchange) -> None:
        self._pending.clear()
        self._open = list(exchange.answers)

    def feed(self, data: bytes) -> list[Message]:
        self._pending += data
        if not self._pending:
            return []
        messages: list[Message] = []
        if self._file.has("decode"):
            left = len(self._pending) + 1
            while self._pending and len(self._pending) < left:
                left = len(self._pending)
                messages += self._read()
        if len(self._pending) > MOST_PENDING:
            messages += self._noise()
        return messages

    def give_up(self) -> list[Message]:
        messages = self._noise()
        messages += [
            Problem(ProblemKind.MISSING, f"Servo {answer.servo} did not answer", servo=answer.servo)
            for answer in self._open
        ]
        self._open.clear()
        return messages

    def _read(self) -> list[Message]:
        try:
            positions, used = self._checked(self._file.call("decode", bytes(self._pending)))
        except ProtocolError as error:
            problem = Problem(ProblemKind.MALFORMED, str(error), bytes(self._pending[:KEPT]))
            self._pending.clear()
            return [problem]
        del self._pending[:used]
        self._open = [answer for answer in self._open if answer.servo not in positions]
        return [Measured(servo, Quantity.POSITION, raw) for servo, raw in positions.items()]

    def _checked(self, return_value: Any) -> tuple[dict[int, int], int]:
        """(positions by servo id, number of bytes used) that `decode` returned. Raises ProtocolError if it
        returned anything else.
        """
        name = self._file.path.name
        if not (
            isinstance(return_value, tuple)
            and len(return_value) == 2
            and isinstance(return_value[0], dict)
            and _is_whole(return_value[1])
        ):
            raise ProtocolError(
                f"{name}: decode() gave {_shown(return_value)}; it must give (positions, number of bytes"
                " used)"
            )
        positions, used = return_value
        if not 0 <= used <= len(self._pending):
            raise ProtocolError(f"{name}: decode() used {used} of {len(self._pending)} bytes")
        for servo, raw in positions.items():
            if not (_is_whole(servo) and servo in self._servos and _is_whole(raw) and abs(raw) < 1 << 31):
                raise ProtocolError(
                    f"{name}: decode() reports that servo {_shown(servo)} is at {_shown(raw)}; both must be"
                    " whole numbers in range"
                )
        return positions, used

    def _noise(self) -> list[Message]:
        count, data = len(self._pending), bytes(self._pending[:KEPT])
        self._pending.clear()
        return [Problem(ProblemKind.NOISE, f"{count} bytes that belong to no message", data)] if count else []


class Custom(Codec):
    """The codec of a user's robot.

    Args:
        path: Path of the file.
        allowed: SHA-256 of the content that the user has allowed to run.

    Raises:
        ProtocolError: The file cannot be used.
    """

    def __init__(self, path: Path, allowed: str) -> None:
        self._file = file = RobotFile(path, allowed)
        settings = file.settings
        asks = file.has("ask") and file.has("decode")
        if settings["MEASURES"] and not asks:
            raise ProtocolError(
                f"{path.name}: MEASURES is True, but ask(servos) and decode(data) are not both there"
            )
        is_pulse = settings["UNITS"] == "microseconds"
        self.capabilities = Capabilities(
            title=settings["NAME"] or path.stem,
            units=Units(
                settings["UNITS"],
                settings["LOWEST"],
                settings["HIGHEST"],
                settings["PER_TURN"],
                1.0 if is_pulse else None,
            ),
            servos=range(settings["SERVOS"]),
            baudrates=(settings["BAUDRATE"],),
            reads=frozenset((Quantity.POSITION,)) if asks else frozenset(),
            measures=settings["MEASURES"],
            releases=file.has("disarm"),
            remark=settings["REMARK"],
        )

    def decoder(self) -> CustomDecoder:
        return CustomDecoder(self._file, self.capabilities.servos)

    def arm(self, at: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Bytes that the file's `arm(positions)` returns; those of `frame(positions)` if the file defines no
        `arm`.
        """
        return self._say("arm" if self._file.has("arm") else "frame", self._within(at))

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Bytes that the file's `disarm(servos)` returns; none if the file defines no `disarm`."""
        return (
            self._say("disarm", list(map(self._known, servos))) if self._file.has("disarm") and servos else ()
        )

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Messages that command positions, as the file's `frame(positions)` returns them; none
        without goals.
        """
        return self._say("frame", self._within(goals)) if goals else ()

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Query with the bytes that the file's `ask(servos)` returns; none without quantities or servos.
        Raises ProtocolError unless the file defines both `ask` and `decode`.
        """
        self._check_readable(quantities)
        if not quantities or not servos:
            return ()
        known = list(map(self._known, servos))
        answers = tuple(Answer(servo, AnswerKind.VALUES, quantities=(Quantity.POSITION,)) for servo in known)
        return (Exchange(self._file.data("ask", known), answers),)

    def _say(self, function: str, argument: Any) -> tuple[Exchange, ...]:
        data = self._file.data(function, argument)
        return (Exchange(data),) if data else ()

    def _within(self, positions: Mapping[int, int]) -> dict[int, int]:
        return {self._known(servo): self._reachable(servo, position) for servo, position in positions.items()}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    """`repr` of a value of the user's file, shortened, for a sentence."""
    return _safe(lambda: repr(value), f"a {type(value).__name__}")


def _text(error: BaseException) -> str:
    return _safe(lambda: " ".join(str(error).split()), "")


def _safe(make: Callable[[], str], otherwise: str) -> str:
    """The text that `make` returns, shortened; `otherwise` if `make`, which runs the user's code, raises."""
    try:
        text = make()
    except Exception:  # the user's code may raise anything
        text = otherwise
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."
