import bpy
from bpy.props import BoolProperty

from ..rig import chains
from ..rig.errors import RigError
from .subject import poll_rig, rig_of


class LIMBER_OT_new_chain(bpy.types.Operator):
    """Make a chain from the selected bones (root and end, or only the end): a joint for each rotation axis that is not locked"""

    bl_idname = "limber.new_chain"
    bl_label = "New Chain"
    bl_options = {"REGISTER", "UNDO"}

    change_rotation_mode: BoolProperty(
        name="Change Rotation Mode",
        description="Give bones that rotate by quaternion an Euler order (XYZ); their keys are converted",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if rig_of(context).mode != "POSE":
            cls.poll_message_set("Bones are selected in Pose Mode: switch the armature to Pose Mode")
            return False
        return True

    def invoke(self, context, event):
        try:
            path = chains.find_path(rig_of(context), _selected(context))
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        bones = rig_of(context).pose.bones
        self.quaternion_bones = [name for name in path if chains.free_axes(bones[name]) and not chains.is_euler(bones[name])]
        if self.quaternion_bones:
            self.change_rotation_mode = True
            return context.window_manager.invoke_props_dialog(self, width=420)
        return self.execute(context)

    def draw(self, context):
        names = getattr(self, "quaternion_bones", [])
        self.layout.label(text=f"{len(names)} bones rotate by quaternion; a motor turns about one axis.")
        self.layout.label(text=", ".join(names[:6]) + (" ..." if len(names) > 6 else ""))
        self.layout.prop(self, "change_rotation_mode")

    def execute(self, context):
        try:
            chain = chains.new_chain(rig_of(context), _selected(context), self.change_rotation_mode)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Chain '{chain.name}' from '{chain.root}' to '{chain.end}' has {len(chain.joints)} joints")
        return {"FINISHED"}


def _selected(context) -> list[str]:
    rig = rig_of(context)
    return [bone.name for bone in context.selected_pose_bones or () if bone.id_data == rig]
