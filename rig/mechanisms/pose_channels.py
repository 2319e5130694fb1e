"""Converts poses of a mechanism's bodies to channels of their objects and bones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy
from mathutils import Euler, Matrix, Quaternion, Vector

from ...solvers.kinematics.se3 import Array
from ..blender.presence import find
from ..bones import rotation_modes
from ..scene.placement import Placement
from .authored_mechanism import Part, Reading
from .parents import refuse_unknown
from .poses import matrix_of


@dataclass(frozen=True)
class Placed:
    """World matrices of all objects and bones that a mechanism moves, in the form in which `Placement` reads
    them.
    """

    worlds: dict[tuple[int, str], Matrix]  # (object's session_uid, bone; "" for the object) -> world matrix

    @cached_property
    def bodies(self) -> dict[int, dict[str, "Placed"]]:
        """These world matrices in the form of `Placement.carry`: by object's session_uid and bone name."""
        placed_bodies: dict[int, dict[str, Placed]] = {}
        for uid, bone in self.worlds:
            placed_bodies.setdefault(uid, {})[bone] = self
        return placed_bodies

    def world(self, uid: int, bone: str) -> Matrix:
        """World matrix of the object with this session_uid, or of its bone."""
        return self.worlds[uid, bone]


def predict_transforms(reading: Reading, base: Array, poses: Array, placement: Placement) -> None:
    """Writes predicted transforms of everything that the mechanism moves to a placement, from poses (b, 4, 4)
    of bodies in the base frame, whose world matrix is `base` (4, 4).
    """
    worlds = {
        (part.uid, part.bone): matrix_of(part.world(base, poses[k]), part.scale)
        for k, part in reading.moved_parts
    }
    placement.carry(Placed(worlds).bodies)


def basis(part: Part, placement: Placement) -> Matrix:
    """Basis matrix, relative to the parent, that gives an object or a bone its predicted transform."""
    obj = find(part.object_name, part.uid)
    if part.bone:
        return _bone_basis(obj, part.bone, placement)
    world = placement.object(obj)
    return world if obj.parent is None else placement.parent_frame(obj).inverted_safe() @ world


def _bone_basis(rig: bpy.types.Object, name: str, placement: Placement) -> Matrix:
    bone, pose = rig.data.bones[name], placement.bone(rig, name)
    if bone.parent is None:
        return bone.convert_local_to_pose(pose, bone.matrix_local, invert=True)
    return bone.convert_local_to_pose(
        pose,
        bone.matrix_local,
        parent_matrix=placement.bone(rig, bone.parent.name),
        parent_matrix_local=bone.parent.matrix_local,
        invert=True,
    )


def holder(part: Part) -> bpy.types.Object | bpy.types.PoseBone:
    """The object or pose bone whose channels set the pose of a body."""
    obj = find(part.object_name, part.uid)
    return obj.pose.bones[part.bone] if part.bone else obj


def location_numbers(channel_holder: bpy.types.Object | bpy.types.PoseBone, matrix: Matrix) -> list[float]:
    """Values of the location channel for a basis matrix; an object's delta location is subtracted."""
    return list(matrix.translation - Vector(getattr(channel_holder, "delta_location", (0.0, 0.0, 0.0))))


def rotation_numbers(
    channel_holder: bpy.types.Object | bpy.types.PoseBone, matrix: Matrix, before: list[float] | None
) -> list[float]:
    """Values of the rotation channel for a basis matrix, nearest to the previous frame's values `before`; an
    object's delta rotation is removed.
    """
    # an object with a mirroring scale stays mirrored
    inverse_scale = [1.0 / size if size else 1.0 for size in _scale(channel_holder)]
    rotation = (
        _delta_rotation(channel_holder).inverted()
        @ (matrix.to_3x3() @ Matrix.Diagonal(inverse_scale)).to_quaternion()
    )
    return list(
        rotation_modes.numbers(
            channel_holder.rotation_mode, rotation_modes.quaternion("QUATERNION", rotation), before
        )
    )


def _scale(channel_holder: bpy.types.Object | bpy.types.PoseBone) -> list[float]:
    """Scale (3) of a bone, or of an object with its delta scale, by their channels."""
    return [
        size * delta
        for size, delta in zip(
            channel_holder.scale, getattr(channel_holder, "delta_scale", (1.0, 1.0, 1.0)), strict=True
        )
    ]


def _delta_rotation(channel_holder: bpy.types.Object | bpy.types.PoseBone) -> Quaternion:
    """An object's delta rotation; identity for a bone, and for axis-angle rotation, for which Blender has no
    delta rotation.
    """
    if not isinstance(channel_holder, bpy.types.Object) or channel_holder.rotation_mode == "AXIS_ANGLE":
        return Quaternion()
    if channel_holder.rotation_mode == "QUATERNION":
        return Quaternion(channel_holder.delta_rotation_quaternion).normalized()
    return Euler(channel_holder.delta_rotation_euler, channel_holder.rotation_mode).to_quaternion()


def pose(part: Part, matrix: Matrix) -> None:
    """Writes a basis matrix to the channels of a body's object or bone; the scale does not change."""
    channel_holder = holder(part)
    channel_holder.location = location_numbers(channel_holder, matrix)
    channel = rotation_modes.channel(channel_holder.rotation_mode)
    before = list(getattr(channel_holder, channel))
    setattr(channel_holder, channel, rotation_numbers(channel_holder, matrix, before))


def assemble(reading: Reading, base: Array, poses: Array, depsgraph: bpy.types.Depsgraph) -> None:
    """Writes channels of bodies, and of objects mounted on them, for poses (b, 4, 4) in the base frame, whose
    world matrix is `base` (4, 4).

    Raises:
        RigError: the new pose of a parent cannot be predicted; nothing was moved.
    """
    movers = reading.moved_parts
    write([(part, part.world(base, poses[k])) for k, part in movers], depsgraph)


def write(poses: Sequence[tuple[Part, Array]], depsgraph: bpy.types.Depsgraph) -> None:
    """Writes channels of objects and bones that give them these world poses (4, 4), without changing their
    scales.

    Raises:
        RigError: the new pose of a parent cannot be predicted; nothing was moved.
    """
    refuse_unknown([part for part, _ in poses])
    placement = Placement(depsgraph, {})
    placement.carry(
        Placed({(part.uid, part.bone): matrix_of(world, part.scale) for part, world in poses}).bodies
    )
    bases = [(part, basis(part, placement)) for part, _ in poses]
    for part, matrix in bases:
        pose(part, matrix)
