"""Operators of Puppeteer: turn torque off, record how the robot is moved by hand, insert keyframes."""

import bpy

from ...hardware.safety import State
from ...rig.blender.counting import counted
from ...rig.events import handlers
from ...rig.robot import links, puppeteer, sending
from ..operator import Operator, UndoOperator
from ..subject import rig_of
from .needs import needs_state


def _needs_leads(context) -> str:
    if why := needs_state(context, {State.LIMP}):
        return why
    return (
        ""
        if puppeteer.leads(rig_of(context))
        else "The armature or mechanism does not follow the robot: press Move by Hand"
    )


# its undo step restores the pose before the robot was moved by hand
class LIMBER_OT_puppeteer(UndoOperator):
    """Turn torque off, so that the robot can be moved by hand and the armature or mechanism follows it. Hold
    parts that would fall
    """

    bl_label = "Move by Hand"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_state(context, links.QUIET) or puppeteer.why_not(rig_of(context))

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(
            self,
            event,
            title="Move by Hand",
            message="The servos go limp: hold what would fall",
            confirm_text="Release",
        )

    def run(self, context):
        puppeteer.start(rig_of(context))
        handlers.wake_heartbeat()


class LIMBER_OT_end_puppeteer(UndoOperator):
    """Stop following the robot, keep the pose, and disarm the robot"""

    bl_label = "Keep Pose"

    why_not = _needs_leads

    def run(self, context):
        rig = rig_of(context)
        puppeteer.leave(rig)
        sending.disarm(rig)


class LIMBER_OT_record(Operator):
    """Record how you move the robot by hand, while the scene plays"""

    bl_label = "Record"

    why_not = _needs_leads

    def run(self, context):
        puppeteer.record(rig_of(context))
        if not context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()


class LIMBER_OT_end_record(UndoOperator):
    """End the recording and insert a keyframe for each frame"""

    bl_label = "End Recording"

    @classmethod
    def why_not(cls, context) -> str:
        return _needs_leads(context) or (
            "" if puppeteer.is_recording(rig_of(context)) else "Nothing is being recorded: press Record"
        )

    def run(self, context):
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        count = puppeteer.finish(rig_of(context))
        self.report({"INFO"}, f"Keyed {counted(count, 'frame')}")


class LIMBER_OT_key_pose(UndoOperator):
    """Insert keyframes at this frame for all that the robot's servos move: joints, motors and values"""

    bl_label = "Key Pose"

    why_not = _needs_leads

    def run(self, context):
        puppeteer.key_now(rig_of(context), context.scene.frame_current)
