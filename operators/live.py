import bpy

from ..rig import handlers, live
from ..rig.check import why_not_live
from .subject import chain_of, poll_chain, rig_of


class LIMBER_OT_live(bpy.types.Operator):
    """Follow the target: the armature shows the warped pose, and what is authored stays as it is"""

    bl_idname = "limber.live"
    bl_label = "Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if chain_of(context).live:
            cls.poll_message_set("The chain is live already: press End Live to leave")
            return False
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set("Leave Edit Mode first: Live starts in Object Mode or Pose Mode")
            return False
        why = why_not_live(context, rig_of(context), chain_of(context))
        if why:
            cls.poll_message_set(why)
        return not why

    def execute(self, context):
        live.start(rig_of(context), chain_of(context))
        handlers.wake_clock()
        problem = live.session(rig_of(context), chain_of(context)).problem
        if problem:
            self.report({"WARNING"}, problem)
        else:
            self.report({"INFO"}, f"Chain '{chain_of(context).name}' looks at '{chain_of(context).target.name}'")
        return {"FINISHED"}


class LIMBER_OT_end_live(bpy.types.Operator):
    """Stop following: the armature shows what is authored again"""

    bl_idname = "limber.end_live"
    bl_label = "End Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if not chain_of(context).live:
            cls.poll_message_set("The chain is not live: press Live to follow the target")
            return False
        return True

    def execute(self, context):
        live.stop(rig_of(context), chain_of(context))
        return {"FINISHED"}
