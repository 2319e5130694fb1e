"""Operators for stored postures of a chain or a mechanism: store, add, apply, remove, move, and keep a
posture or the authored pose. A posture is renamed by renaming its pose asset in the list.
"""

import bpy
from bpy.props import EnumProperty, StringProperty

from ...rig.blender.errors import RigError
from ...rig.chains import kept_posture, postures
from ...rig.live import live
from ...rig.live.mover import Mover
from ...rig.showing.thumbnails import gallery
from ..movers import ActsOnMover, mover_at_hand, mover_called_for, needs_mover
from ..operator import UndoOperator


def needs_postures(context) -> str:
    """Why the mover in use cannot have stored postures, with the remedy; "" if it can."""
    return needs_mover(context) or mover_at_hand(context).why_no_postures


def needs_posture(context) -> str:
    """Why the mover in use has no stored posture selected, with the remedy; "" if it has."""
    if why := needs_postures(context):
        return why
    mover = mover_at_hand(context)
    if not mover.settings.postures:
        return f"{mover.label} has no stored posture: pose it and press Store Posture"
    return (
        "The posture to keep was removed: select another in the list"
        if mover.settings.shown_posture < 0
        else ""
    )


class PostureOperator(ActsOnMover, UndoOperator):
    """Base of operators on the postures of a mover. Subclasses implement `run_on(context, mover)`."""

    why_not = staticmethod(needs_postures)

    def run(self, context):
        return self.run_on(context, self.mover(context))


def give_picture(mover: Mover, action: bpy.types.Action) -> None:
    """Renders the preview image of a new posture, if the mover's postures have previews."""
    if mover.shows_pictures:
        gallery.give_picture(*mover, action)


class LIMBER_OT_store_posture(PostureOperator):
    """Store the authored pose of the chain, or the motors' values of the mechanism, as a pose asset"""

    bl_label = "Store Posture"

    name: StringProperty(
        name="Name", description="Name of the new posture", default="Posture", options={"SKIP_SAVE"}
    )

    def invoke(self, context, event):
        return self.refused(context) or context.window_manager.invoke_props_dialog(self, confirm_text="Store")

    def run_on(self, context, mover):
        action = mover.store_posture(self.name.strip() or "Posture", live.session(*mover))
        give_picture(mover, action)
        self.report({"INFO"}, f"Posture '{action.name}' is stored for {mover.in_sentence}")


def _pose_assets(properties, context, typed: str) -> list[str]:
    """Names of the file's pose assets that contain the typed text and are not yet postures of the operator's
    mover.
    """
    mover = mover_called_for(properties) or mover_at_hand(context)
    listed = (
        [posture.action for posture in mover.settings.postures]
        if mover is not None and not mover.why_no_postures
        else []
    )
    return [
        action.name
        for action in bpy.data.actions
        if action.asset_data and action not in listed and typed.lower() in action.name.lower()
    ]


class LIMBER_OT_add_posture(PostureOperator):
    """Add an existing pose asset of this file to the postures of the chain or mechanism"""

    bl_label = "Add Pose Asset"

    name: StringProperty(
        name="Pose Asset", description="Name of the pose asset", search=_pose_assets, options={"SKIP_SAVE"}
    )

    def invoke(self, context, event):
        if refused := self.refused(context):
            return refused
        offered = _pose_assets(self, context, "")
        if not offered:
            return self.refuse(
                "This file has no other pose asset: make one in Blender's pose library, or press Store"
                " Posture"
            )
        self.name = offered[0]
        return context.window_manager.invoke_props_dialog(self, confirm_text="Add")

    def run_on(self, context, mover):
        action = bpy.data.actions.get(self.name)
        if action is None or action.asset_data is None:
            raise RigError(
                f"'{self.name}' is no pose asset of this file: make one in the pose library, or press Store"
                " Posture"
            )
        if not mover.in_posture(action):
            raise RigError(postures.foreign(action, mover.settings))
        postures.adopt(mover.settings, action)
        self.report({"INFO"}, f"Pose asset '{action.name}' is a posture of {mover.in_sentence} now")


class LIMBER_OT_apply_posture(PostureOperator):
    """Apply the selected posture to the bones of the chain, or the motors of the mechanism, and insert
    keyframes if Auto Keying is on
    """

    bl_label = "Apply Posture"

    why_not = staticmethod(needs_posture)

    def run_on(self, context, mover):
        action = kept_posture.active(mover.settings)
        posed = mover.apply_posture(action)
        if context.scene.tool_settings.use_keyframe_insert_auto:
            postures.key(mover.owner, posed)
        self.report({"INFO"}, f"Posture '{action.name}' is applied to {mover.in_sentence}")


class LIMBER_OT_remove_posture(PostureOperator):
    """Remove the selected posture from the list, and its pose asset if Store Posture made it and nothing else
    uses it
    """

    bl_label = "Remove Posture"

    why_not = staticmethod(needs_posture)

    def run_on(self, context, mover):
        index = mover.settings.shown_posture
        action = mover.settings.postures[index].action
        name = f"Posture '{action.name}'" if action else "A posture without pose asset"
        postures.remove(mover.settings, index)
        self.report({"INFO"}, f"{name} is removed from {mover.in_sentence}")


class LIMBER_OT_move_posture(PostureOperator):
    """Move the selected posture up or down in the list. Keyframes on the choice of a posture still choose the
    same posture
    """

    bl_label = "Move Posture"

    direction: EnumProperty(
        name="Direction",
        description="Direction in which the posture moves in the list",
        items=[("UP", "Up", "One position up"), ("DOWN", "Down", "One position down")],
    )

    why_not = staticmethod(needs_posture)

    def run_on(self, context, mover):
        index = mover.settings.shown_posture
        if postures.move(mover.settings, index, -1 if self.direction == "UP" else 1) == index:
            end = "first" if self.direction == "UP" else "last"
            self.report({"WARNING"}, f"The posture is the {end} in the list already")
            return {"CANCELLED"}
        return {"FINISHED"}


class LIMBER_OT_use_posture(PostureOperator):
    """Make the chain or mechanism keep the stored posture that is selected in the list, instead of the
    authored pose and animation
    """

    bl_label = "Use Posture as Base"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_posture(context):
            return why
        mover = mover_at_hand(context)
        is_kept = mover.settings.base == "POSTURE"
        return f"The base of {mover.in_sentence} is a stored posture already" if is_kept else ""

    def run_on(self, context, mover):
        mover.settings.base = "POSTURE"
        mover.owner.update_tag()
        self.report({"INFO"}, f"{mover.label} keeps the stored posture that is selected")


class LIMBER_OT_use_pose(PostureOperator):
    """Make the chain or mechanism keep the authored pose and animation instead of a stored posture, so that
    it follows your posing while it is live
    """

    bl_label = "Use Pose as Base"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_postures(context):
            return why
        mover = mover_at_hand(context)
        return (
            f"The base of {mover.in_sentence} is its own pose already" if mover.settings.base == "RIG" else ""
        )

    def run_on(self, context, mover):
        mover.settings.base = "RIG"
        mover.owner.update_tag()
        self.report({"INFO"}, f"{mover.label} keeps its own pose, as posed or animated")
