"""Tests that ERIK and the exact correction in the compiled kernel give the results of the Python
reference.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.aim_residual import residual
from limber.solvers.erik.exact import ErikExact
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.erik.solver import Erik, ErikSolution
from limber.solvers.exact_aim import least_change
from limber.solvers.expressive.model import Model
from limber.solvers.gaze import PostureShape, aim_error
from limber.solvers.goals import Aim, Direction, GazeGoal, Orientation, Point
from limber.solvers.kernel.binding import CompiledModel
from limber.solvers.kernel.erik import ErikChainStructure, chain_arrays, chain_structure, prepared
from limber.solvers.kernel.library import KernelError, kernel
from limber.solvers.kinematics.rotations import Y, add, rotate
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.least_squares.bounded_step import LONGEST_STEP
from limber.solvers.least_squares.damping import REDUNDANT
from limber.solvers.virtual_chain.chain import VirtualChain

from benchmarks.paper import Grid
from tests.solvers.chains import skeleton_of

from . import kernel_cases

pytestmark = pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel")

seeds = st.integers(0, 2**32 - 1)
joints = st.integers(1, 12)
kinds = st.sampled_from([Orientation, Direction, Point])
rolls = st.sampled_from(["", "up"])
slides = st.sampled_from([0.0, 0.3])
ROUNDING = 1e-12
LOST_DIGITS = 1e-9  # tolerance of errors: directions to near points, rolls near their poles
FLAT = 1e-4  # [rad] tolerance of whole corrections, whose first steps may have a condition number of 1e10

hyperparameters = st.builds(
    Hyperparameters,
    as_published=st.booleans(),
    loop=st.sampled_from(["published", "posture"]),
    orientation_weight=st.floats(0.0, 2.0),
    posture_weight=st.floats(0.0, 2.0),
    threshold=st.sampled_from([0.04, 0.004, 0.0]),
    aggravation=st.floats(0.5, 1.5),
    symmetric_endpoint=st.booleans(),
    avoid_edges=st.booleans(),
    avoid_edges_from_iteration=st.integers(1, 4),
    disturbance=st.sampled_from([0.0, 0.01, 0.1]),
    non_convergence_offset_trick=st.booleans(),
    non_convergence_ccd_trick=st.booleans(),
    progress=st.sampled_from([1e-4, 1e-3, 1e-2]),
    max_iterations=st.integers(1, 12),
    max_bwcd_iterations=st.integers(1, 12),
    max_ccd_iterations=st.integers(1, 20),
    ccd_error=st.sampled_from([6.4e-5, 0.1, 1e-6]),
)


def model_of(skeleton: Skeleton) -> CompiledModel:
    """The skeleton in the kernel."""
    compiled = Model(skeleton).compiled
    assert compiled is not None
    return compiled


def posture_of(goal: GazeGoal | np.ndarray) -> tuple[float, ...]:
    """A goal's posture, or an array of angles, as floats."""
    return tuple((goal.posture if isinstance(goal, GazeGoal) else goal).tolist())


def both(
    solver: Erik, goal: GazeGoal, previous: tuple[float, ...] | None = None
) -> tuple[ErikSolution, ErikSolution]:
    """The kernel's result and the reference's."""
    posture = tuple(goal.posture.tolist())
    assert solver.compiled is not None
    solver.compiled.solve(goal, posture, previous)  # raises if it refuses such a goal
    return solver._solved(goal, posture, previous), solver._solved_in_python(goal, posture, previous)


def compare(ours: ErikSolution, reference: ErikSolution) -> None:
    assert ours.iterations == reference.iterations
    np.testing.assert_allclose(ours.angles, reference.angles, rtol=0, atol=ROUNDING)
    assert ours.error == pytest.approx(reference.error, abs=ROUNDING)


@given(seeds, joints, slides, kinds, rolls, hyperparameters, st.booleans())
def test_erik_is_that_of_the_reference_with_all_hyperparameters(
    seed: int, n: int, slides: float, kind: type[Aim], roll: str, hyper: Hyperparameters, goes_on: bool
) -> None:
    draw = np.random.default_rng(seed)
    skeleton = kernel_cases.skeleton_of(draw, n, slides=slides)
    goal = kernel_cases.goal_of(draw, skeleton, kind, roll)
    previous = tuple(kernel_cases.angles_of(draw, skeleton, 1)[0].tolist()) if goes_on else None
    compare(*both(Erik(skeleton, hyper), goal, previous))


@pytest.mark.parametrize("name", list("ABCDEFG"))
@pytest.mark.parametrize("as_published", [False, True])
def test_erik_is_that_of_the_reference_on_the_papers_skeletons(name: str, as_published: bool) -> None:
    # Postures and targets of even grids have many equal candidates, between which rounding decides; both make
    # the same choice, since the kernel's operations are in the reference's order.
    solver, grid = Erik(skeleton_of(name), Hyperparameters(as_published=as_published)), Grid(name)
    for place in grid.sample(60, seed=5):
        compare(*both(solver, grid.pair(place)))


