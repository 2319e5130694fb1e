"""Chooses the bones of a motion-capture figure that lead to the head: by names that clips use, else by their
positions. Knows no Blender.
"""

import re

_HEAD = re.compile(r"head(?!.*(end|top|nub|site))", re.IGNORECASE)
_PELVIS = re.compile(r"hip|pelvis|root|reference|armature", re.IGNORECASE)
_NECK = re.compile(r"neck", re.IGNORECASE)
_SMALL = re.compile(r"finger|thumb|index|middle|ring|pinky|hipjoint|_end$|nub$|eye|jaw", re.IGNORECASE)


def gaze_path(parents: dict[str, str | None], heights: dict[str, float]) -> list[str]:
    """Names of the bones from the first one above the pelvis to the head.

    Args:
        parents: Each bone's parent; None for the root's.
        heights: Height of each bone's end at rest [m].

    Returns:
        The path to the bone named as a head; without one, from the root's child up to the highest end; empty
        if there is none.
    """
    heads = [name for name in parents if _HEAD.search(name)]
    depth = {name: len(_line(name, parents)) for name in parents}
    end = min(heads, key=depth.__getitem__) if heads else max(parents, key=heights.__getitem__, default=None)
    if end is None:
        return []
    path = []
    for name in _line(end, parents):
        if parents[name] is None or (_PELVIS.search(name) and name != end):
            break
        path.append(name)
    return path[::-1]


def is_neck(name: str) -> bool:
    return bool(_NECK.search(name))


def is_small(name: str) -> bool:
    """Whether a bone is too small, or a helper, so that it is not drawn as a limb."""
    return bool(_SMALL.search(name))


def _line(name: str | None, parents: dict[str, str | None]) -> list[str]:
    line = []
    while name is not None:
        line.append(name)
        name = parents[name]
    return line
