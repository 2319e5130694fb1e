"""Finds a character's torso, head and eyes by the positions of its bones, for names in any language and any
number of legs.
"""

import itertools
from collections.abc import Callable, Container, Iterable, Sequence
from math import cos, radians
from typing import NamedTuple

import numpy as np

from ..bodies import translated_names
from ..bodies.part_names import read, short_names, side_of
from ..bones import imported_robot
from ..bones.figure import NEAR, Figure
from ..bones.front import LIMB
from . import chain_end, chain_root
from .gaze_bones import EYES, GazeBones

# share of the longest limb's reach: the bone of limbs that reach less far, such as ears, is not the chest
SHORTER = 0.5
AHEAD = cos(radians(25))  # cosine of the angle within which an eye's bone counts as pointing to the front
ACROSS = cos(radians(45))  # cosine of the angle above which a bone counts as across the line to its parent
Belongs = Callable[[np.ndarray], bool]  # whether a point (3,) [m] of the figure belongs to the head
EYE_NAMES = frozenset((*EYES, *translated_names.EYES))
UP = np.array((0.0, 0.0, 1.0))


def ends(figure: Figure) -> GazeBones:
    """Last bones of torso, head and each eye; "" and () for parts that the figure does not have, or that
    cannot be recognised by their positions. A pair of bones that are named eyes shows the head.
    """
    if figure.front is None or not figure.trunk:
        return GazeBones("", "", ())
    named_eyes = _named_eyes(figure)
    top = _carrier(figure, named_eyes) if named_eyes else _top(figure)
    line = _above_legs(figure, _upward(figure, figure.names[top]))
    head, eyes = _head(figure, top, line, named_eyes)
    if not eyes and _carries_legs(figure, head):
        return GazeBones("", "", ())
    # the chest is determined again: the line to the topmost bone, used above, may not contain the head
    path = _upward(figure, head)
    chest = chest_of(figure, [name for name in path if name == head or name in line])
    eyes = eyes or _single_eye(figure, figure.index[head])
    return GazeBones(chest, head, tuple(figure.names[k] for k in eyes))


def _head(
    figure: Figure, top: int, line: list[str], named_eyes: tuple[int, ...]
) -> tuple[str, tuple[int, ...]]:
    """Name of the head, and indices of the left and right eye, or () if there are none.

    Args:
        figure: The figure.
        top: Index of the bone at the trunk's end.
        line: Names of the bones from that bone upward, as far as the legs.
        named_eyes: Indices of the bones that are named eyes.
    """
    first = figure.index[line[-1]]
    below = figure.parent[first] if figure.begins_on_parent(first) else first
    near_top = _NearTop(figure.heads[below], figure.tips[top])
    above = line[: line.index(chest)] if (chest := chest_of(figure, line)) else []
    neck = figure.index[above[-1]] if above else first
    # above the chest all belongs to the head, however large the head is
    eyes = named_eyes or (_eyes(figure, neck) if above else ()) or _eyes(figure, first, near_top)
    carrier = _carrier(figure, eyes) if eyes else _with_pairs(figure, neck, near_top)
    if carrier is None:
        carrier = figure.index[chain_end.looking(figure.rig, line[0])]
    return figure.names[_skull(figure, carrier, first)], eyes


def _above_legs(figure: Figure, upward: list[str]) -> list[str]:
    """The part of an upward path before the bone from which legs branch."""
    if not imported_robot.is_robot(figure.rig):
        return chain_root.line(figure.rig, upward, figure).bones
    stands = figure.standing(upward)
    return list(itertools.takewhile(lambda name: name not in stands, upward)) or upward


def _carries_legs(figure: Figure, head: str) -> bool:
    """Whether legs branch from a head, which is none then: as with two heads side by side, the plane of
    symmetry ends at the forelegs.
    """
    past_end = ""  # what hangs on the last bone of a line counts as part of it
    return head in figure.standing([past_end, *_upward(figure, head)])


class _NearTop(NamedTuple):
    """Test whether a point belongs to a head or to a trunk: it belongs to the head if it is nearer to the
    head's end than to the beginning of the line.
    """

    begin: np.ndarray  # (3,) [m] beginning of the line, in the figure's space
    end: np.ndarray  # (3,) [m] end of the head, in the figure's space

    def __call__(self, point: np.ndarray) -> bool:
        return bool(np.linalg.norm(point - self.end) < np.linalg.norm(point - self.begin))


def chest_of(figure: Figure, line: list[str]) -> str:
    """The bone of a line (from an end upward) from which the arms or wings nearest to the end branch; "" if
    there are none.
    """
    reaches = {name: _reach(figure, figure.index[name]) for name in line[1:]}
    least = max(LIMB * figure.size, SHORTER * max(reaches.values(), default=0.0))
    return next((name for name, reach in reaches.items() if reach >= least), "")


