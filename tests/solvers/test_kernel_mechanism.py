"""Tests that the compiled solve of a mechanism gives the results of the Python reference."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.solvers.kernel.library import KernelError, kernel
from limber.solvers.kinematics.rotations import Quaternion, Vector, from_matrix
from limber.solvers.kinematics.se3 import RigidTransform, exponential
from limber.solvers.least_squares.damping import LEAST_SHARE, MOST_SHARE
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solution import AssemblyState, MechanismSolution
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.tasks import PositionTask, Task

from tests.solvers import mechanisms

pytestmark = pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel")

DT = 1 / 60
# tolerance of a first step: 1e-12 times the condition number of damped squares
ROUNDING = 1e-6
SAME_MOTION = 1e-9  # [rad or m] tolerance of whole motions
WORSE = 1e-6  # [sizes, rad] by which another choice may increase goal errors

seeds = st.integers(0, 2**32 - 1)
often = settings(derandomize=True, deadline=None, max_examples=40)


def limited(mechanism: Mechanism, draw: np.random.Generator) -> Mechanism:
    """The mechanism with limits of position and velocity at some of its motors."""
    joints = []
    for joint in mechanism.joints:
        if joint.actuated and joint.kind in ("revolute", "prismatic") and draw.random() < 0.6:
            most = float(draw.uniform(0.02, 0.3))
            speed = float(draw.choice([math.inf, 0.5, 3.0]))
            joint = replace(joint, lower=(-most,), upper=(most,), velocity=(speed,))
        joints.append(joint)
    return replace(mechanism, joints=tuple(joints))


def driven() -> Mechanism:
    """A Stewart platform with driven legs."""
    stewart = mechanisms.stewart()
    bodies = tuple(replace(body, driven=body.name == "platform") for body in stewart.bodies)
    return replace(stewart, bodies=bodies)


MECHANISMS = {
    "four-bar": mechanisms.four_bar(),
    "four-bar with a rod": mechanisms.four_bar(is_ball=True),
    "stewart": mechanisms.stewart(),
    "push-rod neck": mechanisms.push_rod_neck(),
    "all kinds": mechanisms.all_kinds(),
    "driven": driven(),
    **{f"held by {kind}": mechanisms.held_twice(kind) for kind in ("planar", "universal", "prismatic")},
}
SOLVERS = {name: MechanismSolver(mechanism) for name, mechanism in MECHANISMS.items()}
ASSEMBLED = {name: assemble(solver).state for name, solver in SOLVERS.items()}


def reference(solver: MechanismSolver) -> MechanismSolver:
    """The same solver without the kernel."""
    other = MechanismSolver(solver.mechanism)
    other.compiled = None
    return other


def vector(draw: np.random.Generator, size: float = 1.0) -> Vector:
    x, y, z = (size * draw.normal(size=3)).tolist()
    return (x, y, z)


def rotation(draw: np.random.Generator, size: float = 1.0) -> Quaternion:
    return from_matrix(exponential(np.array(vector(draw, size))).tolist())


def weights(draw: np.random.Generator) -> Vector:
    x, y, z = (draw.uniform(0.1, 3.0, 3) * (draw.random(3) < 0.8)).tolist()
    return (x, y, z)


def goals_of(draw: np.random.Generator, solver: MechanismSolver, state: AssemblyState) -> Goals:
    """Goals of all kinds, near a pose."""
    poses, frames = solver.poses(state), []
    for k, body in enumerate(solver.mechanism.bodies):
        if draw.random() < 0.4 and not body.grounded:
            position = poses[k, :3, 3] + 0.05 * draw.normal(size=3)
            turn = poses[k, :3, :3] @ exponential(0.2 * draw.normal(size=3))
            frames.append(
                FrameGoal(
                    body.name,
                    RigidTransform(rotation(draw), vector(draw, 0.05)),
                    tuple(position.tolist()) if draw.random() < 0.7 else None,
                    from_matrix(turn.tolist()) if draw.random() < 0.4 else None,
                    weights(draw),
                    weights(draw),
                    vector(draw) if draw.random() < 0.3 else None,
                    vector(draw),
                )
            )
    actuators = {}
    if draw.random() < 0.4:
        for joint in solver.mechanism.actuators:
            near = np.array(solver.values(state, joint.name)) + draw.choice([0.1, 2.0]) * draw.normal()
            actuators[joint.name] = tuple(near.tolist())
    has_masses = any(body.mass > 0.0 for body in solver.mechanism.bodies)
    centres = (CentreGoal(vector(draw, 0.1), weights(draw)),) if has_masses and draw.random() < 0.3 else ()
    steady = RegulariserWeights()
    if draw.random() < 0.3:
        steady = RegulariserWeights(*draw.uniform(0.0, 0.5, 2).tolist(), speed=float(draw.uniform(0.1, 5.0)))
    poses_of_driven = {
        body.name: RigidTransform(
            from_matrix((poses[k, :3, :3] @ exponential(0.05 * draw.normal(size=3))).tolist()),
            tuple((poses[k, :3, 3] + 0.01 * draw.normal(size=3)).tolist()),
        )
        for k, body in enumerate(solver.mechanism.bodies)
        if body.driven
    }
    axes = rotation(draw) if draw.random() < 0.3 else (1.0, 0.0, 0.0, 0.0)
    return Goals(
        tuple(frames), centres, actuators, poses_of_driven, steady, bool(draw.integers(2)), weight_axes=axes
    )


class Case:
    """A mechanism in a pose, with limits and goals."""

    def __init__(self, name: str, seed: int, is_limited: bool) -> None:
        draw = np.random.default_rng(seed)
        mechanism = limited(MECHANISMS[name], draw) if is_limited else MECHANISMS[name]
        self.solver = MechanismSolver(mechanism) if is_limited else SOLVERS[name]
        self.state = replace(ASSEMBLED[name], damping=float(10.0 ** draw.uniform(-6, -3)))
        self.goals = goals_of(draw, self.solver, self.state)
        self.dt = DT if draw.random() < 0.7 else None


cases = st.builds(Case, st.sampled_from(sorted(MECHANISMS)), seeds, st.booleans())


def same(ours: MechanismSolution, theirs: MechanismSolution, tolerance: float) -> None:
    np.testing.assert_allclose(ours.poses, theirs.poses, atol=tolerance)
    np.testing.assert_allclose(ours.state.values, theirs.state.values, atol=tolerance, rtol=tolerance)
    assert ours.report.goal_error == pytest.approx(theirs.report.goal_error, rel=tolerance, abs=tolerance)


@often
@given(cases)
def test_a_step_is_that_of_the_reference(case: Case) -> None:
    assert case.solver.compiled is not None
    ours, theirs = (
        solver.solve(case.goals, case.state, case.dt, iterations=1)
        for solver in (case.solver, reference(case.solver))
    )
    same(ours, theirs, ROUNDING)
    for name in ("assembled", "at_limits", "flipped", "iterations"):
        assert getattr(ours.report, name) == getattr(theirs.report, name)


@often
@given(cases)
def test_a_solve_misses_goals_by_no_more_than_the_reference(case: Case) -> None:
    ours, theirs = (
        solver.solve(case.goals, case.state, case.dt) for solver in (case.solver, reference(case.solver))
    )
    assert ours.report.assembled == theirs.report.assembled
    # If loops cannot be closed, redundant rows contradict each other, and rounding decides.
    if ours.report.assembled and ours.report.settled and theirs.report.settled:
        assert ours.report.goal_error <= theirs.report.goal_error + WORSE


def motion(
    solver: MechanismSolver, start: AssemblyState, goals: Sequence[Goals], dt: float | None
) -> list[MechanismSolution]:
    solutions: list[MechanismSolution] = []
    for goal in goals:
        state = solutions[-1].state if solutions else start
        solutions.append(solver.solve(goal, state, dt))
    return solutions


def swayed(name: str) -> list[Goals]:
    """Goals of swinging motors in 240 frames."""
    motors = [joint.name for joint in MECHANISMS[name].actuators]
    first = [SOLVERS[name].values(ASSEMBLED[name], motor) for motor in motors]
    return [
        Goals(
            actuators={
                motor: tuple(value + 0.1 * math.sin((0.02 + 0.004 * i) * k) for value in values)
                for i, (motor, values) in enumerate(zip(motors, first, strict=True))
            }
        )
        for k in range(240)
    ]


def led(name: str, body: str, goals: Sequence[Goals]) -> list[Goals]:
    """Goals with the poses of a body that follows other goals."""
    solver = SOLVERS[name]
    index, poses = solver.mechanism.body_index[body], []
    for solution in motion(solver, ASSEMBLED[name], goals, None):
        pose = solution.poses[index]
        x, y, z = pose[:3, 3].tolist()
        poses.append(
            Goals((FrameGoal(body, position=(x, y, z), rotation=from_matrix(pose[:3, :3].tolist())),))
        )
    return poses


@pytest.mark.parametrize(
    ("name", "body", "dt"),
    [
        ("four-bar", "coupler", DT),
        ("stewart", "platform", DT),
        ("push-rod neck", "head", None),
        ("push-rod neck", None, DT),
    ],
)
def test_a_motion_is_that_of_the_reference(name: str, body: str | None, dt: float | None) -> None:
    goals = swayed(name) if body is None else led(name, body, swayed(name))
    solver = SOLVERS[name]
    pairs = zip(
        motion(solver, ASSEMBLED[name], goals, dt),
        motion(reference(solver), ASSEMBLED[name], goals, dt),
        strict=True,
    )
    for ours, theirs in pairs:
        same(ours, theirs, SAME_MOTION)
        assert ours.report.settled == theirs.report.settled
        assert ours.report.assembled


def test_a_motion_within_limits_is_that_of_the_reference() -> None:
    solver = MechanismSolver(limited(MECHANISMS["stewart"], np.random.default_rng(3)))
    goals = led("stewart", "platform", swayed("stewart"))
    limited_frames = 0
    for ours, theirs in zip(
        motion(solver, assemble(solver).state, goals, DT),
        motion(reference(solver), assemble(solver).state, goals, DT),
        strict=True,
    ):
        # If goals are out of reach, poses with equal errors differ by rounding.
        assert ours.report.goal_error == pytest.approx(theirs.report.goal_error, abs=WORSE)
        assert ours.report.assembled
        assert ours.report.at_limits == theirs.report.at_limits
        limited_frames += bool(ours.report.at_limits)
    assert limited_frames > 20


def test_states_of_kernel_and_reference_go_on_in_each_other() -> None:
    solver, goals = SOLVERS["four-bar"], swayed("four-bar")
    other = reference(solver)
    state = ASSEMBLED["four-bar"]
    for k, goal in enumerate(goals):
        solution = (solver if k % 2 else other).solve(goal, state, DT)
        assert solution.report.assembled
        assert not solution.report.flipped
        state = solution.state


class Place(PositionTask):
    """A task of a class that the kernel does not know."""


def test_a_goal_that_the_kernel_does_not_know_is_solved_by_the_reference(monkeypatch) -> None:
    solver, goals = MechanismSolver(MECHANISMS["stewart"]), led("stewart", "platform", swayed("stewart")[:20])
    expected = motion(solver, ASSEMBLED["stewart"], goals, DT)
    of_goals = solver.objectives.of_goals

    def of_own_class(goals: Goals) -> Iterator[Task]:
        for task in of_goals(goals):
            yield Place(task.ends, task.targets, task.axes) if isinstance(task, PositionTask) else task

    monkeypatch.setattr(solver.objectives, "of_goals", of_own_class)
    for ours, theirs in zip(motion(solver, ASSEMBLED["stewart"], goals, DT), expected, strict=True):
        same(ours, theirs, SAME_MOTION)


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_an_assembly_is_that_of_the_reference(name: str) -> None:
    solver, draw = SOLVERS[name], np.random.default_rng(1)
    tree = solver.tree
    for _ in range(4):
        values, balls = tree.moved(
            ASSEMBLED[name].values, ASSEMBLED[name].balls, 0.1 * draw.normal(size=len(tree)) * tree.unit
        )
        driven = {
            body.name: RigidTransform(from_matrix(pose[:3, :3].tolist()), tuple(pose[:3, 3].tolist()))
            for body, pose in zip(solver.mechanism.bodies, solver.poses(ASSEMBLED[name]), strict=True)
            if body.driven
        }
        ours, theirs = (
            assemble(each, AssemblyState(values, balls), Goals(driven=driven), tries=1)
            for each in (solver, reference(solver))
        )
        same(ours, theirs, ROUNDING)
        assert ours.report.assembled == theirs.report.assembled


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e200])
def test_a_state_that_is_not_finite_is_refused(number: float) -> None:
    solver, state = SOLVERS["stewart"], ASSEMBLED["stewart"]
    values = state.values.copy()
    values[2] = number
    with pytest.raises(KernelError, match="not finite"):
        solver.solve(Goals(), replace(state, values=values))


def test_a_mechanism_without_joints_stays_where_it_is() -> None:
    solver = MechanismSolver(
        Mechanism((RigidBody("stone", start=RigidTransform(position=(1.0, 2.0, 3.0)), grounded=True),))
    )
    solution = solver.solve(Goals(), solver.rest(), DT)
    assert solution.poses[0, :3, 3] == pytest.approx((1.0, 2.0, 3.0))
    assert solution.report.settled


def test_a_bar_without_length_is_solved_as_in_the_reference() -> None:
    """Two hinges at one position: the bar between them may rotate or not."""
    at = RigidTransform()
    bodies = (RigidBody("ground", start=RigidTransform(), grounded=True), RigidBody("bar"), RigidBody("end"))
    joints = (
        Joint("first", "revolute", "ground", "bar", at, at, actuated=True),
        Joint("second", "revolute", "bar", "end", at, at),
        Joint("third", "revolute", "end", "ground", at, at),
    )
    solver = MechanismSolver(Mechanism(bodies, joints))
    goals = Goals(actuators={"first": (1.0,)})
    ours, theirs = (each.solve(goals, each.rest(), DT) for each in (solver, reference(solver)))
    same(ours, theirs, SAME_MOTION)


@pytest.mark.parametrize("damping", [0.0, 5e-324, 1e-30, 1e30])
def test_damping_of_any_size_ends_within_what_steps_can_raise(damping: float) -> None:
    """Doubling leaves zero unchanged: for a target out of reach the solver once iterated without end."""
    solver, start = SOLVERS["four-bar"], replace(ASSEMBLED["four-bar"], damping=damping)
    goals = Goals((FrameGoal(solver.mechanism.bodies[-1].name, (9.0, 0.0, 9.0)),))
    for each in (solver, reference(solver)):
        after = each.solve(goals, start, DT, evaluations=300).state
        assert LEAST_SHARE <= after.damping <= 2.0 * MOST_SHARE
