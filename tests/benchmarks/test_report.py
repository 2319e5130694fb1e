"""Tests the page of all comparisons: complete tables, existing pictures, correct figures."""

import re
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import angle_between

from benchmarks import plots, report, tables, walks, warm
from benchmarks.chunks import PUBLISHED, Chunk, solver_of
from benchmarks.jobs import TIMES
from benchmarks.paper import Grid, skeleton_of
from benchmarks.paper_tables import headlines
from benchmarks.peers import Row
from benchmarks.walks import FPS, KINDS, Walk, figures, path

NAMES, SOLVERS = (
    ("A", "C"),
    (
        PUBLISHED,
        "erik",
        "ccd",
        "dls100",
        "dls200",
        "dls400",
        "dls400_bold",
        "dls100_nopost",
    ),
)
PEERS = [Row(name, chain, 0.5, 5.0, 1.0, 30.0) for name in ("expressive", "pink") for chain in "EG"]


@pytest.fixture(scope="module")
def results():
    """Results for a few pairs of two skeletons; DLS is solved only once to save time."""
    solved = {}
    for name in NAMES:
        places = Grid(name).sample(6)
        answers = {
            solver: Chunk(Grid(name), solver, 0, places).solve()
            for solver in (PUBLISHED, "erik", "ccd", "dls100_nopost")
        }
        solved |= {(name, solver): answers.get(solver, answers["dls100_nopost"]) for solver in SOLVERS}
    return solved


def answer(steps, aim):
    """Result of a path on which the only joint makes these steps [degrees]."""
    angles = np.radians(np.cumsum([0.0, *steps]))[:, None]
    count = len(angles)
    return {
        "angles": angles,
        "aim": np.radians(aim),
        "shape": np.zeros(count),
        "iterations": np.ones(count),
        TIMES: np.ones(count),
    }


def test_the_page_has_whole_tables_and_pictures(results, tmp_path):
    walked = {
        (kind, "C", solver): figures([answer([1.0, 1.0], [0.0, 0.0, 0.0])])
        for kind in KINDS
        for solver in ("erik", "ccd")
    }
    rows = tables.glances(results, walked)
    assert [row.label for row in rows] == ["ERIK", "CCD"]
    text = report.page(
        rows, results, results, walked, report.Race(PEERS, {"mink": "not to be had"}), "6 pairs"
    )
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in table.strip().splitlines()}) == 1, table
    assert "mink (daqp): not to be had" in text
    assert "*0.0266 (0.0213)*" in text  # the paper's Table 9
    assert "*1 / 12 / 2.31 / 2.08*" in text  # and Table 8
    drawn = (
        (plots.glance, rows),
        (plots.race, PEERS),
        (plots.distributions, results),
        (plots.skeletons, results),
        (plots.dls, results),
    )
    for draw, given in drawn:
        draw(given, tmp_path / f"{draw.__name__}.png")
        assert (tmp_path / f"{draw.__name__}.png").stat().st_size > 5000
    pictures = re.findall(r"\(pictures/(.*?)\)", text)
    assert len(pictures) == len(drawn)


def test_pairs_that_dls_misses_without_the_posture_are_left_out_of_its_lines_alone(results):
    missed = results["A", "dls100_nopost"]["orientation"] > 0.12
    assert missed.any()
    assert len(tables.comparable(results, "A", "dls400")["aim"]) == np.sum(~missed)
    assert len(tables.comparable(results, "A", "erik")["aim"]) == len(missed)


def test_the_papers_tables_leave_out_what_the_page_says_they_leave_out(results):
    missed = results["A", "dls100_nopost"]["orientation"] > 0.12
    text = report.page([], results, results, {}, report.Race(PEERS, {}), "6 pairs")
    _, table_8, table_9 = re.split(
        r"^### Table [89].*$", text.partition("### Figures")[0], flags=re.MULTILINE
    )
    for table in (table_8, table_9):
        samples = dict(re.findall(r"^\| A \| ([^|]+) \| (\d+) ", table, re.MULTILINE))
        assert {int(samples[solver]) for solver in samples if solver.startswith("DLS")} == {np.sum(~missed)}
        assert int(samples["ERIK"]) == len(missed)
        assert not any("without posture" in solver for solver in samples)


