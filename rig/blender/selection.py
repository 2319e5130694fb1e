"""What is selected in a list of Blender's: its stored index may point past the list, which scripts, undo and overrides change alone."""


def selected_index(items, active: int) -> int:
    """Place of the selected item; 0 where the list is empty.

    Args:
        items: The list.
        active: Its index as it is stored.
    """
    return max(0, min(active, len(items) - 1))


def selected(items, active: int):
    """The selected item; None where the list is empty."""
    return items[selected_index(items, active)] if items else None
