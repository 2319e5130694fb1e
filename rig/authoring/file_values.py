"""Values of a motion file for a joint: converted to its unit, and interpolated at other times."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from mathutils import Matrix

from ...hardware.motion_files import Column, MotionFileError
from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from ..reading.file_joints import FileJoint
from ..robot import lerobot


def in_joint_unit(column: Column, joint: FileJoint, rig) -> Sequence[float]:
    """Values of a column in the joint's unit [rad or m].

    Raises:
        RigError: the values have another unit, or are shares of a servo's range that is not known.
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
            f"Joint '{joint.name}' of '{rig.name}' {motion}, but '{column.name}' in the file has {unit}: name another joint there"
        )
    return column.values


def resampled(values: Sequence[float], times: Sequence[float], at: Sequence[float], velocities: Sequence[float] = ()) -> list[float]:
    """Values interpolated at other times `at` [s]: by cubics if the file has velocities, as ROS 2 plays them, else linearly."""
    if list(at) == list(times):
        return list(values)
    if not velocities or len(times) < 2:
        return np.interp(at, times, values).tolist()
    known, asked = np.array(times), np.clip(at, times[0], times[-1])
    k = np.clip(np.searchsorted(known, asked, side="right") - 1, 0, len(known) - 2)
    width = known[k + 1] - known[k]
    u = (asked - known[k]) / width
    p, q, v, w = (np.array(of)[at_end] for of in (values, velocities) for at_end in (k, k + 1))
    found = (1 + 2 * u) * (1 - u) ** 2 * p + u**2 * (3 - 2 * u) * q + width * u * (1 - u) * ((1 - u) * v - u * w)
    return found.tolist()


def poses_at(poses: Sequence[Sequence[float]], times: Sequence[float], at: Sequence[float]) -> list[Array]:
    """Poses (4, 4) interpolated at other times `at` [s]: positions linearly, rotations by slerp."""
    matrices = [np.array(pose, float).reshape(4, 4) for pose in poses]
    if list(at) == list(times) or len(matrices) == 1:
        return matrices if list(at) == list(times) else matrices * len(at)
    found = []
    for time in at:
        k = min(max(bisect_right(times, time) - 1, 0), len(times) - 2)
        share = min(max((time - times[k]) / (times[k + 1] - times[k]), 0.0), 1.0)
        if share in (0.0, 1.0):
            found.append(matrices[k + int(share)])
            continue
        before, after = matrices[k], matrices[k + 1]
        turned = Matrix(before.tolist()).to_quaternion().slerp(Matrix(after.tolist()).to_quaternion(), share)
        made = np.eye(4)
        made[:3, :3] = turned.to_matrix()
        made[:3, 3] = (1.0 - share) * before[:3, 3] + share * after[:3, 3]
        found.append(made)
    return found
