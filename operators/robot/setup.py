"""Operators that try joints and servos one at a time: wiggle, identify, jog, test, release."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ...rig.robot import device, links
from ..subject import rig_of
from .polls import in_state


def _joint_index(operator, link, name: str) -> int | None:
    for index, joint in enumerate(link.device.joints):
        if joint.name == name:
            return index
    named = ", ".join(joint.name for joint in link.device.joints)
    operator.report({"ERROR"}, f"'{name}' is no joint of the robot that is connected; it has {named}")
    return None


class LIMBER_OT_wiggle(bpy.types.Operator):
    """Move one servo a little and back, to identify it"""

    bl_idname = "limber.wiggle"
    bl_label = "Wiggle"

    servo: IntProperty(name="Servo", description="Number of the servo", min=0, options={"SKIP_SAVE"})

    poll = in_state(links.QUIET)

    def execute(self, context):
        link = links.link(rig_of(context))
        channel = device.channel_of_servo(link.device, self.servo)
        if channel is None:
            known = ", ".join(str(each.servo) for each in link.device.channels)
            self.report({"ERROR"}, f"Servo {self.servo} is not on the robot that is connected; it has {known}: press Reconnect")
            return {"CANCELLED"}
        link.wiggle(channel)
        return {"FINISHED"}


class LIMBER_OT_which_joint(bpy.types.Operator):
    """Move this servo a little and back, then choose the joint that moved. That joint gets this servo, in exchange for its own"""

    bl_idname = "limber.which_joint"
    bl_label = "Which Joint Moves?"
    bl_options = {"REGISTER", "UNDO"}

    servo: IntProperty(name="Servo", description="Number of the servo that moves", min=0, options={"SKIP_SAVE"})
    joint: StringProperty(name="Joint", description="Name of the joint that moves", options={"SKIP_SAVE"})

    poll = in_state(links.QUIET)

    def invoke(self, context, event):
        if self.joint:
            return self.execute(context)
        bpy.ops.limber.wiggle(servo=self.servo)
        servo, names = self.servo, [device.label(joint) for _, joint in device.joints(rig_of(context))]

        def draw(menu, _context):
            for name in names:
                button = menu.layout.operator("limber.which_joint", text=name)
                button.servo, button.joint = servo, name
            menu.layout.separator()
            again = menu.layout.operator("limber.which_joint", text="Once More", icon="FORCE_HARMONIC")
            again.servo = servo

        context.window_manager.popup_menu(draw, title=f"Servo {servo} moves. Which joint is it?", icon="QUESTION")
        return {"INTERFACE"}

    def execute(self, context):
        rig = rig_of(context)
        joint = next((joint for _, joint in device.joints(rig) if device.label(joint) == self.joint), None)
        if joint is None:
            self.report({"ERROR"}, f"'{self.joint}' is no joint of this armature: choose the one that moves")
            return {"CANCELLED"}
        self.report({"INFO"}, device.give_servo(rig, joint, self.servo))
        return {"FINISHED"}


class LIMBER_OT_let_go(bpy.types.Operator):
    """Turn torque off, so that joints can be moved by hand; the armature does not follow. Hold parts that would fall"""

    bl_idname = "limber.let_go"
    bl_label = "Release"

    joint: StringProperty(name="Joint", description="Name of the joint whose servos go limp; empty: all do", options={"SKIP_SAVE"})

    poll = in_state(links.QUIET)

    def invoke(self, context, event):
        who = f"The servos of {self.joint} go" if self.joint else "All servos go"
        return context.window_manager.invoke_confirm(
            self, event, title="Release", message=f"{who} limp: hold what would fall", confirm_text="Release"
        )

    def execute(self, context):
        link = links.link(rig_of(context))
        if not self.joint:
            link.release()
            return {"FINISHED"}
        if _joint_index(self, link, self.joint) is None:
            return {"CANCELLED"}
        channels = link.device.channels
        link.release(index for index, channel in enumerate(channels) if any(share.joint == self.joint for share in channel.shares))
        return {"FINISHED"}


class LIMBER_OT_jog(bpy.types.Operator):
    """Move one joint slowly by a small amount. The other joints do not move"""

    bl_idname = "limber.jog"
    bl_label = "Jog"

    joint: StringProperty(name="Joint", description="Name of the joint", options={"SKIP_SAVE"})
    amount: FloatProperty(
        name="Degrees",
        description="Amount in degrees; millimetres for prismatic joints",
        default=1.0,
        options={"SKIP_SAVE"},
        soft_min=-10,
        soft_max=10,
    )
    free: BoolProperty(
        name="Ignore Joint Limits", description="Keep within the servo's range only, while zero and limits are not known yet", default=True
    )

    poll = in_state(links.QUIET)

    def execute(self, context):
        link = links.link(rig_of(context))
        index = _joint_index(self, link, self.joint)
        if index is None:
            return {"CANCELLED"}
        link.jog(index, device.amount(link.device.joints[index], self.amount), self.free)
        return {"FINISHED"}


class LIMBER_OT_test_joint(bpy.types.Operator):
    """Move one joint slowly from end to end of its range and back. The other joints do not move"""

    bl_idname = "limber.test_joint"
    bl_label = "Test Joint"

    joint: StringProperty(name="Joint", description="Name of the joint", options={"SKIP_SAVE"})

    poll = in_state(links.QUIET)

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=f"Test {self.joint}",
            message="It moves slowly from end to end of its range. Is its path clear?",
            confirm_text="Test",
        )

    def execute(self, context):
        link = links.link(rig_of(context))
        index = _joint_index(self, link, self.joint)
        if index is None:
            return {"CANCELLED"}
        link.test(index)
        return {"FINISHED"}
