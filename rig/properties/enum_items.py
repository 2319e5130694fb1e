"""Items of enumeration properties, made from tables."""

from zlib import crc32


def item(key: str, label: str, description: str) -> tuple[str, str, str, str, int]:
    """Enumeration item whose number, which files store, depends on its key only, not on its position."""
    return key, label, description, "NONE", crc32(key.encode()) >> 1


def choice(key: str, info) -> tuple[str, str, str, str, int]:
    """Enumeration item for an entry of a table.

    Args:
        key: Key of the entry.
        info: The entry, with `label` and `description`.
    """
    return item(key, info.label, info.description)
