"""Matches the bones of two bodies by their names. Knows no Blender.

A name is split into side and body part. Conventions disagree: "LeftShoulder" is the collar bone in some and the upper arm in others; the
body's other names decide which. Recognised names are those of CMU's and cgspeed's clips, Mixamo, Rigify, Xsens MVN, SMPL, the Unreal
mannequin and usual URDF files; other bones are paired if their names are equal.
"""

import re
from collections.abc import Mapping, Sequence
from math import dist
from string import digits
from typing import NamedTuple

Parents = Mapping[str, str | None]  # bone -> its parent
Heads = Mapping[str, tuple[float, float, float]]  # bone -> position of its head at rest

PREFIX = re.compile(r"^(mixamorig\d*[:_]|.*:|def-|org-|bip\d*[ _]|j_bip_[clr]_|m_avg_|f_avg_|b_|cc_base_)", re.IGNORECASE)
DEFORMING = "DEF-"  # prefix of Rigify's deforming bones; its other bones are controls and mechanisms
MANY = 8  # number of deforming bones from which on the others count as controls
SIDE = re.compile(r"^(left|right)[ _.-]?(?=\w)|[ _.-](left|right|l|r)$|^(l|r)[ _.-](?=\w)|^((?-i:[lLrR]))(?=(?-i:[A-Z]))", re.IGNORECASE)
NUMBERED_SPINE = re.compile(r"^spine(\.\d{3})?$", re.IGNORECASE)
SEVERAL = ("spine", "neck")  # parts that may consist of several bones
COLLAR = 0.2  # of the upper arm's length: a shoulder nearer to the upper arm's head carries a hinge of a robot's shoulder, and is no collar
RIGIFY_NECK = 2  # number of neck bones at the end of the metarig's spine, below the head
RIGIFY_SPINE = 7  # number of bones of the metarig's whole spine, from hips to head


class Part(NamedTuple):
    """A body part, such as the upper arm, with its side."""

    side: str  # "left", "right" or ""
    name: str


# Body part -> its names, without side, digits and punctuation. `_disambiguated` resolves the "ambiguous" ones.
MIDDLE = {
    "hips": ("hips", "hip", "pelvis", "rootlink", "root_link", "waist", "baselink", "torsobase"),
    "spine": (
        "spine",
        "lowerback",
        "abdomen",
        "abdomenlower",
        "abdomenupper",
        "chest",
        "upperchest",
        "lowerchest",
        "torso",
        "ribs",
        "upperback",
        "chestlower",
        "chestupper",
        "spinelower",
        "spineupper",
    ),
    "neck": ("neck", "lowerneck", "upperneck", "necklower", "neckupper"),
    "head": ("head",),
}
VERTEBRAE = re.compile(r"^[lt]\d{1,2}$", re.IGNORECASE)  # Xsens: L5, L3, T12, T8
SIDED = {
    "collar": ("collar", "clavicle", "collarbone", "shoulderblade", "scapula"),
    "shoulder": ("shoulder",),  # ambiguous
    "upper_arm": ("upperarm", "arm", "uparm", "uarm", "bicep"),
    "elbow": ("elbow",),
    "forearm": ("forearm", "lowerarm", "lowarm", "larm"),
    "wrist": ("wrist",),
    "hand": ("hand",),
    "thigh": ("thigh", "upleg", "upperleg", "femur", "hip"),
    "leg": ("leg",),  # ambiguous
    "shin": ("shin", "lowerleg", "lowleg", "calf", "tibia", "knee"),
    "ankle": ("ankle",),
    "foot": ("foot",),  # ambiguous beside an ankle
    "toe": ("toe", "toes", "toebase", "ball", "ballfoot", "forefoot"),
}
PIECES = {"shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand", "thigh": "thigh", "shin": "shin", "ankle": "foot"}
PARTS = {alias: part for part, aliases in MIDDLE.items() for alias in aliases}
SIDED_PARTS = {alias: part for part, aliases in SIDED.items() for alias in aliases}


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
    """Pairs of matching bones in the target's order; each bone is in one pair at most.

    Args:
        source: Parent of each source bone, parents before their children.
        target: Parent of each target bone, parents before their children.
        controls: Only for a target whose named bones follow controls: the control to pair instead of each bone; bones without one are
            skipped.
        source_heads, target_heads: As for `parts`.
    """
    instead = dict(zip(target, target, strict=True)) if controls is None else controls
    own, others = parts(source, source_heads), parts(target, target_heads)
    found: dict[str, str] = {}
    for part, named in others.items():
        bones = [instead[bone] for bone in named if bone in instead]
        found |= {there: here for here, there in _spread(own.get(part, []), bones)}
    paired = set(found.values())
    alike = {_plain(bone): bone for bone in reversed(source) if bone not in paired}
    for bone in target:
        if instead.get(bone, "") not in {"", *found} and not _is_part(bone, others) and (same := alike.pop(_plain(bone), "")):
            found[instead[bone]] = same
    return [Pair(found[bone], bone) for bone in target if bone in found]


def parts(bones: Parents, heads: Heads | None = None) -> dict[Part, list[str]]:
    """Names of the bones of each body part, from the root outward: spine and neck may have several, other parts have one.

    Args:
        bones: Parent of each bone.
        heads: Positions, where they are known: a collar is as long as from its head to the upper arm's.
    """
    deforming = [bone for bone in bones if bone.upper().startswith(DEFORMING)]
    candidates = deforming if len(deforming) >= MANY else list(bones)
    found: dict[Part, list[str]] = {}
    for bone in candidates:
        part = part_of(bone)
        if part is not None:
            found.setdefault(part, []).append(bone)
    for part, named in found.items():
        if part.name not in SEVERAL:
            named.sort(key=_usualness)
    _tell_rigify(found, bones)
    return _disambiguated(found, heads)


