"""Tests the inputs and outputs of the benchmark `mechanism`."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from limber.solvers.mechanism.solution import SolveReport
from limber.solvers.tolerances import MET

from benchmarks.mechanism import unassembled
from tests.robots.test_closures import CLOSED, parallelogram

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(tmp_path):
    (tmp_path / "robot.urdf").write_text(parallelogram(), encoding="utf-8")
    (tmp_path / "robot.yaml").write_text(CLOSED, encoding="utf-8")

    def answer(**given) -> dict[str, np.ndarray]:
        np.savez(tmp_path / "in.npz", **given)
        files = {"urdf": "robot.urdf", "closures": "robot.yaml", "targets": "in.npz", "out": "out.npz"}
        options = [part for name, file in files.items() for part in (f"--{name}", str(tmp_path / file))]
        command = [sys.executable, "-m", "benchmarks.mechanism", *options]
        done = subprocess.run(command, cwd=ROOT, check=True, env=os.environ, capture_output=True, text=True)
        answer.said = done.stdout
        with np.load(tmp_path / "out.npz") as file:
            return dict(file)

    return answer


def common(count: int) -> dict[str, object]:
    return {"dt": 1 / 60, "floating_base": False}


def test_a_motor_that_is_driven_carries_the_plate(run):
    angles = np.linspace(0.0, 1.0, 5)[:, None]
    found = run(
        **common(5),
        frames=np.array([], dtype=str),
        position=np.zeros((5, 0, 3)),
        motor_names=np.array(["motor"]),
        motor_position=angles,
    )
    plate = found["body_names"].tolist().index("plate")
    assert found["motor_position"] == pytest.approx(angles, abs=1e-8)
    assert found["body_position"][:, plate] == pytest.approx(
        0.2 * np.hstack((np.sin(angles), 0 * angles, np.cos(angles))), abs=1e-8
    )
    assert found["converged"].all()
    assert found["residual"].max() < 1e-8
    assert found["seconds"].shape == (5,)


def test_a_plate_that_is_placed_tells_the_motor(run):
    angles = np.linspace(0.1, 1.0, 5)[:, None]
    place = 0.2 * np.hstack((np.sin(angles), 0 * angles, np.cos(angles)))
    found = run(**common(5), frames=np.array(["plate"]), position=place[:, None])
    assert found["motor_position"] == pytest.approx(angles, abs=1e-6)


def test_a_speed_limit_holds_the_motor_back(run):
    angles = np.array([0.0, 1.0, 1.0])[:, None]
    found = run(
        **common(3),
        frames=np.array([], dtype=str),
        position=np.zeros((3, 0, 3)),
        motor_names=np.array(["motor"]),
        motor_position=angles,
        velocity_limit=3.0,
    )
    assert np.diff(found["motor_position"][:, 0]) == pytest.approx([0.05, 0.05], abs=1e-8)


def test_frames_that_are_not_assembled_are_counted_and_the_first_one_is_told(run, tmp_path):
    still = {"frames": np.array([], dtype=str), "position": np.zeros((3, 0, 3))}
    run(**common(3), **still)
    assert "not assembled" not in run.said
    (tmp_path / "robot.urdf").write_text(
        parallelogram().replace('xyz="0.5 0 0"/><axis xyz="1 0 0"', 'xyz="2 0 0"/><axis xyz="1 0 0"')
    )
    assert not run(**common(3), **still)["converged"].any()
    assert (
        "not assembled: 3 of 3 frames, first frame 0: plate_end = right_end (6d) is open by 1.1 m or rad"
        in run.said
    )


def test_a_frame_in_the_middle_that_is_not_assembled_is_told_as_well():
    def report(residual: float, worst: str) -> SolveReport:
        return SolveReport(residual < MET, True, residual, worst, 0.0, (), 1, False)

    frames = [
        report(*each)
        for each in ((1e-12, "a = b (6d)"), (0.125, "c = d (3d)"), (0.5, "a = b (6d)"), (1e-12, "a = b (6d)"))
    ]
    assert (
        unassembled(frames)
        == "not assembled: 2 of 4 frames, first frame 1: c = d (3d) is open by 0.125 m or rad"
    )
    assert unassembled(frames[:1]) == ""
