"""Keys of a character's movers on a stage."""

from ..character.file.contents import BodyEntry, ChainEntry, MechanismEntry

Entry = ChainEntry | MechanismEntry | BodyEntry


def key_of(entry: Entry) -> str:
    """Key of a mover; of a chain its name, by which others hang on it."""
    if isinstance(entry, ChainEntry):
        return entry.name
    return f"{'body' if isinstance(entry, BodyEntry) else 'mechanism'} {entry.name}"
