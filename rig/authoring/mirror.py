"""Mirror image of a stored posture: left and right bones, by Blender's naming convention, exchange their
rotations and locations; those of bones in the middle are mirrored.

A rotation R in bone A's rest frame becomes T R T^-1 in the rest frame of its counterpart B, with T = B^-1 M
A, where M mirrors the armature. So the mirror image does not depend on the bones' rolls.
"""

import bpy
from bpy.utils import flip_name
from mathutils import Matrix, Quaternion, Vector

from ...solvers.kinematics import rotations
from ..blender import actions
from ..blender.errors import RigError
from ..bones import axes, rotation_modes
from ..bones.axes import is_euler
from ..bones.paths import bone_names
from ..chains import postures

# difference up to which entries of a transform count as equal to -1, 0 or 1: more than the noise of single
# precision in rest poses
ALONG = 1e-4
PLANES = {"X": Vector((-1.0, 1.0, 1.0)), "Y": Vector((1.0, -1.0, 1.0)), "Z": Vector((1.0, 1.0, -1.0))}


def mirror(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: bpy.types.Action, across: str = "X"
) -> tuple[bpy.types.Action, bpy.types.PropertyGroup]:
    """Makes a pose asset of a posture's mirror image, and lists it in the chain that moves the mirrored
    bones.

    Args:
        rig: The armature object.
        chain: The chain of the posture.
        action: The posture.
        across: Axis of the armature that is mirrored.

    Returns:
        The new action and its chain.

    Raises:
        RigError: a bone of the chain is missing or has no counterpart, no chain moves the counterparts, or
            the posture has no value of the chain.
    """
    pairs = [(name, flip_name(name)) for name in bone_names(rig.pose.bones, chain)]
    for name, image in pairs:
        if image not in rig.pose.bones:
            raise RigError(
                f"Bone '{name}' has no counterpart: there is no bone '{image}'. Make it (Armature >"
                f" Symmetrize), or rename '{name}'"
            )
    owner = _owner(rig, chain, {image for _, image in pairs})
    curves = actions.fcurves(action)
    values = {}
    for name, image in pairs:
        source, target = rig.pose.bones[name], rig.pose.bones[image]
        to_mirrored = _rest(target).inverted() @ Matrix.Diagonal(PLANES[across]) @ _rest(source)
        for path, index, value in (
            *_mirrored_rotation(curves, source, target, to_mirrored),
            *_mirrored_location(curves, source, to_mirrored),
        ):
            values[image, path, index] = value
    if not values:
        raise RigError(postures.foreign(action, chain))
    name = flip_name(action.name)
    return (
        postures.make(rig, owner, name if name != action.name else f"{action.name} Mirrored", values),
        owner,
    )


def _owner(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, bones: set[str]) -> bpy.types.PropertyGroup:
    """The given chain if it moves any of the bones, else the chain that moves most of them. Raises RigError
    if none moves any.
    """

    def moved(other: bpy.types.PropertyGroup) -> int:
        return len(bones & {joint.bone for joint in other.joints})

    if moved(chain):
        return chain
    other = max(rig.limber.chains, key=moved)
    if not moved(other):
        named = ", ".join(f"'{bone}'" for bone in sorted(bones))
        raise RigError(
            f"No chain moves {named}, where the mirror image would be: make a chain of these bones first"
        )
    return other


def _rest(pose_bone: bpy.types.PoseBone) -> Matrix:
    """Rest rotation (3, 3) of a bone in armature space."""
    return pose_bone.bone.matrix_local.to_3x3().normalized()


def _signs(transform: Matrix) -> list[float] | None:
    """Sign (1 or -1) of each axis of a diagonal transform; None if it is not diagonal."""
    signs = [round(transform[k][k]) for k in range(3)]
    is_plain = all(
        abs(transform[j][k] - (signs[k] if j == k else 0.0)) < ALONG for j in range(3) for k in range(3)
    )
    return [float(sign) for sign in signs] if is_plain else None


def _mirrored_rotation(
    curves: bpy.types.bpy_prop_collection,
    source: bpy.types.PoseBone,
    target: bpy.types.PoseBone,
    transform: Matrix,
) -> list[tuple[str, int, float]]:
    """(path, index, value) of each rotation channel of the mirror image; empty if the posture does not rotate
    the bone `source`. `transform`: T in this module's formula.
    """
    mode, signs = target.rotation_mode, _signs(transform)
    if is_euler(source) and signs and mode == source.rotation_mode:
        # each angle is mirrored separately, which keeps angles beyond 180 degrees
        angles = postures.hinges(curves, source.name, mode) or ()
        return [
            (rotation_modes.EULER, k, -signs[k] * angle)
            for k, angle in enumerate(angles)
            if angle is not None
        ]
    quaternion = postures.quaternion(curves, source.name, source.rotation_mode)
    if quaternion is None:
        return []
    image = transform @ Quaternion(quaternion).to_matrix() @ transform.inverted()
    numbers = rotation_modes.numbers(mode, rotations.from_matrix(image))
    return [(rotation_modes.channel(mode), k, number) for k, number in enumerate(numbers)]


def _mirrored_location(
    curves: bpy.types.bpy_prop_collection, source: bpy.types.PoseBone, transform: Matrix
) -> list[tuple[str, int, float]]:
    """(path, index, value) of each location channel of the mirror image; empty if the posture does not move
    the bone `source`. `transform`: T in this module's formula.
    """
    displacements = {
        index: value
        for index, axis in enumerate(axes.PRISMATIC)
        if (value := postures.displacement(curves, source.name, axis)) is not None
    }
    if not displacements:
        return []
    moved = transform @ Vector([displacements.get(index, 0.0) for index in range(3)])
    indices = displacements if _signs(transform) else range(3)
    return [("location", index, moved[index]) for index in indices]
