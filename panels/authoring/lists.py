"""UI lists of chains, ends, targets, joints and postures."""

from ...rig.bones import axes
from ...rig.live.movers import mover_of
from ...rig.showing.thumbnails import gallery
from ..tab import List


class LIMBER_UL_chains(List):
    """Chains of the armature, and whether each is live"""

    def draw_row(self, context, layout, owner, item, index):
        layout.prop(item, "name", text="", emboss=False, icon="CON_ROTLIMIT")
        layout.label(text="", icon="RADIOBUT_ON" if item.live else "RADIOBUT_OFF")


class LIMBER_UL_ends(List):
    """Additional ends of the chain, each with its goal"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        row.label(
            text=item.bone, icon="NONE" if item.target or not item.enabled else "ERROR", translate=False
        )
        row.prop(item, "goal", text="", emboss=False)


class LIMBER_UL_targets(List):
    """Additional targets of the chain, each with the number by which the property Watch selects it"""

    def draw_row(self, context, layout, owner, item, index):
        is_watched = index + 1 == min(owner.watch, len(owner.targets))
        row = layout.split(factor=0.22, align=True)
        row.label(text=str(index + 1), icon="HIDE_OFF" if is_watched else "BLANK1", translate=False)
        row.prop(item, "target", text="")


class LIMBER_UL_joints(List):
    """Joints of the chain with their limits"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        unit = "linear_" if axes.is_prismatic(item.axis) else ""
        row.label(text=item.label, translate=False)
        row.prop(item, f"{unit}lower", text="", emboss=False)
        row.prop(item, f"{unit}upper", text="", emboss=False)


class LIMBER_UL_postures(List):
    """Stored postures, with their weights while a blend of them is kept; double-click to rename"""

    def draw_row(self, context, layout, owner, item, index):
        if item.action:
            row = layout.row(align=True)
            mover = mover_of(item.id_data, owner)
            shown = gallery.icon(*mover, item.action) if mover.shows_pictures else 0
            row.prop(
                item.action,
                "name",
                text="",
                emboss=False,
                **({"icon_value": shown} if shown else {"icon": "POSE_HLT"}),
            )
            if owner.base == "BLEND":
                row.prop(item, "weight", text="", slider=True)
        else:
            layout.label(text="Its pose asset was deleted", icon="ERROR", translate=False)
