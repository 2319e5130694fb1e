"""Tests that the retarget's benchmark runs in a real Blender and prints its table; its speed is not
tested.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
CLIP, HUMAN = SHARED / "cmu-bvh" / "scaled_131_01.bvh", SHARED / "human-gazebo" / "humanSubject01_66dof.urdf"


@pytest.mark.skipif(
    not (CLIP.exists() and HUMAN.exists()),
    reason="no folder shared/ with a clip and a human beside this checkout",
)
def test_a_clip_drives_the_human_and_the_figures_are_told():
    command = [sys.executable, "-m", "benchmarks.retarget", str(CLIP), str(HUMAN), "--frames", "120"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr
    rows = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line.split(maxsplit=1)[1:])
    assert "66 joints, 22 links followed" in rows["Blender"]
    assert {"tick", "frame", "bake"} <= rows.keys()
    mean = float(rows["missed"].split()[0])
    assert 0.0 < mean < 0.2, "what a clip asks of 66 joints can be done, but where it jumps"
