"""Matches the bones of two bodies by their names. Does not use Blender.

Conventions disagree: "LeftShoulder" is the collar bone in some and the upper arm in others; the body's other
names decide which. A robot may have several links for one part: the last hinge of a joint carries the limb,
and in a numbered arm or leg ("leg_l1_link") the third link is the upper half and the fourth the lower. Bones
that are no known part are paired if their names are equal.
"""

import re
from collections.abc import Mapping, Sequence
from math import dist
from typing import NamedTuple

from .finger_names import FINGERS
from .fingers import fingers
from .part_names import MOTORS, BodyPart, Parents, deforming, read, short_names, side_of, words
from .part_pairs import SEVERAL, part_pairs, plain

Heads = Mapping[str, tuple[float, float, float]]  # bone -> position (x, y, z) [m] of its head at rest

NUMBERED_SPINE = re.compile(r"^((def|org)-)?spine(\.\d{3})?$", re.IGNORECASE)
# share of the upper arm's length: a shoulder bone nearer than this to the upper arm's head counts as a hinge
# of a robot's shoulder, not as a collar bone
COLLAR = 0.2
RIGIFY_NECK = 2  # number of neck bones at the end of the metarig's spine, below the head
RIGIFY_SPINE = 7  # number of bones of the metarig's whole spine, from hips to head
# word in the name of a robot's link -> body part, one of whose hinges the link may carry
PIECES = {"shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand", "ankle": "foot"}
# limb of numbered links -> names of links; if a link of that side has one of these names, the numbers do not
# determine the parts
LOWER = {"upper_arm": {"elbow", "forearm"}, "leg": {"thigh", "shin"}}
ARM = ("upper_arm", "forearm", "hand")
ENDS = {"upper_arm": {"wrist", "hand"}, "leg": {"ankle", "foot"}}  # limb -> names of the parts that end it
# stem of the names of numbered links -> parts of their limb, from the trunk outward
NUMBERED = {
    "arm": ("upper_arm", "forearm", "hand"),
    "zarm": ("upper_arm", "forearm", "hand"),
    "leg": ("thigh", "shin", "foot"),
}
# number of hinges of a robot's hip or shoulder: the last of them carries the limb, and the next link is its
# lower half
HINGES = 3


class Pair(NamedTuple):
    """A target bone and the source bone that it follows."""

    source: str
    target: str


def pairs(
    source: Parents,
    target: Parents,
    controls: Mapping[str, str] | None = None,
    source_heads: Heads | None = None,
    target_heads: Heads | None = None,
) -> list[Pair]:
    """Pairs of matching bones in the target's order; each bone is in at most one pair.

    Args:
        source: Parent of each source bone, parents before their children; a stream's bones, of which no
            parents are known, in any order.
        target: Parent of each target bone, parents before their children.
        controls: For a target whose named bones follow controls: the control to pair instead of each bone;
            bones without one are skipped.
        source_heads, target_heads: As for `parts`.
    """
    return matched(source, target, parts(source, source_heads), parts(target, target_heads), controls)


def matched(
    source: Parents,
    target: Parents,
    source_parts: Mapping[BodyPart, Sequence[str]],
    target_parts: Mapping[BodyPart, Sequence[str]],
    controls: Mapping[str, str] | None = None,
) -> list[Pair]:
    """As `pairs`, with the bones of each body part of both, from the root outward, as `parts` returns them.
    Fingers are paired joint by joint.
    """
    control_of = dict(zip(target, target, strict=True)) if controls is None else controls
    source_parts = {**source_parts, **fingers(source)}
    target_parts = {**target_parts, **fingers(target, source_parts)}
    source_of = _sources_of_parts(source_parts, target_parts, control_of)
    paired = set(source_of.values())
    alike = {plain(bone): bone for bone in reversed(source) if bone not in paired}
    for bone in target:
        if (
            control_of.get(bone, "") not in {"", *source_of}
            and not _is_part(bone, target_parts)
            and (like_named := alike.pop(plain(bone), ""))
        ):
            source_of[control_of[bone]] = like_named
    return [Pair(source_of[bone], bone) for bone in target if bone in source_of]


def _sources_of_parts(
    source_parts: Mapping[BodyPart, Sequence[str]],
    target_parts: Mapping[BodyPart, Sequence[str]],
    control_of: Mapping[str, str],
) -> dict[str, str]:
    """Source bone of the control of each bone of the target's body parts; of a control that several bones
    follow, that of the first.
    """
    source_of: dict[str, str] = {}
    for part, bones in target_parts.items():
        # bones without a control are left out, so that a spine is distributed over those with one; in fingers
        # they count, so that each joint keeps its position
        followed = [bone for bone in bones if bone in control_of or part.name in FINGERS]
        source_by_bone = part_pairs(part, source_parts.get(part, []), followed)
        for bone in followed:
            if bone in control_of and bone in source_by_bone:
                source_of.setdefault(control_of[bone], source_by_bone[bone])
    return source_of