def eyes_below(figure: Figure, head: str) -> tuple[str, ...]:
    """Names of the eyes on a head, left and right, or of a single eye; empty if they cannot be distinguished
    from its other bones.
    """
    if figure.front is None:
        return ()
    k = figure.index[head]
    return tuple(figure.names[eye] for eye in _eyes(figure, k) or _single_eye(figure, k))


def _single_eye(figure: Figure, head: int) -> tuple[int, ...]:
    """A bone below a head, in the plane of symmetry and without children, that has the English name of an
    eye, since a word of another language may mean a beak or a jaw; empty if there is none.
    """
    short = short_names(figure.names)
    single = (k for k in figure.below(head) if k in figure.middle and k != head and not figure.children[k])
    return next(((k,) for k in single if read(short[figure.names[k]]).stem in EYES), ())


def _named_eyes(figure: Figure) -> tuple[int, ...]:
    """The pair of bones that are named eyes and look most to the front; pairs on the trunk come before those
    on another bone in the plane of symmetry, such as a head without a parent. Where the trunk has limbs, the
    others are controls at which eyes point. Empty if there is none. Bones that point aside count by English
    names only, since a word of another language may mean another part.
    """
    pairs = [pair for pair in _pairs(figure, figure.body, EYES) if pair.is_named]
    on_trunk = [pair for pair in pairs if _carrier(figure, pair.bones) in figure.trunk]
    if on_trunk or has_limbs(figure):
        return max(on_trunk).bones if on_trunk else ()
    carried = [pair for pair in pairs if _carrier(figure, pair.bones) is not None]
    return max(carried).bones if carried else ()


def has_limbs(figure: Figure) -> bool:
    """Whether limbs branch from the trunk in pairs, so that its head is on the trunk too."""
    return any(_reach(figure, k) >= LIMB * figure.size for k in figure.trunk)


def look_of(figure: Figure, eyes: Sequence[int]) -> np.ndarray | None:
    """Horizontal unit vector (3,) [world] in which eyes point; None without eyes, if they do not point
    clearly one way, or if the bones of the armature do not point along the limbs.

    Args:
        figure: The figure.
        eyes: Indices of the eyes.
    """
    if not eyes or not figure.is_anatomical:
        return None
    along = (figure.tips - figure.heads)[list(eyes)]
    directions = along / np.linalg.norm(along, axis=1, keepdims=True)
    level: np.ndarray = directions.sum(axis=0) * (1.0, 1.0, 0.0)
    length = float(np.linalg.norm(level))
    return level / length if length > 0.0 and (directions @ level).min() >= AHEAD * length else None


def _ahead(figure: Figure, eyes: tuple[int, int]) -> np.ndarray:
    """Horizontal unit vector (3,) in which the part that carries two eyes faces: on the trunk the figure's
    front, which is read from the trunk; elsewhere where the eyes point, if that is clear.
    """
    look = None if _carrier(figure, eyes) in figure.trunk else look_of(figure, eyes)
    return figure.front if look is None else look


def _upward(figure: Figure, name: str) -> list[str]:
    """Names of a bone and its ancestors, nearest first."""
    return [name, *(bone.name for bone in figure.rig.data.bones[name].parent_recursive)]


def _top(figure: Figure) -> int:
    """Index of the trunk's bone that is farthest up and to the front."""
    ahead = figure.front + UP
    return max(sorted(figure.trunk), key=lambda k: float(figure.tips[k] @ ahead))


def _paired(figure: Figure, k: int) -> list[int]:
    """Indices of the bones that branch in pairs from bone `k`."""
    return [child for child in figure.children[k] if figure.image.get(child, -1) not in {-1, child}]


def _reach(figure: Figure, k: int) -> float:
    """Largest distance from bone `k` to which limbs reach that branch from it in pairs."""
    return max((_length(figure, k, child) for child in _paired(figure, k)), default=0.0)


def _length(figure: Figure, k: int, limb: int) -> float:
    """Largest distance [m] from bone `k` to a tip of the limb that begins with bone `limb`."""
    return max(float(np.linalg.norm(figure.tips[bone] - figure.heads[k])) for bone in figure.below(limb))


def _eyes(figure: Figure, above: int, belongs: Belongs = lambda _: True) -> tuple[int, ...]:
    """A pair of bones that may be eyes below the bone `above`; of several pairs, those named eyes, and among
    these the pair that looks most to the front.
    """
    pairs = _pairs(figure, figure.below(above), EYE_NAMES)
    pairs = [pair for pair in pairs if belongs(figure.heads[pair.bones[0]])]
    return max(pairs).bones if pairs else ()


class _Pair(NamedTuple):
    """A pair of bones that may be eyes. Of two pairs, the eyes are the one that is larger as
    a tuple.
    """

    is_named: bool  # whether the left bone is named an eye
    aim: float  # as `_aim`
    bones: tuple[int, int]  # indices of the left and the right bone


