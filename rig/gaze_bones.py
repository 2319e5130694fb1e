"""Which bones of a character are its torso, head and eyes, by their names or as told by a selection. Knows no Blender."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .errors import RigError
from .paths import missing
from .retarget.names import Parents, Part, parts, side_of, stem

EYES = ("eye", "eyes", "eyeball", "eyeballs")  # what names of eyes are without side and number; lids and brows are no eyes
SELECT = "select the torso's last bone, the head, the eyes and no other bone in Pose Mode, then press the button again"


class Ends(NamedTuple):
    """The last bone of each part; "" and () for what a character does not have."""

    torso: str
    head: str
    eyes: tuple[str, ...]


class Span(NamedTuple):
    """A chain's bones."""

    root: str
    end: str


def by_names(bones: Parents) -> Ends:
    """What the names say.

    Args:
        bones: Parents before their children.
    """
    found = parts(bones)
    head = next(iter(found.get(Part("", "head"), ())), "")
    above = _above(bones, head)
    torso = [bone for bone in found.get(Part("", "spine"), ()) if bone in above]
    return Ends(torso[-1] if torso else "", head, _eyes(bones, head) if head else ())


def _eyes(bones: Parents, head: str) -> tuple[str, ...]:
    """The first bone below the head that is called an eye, left and right; without sides one that is both."""
    first: dict[str, str] = {}
    for bone in bones:
        if stem(bone) in EYES and head in _above(bones, bone):
            first.setdefault(side_of(bone), bone)
    sided = tuple(bone for side, bone in sorted(first.items()) if side)
    return sided or tuple(first.values())


def told(bones: Parents, selected: Sequence[str]) -> Ends | None:
    """What a selection says: torso and head one above the other, and what hangs on them are eyes. None where it is no such selection."""
    chosen = set(selected)
    inner = [bone for bone in bones if bone in chosen and any(bone in _above(bones, other) for other in chosen)]
    tips = tuple(bone for bone in bones if bone in chosen and bone not in inner)
    if len(tips) > 2 or not inner or any(set(inner) - set(_above(bones, tip)) for tip in tips):
        return None
    if len(inner) == 2:
        return Ends(inner[0], inner[1], tips)
    if len(inner) == 1:
        return Ends("", inner[0], tips) if len(tips) == 2 or stem(tips[0]) in EYES else Ends(inner[0], tips[0], ())
    return None


def spans(bones: Parents, ends: Ends) -> tuple[Span | None, Span | None, tuple[Span, ...]]:
    """The chains of torso, head and eyes; None for what is not there.

    Raises:
        RigError: there is no head, nothing beside it, or they do not hang on one another.
    """
    for bone in (ends.torso, ends.head, *ends.eyes):
        if bone and bone not in bones:
            raise RigError(missing(bone))
    if not ends.head:
        raise RigError(f"No bone is called a head: {SELECT}")
    if not ends.torso and not ends.eyes:
        raise RigError(f"Of torso, head and eyes only the head, '{ends.head}', is called so: {SELECT}; for one chain press New Chain")
    above = _above(bones, ends.head)
    if ends.torso and ends.torso not in above:
        raise RigError(f"Head '{ends.head}' does not hang on torso '{ends.torso}': choose a torso above it")
    for eye in ends.eyes:
        if ends.head not in _above(bones, eye):
            raise RigError(f"Eye '{eye}' does not hang on head '{ends.head}': choose an eye below it")
    return _torso(bones, ends), _head(bones, ends), tuple(Span(eye, eye) for eye in ends.eyes)


def _torso(bones: Parents, ends: Ends) -> Span | None:
    """From above the hips on; they stay where the legs are."""
    if not ends.torso:
        return None
    way = [*_above(bones, ends.torso)[::-1], ends.torso]
    found = parts(bones)
    hips = [place for place, bone in enumerate(way[:-1]) if [bone] == found.get(Part("", "hips"))]
    spine = [place for place, bone in enumerate(way) if bone in found.get(Part("", "spine"), ())]
    first = hips[0] + 1 if hips else min(spine, default=0)
    return Span(way[first], ends.torso)


def _head(bones: Parents, ends: Ends) -> Span:
    """With all of the neck."""
    way = [*_above(bones, ends.head)[::-1], ends.head]
    if ends.torso:
        return Span(way[way.index(ends.torso) + 1], ends.head)
    necks = parts(bones).get(Part("", "neck"), ())
    return Span(next((bone for bone in way if bone in necks), ends.head), ends.head)


def sides(bones: Parents) -> Iterable[tuple[str, str]]:
    """Pairs of a left and a right bone."""
    found = parts(bones)
    for part, left in found.items():
        right = found.get(Part("right", part.name))
        if part.side == "left" and right:
            yield left[0], right[0]


def _above(bones: Parents, bone: str) -> list[str]:
    """The bones on which one hangs, the nearest first."""
    above, parent = [], bones.get(bone)
    while parent is not None:
        above.append(parent)
        parent = bones.get(parent)
    return above
