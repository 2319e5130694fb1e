"""Which bones of a character are its torso, head and eyes, by their names or as told by a selection. Knows no Blender."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..blender.errors import RigError
from ..reading.body.names import Parents, Part, parts, side_of, stem
from ..reading.paths import missing

EYES = ("eye", "eyes", "eyeball", "eyeballs")  # what names of eyes are without side and number; lids and brows are no eyes
Above = Callable[[str], Sequence[str]]  # bone -> all on which it hangs or which move it, the nearest first
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


def by_names(bones: Parents, above: Above, control_of: Callable[[str], str]) -> Ends:
    """What the names say.

    Args:
        bones: Parents before their children.
        above: What carries each.
        control_of: What an animator rotates to move a bone: the bone itself, or one that it follows.
    """
    found = parts(bones)
    head = next(iter(found.get(Part("", "head"), ())), "")
    torso = [bone for bone in found.get(Part("", "spine"), ()) if bone in _above(bones, head)]
    return Ends(torso[-1] if torso else "", head, _eyes(bones, control_of(head), above) if head else ())


def _eyes(bones: Parents, head: str, above: Above) -> tuple[str, ...]:
    """The first bone below the head that is called an eye, left and right; without sides one that is both."""
    first: dict[str, str] = {}
    for bone in bones:
        if stem(bone) in EYES and head in above(bone):
            first.setdefault(side_of(bone), bone)
    sided = tuple(bone for side, bone in sorted(first.items()) if side)
    return sided or tuple(first.values())


def told(bones: Parents, selected: Sequence[str], above: Above) -> Ends | None:
    """What a selection says: torso and head one above the other, and what hangs on them are eyes. None where it is no such selection."""
    chosen = set(selected)
    inner = [bone for bone in bones if bone in chosen and any(bone in above(other) for other in chosen)]
    inner.sort(key=lambda bone: len(chosen.intersection(above(bone))))
    tips = tuple(bone for bone in bones if bone in chosen and bone not in inner)
    if len(tips) > 2 or not inner or any(set(inner) - set(above(tip)) for tip in tips):
        return None
    if len(inner) == 2:
        return Ends(inner[0], inner[1], tips)
    if len(inner) == 1:
        return Ends("", inner[0], tips) if len(tips) == 2 or stem(tips[0]) in EYES else Ends(inner[0], tips[0], ())
    return None


def spans(bones: Parents, ends: Ends, above: Above, follows: Callable[[str], bool]) -> tuple[Span | None, Span, tuple[Span, ...]]:
    """The chains of torso, head and eyes; None for a torso that is not there.

    Args:
        bones: Parents before their children.
        ends: The last bone of each part.
        above: What carries each bone.
        follows: Whether other bones move a bone by its constraints: no chain goes over such a bone, it begins below it.

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
    if ends.torso and ends.torso not in above(ends.head):
        raise RigError(f"Head '{ends.head}' does not hang on torso '{ends.torso}': choose a torso above it")
    for eye in ends.eyes:
        if ends.head not in above(eye):
            raise RigError(f"Eye '{eye}' does not hang on head '{ends.head}': choose an eye below it")
    return _torso(bones, ends, above, follows), _head(bones, ends, follows), tuple(Span(eye, eye) for eye in ends.eyes)


def _torso(bones: Parents, ends: Ends, above: Above, follows: Callable[[str], bool]) -> Span | None:
    """From above the hips on; they stay where the legs are."""
    if not ends.torso:
        return None
    way = [*_above(bones, ends.torso)[::-1], ends.torso]
    found = parts(bones)
    hips = {bone for name in found.get(Part("", "hips"), ()) for bone in (name, *above(name))}
    carrying = [place for place, bone in enumerate(way[:-1]) if bone in hips]
    spine = [place for place, bone in enumerate(way) if bone in found.get(Part("", "spine"), ())]
    first = carrying[-1] + 1 if carrying else min(spine, default=0)
    return _unbroken(way[first:], follows)


def _head(bones: Parents, ends: Ends, follows: Callable[[str], bool]) -> Span:
    """With all of the neck."""
    way = [*_above(bones, ends.head)[::-1], ends.head]
    if ends.torso in way:
        return _unbroken(way[way.index(ends.torso) + 1 :], follows)
    necks = parts(bones).get(Part("", "neck"), ())
    first = next((place for place, bone in enumerate(way) if bone in necks), len(way) - 1)
    return _unbroken(way[first:], follows)


def _unbroken(way: Sequence[str], follows: Callable[[str], bool]) -> Span:
    """What of a way comes after the last bone that others move, and at least its end."""
    broken = [place for place, bone in enumerate(way[:-1]) if follows(bone)]
    return Span(way[broken[-1] + 1 if broken else 0], way[-1])


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