def test_the_papers_figures_stand_below_erik_as_published(results):
    for table in (tables.table_8(results, SOLVERS), tables.table_9(results, SOLVERS)):
        above = {table[k - 1].split(" | ")[1] for k, line in enumerate(table) if "*paper*" in line}
        assert "ERIK, as published" in above
        assert "ERIK" not in above


def test_a_name_of_erik_may_change_several_values():
    solver = solver_of("erik loop='published' ccd_error=0.06", skeleton_of("C"))
    assert (solver.hyper.loop, solver.hyper.ccd_error) == ("published", 0.06)


def test_the_papers_headlines_stand_beside_ours():
    one = {"orientation": np.zeros(2), TIMES: np.array([1e-3, 3e-3])}
    ten = {"orientation": np.zeros(2), TIMES: np.array([1e-2, 3e-2])}
    solvers = (PUBLISHED, "erik", "expressive")
    solved = {(name, solver): one for name in "CDEG" for solver in solvers}
    solved |= {("C", solver): ten for solver in ("dls100", "dls200", "dls400", tables.WITHOUT_POSTURE)}
    lines = headlines(solved)
    assert "| solutions a second, 8 links (G), mean | 14 Hz | 500 Hz | 500 Hz | 500 Hz |" in lines
    assert "| the same, slowest | 1.3 Hz | 333 Hz | 333 Hz | 333 Hz |" in lines
    assert "| times faster than DLS, 100 steps (C), means | 4.5 | 10.0 | 10.0 | 10.0 |" in lines
    assert headlines({("C", "erik"): one}) == []


def test_pops_and_frames_that_are_off_are_counted_and_jolts_measured():
    f = figures([answer([1.0, 1.0, 20.0, 1.0], [0.0, 0.0, 2.0, 0.5, 0.0])])
    assert f.pops == pytest.approx(1 / 4)
    assert f.off == pytest.approx(1 / 5)
    assert f.aim == pytest.approx(0.5)
    assert f.jolt == pytest.approx(19.0 * FPS**2)


@pytest.mark.parametrize("kind", KINDS)
def test_paths_are_smooth_and_the_same_for_every_solver(kind):
    posture, targets = path("G", kind, 1)
    again, others = path("G", kind, 1)
    assert np.array_equal(posture, again)
    assert targets == others
    steps = np.degrees([angle_between(a, b) for a, b in pairwise(targets)]) * FPS
    assert steps.max() < 180.0
    assert steps.mean() > 10.0


class Follower:
    """Solver that returns the number of frames so far, and records its inputs."""

    def __init__(self):
        self.given = []

    def solve(self, goal, start, memory, dt=None):
        self.given.append((start, memory))
        count = float(len(self.given))
        return SimpleNamespace(
            angles=np.full(5, count), memory=count, aim_error=0.0, shape_deviation=0.0, iterations=1
        )


def test_a_walk_hands_each_frame_the_last_ones_answer_and_memory(monkeypatch):
    follower = Follower()
    monkeypatch.setattr(walks, "SECONDS", 0.1)
    monkeypatch.setattr(walks, "solver_of", lambda name, skeleton: follower)
    walked = Walk("C", "local", "expressive", 0).solve()
    assert follower.given[0] == (None, None)
    for frame, (start, memory) in enumerate(follower.given[1:], 1):
        assert np.array_equal(start, walked["angles"][frame - 1])
        assert memory == frame
    assert len(walked["angles"]) == round(0.1 * FPS)


def test_no_two_walks_share_a_file():
    assert len({job.file for job in warm.walks("CE", ("erik", "ccd"), 2)}) == len(KINDS) * 2 * 2 * 2
