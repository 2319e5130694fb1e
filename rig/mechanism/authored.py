"""From where a mechanism's bodies are to the channels of their objects and bones."""

from collections.abc import Mapping

import bpy
from mathutils import Euler, Matrix, Quaternion

from ..identity import find
from ..placement import Placement
from . import twin
from .poses import matrix_of
from .reading import Part, Reading

Key = tuple[int, str]  # object's session_uid, bone


def worlds(reading: Reading, base, poses) -> dict[Key, Matrix]:
    """World matrices of all objects and bones that the mechanism moves, for bodies' poses (b, 4, 4) in the base (4, 4)."""
    return {(part.uid, part.bone): matrix_of(twin.world_of(part, base, poses[k]), part.scale) for k, part in twin.movers(reading)}


def basis(part: Part, placed: Mapping[Key, Matrix], placement: Placement) -> Matrix:
    """The channels' matrix that puts an object or a bone where it is to be, with its parent where that is to be."""
    thing, world = find(part.thing, part.uid), placed[part.uid, part.bone]
    if part.bone:
        return _bone_basis(thing, part.bone, placed, placement)
    if thing.parent is None:
        return world
    above = placed.get((thing.parent.session_uid, ""))
    if above is not None and thing.parent_type == "OBJECT":
        return (above @ thing.matrix_parent_inverse).inverted_safe() @ world
    return placement.parent_frame(thing).inverted_safe() @ world


def _bone_basis(rig, name: str, placed: Mapping[Key, Matrix], placement: Placement) -> Matrix:
    back = placement.object(rig).inverted_safe()

    def pose(bone: str) -> Matrix:
        found = placed.get((rig.session_uid, bone))
        return back @ found if found is not None else placement.bone(rig, bone)

    bone = rig.data.bones[name]
    if bone.parent is None:
        return bone.convert_local_to_pose(pose(name), bone.matrix_local, invert=True)
    return bone.convert_local_to_pose(
        pose(name),
        bone.matrix_local,
        parent_matrix=pose(bone.parent.name),
        parent_matrix_local=bone.parent.matrix_local,
        invert=True,
    )


def holder(part: Part):
    """What has the channels: an object or a pose bone."""
    thing = find(part.thing, part.uid)
    return thing.pose.bones[part.bone] if part.bone else thing


def rotation_channel(has) -> str:
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(has.rotation_mode, "rotation_euler")


def rotation_numbers(has, matrix: Matrix, before: list[float] | None) -> list[float]:
    """The rotation channel's numbers, without a jump from those of the frame before."""
    own = [1.0 / size if size else 1.0 for size in has.scale]  # a mirrored thing stays mirrored by its own scale
    turn = (matrix.to_3x3() @ Matrix.Diagonal(own)).to_quaternion()
    if has.rotation_mode == "QUATERNION":
        if before is not None and turn.dot(Quaternion(before)) < 0.0:
            turn.negate()
        return list(turn)
    if has.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        return [angle, *axis]
    if before is None:
        return list(turn.to_euler(has.rotation_mode))
    return list(turn.to_euler(has.rotation_mode, Euler(before, has.rotation_mode)))


def pose(part: Part, matrix: Matrix) -> None:
    """Writes a basis to the channels; scale stays as it is."""
    has = holder(part)
    has.location = matrix.translation
    channel = rotation_channel(has)
    before = list(getattr(has, channel))
    setattr(has, channel, rotation_numbers(has, matrix, before))


def assemble(reading: Reading, base, poses, depsgraph: bpy.types.Depsgraph) -> None:
    """Moves what is authored to where the mechanism is assembled."""
    placed, placement = worlds(reading, base, poses), Placement(depsgraph, {})
    bases = [(part, basis(part, placed, placement)) for _, part in twin.movers(reading)]
    for part, matrix in bases:
        pose(part, matrix)
