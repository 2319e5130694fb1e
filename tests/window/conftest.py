"""How a test plays in a real Blender window: a file of plays/ runs inside Blender, on the built package, and tells what it found.

Each test has a Blender of its own, on a virtual screen of its own; see scripts/stage.py for what a play can do.
"""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WINDOW = ROOT / "scripts" / "window.sh"


@pytest.fixture
def play() -> Callable[[str], dict]:
    """Plays plays/NAME.py in a window, the usual or one of that size; returns the facts it noted. Pictures go to build/window/, the last is
    NAME.png."""
    asked = subprocess.run([WINDOW, "available"], capture_output=True, text=True, check=False)
    if asked.returncode:
        pytest.skip(asked.stderr.strip())

    def run(name: str, size: str = "1600x1000") -> dict:
        picture = ROOT / "build" / "window" / f"{name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        command = [WINDOW, "run", Path(__file__).parent / "plays" / f"{name}.py", picture]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LIMBER_WINDOW_SIZE": size})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
