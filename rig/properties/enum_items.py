"""Items of enums that come from a table."""

from zlib import crc32


def item(key: str, label: str, description: str) -> tuple[str, str, str, str, int]:
    """An enum's item. Files keep its number, so that depends on the key alone, not on the place in the table."""
    return key, label, description, "NONE", crc32(key.encode()) >> 1


def choice(key: str, info) -> tuple[str, str, str, str, int]:
    """A table's line as an enum's item.

    Args:
        key: Its name in the table.
        info: What the table says: its `label` and `description`.
    """
    return item(key, info.label, info.description)