def _pairs(figure: Figure, among: Iterable[int], aside: Container[str]) -> list[_Pair]:
    """The pairs of bones that may be eyes, whose left bone is among some bones: they look to the front or
    have one of the names in `aside`. Only bones with an English name of an eye may have children.
    """
    pairs, short = [], short_names(figure.names)
    for k in among:
        other = figure.image.get(k, -1)
        if other in {-1, k}:
            continue
        stem = read(short[figure.names[k]]).stem
        is_named = stem in EYE_NAMES
        # an eye may carry a pupil; a word of another language may mean another part
        if stem not in EYES and (figure.children[k] or figure.children[other]):
            continue
        if not is_named and _ends_limb(figure, k):
            continue
        ahead = _ahead(figure, (k, other)) if is_named else figure.front
        sides = [side_of(short[figure.names[eye]]) for eye in (k, other)]
        is_sided = stem in EYES and set(sides) == {"left", "right"}
        if not (sides[0] == "left" if is_sided else _is_left(figure, k, other, ahead)):
            continue
        aim = _aim(figure, k, other, ahead)
        if aim >= AHEAD or stem in aside:
            pairs.append(_Pair(is_named, aim, (k, other)))
    return pairs


def _ends_limb(figure: Figure, k: int) -> bool:
    """Whether a bone ends a line of paired bones that reaches as far as an arm, as one of two necks does."""
    first = k
    while figure.image.get(figure.parent[first], -1) not in {-1, figure.parent[first]}:
        first = figure.parent[first]
    return bool(np.linalg.norm(figure.tips[k] - figure.heads[first]) >= LIMB * figure.size)


def _is_left(figure: Figure, k: int, other: int, ahead: np.ndarray) -> bool:
    """Whether the first of two bones is the left one of a part that faces along `ahead` (3,)."""
    left = np.cross(UP, ahead)
    return bool((figure.heads[k] - figure.heads[other]) @ left > 0)


def _aim(figure: Figure, k: int, other: int, ahead: np.ndarray) -> float:
    """How far a pair of bones points along the front `ahead` (3,): the smaller of both cosines; 0 if bone `k`
    is connected to its parent. In an armature whose bones do not point along the limbs: 1 if the pair is in
    front of its parent as eyes are, else 0.
    """
    if figure.rig.data.bones[figure.names[k]].use_connect:
        return 0.0
    if figure.is_anatomical:
        return min(
            float(direction @ ahead / np.linalg.norm(direction))
            for direction in (figure.tips[e] - figure.heads[e] for e in (k, other))
        )
    parent = figure.parent[k]
    if parent != figure.parent[other] or parent not in figure.middle:
        return 0.0
    direction = (figure.heads[k] + figure.heads[other]) / 2 - figure.heads[parent]
    return float(
        direction @ ahead > float(np.linalg.norm(figure.heads[k] - figure.heads[other])) / 2
        and direction[2] >= 0.0
    )


def _carrier(figure: Figure, eyes: tuple[int, ...]) -> int | None:
    """Index of the nearest bone in the plane of symmetry that carries both eyes; None if there is none."""
    k, other = eyes
    while k >= 0 and not (k in figure.middle and other in figure.below(k)):
        k = figure.parent[k]
    return k if k >= 0 else None


def _with_pairs(figure: Figure, first: int, belongs: Belongs) -> int | None:
    """Index of the first bone from a neck upward that carries paired parts of a head, such as ears; None if
    there is none.
    """
    carrying = (k for k in figure.below(first) if k in figure.middle)
    return next(
        (k for k in carrying if any(belongs(figure.heads[child]) for child in _paired(figure, k))), None
    )


def _skull(figure: Figure, k: int, neck: int) -> int:
    """Index of the bone of the head that a bone of the face belongs to: bones of a face begin beside the head
    bone, while the next bone of a spine begins at its tail.
    """
    while k != neck:
        parent = figure.parent[k]
        # 0 if the armature's bones do not point along the limbs
        parent_length = float(np.linalg.norm(figure.tips[parent] - figure.heads[parent]))
        gap = float(np.linalg.norm(figure.heads[k] - figure.tips[parent]))
        if gap < parent_length / 2 or (
            parent_length == 0.0 and gap > NEAR * figure.size and not _is_beak(figure, k)
        ):
            break
        k = parent
    return k


def _is_beak(figure: Figure, k: int) -> bool:
    """Whether a bone without children stands off its parent across the line that leads to it, as a beak does
    from a head on its neck. For armatures whose bones do not point along the limbs.
    """
    parent = figure.parent[k]
    above = figure.parent[parent]
    if figure.children[k] or above < 0:
        return False
    to_parent, to_bone = figure.heads[parent] - figure.heads[above], figure.heads[k] - figure.heads[parent]
    return bool(to_parent @ to_bone < ACROSS * np.linalg.norm(to_parent) * np.linalg.norm(to_bone))
