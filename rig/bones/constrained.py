"""Bones that constraints move, such as deforming and helper bones of generated rigs. Chains use the control
bones that these bones follow.
"""

from collections.abc import Iterator

import bpy

from ..blender.errors import RigError
from . import axes
from .driving import driving_paths
from .joint_axes import free_axes, joint_axes

SHOWS = "Limber (live)"  # name of Limber's own constraint, by which a bone shows the solved pose
HARMLESS = {"COPY_SCALE", "LIMIT_SCALE"}  # types of constraints that do not move bones
# type of a limiting constraint -> joint axes that it limits
LIMITING = {"LIMIT_ROTATION": axes.REVOLUTE, "LIMIT_LOCATION": axes.PRISMATIC}
TARGETLESS = {"PIVOT"}  # types of constraints that have a target but also act without a target
# types of constraints by which a bone follows another bone
COPYING = {"COPY_TRANSFORMS", "COPY_ROTATION", "CHILD_OF", "ARMATURE"}
# smallest number of free rotation axes of a control bone; Rigify's tweak bones have one such axis
CONTROL = 2


def acts(constraint: bpy.types.Constraint) -> bool:
    """Whether a constraint is enabled, has influence, and has a target if it needs one. Limber's own
    constraint does not count.
    """
    if constraint.mute or constraint.influence == 0 or constraint.name == SHOWS:
        return False
    if constraint.type == "ARMATURE":
        return any(target.target for target in constraint.targets)
    return constraint.type in TARGETLESS or getattr(constraint, "target", constraint) is not None


def moving_constraint(pose_bone: bpy.types.PoseBone) -> bpy.types.Constraint | None:
    """The constraint that moves a bone without joints; None if there is none."""
    if joint_axes(pose_bone):
        return None
    return next(
        (c for c in pose_bone.constraints if acts(c) and c.type not in HARMLESS | set(LIMITING)), None
    )


def refuse(rig: bpy.types.Object, names: list[str]) -> None:
    """Raises RigError if a constraint moves a bone of the chain that has no joints.

    Args:
        rig: The armature object.
        names: The chain's bones, from root to end.
    """
    moved = [
        (bone, constraint)
        for bone in (rig.pose.bones[name] for name in names)
        if (constraint := moving_constraint(bone)) is not None
    ]
    if not moved:
        return
    bone, constraint = moved[-1]
    raise RigError(why_not(rig, bone, constraint, below(names, bone)))


def below(names: list[str], pose_bone: bpy.types.PoseBone) -> str:
    """Name of the first bone in a list that is a child of a pose bone; "" if there is none."""
    return next(
        (
            name
            for name in names
            if (bone := pose_bone.id_data.data.bones[name]).parent and bone.parent.name == pose_bone.name
        ),
        "",
    )


def why_not(
    rig: bpy.types.Object,
    pose_bone: bpy.types.PoseBone,
    constraint: bpy.types.Constraint,
    next_bone: str = "",
) -> str:
    """Why a chain cannot contain a bone that a constraint moves, with the remedy. `next_bone`: the bone below
    it in the chain.
    """
    fault = f"Bone '{pose_bone.name}' has no free axis and is moved by its constraint '{constraint.name}'"
    if next_bone:
        return (
            f"{fault}: begin the chain below it (select '{next_bone}' and no bone above it), or"
            f" {_switched_off(rig, constraint)}"
        )
    control = followed_control(rig, pose_bone)
    if control is None:
        return (
            f"{fault}: select a control bone, which you rotate yourself, or mute the constraint and unlock the"
            " axes that have a motor"
        )
    return f"{fault}: it does what '{control}' does, select that control instead"


def _switched_off(rig: bpy.types.Object, constraint: bpy.types.Constraint) -> str:
    """How the user can disable a constraint, as the end of a sentence."""
    sources = driving_paths(rig, constraint)
    if not sources:
        return "mute the constraint"
    return f"set what drives its influence, {sources[0]}, such that it is 0"


def followed_control(rig: bpy.types.Object, pose_bone: bpy.types.PoseBone) -> str | None:
    """Name of the nearest control bone that a bone follows; else of the nearest followed bone with joints,
    None if there is none either.
    """
    seen, waiting, fallback = {pose_bone.name}, [pose_bone], None
    while waiting:
        for leader in _leaders(rig, waiting.pop(0)):
            if leader.name in seen:
                continue
            seen.add(leader.name)
            if moving_constraint(leader):
                waiting.append(leader)
                continue
            for bone in (leader, *leader.parent_recursive):
                if moving_constraint(bone):
                    break
                if len(free_axes(bone)) >= CONTROL:
                    return bone.name
            fallback = fallback or (leader.name if joint_axes(leader) else None)
            waiting.append(leader)
    return fallback


def _leaders(rig: bpy.types.Object, pose_bone: bpy.types.PoseBone) -> Iterator:
    """Bones of the same armature that a bone copies; also its parent, unless a constraint moves the bone."""
    for constraint in pose_bone.constraints:
        if constraint.type in COPYING and acts(constraint):
            for target in constraint.targets if constraint.type == "ARMATURE" else (constraint,):
                if target.target == rig and target.subtarget in rig.pose.bones:
                    yield rig.pose.bones[target.subtarget]
    if not moving_constraint(pose_bone) and pose_bone.parent:
        yield pose_bone.parent
