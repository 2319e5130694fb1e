"""Tests that the benchmark's mechanisms have the paper's sizes, and meet their goals."""

import pytest
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.counting import count
from limber.solvers.mechanism.solver import MechanismSolver

from benchmarks.mechanism_cases import every_kind, serial_arm
from benchmarks.mechanism_gallery import Case, boxer, dancer, tower, walker


@pytest.mark.parametrize(
    ("case", "bodies", "joints", "actuators", "mobility"),
    [
        (boxer(), 5, 4, 4, 4),
        (dancer(), 12, 12, 8, 6),
        (walker(), 31, 36, 12, 18),
        (tower(4), 13, 16, 4, 4),
        (every_kind(), 8, 10, 1, 1),
    ],
    ids=["boxer", "dancer", "walker", "tower", "every kind"],
)
def test_a_mechanism_has_its_size_and_follows(
    case: Case, bodies: int, joints: int, actuators: int, mobility: int
):
    assert (len(case.mechanism.bodies), len(case.mechanism.joints)) == (bodies, joints)
    solver = MechanismSolver(case.mechanism)
    found = assemble(solver, goals=case.goals(0.0), tries=10)
    counts = count(solver, found.state)
    assert (counts.actuators, counts.mobility) == (actuators, mobility)
    for k in range(1, 20):
        found = solver.solve(case.goals(k / 60), found.state, 1 / 60)
        assert found.report.residual < 1e-8
        assert found.report.goal_error < 1e-6


def test_the_first_validation_example_has_every_common_kind_of_joint():
    kinds = {joint.kind for joint in every_kind().mechanism.joints}
    assert kinds == {"cartesian", "cylindrical", "fixed", "prismatic", "revolute", "spherical", "universal"}


def test_the_second_one_follows_a_frame_with_twice_the_motors_that_it_takes_and_no_jumps():
    case = serial_arm()
    kinds = [joint.kind for joint in case.mechanism.actuators]
    assert (kinds.count("revolute"), kinds.count("prismatic")) == (6, 6)
    solver = MechanismSolver(case.mechanism)
    found = assemble(solver, goals=case.goals(0.0))
    for k in range(1, 60):
        before, found = found, solver.solve(case.goals(k / 60), found.state, 1 / 60)
        assert found.report.goal_error < 1e-3  # error due to the regulariser
        assert abs(found.state.values - before.state.values).max() < 0.05
