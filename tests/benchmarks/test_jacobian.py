"""Tests the benchmark of the Jacobian family: its shapes are those of Buss, its targets can be met, and it
reproduces his findings.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from limber.solvers.goals import EndGoal, GazeGoal, Position
from limber.solvers.jacobian.linear import Linearizer

from benchmarks.jacobian import (
    CLOSE,
    METHODS,
    PUSHED,
    SHAPES,
    VARIANTS,
    converge,
    markdown,
    targets_of,
    text,
    track,
    tracking_cells,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("shape", "ends", "rows", "columns"), [("Y", 2, 6, 7), ("double-Y", 4, 12, 16)])
def test_the_shapes_have_buss_s_ends_and_jacobians(shape, ends, rows, columns):
    skeleton = SHAPES[shape]()
    assert len(skeleton.ends) == ends
    places = targets_of(skeleton, 1, 0.0)[0]
    others = tuple(EndGoal(Position(place), end) for end, place in enumerate(places[1:], 1))
    rest = np.zeros(len(skeleton))
    goal = GazeGoal(Position(places[0]), rest, others=others)
    linear = Linearizer(skeleton).linear(goal, skeleton.forward(rest.tolist()), rest, rest == 0.0)
    assert linear.jacobian.shape == (rows, columns)


def test_targets_in_reach_can_all_be_met_and_move_little_in_a_frame_and_pushed_ones_cannot():
    skeleton = SHAPES["Y"]()
    inside, outside = targets_of(skeleton, 300, 0.0), targets_of(skeleton, 300, PUSHED)
    steps = np.linalg.norm(np.diff(np.array(inside), axis=0), axis=-1)
    assert steps.max() < 0.1 * 5  # [m] largest movement of a target per frame
    assert np.linalg.norm(np.array(inside), axis=-1).max() <= 5.0 + 1e-9
    assert np.linalg.norm(np.array(outside), axis=-1).max() > 5.5
    assert track("Y", "dls", 0.0, 200).error < 0.01


def test_it_shows_what_buss_reports():
    """Out of reach, damped methods are smooth, the pseudoinverse jitters, and the transpose is smooth but
    inaccurate.
    """
    found = {
        method: track("double-Y", method, PUSHED, 240)
        for method in ("pseudoinverse", "dls_clamped", "transpose")
    }
    inside = {method: track("double-Y", method, 0.0, 240) for method in ("dls_clamped", "transpose")}
    assert found["pseudoinverse"].jitter > 20 * found["dls_clamped"].jitter
    assert inside["transpose"].error > 5 * inside["dls_clamped"].error


def test_methods_are_compared_on_the_same_targets_and_starts():
    found = [converge("C", method, 8) for method in ("dls", "transpose")]
    assert found[0].free == 1.0
    assert found[1].updates > found[0].updates
    assert converge("C", "dls", 8) == found[0]
    assert CLOSE == 1e-3


def test_every_method_of_the_family_has_a_line():
    assert {"transpose", "pseudoinverse", "dls", "dls_clamped", "sdls", "priorities"} == set(METHODS)
    for method in METHODS | VARIANTS:
        assert track("Y", method, 0.0, 64).method == method


def test_tables_come_as_text_and_as_markdown():
    cells = tracking_cells([track("Y", "dls", 0.0, 64)])
    assert text(cells).splitlines()[1].startswith("Y ")
    lines = markdown(cells).splitlines()
    assert lines[0].count("|") == lines[1].count("|") == lines[2].count("|") == 8


def test_the_command_leaves_both_tables(tmp_path):
    out = tmp_path / "table.md"
    command = [
        sys.executable,
        "-m",
        "benchmarks.jacobian",
        "--frames",
        "64",
        "--targets",
        "1",
        "--skeletons",
        "a",
        "--out",
        str(out),
    ]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "updates a second" in asked.stdout
    lines = out.read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("| A |") for line in lines) == len(METHODS)
    assert sum("| double-Y |" in line for line in lines) == 2 * len(METHODS | VARIANTS)
