"""Findings on the bones of a chain: scale, stretch, inheritance, axes without joints, conflicting
constraints.
"""

from collections.abc import Iterator

import bpy

from ..blender.errors import Finding
from ..bones import axes, constrained, rotation_modes
from ..bones.constrained import HARMLESS, LIMITING, acts
from ..bones.joint_axes import joint_axes, prismatic_axes, why_no_limits
from ..bones.joint_bones import SCALED
from ..bones.shown_values import IK, reached
from .skeleton import ChainReader

STRETCHING = {"STRETCH_TO", "MAINTAIN_VOLUME"}
# channel of a rotation -> its name in messages
ROTATIONS = {
    "rotation_euler": "Euler angles",
    "rotation_quaternion": "quaternion",
    "rotation_axis_angle": "axis and angle",
}
SAME = 1e-4  # [rad, m] difference below which two limits count as equal


def check(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, reader: ChainReader) -> Iterator[Finding]:
    """Findings on the bones of a chain from root to end, on what moves them from outside, and on the scale of
    their armature and ancestors.
    """
    yield from _scale(rig, reader)
    for part in reader.parts:
        bone = rig.pose.bones[part.name]
        yield from _axes(bone, chain, reader)
        if part.carrier is None:
            yield from _inheritance(bone)
            yield from _constraints(rig, bone, chain, reader)
    yield from _ik_from_outside(rig, reader)
    yield from _drivers(rig, reader)


def _scale(rig: bpy.types.Object, reader: ChainReader) -> Iterator[Finding]:
    world = rig.matrix_world
    scale = world.to_scale()
    if world.to_3x3().determinant() < 0:
        yield Finding(
            f"Armature '{rig.name}' is mirrored (negative scale): apply its scale (Object > Apply > Scale)",
            True,
        )
    elif max(scale) - min(scale) > SCALED * max(scale):
        yield Finding(f"Armature '{rig.name}' is scaled unevenly: apply its scale (Object > Apply > Scale)")
    root = rig.pose.bones[reader.names[0]]
    for bone in root.parent_recursive:
        if max(bone.scale) - min(bone.scale) > SCALED * max(map(abs, bone.scale)):
            yield Finding(
                f"Bone '{bone.name}', an ancestor of the chain, is scaled unevenly: clear its scale (Alt S)"
            )
    for name in reader.names:
        bone = rig.pose.bones[name]
        if max(abs(size - 1) for size in bone.scale) > SCALED:
            carried = reader.can_carry(name, tuple(bone.scale))
            yield Finding(
                f"Bone '{name}' is scaled: clear its scale (Alt S); motors cannot stretch", not carried
            )
        if bone.bone.bbone_segments > 1:
            yield Finding(
                f"Bone '{name}' bends (Bendy Bones): set its segments to 1, motors rotate joints only"
            )


def _inheritance(bone: bpy.types.PoseBone) -> Iterator[Finding]:
    if bone.parent is None:
        return
    if not bone.bone.use_inherit_rotation:
        yield Finding(
            f"Bone '{bone.name}' does not inherit rotation, so the chain breaks there: switch on Inherit"
            " Rotation in the bone's Relations",
            True,
        )
    if not bone.bone.use_local_location and bone.location.length > SCALED * bone.bone.length:
        yield Finding(
            f"Bone '{bone.name}' is moved along other axes than its own: switch on Local Location in the"
            " bone's Relations",
            True,
        )


def _axes(bone: bpy.types.PoseBone, chain: bpy.types.PropertyGroup, reader: ChainReader) -> Iterator[Finding]:
    chain_axes = {joint.axis for joint in chain.joints if joint.bone == bone.name}
    missing = [axis for axis in joint_axes(bone) if axis not in chain_axes]
    rotations = [axis for axis in missing if not axes.is_prismatic(axis)]
    moves = [axes.letter(axis) for axis in missing if axes.is_prismatic(axis)]
    if rotations:
        yield Finding(
            f"Bone '{bone.name}' can rotate about {', '.join(rotations)} without a joint: lock that axis, or"
            " press Match Joints"
        )
    if moves:
        yield Finding(
            f"Bone '{bone.name}' can move along {', '.join(moves)} without a joint: lock its location there,"
            " or press Match Joints"
        )
    # a chain may end in a bone that only its parents move, so locked axes are no error by themselves
    if bone.name in reader.ends and all(bone.lock_rotation) and not prismatic_axes(bone):
        yield Finding(
            f"All axes of the end bone '{bone.name}' are locked: if that is a mistake, unlock one and press"
            " Match Joints"
        )


