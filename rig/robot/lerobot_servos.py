"""The servo of a rig's robot that corresponds to a motor of LeRobot, and the joint or value that it
belongs to.
"""

from dataclasses import dataclass

import bpy

from ...robots.lerobot_zeros import Zero
from ..bones import axes, imported_robot
from ..bones.file_joints import FileJoint
from ..properties.servo import ServoSettings
from . import device as robot_device


@dataclass(frozen=True)
class LerobotServo:
    """The joint, additional servo or value with the servo of a LeRobot motor.

    Attributes:
        settings: The joint, additional servo or value.
        name: Name for messages.
        sign: -1 if the bone's channel is the negative of the model's joint, else 1.
        limits: Limits of the bone's channel [rad; prismatic joints m], or of the value.
    """

    settings: ServoSettings
    name: str
    sign: int
    limits: tuple[float, float]


def servo_at(rig: bpy.types.Object, joint: FileJoint) -> LerobotServo | None:
    """The joint itself if it has a servo, else the joint or value that its bone's axis has, which may have no
    servo; None if there is none.
    """
    uid, bone, axis = joint.key
    for settings, rig_joint in robot_device.joints(rig):
        if (settings.uid, rig_joint.bone, rig_joint.axis) == (uid, bone, axis) and rig_joint.servo >= 0:
            return LerobotServo(
                rig_joint, rig_joint.label, int(joint.sign), (rig_joint.lower, rig_joint.upper)
            )
    is_bone = rig.type == "ARMATURE" and bone in rig.pose.bones
    return _on_bone(rig, bone, axis, int(joint.sign), (joint.lower, joint.upper)) if is_bone else None


def servo_of(rig: bpy.types.Object, name: str, number: int, zero: Zero | None) -> LerobotServo | None:
    """Servo of a LeRobot motor: that of the model's joint (`zero.of`, else the one with this name), of the
    bone or of the value with this name, else the servo with this number; None if there is none.

    Args:
        rig: The armature object, or the object with the mechanism.
        name: Name of the motor in LeRobot.
        number: Number of the servo in LeRobot's file; below 0: not known.
        zero: The motor's zero in the known robot model; None if there is none.

    Raises:
        RigError: the record of an imported robot's link was edited.
    """
    joint_name = zero.of if zero is not None and zero.of else name
    for bone, record in imported_robot.records(rig) if imported_robot.is_robot(rig) else ():
        if record.axis and record.branch.joint.name == joint_name:
            servo = _on_bone(rig, bone, imported_robot.axis_of(record), record.sign, record.span)
            if servo is not None:
                return servo
    # LeRobot names its motors in lower case, while bones are often capitalised
    for _, joint in robot_device.joints(rig):
        if joint.bone.lower() == name.lower():
            return LerobotServo(joint, joint.label, 1, (joint.lower, joint.upper))
    for value in rig.limber.device.auxiliaries:
        if value.name.lower() == name.lower():
            return LerobotServo(value, value.name, 1, (value.low, value.high))
    settings = robot_device.settings_of(rig, number) if number >= 0 else None
    if settings is None:
        return None
    return LerobotServo(settings, settings.label, 1, settings.limits or (0.0, 0.0))


def _on_bone(
    rig: bpy.types.Object, bone: str, axis: str, sign: int, span: tuple[float, float]
) -> LerobotServo | None:
    """The joint of a chain or motor of the mechanism on a bone's axis, or the value that follows its channel,
    with the file's `sign` and limits `span` [rad or m]; None if there is neither.
    """
    for _, joint in robot_device.joints(rig):
        if joint.key == (bone, axis):
            return LerobotServo(joint, joint.label, sign, span)
    path = f"{rig.pose.bones[bone].path_from_id(axes.channel(axis))}[{axes.index(axis)}]"
    values = (value for value in rig.limber.device.auxiliaries if value.owner == rig and value.path == path)
    return next((LerobotServo(value, value.name, sign, span) for value in values), None)
