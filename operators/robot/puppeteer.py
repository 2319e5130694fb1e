"""Operators of Puppeteer: release the robot, record the motion by hand, insert keyframes."""

import bpy

from ...hardware.safety import State
from ...rig.blender.counting import counted
from ...rig.events import handlers
from ...rig.robot import links, puppeteer
from ..errors import reports_errors
from ..subject import rig_of
from .polls import poll_state


def _poll_leads(cls, context) -> bool:
    if not poll_state(cls, context, {State.LIMP}):
        return False
    if not puppeteer.leads(rig_of(context)):
        cls.poll_message_set("The armature does not follow the robot: press Move by Hand")
        return False
    return True


class LIMBER_OT_puppeteer(bpy.types.Operator):
    """Turn torque off, so that the robot can be moved by hand and the armature follows it. Hold parts that would fall"""

    bl_idname = "limber.puppeteer"
    bl_label = "Move by Hand"
    bl_options = {"REGISTER", "UNDO"}  # so that undo restores the pose before the hand moved it

    @classmethod
    def poll(cls, context):
        if not poll_state(cls, context, links.QUIET):
            return False
        reason = puppeteer.why_not(rig_of(context))
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(
            self, event, title="Move by Hand", message="The servos go limp: hold what would fall", confirm_text="Release"
        )

    @reports_errors
    def execute(self, context):
        puppeteer.start(rig_of(context))
        handlers.wake_heartbeat()
        return {"FINISHED"}


class LIMBER_OT_end_puppeteer(bpy.types.Operator):
    """Stop following the robot and keep the armature's pose"""

    bl_idname = "limber.end_puppeteer"
    bl_label = "Keep Pose"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(_poll_leads)

    def execute(self, context):
        rig = rig_of(context)
        puppeteer.leave(rig)
        links.link(rig).disarm()
        return {"FINISHED"}


class LIMBER_OT_record(bpy.types.Operator):
    """Record the motion by hand while the scene plays"""

    bl_idname = "limber.record"
    bl_label = "Record"

    poll = classmethod(_poll_leads)

    def execute(self, context):
        puppeteer.record(rig_of(context))
        if not context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()
        return {"FINISHED"}


class LIMBER_OT_end_record(bpy.types.Operator):
    """End the recording and insert a keyframe for each frame"""

    bl_idname = "limber.end_record"
    bl_label = "End Recording"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not _poll_leads(cls, context):
            return False
        if not puppeteer.is_recording(rig_of(context)):
            cls.poll_message_set("Nothing is being recorded: press Record")
            return False
        return True

    @reports_errors
    def execute(self, context):
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        count = puppeteer.finish(rig_of(context))
        self.report({"INFO"}, f"Keyed {counted(count, 'frame')}")
        return {"FINISHED"}


class LIMBER_OT_key_pose(bpy.types.Operator):
    """Insert keyframes for the robot's joints at this frame"""

    bl_idname = "limber.key_pose"
    bl_label = "Key Pose"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(_poll_leads)

    def execute(self, context):
        puppeteer.key_now(rig_of(context), context.scene.frame_current)
        return {"FINISHED"}
