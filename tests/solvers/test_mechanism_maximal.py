"""Tests the same mechanisms in maximal coordinates: with Limber's six unknowns per body, and with the paper's
seven, written out here independently.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import from_matrix, normalized, to_matrix
from limber.solvers.kinematics.se3 import angle_of, frame_array, inverse
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.kinds import KINDS
from limber.solvers.mechanism.model import Mechanism
from limber.solvers.mechanism.readout import moves_of
from limber.solvers.mechanism.solver import MechanismSolver

from benchmarks.mechanism_maximal import Maximal, implicit, moved
from tests.solvers import mechanisms


def driven(mechanism: Mechanism, offset: float):
    """A solved mechanism, its actuators' values a little further, and the solver's result for these."""
    solver = MechanismSolver(mechanism)
    start = assemble(solver)
    values = {
        joint.name: tuple(v + offset for v in solver.values(start.state, joint.name))
        for joint in mechanism.actuators
    }
    return start, values, solver.solve(Goals(actuators=values), start.state)


@pytest.mark.parametrize(
    "mechanism", [mechanisms.four_bar(), mechanisms.stewart()], ids=["four-bar", "Stewart"]
)
def test_forward_kinematics_on_all_poses_agrees(mechanism: Mechanism):
    start, values, expected = driven(mechanism, 0.03)
    found = Maximal(mechanism, tuple(values)).forward(start.poses, values)
    assert found.residual < 1e-9
    assert found.poses == pytest.approx(expected.poses, abs=1e-7)


def test_its_derivative_is_what_differences_show():
    mechanism = mechanisms.held_twice("universal")
    maximal = Maximal(mechanism, ("carrier",))
    dice = np.random.default_rng(3)
    values = {"carrier": tuple(0.3 * dice.normal(size=6))}
    poses = maximal.step(np.eye(4)[None], 0.5 * dice.normal(size=6))
    _, rows = maximal.linear(poses, values)
    for k in range(6):
        step = np.eye(6)[k] * 1e-6
        slope = (
            maximal.residual(maximal.step(poses, step), values)
            - maximal.residual(maximal.step(poses, -step), values)
        ) / 2e-6
        assert rows[:, k] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_joints_values_are_read_back_from_where_they_put_the_child(kind: str):
    values = tuple(np.random.default_rng(1).uniform(-1.5, 1.5, len(KINDS[kind].freedoms)))
    found = moves_of(kind, moved(kind, values))
    numbers = [part for part in found if isinstance(part, float)]
    assert numbers == pytest.approx(values[: len(numbers)])


def test_sketchy_bodies_come_together():
    solver = MechanismSolver(mechanisms.four_bar())
    closed = assemble(solver)
    maximal = Maximal(mechanisms.four_bar())
    sketch = maximal.step(closed.poses, 0.1 * np.random.default_rng(0).normal(size=maximal.columns))
    found = maximal.forward(sketch)
    assert found.residual < 1e-9


def test_the_implicit_formulation_takes_a_mechanism_apart_where_ours_holds_it_together():
    mechanism = mechanisms.four_bar()
    solver = MechanismSolver(mechanism)
    start = assemble(solver)
    goal = FrameGoal("rocker", position=None, rotation=from_matrix(turned(start.poses[3], 2.5)))
    ours = solver.solve(Goals((goal,)), start.state)
    assert ours.report.residual < 1e-9
    both = replace(
        mechanism,
        joints=tuple(replace(joint, actuated=joint.name in ("motor", "pivot")) for joint in mechanism.joints),
    )
    values = {name: solver_values(both, start, name) for name in ("motor", "pivot")}
    apart, _ = implicit(Maximal(both, ("motor", "pivot")), goal, start.poses, values, steps=6)
    assert apart.residual > 0.01


def turned(pose: np.ndarray, angle: float) -> list[list[float]]:
    c, s = math.cos(angle), math.sin(angle)
    return (pose[:3, :3] @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])).tolist()


def solver_values(mechanism: Mechanism, start, name: str) -> tuple[float, ...]:
    joint = mechanism.joint[name]
    poses = [
        np.eye(4) if body == "" else start.poses[mechanism.body_index[body]]
        for body in (joint.parent, joint.child)
    ]
    return tuple(
        moves_of(
            joint.kind,
            inverse(poses[0] @ frame_array(joint.in_parent)) @ poses[1] @ frame_array(joint.in_child),
        )
    )


# -- the paper's form: seven numbers per body, rows of dot products, unit length --


def paper_rows(mechanism: Mechanism, states: np.ndarray, motor: float) -> np.ndarray:
    """C_FK of a mechanism of revolute joints, section III, with the correct term -R_j x_j - c_j for a joint's
    position.
    """
    rows = []
    for body, state in zip(mechanism.bodies, states, strict=True):
        rows.append([state[3:] @ state[3:] - 1.0])
        if body.grounded:
            rows.append(state[:3] - body.start.position)
            rows.append(state[4:])
    for joint in mechanism.joints:
        i, j = (states[mechanism.body_index[name]] for name in (joint.parent, joint.child))
        turn_i, turn_j = (np.array(to_matrix(tuple(state[3:]))) for state in (i, j))
        at_i, at_j = frame_array(joint.in_parent), frame_array(joint.in_child)
        rows.append(turn_i @ at_i[:3, 3] + i[:3] - turn_j @ at_j[:3, 3] - j[:3])
        axes_i, axes_j = turn_i @ at_i[:3, :3], turn_j @ at_j[:3, :3]
        rows.append([axes_i[:, 2] @ axes_j[:, 0], axes_i[:, 2] @ axes_j[:, 1]])
        if joint.actuated:
            rows.append([(axes_i[:, :2] @ (math.cos(motor), math.sin(motor))) @ axes_j[:, 1]])
    return np.concatenate(rows)


def test_the_papers_seven_numbers_a_body_lead_to_the_same_poses():
    mechanism = mechanisms.four_bar()
    start, values, expected = driven(mechanism, 0.2)
    states = np.array([[*pose[:3, 3], *from_matrix(pose[:3, :3].tolist())] for pose in start.poses])
    assert states.size == 28  # the paper's text gives 24
    for _ in range(12):
        residual = paper_rows(mechanism, states, values["motor"][0])
        assert residual.size == 31
        slopes = []
        for k in range(states.size):
            step = np.eye(states.size)[k].reshape(states.shape) * 1e-7
            slopes.append(
                (
                    paper_rows(mechanism, states + step, values["motor"][0])
                    - paper_rows(mechanism, states - step, values["motor"][0])
                )
                / 2e-7
            )
        states = states - np.linalg.lstsq(np.array(slopes).T, residual, rcond=1e-6)[0].reshape(states.shape)
    for state, pose in zip(states, expected.poses, strict=True):
        assert state[:3] == pytest.approx(pose[:3, 3], abs=1e-6)
        assert angle_of(np.array(to_matrix(normalized(tuple(state[3:])))).T @ pose[:3, :3]) < 1e-6
