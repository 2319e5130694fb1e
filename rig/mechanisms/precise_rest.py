"""Rest pose of an armature's bones in double precision, in the frame of the armature object: from the bones,
or from the file of an imported robot. It does not depend on where the armature object is.

Blender stores bones in single precision, which rotates a hinge's axis by up to 2.5e-4 rad and would lock a
planar loop. The file of an imported robot has the exact axes. A bone that has been moved in Edit Mode since
its import is taken from Blender.
"""

from dataclasses import dataclass, field
from functools import cached_property

import bpy
import numpy as np

from ...robots.model import Inertial
from ...robots.record import LinkRecord
from ...robots.transform import Transform
from ...solvers.kinematics.rotations import Vector, between, rotate
from ...solvers.kinematics.se3 import Array, RigidTransform, frame_array
from ..blender.errors import RigError
from ..bones import imported_robot
from .joint_kinds import LETTERS
from .poses import rigid

# difference up to which an armature's scale counts as 1; at other scales the lengths in its robot's file are
# not used
EVEN = 1e-4
# distance of a bone's head from its position in the robot's file, as a share of the armature's size, above
# which the bone counts as moved in Edit Mode; for its joint's axis, ten times as much [rad]
DRAWN = 1e-4
UNSCALED = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Rest:
    """Bone -> rest pose (4, 4) of an armature's bones, in the frame of its object without the object's scale;
    positions [m] are multiplied by the scale.
    """

    bones: dict[str, Array]
    # bone -> frame (4, 4) of its link in an imported robot
    links: dict[str, Array] = field(default_factory=dict)
    # bone -> inertial of its link, in the link's frame
    inertials: dict[str, Inertial | None] = field(default_factory=dict)
    scale: tuple[float, float, float] = UNSCALED  # scale of the armature object

    @cached_property
    def size(self) -> float:
        """Largest extent [m] of the positions of the bones' heads."""
        return float(np.ptp([matrix[:3, 3] for matrix in self.bones.values()], axis=0).max())


def rest_of(rig: bpy.types.Object, scale: tuple[float, float, float] = UNSCALED) -> Rest:
    """Rest poses of an armature's bones; of an imported robot that is not scaled, those of its file, except
    for bones that were moved since. `scale`: of the armature object (`object_scale`).

    Raises:
        RigError: a bone's position is not finite.
    """
    to_metres = np.diag((*scale, 1.0))
    drawn = {
        bone.name: rigid(to_metres @ np.array(bone.matrix_local, float), f"Bone '{bone.name}'")
        for bone in rig.data.bones
    }
    rest = Rest(drawn, scale=scale)
    if not imported_robot.is_robot(rig) or is_scaled(scale):
        return rest
    try:
        tree, names = imported_robot.tree_of(rig)
    except RigError:  # bones were removed or separated: the robot is treated as an ordinary armature
        return rest
    frames = tree.frames({})
    for branch, name, frame in zip(tree.branches, names, frames, strict=True):
        record = imported_robot.record_of(rig.data.bones[name])
        joint_frame = _array(frames[branch.parent].then(branch.before) if branch.parent >= 0 else frame)
        exact = _as_in_file(drawn[name], joint_frame, record, rest.size) if record is not None else None
        if exact is not None:
            rest.bones[name], rest.links[name] = exact, _array(frame)
            rest.inertials[name] = branch.inertial
    return rest


def is_scaled(scale: tuple[float, float, float]) -> bool:
    """Whether an armature object has a scale other than 1."""
    return max(abs(size - 1.0) for size in scale) > EVEN


def _as_in_file(drawn: Array, joint: Array, record: LinkRecord, size: float) -> Array | None:
    """A bone's rest pose (4, 4) with its head and joint axis exactly as in the robot's file; None if the bone
    has been moved since its import.

    Args:
        drawn: (4, 4) its rest pose in Blender.
        joint: (4, 4) frame of its link's joint in the file.
        record: The link's record.
        size: Size [m] of the armature.
    """
    exact_pose = drawn.copy()
    if np.abs(joint[:3, 3] - drawn[:3, 3]).max() > DRAWN * max(size, DRAWN):
        return None
    exact_pose[:3, 3] = joint[:3, 3]
    if record.axis:
        bone_axis = _vector(drawn[:3, LETTERS.index(record.axis)])
        file_axis = _vector(record.sign * joint[:3, :3] @ record.branch.axis)
        rotation = between(bone_axis, file_axis)
        if np.linalg.norm(np.subtract(bone_axis, file_axis)) > DRAWN * 10:
            return None
        exact_pose[:3, :3] = np.stack([rotate(rotation, _vector(column)) for column in drawn[:3, :3].T], 1)
    return exact_pose


def _vector(numbers: Array) -> Vector:
    x, y, z = numbers.tolist()
    return x, y, z


def _array(frame: Transform) -> Array:
    return frame_array(RigidTransform(frame.rotation, frame.offset))
