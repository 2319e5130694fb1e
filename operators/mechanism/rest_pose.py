"""Where a mechanism's motors are at zero."""

import bpy

from ...rig.blender.errors import RigError
from ...rig.reading.mechanism.rest_pose_record import set_zero
from .mechanisms import mechanism_owner, poll_authoring, taken_up


class LIMBER_OT_set_mechanism_zero(bpy.types.Operator):
    """Set the bodies' pose at this frame as the mechanism's rest pose, in which its motors are at zero"""

    bl_idname = "limber.set_mechanism_zero"
    bl_label = "Set Zero"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_authoring(cls, context):
            return False
        kept = mechanism_owner(context).limber.mechanism
        if kept.use_bones and not kept.collection:
            cls.poll_message_set("Motors of bones are at zero in the armature's rest pose: change that in Edit Mode")
            return False
        return True

    def execute(self, context):
        owner = taken_up(context)
        try:
            set_zero(owner)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Motors of '{owner.name}' are at zero where its bodies are at frame {context.scene.frame_current}")
        return {"FINISHED"}
