"""ERIK on one skeleton in the compiled kernel."""

import ctypes
from functools import partial
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
# fields of `struct limber_hyperparameters` in order: floating-point numbers, then integers
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


class HyperparametersStructure(ctypes.Structure):
    """Memory layout of `struct limber_hyperparameters` for ctypes."""

    _fields_ = [
        *((name, Real) for name in REALS),
        *((name, Count) for name in COUNTS),
        ("is_published_loop", Count),
    ]


class ErikChainStructure(ctypes.Structure):
    """Memory layout of `struct limber_chain` for ctypes."""

    _fields_ = [
        ("links", Pointer),
        ("reach", Real),
        ("turning", Pointer),
        ("joint_models", Pointer),
        ("to_virtual", Real * 4),
        ("hyper", HyperparametersStructure),
        *((name, Count) for name in ("joints", "revolute", "max_views")),
    ]


class ErikSolveStructure(ctypes.Structure):
    """Memory layout of `struct limber_erik_solve` for ctypes."""

    _fields_ = [
        *((name, Pointer) for name in ("erik", "aim", "posture", "previous", "angles")),
        ("error", Real),
        ("end_error", Real * END_ERRORS),
        ("iterations", Count),
    ]


# the results at the end of `ErikSolveStructure`: weighted error, errors of the end, number of iterations
RESULTS = Struct(f"d{END_ERRORS}di")


class ErikSolution(NamedTuple):
    """Result of one solve: angles of a skeleton, and their errors."""

    angles: Angles  # (n,) angles within limits
    error: float  # weighted sum of the errors of aim and posture, which the threshold limits
    iterations: int
    measured: PoseErrors  # errors, one for each goal in `GazeGoal.ends`


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


def chain_arrays(skeleton: Skeleton, chain: VirtualChain) -> dict[str, NDArray[np.float64 | np.int32]]:
    """The arrays of a `struct limber_chain`."""
    return {
        "links": np.array(link_numbers(skeleton)),
        "turning": np.array(chain.turning, np.int32),
        "joint_models": np.array([joint_numbers(joint) for joint in chain.models]),
    }


def chain_structure(
    skeleton: Skeleton,
    chain: VirtualChain,
    hyper: HyperparametersInput,
    max_views: int,
    arrays: dict[str, NDArray[np.float64 | np.int32]],
) -> ErikChainStructure:
    """The description of a chain, which refers to its `chain_arrays`."""
    return ErikChainStructure(
        reach=skeleton.reach,
        to_virtual=chain.to_virtual,
        hyper=HyperparametersStructure(
            *(getattr(hyper, name) for name in (*REALS, *COUNTS)), hyper.loop == "published"
        ),
        joints=len(skeleton),
        revolute=len(chain),
        max_views=max_views,
        **{name: array.ctypes.data for name, array in arrays.items()},
    )


def prepared(kernel: Kernel, structure: ErikChainStructure) -> Buffer:
    """Memory with the model of a chain; raises KernelError for numbers that the kernel does not take."""
    size = kernel.erik_bytes(ctypes.byref(structure))
    memory = Buffer(size // 8 + 1)
    check(kernel.erik(memory.address, size, ctypes.byref(structure)))
    return memory


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
        """Raises KernelError for numbers that the kernel does not take."""
        self.kernel, n = kernel, len(skeleton)
        arrays = chain_arrays(skeleton, chain)
        self._memory = prepared(kernel, chain_structure(skeleton, chain, hyper, max_views, arrays))
        self._posture, self._previous, self._angles = (Buffer(n) for _ in range(3))
        self._task = ErikSolveStructure(
            erik=self._memory.address, posture=self._posture.address, angles=self._angles.address
        )
        self._address, self._is_from_previous = ctypes.addressof(self._task), False
        results = memoryview(self._task).cast("B")[ErikSolveStructure.error.offset :]
        self._results = partial(RESULTS.unpack_from, results)

    def solve(
        self, goal: GazeGoal, posture: tuple[float, ...], previous: tuple[float, ...] | None = None
    ) -> ErikSolution:
        """ERIK's angles for a goal without `others`, from the posture (n,); `previous` (n,) is the last
        frame's solution, if used. Points are looked at with prismatic joints as in the posture.

        Raises:
            KernelError: a number is too large for the kernel, or the kernel does not support the aim.
        """
        task = self._task
        task.aim = goal.kernel_address
        self._posture.write(*posture)
        if previous is not None:
            self._previous.write(*previous)
        if self._is_from_previous != (previous is not None):
            self._is_from_previous = previous is not None
            task.previous = self._previous.address if self._is_from_previous else None
        check(self.kernel.erik_solve(self._address))
        error, *end_error, iterations = self._results()
        return ErikSolution(self._angles.copy(), error, iterations, PoseErrors(end_error))
