"""Operators that start and end live motion: of the mover in use, or of all movers of an object."""

import bpy

from ...rig.events import handlers
from ...rig.live import live
from ...rig.live.movers import live_of, movers_of
from ...rig.live.uses import Use, why_not
from ..errors import ERRORS, reports_errors
from ..movers import mover_at_hand, own, poll_mover, poll_use
from .started import said

LEAVE = "Leave this mode first: Live starts in Object Mode or Pose Mode"


class LIMBER_OT_live(bpy.types.Operator):
    """Start following the goal: a target, a source's motion, motors' values. The authored pose and keyframes are not changed"""

    bl_idname = "limber.live"
    bl_label = "Start Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_use(cls, context, Use.LIVE, "Live starts"):
            return False
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set(LEAVE)
            return False
        return True

    @reports_errors
    def execute(self, context):
        mover = own(mover_at_hand(context))
        live.start(*mover)
        handlers.wake_clock()
        done, warnings = said(context, mover)
        if done:
            self.report({"INFO"}, done)
        for warning in warnings:
            self.report({"WARNING"}, warning)
        return {"FINISHED"}


class LIMBER_OT_end_live(bpy.types.Operator):
    """Stop following and show the authored pose"""

    bl_idname = "limber.end_live"
    bl_label = "End Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_mover(cls, context):
            return False
        mover = mover_at_hand(context)
        if not mover.is_live:
            cls.poll_message_set(f"{mover.label} is not live: press Start Live to follow")
            return False
        return True

    def execute(self, context):
        mover = mover_at_hand(context)
        live.stop(*mover)
        own(mover)
        handlers.wake_clock()
        return {"FINISHED"}


class LIMBER_OT_live_all(bpy.types.Operator):
    """Start following the goals with all that the object has: its body, its chains, its mechanism"""

    bl_idname = "limber.live_all"
    bl_label = "Start All Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_mover(cls, context):
            return False
        if all(mover.is_live for mover in movers_of(mover_at_hand(context).owner)):
            cls.poll_message_set("All is live already: press End All to leave")
            return False
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set(LEAVE)
            return False
        return True

    @reports_errors
    def execute(self, context):
        movers = list(movers_of(own(mover_at_hand(context)).owner))
        begun = []
        for mover in movers:
            if mover.is_live:
                continue
            if why := why_not(Use.LIVE, mover, context):
                self.report({"WARNING"}, why)
                continue
            try:
                live.start(*mover)
            except ERRORS as error:  # the others go live all the same
                self.report({"WARNING"}, str(error))
                continue
            begun.append(mover)
        handlers.wake_clock()
        for mover in begun:
            if problem := live.session(*mover).problem:
                self.report({"WARNING"}, problem)
        self.report({"INFO"}, f"Live: {sum(mover.is_live for mover in movers)} of {len(movers)}")
        return {"FINISHED"} if begun else {"CANCELLED"}


class LIMBER_OT_end_live_all(bpy.types.Operator):
    """Stop following with all that the object has and show the authored pose"""

    bl_idname = "limber.end_live_all"
    bl_label = "End All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_mover(cls, context):
            return False
        if not live_of(mover_at_hand(context).owner):
            cls.poll_message_set("Nothing is live: press Start Live to follow")
            return False
        return True

    def execute(self, context):
        for mover in live_of(mover_at_hand(context).owner):
            live.stop(*mover)
            own(mover)
        handlers.wake_clock()
        return {"FINISHED"}
