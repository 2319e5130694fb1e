"""The table of solvers: every skeleton and rig in it, and a folder without rigs named."""

import sys

import numpy as np

from benchmarks import gaze_table
from benchmarks.erik_sweep import PAPER


def printed(capsys, monkeypatch, folder):
    monkeypatch.setattr(sys, "argv", ["gaze_table", "--pairs", "1", "--rigs", str(folder)])
    gaze_table.main()
    return capsys.readouterr().out.splitlines()


def test_every_skeleton_and_rig_has_a_line_for_each_solver(tmp_path, capsys, monkeypatch):
    chain = {"axis": np.eye(3), "rest_wxyz": np.eye(4)[[0, 0, 0]], "rest_offset": np.array([[0.0, 0, 0], [0, 1, 0], [0, 1, 0]])}
    tool = {"tool_wxyz": np.eye(4)[0], "tool_offset": np.array([0.0, 1, 0]), "lo": np.full(3, -2.0), "hi": np.full(3, 2.0)}
    np.savez(tmp_path / "arm.npz", **chain, **tool, posture=np.zeros((2, 3)), target_direction=np.array([[0.0, 1, 0.2], [0.2, 1, 0]]))
    lines = printed(capsys, monkeypatch, tmp_path)
    for label in (*(f"{name}, joints" for name in PAPER), "arm "):
        assert sum(line.startswith(label) for line in lines) == len(gaze_table.SOLVERS)


def test_a_folder_without_rigs_is_named(tmp_path, capsys, monkeypatch):
    assert str(tmp_path / "none") in printed(capsys, monkeypatch, tmp_path / "none")[-1]
