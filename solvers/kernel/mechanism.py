"""A mechanism in the compiled kernel; arrays are prepared once, so that a solve takes microseconds."""

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Indices, Tree
from .library import Count, Kernel, Pointer, Real, check
from .structures import Buffer, frame_numbers

KINDS = ("revolute", "prismatic", "spherical")  # kinds of joints, in the order of `enum limber_motion`
GOAL_BYTES = 26 * 8  # size of a `struct limber_mechanism_goal`
DRIVEN_SIZE = 13  # numbers per driven body: whether it has a pose, and the pose
COUNTS = ("joints", "coordinates", "bodies", "closures", "driven", "clusters")
ARRAYS = (
    "parents",
    "kinds",
    "rests",
    "axes",
    "lower",
    "upper",
    "velocity",
    "actuated",
    "body_joints",
    "body_frames",
    "masses",
    "centres",
    "end_joints",
    "end_frames",
    "rows",
    "driven_of",
    "cluster_of",
)


class _Mechanism(ctypes.Structure):
    """Memory layout of `struct limber_mechanism` for ctypes."""

    _fields_ = [
        *((name, Count) for name in COUNTS),
        ("size", Real),
        *((name, Pointer) for name in ARRAYS),
    ]


class SolveStructure(ctypes.Structure):
    """Memory layout of `struct limber_mechanism_solve` for ctypes."""

    _fields_ = [
        ("model", Pointer),
        ("workspace", Pointer),
        ("workspace_bytes", ctypes.c_size_t),
        *((name, Pointer) for name in ("values", "balls", "mode", "motion", "goals", "driven")),
        ("weight_axes", Real * 9),
        *(
            (name, Real)
            for name in (
                "dt",
                "motion_dt",
                "damping",
                "keep_weight",
                "speed_weight",
                "speed",
            )
        ),
        *(
            (name, Count)
            for name in (
                "goal_count",
                "has_weight_axes",
                "has_mode",
                "counts_full_rotations",
                "continues",
                "closes_only",
                "iterations",
                "evaluations",
            )
        ),
        *(
            (name, Pointer)
            for name in (
                "values_after",
                "balls_after",
                "mode_after",
                "motion_after",
                "poses",
                "least",
                "most",
                "held",
            )
        ),
        *((name, Real) for name in ("damping_after", "residual", "goal_error")),
        *(
            (name, Count)
            for name in (
                "worst",
                "is_settled",
                "is_flipped",
                "has_motion_after",
                "has_mode_after",
                "any_held",
                "steps",
            )
        ),
    ]


class ClosureInput(NamedTuple):
    """A joint that closes a loop, in the kernel's form."""

    on_parent: int  # indices of the links of the tree that it joins
    on_child: int
    rows: int  # bit k: component k of `kinds.Row` is constrained
    driven: int  # index of the driven pose that this joint fixes; -1 if none
    # index of the cluster of loops that share coordinates; -1 if this loop depends on no coordinate
    cluster: int


class MechanismInput(NamedTuple):
    """Description of a mechanism for the kernel: b bodies, which are the tree's first links, and v
    coordinates.
    """

    tree: Tree
    size: float  # [m] length that counts as 1 rad
    bodies: int
    driven: int  # number of driven bodies
    closures: Sequence[ClosureInput]
    clusters: int
    limits: tuple[Array, Array, Array]  # lower, upper and velocity limits, (v,) each
    actuated: Indices  # coordinates driven by actuators
    masses: Array  # (b,) fraction of the total mass
    centres: Array  # (b, 3) [m] centres of mass in the bodies' frames


