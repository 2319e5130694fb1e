"""Names that are not taken yet, as Blender makes them: with a number behind."""

from collections.abc import Collection


def free_name(name: str, taken: Collection[str]) -> str:
    """The name itself, or NAME.001, NAME.002 ... where it is taken."""
    return name if name not in taken else next(free for k in range(1, len(taken) + 2) if (free := f"{name}.{k:03d}") not in taken)
