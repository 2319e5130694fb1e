"""Operators for additional ends of a chain: add, remove."""

import bpy
from bpy.props import StringProperty

from ...rig.authoring import chains
from ...rig.blender.counting import counted
from ...rig.blender.selection import selected_index
from ..errors import reports_errors
from ..subject import chain_of, poll_chain, rig_of
from .euler_consent import EulerConsent


class LIMBER_OT_add_end(EulerConsent, bpy.types.Operator):
    """Add a goal for the active bone, such as a hand beside the head. All goals of the chain are solved together"""

    bl_idname = "limber.add_end"
    bl_label = "Add End"
    bl_options = {"REGISTER", "UNDO"}

    agree = "Change and Add End"

    bone: StringProperty(name="Bone", description="Bone that becomes an end; the active one where none is named", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if rig_of(context).mode != "POSE":
            cls.poll_message_set("Bones are selected in Pose Mode: switch the armature to Pose Mode")
            return False
        return True

    def _changed(self, context) -> list[str]:
        return chains.quaternion_bones(rig_of(context), chains.new_bones(rig_of(context), chain_of(context), self._bone(context)))

    def _bone(self, context) -> str:
        if self.bone:
            return self.bone
        bone = context.active_pose_bone
        return bone.name if bone and bone.id_data == rig_of(context) else ""

    @reports_errors
    def execute(self, context):
        rig, chain = rig_of(context), chain_of(context)
        before = len(chain.joints)
        end = chains.add_end(rig, chain, self._bone(context), self.change_rotation_mode, self.order)
        rig.update_tag()
        more = counted(len(chain.joints) - before, "more joint")
        self.report({"INFO"}, f"'{end.bone}' is an end of chain '{chain.name}' now, which has {more}")
        return {"FINISHED"}


class LIMBER_OT_remove_end(bpy.types.Operator):
    """Remove the selected end and the joints that only it uses"""

    bl_idname = "limber.remove_end"
    bl_label = "Remove End"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if not chain_of(context).ends:
            cls.poll_message_set("The chain has no further end: select a bone in Pose Mode and press Add End")
            return False
        return True

    @reports_errors
    def execute(self, context):
        rig, chain = rig_of(context), chain_of(context)
        index = selected_index(chain.ends, chain.active_end)
        bone, before = chain.ends[index].bone, len(chain.joints)
        chains.remove_end(rig, chain, index)
        rig.update_tag()
        less = counted(before - len(chain.joints), "joint")
        self.report({"INFO"}, f"'{bone}' is no end of chain '{chain.name}' any more, which has {less} less")
        return {"FINISHED"}
