"""Base class of operators that remove the selected item of a list."""

from ..rig.blender.errors import RigError
from ..rig.blender.selection import selected_index
from .operator import UndoOperator
from .subject import needs_rig


class RemoveItem(UndoOperator):
    """Operator that removes the selected item of a list, and keeps the selection within it.

    Subclasses set `items` and `active`, the names of the list and its index, `empty`, the message where the list is empty, and `linked`,
    the remedy where the item is from another file. They implement `_owner(context)`, which has the list, and may set `needs`, a function
    that returns why nothing can be removed.
    """

    items = active = ""
    linked = "remove it there"
    empty = "The list is empty"

    needs = staticmethod(needs_rig)

    @classmethod
    def why_not(cls, context) -> str:
        return cls.needs(context) or ("" if getattr(cls._owner(context), cls.items) else cls.empty)

    def run(self, context):
        owner = self._owner(context)
        items = getattr(owner, self.items)
        try:
            items.remove(selected_index(items, getattr(owner, self.active)))
        except TypeError:  # Blender refuses to remove an item of the library from an override
            raise RigError(f"It comes from the file that '{owner.id_data.name}' is linked from: {self.linked}") from None
        setattr(owner, self.active, selected_index(items, getattr(owner, self.active)))
