"""Operators of Remote Control: start and stop listening to OSC messages of other programs."""

import bpy

from ...rig.events import handlers
from ...rig.robot import remote
from ..errors import reports_errors
from ..subject import poll_rig, rig_of


class LIMBER_OT_remote(bpy.types.Operator):
    """Let other programs set this armature's targets, influence and weights, and stop robots, with OSC over UDP, until this ends or another
    file is opened"""

    bl_idname = "limber.remote"
    bl_label = "Remote Control"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if remote.heard(rig_of(context)) is not None:
            cls.poll_message_set("It listens already: press End Remote Control to leave")
            return False
        return True

    @reports_errors
    def execute(self, context):
        rig = rig_of(context)
        remote.listen(rig)
        handlers.wake_remote()
        self.report({"INFO"}, f"Listening at {rig.limber.remote.host}, UDP port {rig.limber.remote.port}")
        return {"FINISHED"}


class LIMBER_OT_end_remote(bpy.types.Operator):
    """Stop listening to other programs and free the port"""

    bl_idname = "limber.end_remote"
    bl_label = "End Remote Control"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if remote.heard(rig_of(context)) is None:
            cls.poll_message_set("Nothing listens: press Remote Control")
            return False
        return True

    def execute(self, context):
        remote.end(rig_of(context))
        return {"FINISHED"}
