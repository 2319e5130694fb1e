"""Drawing of the stored postures of a chain or a mechanism and of the posture that it keeps; panel Postures
of a chain.
"""

import bpy

from ...operators.movers import names_mover
from ...operators.subject import chain_of, rig_of
from ...rig.chains.kept_posture import why_choosing_shows_nothing, why_posing_shows_nothing
from ...rig.events import handlers
from ...rig.live.mover import Mover
from ...rig.live.movers import mover_of
from ..tab import ChainTab, listed, props, sentence

PICTURE = 4.0  # size of a posture's preview, in button heights: large enough to tell postures apart


class LIMBER_MT_postures(bpy.types.Menu):
    """Operators on postures that have no button in the panel"""

    bl_label = "Posture Specials"

    def draw(self, context):
        layout = self.layout
        layout.operator("limber.apply_posture", icon="PASTEDOWN")
        layout.operator("limber.mirror_posture", icon="MOD_MIRROR")
        layout.separator()
        layout.operator("limber.add_posture", icon="ASSET_MANAGER")
        layout.separator()
        layout.operator("limber.use_posture", icon="POSE_HLT")
        layout.operator("limber.use_pose", icon="ARMATURE_DATA")
        layout.operator("limber.pose_from_points", icon="EMPTY_AXIS")
        layout.separator()
        for direction in ("UP", "DOWN"):
            layout.operator(
                "limber.move_posture", text=f"Move {direction.title()}", icon=f"TRIA_{direction}"
            ).direction = direction


class LIMBER_PT_postures(ChainTab):
    """Postures that the chain can keep while it looks"""

    bl_label = "Postures"
    bl_order = 2

    def draw(self, context):
        draw_postures(self.layout, mover_of(rig_of(context), chain_of(context)))


def draw_postures(layout, mover: Mover) -> None:
    """Draws the list of a mover's postures, previews of a chain's, the choice of the posture that it keeps,
    and why choosing or posing shows nothing. Buttons that are drawn after it act on that mover.
    """
    settings = mover.settings
    names_mover(layout, settings)
    add, remove = "limber.store_posture", "limber.remove_posture"
    names = ("LIMBER_UL_postures", settings, "postures", "shown_posture")
    listed(layout, *names, add=add, remove=remove, rows=3, menu=LIMBER_MT_postures.__name__)
    if settings.postures and mover.shows_pictures:
        layout.template_icon_view(
            settings, "pictured_posture", show_labels=True, scale=PICTURE, scale_popup=PICTURE
        )
        handlers.wake_pictures()
    column = layout.column()
    column.use_property_split = True
    column.prop(settings, "base", text="")  # without a label, so that the longest item is not cut off
    if settings.base == "POSTURE":
        props(column, settings, "posture", *mover.posture_settings)
    if remark := mover.posture_remark:
        sentence(layout, remark, "INFO")
    if why := why_choosing_shows_nothing(settings):
        sentence(layout, why, "INFO")
        layout.operator("limber.use_posture", icon="POSE_HLT")
    elif why := why_posing_shows_nothing(settings):
        sentence(layout, why, "INFO")
        layout.operator("limber.use_pose", icon="ARMATURE_DATA")