@given(seeds, joints, slides, kinds, rolls, st.booleans())
def test_errors_of_the_end_are_those_of_the_reference(
    seed: int, n: int, slides: float, kind: type[Aim], roll: str, symmetric: bool
) -> None:
    draw = np.random.default_rng(seed)
    skeleton = kernel_cases.skeleton_of(draw, n, slides=slides)
    goal = kernel_cases.goal_of(draw, skeleton, kind, roll)
    hyper = Hyperparameters(symmetric_endpoint=symmetric)
    solver, in_python = Erik(skeleton, hyper), Erik(skeleton, hyper)
    in_python.compiled = None
    ours, reference = solver.solve(goal), in_python.solve(goal)
    np.testing.assert_allclose(ours.measured.errors, reference.measured.errors, rtol=0, atol=1e3 * ROUNDING)
    assert (ours.converged, ours.iterations) == (reference.converged, reference.iterations)
    assert ours.reason == reference.reason
    assert ours.shape_deviation == pytest.approx(reference.shape_deviation, abs=1e3 * ROUNDING)


@given(seeds, joints, slides, kinds, rolls)
def test_a_step_of_the_exact_correction_is_that_of_the_reference_with_costs_of_joints(
    seed: int, n: int, slides: float, kind: type[Aim], roll: str
) -> None:
    draw = np.random.default_rng(seed)
    skeleton = kernel_cases.skeleton_of(draw, n, slides=slides)
    goal = kernel_cases.goal_of(draw, skeleton, kind, roll)
    start, costs = kernel_cases.angles_of(draw, skeleton, 1)[0], tuple(draw.uniform(0.02, 2.0, n).tolist())
    far = tuple(replace(joint, lower=-9.0, upper=9.0) for joint in skeleton.joints)
    skeleton = replace(skeleton, joints=far)  # so that no limit restricts the step
    left = residual(skeleton, goal, skeleton.forward(start.tolist()))
    units, columns = skeleton.units, np.array(left.columns)
    eased = (columns.T * (units**2 / np.array(costs))) @ columns
    condition = float(np.linalg.cond(eased + REDUNDANT * np.trace(eased) * np.eye(len(eased))))
    longest = (LONGEST_STEP * units).tolist()
    inverse_ease = (np.array(costs) / units**2).tolist()
    step = least_change(skeleton, start.tolist(), left, inverse_ease, longest, REDUNDANT)
    ours = model_of(skeleton).correct(goal, posture_of(goal), posture_of(start), costs, 1, looks=False)
    if ours.steps and np.any(np.array(ours.angles) != start):  # steps that increase the error are not made
        np.testing.assert_allclose(ours.angles - start, step, rtol=0, atol=1e2 * ROUNDING * condition)


@given(seeds, joints, slides, kinds, rolls, st.booleans())
def test_the_exact_correction_tells_the_errors_of_its_angles(
    seed: int, n: int, slides: float, kind: type[Aim], roll: str, looks: bool
) -> None:
    draw = np.random.default_rng(seed)
    skeleton = kernel_cases.skeleton_of(draw, n, slides=slides)
    goal = kernel_cases.goal_of(draw, skeleton, kind, roll)
    starts = [posture_of(row) for row in kernel_cases.angles_of(draw, skeleton, 3)]
    costs = tuple(draw.uniform(0.02, 2.0, n).tolist())
    model = model_of(skeleton)
    for start in starts:
        ours = model.correct(goal, posture_of(goal), start, costs, looks=looks)
        pose = skeleton.forward(ours.angles.tolist())
        assert skeleton.clamp(ours.angles) == posture_of(ours.angles)
        assert ours.aim_error == pytest.approx(residual(skeleton, goal, pose).size, abs=LOST_DIGITS)
        assert ours.measured.errors[0].angle == pytest.approx(aim_error(goal, pose), abs=LOST_DIGITS)
        assert ours.cosine == pytest.approx(
            math.cos(PostureShape(skeleton, posture_of(goal)).deviation(pose)), abs=LOST_DIGITS
        )
        without_shape = model.correct(goal, None, start, costs, looks=looks)
        assert without_shape.angles.tolist() == ours.angles.tolist()
        assert without_shape.cosine == 0.0
        assert without_shape[1::3] == ours[1::3]  # aim error and errors of the ends
        before = residual(skeleton, goal, skeleton.forward(start)).size
        if not (looks and roll):
            assert ours.aim_error <= before + LOST_DIGITS


