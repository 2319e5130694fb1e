"""Tests the inputs and outputs of the benchmark `model`."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.robots.mjcf import ARM
from tests.robots.robots import SHARED
from tests.robots.test_closures import CLOSED, parallelogram

ROOT = Path(__file__).resolve().parents[2]
REACHY = SHARED / "robots" / "reachy_mini"


@pytest.fixture
def run(tmp_path):
    def answer(
        model: Path, names: list[str], joints: np.ndarray, *more: str, fails: bool = False
    ) -> dict[str, np.ndarray]:
        np.savez(tmp_path / "in.npz", joint_names=np.array(names), joints=joints)
        files = [
            "--model",
            str(model),
            "--samples",
            str(tmp_path / "in.npz"),
            "--out",
            str(tmp_path / "out.npz"),
        ]
        command = [sys.executable, "-m", "benchmarks.model", *files, *more]
        done = subprocess.run(
            command, cwd=ROOT, check=not fails, env=os.environ, capture_output=True, text=True
        )
        answer.said = done.stderr
        with np.load(tmp_path / "out.npz") as file:
            return dict(file)

    return answer


def test_bodies_are_where_the_joints_put_them(run, tmp_path):
    (tmp_path / "arm.xml").write_text(ARM, encoding="utf-8")
    found = run(
        tmp_path / "arm.xml", ["turn", "lift"], np.array([[np.radians(10.0), 0.0], [np.radians(100.0), 0.1]])
    )
    names = found["body_names"].tolist()
    assert found["position"].shape == (2, len(names), 3)
    assert found["rotation"].shape == (2, len(names), 3, 3)
    assert found["position"][:, names.index("hand")] == pytest.approx(
        np.array([[0, 0, 0.4], [0, 0, 0.5]]), abs=1e-12
    )
    assert found["rotation"][0, names.index("hand")] == pytest.approx(
        np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-12
    )
    assert found["residual"].tolist() == [0.0, 0.0]


def test_joints_without_a_value_close_the_loops(run, tmp_path):
    (tmp_path / "robot.urdf").write_text(parallelogram(), encoding="utf-8")
    (tmp_path / "robot.yaml").write_text(CLOSED, encoding="utf-8")
    angles = np.linspace(0.0, 1.0, 5)
    found = run(
        tmp_path / "robot.urdf", ["motor"], angles[:, None], "--closures", str(tmp_path / "robot.yaml")
    )
    plate = found["position"][:, found["body_names"].tolist().index("plate")]
    assert plate == pytest.approx(
        0.2 * np.stack((np.sin(angles), 0 * angles, np.cos(angles)), axis=1), abs=1e-8
    )
    assert found["residual"].max() < 1e-8


@pytest.mark.parametrize("file", ["robot.urdf", "reachy_mini.xml"])
def test_reachy_minis_head_is_where_its_maker_puts_it_with_the_closures_that_its_file_marks(run, file):
    if not REACHY.exists():
        pytest.skip(f"no folder {REACHY}")
    with np.load(REACHY / "fk_samples.npz") as file_of_samples:
        samples = {name: file_of_samples[name][:25] for name in ("motors", "body_yaw", "head_pose")}
    names = ["yaw_body", *(f"stewart_{k}" for k in range(1, 7))]
    found = run(REACHY / file, names, np.column_stack((samples["body_yaw"], samples["motors"])))
    head = found["body_names"].tolist().index("head")
    assert found["residual"].max() < 1e-9
    assert found["position"][:, head] == pytest.approx(
        samples["head_pose"][:, :3, 3] + [0.0, 0.0, 0.177], abs=2e-6
    )
    assert found["rotation"][:, head] == pytest.approx(samples["head_pose"][:, :3, :3], abs=5e-5)


def test_a_joint_that_the_file_lacks_is_named(run, tmp_path):
    (tmp_path / "arm.xml").write_text(ARM, encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        run(tmp_path / "arm.xml", ["elbow"], np.zeros((1, 1)), fails=True)
    assert "no joint 'elbow' that moves: its joints are lift, shoulder, turn" in run.said
