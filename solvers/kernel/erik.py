"""ERIK on one skeleton in the compiled kernel."""

import ctypes
from struct import Struct
from typing import NamedTuple

import numpy as np

from ..aims.blocks import PoseErrors
from ..goals import GazeGoal
from ..kinematics.rotations import Y, normalized, unit
from ..kinematics.skeleton import Angles, Skeleton
from ..virtual_chain.chain import VirtualChain
from ..virtual_chain.joint_model import JointModel
from .inputs import HyperparametersInput
from .library import Kernel, check
from .structures import END_ERRORS, Buffer

Pointer, Real, Count = ctypes.c_void_p, ctypes.c_double, ctypes.c_int32
REALS = (
    "orientation_weight",
    "posture_weight",
    "threshold",
    "aggravation",
    "disturbance",
    "progress",
    "ccd_error",
    "ccd_precision",
)
COUNTS = (
    "avoid_edges",
    "avoid_edges_from_iteration",
    "non_convergence_offset_trick",
    "non_convergence_ccd_trick",
    "max_iterations",
    "max_bwcd_iterations",
    "max_ccd_iterations",
    "symmetric_endpoint",
)


class _Hyperparameters(ctypes.Structure):
    """Memory layout of `struct limber_hyperparameters` for ctypes."""

    _fields_ = [
        *((name, Real) for name in REALS),
        *((name, Count) for name in COUNTS),
        ("is_published_loop", Count),
    ]


class _Erik(ctypes.Structure):
    """Memory layout of `struct limber_erik` for ctypes."""

    _fields_ = [
        ("links", Pointer),
        ("reach", Real),
        ("workspace", Pointer),
        ("workspace_bytes", ctypes.c_size_t),
        ("turning", Pointer),
        ("joint_models", Pointer),
        ("to_virtual", Real * 4),
        ("hyper", _Hyperparameters),
        *((name, Count) for name in ("joints", "revolute", "max_views")),
        *((name, Pointer) for name in ("aim", "posture", "previous", "angles")),
        ("posture_error", Real),
        ("end_error", Real * END_ERRORS),
        ("iterations", Count),
    ]


# the results at the end of the structure: posture error, errors of the end, number of iterations
RESULTS, RESULTS_START = Struct(f"d{END_ERRORS}di"), _Erik.posture_error.offset


class ErikSolution(NamedTuple):
    """Angles of a skeleton that look at a target."""

    angles: Angles  # (n,) angles within limits
    posture_error: float  # the paper's posture error, weighted
    iterations: int
    measured: PoseErrors  # errors of the ends; the kernel measures only the goal's first end


def joint_numbers(model: JointModel) -> list[float]:
    """The numbers of a `struct limber_joint_model`."""
    return [
        *model.axis,
        *model.segment,
        *model.parent,
        *model.parent_orthogonal_axis,
        model.lower,
        model.upper,
        model.level,
        model.swing,
        model.zero,
        model.is_twister,
        model.has_latitude,
    ]


def link_numbers(skeleton: Skeleton) -> list[list[float]]:
    """The numbers of the `struct limber_link` of each of a chain's joints, and of its tool."""
    numbers = [
        [
            *normalized(joint.rest_rotation),
            *joint.rest_offset,
            *unit(joint.axis),
            joint.lower,
            joint.upper,
            joint.kind == "prismatic",
        ]
        for joint in skeleton.joints
    ]
    tool = skeleton.ends[0]
    return [*numbers, [*normalized(tool.rotation), *tool.offset, *Y, 0.0, 0.0, 0.0]]


class CompiledErik:
    """ERIK in the kernel, with the buffers of its calls; only one thread at a time may use it."""

    def __init__(
        self,
        kernel: Kernel,
        skeleton: Skeleton,
        chain: VirtualChain,
        hyper: HyperparametersInput,
        max_views: int,
    ) -> None:
        self.kernel, n = kernel, len(skeleton)
        links = link_numbers(skeleton)
        self._links = Buffer(len(links), len(links[0]))
        self._links.array[:] = links
        self._turning = np.array(chain.turning, np.int32)
        joints = [joint_numbers(joint) for joint in chain.models]
        self._joints = Buffer(len(joints), len(joints[0]))
        self._joints.array[:] = joints
        size = kernel.erik_bytes(n)
        self._workspace = Buffer(size // 8 + 1)
        self._posture, self._previous, self._angles = (Buffer(n) for _ in range(3))
        self._task = _Erik(
            links=self._links.address,
            reach=skeleton.reach,
            workspace=self._workspace.address,
            workspace_bytes=size,
            turning=self._turning.ctypes.data,
            joint_models=self._joints.address,
            to_virtual=chain.to_virtual,
            hyper=_Hyperparameters(
                *(getattr(hyper, name) for name in (*REALS, *COUNTS)), hyper.loop == "published"
            ),
            joints=n,
            revolute=len(joints),
            max_views=max_views,
            posture=self._posture.address,
            angles=self._angles.address,
        )
        self._address, self._is_from_previous = ctypes.addressof(self._task), False

    def solve(
        self, goal: GazeGoal, posture: tuple[float, ...], previous: tuple[float, ...] | None = None
    ) -> ErikSolution:
        """ERIK's angles for a goal, from the posture (n,); `previous` (n,) is the last frame's solution, if
        used. Points are looked at with prismatic joints as in the posture.

        Raises:
            KernelError: A number is too large for the kernel, or the kernel does not support the aim.
        """
        task = self._task
        task.aim = goal.kernel_address
        self._posture.write(*posture)
        if previous is not None:
            self._previous.write(*previous)
        if self._is_from_previous != (previous is not None):
            self._is_from_previous = previous is not None
            task.previous = self._previous.address if self._is_from_previous else None
        check(self.kernel.erik(self._address))
        posture_error, *end_error, iterations = RESULTS.unpack_from(task, RESULTS_START)
        return ErikSolution(self._angles.copy(), posture_error, iterations, PoseErrors(end_error))
