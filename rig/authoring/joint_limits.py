"""Limits of velocity, acceleration and jerk of a robot's joints from a file: set on joints of chains and
motors, and stored for chains made later.
"""

from collections.abc import Mapping
from dataclasses import replace

import bpy

from ...robots.joint_limits import JointRates
from ...robots.record import to_text
from ..blender.counting import named
from ..blender.errors import RigError
from ..bones import imported_robot
from ..bones.file_joints import FileJoint, file_joints, match
from .chains import apply_rates


def give(rig: bpy.types.Object, limits: Mapping[str, JointRates]) -> tuple[int, list[str]]:
    """Sets the limits of velocity, acceleration and jerk of a rig's joints, which are found by name. Position
    limits are not set; a warning says so.

    Returns:
        Number of joints that got limits, and sentences about what was left out.

    Raises:
        RigError: the rig has none of the joints, or the record of an imported robot was edited.
    """
    joints = file_joints(rig)
    matches = match([(name, -1) for name in limits], joints)
    if not matches:
        joint_names = named([joint.name for joint in joints]) or "none"
        raise RigError(
            f"The file limits {named(list(limits))}, and '{rig.name}' has no joint of such a name (it has"
            f" {joint_names})"
        )
    for name, joint in matches.items():
        _apply(rig, joint, limits[name])
    unknown = [name for name in limits if name not in matches]
    ranges = [name for name in matches if limits[name].has_range]
    warnings = [f"'{rig.name}' has no joint for {named(unknown)}: left out"] if unknown else []
    if ranges:
        warnings.append(
            f"The file's ranges of {named(ranges)} are not taken: set Min and Max in the Joints panel if they"
            " are narrower"
        )
    return len(matches), warnings


def _apply(rig: bpy.types.Object, joint: FileJoint, rates: JointRates) -> None:
    """Sets the limits of velocity, acceleration and jerk, as far as `rates` has them, of a joint or motor,
    and stores them in the record of an imported robot's bone.
    """
    uid, bone, axis = joint.key
    if joint.motor >= 0:
        apply_rates(rig.limber.mechanism.motors[joint.motor], rates)
    for chain in rig.limber.chains:
        for chain_joint in chain.joints:
            if chain.uid == uid and (chain_joint.bone, chain_joint.axis) == (bone, axis):
                apply_rates(chain_joint, rates)
    record = (
        imported_robot.motor(rig.pose.bones[bone], axis)
        if rig.type == "ARMATURE" and bone in rig.pose.bones
        else None
    )
    if record is not None:  # new chains take their joints' limits from the record
        changes = {
            word: value
            for word in ("velocity", "acceleration", "jerk")
            if (value := getattr(rates, word)) is not None
        }
        branch = replace(record.branch, joint=replace(record.branch.joint, **changes))
        rig.data.bones[bone][imported_robot.KEY] = to_text(branch, record.axis, record.sign)
