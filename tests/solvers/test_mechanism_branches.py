"""Tests flips to another assembly mode: they are reported when they happen, and not when a loop only passes a
flat pose.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import Y, about
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solution import AssemblyState, MechanismSolution
from limber.solvers.mechanism.solver import MechanismSolver

from tests.solvers import mechanisms
from tests.solvers.mechanisms import flat

DT = 1 / 60


def parallelogram() -> tuple[MechanismSolver, MechanismSolution]:
    """Parallelogram with crank and rocker of .1 m, coupler and ground of .4 m, at 60 degrees."""
    turned = RigidTransform(about(Y, -math.radians(60)))
    tip = (0.05, 0.0, 0.1 * math.sin(math.radians(60)))
    bodies = (
        RigidBody("ground", grounded=True, start=RigidTransform()),
        RigidBody("crank", start=turned),
        RigidBody("coupler", start=RigidTransform(position=tip)),
        RigidBody("rocker", start=RigidTransform(turned.rotation, (0.4, 0.0, 0.0))),
    )
    joints = (
        Joint("motor", "revolute", "ground", "crank", flat(0.0), flat(0.0), actuated=True),
        Joint("knee", "revolute", "crank", "coupler", flat(0.1), flat(0.0)),
        Joint("pivot", "revolute", "ground", "rocker", flat(0.4), flat(0.0)),
        Joint("elbow", "revolute", "coupler", "rocker", flat(0.4), flat(0.1)),
    )
    solver = MechanismSolver(Mechanism(bodies, joints))
    found = assemble(solver)
    assert found.report.assembled
    return solver, found


def turned(
    solver: MechanismSolver, found: MechanismSolution, by: float, frames: int
) -> tuple[MechanismSolution, list[int]]:
    """The solution after the motor rotated by an angle [rad] in some frames, and the frames in which a flip
    was reported.
    """
    first, flips = solver.values(found.state, "motor")[0], []
    for k in range(1, frames + 1):
        found = solver.solve(Goals(actuators={"motor": (first + by * k / frames,)}), found.state, DT)
        flips += [k] if found.report.flipped else []
    return found, flips


@pytest.mark.parametrize("frames", [16, 61, 250])
def test_a_parallelogram_that_passes_its_flat_pose_as_one_has_not_flipped(frames: int):
    solver, found = parallelogram()
    found, flips = turned(solver, found, 2.0 * math.pi, frames)
    assert found.poses[2][:3, :3] == pytest.approx(np.eye(3), abs=1e-6)
    assert flips == []


@pytest.mark.parametrize("frames", [40, 200])
def test_a_crank_that_turns_all_the_way_never_flips(frames: int):
    solver = MechanismSolver(mechanisms.four_bar())
    _, flips = turned(solver, assemble(solver), 4.0 * math.pi, frames)
    assert flips == []


def snapped_over(there: AssemblyState, before: AssemblyState) -> AssemblyState:
    """A state that the mechanism has reached from `before` in a way unknown to the solver."""
    return replace(there, branch=before.branch, regular=None)


def led_through_the_fold(frames: int) -> tuple[MechanismSolver, list[MechanismSolution]]:
    """A four-bar whose rocker is driven past the pose in which it is in line with the coupler: there the
    crank reverses.
    """
    solver = MechanismSolver(mechanisms.four_bar(coupler=0.15))  # too short for full rotations of the crank
    found = assemble(solver)
    turn = found.poses[solver.mechanism.body_index["rocker"]]
    first, way = math.atan2(turn[2, 0], turn[0, 0]), []
    for k in range(1, frames + 1):
        found = solver.solve(
            Goals((FrameGoal("rocker", rotation=about(Y, 1.1 * k / frames - first)),)), found.state, DT
        )
        assert found.report.goal_error < 1e-6
        way.append(found)
    return solver, way


@pytest.mark.parametrize("frames", [25, 60, 240])
def test_an_elbow_that_is_led_through_its_fold_flips_once(frames: int):
    solver, way = led_through_the_fold(frames)
    flips = [k for k, found in enumerate(way) if found.report.flipped]
    cranks = [solver.values(found.state, "motor")[0] for found in way]
    assert 0 < np.argmax(cranks) < frames - 1
    assert len(flips) == 1
    assert 0 <= flips[0] - np.argmax(cranks) <= frames / 20


def test_a_loop_that_snaps_a_little_way_is_told_in_the_frame_in_which_it_does():
    solver, way = led_through_the_fold(240)
    crank = [solver.values(found.state, "motor")[0] for found in way]
    most = int(np.argmax(crank))
    here = way[most - 12]
    there = min(way[most:], key=lambda found: abs(solver.values(found.state, "motor")[0] - crank[most - 12]))
    assert 0.02 < np.abs(there.state.values - here.state.values).max() < 0.25
    goals = Goals(actuators={"motor": (crank[most - 12],)})
    still = solver.solve(goals, here.state, DT)
    assert not still.report.flipped
    snapped = solver.solve(goals, snapped_over(there.state, still.state), DT)
    assert snapped.report.flipped
    assert not solver.solve(goals, snapped.state, DT).report.flipped


def crossed(solver: MechanismSolver, crank: float) -> MechanismSolution:
    """The parallelogram's other assembly with the crank at an angle [rad]: its elbow is mirrored at the line
    from knee to pivot.
    """
    knee, pivot = 0.1 * np.exp(1j * crank), 0.4
    elbow = knee + (0.4 / (pivot - knee)).conjugate() * (pivot - knee)
    coupler, rocker = np.angle(elbow - knee), np.angle(elbow - pivot)
    found = assemble(
        solver,
        solver.state_at(
            {
                "ground": RigidTransform(),
                "crank": RigidTransform(about(Y, -crank)),
                "coupler": RigidTransform(about(Y, -coupler), (knee.real, 0.0, knee.imag)),
                "rocker": RigidTransform(about(Y, -rocker), (0.4, 0.0, 0.0)),
            }
        ),
        Goals(actuators={"motor": (crank,)}),
    )
    assert found.report.assembled
    assert np.abs(found.poses[2][:3, :3] - np.eye(3)).max() > 0.01
    return found


def test_a_parallelogram_that_goes_on_crossed_from_its_flat_pose_is_told():
    solver, found = parallelogram()
    found, flips = turned(solver, found, math.radians(-56), 28)
    assert flips == []
    other = crossed(solver, math.radians(-4))  # 4 degrees past the flat pose; `found` is 4 degrees before it
    goals = Goals(actuators={"motor": solver.values(other.state, "motor")})
    assert solver.solve(goals, snapped_over(other.state, found.state), DT).report.flipped
    assert not solver.solve(goals, found.state, DT).report.flipped


@pytest.mark.parametrize("frames", [8, 30, 200])
def test_after_a_start_at_a_flat_pose_a_flip_is_told_at_every_rate_of_frames(frames: int):
    solver, found = parallelogram()
    found, _ = turned(solver, found, math.radians(-60), 1)
    flat_state = replace(found.state, branch=None)  # at a singular pose, where directions are missing
    found, flips = turned(
        solver,
        solver.solve(Goals(actuators={"motor": solver.values(flat_state, "motor")}), flat_state, DT),
        1.0,
        frames,
    )
    assert flips == []
    other = crossed(solver, 1.0)
    goals = Goals(actuators={"motor": (1.0,)})
    assert solver.solve(goals, snapped_over(other.state, found.state), DT).report.flipped
    assert not solver.solve(goals, found.state, DT).report.flipped


@pytest.mark.parametrize("frames", [12, 60])
@pytest.mark.parametrize("way", [-1.8, 3.8])
@pytest.mark.parametrize("coupler", [0.1, 0.17])  # [m] lengths of the coupler
def test_a_motor_that_is_commanded_past_its_dead_point_comes_back_on_the_same_assembly(
    coupler: float, way: float, frames: int
):
    # too short for full rotations of the crank
    solver = MechanismSolver(mechanisms.four_bar(coupler=coupler))
    found = assemble(solver)
    first, poses, state = solver.values(found.state, "motor")[0], found.poses, found.state
    shares = [k / frames for k in range(1, frames + 1)]
    errors = []
    for share in (*shares, *[1.0] * 10, *reversed(shares), 0.0):
        found = solver.solve(
            Goals(actuators={"motor": (first + way * share,)}, counts_full_rotations=True), state, DT
        )
        assert not found.report.flipped
        state = found.state
        errors.append(found.report.goal_error)
    assert max(errors) > 0.1, "it was past the dead point"
    assert errors[-1] < 1e-6
    assert np.abs(found.poses - poses).max() < 1e-6
