import bpy
from bpy.props import EnumProperty

from ...rig.authoring import chains, forward
from ...rig.blender.counting import counted
from ...rig.properties.chains import SIGNED_AXES
from ..errors import reports_errors
from ..subject import poll_rig, rig_of
from .euler_consent import EulerConsent

GUESS = "AUTO"
FORWARD_AXES = [(GUESS, "Automatic", "From cameras, eyes, left and right sides or the robot's own axes"), *SIGNED_AXES]


class LIMBER_OT_new_chain(EulerConsent, bpy.types.Operator):
    """Add a chain from the selected bones (root and end, or only the end), with a joint for each unlocked rotation axis"""

    bl_idname = "limber.new_chain"
    bl_label = "New Chain"
    bl_options = {"REGISTER", "UNDO"}

    agree = "Change and Make Chain"

    forward: EnumProperty(
        name="Forward Axis",
        description="Axis of the end bone that points at the target",
        items=FORWARD_AXES,
        default=GUESS,
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

    def _changed(self, context) -> list[str]:
        return chains.quaternion_bones(rig_of(context), chains.find_path(rig_of(context), _selected(context)))

    def draw(self, context):
        super().draw(context)
        self.layout.prop(self, "forward")

    @reports_errors
    def execute(self, context):
        chain = chains.new_chain(rig_of(context), _selected(context), self.change_rotation_mode, self.order)
        rig = rig_of(context)
        if self.forward != GUESS:
            forward.point(chain, rig, chain.end, forward.axis_at_rest(rig, chain.end, self.forward))
            reason = "as chosen"
        else:
            reason = forward.guess(rig, chain.end).reason or "along its bone, for lack of other clues"
        made = f"Chain '{chain.name}' from '{chain.root}' to '{chain.end}' has {counted(len(chain.joints), 'joint')}"
        self.report({"INFO"}, f"{made}; it looks along {forward.described(chain)} ({reason})")
        return {"FINISHED"}


def _selected(context) -> list[str]:
    rig = rig_of(context)
    return [bone.name for bone in context.selected_pose_bones or () if bone.id_data == rig]
