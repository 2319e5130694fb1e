"""Tests the table of rigs: every solver has a line for each, and a folder without rigs is an error that names
it.
"""

import sys

import numpy as np
import pytest
from limber.solvers.table import SOLVERS

from benchmarks import rig_table

CHAIN = {
    "axis": np.eye(3),
    "rest_wxyz": np.eye(4)[[0, 0, 0]],
    "rest_offset": np.array([[0.0, 0, 0], [0, 1, 0], [0, 1, 0]]),
}
TOOL = {
    "tool_wxyz": np.eye(4)[0],
    "tool_offset": np.array([0.0, 1, 0]),
    "lo": np.full(3, -2.0),
    "hi": np.full(3, 2.0),
}


def printed(capsys, monkeypatch, folder):
    monkeypatch.setattr(sys, "argv", ["rig_table", str(folder), "--pairs", "1"])
    rig_table.main()
    return capsys.readouterr().out.splitlines()


def test_every_solver_has_a_line_for_a_rig(tmp_path, capsys, monkeypatch):
    directions = np.array([[0.0, 1, 0.2], [0.2, 1, 0]])
    np.savez(tmp_path / "arm.npz", **CHAIN, **TOOL, posture=np.zeros((2, 3)), target_direction=directions)
    lines = printed(capsys, monkeypatch, tmp_path)[len(rig_table.HEADER) :]
    assert [line.split("|")[4].strip() for line in lines] == list(SOLVERS)
    assert all(line.startswith("| arm | 3 | 1 |") for line in lines)


def test_a_folder_without_rigs_is_named(tmp_path, capsys, monkeypatch):
    with pytest.raises(SystemExit, match="none"):
        printed(capsys, monkeypatch, tmp_path / "none")