def parts(bones: Parents, heads: Heads | None = None) -> dict[BodyPart, list[str]]:
    """Names of the bones of each body part, from the root outward: spine and neck may have several, other
    parts have one.

    Args:
        bones: Parent of each bone.
        heads: Positions [m] of the bones' heads, if known, to distinguish collar bones from hinges of a
            shoulder.
    """
    short = short_names(bones)
    long = {name: bone for bone, name in short.items()}
    by_part = _parts(
        {name: short.get(bones[bone] or "") for bone, name in short.items()},
        heads and {name: heads[bone] for bone, name in short.items()},
    )
    return {part: [long[name] for name in named] for part, named in by_part.items()}


def _parts(bones: Parents, heads: Heads | None) -> dict[BodyPart, list[str]]:
    """As `parts`, for bones whose names have no common first word."""
    candidates = deforming(bones)
    bones_by_part: dict[BodyPart, list[str]] = {}
    for bone in candidates:
        if (part := read(bone).part) is not None:
            bones_by_part.setdefault(part, []).append(bone)
    roots = bones_by_part.pop(BodyPart("", "root"), [])
    roots += _bases_above_waist(bones_by_part, bones)
    _assign_waist(bones_by_part, bones)
    on_neck = _below(bones_by_part.get(BodyPart("", "neck"), []), candidates, bones)
    for part, named in bones_by_part.items():
        if part.name not in SEVERAL:
            named.sort(key=lambda bone: _preference(bone, bone in on_neck, candidates.index(bone)))
    _assign_rigify_spine(bones_by_part, bones)
    _disambiguate(bones_by_part, heads)
    _assign_head(bones_by_part)
    _assign_trunk(bones_by_part, roots, bones)
    return bones_by_part


def _assign_head(bones_by_part: dict[BodyPart, list[str]]) -> None:
    """Assigns the last hinge of a robot's neck to the head if no bone is named head."""
    head, necks = BodyPart("", "head"), bones_by_part.get(BodyPart("", "neck"), [])
    if head not in bones_by_part and len(necks) > 1 and all(map(_is_piece, necks)):
        bones_by_part[head] = [necks.pop()]


def _assign_trunk(bones_by_part: dict[BodyPart, list[str]], roots: Sequence[str], bones: Parents) -> None:
    """Assigns the bones called a root ("base", "body"): those below the hips belong to the spine, and so do
    those that carry both hips and arms. If no bone is named as the hips, the root that carries the thighs
    is the hips.
    """
    hips, spine = BodyPart("", "hips"), BodyPart("", "spine")
    below_hips = _below(bones_by_part.get(hips, [])[:1], roots, bones)
    carrying_both = _carrying_hips_and_arms(roots, bones_by_part, bones)
    if trunk := {*bones_by_part.get(spine, []), *below_hips, *carrying_both}:
        bones_by_part[spine] = [bone for bone in bones if bone in trunk]
    if hips not in bones_by_part and (root := _carrying_thighs(roots, bones_by_part, bones)):
        bones_by_part[hips] = [root]


def _carrying_hips_and_arms(
    roots: Sequence[str], bones_by_part: Mapping[BodyPart, list[str]], bones: Parents
) -> list[str]:
    """The roots that carry the hips and, on another branch, an arm."""
    hips = bones_by_part.get(BodyPart("", "hips"), [])[:1]
    arm = next((bones_by_part[part] for name in ARM if (part := BodyPart("left", name)) in bones_by_part), [])
    if not hips or not arm or _below(hips, arm[:1], bones):
        return []
    return [root for root in roots if _below([root], hips, bones) and _below([root], arm[:1], bones)]


def _carrying_thighs(
    roots: Sequence[str], bones_by_part: Mapping[BodyPart, list[str]], bones: Parents
) -> str:
    """Name of the root bone that is the hips: the left thigh is below it, with only bones of the left side
    between them. If the parents of the bones are not known, it is the only root. "" if there is no such root.
    """
    thighs = bones_by_part.get(BodyPart("left", "thigh"), [])
    if not any(bones.values()):
        return roots[0] if len(roots) == 1 and thighs else ""
    above = bones.get(thighs[0]) if thighs else None
    while above is not None and side_of(above):
        above = bones.get(above)
    return above if above in roots else ""


