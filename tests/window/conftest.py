"""How a test plays in a real Blender window: a file of plays/ runs inside Blender, on the built package, and
tells what it found.

Tests of a process share a Blender on a virtual screen of its own, which begins each play afresh: Blender's
own settings, an empty scene, the extension loaded anew. A play that fails ends it, and the next one has
another. See scripts/stage.py for what a play can do.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
WINDOW = ROOT / "scripts" / "window.sh"
PLAYS = ROOT / "tests" / "window" / "plays"
OLDER = "older"  # name of the window with a Blender 4, see scripts/window.sh
LEFT = ROOT / "build" / "window" / (OLDER if os.environ.get("LIMBER_WINDOW") == OLDER else "")
LIMIT = 400.0  # [s] for a play: the longest takes 50 s on two cores
QUIT_WITHIN = 60.0  # [s]
SIZE = "640x640"  # [pixels] of the window: drawn in software, its pixels are most of what a test costs
LOOK = 0.1  # [s] between two looks at whether it has ended


class Window:
    """A Blender in a window of a size, for one play after the other; close it."""

    def __init__(self, size: str) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the window
        environment = {**os.environ, "LIMBER_WINDOW_SIZE": size}
        self._process = subprocess.Popen(
            [WINDOW, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            text=True,
            env=environment,
        )

    def play(self, name: str) -> dict:
        """The facts that plays/NAME.py noted. Its last picture is build/window/NAME.png."""
        LEFT.mkdir(parents=True, exist_ok=True)
        facts = LEFT / f"{name}.json"
        facts.unlink(missing_ok=True)
        assert self._process.stdin
        self._process.stdin.write(f"{PLAYS / name}.py\t{facts}\t{LEFT / name}.png\n")
        self._process.stdin.flush()
        give_up = time.monotonic() + LIMIT
        while not facts.exists():
            if self._process.poll() is not None:
                self._fail(f"{name} ended Blender")
            if time.monotonic() > give_up:
                self.close(0.0)
                self._fail(f"{name} did not end within {LIMIT:.0f} s: look at {LEFT / 'hung.png'}")
            time.sleep(LOOK)
        return json.loads(facts.read_text(encoding="utf-8"))

    def close(self, patience: float = QUIT_WITHIN) -> None:
        """End Blender; one that is still there after `patience` [s] is killed."""
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()

    def _fail(self, reason: str) -> NoReturn:
        self._log.seek(0)
        pytest.fail(f"{reason}\n{self._log.read().decode(errors='replace')}", pytrace=False)


@pytest.fixture(scope="session")
def windows() -> Iterator[dict[str, Window]]:
    """The windows that are open, by their sizes."""
    if (
        asked := subprocess.run([WINDOW, "available"], capture_output=True, text=True, check=False)
    ).returncode:
        pytest.skip(asked.stderr.strip())
    windows: dict[str, Window] = {}
    yield windows
    for window in windows.values():
        window.close()


@pytest.fixture
def play(windows: dict[str, Window]) -> Callable[..., dict]:
    """Plays plays/NAME.py in a window; returns the facts it noted. Pictures go to build/window/.

    `last`: what it leaves is no Blender for another play. `size` [pixels]: of the window.
    """

    def run(name: str, last: bool = False, size: str = SIZE) -> dict:
        window = windows.pop(size, None) or Window(size)
        facts = window.play(name)  # a window whose play fails is not used again
        if last:
            window.close(0.0)
        else:
            windows[size] = window
        return facts

    return run
