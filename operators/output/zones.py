"""Operators for no-go zones of an armature: add, remove."""

from ...rig.blender.errors import RigError
from ...rig.output.motion_check import zones
from ..operator import UndoOperator
from ..remove_item import RemoveItem
from ..subject import needs_chain, rig_of


class LIMBER_OT_add_zone(UndoOperator):
    """Add the selected objects as no-go zones or, without a selection, an empty entry in which to choose one.
    Motion Check reports the frames in which links of the chains are inside a zone
    """

    bl_label = "Add No-Go Zone"

    why_not = needs_chain

    def run(self, context):
        rig = rig_of(context)
        known = {zone.zone for zone in rig.limber.zones}
        chosen = [
            obj for obj in context.selected_objects if obj != rig and obj not in known and zones.can_be(obj)
        ]
        if not chosen and any(obj != rig for obj in context.selected_objects):
            raise RigError(
                "What is selected has no inside, or is a zone already: select empties or meshes, or nothing"
                " at all"
            )
        for obj in chosen or [None]:
            rig.limber.zones.add().zone = obj
        rig.limber.active_zone = len(rig.limber.zones) - 1
        what = ", ".join(f"'{obj.name}'" for obj in chosen) or "the object that you choose for it in the list"
        self.report({"INFO"}, f"No-go for '{rig.name}': {what}")


class LIMBER_OT_remove_zone(RemoveItem):
    """Remove the selected no-go zone from the list. The object stays"""

    bl_label = "Remove No-Go Zone"

    items, active = "zones", "active_zone"
    empty = "There is no no-go zone: press Add No-Go Zone first"

    @classmethod
    def _owner(cls, context):
        return rig_of(context).limber
