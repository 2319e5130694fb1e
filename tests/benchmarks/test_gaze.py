"""Tests the inputs and outputs of `python -m benchmarks.gaze`, called from the command line."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
QUARTER = float(np.sqrt(0.5))
AXES, REACH = np.array([1, 0, 0, 2, 1]), np.full(5, np.pi / 2)
POSTURES = np.array([[0.0, 0.5, -0.4, 0.3, 0.0], [0.0, -0.2, 0.9, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
TARGETS = np.array([[QUARTER, QUARTER, 0, 0], [1.0, 0, 0, 0], [0.0, 1.0, 0, 0]])


def run(kind: str, given: dict, folder: Path, solver: str = "erik") -> subprocess.CompletedProcess:
    np.savez(folder / "in.npz", **given)
    return command(
        "gaze", f"--{kind}", str(folder / "in.npz"), "--solver", solver, "--out", str(folder / "out.npz")
    )


def command(name: str, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def answer(kind: str, given: dict, folder: Path, solver: str = "erik") -> dict:
    done = run(kind, given, folder, solver)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "out.npz") as out:
        return dict(out)


def rig() -> dict:
    """Inputs of a rig with two hinges and a roll, mounted on its side, with distances between them."""
    return {
        "axis": np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]),
        "rest_wxyz": np.array([[QUARTER, QUARTER, 0, 0], [1.0, 0, 0, 0], [1.0, 0, 0, 0]]),
        "rest_offset": np.array([[0, 0, 0.1], [0, 0, 0.2], [0, 0.1, 0]]),
        "tool_wxyz": np.array([1.0, 0, 0, 0]),
        "tool_offset": np.array([0, 0.1, 0]),
        "lo": np.full(3, -2.0),
        "hi": np.full(3, 2.0),
        "posture": POSTURES[:, :3],
    }


def test_pairs_are_answered_with_angles_times_iterations_and_errors(tmp_path):
    out = answer(
        "pairs",
        {"axes": AXES, "lo": -REACH, "hi": REACH, "posture": POSTURES, "target_wxyz": TARGETS},
        tmp_path,
    )
    assert out["angles"].shape == (3, 5)
    for name in ("seconds", "iterations", "orientation_error", "posture_error", "combined_error"):
        assert out[name].shape == (3,)
    assert np.all(np.abs(out["angles"]) <= REACH)
    assert np.all(out["seconds"] > 0)
    assert np.all(out["iterations"] >= 1)
    assert out["combined_error"] == pytest.approx(out["orientation_error"] + out["posture_error"])
    bends = np.abs(np.cos(out["angles"][:, 1:4]) - np.cos(POSTURES[:, 1:4])).mean(-1)
    assert out["posture_error"] == pytest.approx(0.1 * bends)  # weighted by 0.2
    assert np.all(out["orientation_error"] <= 0.04)


def test_each_pair_is_solved_from_scratch(tmp_path):
    given = {"axes": AXES, "lo": -REACH, "hi": REACH, "posture": POSTURES, "target_wxyz": TARGETS}
    backwards = given | {"posture": POSTURES[::-1], "target_wxyz": TARGETS[::-1]}
    for solver in ("erik", "erik_exact"):
        there, back = (answer("pairs", order, tmp_path, solver)["angles"] for order in (given, backwards))
        assert np.array_equal(there, back[::-1])


def test_paths_are_answered_frame_by_frame(tmp_path):
    turns = np.linspace(0, 1.0, 12)
    path = np.stack([np.cos(turns / 2), np.sin(turns / 2), 0 * turns, 0 * turns], -1)
    given = {
        "axes": AXES,
        "lo": -REACH,
        "hi": REACH,
        "posture": POSTURES[:2],
        "target_wxyz": np.stack([path, path]),
        "fps": 60,
    }
    out = answer("paths", given, tmp_path, "erik_exact")
    assert out["angles"].shape == (2, 12, 5)
    assert out["seconds"].shape == (2, 12)
    assert np.abs(np.diff(out["angles"], axis=1)).max() < np.radians(15)


def test_the_frames_of_a_path_last_as_long_as_its_file_says(tmp_path):
    far = np.stack([TARGETS[:1]] * 2 + [TARGETS[1:2]] * 8, 1)
    given = {"axes": AXES, "lo": -REACH, "hi": REACH, "posture": POSTURES[:1], "target_wxyz": far}
    steps = {
        fps: np.degrees(
            np.abs(
                np.diff(answer("paths", given | {"fps": fps}, tmp_path, "expressive")["angles"], axis=1)
            ).max()
        )
        for fps in (24, 60)
    }
    assert steps[60] <= 480 / 60 + 1e-6
    assert 480 / 60 + 1.0 < steps[24] <= 480 / 24 + 1e-6


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("target_wxyz", [0.9689124, 0.2474040, 0, 0]),
        ("target_direction", [0.3, -0.2, 0.9]),
        ("target_point", [2.0, -1.0, 3.0]),
    ],
)
def test_rigs_are_answered_for_each_kind_of_target(tmp_path, name, target):
    out = answer("rig", rig() | {name: np.array([target] * 3)}, tmp_path, "erik_exact")
    assert out["angles"].shape == (3, 3)
    assert out["seconds"].shape == out["iterations"].shape == (3,)
    assert np.all(np.abs(out["angles"]) <= 2.0)


def test_an_unknown_solver_is_told_which_exist(tmp_path):
    done = run(
        "pairs",
        {"axes": AXES, "lo": -REACH, "hi": REACH, "posture": POSTURES, "target_wxyz": TARGETS},
        tmp_path,
        "magic",
    )
    assert done.returncode != 0
    assert "erik, erik_exact" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_rig_without_a_target_says_which_it_could_have(tmp_path):
    done = run("rig", rig(), tmp_path)
    assert done.returncode != 0
    assert "target_direction" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_study_of_eriks_values_shows_the_defaults_beside_the_paper(tmp_path):
    done = command(
        "erik_sweep", "--pairs", "2", "--skeletons", "C", "--workers", "1", "--folder", str(tmp_path)
    )
    assert done.returncode == 0, done.stderr
    assert "paper: 2.31 iterations" in done.stdout
    assert "* disturbance 0.01745" in done.stdout
