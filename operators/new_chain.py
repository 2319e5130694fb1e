import bpy
from bpy.props import BoolProperty, EnumProperty

from ..rig import chains
from ..rig.errors import RigError
from .subject import poll_rig, rig_of

ORDERS = [
    (order, f"{order} Euler", f"{order[2]} is nearest the parent, then {order[1]}, then {order[0]}")
    for order in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
]
NAMES_SHOWN = 6  # of bones in the dialog's line


class LIMBER_OT_new_chain(bpy.types.Operator):
    """Make a chain from the selected bones (root and end, or only the end): a joint for each rotation axis that is not locked"""

    bl_idname = "limber.new_chain"
    bl_label = "New Chain"
    bl_options = {"REGISTER", "UNDO"}

    change_rotation_mode: BoolProperty(
        name="Change Rotation Mode",
        description="Give bones that rotate by quaternion, or by axis and angle, an Euler order; their keys are converted",
        options={"SKIP_SAVE"},
    )
    order: EnumProperty(name="Order", description="Euler order for those bones", items=ORDERS, default="XYZ")

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
            names = chains.quaternion_bones(rig_of(context), chains.find_path(rig_of(context), _selected(context)))
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not names:
            return self.execute(context)
        self.change_rotation_mode = True  # what the dialog's button says
        return context.window_manager.invoke_props_dialog(
            self, width=420, title="Change Rotation Mode?", confirm_text="Change and Make Chain"
        )

    def draw(self, context):
        try:
            names = chains.quaternion_bones(rig_of(context), chains.find_path(rig_of(context), _selected(context)))
        except RigError:  # the chain was just made: the panel of the last operation
            names = []
        if names:
            self.layout.label(text=f"{len(names)} bones rotate by quaternion or axis and angle; a motor turns about one axis.")
            self.layout.label(text=", ".join(names[:NAMES_SHOWN]) + (" ..." if len(names) > NAMES_SHOWN else ""))
            self.layout.label(text="They get an Euler order; their pose and their keys are converted.")
        else:
            self.layout.prop(self, "change_rotation_mode")
        row = self.layout.row()
        row.enabled = self.change_rotation_mode
        row.prop(self, "order")

    def execute(self, context):
        try:
            chain = chains.new_chain(rig_of(context), _selected(context), self.change_rotation_mode, self.order)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Chain '{chain.name}' from '{chain.root}' to '{chain.end}' has {len(chain.joints)} joints")
        return {"FINISHED"}


def _selected(context) -> list[str]:
    rig = rig_of(context)
    return [bone.name for bone in context.selected_pose_bones or () if bone.id_data == rig]
