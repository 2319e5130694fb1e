"""Finds the bones of a character's torso, head and eyes by their names or from a selection. Does not use
Blender.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..blender.errors import RigError
from ..bodies import translated_names
from ..bodies.names import parts
from ..bodies.part_names import MIDDLE, BodyPart, Parents, read, short_names, side_of
from ..bones.paths import missing

# body parts, by names without side and number, that are eyes; lids and brows are not
EYES = ("eye", "eyes", "eyeball", "eyeballs")
ARMS = ("upper_arm", "forearm")  # body parts that branch from the chest
LEGS = ("thigh", "shin", "foot")  # body parts that branch from the hips
COPY = re.compile(r"\.\d{3}$")  # what Blender appends to the name of a copy
# returns the names of the bones that carry or move a bone, nearest first
Above = Callable[[str], Sequence[str]]
SELECT = (
    "select the torso's last bone, the head, the eyes and no other bone in Pose Mode, then press the button"
    " again"
)


class GazeBones(NamedTuple):
    """Names of the last bones of torso, head and eyes; "" and () for parts that a character does not have."""

    torso: str
    head: str
    eyes: tuple[str, ...]


class Span(NamedTuple):
    """Names of the first and last bone of a chain."""

    root: str
    end: str


def by_names(bones: Parents, above: Above, control_of: Callable[[str], str]) -> GazeBones:
    """Last bones of torso and head, and the eyes, found by English names. A head of several segments ends
    with its last segment or, if there are eyes, with its first one.

    Args:
        bones: Parent of each bone, parents before their children.
        above: Returns the parents and movers of a bone.
        control_of: Returns the bone that an animator rotates to move a bone: itself, or a control that it
            follows.
    """
    bones_by_part = named(bones)
    head = next(iter(bones_by_part.get(BodyPart("", "head"), ())), "")
    head = next(iter(heads(bones, head)), head)
    torso = [bone for bone in bones_by_part.get(BodyPart("", "spine"), ()) if bone in _above(bones, head)]
    eyes = _eyes(bones, control_of(head), above) if head else ()
    return GazeBones(torso[-1] if torso else "", head if eyes else _last_segment(bones, head), eyes)


def _last_segment(bones: Parents, head: str) -> str:
    """The last bone of a head of several segments, numbered from its first bone on ("Head", "Head2",
    "Head3"); `head` itself if no segment follows.
    """
    short = short_names(bones)
    segments = {
        (bones[bone], read(name).number): bone
        for bone, name in short.items()
        if read(name).stem in MIDDLE["head"] and not side_of(name) and not COPY.search(name)
    }
    number = 2
    while segment := segments.get((head, number)):
        head, number = segment, number + 1
    return head


def heads(bones: Parents, head: str) -> list[str]:
    """Heads of a character with several heads side by side: bones named head with different numbers or sides.
    For a head with several hinges it is the last one. Empty if the character has one head.

    Args:
        bones: Parent of each bone, parents before their children.
        head: The head found by name; "": none without a side.
    """
    short = short_names(_english(bones))  # short names of the bones, as `named` returns them
    called = [
        bone
        for bone, name in short.items()
        if _is_called_head(name, bone == head)
        and not (_is_whole(short, head) and head in _above(bones, bone))
    ]
    ends = [bone for bone in called if not any(bone in _above(bones, other) for other in called)]
    return ends if len(ends) > 1 else []


def _is_called_head(name: str, is_known: bool) -> bool:
    """Whether a short name is that of one of several heads: it has a number or a side, unless `is_known` says
    that the bone is a head.
    """
    part, stem, _, number, _ = read(name)
    is_sided = side_of(name) != ""
    return (
        stem in MIDDLE["head"]
        and (part is not None or is_sided)
        and (is_known or number is not None or is_sided)
    )


def _is_whole(short: dict[str, str], head: str) -> bool:
    """Whether the name of the head bone `head` has no number, so that numbered head bones below it are
    further hinges of the same head. `short`: short name of each bone.
    """
    return head in short and read(short[head]).number is None


def named(bones: Parents) -> dict[BodyPart, list[str]]:
    """The body parts found by English names. Names in other languages do not count here: few of their words
    are known, and some have several meanings.
    """
    return parts(_english(bones))


def _english(bones: Parents) -> dict[str, str]:
    """Parents of the bones that may have English names: without those whose names belong to another
    language.
    """
    return {
        bone: parent
        for bone, parent in bones.items()
        if bone.isascii() and read(bone).stem not in translated_names.STEMS
    }


def _eyes(bones: Parents, head: str, above: Above) -> tuple[str, ...]:
    """Bones below the head that are named eyes, left and right; if no name has a side, only the first. For an
    eye with several hinges it is the last link.
    """
    eyes: dict[str, str] = {}
    short = short_names(bones)
    for bone in bones:
        if read(short[bone]).stem in EYES and head in above(bone):
            before = eyes.setdefault(side_of(bone), bone)
            if read(short[before]).is_hinge and before in above(bone):
                eyes[side_of(bone)] = bone
    sided = tuple(bone for side, bone in sorted(eyes.items()) if side)
    return sided or tuple(eyes.values())


def from_selection(bones: Parents, selected: Sequence[str], above: Above) -> GazeBones | None:
    """Last bones of torso, head and eyes from a selection: torso and head, one an ancestor of the other, and
    eyes below them; None for any other selection.
    """
    chosen = set(selected)
    inner = [bone for bone in bones if bone in chosen and any(bone in above(other) for other in chosen)]
    inner.sort(key=lambda bone: len(chosen.intersection(above(bone))))
    tips = tuple(bone for bone in bones if bone in chosen and bone not in inner)
    if len(tips) > 2 or any(set(inner) - set(above(tip)) for tip in tips):
        return None
    match inner:
        case [torso, head]:
            return GazeBones(torso, head, tips)
        case [head] if len(tips) == 2 or read(tips[0]).stem in EYES:
            return GazeBones("", head, tips)
        case [torso]:
            return GazeBones(torso, tips[0], ())
    return None


class Structure(NamedTuple):
    """First bones of chains by the structure of a figure: functions that take the end of a chain and return
    its first bone.
    """

    begin: Callable[[str], str]
    neck: Callable[[str], str]  # for a head without a torso and without a bone named neck
    # whether a chain to an end can extend past a bone that follows others
    is_passed: Callable[[str, str], bool]


def spans(
    bones: Parents, ends: GazeBones, above: Above, follows: Callable[[str], bool], structure: Structure
) -> tuple[Span | None, Span, tuple[Span, ...]]:
    """First and last bone of the chains for torso, head and eyes; None for a missing torso.

    Args:
        bones: Parent of each bone, parents before their children.
        ends: Last bone of each part.
        above: Returns the parents and movers of a bone.
        follows: Returns whether constraints make a bone follow others: a chain begins below such a bone.
        structure: Where chains begin by the figure's structure.

    Raises:
        RigError: there is no head, or the parts are not one below another.
    """
    for bone in (ends.torso, ends.head, *ends.eyes):
        if bone and bone not in bones:
            raise RigError(missing(bone))
    if not ends.head:
        raise RigError(f"No head was found: {SELECT}")
    if ends.torso and ends.torso not in above(ends.head):
        raise RigError(f"Head '{ends.head}' is not below torso '{ends.torso}': choose a torso above it")
    for eye in ends.eyes:
        if ends.head not in above(eye):
            raise RigError(f"Eye '{eye}' is not below head '{ends.head}': choose an eye below it")
    return (
        _torso(bones, ends, above, follows, structure),
        _head(bones, ends, above, follows, structure),
        _eye_spans(bones, ends.eyes),
    )


def _eye_spans(bones: Parents, eyes: Sequence[str]) -> tuple[Span, ...]:
    """The chain of each eye, with the links above it that carry its other hinges; a link shared by both eyes
    is in the first eye's chain.
    """
    spans, taken = [], set()
    short = short_names(bones)
    for eye in eyes:
        above = itertools.takewhile(
            lambda bone: read(short[bone]).stem in EYES and bone not in taken, _above(bones, eye)
        )
        path = [eye, *above]
        taken.update(path)
        spans.append(Span(path[-1], eye))
    return tuple(spans)


def _torso(
    bones: Parents, ends: GazeBones, above: Above, follows: Callable[[str], bool], structure: Structure
) -> Span | None:
    """First and last bone of the torso's chain, which begins above the hips, since these stay with the legs.
    None for a character without a torso.
    """
    if not ends.torso:
        return None
    path = [*_above(bones, ends.torso)[::-1], ends.torso]
    bones_by_part = named(bones)
    named_hips, spine_bones = _hips_and_spine(bones_by_part, above)
    hips = {bone for name in named_hips for bone in (name, *above(name))}
    carrying = [index for index, bone in enumerate(path[:-1]) if bone in hips]
    # else the names follow another convention, and only share some words with the known ones
    is_named = ends.head in bones_by_part.get(BodyPart("", "head"), ())
    spine = [index for index, bone in enumerate(path) if is_named and bone in spine_bones]
    first = carrying[-1] + 1 if carrying else min(spine, default=0)
    return _unbroken(path[max(first, path.index(structure.begin(ends.torso))) :], follows)


def _hips_and_spine(bones_by_part: Mapping[BodyPart, list[str]], above: Above) -> tuple[list[str], list[str]]:
    """The bones named hips and spine. Bones named hips that carry no legs, such as a lower body on a control
    that does, belong to the spine.
    """
    hips, spine = (bones_by_part.get(BodyPart("", part), []) for part in ("hips", "spine"))
    legs = [bone for part, limb in bones_by_part.items() if part.name in LEGS for bone in limb]
    carry_legs = any(bone in above(leg) for bone in hips for leg in legs)
    return (hips, spine) if carry_legs or not legs else ([], [*hips, *spine])


def _head(
    bones: Parents, ends: GazeBones, above: Above, follows: Callable[[str], bool], structure: Structure
) -> Span:
    """First and last bone of the head's chain: the whole neck, but no bone that carries arms."""
    path = [*_above(bones, ends.head)[::-1], ends.head]
    bones_by_part = named(bones)
    necks = bones_by_part.get(BodyPart("", "neck"), ())
    if ends.torso in path:
        first = path.index(ends.torso) + 1
    elif ends.torso:  # a control that bends bones of the path by constraints
        arms = [bone for part, limb in bones_by_part.items() if part.name in ARMS for bone in limb]
        first = max(
            (k + 1 for k, bone in enumerate(path[:-1]) if any(bone in above(arm) for arm in arms)), default=0
        )
    else:
        first = next(
            (index for index, bone in enumerate(path) if bone in necks), path.index(structure.neck(ends.head))
        )
    first = max(first, path.index(structure.begin(ends.head)))
    span = _unbroken(path[first:], lambda bone: follows(bone) and not structure.is_passed(bone, ends.head))
    start = next(bone for bone in path[path.index(span.root) :] if bone == span.end or not follows(bone))
    return Span(start, span.end)


def _unbroken(path: Sequence[str], follows: Callable[[str], bool]) -> Span:
    """The part of a path below its last bone that follows others; at least the end."""
    broken = [index for index, bone in enumerate(path[:-1]) if follows(bone)]
    return Span(path[broken[-1] + 1 if broken else 0], path[-1])


def sides(bones: Parents) -> Iterable[tuple[str, str]]:
    """Pairs of left and right bones, found by their names."""
    bones_by_part = named(bones)
    for part, left in bones_by_part.items():
        right = bones_by_part.get(BodyPart("right", part.name))
        if part.side == "left" and right:
            yield left[0], right[0]


def _above(bones: Parents, bone: str) -> list[str]:
    """Ancestors of a bone, nearest first."""
    above, parent = [], bones.get(bone)
    while parent is not None:
        above.append(parent)
        parent = bones.get(parent)
    return above
