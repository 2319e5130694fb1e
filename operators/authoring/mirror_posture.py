"""Operator Mirror Posture."""

from bpy.props import EnumProperty

from ...rig.authoring import mirror
from ...rig.reading import kept_posture
from ...rig.showing.thumbnails import gallery
from ..operator import UndoOperator
from ..subject import chain_of, rig_of
from .postures import needs_posture


class LIMBER_OT_mirror_posture(UndoOperator):
    """Add the mirror image of the selected posture: bones named .L and .R swap sides, those in the middle stay"""

    bl_label = "Mirror Posture"

    across: EnumProperty(
        name="Across",
        description="Axis of the armature that changes its sign",
        items=[
            ("X", "X", "Left and right change, for armatures that face along Y as Blender's do"),
            ("Y", "Y", "Left and right change, for armatures that face along X as most robots do"),
            ("Z", "Z", "Above and below change"),
        ],
    )

    why_not = needs_posture

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        action, owner = mirror.mirror(rig, chain, kept_posture.active(chain), self.across)
        gallery.give_picture(rig, owner, action)
        self.report({"INFO"}, f"Posture '{action.name}' is stored for chain '{owner.name}'")
