"""Operators for stored postures: store, add, apply, remove, move. To rename one, rename its pose asset in the list."""

import bpy
from bpy.props import EnumProperty, StringProperty

from ...rig.blender.errors import RigError
from ...rig.reading import kept_posture, postures
from ...rig.showing.thumbnails import gallery
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_store_posture(UndoOperator):
    """Store the chain's authored pose as a pose asset, which Blender's pose library shows as well"""

    bl_label = "Store Posture"

    name: StringProperty(name="Name", description="Name of the new posture", default="Posture", options={"SKIP_SAVE"})

    why_not = needs_chain

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self, confirm_text="Store")

    def run(self, context):
        chain = chain_of(context)
        action = postures.store(rig_of(context), chain, self.name.strip() or "Posture")
        gallery.give_picture(rig_of(context), chain, action)
        self.report({"INFO"}, f"Posture '{action.name}' is stored for chain '{chain.name}'")


def _pose_assets(_operator, context, typed: str) -> list[str]:
    """Names of the file's pose assets that are not postures of the chain yet."""
    chain = chain_of(context)
    listed = [posture.action for posture in chain.postures] if chain else []
    return [
        action.name for action in bpy.data.actions if action.asset_data and action not in listed and typed.lower() in action.name.lower()
    ]


class LIMBER_OT_add_posture(UndoOperator):
    """Add an existing pose asset of this file to the chain's postures"""

    bl_label = "Add Pose Asset"

    name: StringProperty(name="Pose Asset", description="Name of the pose asset", search=_pose_assets, options={"SKIP_SAVE"})

    why_not = needs_chain

    def invoke(self, context, event):
        offered = _pose_assets(self, context, "")
        if not offered:
            self.report({"ERROR"}, "This file has no other pose asset: make one in Blender's pose library, or press Store Posture")
            return {"CANCELLED"}
        self.name = offered[0]
        return context.window_manager.invoke_props_dialog(self, confirm_text="Add")

    def run(self, context):
        action = bpy.data.actions.get(self.name)
        if action is None or action.asset_data is None:
            raise RigError(f"'{self.name}' is no pose asset of this file: make one in the pose library, or press Store Posture")
        postures.adopt(rig_of(context), chain_of(context), action)
        self.report({"INFO"}, f"Pose asset '{action.name}' is a posture of chain '{chain_of(context).name}' now")


def needs_posture(context) -> str:
    if why := needs_chain(context):
        return why
    if not chain_of(context).postures:
        return "The chain has no stored posture: pose the rig and press Store Posture"
    return "The posture that the chain keeps was removed: select another in the list" if chain_of(context).shown_posture < 0 else ""


class LIMBER_OT_apply_posture(UndoOperator):
    """Apply the selected posture to the chain's bones, with keyframes where Auto Keying is on"""

    bl_label = "Apply Posture"

    why_not = needs_posture

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        action = kept_posture.active(chain)
        posed = postures.apply(rig, chain, action)
        if context.scene.tool_settings.use_keyframe_insert_auto:
            postures.key(rig, posed)
        self.report({"INFO"}, f"Posture '{action.name}' is applied to chain '{chain.name}'")


class LIMBER_OT_remove_posture(UndoOperator):
    """Remove the selected posture from the chain, and its pose asset if Store Posture made it and nothing else uses it"""

    bl_label = "Remove Posture"

    why_not = needs_posture

    def run(self, context):
        chain = chain_of(context)
        index = chain.shown_posture
        action = chain.postures[index].action
        name = f"Posture '{action.name}'" if action else "A posture without pose asset"
        postures.remove(chain, index)
        self.report({"INFO"}, f"{name} is removed from chain '{chain.name}'")


class LIMBER_OT_move_posture(UndoOperator):
    """Move the selected posture up or down in the list. Keyframes keep their postures"""

    bl_label = "Move Posture"

    direction: EnumProperty(
        name="Direction",
        description="Direction in the list",
        items=[("UP", "Up", "One position up"), ("DOWN", "Down", "One position down")],
    )

    why_not = needs_posture

    def run(self, context):
        chain = chain_of(context)
        index = chain.shown_posture
        if postures.move(chain, index, -1 if self.direction == "UP" else 1) == index:
            end = "first" if self.direction == "UP" else "last"
            self.report({"WARNING"}, f"The posture is the {end} in the list already")
            return {"CANCELLED"}
        return {"FINISHED"}


class LIMBER_OT_use_pose(UndoOperator):
    """Keep the rig's own pose and animation as the chain's posture, so that posing its bones shows while the chain is live"""

    bl_label = "Use Pose as Base"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_chain(context) or ("The chain's base is the rig's own pose already" if chain_of(context).base == "RIG" else "")

    def run(self, context):
        chain = chain_of(context)
        chain.base = "RIG"
        chain.id_data.update_tag()
        self.report({"INFO"}, f"Chain '{chain.name}' keeps the pose of its bones, as posed or animated")
