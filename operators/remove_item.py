"""Base class of operators that remove the selected item of a list."""

from ..rig.blender.selection import selected_index
from .subject import poll_rig


class RemoveItem:
    """Operator that removes the selected item of a list, and keeps the selection within it.

    Subclasses set `items` and `active`, the names of the list and its index, `empty`, the message where the list is empty, and `linked`,
    the remedy where the item is from another file. They implement `_owner(context)`, which has the list, and may override
    `_can_change(context)`.
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
        except TypeError:  # Blender refuses to remove an item of the library from an override
            self.report({"ERROR"}, f"It comes from the file that '{owner.id_data.name}' is linked from: {self.linked}")
            return {"CANCELLED"}
        setattr(owner, self.active, selected_index(items, getattr(owner, self.active)))
        return {"FINISHED"}
