"""Operators for additional ends of a chain: add, remove."""

from bpy.props import StringProperty

from ...rig.authoring import chains
from ...rig.blender.counting import counted
from ...rig.blender.selection import selected_index
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, needs_pose_mode, rig_of


class LIMBER_OT_add_end(UndoOperator):
    """Give the active bone a goal of its own in this chain, such as a hand in a chain that ends at the head.
    All goals of the chain are solved together
    """

    bl_label = "Add End"

    bone: StringProperty(
        name="Bone",
        description="Bone that becomes an end. Empty: the active bone",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context) -> str:
        return needs_chain(context) or needs_pose_mode(context)

    def _bone(self, context) -> str:
        if self.bone:
            return self.bone
        bone = context.active_pose_bone
        return bone.name if bone and bone.id_data == rig_of(context) else ""

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        before = len(chain.joints)
        end = chains.add_end(rig, chain, self._bone(context))
        rig.update_tag()
        more = counted(len(chain.joints) - before, "more joint")
        self.report({"INFO"}, f"'{end.bone}' is an end of chain '{chain.name}' now, which has {more}")


class LIMBER_OT_remove_end(UndoOperator):
    """Remove the selected end and the joints that only it uses"""

    bl_label = "Remove End"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_chain(context):
            return why
        return (
            ""
            if chain_of(context).ends
            else "The chain has no further end: select a bone in Pose Mode and press Add End"
        )

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        index = selected_index(chain.ends, chain.active_end)
        bone, before = chain.ends[index].bone, len(chain.joints)
        chains.remove_end(rig, chain, index)
        rig.update_tag()
        less = counted(before - len(chain.joints), "joint")
        self.report({"INFO"}, f"'{bone}' is no end of chain '{chain.name}' any more, which has {less} less")
