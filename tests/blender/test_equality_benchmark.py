"""The benchmark that compares the player with Blender's live and bake runs, and its scenes move."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.player import equality

ROOT = Path(__file__).resolve().parents[2]


def command(case: str) -> str:
    """Output of the program, which starts a Blender."""
    words = [sys.executable, "-m", "benchmarks.player.equality", case, "--seconds", "2"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def here(case: str) -> str:
    """The same in the test's own Blender."""
    return equality.compared(case, 2.0)


@pytest.mark.parametrize(("case", "run"), [("lamp", command), ("push-rod neck", here), ("body", here)])
def test_the_player_moves_as_blender_live_and_baked(case: str, run: Callable[[str], str]):
    bake, live, moved = map(
        float, re.search(r"bake (\S+), live (\S+) .* up to ([\d.]+)\)", run(case)).groups()
    )
    assert max(bake, live) <= 1e-9
    assert moved > 0.02
