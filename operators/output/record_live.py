"""Operators of Record Live: start, keep takes, discard takes, and restore takes after a crash."""

import bpy

from ...rig.blender.counting import counted
from ...rig.live.movers import live_of
from ...rig.output import record, take_copies
from ..errors import reports_errors
from ..movers import mover_at_hand, poll_mover
from ..subject import poll_editable, poll_rig, rig_of


def _owner(context):
    """The object whose live movers are recorded."""
    mover = mover_at_hand(context)
    return mover.owner if mover is not None else rig_of(context)


class LIMBER_OT_record_live(bpy.types.Operator):
    """Record the motion of all that is live of the object. Starts playback; each pass over the frames is a take of its own"""

    bl_idname = "limber.record_live"
    bl_label = "Record Live"

    @classmethod
    def poll(cls, context):
        if not poll_mover(cls, context):
            return False
        if record.is_going(_owner(context)):
            cls.poll_message_set("Live is being recorded: press Keep Takes to end it")
            return False
        if not live_of(_owner(context)):
            cls.poll_message_set(f"Nothing of '{_owner(context).name}' is live: press Start Live first")
            return False
        return True

    @reports_errors
    def execute(self, context):
        record.start(_owner(context))
        if not bpy.app.background and not context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()
        return {"FINISHED"}


def _poll_owner(cls, context) -> bool:
    return poll_editable(cls, owner) if (owner := _owner(context)) is not None else poll_rig(cls, context)


def _poll_going(cls, context) -> bool:
    if not _poll_owner(cls, context):
        return False
    if not record.is_going(_owner(context)):
        cls.poll_message_set("Nothing is being recorded: press Record Live first")
        return False
    return True


def _end_playing(context) -> None:
    if not bpy.app.background and context.screen.is_animation_playing:
        bpy.ops.screen.animation_cancel(restore_frame=False)


def _tell(operator, made: record.Keyed) -> None:
    """Reports the actions that were made, which take plays, and what was muted."""
    for sentence in made.muted:
        operator.report({"WARNING"}, sentence)
    plays = "; what came after the one that plays is short" if made.after else ""
    operator.report({"INFO"}, f"Keyed {counted(made.takes, 'take')}: {', '.join(repr(action.name) for action in made.actions)}{plays}")


class LIMBER_OT_keep_takes(bpy.types.Operator):
    """End the recording and live. Each take becomes an action; the last complete one plays. Previous actions are kept"""

    bl_idname = "limber.keep_takes"
    bl_label = "Keep Takes"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(_poll_going)

    @reports_errors
    def execute(self, context):
        _end_playing(context)
        _tell(self, record.finish(_owner(context)))
        return {"FINISHED"}


class LIMBER_OT_drop_takes(bpy.types.Operator):
    """End the recording and discard its takes. Live continues"""

    bl_idname = "limber.drop_takes"
    bl_label = "Discard Takes"

    poll = classmethod(_poll_going)

    def execute(self, context):
        _end_playing(context)
        record.cancel(_owner(context))
        return {"FINISHED"}


def _poll_left(cls, context) -> bool:
    if not _poll_owner(cls, context):
        return False
    rig = _owner(context)
    if record.is_going(rig) or take_copies.left(rig) is None:
        cls.poll_message_set(f"No recording of '{rig.name}' was interrupted")
        return False
    if rig.mode == "EDIT":
        cls.poll_message_set("Leave Edit Mode first: takes are keyed in Object Mode or Pose Mode")
        return False
    return True


class LIMBER_OT_restore_takes(bpy.types.Operator):
    """Key the takes of a recording that was interrupted when Blender ended, each on an action of its own. The previous action is kept"""

    bl_idname = "limber.restore_takes"
    bl_label = "Restore Takes"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(_poll_left)

    @reports_errors
    def execute(self, context):
        owner = _owner(context)
        made = record.restore(owner, take_copies.left(owner))
        take_copies.settle(owner)
        _tell(self, made)
        return {"FINISHED"}


class LIMBER_OT_leave_takes(bpy.types.Operator):
    """Dismiss the takes of the interrupted recording"""

    bl_idname = "limber.leave_takes"
    bl_label = "Dismiss Takes"

    poll = classmethod(_poll_left)

    def execute(self, context):
        take_copies.settle(_owner(context))
        return {"FINISHED"}
