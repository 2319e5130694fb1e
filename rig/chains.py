"""Making chains: the path from the selection, a joint for each free axis, limits from what the rig already says."""

from math import pi
from uuid import uuid4

import bpy

from . import urdf_robot
from .errors import RigError
from .paths import bone_names, end_bones, missing, path_names
from .rotation_mode import give_euler_order
from .skeleton import is_euler, parent_first

SOLVER = "expressive"  # of new chains
NO_RANGE = 1e-6  # [rad] a constraint's limits nearer to each other than this lock the axis


class EulerOrderError(RigError):
    """Bones on the path rotate by quaternion or axis and angle; `bones` names them."""

    def __init__(self, bones: list[str]) -> None:
        self.bones = bones
        named = ", ".join(f"'{bone}'" for bone in bones)
        super().__init__(
            f"Joints need an Euler order, and these bones rotate by quaternion or axis and angle: {named}."
            " Agree to Change Rotation Mode; their keys are converted"
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
            raise RigError(
                f"Bones '{bone.name}' and '{end.name}' are on different branches: select bones on one path from root to end;"
                " a chain gets its other ends by Add End"
            )
    if len(bones) > 1:
        return path_names(rig.pose.bones, bones[0].name, end.name)
    taken = {joint.bone for chain in rig.limber.chains for joint in chain.joints}
    above = []
    for bone in line:
        if bone.name in taken and bone is not end:
            break
        above.append(bone.name)
    return above[::-1]


def free_axes(pose_bone, order: str = "XYZ") -> str:
    """The axes about which the user may turn a bone, nearest the parent first; `order` for bones that have no Euler order yet."""
    axes = parent_first(pose_bone.rotation_mode if is_euler(pose_bone) else order)
    return "".join(axis for axis in axes if not pose_bone.lock_rotation["XYZ".index(axis)] and not _is_held(pose_bone, axis))


def constraint_range(pose_bone, axis: str) -> tuple[float, float] | None:
    """Smallest and largest angle [rad] that a Limit Rotation of the bone allows; None where there is none that counts for the joint."""
    letter = axis.lower()
    for constraint in pose_bone.constraints:
        counts = constraint.type == "LIMIT_ROTATION" and not constraint.mute and not why_no_limits(pose_bone, constraint)
        if counts and getattr(constraint, f"use_limit_{letter}"):
            return getattr(constraint, f"min_{letter}"), getattr(constraint, f"max_{letter}")
    return None


def why_no_limits(pose_bone, constraint) -> str:
    """Why a Limit Rotation says nothing of the joint's angles, as a sentence's middle; "" where its limits are the joint's."""
    if constraint.owner_space != "LOCAL":
        return f"limits in {constraint.owner_space.replace('_', ' ').title()} Space: set its Owner to Local Space"
    if constraint.influence < 1:
        return "does not have its full influence: set it to 1"
    if constraint.euler_order not in {"AUTO", pose_bone.rotation_mode} and is_euler(pose_bone):
        return f"limits in Euler order {constraint.euler_order}, not the bone's {pose_bone.rotation_mode}: set its Euler Order to Default"
    return ""


def _is_held(pose_bone, axis: str) -> bool:
    span = constraint_range(pose_bone, axis)
    return span is not None and abs(span[1] - span[0]) < NO_RANGE


def limits(pose_bone, axis: str) -> tuple[float, float]:
    """Smallest and largest angle [rad]: of a Limit Rotation constraint, else of an imported robot's joint, else of the bone's IK limits,
    else a half turn either way."""
    letter = axis.lower()
    motor = urdf_robot.motor(pose_bone, axis)
    if motor is not None:
        otherwise = motor.span
    elif getattr(pose_bone, f"use_ik_limit_{letter}"):
        otherwise = getattr(pose_bone, f"ik_min_{letter}"), getattr(pose_bone, f"ik_max_{letter}")
    else:
        otherwise = -pi, pi
    return constraint_range(pose_bone, axis) or otherwise


def new_chain(rig, selected: list[str], change_rotation_mode: bool = False, order: str = "XYZ"):
    """Makes a chain from the selected bones and returns it. Where it raises, nothing has changed.

    Args:
        rig: The armature object.
        selected: Names of the selected bones.
        change_rotation_mode: Bones that rotate by quaternion may be given an Euler order; their keys are converted.
        order: Which order that is.

    Raises:
        EulerOrderError: there are such bones, and no consent.
        RigError: the selection is no path, has no free axis, or is part of another chain.
    """
    names = find_path(rig, selected)
    bones = [rig.pose.bones[name] for name in names]
    _refuse_shared(rig, names)
    turning = [bone for bone in bones if free_axes(bone)]
    if not turning:
        raise RigError(f"All rotation axes from '{names[0]}' to '{names[-1]}' are locked: unlock the axes that have a motor")
    quaternion = quaternion_bones(rig, names)
    if quaternion and not change_rotation_mode:
        raise EulerOrderError(quaternion)
    give_euler_order(rig, quaternion, order)
    chain = rig.limber.chains.add()
    chain.uid, chain.solver = uuid4().hex, SOLVER
    chain.name = names[-1]
    chain.root, chain.end = names[0], names[-1]
    for bone in turning:
        for axis in free_axes(bone):
            _add_joint(rig, chain, bone, axis)
    scene = bpy.context.scene
    chain.frame_start, chain.frame_end = scene.frame_start, scene.frame_end
    rig.limber.active_chain = len(rig.limber.chains) - 1
    return chain


def _refuse_shared(rig, names: list[str], but: str = "") -> None:
    """Chains share no joint, except for that of identity `but`."""
    for chain in rig.limber.chains:
        for joint in chain.joints:
            if joint.bone in names and chain.uid != but:
                raise RigError(
                    f"Bone '{joint.bone}' already moves in chain '{chain.name}': to solve '{names[-1]}' together with it, select that chain"
                    f" and press Add End; else select other bones, or remove that chain"
                )


def add_end(rig, chain, bone: str, change_rotation_mode: bool = False, order: str = "XYZ"):
    """Makes a bone a further end of a chain, with joints for the bones that lead there. Where it raises, nothing has changed.

    Args:
        rig: The armature object.
        chain: The chain.
        bone: Name of the bone: it hangs on the chain's root.
        change_rotation_mode, order: As for `new_chain`.

    Raises:
        EulerOrderError: bones on the way have no Euler order, and no consent.
        RigError: the bone is an end already, does not hang on the root, moves in another chain, or nothing moves it.
    """
    names = new_bones(rig, chain, bone)
    turning = [rig.pose.bones[name] for name in names if free_axes(rig.pose.bones[name])]
    moved = {joint.bone for joint in chain.joints}
    if not turning and not moved.intersection(path_names(rig.pose.bones, chain.root, bone)):
        raise RigError(f"All rotation axes from '{chain.root}' to '{bone}' are locked: unlock the axes that have a motor")
    quaternion = quaternion_bones(rig, names)
    if quaternion and not change_rotation_mode:
        raise EulerOrderError(quaternion)
    give_euler_order(rig, quaternion, order)
    end = chain.ends.add()
    end.name = end.bone = bone
    chain.active_end = len(chain.ends) - 1
    for turned in turning:
        for axis in free_axes(turned):
            _add_joint(rig, chain, turned, axis)
    return end


def new_bones(rig, chain, bone: str) -> list[str]:
    """Names of the bones that a further end would add to a chain; raises as `add_end` does for a bone that can be none."""
    if bone not in rig.pose.bones:
        raise RigError(missing(bone) if bone else "No bone is selected: select the bone that is to be another end, in Pose Mode")
    if bone in end_bones(chain):
        raise RigError(f"Bone '{bone}' is an end of chain '{chain.name}' already: select another bone")
    had = bone_names(rig.pose.bones, chain)
    names = [name for name in path_names(rig.pose.bones, chain.root, bone) if name not in had]
    _refuse_shared(rig, names, but=chain.uid)
    return names


def remove_end(rig, chain, index: int) -> None:
    """Takes a further end away, and the joints that led there alone.

    Raises:
        RigError: the chain is another file's.
    """
    _refuse_linked(rig, chain)
    chain.ends.remove(index)
    chain.active_end = max(0, min(chain.active_end, len(chain.ends) - 1))
    try:
        kept = set(bone_names(rig.pose.bones, chain))
    except RigError:  # the chain is broken already: Check says how
        return
    for place in reversed([k for k, joint in enumerate(chain.joints) if joint.bone not in kept]):
        chain.joints.remove(place)


def quaternion_bones(rig, names: list[str]) -> list[str]:
    """Those of the bones that may turn and rotate by quaternion or axis and angle: joints need an Euler order."""
    return [name for name in names if not is_euler(rig.pose.bones[name]) and free_axes(rig.pose.bones[name])]


def without_euler_order(rig, chain) -> list[str]:
    """`quaternion_bones` of a chain.

    Raises:
        RigError: a bone is missing.
    """
    return quaternion_bones(rig, bone_names(rig.pose.bones, chain))


def _add_joint(rig, chain, bone, axis: str):
    servos = [joint.servo for other in rig.limber.chains for joint in other.joints]
    joint = chain.joints.add()
    joint.name = f"{bone.name} {axis}"
    joint.bone, joint.axis = bone.name, axis
    joint.lower, joint.upper = limits(bone, axis)
    motor = urdf_robot.motor(bone, axis)
    if motor is not None and motor.branch.joint.velocity:
        joint.velocity = motor.branch.joint.velocity
    joint.servo = max(servos, default=-1) + 1
    return joint


def match_joints(rig, chain) -> tuple[int, int]:
    """Adds joints for axes of the chain's bones that have become free and removes those of locked ones; the others keep their settings.

    Returns:
        How many were added, and how many removed.

    Raises:
        RigError: a bone is missing or has no Euler order, all axes are locked, or the chain is another file's.
    """
    names = bone_names(rig.pose.bones, chain)
    turning = [rig.pose.bones[name] for name in names if free_axes(rig.pose.bones[name])]
    quaternion = without_euler_order(rig, chain)
    if quaternion:
        raise EulerOrderError(quaternion)
    if not turning:
        raise RigError(f"All rotation axes from '{names[0]}' to '{names[-1]}' are locked: unlock the axes that have a motor")
    _refuse_linked(rig, chain)
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
    """Takes a chain away; its postures stay as pose assets.

    Raises:
        RigError: the chain is another file's, and this one's override cannot take it away.
    """
    _refuse_linked(rig, chain)
    index = list(rig.limber.chains).index(chain)
    rig.limber.chains.remove(index)
    rig.limber.active_chain = max(0, min(rig.limber.active_chain, len(rig.limber.chains) - 1))


def _refuse_linked(rig, chain) -> None:
    """An override can add chains and change them, but not take away what its library has."""
    if rig.override_library and any(linked.uid == chain.uid for linked in rig.override_library.reference.limber.chains):
        raise RigError(f"Chain '{chain.name}' comes from the file that '{rig.name}' is linked from: change its joints there")
