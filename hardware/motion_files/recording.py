"""Motion of joints and links at given times: the common result of all readers of motion files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from ...files.content import LARGE
from ...files.large import LargeError
from ..errors import HardwareError
from ..lerobot.calibration import Mode

MOST_NUMBERS = 5_000_000  # largest count of values in a recording: three hours of ten joints at 50 Hz
NUMBER_BYTES = 32  # [bytes] memory of a Python float in a tuple
# largest count of values that is read without the user's confirmation: 50 minutes of ten joints at 50 Hz
ASKED_NUMBERS = LARGE // NUMBER_BYTES
LONG = 3600.0  # [s] longest motion that is read without the user's confirmation
LONGEST = 86_400.0  # [s] longest motion, a day; a longer one is refused as a mistake in the file
LARGEST = 1e6  # largest absolute value, velocity or number of a pose, in any unit; larger ones are refused
# largest error of the dot products of a rotation matrix's axes; beyond it the pose is refused. Files round to
# three decimals or more
RIGHT_ANGLE = 0.02

Unit = Literal["rad", "m", "plain"] | Mode
"""Radians, metres, a number as the joint has it; and LeRobot's three units, which `Scale` converts."""

Pose = tuple[float, ...]
"""(16,) a 4x4 matrix, row by row [m]."""


class MotionFileError(HardwareError, ValueError):
    """A motion file cannot be used, or a motion cannot be written in its format; the message says why and, in
    most cases, what to do.
    """


class LargeMotionError(MotionFileError, LargeError):
    """A motion file announces so much that the user is asked before it is read; the message gives the
    size.
    """


@dataclass(frozen=True, slots=True)
class RecordedColumn:
    """Values of one joint over time, from a motion file.

    Attributes:
        name: The joint's name in the file.
        values: (t,) in `unit`.
        unit: See `Unit`.
        servo: The servo's id; -1 if the file's format does not contain it.
        velocities: (t,) slopes of the curve through the values [unit/s]; () if the file has none.
        other_names: Names to use if the robot has no joint named `name`.
        is_commanded: Whether the values are commanded: a measured column takes precedence if both have
            the same name in `other_names`.
    """

    name: str
    values: tuple[float, ...]
    unit: Unit = "rad"
    servo: int = -1
    velocities: tuple[float, ...] = ()
    other_names: tuple[str, ...] = ()
    is_commanded: bool = False


@dataclass(frozen=True)
class Recording:
    """Motion of joints and links over time, from a motion file.

    Attributes:
        times: (t,) ascending [s].
        columns: Values of joints, each (t,).
        poses: Poses of links, each (t,), in the coordinates of the robot's base, by the links' names.
        title: Name or description.
        assumed_rate: Rows per second from which the times were computed; 0 if the file has times.

    Raises:
        MotionFileError: Times do not ascend or span more than LONGEST, a value is not finite or beyond
            LARGEST, a pose is no rigid transform, two columns have one name, lengths differ, or the recording
            is empty.
    """

    times: tuple[float, ...]
    columns: tuple[RecordedColumn, ...] = ()
    poses: Mapping[str, tuple[Pose, ...]] = field(default_factory=dict)
    title: str = ""
    assumed_rate: float = 0.0

    def __post_init__(self) -> None:
        if not self.times or not (self.columns or self.poses):
            raise MotionFileError("it has no motion: choose a file with at least one row and one joint")
        _check_times(self.times)
        if twice := next(
            (name for name, count in Counter(column.name for column in self.columns).items() if count > 1),
            None,
        ):
            raise MotionFileError(f"two joints are called '{twice}': give each its own name")
        for column in self.columns:
            self._check_length(f"joint '{column.name}'", column.values)
            self._check_numbers(f"joint '{column.name}'", "value", column.values)
            if column.velocities:
                self._check_length(f"joint '{column.name}'", column.velocities)
                self._check_numbers(f"joint '{column.name}'", "velocity", column.velocities)
        for name, poses in self.poses.items():
            self._check_length(f"the pose of '{name}'", poses)
            for row, pose in enumerate(poses):
                if problem := pose_problem(pose):
                    raise MotionFileError(f"the pose of '{name}', row {row + 1}: {problem}: correct it")

    def _check_length(self, what: str, values: Sequence[object]) -> None:
        if len(values) != len(self.times):
            raise MotionFileError(
                f"{what} has {len(values)} values for {len(self.times)} times: give one for each"
            )

    @staticmethod
    def _check_numbers(what: str, kind: str, numbers: Sequence[float]) -> None:
        for row, number in enumerate(numbers):
            if not abs(number) <= LARGEST:
                raise MotionFileError(f"{what}, row {row + 1}: its {kind} is {number}: correct it")

    @property
    def seconds(self) -> float:
        """Time from the first row to the last [s]."""
        return self.times[-1] - self.times[0]

    @property
    def rate(self) -> float:
        """Mean rows per second; 0 for a single row."""
        return (len(self.times) - 1) / self.seconds if len(self.times) > 1 else 0.0

    def from_zero(self) -> Recording:
        """The recording with all times shifted so that the first is 0."""
        return replace(self, times=tuple(time - self.times[0] for time in self.times))


def _check_times(times: Sequence[float]) -> None:
    for row, time in enumerate(times):
        if not abs(time) <= LONGEST * 1e5:  # times may be those of a computer's clock, which counts from 1970
            raise MotionFileError(f"row {row + 1}: its time is {time}: give seconds")
    for row, (before, after) in enumerate(pairwise(times)):
        if after <= before:
            raise MotionFileError(
                f"row {row + 2}: its time {after:g} s is not after {before:g} s of the row before: sort the"
                " rows"
            )
    if times[-1] - times[0] > LONGEST:
        raise MotionFileError(f"it lasts {times[-1] - times[0]:g} s: give times in seconds, a day at most")


def pose_problem(pose: Sequence[float]) -> str:
    """Fault of a 4x4 matrix, as part of a sentence; "" if it is a rigid transform."""
    if len(pose) != 16:
        return f"it has {len(pose)} numbers, and a 4x4 matrix has 16"
    if not all(abs(number) <= LARGEST for number in pose):
        return "not all of its numbers are finite"
    if any(
        abs(number - expected) > 1e-6
        for number, expected in zip(pose[12:], (0.0, 0.0, 0.0, 1.0), strict=True)
    ):
        return "its last row is not 0, 0, 0, 1"
    # columns of the rotation are its axes, which must be unit vectors and perpendicular to each other
    axes = [[pose[4 * row + k] for row in range(3)] for k in range(3)]
    for k, axis in enumerate(axes):
        for other in range(k, 3):
            if abs(_dot(axis, axes[other]) - (other == k)) > RIGHT_ANGLE:
                return "it is no rotation: its axes are not perpendicular unit vectors"
    # perpendicular axes may still be left-handed, which is impossible for a rigid body
    x, y, z = axes
    if (
        x[0] * (y[1] * z[2] - y[2] * z[1])
        - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
        < 0.0
    ):
        return "it mirrors: its determinant is -1"
    return ""


def _dot(a: Iterable[float], b: Iterable[float]) -> float:
    return math.fsum(p * q for p, q in zip(a, b, strict=True))
