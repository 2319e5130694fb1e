"""Making chains: the path from the selection, a joint for each free axis, limits from what the rig already says."""

from math import pi
from uuid import uuid4

import bpy
from bpy.utils import escape_identifier
from mathutils import Quaternion

from . import actions
from .errors import RigError
from .skeleton import is_euler, parent_first, path_names


class NeedsEulerOrder(RigError):
    """Bones on the path rotate by quaternion or axis and angle; `bones` names them."""

    def __init__(self, bones: list[str]) -> None:
        self.bones = bones
        named = ", ".join(f"'{bone}'" for bone in bones)
        super().__init__(
            f"Joints need an Euler order, and these bones rotate by quaternion or axis and angle: {named}."
            " Agree to change their rotation mode"
        )


def active(rig):
    """The chain selected in the list, or None."""
    chains = rig.limber.chains
    return chains[min(rig.limber.active_chain, len(chains) - 1)] if chains else None


def find_path(rig, selected: list[str]) -> list[str]:
    """Names of the bones from root to end: of the selection, or from the top of the hierarchy to the one selected bone.

    Raises:
        RigError: nothing is selected, or the selection is on no single path.
    """
    if not selected:
        raise RigError("No bone is selected: select the end bone, or root and end, in Pose Mode")
    bones = sorted((rig.data.bones[name] for name in selected), key=lambda bone: len(bone.parent_recursive))
    end = bones[-1]
    line = [end, *end.parent_recursive]
    for bone in bones:
        if bone not in line:
            raise RigError(f"Bones '{bone.name}' and '{end.name}' are on different branches: select bones on one path from root to end")
    if len(bones) > 1:
        return path_names(rig.pose.bones, bones[0].name, end.name)
    taken = {joint.bone for chain in rig.limber.chains for joint in chain.joints}
    above = []
    for bone in line:
        if bone.name in taken and bone is not end:
            break
        above.append(bone.name)
    return above[::-1]


def free_axes(pose_bone) -> str:
    """The axes about which the user may turn a bone, nearest the parent first."""
    order = parent_first(pose_bone.rotation_mode) if is_euler(pose_bone) else "ZYX"
    return "".join(axis for axis in order if not pose_bone.lock_rotation["XYZ".index(axis)])


def limits(pose_bone, axis: str) -> tuple[float, float]:
    """Smallest and largest angle [rad]: of a Limit Rotation constraint, else of the bone's IK limits, else a half turn either way."""
    letter = axis.lower()
    for constraint in pose_bone.constraints:
        if constraint.type == "LIMIT_ROTATION" and not constraint.mute and getattr(constraint, f"use_limit_{letter}"):
            return getattr(constraint, f"min_{letter}"), getattr(constraint, f"max_{letter}")
    if getattr(pose_bone, f"use_ik_limit_{letter}"):
        return getattr(pose_bone, f"ik_min_{letter}"), getattr(pose_bone, f"ik_max_{letter}")
    return -pi, pi


def new_chain(rig, selected: list[str], change_rotation_mode: bool = False):
    """Makes a chain from the selected bones and returns it.

    Args:
        rig: The armature object.
        selected: Names of the selected bones.
        change_rotation_mode: Bones that rotate by quaternion may be given an Euler order; their keys are converted.

    Raises:
        NeedsEulerOrder: there are such bones, and no consent.
        RigError: the selection is no path, has no free axis, or is part of another chain.
    """
    names = find_path(rig, selected)
    bones = [rig.pose.bones[name] for name in names]
    for chain in rig.limber.chains:
        for joint in chain.joints:
            if joint.bone in names:
                raise RigError(f"Bone '{joint.bone}' already moves in chain '{chain.name}': select other bones, or remove that chain")
    turning = [bone for bone in bones if free_axes(bone)]
    if not turning:
        raise RigError(f"All rotation axes from '{names[0]}' to '{names[-1]}' are locked: unlock the axes that have a motor")
    quaternion = [bone.name for bone in turning if not is_euler(bone)]
    if quaternion and not change_rotation_mode:
        raise NeedsEulerOrder(quaternion)
    for name in quaternion:
        give_euler_order(rig, name)
    chain = rig.limber.chains.add()
    chain.uid = uuid4().hex
    chain.name = _free_name(rig, names[-1])
    chain.root, chain.end = names[0], names[-1]
    for bone in turning:
        for axis in free_axes(bone):
            _add_joint(rig, chain, bone, axis)
    scene = bpy.context.scene
    chain.frame_start, chain.frame_end = scene.frame_start, scene.frame_end
    rig.limber.active_chain = len(rig.limber.chains) - 1
    return chain