def _usualness(bone: str) -> tuple[bool, int]:
    """Sort key of bones with the same part, the preferred one first: names without a number, then in the order of the lists above."""
    plain = stem(bone)
    aliases = next(aliases for aliases in (*MIDDLE.values(), *SIDED.values()) if plain in aliases)
    return _is_piece(bone), aliases.index(plain)


def _is_piece(bone: str) -> bool:
    """Whether a name contains a number, as the links of a robot's shoulder with several hinges do."""
    return bone[-1].isdigit()


def part_of(bone: str) -> Part | None:
    """The body part that a bone's name alone identifies; None: the name is not known."""
    name, side = PREFIX.sub("", bone), side_of(bone)
    plain = stem(bone)
    if side:
        sided = SIDED_PARTS.get(plain)
        return Part(side, sided) if sided else None
    if VERTEBRAE.match(name):
        return Part("", "spine")
    middle = PARTS.get(plain)
    return Part("", middle) if middle else None


def side_of(bone: str) -> str:
    """Side that a bone's name contains: "left", "right", or "" for none."""
    match = SIDE.search(PREFIX.sub("", bone))
    if not match:
        return ""
    letter = next(group for group in match.groups() if group)[0].lower()
    return "left" if letter == "l" else "right"


def stem(bone: str) -> str:
    """A bone's name without prefix, side, separators, capitals and trailing number."""
    return _letters(_without_side(bone))


def _without_side(bone: str) -> str:
    return SIDE.sub("", PREFIX.sub("", bone), count=1)


def _plain(name: str) -> str:
    """A name without prefix, separators and capitals; digits and side are kept."""
    return re.sub(r"[^0-9a-z]", "", PREFIX.sub("", name).lower())


def _letters(name: str) -> str:
    """A name without separators and trailing number."""
    return re.sub(r"[\W_]", "", name.rstrip(digits)).lower()


def _tell_rigify(found: dict[Part, list[str]], bones: Parents) -> None:
    """Corrects the parts of a Rigify spine, whose bones from hips to head are all named "spine"."""
    spine = found.get(Part("", "spine"), [])
    if Part("", "hips") in found or not spine or not all(NUMBERED_SPINE.match(PREFIX.sub("", bone)) for bone in spine):
        return
    if spine[0] in bones and len(spine) > 1:
        found[Part("", "hips")] = spine[:1]
        rest = spine[1:]
        if Part("", "head") not in found and len(spine) >= RIGIFY_SPINE:
            found[Part("", "head")] = rest[-1:]
            found[Part("", "neck")] = rest[-1 - RIGIFY_NECK : -1]
            rest = rest[: -1 - RIGIFY_NECK]
        found[Part("", "spine")] = rest


def _disambiguated(found: dict[Part, list[str]], heads: Heads | None) -> dict[Part, list[str]]:
    """Parts whose names are ambiguous, resolved by the other parts on the same side."""
    for side in ("left", "right"):
        all_had = {part.name: bones for part, bones in found.items() if part.side == side}
        for name in all_had:
            del found[Part(side, name)]
        had = {name: bones for name, bones in all_had.items() if not _is_piece(bones[0])}
        for pieces, whole in PIECES.items():
            if whole not in had and pieces in all_had:
                had.setdefault(pieces, all_had[pieces])
        if "shoulder" in had and heads is not None and _is_hinge_of_shoulder(had, heads):
            del had["shoulder"]
        if "shoulder" in had:
            is_arm = "collar" in had or ("elbow" in had and "upper_arm" not in had)
            had.setdefault("upper_arm" if is_arm and "upper_arm" not in had else "collar", had["shoulder"])
        had.setdefault("forearm", had.get("elbow", []))
        had["hand"] = had.get("wrist") or had.get("hand", [])
        if "leg" in had:
            had.setdefault("shin" if "thigh" in had else "thigh", had["leg"])
        if "ankle" in had:
            had.setdefault("toe", had.get("foot", []))
            had["foot"] = had["ankle"]
        for name in ("collar", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"):
            if had.get(name):
                found[Part(side, name)] = had[name][:1]
    for name in ("hips", "head"):
        if Part("", name) in found:
            found[Part("", name)] = found[Part("", name)][:1]
    return found


def _is_hinge_of_shoulder(had: Mapping[str, Sequence[str]], heads: Heads) -> bool:
    """Whether the bone called a shoulder begins where the upper arm does: the link between two hinges of one joint."""
    lower = had.get("elbow") or had.get("forearm")
    if "upper_arm" not in had or not lower:
        return False
    shoulder, upper, elbow = (heads[bones[0]] for bones in (had["shoulder"], had["upper_arm"], lower))
    return dist(shoulder, upper) < COLLAR * dist(upper, elbow)


def _is_part(bone: str, parts_of: Mapping[Part, Sequence[str]]) -> bool:
    return any(bone in bones for bones in parts_of.values())


def _spread(here: Sequence[str], there: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs two lists of bones, both from the root outward, evenly; the last bone with the last."""
    few = min(len(here), len(there))
    return [(here[_place(k, few, len(here))], there[_place(k, few, len(there))]) for k in range(few)]


def _place(k: int, few: int, many: int) -> int:
    return round((k + 1) * many / few) - 1
