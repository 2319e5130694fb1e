import bpy

from ..rig import chains
from ..rig.counted import counted
from ..rig.errors import RigError
from .euler_consent import EulerConsent
from .subject import poll_rig, rig_of


class LIMBER_OT_new_chain(EulerConsent, bpy.types.Operator):
    """Add a chain from the selected bones (root and end, or only the end), with a joint for each unlocked rotation axis"""

    bl_idname = "limber.new_chain"
    bl_label = "New Chain"
    bl_options = {"REGISTER", "UNDO"}

    agree = "Change and Make Chain"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if rig_of(context).mode != "POSE":
            cls.poll_message_set("Bones are selected in Pose Mode: switch the armature to Pose Mode")
            return False
        return True

    def _changed(self, context) -> list[str]:
        return chains.quaternion_bones(rig_of(context), chains.find_path(rig_of(context), _selected(context)))

    def execute(self, context):
        try:
            chain = chains.new_chain(rig_of(context), _selected(context), self.change_rotation_mode, self.order)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Chain '{chain.name}' from '{chain.root}' to '{chain.end}' has {counted(len(chain.joints), 'joint')}")
        return {"FINISHED"}


def _selected(context) -> list[str]:
    rig = rig_of(context)
    return [bone.name for bone in context.selected_pose_bones or () if bone.id_data == rig]
