"""Tests that the benchmark of the tick runs in a real Blender and prints its table; its speed is not
tested.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_benchmark_measures_every_way_and_says_whether_the_figure_is_reached():
    command = [sys.executable, "-m", "benchmarks.tick", "--frames", "20", "--joints", "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in {0, 1}, done.stderr
    for way in (
        "demo lamp",
        "animation",
        "posture",
        "no target motion",
        "60 bones",
        "locked axes keyed",
        "two chains",
    ):
        row = next(line for line in done.stdout.splitlines() if line.startswith(way + " "))
        figures = [float(word.strip("()")) for word in row.removeprefix(way).replace("(", " ").split()]
        assert len(figures) == 7
        assert min(figures) > 0
    assert "bars: 0.5 ms" in done.stdout
    assert "Traceback" not in done.stderr