@pytest.mark.parametrize("kind", [Orientation, Direction, Point])
def test_erik_with_an_exact_aim_is_that_of_the_reference_frame_after_frame(kind: type[Aim]) -> None:
    for seed in range(12):
        draw = np.random.default_rng(seed)
        skeleton = kernel_cases.skeleton_of(draw, 7)
        pose = skeleton.forward(kernel_cases.angles_of(draw, skeleton, 1)[0].tolist())
        view = rotate(pose.tool_rotation, Y)
        aims = Orientation(pose.tool_rotation), Direction(view), Point(add(pose.tool_position, view))
        goal = GazeGoal(next(aim for aim in aims if type(aim) is kind), np.full(7, 0.1 * seed))
        solver, in_python = ErikExact(skeleton), ErikExact(skeleton)
        in_python.erik.compiled = in_python.erik.correction.compiled = in_python.correction.compiled = None
        first, expected = solver.solve(goal), in_python.solve(goal)
        assert first.converged == expected.converged
        np.testing.assert_allclose(first.angles, expected.angles, rtol=0, atol=FLAT)
        moved = replace(goal, posture=goal.posture + 0.02)
        second = solver.solve(moved, first.angles, first.memory)
        expected = in_python.solve(moved, first.angles, first.memory)
        np.testing.assert_allclose(second.angles, expected.angles, rtol=0, atol=FLAT)


def test_equal_costs_are_no_costs() -> None:
    draw = np.random.default_rng(4)
    skeleton = kernel_cases.skeleton_of(draw, 6, slides=0.3)
    goal = kernel_cases.goal_of(draw, skeleton, Direction)
    model, posture = model_of(skeleton), posture_of(goal)
    without, equal, others = (
        model.correct(goal, posture, posture, costs).angles.tolist()
        for costs in (None, (1.0,) * 6, (1.0, 9.0) * 3)
    )
    assert equal == without
    assert others != without


@pytest.mark.parametrize("size", [1e120, -1e300])
def test_numbers_beyond_the_kernel_are_solved_by_the_reference(size: float) -> None:
    skeleton = skeleton_of("C")
    solver = ErikExact(skeleton)
    far = GazeGoal(Point((size, 1.0, 2.0)), np.zeros(len(skeleton)))
    assert solver.erik.compiled is not None
    with pytest.raises(KernelError, match="not finite"):
        solver.erik.compiled.solve(far, (0.0,) * len(skeleton))
    near = replace(far, aim=Direction((math.copysign(1.0, size), 0.0, 0.0)))
    np.testing.assert_allclose(solver.solve(far).angles, solver.solve(near).angles, atol=1e-6)


def structure_of(skeleton: Skeleton) -> tuple[ErikChainStructure, dict[str, np.ndarray]]:
    """A chain as described to the kernel, and the arrays of the description."""
    chain = VirtualChain(skeleton)
    arrays = chain_arrays(skeleton, chain)
    return chain_structure(skeleton, chain, Hyperparameters(), 8, arrays), arrays


def test_bad_chains_are_refused() -> None:
    library, skeleton = kernel(), skeleton_of("C")
    assert library is not None
    for field, value, message in (
        ("joints", 5000, "size"),
        ("revolute", 6, "size"),
        ("max_views", 0, "size"),
        ("reach", math.nan, "not finite"),
        ("links", None, "size"),
    ):
        structure, arrays = structure_of(skeleton)
        prepared(library, structure)
        setattr(structure, field, value)
        with pytest.raises(KernelError, match=message):
            prepared(library, structure)
    structure, arrays = structure_of(skeleton)
    arrays["joint_models"][2, 12] = 9.0  # lower limit of the joint
    with pytest.raises(KernelError, match="limits"):
        prepared(library, structure)
    structure, arrays = structure_of(skeleton)
    structure.hyper.max_iterations = 0
    with pytest.raises(KernelError, match="size"):
        prepared(library, structure)


def test_a_chain_that_the_kernel_refuses_is_solved_by_the_reference() -> None:
    skeleton = skeleton_of("C")
    goal = GazeGoal(Direction((0.3, 0.8, 0.2)), np.zeros(len(skeleton)))
    solver, usual = Erik(skeleton, max_views=10**4), Erik(skeleton)  # more than the kernel takes
    assert solver.compiled is None
    np.testing.assert_allclose(solver.solve(goal).angles, usual.solve(goal).angles, atol=ROUNDING)


def test_bad_tasks_are_refused() -> None:
    skeleton, posture = skeleton_of("C"), (0.0,) * 5
    goal = GazeGoal(Direction((0.3, 0.8, 0.2)), np.zeros(5))
    compiled = Erik(skeleton).compiled
    assert compiled is not None
    for value in (math.nan, math.inf):
        with pytest.raises(KernelError, match="not finite"):
            compiled.solve(goal, (*posture[:4], value))
    compiled.solve(goal, posture)
    compiled._memory.array[0] = 0.0  # the mark of a prepared chain
    with pytest.raises(KernelError, match="not prepared"):
        compiled.solve(goal, posture)
