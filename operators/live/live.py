"""Operators that start and end live motion of chains."""

import bpy

from ...rig.authoring.check import check, why_not_live
from ...rig.blender.errors import capitalised
from ...rig.events import handlers
from ...rig.live import live
from ...rig.reading import goal
from ..subject import chain_of, poll_chain, rig_of


class LIMBER_OT_live(bpy.types.Operator):
    """Start following the target. The armature shows the solved pose; the authored pose and keyframes are not changed"""

    bl_idname = "limber.live"
    bl_label = "Start Live"
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
        rig, chain = rig_of(context), chain_of(context)
        findings = check(context, rig, chain)
        live.start(rig, chain)
        handlers.wake_clock()
        session = live.session(rig, chain)
        if session.problem:
            self.report({"WARNING"}, session.problem)
            return {"FINISHED"}
        self.report({"INFO"}, f"Chain '{chain.name}' {goal.DOES[chain.goal]} '{goal.followed(chain).name}'")
        if session.outputs and session.outputs.solution.remark:
            self.report({"WARNING"}, capitalised(session.outputs.solution.remark))
        if findings:
            more = f" Press Check: it has {len(findings) - 1} more to say" if len(findings) > 1 else ""
            self.report({"WARNING"}, f"{findings[0].sentence}.{more}")
        return {"FINISHED"}


class LIMBER_OT_live_all(bpy.types.Operator):
    """Start following the targets with all chains of the armature"""

    bl_idname = "limber.live_all"
    bl_label = "Start All Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if all(chain.live for chain in rig_of(context).limber.chains):
            cls.poll_message_set("All chains are live already: press End All to leave")
            return False
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set("Leave Edit Mode first: Live starts in Object Mode or Pose Mode")
            return False
        return True

    def execute(self, context):
        rig = rig_of(context)
        begun = []
        for chain in rig.limber.chains:
            if chain.live:
                continue
            why = why_not_live(context, rig, chain)
            if why:
                self.report({"WARNING"}, why)
                continue
            live.start(rig, chain)
            begun.append(chain)
        handlers.wake_clock()
        for chain in begun:
            if problem := live.session(rig, chain).problem:
                self.report({"WARNING"}, problem)
        self.report({"INFO"}, f"Chains live: {sum(chain.live for chain in rig.limber.chains)} of {len(rig.limber.chains)}")
        return {"FINISHED"} if begun else {"CANCELLED"}


class LIMBER_OT_end_live_all(bpy.types.Operator):
    """Stop following with all chains and show the authored pose"""

    bl_idname = "limber.end_live_all"
    bl_label = "End All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if not any(chain.live for chain in rig_of(context).limber.chains):
            cls.poll_message_set("No chain is live: press Start Live to follow the target")
            return False
        return True

    def execute(self, context):
        rig = rig_of(context)
        for chain in rig.limber.chains:
            if chain.live:
                live.stop(rig, chain)
        return {"FINISHED"}


class LIMBER_OT_end_live(bpy.types.Operator):
    """Stop following and show the authored pose"""

    bl_idname = "limber.end_live"
    bl_label = "End Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if not chain_of(context).live:
            cls.poll_message_set("The chain is not live: press Start Live to follow the target")
            return False
        return True

    def execute(self, context):
        live.stop(rig_of(context), chain_of(context))
        return {"FINISHED"}