def _add_joint(rig, chain, bone, axis: str):
    servos = [joint.servo for other in rig.limber.chains for joint in other.joints]
    joint = chain.joints.add()
    joint.name = f"{bone.name} {axis}"
    joint.bone, joint.axis = bone.name, axis
    joint.lower, joint.upper = limits(bone, axis)
    joint.servo = max(servos, default=-1) + 1
    return joint


def match_joints(rig, chain) -> tuple[int, int]:
    """Adds joints for axes of the chain's bones that have become free and removes those of locked ones; the others keep their settings.

    Returns:
        How many were added, and how many removed.

    Raises:
        RigError: a bone is missing or has no Euler order.
    """
    names = path_names(rig.pose.bones, chain.root, chain.end)
    turning = [rig.pose.bones[name] for name in names if free_axes(rig.pose.bones[name])]
    quaternion = [bone.name for bone in turning if not is_euler(bone)]
    if quaternion:
        raise NeedsEulerOrder(quaternion)
    wanted = [(bone.name, axis) for bone in turning for axis in free_axes(bone)]
    gone = [index for index, joint in enumerate(chain.joints) if (joint.bone, joint.axis) not in wanted]
    for index in reversed(gone):
        chain.joints.remove(index)
    had = {(joint.bone, joint.axis) for joint in chain.joints}
    new = [place for place in wanted if place not in had]
    for name, axis in new:
        _add_joint(rig, chain, rig.pose.bones[name], axis)
    for position, place in enumerate(wanted):
        now = next(index for index, joint in enumerate(chain.joints) if (joint.bone, joint.axis) == place)
        chain.joints.move(now, position)
    return len(new), len(gone)


def remove_chain(rig, chain) -> None:
    """Takes a chain away; its postures stay as pose assets."""
    index = list(rig.limber.chains).index(chain)
    rig.limber.chains.remove(index)
    rig.limber.active_chain = max(0, min(rig.limber.active_chain, len(rig.limber.chains) - 1))


def _free_name(rig, wanted: str) -> str:
    names = {chain.name for chain in rig.limber.chains}
    if wanted not in names:
        return wanted
    return next(f"{wanted}.{k:03d}" for k in range(1, len(names) + 2) if f"{wanted}.{k:03d}" not in names)


def give_euler_order(rig, name: str, order: str = "XYZ") -> None:
    """The bone rotates by Euler angles from now on, in the pose it is in; its quaternion keys become Euler keys at the same frames."""
    bone = rig.pose.bones[name]
    was = bone.rotation_mode
    bone.rotation_mode = order
    if was == "QUATERNION":
        for action in _actions(rig):
            _convert_keys(actions.fcurves(action), name, order)


def _actions(rig) -> list[bpy.types.Action]:
    """The actions that play on a rig: its own and those of its NLA strips."""
    animation = rig.animation_data
    if not animation:
        return []
    found = [animation.action] if animation.action else []
    found += [strip.action for track in animation.nla_tracks for strip in track.strips if strip.action]
    return list(dict.fromkeys(found))


def _convert_keys(curves, bone: str, order: str) -> None:
    path = f'pose.bones["{escape_identifier(bone)}"].'
    turns = [actions.find(curves, path + "rotation_quaternion", part) for part in range(4)]
    if not any(turns):
        return
    frames = sorted({point.co.x for curve in turns if curve for point in curve.keyframe_points})
    rest, angles, before = (1.0, 0.0, 0.0, 0.0), [], None
    for frame in frames:
        turn = Quaternion([curve.evaluate(frame) if curve else rest[part] for part, curve in enumerate(turns)]).normalized()
        before = turn.to_euler(order, before) if before else turn.to_euler(order)
        angles.append(tuple(before))
    for index in range(3):
        actions.put_keys(curves, path + "rotation_euler", index, bone, frames, [angle[index] for angle in angles])
    for curve in turns:
        if curve:
            curves.remove(curve)
