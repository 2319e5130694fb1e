"""Operators of Record Live: start, keep or discard takes, and restore or dismiss takes left by a crash."""

import bpy

from ...rig.blender.counting import counted, named
from ...rig.blender.overrides import why_not_editable
from ...rig.live.movers import live_of
from ...rig.output import record, take_copies
from ..movers import mover_at_hand, needs_mover
from ..operator import Operator, UndoOperator
from ..subject import needs_rig, rig_of


def _owner(context):
    """The object whose live movers are recorded: that of the mover in use, else the armature in use; None if
    there is neither.
    """
    mover = mover_at_hand(context)
    return mover.owner if mover is not None else rig_of(context)


class LIMBER_OT_record_live(Operator):
    """Record the motion of everything that is live on the object, and start playback. Each pass over the
    frames is a take of its own
    """

    bl_label = "Record Live"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_mover(context):
            return why
        if record.is_going(_owner(context)):
            return "Live is being recorded: press Keep Takes to end it"
        return (
            ""
            if live_of(_owner(context))
            else f"Nothing of '{_owner(context).name}' is live: press Start Live first"
        )

    def run(self, context):
        record.start(_owner(context))
        if not bpy.app.background and not context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()


def _needs_owner(context) -> str:
    owner = _owner(context)
    return needs_rig(context) if owner is None else why_not_editable(owner)


def _needs_going(context) -> str:
    return _needs_owner(context) or (
        "" if record.is_going(_owner(context)) else "Nothing is being recorded: press Record Live first"
    )


def _end_playing(context) -> None:
    if not bpy.app.background and context.screen.is_animation_playing:
        bpy.ops.screen.animation_cancel(restore_frame=False)


def _report_keyed(operator, keyed: record.Keyed) -> None:
    """Reports the number of takes and the new actions, whether later takes are too short to play, and as
    warnings movers that a defect stopped, and what was muted.
    """
    operator.warn(keyed.warnings)
    plays = "; what follows the take that plays is too short to play" if keyed.after else ""
    operator.report(
        {"INFO"},
        f"Keyed {counted(keyed.takes, 'take')}: {named([action.name for action in keyed.actions])}{plays}",
    )


class LIMBER_OT_keep_takes(UndoOperator):
    """End the recording and live motion. Each take becomes an action; the action of the last complete take
    plays. Previous actions stay
    """

    bl_label = "Keep Takes"

    why_not = _needs_going

    def run(self, context):
        _end_playing(context)
        _report_keyed(self, record.finish(_owner(context)))


class LIMBER_OT_drop_takes(Operator):
    """End the recording and discard its takes. Live motion continues"""

    bl_label = "Discard Takes"

    why_not = _needs_going

    def run(self, context):
        _end_playing(context)
        record.cancel(_owner(context))


def _needs_left(context) -> str:
    if why := _needs_owner(context):
        return why
    rig = _owner(context)
    if record.is_going(rig) or take_copies.left(rig) is None:
        return f"No recording of '{rig.name}' was interrupted"
    return "Leave Edit Mode first: takes are keyed in Object Mode or Pose Mode" if rig.mode == "EDIT" else ""


class LIMBER_OT_restore_takes(UndoOperator):
    """Key the takes of a recording that was interrupted when Blender ended, each on an action of its own, and
    end live motion. The previous action stays
    """

    bl_label = "Restore Takes"

    why_not = _needs_left

    def run(self, context):
        owner = _owner(context)
        keyed = record.restore(owner, take_copies.left(owner))
        take_copies.settle(owner)
        _report_keyed(self, keyed)


class LIMBER_OT_leave_takes(Operator):
    """Dismiss the takes of the interrupted recording. They cannot be restored afterwards"""

    bl_label = "Dismiss Takes"

    why_not = _needs_left

    def run(self, context):
        take_copies.settle(_owner(context))
