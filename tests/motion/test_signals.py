"""Tests the benchmark's command on the target signals with the checker that uses positions alone."""

import subprocess
import sys
from pathlib import Path

import pytest
from limber.motion import FILTERS

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
SIGNALS = SHARED / "motion" / "signals.npz"
needs_signals = pytest.mark.skipif(
    not SIGNALS.exists(), reason="the signals and their checker are not beside this checkout: ../shared"
)


def run(*command):
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False
    )


def positions_of(name, out):
    made = run("-m", "benchmarks.motion", "--signals", SIGNALS, "--filter", name, "--out", out)
    assert made.returncode == 0, made.stderr
    return out


@needs_signals
def test_the_default_filter_passes_every_bar(tmp_path):
    checked = run(
        SHARED / "tools" / "check_motion.py", SIGNALS, positions_of("default", tmp_path / "out.npz"), "--bars"
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@needs_signals
@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_keeps_every_limit_and_never_overshoots(name, tmp_path):
    checked = run(
        SHARED / "tools" / "check_motion.py", SIGNALS, positions_of(name, tmp_path / "out.npz"), "--bars"
    )
    for complaint in ("limit exceeded", "overshoots"):
        assert complaint not in checked.stderr


def test_the_command_says_what_it_needs():
    asked = run("-m", "benchmarks.motion")
    assert asked.returncode == 2
    assert "--signals" in asked.stderr
