"""The benchmark's mechanisms have the paper's sizes, and go where they are asked."""

import pytest
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.counting import count
from limber.solvers.mechanism.solver import MechanismSolver

from benchmarks.mechanism_gallery import Case, boxer, dancer, tower, walker


@pytest.mark.parametrize(
    ("case", "bodies", "joints", "actuators", "mobility"),
    [(boxer(), 5, 4, 4, 4), (dancer(), 12, 12, 8, 6), (walker(), 31, 36, 12, 18), (tower(4), 13, 16, 4, 4)],
    ids=["boxer", "dancer", "walker", "tower"],
)
def test_a_mechanism_has_its_size_and_follows(case: Case, bodies: int, joints: int, actuators: int, mobility: int):
    assert (len(case.mechanism.bodies), len(case.mechanism.joints)) == (bodies, joints)
    solver = MechanismSolver(case.mechanism)
    found = assemble(solver, goals=case.goals(0.0), tries=10)
    counts = count(solver, found.state)
    assert (counts.actuators, counts.mobility) == (actuators, mobility)
    for k in range(1, 20):
        found = solver.solve(case.goals(k / 60), found.state, 1 / 60)
        assert found.report.residual < 1e-8
        assert found.report.goal_error < 1e-6
