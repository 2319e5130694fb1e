"""The line that a person types at a terminal, kept intact while the player prints lines above it.

A terminal echoes typed letters in the middle of a program's output. So its echo is switched off here; this
class shows the line, and shows it again below each printed line.
"""

import os
import select
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from unicodedata import east_asian_width

PROMPT = "> "
AGAIN = "\r\x1b[K"  # moves to the start of the line and clears it
ENTER, ERASE, ERASE_WORD, ERASE_LINE, END, ESCAPE = "\r\n", "\x7f\b", "\x17", "\x15", "\x04", "\x1b"
LINUX_KEY = "\x1b[["  # start of the codes of F1 to F5 on Linux' console
LONGEST = 1000  # largest number of letters in a line
PATIENCE = 0.1  # [s] longest wait of newly typed letters for a line that is being printed


class TypedLine:
    """A line that is being typed; one thread types, another prints. Input is accepted even while the terminal
    accepts no output, as after Ctrl S, so that a stop never waits.
    """

    def __init__(self, descriptor: int) -> None:
        """`descriptor`: file descriptor of the terminal to write to."""
        self._descriptor = descriptor
        self._text = ""
        self._done = ""  # completed lines that are not shown as completed yet
        self._escape = ""  # received part of a key code that is no letter, such as that of an arrow
        self._lock = threading.Lock()

    def say(self, line: str) -> None:
        """Prints a line above the typed one."""
        with self._lock:
            self._write(f"{AGAIN}{line}\n{self._shown()}")

    def take(self, typed: str) -> tuple[list[str], bool]:
        """Processes typed characters; returns the completed lines, and whether Ctrl D ended the input (in an
        empty line).
        """
        lines = []
        for letter in typed:
            if letter in ENTER:
                lines.append(self._text)
                self._done += f"{self._shown()}\n"
                self._text = self._escape = ""
            elif letter == END and not self._text:
                return lines, True
            else:
                self._edit(letter)
        return lines, False

    def show(self) -> None:
        """Shows the typed line, unless the terminal accepts no output now."""
        self._show(self._shown)

    def hide(self) -> None:
        """Clears the line for what comes after this program, as a shell's prompt, unless the terminal accepts
        no output now.
        """
        self._show(lambda: AGAIN)

    def _show(self, row: Callable[[], str]) -> None:
        """Shows the completed lines, and below them the text that `row` returns; nothing if another line is
        being printed, or the terminal accepts no output.
        """
        if not self._lock.acquire(timeout=PATIENCE):
            return
        try:
            if select.select((), (self._descriptor,), (), 0.0)[1]:
                done, self._done = self._done, ""
                self._write(f"{done}{row()}")
        finally:
            self._lock.release()

    def _edit(self, letter: str) -> None:
        """Changes the line by a letter or key."""
        if letter == ESCAPE:
            self._escape = letter
        elif self._escape == ESCAPE and letter in "[O":
            self._escape += letter
        elif len(self._escape) > 1:
            is_over = not (" " <= letter <= "?" or self._escape + letter == LINUX_KEY)
            self._escape = "" if is_over else self._escape + letter
        elif letter in ERASE:
            self._text = self._text[:-1]
        elif letter == ERASE_WORD:
            self._text = self._text.rstrip()
            self._text = self._text[: self._text.rfind(" ") + 1]
        elif letter == ERASE_LINE:
            self._text = ""
        elif letter.isprintable() and len(self._text) < LONGEST:
            self._text, self._escape = self._text + letter, ""

    def _shown(self) -> str:
        """The prompt, and the end of the line that fits into one row of the terminal."""
        width = shutil.get_terminal_size().columns - len(PROMPT) - 1
        shown = self._text
        while shown and sum(1 + (east_asian_width(letter) in "WF") for letter in shown) > width:
            shown = shown[1:]
        return f"{AGAIN}{PROMPT}{shown}"

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        with suppress(OSError):  # a closed terminal: the character continues to play
            while data:
                data = data[os.write(self._descriptor, data) :]


@contextmanager
def shown_by_program(descriptor: int, line: TypedLine) -> Iterator[None]:
    """Context manager in which the terminal delivers each letter at once without echo, while `line` shows
    them. Ctrl C and Ctrl Z work as usual; after `fg` the line is shown again, and at the end it is cleared.
    """
    import signal
    import termios

    before = termios.tcgetattr(descriptor)
    changed = termios.tcgetattr(descriptor)
    changed[3] &= ~(termios.ICANON | termios.ECHO)
    changed[6][termios.VMIN], changed[6][termios.VTIME] = 1, 0

    def resume(*_: object) -> None:
        with suppress(termios.error):  # a closed terminal
            termios.tcsetattr(descriptor, termios.TCSANOW, changed)
        line.show()

    resume()
    previous_handler = signal.signal(signal.SIGCONT, resume)
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, previous_handler)
        with suppress(termios.error):
            # immediately, since output may be held, as by Ctrl S
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
        line.hide()


def is_possible() -> bool:
    """Whether this program can show typed letters: input and output are a terminal, and termios is
    available.
    """
    if sys.platform == "win32" or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    import termios

    try:
        termios.tcgetattr(sys.stdin.fileno())
    except termios.error:
        return False
    return True