def _bases_above_waist(bones_by_part: dict[BodyPart, list[str]], bones: Parents) -> list[str]:
    """If the bones called hips are a robot's base instead, removes them from the body parts and returns them;
    otherwise returns []. They are a base if they carry a waist with the legs and, on another branch, an arm.
    """
    hips, waist = bones_by_part.get(BodyPart("", "hips"), []), bones_by_part.get(BodyPart("", "waist"), [])
    thigh, arm = (
        next((bones_by_part[part] for name in names if (part := BodyPart("left", name)) in bones_by_part), [])
        for names in (("thigh", "leg", "shin"), (*ARM, "shoulder", "elbow", "wrist"))
    )
    is_carried = _below(hips, waist[:1], bones) and _below(waist, thigh[:1], bones)
    if not is_carried or not _below(hips, arm[:1], bones) or _below(waist, arm[:1], bones):
        return []
    return bones_by_part.pop(BodyPart("", "hips"))


def _assign_waist(bones_by_part: dict[BodyPart, list[str]], bones: Parents) -> None:
    """Assigns a bone called waist: to the hips if there are no other hips and no thigh contradicts that, or
    if the waist is below the trunk; otherwise to the spine.
    """
    hips, spine = BodyPart("", "hips"), BodyPart("", "spine")
    waist = bones_by_part.pop(BodyPart("", "waist"), [])
    if not waist:
        return
    above, trunk = bones[waist[0]], bones_by_part.get(spine, [])
    while above is not None and above not in trunk:
        above = bones.get(above)
    is_base = hips not in bones_by_part and _may_carry_legs(waist, bones_by_part, bones)
    part = hips if above is not None or is_base else spine
    part_bones = {*waist, *bones_by_part.get(part, [])}
    bones_by_part[part] = [bone for bone in bones if bone in part_bones]


def _may_carry_legs(
    waist: Sequence[str], bones_by_part: Mapping[BodyPart, list[str]], bones: Parents
) -> bool:
    """Whether the bones called waist can be the hips: the left thigh descends from one of them. True also if
    there is no left thigh, or if no bone's parent is known.
    """
    thighs = bones_by_part.get(BodyPart("left", "thigh"), [])
    return not thighs or not any(bones.values()) or bool(_below(waist, thighs[:1], bones))


def _below(carriers: Sequence[str], carried: Sequence[str], bones: Parents) -> list[str]:
    """The bones in `carried` that are below a bone in `carriers`."""
    below = []
    for bone in carried:
        above = bones.get(bone)
        while above is not None and above not in carriers:
            above = bones.get(above)
        below += [bone] if above is not None else []
    return below


def _preference(bone: str, is_on_neck: bool, index: int) -> tuple[bool, bool, int, bool, int]:
    """Sort key of bones with the same part: first names without a number and an axis, then names without the
    word motor, then in the order of the known names, then bones on a neck, such as a head before a control of
    the same name. Of several hinges, or heads, the last one comes first, since it carries the part.
    """
    name = read(bone)
    is_last = name.is_hinge or (name.part is not None and name.part.name == "head")
    is_motor = not MOTORS.isdisjoint(words(bone))
    return _is_piece(bone), is_motor, name.rank, not is_on_neck, -index if is_last else index


def _is_piece(bone: str) -> bool:
    """Whether a name contains a number, an axis, or the word for one of a joint's two links, as the links of
    a robot's joint with several hinges do.
    """
    name = read(bone)
    return name.is_hinge or name.number is not None


def _assign_rigify_spine(bones_by_part: dict[BodyPart, list[str]], bones: Parents) -> None:
    """Corrects the parts of a Rigify spine, whose bones are all named "spine", in place: its first bone is
    the hips; of a whole spine without another head, the last bones are neck and head. Nothing changes if
    there are other hips.
    """
    spine = bones_by_part.get(BodyPart("", "spine"), [])
    if BodyPart("", "hips") in bones_by_part or not spine or not all(map(NUMBERED_SPINE.match, spine)):
        return
    if spine[0] in bones and len(spine) > 1:
        bones_by_part[BodyPart("", "hips")] = spine[:1]
        rest = spine[1:]
        if BodyPart("", "head") not in bones_by_part and len(spine) >= RIGIFY_SPINE:
            bones_by_part[BodyPart("", "head")] = rest[-1:]
            bones_by_part[BodyPart("", "neck")] = rest[-1 - RIGIFY_NECK : -1]
            rest = rest[: -1 - RIGIFY_NECK]
        bones_by_part[BodyPart("", "spine")] = rest


