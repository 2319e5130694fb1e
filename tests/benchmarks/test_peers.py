"""Tests the comparison with other libraries: the same tasks for all, correct scores, and missing libraries
are named.
"""

from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.gaze import aim_error

from benchmarks import contestants, peers
from benchmarks.contestants.models import urdf
from benchmarks.environment import wanted
from benchmarks.paper import BODIES, skeleton_of


class Fixed:
    """A contestant that always gives the same solution."""

    def __init__(self, angles):
        self.answer = np.array(angles)

    def prepare(self, task):
        pass

    def solve(self):
        return 7

    def angles(self):
        return self.answer


def test_every_process_has_the_same_tasks_and_they_can_be_met():
    one, other = peers.tasks_of("G", 4), peers.tasks_of("G", 4)
    for a, b in zip(one, other, strict=True):
        assert a.goal.aim == b.goal.aim
        assert np.array_equal(a.goal.posture, b.goal.posture)
    row = peers.Course("erik_exact", "G", 4).run()
    assert row.success == 1.0
    assert row.milliseconds > 0.0


def test_an_answer_that_misses_the_aim_is_no_success(monkeypatch):
    monkeypatch.setattr(peers, "make", lambda name, body: Fixed(np.zeros(5)))
    row = peers.Course("pink", "E", 10).run()
    assert row.success == 0.0
    assert row.steps == 7.0


def test_an_answer_beyond_the_limits_is_no_success(monkeypatch):
    whole_turn = np.array([2.0 * np.pi, 0.0, 0.0, 0.0, 0.0])
    task = replace(peers.tasks_of("E", 1)[0])
    goal = replace(task.goal, aim=type(task.goal.aim)(skeleton_of("E").forward([0.0] * 5).tool_rotation))
    monkeypatch.setattr(peers, "tasks_of", lambda chain, count: [contestants.Task(goal)])
    assert aim_error(goal, skeleton_of("E").forward(whole_turn.tolist())) <= contestants.TOLERANCE
    for angles, success in ((whole_turn, 0.0), (np.zeros(5), 1.0)):
        monkeypatch.setattr(peers, "make", lambda name, body, angles=angles: Fixed(angles))
        assert peers.Course("pink", "E", 1).run().success == success


def test_a_library_whose_environment_is_missing_is_named_and_the_others_race(monkeypatch):
    monkeypatch.setitem(
        contestants.ENTRIES, "pink", replace(contestants.ENTRIES["pink"], environment=".venv-none")
    )
    rows, missing = peers.race("E", ["pink", "erik_exact"], 4, 1)
    assert [row.name for row in rows] == ["erik_exact"]
    assert "`make bench`" in missing["pink"]


def test_a_library_that_its_environment_lacks_is_named(monkeypatch):
    monkeypatch.setitem(
        contestants.ENTRIES, "placo", replace(contestants.ENTRIES["placo"], environment=".venv")
    )
    _, missing = peers.race("E", ["placo"], 4, 1)
    assert "placo" in missing["placo"]


def test_blenders_own_ik_races_in_the_real_blender():
    rows, missing = peers.race("E", ["blender"], 6, 1)
    assert not missing
    assert rows[0].success >= 0.8


def test_the_table_has_a_line_for_each_that_raced_and_dashes_where_one_did_not():
    rows = [peers.Row("pink", chain, 0.5, 5.0, 1.0, 30.0) for chain in "EG"] + [
        peers.Row("mink", "E", 0.4, 5.0, 0.99, 31.0)
    ]
    lines = peers.table(rows)[2:]
    assert lines[0].startswith("| pink (daqp) | differential steps | 0.500 | 5.0 | 100.0% | 30.0 | 0.500 |")
    assert lines[1].endswith("| 99.0% | 31.0 | - | - | - | - |")
    assert len({line.count("|") for line in peers.table(rows)}) == 1


@pytest.mark.parametrize("name", "EG")
def test_the_model_that_libraries_read_has_every_joint_with_its_axis_and_limits(name):
    text = urdf(BODIES[name])
    assert text.count('type="revolute"') == len(BODIES[name].axes)
    assert f'upper="{BODIES[name].reach:.17g}"' in text
    assert text.index('xyz="0 1 0"/><limit') < text.index('xyz="1 0 0"/><limit')


def test_requirements_are_read_without_their_comments():
    assert wanted("# why\npink>=4  # one\n\nmink\n") == ["pink>=4", "mink"]
