"""The kernel's structures in memory, and its results."""

import ctypes
from collections.abc import Callable, Iterable
from functools import partial
from struct import Struct
from typing import NamedTuple

import numpy as np

from ..aims.block import EndError, Measured
from ..kinematics.skeleton import Angles

ALIGNMENT = 64
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
        *((name, ctypes.c_int32) for name in ("most_steps", "looks", "steps")),
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


class EndErrors(ctypes.Structure):
    """Memory layout of `struct limber_end_error` for ctypes."""

    _fields_ = [
        ("angle", ctypes.c_double),
        ("whole", ctypes.c_double),
        ("distance", ctypes.c_double),
        ("is_at_target", ctypes.c_int32),
    ]


class Buffer:
    """An array of doubles at a fixed address.

    Attributes:
        array: The array.
        write: Writes its arguments to the whole array; faster than numpy for a few numbers.
        read: Returns all numbers as a tuple, equally fast.
    """

    def __init__(self, *shape: int) -> None:
        count = int(np.prod(shape))
        bytes_ = np.zeros(8 * count + ALIGNMENT, np.uint8)
        start = -bytes_.ctypes.data % ALIGNMENT
        self.array: Angles = bytes_[start : start + 8 * count].view(np.float64).reshape(shape)
        self.address: int = self.array.ctypes.data
        doubles, memory = Struct(f"{count}d"), bytes_.data[start : start + 8 * count]
        self.write: Callable[..., None] = partial(doubles.pack_into, memory, 0)
        self.read: Callable[[], tuple[float, ...]] = partial(doubles.unpack_from, memory)


def frame_numbers(frames: Angles) -> Angles:
    """Frames (k, 4, 4) in the kernel's form (k, 12): rotations row by row, then positions."""
    return np.concatenate([frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]], 1)


def measured(errors: Iterable[EndErrors]) -> Measured:
    """Errors of a goal's ends, from the kernel's numbers."""
    ends, at_targets = [], []
    for error in errors:
        ends.append(EndError(error.angle, error.whole, error.distance))
        at_targets.append(error.is_at_target != 0)
    return Measured(tuple(ends), tuple(at_targets))


class Evaluated(NamedTuple):
    """Errors and derivatives of one configuration, with r components of the aim error."""

    error: Angles  # (r,) [rad], positions in fractions of the reach
    columns: Angles  # (n, r) reduction of the error per unit of each joint
    matrix: Angles  # (n, n) Gauss-Newton matrix of the shape
    descent: Angles  # (n,) negative gradient of the shape's cost
    size: float
    cosine: float  # mean cosine of the shape deviation
    turn_cosine: float  # cosine of the angle of the best-fit rotation
    turn_sine: float
    merit: float


class Tracked(NamedTuple):
    """Result of one frame of tracking."""

    angles: Angles  # (n,) [rad or m]
    aim_error: float  # [rad]
    merit: float
    steps: int
    branch: tuple[float, ...] | None  # (n,) branch of the transition; None if no transition continues
    speed: float  # [rad/s] speed of the transition in progress
    measured: Measured


class Searched(NamedTuple):
    """The best configuration of a search from scratch."""

    angles: tuple[float, ...]  # (n,) within limits
    aim_error: float  # [rad] size of the remaining error
    steps: int
    measured: Measured


class Correction(NamedTuple):
    """One configuration after the exact correction of its aim."""

    angles: tuple[float, ...]  # (n,) within limits
    aim_error: float  # [rad] size of the remaining error
    cosine: float  # mean cosine of the shape deviation
    steps: int
    measured: Measured
