"""What a person types stays whole while the player prints lines above it, as a terminal shows it."""

import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from limber.character.file.writing import write
from limber.player.typed_line import TypedLine

from tests.player.test_live import PATIENCE, PROGRAM, ROOT, with_robot

CLEARED = "\r\x1b[K"


def screen(text: str) -> list[str]:
    """The rows that a terminal shows after some output."""
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


def test_a_player_keeps_the_line_whole_and_gives_the_terminal_back(tmp_path: Path):
    import termios

    write(tmp_path / "sample.limber", with_robot())
    terminal, of_player = pty.openpty()
    before = termios.tcgetattr(of_player)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "play", str(tmp_path / "sample.limber"), "--status", "--no-robot"],
        cwd=ROOT,
        stdin=of_player,
        stdout=of_player,
        stderr=subprocess.PIPE,
    )
    text, give_up = "", time.monotonic() + PATIENCE

    def until(pattern: str) -> None:
        nonlocal text
        while not re.search(pattern, "\n".join(screen(text))):
            assert time.monotonic() < give_up, text
            text += os.read(terminal, 4096).decode()

    try:
        until(r"> $")
        os.write(terminal, b"event wa")
        until(r"> event wa$")
        until(r"s, Idle, .*\n(.*\n)*> event wa$")
        os.write(terminal, b"ve\n")
        until(r"s, Sad, .*\n> $")
        os.write(terminal, b"quit\n")
        assert process.wait(PATIENCE) == 0
        assert termios.tcgetattr(of_player) == before
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        os.close(terminal)
        os.close(of_player)