class CompiledMechanism:
    """A mechanism with the buffers of its solves; only one thread at a time may use it.

    Attributes:
        task: Inputs and results of a solve apart from the arrays.
        values, balls, mode, motion, driven: Inputs as arrays (v,), (k, 3, 3), (m,), (2, v) and (d, 13), as in
            `struct limber_mechanism_solve`.
    """

    def __init__(self, kernel: Kernel, mechanism: MechanismInput) -> None:
        self.kernel = kernel
        tree, closures, bodies = mechanism.tree, mechanism.closures, mechanism.bodies
        v, balls = len(tree), len(tree.balls)
        ends = np.array([(closure.on_parent, closure.on_child) for closure in closures], np.intp).reshape(-1)
        actuated = np.zeros(v, np.int32)
        actuated[mechanism.actuated] = 1
        arrays: dict[str, np.typing.NDArray[np.generic]] = {
            "parents": np.array(tree.parents, np.int32),
            "kinds": np.array([KINDS.index(kind) for kind in tree.kinds], np.int32),
            "rests": frame_numbers(tree.rests),
            "axes": np.ascontiguousarray(tree.axes[tree.first, :, 0]),
            "actuated": actuated,
            "body_joints": tree.carrying[:bodies].astype(np.int32),
            "body_frames": frame_numbers(tree.ends[:bodies]),
            "masses": np.ascontiguousarray(mechanism.masses),
            "centres": np.ascontiguousarray(mechanism.centres),
            "end_joints": tree.carrying[ends].astype(np.int32),
            "end_frames": frame_numbers(tree.ends[ends]),
            "rows": np.array([closure.rows for closure in closures], np.int32),
            "driven_of": np.array([closure.driven for closure in closures], np.int32),
            "cluster_of": np.array([closure.cluster for closure in closures], np.int32),
        }
        for name, limit in zip(("lower", "upper", "velocity"), mechanism.limits, strict=True):
            arrays[name] = np.ascontiguousarray(limit)
        counts = (
            len(tree.parents),
            v,
            bodies,
            len(closures),
            mechanism.driven,
            mechanism.clusters,
        )
        described = _Mechanism(
            **dict(zip(COUNTS, counts, strict=True)),
            size=mechanism.size,
            **{name: array.ctypes.data for name, array in arrays.items()},
        )
        size = kernel.mechanism_bytes(ctypes.byref(described))
        self._memory = Buffer(size // 8 + 1)
        check(kernel.mechanism(self._memory.address, size, ctypes.byref(described)))
        self.mode_count = kernel.mechanism_mode_count(self._memory.address)
        self.counts = v, balls
        shapes = {
            "values": (v,),
            "balls": (balls, 3, 3),
            "mode": (self.mode_count,),
            "motion": (2, v),
            "driven": (mechanism.driven, DRIVEN_SIZE),
        }
        buffers = {name: Buffer(*shape) for name, shape in shapes.items()}
        self.values, self.balls, self.mode, self.motion, self.driven = (
            buffer.array for buffer in buffers.values()
        )
        self._after = Buffer(v + 9 * balls + 2 * v + self.mode_count)
        self._poses, self._bounds = Buffer(bodies, 4, 4), Buffer(2, v)
        self._held = np.zeros(v, np.int32)
        starts = np.cumsum([0, v, 9 * balls, 2 * v]) * 8 + self._after.address
        self.task = SolveStructure(
            model=self._memory.address,
            poses=self._poses.address,
            least=self._bounds.address,
            most=self._bounds.address + 8 * v,
            held=self._held.ctypes.data,
            **{name: buffer.address for name, buffer in buffers.items()},
            **dict(
                zip(
                    ("values_after", "balls_after", "motion_after", "mode_after"),
                    starts.tolist(),
                    strict=True,
                )
            ),
        )
        self._address = ctypes.addressof(self.task)
        self._goals, self._workspace, self._room = Buffer(1), Buffer(1), (-1, False)

    def _make_room(self, goals: int, is_regularised: bool) -> None:
        """Makes the workspace large enough for this number of goals, and for the regularisers' tasks if
        `is_regularised`.
        """
        goals = max(goals, self._room[0], 8)
        is_regularised = is_regularised or self._room[1]
        count = self.kernel.mechanism_workspace_bytes(self._memory.address, goals, is_regularised)
        self._goals, self._workspace = Buffer(GOAL_BYTES // 8 * goals), Buffer(count // 8 + 1)
        self._goal_bytes = self._goals.array.data.cast("B")
        self.task.goals, self.task.workspace = self._goals.address, self._workspace.address
        self.task.workspace_bytes = count
        self._room = goals, is_regularised

    def solve(self, goals: bytes, is_regularised: bool) -> tuple[Array, Array]:
        """Solves with the current inputs; `goals` are the bytes of one `struct limber_mechanism_goal` each;
        `is_regularised`: whether the inputs have weights of the regulariser.

        Returns:
            Values (v,), balls (9 k,), motion (2 v,) and assembly mode (m,) after the solve, one after
            another; and poses (b, 4, 4) of the bodies. The rest is in `task`.
        """
        count, room = len(goals) // GOAL_BYTES, self._room
        if count > room[0] or is_regularised > room[1]:
            self._make_room(count, is_regularised)
        self._goal_bytes[: len(goals)] = goals
        self.task.goal_count = count
        check(self.kernel.mechanism_solve(self._address))
        return self._after.array.copy(), self._poses.array.copy()

    def held(self) -> tuple[np.typing.NDArray[np.bool_], Array, Array]:
        """Bounds of the coordinates in the last solve.

        Returns:
            Whether each coordinate (v,) was held at a bound against the goals; lower bounds (v,); upper
            bounds (v,).
        """
        return self._held.astype(bool), self._bounds.array[0].copy(), self._bounds.array[1].copy()
