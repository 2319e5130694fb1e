"""Tests the inputs and outputs of `python -m benchmarks.whole_body`, called from the command line."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
URDF = """<robot name="r"><link name="hip"/><link name="thigh"/><link name="shin"/><link name="foot"/>
<joint name="swing" type="revolute"><parent link="hip"/><child link="thigh"/><axis xyz="1 0 0"/>
<limit lower="0.2" upper="2" velocity="1"/></joint>
<joint name="knee" type="continuous"><parent link="thigh"/><child link="shin"/><origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/></joint>
<joint name="sole" type="fixed"><parent link="shin"/><child link="foot"/><origin xyz="0 0 -0.4" rpy="0 0 1.5"/></joint></robot>"""
STEPS = 40


def turn(axis: int, angle: np.ndarray) -> np.ndarray:
    """Rotations (t, 3, 3) about a coordinate axis."""
    one, other = (axis + 1) % 3, (axis + 2) % 3
    turns = np.zeros((len(angle), 3, 3))
    turns[:, axis, axis] = 1.0
    turns[:, one, one] = turns[:, other, other] = np.cos(angle)
    turns[:, other, one], turns[:, one, other] = np.sin(angle), -np.sin(angle)
    return turns


def targets(**more) -> dict:
    """Targets with the hip at rest, the thigh swinging from .5 to .9, the knee from 0 to -1."""
    share = np.linspace(0.0, 1.0, STEPS)
    thigh = turn(0, 0.5 + 0.4 * share)
    shin = thigh @ turn(1, -share)
    foot = shin @ turn(2, np.full(STEPS, 1.5))
    rotation = np.stack([np.broadcast_to(np.eye(3), thigh.shape), thigh, foot], 1)
    still = np.zeros((STEPS, 3))
    return {
        "links": np.array(["hip", "thigh", "foot"]),
        "rotation": rotation,
        "angular_velocity": np.zeros((STEPS, 3, 3)),
        "base_link": "hip",
        "base_position": still + np.linspace(0.0, 1.0, STEPS)[:, None],
        "base_velocity": still,
        "dt": 0.02,
    } | more


def run(folder: Path, given: dict, *options: str) -> subprocess.CompletedProcess:
    (folder / "r.urdf").write_text(URDF)
    np.savez(folder / "in.npz", **given)
    files = (
        "--urdf",
        str(folder / "r.urdf"),
        "--targets",
        str(folder / "in.npz"),
        "--out",
        str(folder / "out.npz"),
    )
    command = [sys.executable, "-m", "benchmarks.whole_body", *files, *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def answer(folder: Path, given: dict, *options: str) -> dict:
    done = run(folder, given, *options)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "out.npz") as out:
        return dict(out)


def test_every_step_is_answered_with_joints_base_velocities_and_times(tmp_path):
    out = answer(tmp_path, targets())
    assert set(out["joint_names"]) == {"swing", "knee"}
    order = [list(out["joint_names"]).index(name) for name in ("swing", "knee")]
    joints = out["joints"][:, order]
    share = np.linspace(0.0, 1.0, STEPS)
    assert joints[2:] == pytest.approx(np.stack([0.5 + 0.4 * share, -share], 1)[2:], abs=2e-3)
    assert out["base_position"] == pytest.approx(targets()["base_position"], abs=1e-4)
    assert out["base_rotation"][-1] == pytest.approx(np.eye(3), abs=1e-3)
    start = np.array([0.2, 0.0])  # zero, or the nearest limit
    speeds = np.diff(np.vstack([start, joints]), axis=0) / 0.02
    assert out["joint_velocity"][:, order] == pytest.approx(speeds, abs=1e-9)
    assert np.all(out["seconds"] > 0)
    assert out["seconds"].shape == (STEPS,)


def test_the_targets_velocity_limit_holds_and_the_files_own_does_not_count(tmp_path):
    out = answer(tmp_path, targets(joint_velocity_limit=0.5))
    assert np.abs(out["joint_velocity"]).max() == pytest.approx(0.5, abs=1e-6)
    assert np.abs(answer(tmp_path, targets())["joint_velocity"]).max() > 1.2


def test_the_papers_law_is_there_with_its_gain(tmp_path):
    out = answer(tmp_path, targets(), "--law", "paper", "--gain", "5")
    assert np.abs(out["joints"][-1]).max() < 0.98  # without velocities it lags


def test_a_link_that_the_robot_lacks_is_named(tmp_path):
    done = run(tmp_path, targets(links=np.array(["hip", "thigh", "tail"])))
    assert done.returncode != 0
    assert "there is no link 'tail'" in done.stderr


def command(module: str, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", f"benchmarks.whole_body.{module}", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_table_has_a_line_for_each_motion_and_method_and_names_what_is_missing(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    done = command("table", "--urdf", str(tmp_path / "r.urdf"), str(tmp_path / "none.urdf"), "--steps", "4")
    assert done.returncode == 0, done.stderr
    lines = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| r,")]
    methods = {line[3].strip() for line in lines}
    assert {
        "dynamical, Limber's",
        "dynamical, the paper's law",
        "instantaneous, whole body",
        "instantaneous, pair-wise",
    } <= methods
    assert len(lines) == 3 * len(methods)
    assert "none.urdf: there is no such file" in done.stdout


def test_a_model_that_is_asked_beyond_its_limits_keeps_to_them(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    done = command(
        "at_limits",
        "--urdf",
        str(tmp_path / "r.urdf"),
        "--steps",
        "150",
        "--seeds",
        "1",
        "--keep",
        str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    row = [cell.strip() for cell in done.stdout.splitlines()[-1].split("|")]
    assert float(row[3]) > 0.01  # the error shows that the link was held
    with np.load(tmp_path / "r_0_out.npz") as out:
        swing = out["joints"][:, list(out["joint_names"]).index("swing")]
    assert swing.min() >= 0.2 - 1e-9
    assert swing.max() <= 2.0 + 1e-9
    assert float(row[8]) <= 1e-9
