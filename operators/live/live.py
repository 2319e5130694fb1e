"""Operators that start and end live motion: of the mover in use, or of all movers of an object."""

from ...rig.events import handlers
from ...rig.live import live
from ...rig.live.movers import live_of, movers_of
from ...rig.live.uses import Use, why_not
from ..movers import mover_at_hand, needs_mover, needs_use, own
from ..operator import ERRORS, UndoOperator
from .started import said

LEAVE = "Leave this mode first: Live starts in Object Mode or Pose Mode"


class LIMBER_OT_live(UndoOperator):
    """Start live motion: a chain follows its target, a body its source, a mechanism its goals or motor
    values. The authored pose and keyframes are not changed
    """

    bl_label = "Start Live"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_use(context, Use.LIVE, "Live starts") or (
            LEAVE if context.mode not in {"OBJECT", "POSE"} else ""
        )

    def run(self, context):
        mover = own(mover_at_hand(context))
        live.start(*mover)
        handlers.wake_clock()
        done, warnings = said(context, mover)
        if done:
            self.report({"INFO"}, done)
        self.warn(warnings)


class LIMBER_OT_end_live(UndoOperator):
    """End live motion and show the authored pose again"""

    bl_label = "End Live"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_mover(context):
            return why
        mover = mover_at_hand(context)
        return "" if mover.is_live else f"{mover.label} is not live: press Start Live to follow"

    def run(self, context):
        mover = mover_at_hand(context)
        live.stop(*mover)
        own(mover)
        handlers.wake_clock()


class LIMBER_OT_live_all(UndoOperator):
    """Start live motion of everything on the object: its body, chains and mechanism"""

    bl_label = "Start All Live"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_mover(context):
            return why
        if all(mover.is_live for mover in movers_of(mover_at_hand(context).owner)):
            return "All is live already: press End All to leave"
        return LEAVE if context.mode not in {"OBJECT", "POSE"} else ""

    def run(self, context):
        movers = list(movers_of(own(mover_at_hand(context)).owner))
        begun, warnings = [], []
        for mover in movers:
            if mover.is_live:
                continue
            if why := why_not(Use.LIVE, mover, context):
                warnings.append(why)
                continue
            try:
                live.start(*mover)
            except ERRORS as error:  # the other movers still go live
                warnings.append(str(error))
                continue
            begun.append(mover)
        handlers.wake_clock()
        self.warn([*warnings, *(problem for mover in begun if (problem := live.session(*mover).problem))])
        self.report({"INFO"}, f"Live: {sum(mover.is_live for mover in movers)} of {len(movers)}")
        return {"FINISHED"} if begun else {"CANCELLED"}


class LIMBER_OT_end_live_all(UndoOperator):
    """End live motion of everything on the object and show the authored pose again"""

    bl_label = "End All"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_mover(context) or (
            "" if live_of(mover_at_hand(context).owner) else "Nothing is live: press Start Live to follow"
        )

    def run(self, context):
        for mover in live_of(mover_at_hand(context).owner):
            live.stop(*mover)
            own(mover)
        handlers.wake_clock()
