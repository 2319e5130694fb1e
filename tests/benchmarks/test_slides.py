"""Tests the benchmark of chains with prismatic joints: every goal can be met, and the table has a row for
every solver.
"""

from limber.solvers.table import make_solver

from benchmarks.slides import cases, table


def test_every_chain_has_both_kinds_of_joints_and_a_goal_that_can_be_met():
    for chain, goal in cases(30, seed=1):
        assert {joint.kind for joint in chain.joints} == {"revolute", "prismatic"}
        assert make_solver("erik_exact", chain).solve(goal).converged


def test_the_table_is_whole():
    lines = table(3, ["erik", "ccd"])
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1
