"""A person at a terminal plays a character: orders are typed, sentences printed, signals end it."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..character.file.contents import CharacterFile
from .errors import PlayerError
from .live import NOBODY, LiveOptions, LivePlay
from .printing import printable


def play_live(character: CharacterFile, path: Path, options: LiveOptions) -> None:
    """Plays a character until Ctrl C, SIGTERM, `quit`, or the end of the terminal.

    Raises:
        PlayerError: The character or its robot cannot be used, or `arm` was not typed by a person.
    """
    if options.arm and not options.is_attended:
        raise PlayerError(NOBODY)
    play = LivePlay(character, path, options, _say)
    with _signals(play):
        reading = (sys.stdin.fileno(), play, options.is_attended)
        threading.Thread(target=_read_orders, args=reading, daemon=True).start()
        play.run()


def _say(line: str) -> None:
    with suppress(OSError):  # what was to be read is gone, or its disk is full: the character plays on
        print(printable(line), flush=True)


def _read_orders(descriptor: int, play: LivePlay, is_attended: bool) -> None:
    """Hands every line of a file descriptor to the performance, without a lock that would outlive it. Where a
    person types, its end ends the performance: nobody could stop the robot any more.
    """
    rest = b""
    with suppress(OSError):  # a terminal that is gone
        while data := os.read(descriptor, 4096):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                play.order(line.decode("utf-8", "replace"))
    if is_attended:
        play.end()


@contextmanager
def _signals(play: LivePlay) -> Iterator[None]:
    """Ends the performance on Ctrl C, SIGTERM and a closed terminal, in which robots come to rest first."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        numbers.append(signal.SIGHUP)
    known = {number: signal.signal(number, lambda *_: play.end()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in known.items():
            signal.signal(number, handler)
