"""Fixtures that run plays in a real Blender window: a file of plays/ runs inside Blender, with the built
package, and returns facts.

Tests of a process share a Blender on its own virtual screen, which resets everything for each play: Blender's
own settings, an empty scene, the extension enabled again. A play that fails ends this Blender, and the next
one gets another. scripts/stage.py describes the functions for plays.
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
LIMIT = 400.0  # [s] longest duration of a play: the longest one takes 50 s on two cores
QUIT_WITHIN = 60.0  # [s] longest time in which Blender quits
# [pixels] size of the window: it is drawn in software, so that pixels take most of a test's time
SIZE = "640x640"
LOOK = 0.1  # [s] interval between two checks whether it has ended
ENDS = "ends_blender"  # mark of tests after whose play no other can run in the same Blender


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts tests that end their Blender last, since another Blender takes 8 s of a processor to start."""
    items.sort(key=lambda item: item.get_closest_marker(ENDS) is not None)


class Window:
    """A Blender in a window, for one play after the other; it must be closed."""

    def __init__(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the window
        environment = {**os.environ, "LIMBER_WINDOW_SIZE": SIZE}
        self._process = subprocess.Popen(
            [WINDOW, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            text=True,
            env=environment,
        )

    def play(self, name: str, scale: float) -> dict:
        """Runs plays/NAME.py with an interface of this scale; returns its recorded facts. Its last picture is
        build/window/NAME.png.
        """
        LEFT.mkdir(parents=True, exist_ok=True)
        facts = LEFT / f"{name}.json"
        facts.unlink(missing_ok=True)
        assert self._process.stdin
        self._process.stdin.write(f"{PLAYS / name}.py\t{facts}\t{LEFT / name}.png\t{scale}\n")
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
        """Ends Blender, which is killed if it is still running after `patience` [s]."""
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
def windows() -> Iterator[list[Window]]:
    """The open window, none before the first play and after one that failed."""
    if (
        asked := subprocess.run([WINDOW, "available"], capture_output=True, text=True, check=False)
    ).returncode:
        pytest.skip(asked.stderr.strip())
    windows: list[Window] = []
    yield windows
    for window in windows:
        window.close()


@pytest.fixture
def play(windows: list[Window], request: pytest.FixtureRequest) -> Callable[..., dict]:
    """Function that runs plays/NAME.py in a window, and returns its recorded facts. Pictures go to
    build/window/.

    `scale`: scale of the interface; a smaller one makes room for long panels.
    """

    def run(name: str, scale: float = 1.0) -> dict:
        window = windows.pop() if windows else Window()
        facts = window.play(name, scale)  # a window whose play fails is not used again
        if request.node.get_closest_marker(ENDS):
            window.close(0.0)
        else:
            windows.append(window)
        return facts

    return run
