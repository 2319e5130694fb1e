"""Operators of Record Live: start, keep takes, discard takes, and restore takes after a crash."""

import bpy

from ...rig.blender.counting import counted
from ...rig.live.registry import is_live
from ...rig.output import record, take_copies
from ...rig.reading.mechanism.owners import has_mechanism
from ..errors import reports_errors
from ..subject import poll_rig, rig_of


class LIMBER_OT_record_live(bpy.types.Operator):
    """Record the motion of live chains and of a live retarget. Starts playback; each pass over the frames is a take of its own"""

    bl_idname = "limber.record_live"
    bl_label = "Record Live"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if record.is_going(rig_of(context)):
            cls.poll_message_set("Live is being recorded: press Keep Takes to end it")
            return False
        if not is_live(rig_of(context)):
            cls.poll_message_set(_nothing_live(rig_of(context)))
            return False
        return True

    def execute(self, context):
        record.start(rig_of(context))
        if not bpy.app.background and not context.screen.is_animation_playing:
            bpy.ops.screen.animation_play()
        return {"FINISHED"}


def _nothing_live(rig) -> str:
    if has_mechanism(rig) and (rig.limber.mechanism.live or not rig.limber.chains):
        return "Record Live is for chains and retargets, and none is live here: Bake Mechanism keeps a mechanism's motion"
    return "Nothing of this armature is live: press Start Live first"


def _poll_going(cls, context) -> bool:
    if not poll_rig(cls, context):
        return False
    if not record.is_going(rig_of(context)):
        cls.poll_message_set("Nothing is being recorded: press Record Live first")
        return False
    return True


def _end_playing(context) -> None:
    if not bpy.app.background and context.screen.is_animation_playing:
        bpy.ops.screen.animation_cancel(restore_frame=False)


def _tell(operator, rig, made: list[bpy.types.Action]) -> None:
    """Reports the actions that were made, and which one plays."""
    playing = rig.animation_data.action
    plays = f"; {playing.name!r} plays, since what came after it is short" if playing != made[-1] else ""
    operator.report({"INFO"}, f"Keyed {counted(len(made), 'take')}: {', '.join(repr(action.name) for action in made)}{plays}")


class LIMBER_OT_keep_takes(bpy.types.Operator):
    """End the recording and live. Each take becomes an action; the last complete one plays. The previous action is kept"""

    bl_idname = "limber.keep_takes"
    bl_label = "Keep Takes"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(_poll_going)

    @reports_errors
    def execute(self, context):
        _end_playing(context)
        made = record.finish(rig_of(context))
        _tell(self, rig_of(context), made)
        return {"FINISHED"}


class LIMBER_OT_drop_takes(bpy.types.Operator):
    """End the recording and discard its takes. Live continues"""

    bl_idname = "limber.drop_takes"
    bl_label = "Discard Takes"

    poll = classmethod(_poll_going)

    def execute(self, context):
        _end_playing(context)
        record.cancel(rig_of(context))
        return {"FINISHED"}


def _poll_left(cls, context) -> bool:
    if not poll_rig(cls, context):
        return False
    rig = rig_of(context)
    if record.is_going(rig) or take_copies.left(rig) is None:
        cls.poll_message_set(f"No recording of an armature '{rig.name}' was interrupted")
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
        rig = rig_of(context)
        made = record.restore(rig, take_copies.left(rig))
        take_copies.settle(rig)
        _tell(self, rig, made)
        return {"FINISHED"}


class LIMBER_OT_leave_takes(bpy.types.Operator):
    """Dismiss the takes of the interrupted recording"""

    bl_idname = "limber.leave_takes"
    bl_label = "Dismiss Takes"

    poll = classmethod(_poll_left)

    def execute(self, context):
        take_copies.settle(rig_of(context))
        return {"FINISHED"}
