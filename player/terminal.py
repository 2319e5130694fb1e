"""Plays a character from a terminal: reads typed commands, prints sentences, and handles signals."""

import codecs
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

from ..character.file.contents import CharacterFile
from ..files.plain import printable
from .errors import PlayerError
from .live import NOBODY, LiveOptions, LivePlay
from .typed_line import TypedLine, is_possible, shown_by_program


def play_live(character: CharacterFile, path: Path, options: LiveOptions) -> None:
    """Plays a character until Ctrl C, SIGTERM, `quit`, the end of its time, or the end of a person's input.

    Raises:
        PlayerError: The character or its robot cannot be used, or `arm` was not typed by a person.
    """
    if options.arm and not options.is_attended:
        raise PlayerError(NOBODY)
    line = TypedLine(sys.stdout.fileno()) if is_possible() else None
    play = LivePlay(character, path, options, partial(_say, line))
    with (
        _signals(play),
        shown_by_program(sys.stdin.fileno(), line) if line is not None else nullcontext(),
    ):
        arguments = (sys.stdin.fileno(), play, options.is_attended, line)
        threading.Thread(target=_read_orders, args=arguments, daemon=True).start()
        play.run()


def _say(typed: TypedLine | None, line: str) -> None:
    """Prints a line, above the line being typed if this program displays typed lines."""
    if typed is not None:
        typed.say(printable(line))
        return
    with suppress(OSError):  # the output is closed, or its disk is full: the character continues to play
        print(printable(line), flush=True)


def _read_orders(descriptor: int, play: LivePlay, is_attended: bool, typed: TypedLine | None) -> None:
    """Passes every line of a file descriptor to the performance. If a person types (`is_attended`), the end
    of the input ends the performance, since nobody could stop the robot any more. `typed`: the line that
    this program displays; None if the terminal does.
    """
    for line in _lines(descriptor) if typed is None else _typed_lines(descriptor, typed):
        play.order(line)
    if is_attended:
        play.end()


def _lines(descriptor: int) -> Iterator[str]:
    """The lines of a file descriptor until its end, apart from a last one without a line feed."""
    rest = b""
    with suppress(OSError):  # a closed terminal
        while data := os.read(descriptor, 4096):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield line.decode("utf-8", "replace")


def _typed_lines(descriptor: int, typed: TypedLine) -> Iterator[str]:
    """The lines typed on a terminal that delivers each letter at once, until its end."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with suppress(OSError):  # a closed terminal
        while data := os.read(descriptor, 4096):
            lines, is_end = typed.take(decoder.decode(data))
            yield from lines
            typed.show()
            if is_end:
                return


@contextmanager
def _signals(play: LivePlay) -> Iterator[None]:
    """Ends the performance on Ctrl C, SIGQUIT, SIGTERM and a closed terminal; robots first come to rest."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        numbers += [signal.SIGHUP, signal.SIGQUIT]
    handlers = {number: signal.signal(number, lambda *_: play.end()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
