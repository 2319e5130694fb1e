"""Values of a motion file for a joint: converted to the joint's unit, and interpolated at other times."""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ...hardware.motion_files import MotionFileError, RecordedColumn
from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from ..bones import axes
from ..bones.file_joints import FileJoint
from ..robot import lerobot


def unit_factor(column: RecordedColumn, joint: FileJoint, in_degrees: bool) -> float:
    """Factor for a column's values: pi / 180 if the file gives no unit for angles and `in_degrees` says that
    they are degrees, else 1.
    """
    is_degrees = in_degrees and column.unit == "plain" and not joint.is_prismatic
    return math.radians(1.0) if is_degrees else 1.0


def in_joint_unit(column: RecordedColumn, joint: FileJoint, rig: bpy.types.Object) -> Sequence[float]:
    """Values of a column in the joint's unit [rad or m]; unchanged if the file gives no unit.

    Raises:
        RigError: the values have a unit of another kind, or are shares of a servo's range and that range is
            not known.
    """
    if column.unit not in ("rad", "m", "plain"):
        scale = lerobot.scale_of(rig, joint)
        try:
            return [scale.joint(value, column.unit) for value in column.values]
        except MotionFileError as error:
            raise RigError(f"Joint '{joint.name}' of '{rig.name}': {error}") from error
    if column.unit in ("rad", "m") and joint.is_prismatic != (column.unit == "m"):
        unit, motion = ("metres", "rotates") if column.unit == "m" else ("angles", "is prismatic")
        raise RigError(
            f"Joint '{joint.name}' of '{rig.name}' {motion}, but '{column.name}' in the file has {unit}: name"
            " another joint there"
        )
    return column.values


def refuse_other_unit(column: RecordedColumn, joint: FileJoint, values: Sequence[float]) -> None:
    """Raises RigError if values [rad] for which the file gives no unit exceed a joint's limits by more than a
    full turn: they are probably degrees.
    """
    if column.unit != "plain" or joint.is_prismatic:
        return
    lower, upper = min(values), max(values)
    if lower < joint.lower - math.tau or upper > joint.upper + math.tau:
        axis = joint.key[2]
        raise RigError(
            f"Joint '{joint.name}' would go from {axes.range_text(axis, lower, upper)}, over a full turn beyond"
            f" its limits, {axes.range_text(axis, joint.lower, joint.upper)}: the values of '{column.name}' are no"
            f" radians. Choose Degrees in Angles, or write the unit behind the name: '{column.name} [deg]'"
        )


def resampling(
    values: Sequence[float], times: Sequence[float], velocities: Sequence[float] = ()
) -> Callable[[Sequence[float]], Array]:
    """Function from times [s] to values, interpolated between `values` (t,) at `times` (t,) [s]: by cubics if
    there are `velocities` (t,) [per s], as ROS 2 plays them, else linearly. Before and after `times` it
    returns the first and the last value.
    """
    known, samples = np.array(times), np.array(values)
    if not velocities or len(times) < 2:
        return lambda at: np.interp(at, known, samples)
    slopes = np.array(velocities)

    def cubic(at: Sequence[float]) -> Array:
        clipped = np.clip(at, known[0], known[-1])
        k = np.clip(np.searchsorted(known, clipped, side="right") - 1, 0, len(known) - 2)
        width = known[k + 1] - known[k]
        u = (clipped - known[k]) / width
        p, q, v, w = (of[at_end] for of in (samples, slopes) for at_end in (k, k + 1))
        interpolated: Array = (
            (1 + 2 * u) * (1 - u) ** 2 * p
            + u**2 * (3 - 2 * u) * q
            + width * u * (1 - u) * ((1 - u) * v - u * w)
        )
        return interpolated

    return cubic


class PoseCurve:
    """Curve through poses (t, 16), rows first, at `times` (t,) [s]: positions linear, rotations by slerp;
    before and after `times` the first and the last pose.
    """

    def __init__(self, poses: Sequence[Sequence[float]], times: Sequence[float]) -> None:
        self.poses, self.times = poses, times

    def _matrix(self, k: int) -> Array:
        return np.array(self.poses[k], float).reshape(4, 4)

    def at(self, time: float) -> Array:
        """Pose (4, 4) at a time [s]."""
        if len(self.times) == 1:
            return self._matrix(0)
        k = min(max(bisect_right(self.times, time) - 1, 0), len(self.times) - 2)
        share = min(max((time - self.times[k]) / (self.times[k + 1] - self.times[k]), 0.0), 1.0)
        if share in (0.0, 1.0):
            return self._matrix(k + int(share))
        before, after = self._matrix(k), self._matrix(k + 1)
        rotation = (
            Matrix(before.tolist()).to_quaternion().slerp(Matrix(after.tolist()).to_quaternion(), share)
        )
        pose = np.eye(4)
        pose[:3, :3] = rotation.to_matrix()
        pose[:3, 3] = (1.0 - share) * before[:3, 3] + share * after[:3, 3]
        return pose
