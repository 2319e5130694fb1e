"""The kernel's structures in memory, and its results."""

import ctypes
from collections.abc import Callable
from functools import partial
from struct import Struct
from typing import NamedTuple

import numpy as np

from ..aims.blocks import PoseErrors
from ..kinematics.skeleton import Angles

ALIGNMENT = 64  # [bytes] alignment of all buffers
END_ERRORS = 4  # number of doubles in `struct limber_end_error`
Pointer = ctypes.c_void_p


class SkeletonStructure(ctypes.Structure):
    """Memory layout of `struct limber_skeleton` for ctypes."""

    _fields_ = [
        *((name, ctypes.c_int32) for name in ("joints", "directions", "ends", "hold_body")),
        ("reach", ctypes.c_double),
        ("transition_speed", ctypes.c_double),
        *(
            (name, Pointer)
            for name in (
                "parents",
                "prismatic",
                "rests",
                "axes",
                "lower",
                "upper",
                "carriers",
                "vectors",
                "slides",
                "weights",
                "end_joints",
                "end_frames",
            )
        ),
    ]


class ProblemStructure(ctypes.Structure):
    """Memory layout of `struct limber_problem` for ctypes."""

    _fields_ = [
        ("model", Pointer),
        ("workspace", Pointer),
        ("workspace_bytes", ctypes.c_size_t),
        ("posture", Pointer),
        ("aim", Pointer),
        ("aims", ctypes.c_int32),
        ("keep", ctypes.c_double),
    ]


class FrameStructure(ctypes.Structure):
    """Memory layout of `struct limber_frame` for ctypes."""

    _fields_ = [
        ("start", Pointer),
        ("velocity", Pointer),
        *((name, ctypes.c_double) for name in ("dt", "trust", "damping")),
        ("branch", Pointer),
        ("speed", ctypes.c_double),
        ("kind", ctypes.c_int32),
        ("is_still", ctypes.c_int32),
        ("angles", Pointer),
        ("errors", Pointer),
        ("aim_error", ctypes.c_double),
        ("merit", ctypes.c_double),
        ("steps", ctypes.c_int32),
    ]


class SeedsStructure(ctypes.Structure):
    """Memory layout of `struct limber_seeds` for ctypes."""

    _fields_ = [("spreads", ctypes.c_int32), ("spread", Pointer), ("mirror", Pointer)]


class CorrectionStructure(ctypes.Structure):
    """Memory layout of `struct limber_correction` for ctypes."""

    _fields_ = [
        *((name, Pointer) for name in ("angles", "costs", "errors")),
        ("aim_error", ctypes.c_double),
        ("cosine", ctypes.c_double),
        *((name, ctypes.c_int32) for name in ("most_steps", "looks", "measures_shape", "steps")),
    ]


class PlanStructure(ctypes.Structure):
    """Memory layout of `struct limber_plan` for ctypes."""

    _fields_ = [
        ("angles", Pointer),
        *((name, ctypes.c_double) for name in ("dt", "speed", "hysteresis")),
        ("branch", Pointer),
        *(
            (name, ctypes.c_int32)
            for name in (
                "kind",
                "is_new",
                "is_lasting",
                "is_straight_only",
                "steps",
                "pooled",
            )
        ),
        *((name, Pointer) for name in ("seeds", "durations", "goals", "pool")),
    ]


class Buffer:
    """An array of doubles at a fixed address.

    Attributes:
        array: The array.
        memory: Its bytes.
        write: Writes its arguments to all elements; for few elements faster than the array.
        read: Returns all elements as a tuple, likewise faster for few elements.
        copy: Returns a copy of the array.
    """

    def __init__(self, *shape: int) -> None:
        count = int(np.prod(shape))
        bytes_ = np.zeros(8 * count + ALIGNMENT, np.uint8)
        start = -bytes_.ctypes.data % ALIGNMENT
        self.array: Angles = bytes_[start : start + 8 * count].view(np.float64).reshape(shape)
        self.address: int = self.array.ctypes.data
        self.memory: memoryview = bytes_.data[start : start + 8 * count]
        doubles = Struct(f"{count}d")
        self.write: Callable[..., None] = partial(doubles.pack_into, self.memory, 0)
        self.read: Callable[[], tuple[float, ...]] = partial(doubles.unpack_from, self.memory)
        self.copy: Callable[[], Angles] = self.array.copy


def frame_numbers(frames: Angles) -> Angles:
    """Frames (k, 4, 4) in the kernel's form (k, 12): rotations row by row, then positions."""
    return np.concatenate([frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]], 1)


class Evaluation(NamedTuple):
    """Errors and derivatives of one configuration, with r components of the aim error."""

    error: Angles  # (r,) aim error [rad]; positions in fractions of the reach
    columns: Angles  # (n, r) reduction of the error per unit of each joint
    matrix: Angles  # (n, n) Gauss-Newton matrix of the shape
    descent: Angles  # (n,) negative gradient of the shape's cost
    size: float  # Euclidean length of the aim error
    cosine: float  # mean cosine of the shape deviation
    turn_cosine: float  # cosine of the angle of the best-fit rotation
    turn_sine: float  # sine of that angle
    merit: float  # cost, as in `expressive.descent.Candidates.merit`


class Tracked(NamedTuple):
    """Result of one frame of tracking."""

    angles: tuple[float, ...]  # (n,) [rad or m] joint values after the frame
    aim_error: float  # [rad] size of the remaining residual
    merit: float  # cost, as in `expressive.descent.Candidates.merit`
    steps: int
    branch: tuple[float, ...] | None = None  # (n,) branch of the transition; None if none continues
    speed: float = 0.0  # [rad/s] speed of the transition in progress
    measured: PoseErrors | None = None  # errors of the pose's ends; None if unknown


class Searched(NamedTuple):
    """The best configuration of a search from scratch."""

    angles: Angles  # (n,) angles within limits
    aim_error: float  # [rad] size of the remaining residual
    steps: int
    measured: PoseErrors


class Correction(NamedTuple):
    """One configuration after the exact correction of its aim."""

    angles: Angles  # (n,) angles within limits
    aim_error: float  # [rad] size of the remaining residual
    cosine: float  # mean cosine of the shape deviation; 0 if it is not measured
    steps: int
    measured: PoseErrors
