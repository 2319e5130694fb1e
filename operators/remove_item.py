"""Remove: what is selected in one of a rig's lists is taken away, and the selection stays in the list."""

from ..rig.blender.selection import selected_index
from .subject import poll_rig


class RemoveItem:
    """An operator that removes the selected item of a list.

    Subclasses name the list and its index, `items` and `active`, have a sentence for where it is `empty` and the remedy where the item is
    `linked` from another file, and say in `_owner(context)` what has them. `_can_change(context)` is whether it may be changed at all.
    """

    bl_options = {"REGISTER", "UNDO"}
    items = active = ""
    linked = "remove it there"
    empty = "The list is empty"

    @classmethod
    def _can_change(cls, context) -> bool:
        return poll_rig(cls, context)

    @classmethod
    def poll(cls, context):
        if not cls._can_change(context):
            return False
        if not getattr(cls._owner(context), cls.items):
            cls.poll_message_set(cls.empty)
            return False
        return True

    def execute(self, context):
        owner = self._owner(context)
        items = getattr(owner, self.items)
        try:
            items.remove(selected_index(items, getattr(owner, self.active)))
        except TypeError:  # Blender's own: an override cannot take away what its library has
            self.report({"ERROR"}, f"It comes from the file that '{owner.id_data.name}' is linked from: {self.linked}")
            return {"CANCELLED"}
        setattr(owner, self.active, selected_index(items, getattr(owner, self.active)))
        return {"FINISHED"}
