"""Operators that try joints and servos one at a time: wiggle, identify, jog, test, release."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ...rig.blender.errors import RigError
from ...rig.robot import device, links
from ..operator import Operator, UndoOperator
from ..subject import rig_of
from .needs import in_state


def _joint_index(link, name: str) -> int:
    """Index of a joint of the connected robot.

    Raises:
        RigError: it has no such joint.
    """
    names = [joint.name for joint in link.device.joints]
    if name not in names:
        raise RigError(f"'{name}' is no joint of the robot that is connected; it has {', '.join(names)}")
    return names.index(name)


class LIMBER_OT_wiggle(Operator):
    """Move one servo a little and back, to identify it"""

    bl_label = "Wiggle"

    servo: IntProperty(
        name="Servo", description="Number of the servo to move, its ID on a bus", min=0, options={"SKIP_SAVE"}
    )

    why_not = in_state(links.QUIET)

    def run(self, context):
        link = links.link(rig_of(context))
        channel = device.channel_of_servo(link.device, self.servo)
        if channel is None:
            known = ", ".join(str(each.servo) for each in link.device.channels)
            raise RigError(
                f"Servo {self.servo} is not on the robot that is connected; it has {known}: press Reconnect"
            )
        link.wiggle(channel)


class LIMBER_OT_which_joint(UndoOperator):
    """Move this servo a little and back, then choose the joint that moved. That joint gets this servo, in
    exchange for its previous servo
    """

    bl_label = "Which Joint Moves?"

    servo: IntProperty(
        name="Servo", description="Number of the servo that moves", min=0, options={"SKIP_SAVE"}
    )
    joint: StringProperty(name="Joint", description="Name of the joint that moves", options={"SKIP_SAVE"})

    why_not = in_state(links.QUIET)

    def invoke(self, context, event):
        if self.joint:
            return self.execute(context)
        bpy.ops.limber.wiggle(servo=self.servo)
        names = [joint.label for _, joint in device.joints(rig_of(context))]
        choices = [(name, {"servo": self.servo, "joint": name}) for name in names]
        again = ("Once More", {"servo": self.servo})
        return self.offer(
            context, f"Servo {self.servo} moves. Which joint is it?", [*choices, again], "QUESTION"
        )

    def run(self, context):
        rig = rig_of(context)
        joint = next((joint for _, joint in device.joints(rig) if joint.label == self.joint), None)
        if joint is None:
            raise RigError(f"'{self.joint}' is no joint of this robot: choose the one that moves")
        self.report({"INFO"}, device.give_servo(rig, joint, self.servo))


class LIMBER_OT_let_go(Operator):
    """Turn torque off, so that joints can be moved by hand; the pose in Blender does not follow. Hold parts
    that would fall
    """

    bl_label = "Release"

    joint: StringProperty(
        name="Joint",
        description="Name of the joint whose servos go limp. Empty: all servos go limp",
        options={"SKIP_SAVE"},
    )

    why_not = in_state(links.QUIET)

    def invoke(self, context, event):
        who = f"The servos of {self.joint} go" if self.joint else "All servos go"
        return context.window_manager.invoke_confirm(
            self, event, title="Release", message=f"{who} limp: hold what would fall", confirm_text="Release"
        )

    def run(self, context):
        link = links.link(rig_of(context))
        if not self.joint:
            link.release()
            return
        _joint_index(link, self.joint)  # for its error: a joint that does not exist
        channels = link.device.channels
        link.release(
            index
            for index, channel in enumerate(channels)
            if any(share.joint == self.joint for share in channel.shares)
        )


class LIMBER_OT_jog(Operator):
    """Move one joint slowly by a small amount. It then holds its position until Disarm. The other joints do
    not move
    """

    bl_label = "Jog"

    joint: StringProperty(name="Joint", description="Joint to move", options={"SKIP_SAVE"})
    amount: FloatProperty(
        name="Degrees",
        description=(
            "Amount by which the joint moves from where it is, in degrees; in millimetres for prismatic"
            " joints, in 180ths of the range for values. Negative: in the opposite direction"
        ),
        default=1.0,
        options={"SKIP_SAVE"},
        soft_min=-10,
        soft_max=10,
    )
    free: BoolProperty(
        name="Ignore Joint Limits",
        description=(
            "Ignore the joint's limits, while zero and limits are not known yet. The servo's range still"
            " holds"
        ),
        default=True,
    )

    why_not = in_state(links.QUIET)

    def run(self, context):
        link = links.link(rig_of(context))
        index = _joint_index(link, self.joint)
        link.jog(index, device.amount(link.device.joints[index], self.amount), self.free)


class LIMBER_OT_test_joint(Operator):
    """Move one joint slowly from end to end of its range and back. The other joints do not move"""

    bl_label = "Test Joint"

    joint: StringProperty(name="Joint", description="Joint to move", options={"SKIP_SAVE"})

    why_not = in_state(links.QUIET)

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=f"Test {self.joint}",
            message="It moves slowly from end to end of its range. Is its path clear?",
            confirm_text="Test",
        )

    def run(self, context):
        link = links.link(rig_of(context))
        link.test(_joint_index(link, self.joint))
