"""Tests that the solver of characters' rigs in the compiled kernel gives the results of the Python
reference.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.aims.aim import Direction, Point
from limber.solvers.bones.last_frames import LastFrames
from limber.solvers.bones.level import Levels
from limber.solvers.bones.problem import AIM_COST, PoseProblem
from limber.solvers.bones.solver import BoneSolver
from limber.solvers.expressive.aims import BatchedAim
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.goals import Aim, GazeGoal
from limber.solvers.kernel.bones import CompiledBones
from limber.solvers.kernel.library import KernelError, kernel
from limber.solvers.kinematics.rotations import Y, Z, add, rotate, scale

from .kernel_cases import KINDS, character_of, goal_of
from .test_bones import BONES, spine, toward
from .test_bones_branches import RATE, ROUND, rig, walked

pytestmark = pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel")

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)
rolls = st.sampled_from(["", "up", "level"])
dampings = st.sampled_from([0.0, 0.3, 300.0])
ROUNDING = 1e-14
LOST_DIGITS = 1e-10  # tolerance of errors and derivatives: directions to near points, rolls near their poles
SAME = 1e-9  # [rad] tolerance of whole motions
FRAMES = 240
JUMP = 0.1  # [rad] rotation above which a pose counts as a jump


class InPython(BoneSolver):
    """The solver without the kernel."""

    compiled = None


def compiled(solver: BoneSolver) -> CompiledBones:
    """The solver in the kernel."""
    assert solver.compiled is not None
    return solver.compiled


class Case:
    """A random character with an authored pose, and an aim that a pose near it meets."""

    def __init__(self, seed: int, bones: int, kind: type[Aim], roll: str) -> None:
        self.draw = draw = np.random.default_rng(seed)
        self.skeleton = character_of(draw, bones)
        options = ExpressiveOptions(
            hold_body=bool(draw.integers(2)), look_from=float(draw.choice([0.2, 0.5, 0.8]))
        )
        self.solver = BoneSolver(self.skeleton, options)
        self.model, count = self.solver.model, len(self.skeleton)
        self.reference = np.array(self.skeleton.clamp(draw.normal(size=count)))
        self.goal = replace(goal_of(draw, self.skeleton, kind, roll), posture=self.reference)
        self.authored = self.model.pose(self.reference)
        self.near = self.model.moved(self.authored, 0.1 * draw.normal(size=count))

    def met(self) -> GazeGoal:
        """A goal that `near` meets, except for the roll."""
        pose = self.skeleton.forward(self.model.angles(self.near, self.reference).tolist())
        aim, position, reach = self.goal.aim, pose.tool_position, self.skeleton.reach
        by_hand = type(aim).met_by(pose.tool_rotation, position, reach)
        rolls = {"up": aim.up, "level": aim.level} if isinstance(aim, Direction | Point) else {}
        return replace(self.goal, aim=replace(by_hand, **rolls), others=())

    def problem(self, goal: GazeGoal) -> PoseProblem:
        frames = self.model.frames(self.authored)
        levels = Levels(self.model.tree, frames, goal)
        return PoseProblem(self.model, BatchedAim(self.model, goal), self.authored, frames, levels)

    def compare_first_steps(self, goal: GazeGoal, last: LastFrames | None, damping: float) -> bool:
        """Compares the first steps; returns whether they begin where the last frames lead."""
        problem = self.problem(goal)
        at, forces, before = problem.begun(self.authored, last, JUMP)
        step, _ = problem.step(at, forces, damping)
        ours = compiled(self.solver).first_step(goal, self.reference, last, JUMP, damping)
        assert ours.cost == pytest.approx(at.secondary, rel=LOST_DIGITS, abs=LOST_DIGITS)
        assert ours.aim_error == pytest.approx(at.errors.size[0], abs=LOST_DIGITS)
        scale = max(1.0, float(np.abs(at.matrix).max()))
        np.testing.assert_allclose(ours.matrix, at.matrix, rtol=0, atol=LOST_DIGITS * scale)
        np.testing.assert_allclose(ours.descent, at.descent, rtol=0, atol=LOST_DIGITS * scale)
        columns = at.errors.columns[0]
        curvature = problem.curvature(at, forces) if forces.any() and problem._has_view else 0.0
        system = AIM_COST * columns @ columns.T + at.matrix + curvature
        condition = float(np.linalg.cond(system + damping * np.diag(at.matrix.diagonal())))
        np.testing.assert_allclose(ours.step, step, rtol=0, atol=ROUNDING * condition)
        return before is not None


@given(seeds, st.integers(1, 6), kinds, rolls, dampings)
def test_a_step_from_the_authored_pose_is_that_of_the_reference(
    seed: int, bones: int, kind: type[Aim], roll: str, damping: float
) -> None:
    case = Case(seed, bones, kind, roll)
    assert not case.compare_first_steps(case.goal, None, damping)


@given(seeds, st.integers(1, 6), kinds, rolls, dampings, st.booleans())
def test_a_step_from_the_last_frames_is_that_of_the_reference(
    seed: int, bones: int, kind: type[Aim], roll: str, damping: float, has_before: bool
) -> None:
    case = Case(seed, bones, kind, roll)
    model, goal = case.model, case.met()
    deviation = model.deviation(case.authored, case.near)
    rows = len(case.problem(goal).evaluated(case.authored).errors.error[0])
    forces = case.draw.normal(size=rows)
    is_used = case.compare_first_steps(
        goal, LastFrames(deviation, deviation if has_before else None, forces), damping
    )
    assert is_used or roll == "up"  # a roll remains that the pose does not have
    assert not case.compare_first_steps(goal, LastFrames(deviation, None, np.append(forces, 1.0)), damping)


@given(seeds, st.integers(1, 6), st.floats(0.1, 0.9))
def test_a_step_of_an_end_near_its_target_is_that_of_the_reference(
    seed: int, bones: int, share: float
) -> None:
    case = Case(seed, bones, Point, "level")
    pose = case.skeleton.forward(case.model.angles(case.near, case.reference).tolist())
    view = scale(rotate(pose.tool_rotation, Y), share * float(case.model.sizes[0]))
    goal = replace(case.goal, aim=Point(add(pose.tool_position, view), level=Z), others=())
    deviation = case.model.deviation(case.authored, case.near)
    assert case.compare_first_steps(goal, LastFrames(deviation, None, np.ones(2)), 0.0)
    frames, size = case.model.frames(case.near), len(case.skeleton)
    assert case.problem(goal).nearness.add(frames, np.zeros((size, size)), np.zeros(size)) > 0.0


def wave(frame: int, size: int) -> np.ndarray:
    """Posture (n,) of an animated character."""
    return 0.2 * np.sin(0.1 * frame + np.arange(size))


LOOKS = {
    "direction": lambda frame: Direction(toward(20 + 70 * math.sin(0.05 * frame), 10), level=Z),
    "upright": lambda frame: Direction(toward(40 * math.sin(0.05 * frame), 10), up=Z),
    "point": lambda frame: Point((math.sin(0.04 * frame), 1.5, 0.5 * math.cos(0.03 * frame)), level=Z),
}


@pytest.mark.parametrize("aim", LOOKS)
@pytest.mark.parametrize("limit", [1e4, 0.6])
def test_a_motion_is_that_of_the_reference(aim: str, limit: float) -> None:
    skeleton, last, expected = spine(6, limit), None, None
    ours, theirs = BoneSolver(skeleton, BONES), InPython(skeleton, BONES)
    for frame in range(FRAMES):
        goal = GazeGoal(LOOKS[aim](frame), wave(frame, len(skeleton)), False, keep=0.9)
        last = ours.solve(goal, last and last.angles, last and last.memory)
        expected = theirs.solve(goal, expected and expected.angles, expected and expected.memory)
        np.testing.assert_allclose(last.angles, expected.angles, rtol=0, atol=SAME)
        assert (last.iterations, last.converged) == (expected.iterations, expected.converged)
        assert last.reason == expected.reason
        np.testing.assert_allclose(last.measured.errors, expected.measured.errors, rtol=0, atol=SAME)
        assert last.lowered == pytest.approx(expected.lowered, abs=SAME)


def test_a_transition_to_another_branch_is_that_of_the_reference() -> None:
    name, last, expected = "lamp of 4 bones", None, None
    skeleton = rig(name)
    ours, theirs = BoneSolver(skeleton, BONES), InPython(skeleton, BONES)
    for goal in walked(name, skeleton, 1.5, 0.0, range(ROUND)):
        last = ours.solve(goal, last and last.angles, last and last.memory, dt=1.0 / RATE)
        expected = theirs.solve(
            goal, expected and expected.angles, expected and expected.memory, dt=1.0 / RATE
        )
        np.testing.assert_allclose(last.angles, expected.angles, rtol=0, atol=SAME)
        assert last.is_on_its_way == expected.is_on_its_way


def test_a_motion_goes_on_where_the_reference_left_it() -> None:
    skeleton, last, expected = spine(4), None, None
    ours, theirs = BoneSolver(skeleton, BONES), InPython(skeleton, BONES)
    for frame in range(20):
        goal = GazeGoal(LOOKS["direction"](frame), wave(frame, len(skeleton)), False)
        solver = (ours, theirs)[frame % 2]
        last = solver.solve(goal, last and last.angles, last and last.memory)
        expected = theirs.solve(goal, expected and expected.angles, expected and expected.memory)
        np.testing.assert_allclose(last.angles, expected.angles, rtol=0, atol=SAME)
        assert last.iterations == expected.iterations


@given(seeds, st.integers(1, 6), kinds, st.sampled_from(["", "level"]))
def test_an_aim_that_can_be_met_costs_as_much_as_by_the_reference(
    seed: int, bones: int, kind: type[Aim], roll: str
) -> None:
    case = Case(seed, bones, kind, roll)
    goal = case.met()
    ours, expected = case.solver.solve(goal), InPython(case.skeleton, case.solver.options).solve(goal)
    assert ours.converged == expected.converged
    assert ours.lowered == pytest.approx(expected.lowered, abs=1e-6)


@pytest.mark.parametrize("size", [1e120, -1e300])
def test_numbers_beyond_the_kernel_are_solved_by_the_reference(size: float) -> None:
    solver, posture = BoneSolver(spine(3), BONES), np.zeros(9)
    far = GazeGoal(Point((size, 1.0, 2.0)), posture)
    with pytest.raises(KernelError, match="not finite"):
        compiled(solver).solve(far, posture, None, JUMP)
    near = GazeGoal(Direction((math.copysign(1.0, size), 0.0, 0.0)), posture)
    np.testing.assert_allclose(solver.solve(far).angles, solver.solve(near).angles, atol=1e-6)


def test_bad_tasks_are_refused() -> None:
    goal = GazeGoal(Direction((0.3, 0.8, 0.2)), np.zeros(9))
    last = BoneSolver(spine(3), BONES).solve(goal).memory
    assert isinstance(last, LastFrames)
    for field, value, message in (
        ("workspace_bytes", 8, "size"),
        ("workspace", None, "size"),
        ("angles", None, "size"),
        ("bones", None, "not prepared"),
    ):
        task = compiled(BoneSolver(spine(3), BONES))
        task.solve(goal, np.zeros(9), None, JUMP)
        setattr(task._task, field, value)
        with pytest.raises(KernelError, match=message):
            task.solve(goal, np.zeros(9), None, JUMP)
    task = compiled(BoneSolver(spine(3), BONES))
    for bad in (math.nan, math.inf):
        with pytest.raises(KernelError, match="not finite"):
            task.solve(goal, np.array([0.0] * 8 + [bad]), None, JUMP)
        with pytest.raises(KernelError, match="not finite"):
            task.solve(goal, np.zeros(9), last._replace(forces=np.array([bad, 0.0])), JUMP)
        with pytest.raises(KernelError, match="not finite"):
            task.solve(
                goal,
                np.zeros(9),
                last._replace(deviation=last.deviation._replace(balls=np.full((3, 3, 3), bad))),
                JUMP,
            )
    with pytest.raises(KernelError, match="aims"):
        task._make_room(0)