def _constraints(
    rig: bpy.types.Object, bone: bpy.types.PoseBone, chain: bpy.types.PropertyGroup, reader: ChainReader
) -> Iterator[Finding]:
    moving_constraint = None if bone.name in reader.free else constrained.moving_constraint(bone)
    if moving_constraint:
        yield Finding(
            constrained.why_not(rig, bone, moving_constraint, constrained.below(reader.names, bone)), True
        )
        return
    for constraint in filter(acts, bone.constraints):
        label = f"Constraint '{constraint.name}' on bone '{bone.name}'"
        if constraint.type in LIMITING:
            yield from _limits(bone, chain, constraint, label)
        elif constraint.type not in HARMLESS:
            does = "stretches the bone" if constraint.type in STRETCHING else "moves a bone of the chain"
            yield Finding(
                f"{label} {does}: mute it, Limber goes by the bone's own channels", constraint.type in IK
            )


def _limits(
    bone: bpy.types.PoseBone, chain: bpy.types.PropertyGroup, constraint: bpy.types.Constraint, label: str
) -> Iterator[Finding]:
    limited = [
        joint
        for joint in chain.joints
        if joint.bone == bone.name
        and joint.axis in LIMITING[constraint.type]
        and _is_limited(constraint, axes.letter(joint.axis).lower())
    ]
    why = why_no_limits(bone, constraint)
    # such a constraint does not limit the joint's value, so its range cannot be compared with the joint's
    if limited and why:
        yield Finding(f"{label} {why}; until then the joints' own limits count")
        return
    for joint in limited:
        low, high = (
            getattr(constraint, f"{end}_{axes.letter(joint.axis).lower()}") for end in ("min", "max")
        )
        if joint.lower < low - SAME or joint.upper > high + SAME:
            preposition = "along" if axes.is_prismatic(joint.axis) else "about"
            yield Finding(
                f"{label} allows {axes.range_text(joint.axis, low, high)} {preposition}"
                f" {axes.letter(joint.axis)}, less than the joint: give both the same limits, or a bake mutes"
                " the constraint where keys exceed it"
            )


def _is_limited(constraint: bpy.types.Constraint, letter: str) -> bool:
    if constraint.type == "LIMIT_ROTATION":
        return getattr(constraint, f"use_limit_{letter}")
    return getattr(constraint, f"use_min_{letter}") and getattr(constraint, f"use_max_{letter}")


def _ik_from_outside(rig: bpy.types.Object, reader: ChainReader) -> Iterator[Finding]:
    on_path = set(reader.names)
    for bone in rig.pose.bones:
        if bone.name in on_path:
            continue
        for constraint in bone.constraints:
            if constraint.type not in IK or not acts(constraint):
                continue
            moved_bone = next((part.name for part in reached(bone, constraint) if part.name in on_path), None)
            if moved_bone:
                yield Finding(
                    f"Constraint '{constraint.name}' on bone '{bone.name}' moves bone '{moved_bone}' of the"
                    " chain: mute it, or make its Chain Length shorter",
                    True,
                )


def _drivers(rig: bpy.types.Object, reader: ChainReader) -> Iterator[Finding]:
    drivers = rig.animation_data.drivers if rig.animation_data else ()
    driven = {driver.data_path for driver in drivers if not driver.mute}
    for name, mode in sorted(reader.modes.items()):
        channel = rotation_modes.channel(mode)
        other_channels = (rotation for rotation in ROTATIONS if rotation != channel)
        if other := next(
            (
                rotation
                for rotation in other_channels
                if rig.pose.bones[name].path_from_id(rotation) in driven
            ),
            None,
        ):
            yield Finding(
                f"A driver moves the {ROTATIONS[other]} of bone '{name}', which rotates by"
                f" {ROTATIONS[channel]}: drive its {ROTATIONS[channel]} instead"
            )
