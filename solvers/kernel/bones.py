"""A skeleton as bones in the compiled kernel; arrays are prepared once, so that a call takes microseconds."""

import ctypes
from typing import NamedTuple

import numpy as np

from ..aims.blocks import PoseErrors
from ..goals import GazeGoal
from ..kinematics.skeleton import Angles
from .inputs import BonesInput, DeviationInput, LastFramesInput
from .library import Count, Kernel, KernelError, Pointer, Real, check
from .structures import END_ERRORS, Buffer, frame_numbers

MOST_OF_A_BONE = 3  # largest number of joints in a bone
ROWS = 6  # largest number of residuals of one end's aim


class BonesStructure(ctypes.Structure):
    """Memory layout of `struct limber_bones` for ctypes."""

    _fields_ = [
        *((name, Count) for name in ("joints", "bones", "ends")),
        ("reach", Real),
        *(
            (name, Pointer)
            for name in (
                "parents",
                "prismatic",
                "rests",
                "axes",
                "lower",
                "upper",
                "slides",
                "bone_joints",
                "is_ball",
                "bone_axes",
                "costs",
                "end_joints",
                "end_frames",
                "sizes",
            )
        ),
    ]


class _Solve(ctypes.Structure):
    """Memory layout of `struct limber_bones_solve` for ctypes."""

    _fields_ = [
        ("bones", Pointer),
        ("workspace", Pointer),
        ("workspace_bytes", ctypes.c_size_t),
        *(
            (name, Pointer)
            for name in ("aim", "reference", "deviation", "before", "forces", "angles", "errors")
        ),
        *((name, Real) for name in ("cost", "missed", "jump")),
        *((name, Count) for name in ("aims", "has_last", "has_before", "rows", "goes_on", "steps")),
    ]


class FirstStep(NamedTuple):
    """The first step of a solve, and its start."""

    step: Angles  # (n,) changes of the coordinates
    matrix: Angles  # (n, n) Gauss-Newton Hessian of the cost of rotations, rolls and distances
    descent: Angles  # (n,) negative gradient of that cost
    cost: float
    aim_error: float


class SolvedBones(NamedTuple):
    """Solution of a goal on bones."""

    angles: Angles  # (n,) [rad or m] joint values within limits
    values: Angles  # (n,) [rad or m] displacements of the joints from the authored pose
    balls: Angles  # (b, 3, 3) rotations of the balls from the authored pose, in their own frames
    forces: Angles  # (r,) forces that hold the aim
    goes_on: bool  # whether the steps began at a pose extrapolated from the last frames
    cost: float  # cost of the bones' rotations away from the authored pose, of rolls and distances
    missed: float  # [rad, or in fractions of the reach] size of the remaining aim error
    steps: int
    measured: PoseErrors


def integer_arrays(model: BonesInput) -> dict[str, np.typing.NDArray[np.int32]]:
    """The integer arrays of `struct limber_bones`, by name; a ball of the tree counts as three joints in
    succession.
    """
    tree, last = model.tree, {-1: -1}
    parents: list[int] = []
    for joint, first in enumerate(tree.first.tolist()):
        width = 3 if tree.kinds[joint] == "spherical" else 1
        parents += [last[tree.parents[joint]], *range(first, first + width - 1)]
        last[joint] = first + width - 1
    rows = [[*bone.joints, *[-1] * (MOST_OF_A_BONE - len(bone.joints))] for bone in model.bones]
    integers = {
        "parents": parents,
        "prismatic": tree.slides,
        "bone_joints": rows,
        "is_ball": [bone.is_ball for bone in model.bones],
        "end_joints": [last[joint] for joint in tree.carrying.tolist()],
    }
    return {name: np.array(values, np.int32) for name, values in integers.items()}


def real_arrays(model: BonesInput) -> dict[str, Angles]:
    """The floating-point arrays of `struct limber_bones`, by name."""
    tree, count = model.tree, len(model.tree)
    rests = np.tile(np.eye(4), (count, 1, 1))
    rests[tree.first] = tree.rests
    axes = np.zeros((len(model.bones), MOST_OF_A_BONE, 3))
    axes[[bone.is_ball for bone in model.bones]] = model.ball_axes
    reals = {
        "rests": frame_numbers(rests),
        "axes": tree.axes[:, :, 0],
        "lower": model.lower,
        "upper": model.upper,
        "slides": model.slides,
        "bone_axes": axes,
        "costs": model.costs,
        "end_frames": frame_numbers(tree.ends),
        "sizes": model.sizes,
    }
    return {name: np.ascontiguousarray(values, float) for name, values in reals.items()}


