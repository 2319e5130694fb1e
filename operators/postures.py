"""Verbs on stored postures: store, apply, remove. Renaming is the pose asset's own name field."""

import bpy
from bpy.props import StringProperty

from ..rig import postures
from ..rig.errors import RigError
from .subject import chain_of, poll_chain, rig_of


class LIMBER_OT_store_posture(bpy.types.Operator):
    """Store the chain's pose, as authored, as a pose asset that Blender's pose library shows as well"""

    bl_idname = "limber.store_posture"
    bl_label = "Store Posture"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(name="Name", description="Name of the new posture", default="Posture")

    @classmethod
    def poll(cls, context):
        return poll_chain(cls, context)

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        chain = chain_of(context)
        try:
            action = postures.store(rig_of(context), chain, self.name.strip() or "Posture")
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Posture '{action.name}' is stored for chain '{chain.name}'")
        return {"FINISHED"}


def _poll_posture(cls, context) -> bool:
    if not poll_chain(cls, context):
        return False
    if not chain_of(context).postures:
        cls.poll_message_set("The chain has no stored posture: pose the rig and press Store Posture")
        return False
    return True


class LIMBER_OT_apply_posture(bpy.types.Operator):
    """Pose the chain's bones as the selected posture says"""

    bl_idname = "limber.apply_posture"
    bl_label = "Apply Posture"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _poll_posture(cls, context)

    def execute(self, context):
        chain = chain_of(context)
        try:
            postures.apply(rig_of(context), chain, postures.active(chain))
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class LIMBER_OT_remove_posture(bpy.types.Operator):
    """Remove the selected posture from the chain, and its pose asset where nothing else uses it"""

    bl_idname = "limber.remove_posture"
    bl_label = "Remove Posture"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _poll_posture(cls, context)

    def execute(self, context):
        chain = chain_of(context)
        postures.remove(chain, min(chain.active_posture, len(chain.postures) - 1))
        return {"FINISHED"}
