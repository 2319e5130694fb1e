"""Unused names for data-blocks and bones, made as Blender makes them: with a number at the end."""

from collections.abc import Collection


def free_name(name: str, taken: Collection[str]) -> str:
    """The first name that is not taken of `name`, NAME.001, NAME.002 ..."""
    return (
        name
        if name not in taken
        else next(free for k in range(1, len(taken) + 2) if (free := f"{name}.{k:03d}") not in taken)
    )
