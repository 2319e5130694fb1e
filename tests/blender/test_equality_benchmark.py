"""The benchmark that compares the player with Blender's live and bake runs, and its scenes move."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("case", ["lamp", "push-rod neck", "body"])
def test_the_player_moves_as_blender_live_and_baked(case: str):
    command = [sys.executable, "-m", "benchmarks.player.equality", case, "--seconds", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    bake, live, moved = map(
        float, re.search(r"bake (\S+), live (\S+) .* up to ([\d.]+)\)", done.stdout).groups()
    )
    assert max(bake, live) <= 1e-9
    assert moved > 0.02
