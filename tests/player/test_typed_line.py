"""Tests that text typed by a person stays intact on the terminal while the player prints lines above it."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from limber.character.file.writing import write
from limber.player.typed_line import TypedLine

from tests.player.test_live import PATIENCE, PROGRAM, ROOT, with_robot

CLEARED = "\r\x1b[K"


def screen(text: str) -> list[str]:
    """Rows that a terminal shows after some output."""
    rows = [""]
    for part in re.split(r"(\r\x1b\[K|\r?\n)", text):
        if part == CLEARED:
            rows[-1] = ""
        elif part.endswith("\n"):
            rows.append("")
        else:
            rows[-1] += part
    return rows


class Shown:
    """A line whose terminal is a pipe."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        self.line, self._text = TypedLine(self.writing), ""

    def rows(self) -> list[str]:
        os.set_blocking(self._reading, False)
        with suppress(BlockingIOError):
            self._text += os.read(self._reading, 100_000).decode()
        return screen(self._text)

    def type(self, typed: str) -> list[str]:
        lines, _ = self.line.take(typed)
        self.line.show()
        return lines


@pytest.fixture
def shown() -> Iterator[Shown]:
    shown = Shown()
    yield shown
    os.close(shown.writing)
    os.close(shown._reading)


def test_what_is_printed_stands_above_what_is_typed(shown: Shown):
    shown.line.show()
    assert shown.type("event ar") == []
    shown.line.say("1 s, Idle; no robot")
    assert shown.rows() == ["1 s, Idle; no robot", "> event ar"]
    assert shown.type("rive\n") == ["event arrive"]
    assert shown.rows() == ["1 s, Idle; no robot", "> event arrive", "> "]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("staa\x7f\x7f\x7ftop\n", "stop"),
        ("event arrive\x17leave\n", "event leave"),
        ("quit\x15stop\n", "stop"),
        ("\x1b[A\x1b[1;5Dstop\x1bOC\n", "stop"),
        ("sto\x1b[Cp\r", "stop"),
        ("\x1b[[Astop\x1b[[E\n", "stop"),
        ("\x1bstop\x1b\n", "stop"),
        ("set \u4f60\x7fx 1\n", "set x 1"),
    ],
    ids=[
        "erased",
        "word_erased",
        "line_erased",
        "arrows",
        "return",
        "linux_console",
        "escape",
        "wide_letter",
    ],
)
def test_keys_edit_the_line(shown: Shown, typed: str, line: str):
    assert shown.type(typed) == [line]


def test_several_lines_that_are_pasted_all_count_and_the_end_ends(shown: Shown):
    assert shown.line.take("arm\nstop\nst") == (["arm", "stop"], False)
    assert shown.line.take("\x04") == ([], False), "not within a line, as at any terminal"
    assert shown.line.take("\x15\x04") == ([], True)


def test_a_line_that_is_longer_than_the_row_shows_its_end(shown: Shown, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    shown.type("state " + "x" * 40 + "end")
    (row,) = shown.rows()
    assert len(row) < 20
    assert row.endswith("xend")


def test_a_stop_is_taken_while_the_terminal_takes_no_output(shown: Shown):
    os.set_blocking(shown.writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(shown.writing, bytes(4096))
    os.set_blocking(shown.writing, True)
    assert shown.type("stop\n") == ["stop"]


class AtTerminal:
    """A player on its own terminal, which shows its output and the typed text."""

    def __init__(self, folder: Path, *options: str) -> None:
        import termios

        write(folder / "sample.limber", with_robot())
        self.keyboard, self.screen = pty.openpty()
        self.settings = termios.tcgetattr(self.screen)
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "play", str(folder / "sample.limber"), "--no-robot", *options],
            cwd=ROOT,
            stdin=self.screen,
            stdout=self.screen,
            stderr=subprocess.PIPE,
        )
        self._text, self._give_up = "", time.monotonic() + PATIENCE

    def type(self, letters: str) -> None:
        os.write(self.keyboard, letters.encode())

    def until(self, pattern: str) -> None:
        """Reads the terminal's output until it matches a pattern."""
        while not re.search(pattern, "\n".join(screen(self._text))):
            assert time.monotonic() < self._give_up, self._text
            if select.select((self.keyboard,), (), (), 0.1)[0]:
                self._text += os.read(self.keyboard, 4096).decode()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        os.close(self.keyboard)
        os.close(self.screen)


@pytest.fixture
def at_terminal(tmp_path: Path) -> Iterator[Callable[..., AtTerminal]]:
    """Starts a player with some options."""
    with ExitStack() as players:

        def start(*options: str) -> AtTerminal:
            player = AtTerminal(tmp_path, *options)
            players.callback(player.end)
            return player

        yield start


def test_a_player_keeps_the_line_whole_and_gives_the_terminal_back(at_terminal: Callable[..., AtTerminal]):
    import termios

    player = at_terminal("--status")
    player.until(r"> $")
    player.type("event wa")
    player.until(r"> event wa$")
    player.until(r"s, Idle, .*\n(.*\n)*> event wa$")
    player.type("ve\n")
    player.until(r"s, Sad, .*\n> $")
    player.type("quit\n")
    assert player.process.wait(PATIENCE) == 0
    player.until(r"> quit\n$")  # so that the shell's prompt stands in a row of its own
    assert termios.tcgetattr(player.screen) == player.settings


def test_what_was_typed_is_shown_anew_when_a_stopped_player_goes_on(at_terminal: Callable[..., AtTerminal]):
    import termios

    player = at_terminal()
    player.until(r"> $")
    player.type("event w")
    player.until(r"> event w$")
    player.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, player.process.pid, os.WSTOPPED)
    # as a shell does before it prints its prompt
    termios.tcsetattr(player.screen, termios.TCSANOW, player.settings)
    os.write(player.screen, b"\n[1]+  Stopped\n$ fg\nlimber play\n")
    player.process.send_signal(signal.SIGCONT)
    player.until(r"limber play\n> event w$")
    player.type("ave\n")
    player.until(r"> event wave\n> $")
