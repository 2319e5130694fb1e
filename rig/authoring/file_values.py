"""Values of a motion file for a joint: converted to its unit, and interpolated at other times."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from mathutils import Matrix

from ...hardware.motion_files import Column
from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from ..reading.file_joints import FileJoint


def in_joint_unit(column: Column, joint: FileJoint, rig) -> Sequence[float]:
    """Values of a column in the joint's unit [rad or m].

    Raises:
        RigError: they have another.
    """
    if column.unit in ("rad", "m") and joint.is_prismatic != (column.unit == "m"):
        has, wants = ("metres", "rotates") if column.unit == "m" else ("angles", "is prismatic")
        raise RigError(f"Joint '{joint.name}' of '{rig.name}' {wants}, but '{column.name}' in the file has {has}: name another joint there")
    return column.values


def resampled(values: Sequence[float], times: Sequence[float], at: Sequence[float]) -> list[float]:
    """Values at other times [s], linear between those of the file."""
    return list(values) if list(at) == list(times) else np.interp(at, times, values).tolist()


def poses_at(poses: Sequence[Sequence[float]], times: Sequence[float], at: Sequence[float]) -> list[Array]:
    """Poses (4, 4) at other times [s]: positions are linear, rotations are slerped between those of the file."""
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
