"""Tests that on an ARM processor, emulated by qemu, the compiled kernel's results are those of this
machine.
"""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from limber.solvers.bones.solver import BoneSolver
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.erik.solver import MAX_VIEWS, Erik
from limber.solvers.expressive.model import Model
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.goals import Direction, GazeGoal, Orientation, Point
from limber.solvers.kernel.bones import BonesStructure, integer_arrays, real_arrays
from limber.solvers.kernel.erik import chain_arrays, chain_structure
from limber.solvers.kernel.library import kernel
from limber.solvers.kernel.structures import SkeletonStructure, frame_numbers
from limber.solvers.virtual_chain.chain import VirtualChain

from . import kernel_cases

ROOT = Path(__file__).resolve().parents[2]
REPLAY = Path(__file__).with_name("replay") / "replay.c"
ZIG = ROOT / ".venv-kernel" / "bin" / "python"
EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
CASES = 40
# tolerance: sine and cosine of another C library differ in the last bit, which chains of solves amplify
LAST_BIT = 1e-9

pytestmark = [
    pytest.mark.skipif(kernel() is None, reason="there is no compiled kernel: make kernel"),
    pytest.mark.skipif(EMULATOR is None, reason="qemu-aarch64 is not installed (Debian: qemu-user)"),
    pytest.mark.skipif(
        not ZIG.exists(), reason="zig is not installed (python scripts/build_kernel.py --wheels)"
    ),
]


def recorded_erik(seed: int) -> tuple[bytes, list[float]]:
    """A call of ERIK with its arrays, and its results on this machine."""
    draw = np.random.default_rng(seed)
    skeleton = kernel_cases.skeleton_of(draw, int(draw.integers(1, 12)), slides=0.2)
    kind = (Orientation, Direction, Point)[seed % 3]
    goal, erik = kernel_cases.goal_of(draw, skeleton, kind), Erik(skeleton).compiled
    assert erik is not None
    answer = erik.solve(goal, tuple(goal.posture.tolist()))
    chain = VirtualChain(skeleton)
    described = chain_arrays(skeleton, chain)
    structure = chain_structure(skeleton, chain, Hyperparameters(), MAX_VIEWS, described)
    arrays = *described.values(), np.frombuffer(goal.numbers), goal.posture
    record = b"E" + bytes(structure) + b"".join(array.tobytes() for array in arrays)
    return record, [answer.iterations, *answer.angles, *answer.measured.errors[0][:2]]


def recorded_correction(seed: int) -> tuple[bytes, list[float]]:
    """A successful exact correction with its arrays, and its results on this machine."""
    draw = np.random.default_rng(seed)
    skeleton = kernel_cases.skeleton_of(draw, 7)
    start = kernel_cases.angles_of(draw, skeleton, 1)[0]
    near = skeleton.clamp(start + 0.1)
    goal = GazeGoal(Orientation(skeleton.forward(near).tool_rotation), start)
    model = Model(skeleton)
    compiled = model.compiled
    assert compiled is not None
    answer = compiled.correct(goal, tuple(start.tolist()), tuple(start.tolist()))
    tree, directions = skeleton.tree, model.shape
    arrays = (
        np.array(tree.parents, np.int32),
        np.array([kind == "prismatic" for kind in tree.kinds], np.int32),
        frame_numbers(tree.rests),
        np.asarray(tree.axes),
        model.lower,
        model.upper,
        np.array([each.carrier for each in directions], np.int32),
        np.ascontiguousarray(model.vectors),
        np.array([each.slide for each in directions], np.int32),
        model.weights,
        np.array([end.joint for end in skeleton.ends], np.int32),
        frame_numbers(tree.ends),
        np.frombuffer(goal.numbers),
        start,
        start,
    )
    described = SkeletonStructure(
        joints=len(skeleton),
        directions=len(directions),
        ends=len(skeleton.ends),
        reach=skeleton.reach,
        transition_speed=model.options.transition_speed,
    )
    record = b"C" + bytes(described) + b"".join(array.tobytes() for array in arrays)
    results = [answer.aim_error, answer.cosine, answer.steps]
    return record, [*results, *answer.angles, *answer.measured.errors[0][:2]]


def recorded_bones(seed: int) -> tuple[bytes, list[float]]:
    """A solve on bones with its arrays, and its results on this machine."""
    draw = np.random.default_rng(seed)
    solver = BoneSolver(
        kernel_cases.spine_of(draw, int(draw.integers(1, 7))), ExpressiveOptions(measure="bones")
    )
    model, count = solver.model, len(solver.skeleton)
    reference = 0.2 * draw.normal(size=count)
    goal = GazeGoal(Direction(kernel_cases.unit(draw, 3)), reference)
    assert solver.compiled is not None
    answer = solver.compiled.solve(goal, reference, None, 0.0)
    integers, reals = integer_arrays(model), real_arrays(model)
    described = BonesStructure(joints=count, bones=len(model.bones), ends=1, reach=model.reach)
    arrays = *integers.values(), *reals.values(), np.frombuffer(goal.numbers), reference
    record = b"B" + bytes(described) + b"".join(array.tobytes() for array in arrays)
    error = answer.measured.errors[0]
    return record, [answer.steps, answer.cost, *answer.angles, error.angle, error.whole]


def test_recorded_calls_have_the_same_results_on_arm(tmp_path: Path) -> None:
    sources = [str(path) for path in sorted((ROOT / "solvers" / "kernel").glob("*.c"))]
    program = tmp_path / "replay"
    target = (
        "-target",
        "aarch64-linux-musl",
        "-static",
        "-std=c11",
        "-O2",
        "-ffp-contract=off",
        "-D_GNU_SOURCE",
    )
    command = [str(ZIG), "-m", "ziglang", "cc", *target, f"-I{ROOT / 'solvers' / 'kernel'}"]
    subprocess.run([*command, "-o", str(program), str(REPLAY), *sources], check=True, capture_output=True)
    recorders = recorded_erik, recorded_correction, recorded_bones
    cases = [recorded(seed) for recorded in recorders for seed in range(CASES)]
    records = tmp_path / "records"
    records.write_bytes(b"".join(record for record, _ in cases))
    assert EMULATOR is not None
    replayed = subprocess.run([EMULATOR, str(program), str(records)], check=True, capture_output=True)
    expected = [number for _, results in cases for number in results]
    np.testing.assert_allclose(np.frombuffer(replayed.stdout), expected, rtol=0, atol=LAST_BIT)
