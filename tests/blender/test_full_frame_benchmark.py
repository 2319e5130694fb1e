"""Tests that the benchmark of all kinds of live movers runs in a real Blender and prints its table; its speed
is not tested.
"""

import subprocess
import sys

import pytest

from tests.blender.test_retarget_benchmark import CLIP, HUMAN, ROOT


@pytest.mark.skipif(
    not (CLIP.exists() and HUMAN.exists()),
    reason="no folder shared/ with a clip and a human beside this checkout",
)
def test_a_character_and_a_body_with_a_mechanism_are_live_at_once():
    command = [sys.executable, "-m", "benchmarks.full_frame", str(CLIP), str(HUMAN), "--frames", "20"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr
    assert "torso, head and eyes" in done.stdout
    assert "ten characters of eight joints" in done.stdout
    assert "whole body, head that looks, mechanism" in done.stdout