def _disambiguate(bones_by_part: dict[BodyPart, list[str]], heads: Heads | None) -> None:
    """Resolves ambiguous names of parts by means of the other parts on the same side, and keeps one bone of
    each part of a side, of the hips and of the head.
    """
    for side in ("left", "right"):
        side_bones = _without_pieces(
            {part.name: bones_by_part.pop(part) for part in list(bones_by_part) if part.side == side}
        )
        _assign_arm(side_bones, heads)
        _assign_leg(side_bones)
        for name in ("collar", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"):
            if side_bones.get(name):
                bones_by_part[BodyPart(side, name)] = side_bones[name][:1]
    for name in ("hips", "head"):
        if BodyPart("", name) in bones_by_part:
            bones_by_part[BodyPart("", name)] = bones_by_part[BodyPart("", name)][:1]


def _assign_arm(side_bones: dict[str, list[str]], heads: Heads | None) -> None:
    """Assigns the ambiguous names of an arm: a "shoulder" is a collar, an upper arm or, as one hinge of
    several, neither; an "elbow" is a forearm if there is no other; a "wrist" is the hand.
    """
    if "shoulder" in side_bones and heads is not None and _is_hinge_of_shoulder(side_bones, heads):
        del side_bones["shoulder"]
    if "shoulder" in side_bones:
        is_arm = (
            "collar" in side_bones
            or _is_piece(side_bones["shoulder"][0])
            or ("elbow" in side_bones and "upper_arm" not in side_bones)
        )
        side_bones.setdefault(
            "upper_arm" if is_arm and "upper_arm" not in side_bones else "collar", side_bones["shoulder"]
        )
    side_bones.setdefault("forearm", side_bones.get("elbow", []))
    side_bones["hand"] = side_bones.get("wrist") or side_bones.get("hand", [])


def _assign_leg(side_bones: dict[str, list[str]]) -> None:
    """Assigns the ambiguous names of a leg: a "leg" below a thigh is a shin, a "foot" below an ankle a
    toe.
    """
    if "leg" in side_bones:
        side_bones.setdefault("shin" if "thigh" in side_bones else "thigh", side_bones["leg"])
    if "ankle" in side_bones:
        side_bones.setdefault("toe", side_bones.get("foot", []))
        side_bones["foot"] = side_bones["ankle"]


def _without_pieces(side_bones: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The parts of one side, the preferred bone of each first, without links that carry one hinge of a part
    that has a bone of its own. Limbs whose links are numbered have the parts that the numbers give.
    """
    numbered = {
        name: bones
        for limb, lower in LOWER.items()
        if not lower & side_bones.keys()
        for name, bones in _numbered(side_bones.get(limb, []), bool(ENDS[limb] & side_bones.keys())).items()
    }
    whole = {name: bones for name, bones in side_bones.items() if not _is_piece(bones[0])}
    if numbered:
        named = {"upper_arm", "leg", *numbered}
        others = {name: bones for name, bones in side_bones.items() if name not in named}
        return numbered | whole | others
    for name in sorted(side_bones, key=lambda name: name in PIECES):
        if PIECES.get(name, name) not in whole:
            whole.setdefault(name, side_bones[name])
    return whole


def _numbered(bones: Sequence[str], is_end_named: bool) -> dict[str, list[str]]:
    """Parts of an arm or leg whose links are all named by the limb and a number; without the hand or foot if
    `is_end_named`, since a link is then named after it. Empty if the links are not named in this way.
    """
    numbers = {
        bone: number
        for bone in bones
        if (number := read(bone).number) is not None and read(bone).stem in NUMBERED
    }
    line = sorted(numbers, key=numbers.__getitem__)
    if len(line) < 2 or len(line) < len(bones):
        return {}
    names = NUMBERED[read(line[0]).stem]
    if len(line) > HINGES:
        line = [line[HINGES - 1], line[HINGES], line[-1]]
    elif is_end_named:
        line = line[-2:]
    return {name: [bone] for name, bone in zip(names[:2] if is_end_named else names, line, strict=False)}


def _is_hinge_of_shoulder(side_bones: Mapping[str, Sequence[str]], heads: Heads) -> bool:
    """Whether the head of the bone named shoulder is near the head of the upper arm, so that it is the link
    between two hinges of one joint.
    """
    lower = side_bones.get("elbow") or side_bones.get("forearm")
    if "upper_arm" not in side_bones or not lower:
        return False
    shoulder, upper, elbow = (
        heads[bones[0]] for bones in (side_bones["shoulder"], side_bones["upper_arm"], lower)
    )
    return dist(shoulder, upper) < COLLAR * dist(upper, elbow)


def _is_part(bone: str, bones_by_part: Mapping[BodyPart, Sequence[str]]) -> bool:
    """Whether a bone is one of those of any body part."""
    return any(bone in bones for bones in bones_by_part.values())
