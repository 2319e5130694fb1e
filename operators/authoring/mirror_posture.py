"""Operator Mirror Posture, which adds the mirror image of a stored posture."""

from bpy.props import EnumProperty

from ...rig.authoring import mirror
from ...rig.chains import kept_posture
from ...rig.live.movers import mover_of
from ..movers import mover_at_hand
from .postures import PostureOperator, give_picture, needs_posture


class LIMBER_OT_mirror_posture(PostureOperator):
    """Add a mirrored copy of the selected posture: left and right bones by their names, such as .L and .R,
    exchange their poses, and bones in the middle are mirrored
    """

    bl_label = "Mirror Posture"

    across: EnumProperty(
        name="Across",
        description="Axis of the armature whose direction is mirrored",
        items=[
            ("X", "X", "Swap left and right, for armatures that face along Y, as is usual in Blender"),
            ("Y", "Y", "Swap left and right, for armatures that face along X, as is usual for robots"),
            ("Z", "Z", "Swap up and down"),
        ],
    )

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_posture(context):
            return why
        mover = mover_at_hand(context)
        return (
            ""
            if mover.shows_pictures
            else f"{mover.label} has no left and right: its postures are values of motors, not of bones"
        )

    def run_on(self, context, mover):
        action, chain = mirror.mirror(*mover, kept_posture.active(mover.settings), self.across)
        owner = mover_of(mover.owner, chain)
        give_picture(owner, action)
        self.report({"INFO"}, f"Posture '{action.name}' is stored for {owner.in_sentence}")
