"""Trying a robot out, one joint or servo at a time: wiggle, jog, test."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ..hardware.safety import State
from ..rig import robot, robot_device
from .robot import poll_state
from .subject import rig_of

WHEN_TRIED = {*robot.QUIET, State.CONFIRM_POSE}


def _joint_index(operator, link, name: str) -> int | None:
    for index, joint in enumerate(link.device.joints):
        if joint.name == name:
            return index
    named = ", ".join(joint.name for joint in link.device.joints)
    operator.report({"ERROR"}, f"'{name}' is no joint of the robot that is connected; it has {named}")
    return None


class LIMBER_OT_wiggle(bpy.types.Operator):
    """Turn one servo a little and back, to see which it is"""

    bl_idname = "limber.wiggle"
    bl_label = "Wiggle"

    servo: IntProperty(name="Servo", description="Number of the servo", min=0, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_state(cls, context, WHEN_TRIED)

    def execute(self, context):
        link = robot.link(rig_of(context))
        channel = robot_device.channel_of_servo(link.device, self.servo)
        if channel is None:
            known = ", ".join(str(each.servo) for each in link.device.channels)
            self.report({"ERROR"}, f"Servo {self.servo} is not on the robot that is connected; it has {known}: connect anew")
            return {"CANCELLED"}
        link.wiggle(channel)
        return {"FINISHED"}


class LIMBER_OT_jog(bpy.types.Operator):
    """Move one joint a little, slowly; the others stay as they are"""

    bl_idname = "limber.jog"
    bl_label = "Jog"

    joint: StringProperty(name="Joint", description="Name of the joint", options={"SKIP_SAVE"})
    amount: FloatProperty(
        name="Degrees",
        description="How far, in degrees; slides in millimetres",
        default=1.0,
        options={"SKIP_SAVE"},
        soft_min=-10,
        soft_max=10,
    )
    free: BoolProperty(
        name="Beyond Its Limits", description="Within the servo's range alone: while zero and limits are not known yet", default=True
    )

    @classmethod
    def poll(cls, context):
        return poll_state(cls, context, WHEN_TRIED)

    def execute(self, context):
        link = robot.link(rig_of(context))
        index = _joint_index(self, link, self.joint)
        if index is None:
            return {"CANCELLED"}
        link.jog(index, robot_device.amount(link.device.joints[index], self.amount), self.free)
        return {"FINISHED"}


class LIMBER_OT_test_joint(bpy.types.Operator):
    """Move one joint slowly from end to end of its range and back; the others stay as they are"""

    bl_idname = "limber.test_joint"
    bl_label = "Test Joint"

    joint: StringProperty(name="Joint", description="Name of the joint", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_state(cls, context, WHEN_TRIED)

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=f"Test {self.joint}",
            message="It moves slowly from end to end of its range. Is the way free?",
            confirm_text="Test",
        )

    def execute(self, context):
        link = robot.link(rig_of(context))
        index = _joint_index(self, link, self.joint)
        if index is None:
            return {"CANCELLED"}
        link.test(index)
        return {"FINISHED"}
