"""Base class of operators that remove the selected item of a list."""

from ..rig.blender import item_keys
from ..rig.blender.errors import RigError
from ..rig.blender.selection import selected_index
from .operator import UndoOperator
from .subject import needs_rig


class RemoveItem(UndoOperator):
    """Base of operators that remove the selected item of a list with its keyframes, and keep the selected
    index within the list.

    Subclasses set `items` and `active`, the names of the list and of its index, `empty`, the message if the
    list is empty, and `linked`, the remedy if the item is linked from another file. They implement
    `_owner(context)`, which returns the owner of the list, and may set `needs`, a function that returns why
    nothing can be removed.
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
        removed, count = selected_index(items, getattr(owner, self.active)), len(items)
        try:
            items.remove(removed)
        except TypeError:  # a library override cannot lose an item that comes from the library
            raise RigError(
                f"It comes from the file that '{owner.id_data.name}' is linked from: {self.linked}"
            ) from None
        data_block, path = owner.id_data, f"{owner.path_from_id()}.{self.items}"
        new_indices = {k: None if k == removed else k - (k > removed) for k in range(count)}
        item_keys.follow(data_block, path, new_indices)  # keyframes of the other items stay with them
        setattr(owner, self.active, selected_index(items, getattr(owner, self.active)))