class CompiledBones:
    """A skeleton as bones in the kernel, with the buffers of its calls; only one thread at a time may
    use it.
    """

    def __init__(self, kernel: Kernel, model: BonesInput) -> None:
        """Raises KernelError if the kernel does not support the model."""
        self.kernel, self._n = kernel, len(model.skeleton)
        arrays: dict[str, np.typing.NDArray[np.generic]] = {**integer_arrays(model), **real_arrays(model)}
        described = BonesStructure(
            joints=self._n,
            bones=len(model.bones),
            ends=len(model.tree.carrying),
            reach=model.reach,
            **{name: array.ctypes.data for name, array in arrays.items()},
        )
        size = kernel.bones_bytes(ctypes.byref(described))
        self._memory = Buffer(size // 8 + 1)
        check(kernel.bones(self._memory.address, size, ctypes.byref(described)))
        n, balls = self._n, len(model.balls)
        self.ball_count = balls
        self._reference, self._angles = Buffer(n), Buffer(n)
        self._deviation, self._before = Buffer(n + 9 * balls), Buffer(n + 9 * balls)
        self._task = _Solve(
            bones=self._memory.address,
            reference=self._reference.address,
            deviation=self._deviation.address,
            before=self._before.address,
            angles=self._angles.address,
        )
        self._address = ctypes.addressof(self._task)

    def _make_room(self, aims: int) -> None:
        """Makes room for this number of aims."""
        size = self.kernel.bones_workspace_bytes(self._memory.address, aims)
        if not size:
            raise KernelError(f"{aims} aims are more than the compiled solver takes")
        self._workspace, self._forces = Buffer(size // 8 + 1), Buffer(ROWS * aims)
        self._errors, task = Buffer(END_ERRORS * aims), self._task
        task.workspace, task.workspace_bytes = self._workspace.address, size
        task.forces, task.errors = self._forces.address, self._errors.address
        task.aims = aims

    def solve(
        self, goal: GazeGoal, reference: Angles, last: LastFramesInput | None, jump: float
    ) -> SolvedBones:
        """The optimum for a goal from the authored pose of joint values `reference` (n,).

        Steps begin at the extrapolation of the last frames if the aim error there is less than `jump` [rad].

        Raises:
            KernelError: a number is too large for the kernel, or the kernel does not support an aim.
        """
        self._write_task(goal, reference, last, jump)
        task = self._task
        check(self.kernel.bones_solve(self._address))
        n = self._n
        deviation = self._deviation.array.copy()
        return SolvedBones(
            self._angles.copy(),
            deviation[:n],
            deviation[n:].reshape(-1, 3, 3),
            self._forces.array[: task.rows].copy(),
            bool(task.goes_on),
            task.cost,
            task.missed,
            task.steps,
            PoseErrors(self._errors.read()),
        )

    def first_step(
        self, goal: GazeGoal, reference: Angles, last: LastFramesInput | None, jump: float, damping: float
    ) -> FirstStep:
        """The first step of a solve, with this damping; other arguments as for `solve`."""
        self._write_task(goal, reference, last, jump)
        step, matrix, descent, values = Buffer(self._n), Buffer(self._n, self._n), Buffer(self._n), Buffer(2)
        addresses = [buffer.address for buffer in (step, matrix, descent, values)]
        check(self.kernel.bones_step(self._address, damping, *addresses))
        whole = matrix.array + np.tril(matrix.array, -1).T
        return FirstStep(step.array, whole, descent.array, *values.array.tolist())

    def _write_task(
        self, goal: GazeGoal, reference: Angles, last: LastFramesInput | None, jump: float
    ) -> None:
        task, aims = self._task, len(goal.ends)
        if aims != task.aims:
            self._make_room(aims)
        task.aim, task.jump = goal.kernel_address, jump
        self._reference.array[:] = reference
        self._write_last(last if last is not None and len(last.forces) <= ROWS * aims else None)

    def _write_last(self, last: LastFramesInput | None) -> None:
        task = self._task
        task.has_last, task.has_before = last is not None, last is not None and last.before is not None
        if last is None:
            return
        task.rows = len(last.forces)
        self._write(self._deviation, last.deviation)
        self._forces.array[: task.rows] = last.forces
        if last.before is not None:
            self._write(self._before, last.before)

    def _write(self, buffer: Buffer, deviation: DeviationInput) -> None:
        buffer.array[: self._n] = deviation.values
        buffer.array[self._n :] = deviation.balls.reshape(-1)
