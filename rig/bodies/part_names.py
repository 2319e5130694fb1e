"""Reads the name of a bone or link: its side and its body part. Does not use Blender.

A name is split into words, also where lower case changes to upper case. Words that do not name the part are
dropped: prefixes of rigs and capture systems, "link" and "joint", numbers, the axis of a robot's hinge
("left_hip_pitch_link" is a hip), and the limb to which a bone belongs ("leg_left_knee_pitch" is a knee). What
remains names the part, in English, German, Spanish, French, Italian, Portuguese, Chinese, or Japanese as in
MikuMikuDance. A name with any other word, such as that of a twist bone, names no part.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from . import translated_names
from .translated_names import with_translations

Parents = Mapping[str, str | None]  # bone -> its parent


class BodyPart(NamedTuple):
    """A body part, such as the upper arm, with its side."""

    side: str  # "left", "right" or ""
    name: str


class NameReading(NamedTuple):
    """What the name of a bone or link says of its body part.

    Attributes:
        part: The body part; None: the name is not known.
        stem: The words that name the part, joined, in lower case.
        is_hinge: Whether the name has the axis of a hinge, or the word for one of the two links of a joint.
        number: The last number in the name; None if it has none.
        rank: Index of the stem among the names of its part, of which the most usual one comes first; 0 if the
            name is not known.
    """

    part: BodyPart | None
    stem: str
    is_hinge: bool
    number: int | None
    rank: int


# Body part -> its names, the usual one first. `names.parts` resolves the ambiguous ones.
MIDDLE = with_translations(
    {
        "hips": (
            "hips",
            "hip",
            "pelvis",
            "rootlink",
            "baselink",
            "linkbase",
            "torsobase",
            "spinebase",
            "lowerbody",
            "下半身",
            "腰",
        ),
        "root": ("root", "base", "body", "trunk"),  # the spine or the hips
        "waist": ("waist",),  # the hips or the spine
        "spine": (
            *(
                "spine",
                "lowerback",
                "upperback",
                "abdomen",
                "chest",
                "torso",
                "ribs",
                "ab",
                "stomach",
                "spinemid",
                "spineshoulder",
                "spinenavel",
                "spinechest",
            ),
            *(
                "lowerabdomen",
                "upperabdomen",
                "lowerchest",
                "upperchest",
                "lowerspine",
                "upperspine",
                "ltorso",
                "mtorso",
                "utorso",
            ),
            *("trunklink", "upperbody", "上半身"),
        ),
        "neck": ("neck", "lowerneck", "upperneck", "necktwist", "首"),
        "head": ("head", "zhead", "頭", "skull", "cranium"),
    }
)
SIDED = with_translations(
    {
        "collar": ("collar", "clavicle", "collarbone", "shoulderblade", "scapula", "clav", "scap", "肩"),
        "shoulder": ("shoulder", "shldr", "sho"),  # the collar or the upper arm
        "upper_arm": ("upperarm", "arm", "uparm", "uarm", "zarm", "bicep", "humerus", "腕", "armhigh"),
        "elbow": ("elbow", "el", "ひじ"),
        "forearm": ("forearm", "lowerarm", "lowarm", "larm", "farm", "lfarm", "ulna", "radius", "armlow"),
        "wrist": ("wrist", "手首"),
        "hand": ("hand", "rubberhand", "palm", "gripper", "手"),
        "thigh": ("thigh", "upleg", "upperleg", "uleg", "femur", "hip", "足"),
        "leg": ("leg",),  # the thigh or the shin
        "shin": ("shin", "lowerleg", "lowleg", "lleg", "calf", "shank", "tibia", "knee", "ひざ"),
        "ankle": ("ankle", "ank", "talus", "足首"),
        "foot": ("foot", "feet", "calcn", "calcaneus"),  # a toe if the leg has a bone called ankle too
        "toe": ("toe", "toes", "toebase", "ball", "ballfoot", "forefoot", "footindex", "つま先"),
    }
)
OTHERS = ("hipjoint",)  # names that name no body part: in CMU's clips the bone from the pelvis to a hip
# names of vertebrae, such as Xsens's L5, L3, T12 and T8
VERTEBRAE = re.compile(r"(?:.*:)?[lt]\d{1,2}", re.IGNORECASE)
SIDES = {
    "left": "left",
    "l": "left",
    "lt": "left",
    "lf": "left",
    "左": "left",
    "right": "right",
    "r": "right",
    "rt": "right",
    "右": "right",
    **translated_names.SIDES,
}
# prefixes of names in capture systems and rigs, which say nothing about the part
PREFIX = re.compile(
    r"^(?:.*[:|]|mixamorig|valvebiped|biped|bip\d*|def(?=[-_. ])|org(?=[-_."
    r" ])|j_(?:bip|adj)|[mf]_avg|cc_base|cf_[jd]|[\W_])+",
    re.IGNORECASE,
)
# abbreviation -> the words that it stands for
SHORT = {
    "al": ("l", "arm"),  # in the names of links of Booster's robots
    "ar": ("r", "arm"),
    "ll": ("l", "leg"),  # legged robots name the axes of their joints "LL_HFE"
    "lr": ("r", "leg"),
    "hr": ("hip", "roll"),
    "haa": ("hip", "aa"),
    "hfe": ("hip", "fe"),
    "kfe": ("knee", "fe"),
    "ffe": ("foot", "fe"),
    "faa": ("foot", "aa"),
}
LIMBS = {"arm", "leg"}  # limbs that may precede the name of a part: "arm_left_elbow"
ENDS_OF_LIMBS = {"hand", "foot"}  # ends of limbs that may precede the part that carries them: "LeftHandWrist"
HALVES = {"upper", "lower"}  # words for the two links of a joint: "left_lower_elbow"
DEFORMING = "DEF-"  # prefix of Rigify's deforming bones; its other bones are controls and mechanisms
MANY = 8  # number of deforming bones from which a rig's other bones count as controls
# share of an armature's names above which a common first word is taken as a prefix without meaning
COMMON = 0.75
FEW = 8  # smallest number of names from which a common first word can be detected
# [letters] shortest name of a part that a letter for the side may precede without a separator: "lknee"
SHORTEST = 3
MOTORS = {"motor", "motors", "servo", "actuator"}
# words that say nothing about the part
SILENT = {
    "link",
    "lnk",
    "joint",
    "jnt",
    "bone",
    "bn",
    *MOTORS,
    "unit",
    "module",
    "assembly",
    "assy",
    "bind",
    "fk",
    "stretch",
    "bend",
    *"bcjms",
}
# words for the axis of a hinge
AXES = {
    *("pitch", "roll", "yaw", "pan", "tilt", "lift", "flexion", "abduction", "rotation", "p", "x", "y", "z"),
    # abbreviations of joint motions such as flexion, extension, adduction and abduction
    *("flex", "fe", "aa", "ie", "pd"),
}
JOINTS = ("waist", "neck", "torso")  # parts without a side, in which an R is the roll axis: "WAIST_R"
ROLL = "r"  # letter of the roll axis, if the side comes earlier in the name: "L_HIP_R"
# a new word begins at a capital or a digit; "LUArm" is a left upper arm
BOUNDARY = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=(?<![A-Za-z])[LR])(?=[A-Z]{2}[a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
    r"|(?<=[左右])|[\W_]+"
)
FIRST_WORD = re.compile(r"[A-Za-z]+\d*[_\-. ]+(?:\d+[_\-. ]+)?")
# name of a part, without a side and with one -> (the part, rank of the name)
PARTS = {alias: (part, rank) for part, aliases in MIDDLE.items() for rank, alias in enumerate(aliases)}
SIDED_PARTS = {alias: (part, rank) for part, aliases in SIDED.items() for rank, alias in enumerate(aliases)}
UNKNOWN: tuple[None, str, int] = (None, "", 0)  # result for an unknown name: no part, no stem, rank 0


def is_axis_alone(name: str) -> bool:
    """Whether a name only names the axis of a hinge, such as "pan_link"."""
    said = [word for word in words(name) if not (word in SILENT or word.isdecimal())]
    return bool(said) and AXES.issuperset(said)


@lru_cache(maxsize=4096)
def read(name: str) -> NameReading:
    """The side, body part and number that a bone's name gives."""
    if VERTEBRAE.fullmatch(name):
        number = int(re.sub(r"\D", "", name.rpartition(":")[2]))
        return NameReading(BodyPart("", "spine"), "spine", False, number, 0)
    return _read_words(words(name), side_of(name))


def _read_words(name_words: Sequence[str], side: str) -> NameReading:
    """As `read`, for the words of a name and its side."""
    rest = [word for word in name_words if not (word in SIDES or word.isdecimal())]
    spoken, named, jointed, half = _narrowed(rest, side)
    whole = "".join(rest)
    stems = (
        whole,
        *map("".join, (spoken, named, reversed(named), jointed, half, _without_limb_ends(jointed, side))),
    )
    part, stem, rank = _known_part(stems, side) if whole not in OTHERS else UNKNOWN
    is_hinge = _has_roll(name_words) or len(named) < len(spoken)
    joints = [stem for stem in stems if stem in JOINTS]
    # an R that is no side is the roll axis: "WAIST_R"
    if part is None and joints and ROLL in name_words:
        (part, stem, rank), is_hinge = _known_part(joints, ""), True
    # the two links of a joint, "upper" and "lower", are both named by the joint
    is_of_half = bool(stem) and stem == "".join(half) != "".join(jointed)
    return NameReading(
        part, stem or "".join(named) or whole, is_hinge or is_of_half, _last_number(name_words), rank
    )


def _without_limb_ends(name_words: Sequence[str], side: str) -> list[str]:
    """The words of a name without those for the ends of limbs; empty for a name without a side."""
    return [word for word in name_words if word not in ENDS_OF_LIMBS] if side else []


def _last_number(name_words: Sequence[str]) -> int | None:
    """The last word that is a number; None if there is none."""
    return next((int(word) for word in reversed(name_words) if word.isdecimal()), None)


def _narrowed(name_words: Sequence[str], side: str) -> tuple[list[str], list[str], list[str], list[str]]:
    """The words of a name in four stages: without words that name no part; then without axes; then without
    limbs; and, if the name has a side, without the words that distinguish the two links of a joint.
    """
    spoken = [word for word in name_words if word not in SILENT]
    named = [word for word in spoken if word not in AXES]
    jointed = [word for word in named if word not in LIMBS]
    return spoken, named, jointed, [word for word in jointed if word not in HALVES] if side else []


def _has_roll(name_words: Sequence[str]) -> bool:
    """Whether the letter of the roll axis, "r", comes after the side in a name."""
    at = next((k for k, word in enumerate(name_words) if word in SIDES), len(name_words))
    return ROLL in name_words[at + 1 :]


def _known_part(stems: Iterable[str], side: str) -> tuple[BodyPart | None, str, int]:
    """The body part named by the first known of these stems, with that stem and its rank; UNKNOWN if none
    is known.
    """
    known = SIDED_PARTS if side else PARTS
    for stem in stems:
        if stem in known:
            name, rank = known[stem]
            return BodyPart(side, name), stem, rank
    return UNKNOWN


def side_of(name: str) -> str:
    """Side in a name: "left", "right", or "" for none."""
    return next((SIDES[word] for word in words(name) if word in SIDES), "")


def words(name: str) -> list[str]:
    """The words of a name in lower case, without prefixes of rigs and with abbreviations written out."""
    split = [word.lower() for word in BOUNDARY.split(PREFIX.sub("", name)) if word]
    name_words = [part for word in split for part in SHORT.get(word, (word,))]
    # "LLEG_ANKLE_R" is the roll of the left ankle
    if name_words[:1] and name_words[0][1:] in LIMBS and len(name_words) > 2:
        name_words[:1] = _side_first(name_words[0])
    if any(word in SIDES for word in name_words):
        return name_words
    return [part for word in name_words for part in _side_first(word)]


def _side_first(word: str) -> tuple[str, ...]:
    """A word whose first letter is a side ("lknee") as two words; any other word as it is."""
    part = word[1:]
    is_sided = word[:1] in {"l", "r"} and len(part) >= SHORTEST and part in SIDED_PARTS
    return (word[0], part) if is_sided else (word,)


def deforming(bones: Iterable[str]) -> list[str]:
    """The bones whose names mark them as deforming, if there are at least `MANY`; else all bones."""
    names = list(bones)
    named = [bone for bone in names if bone.upper().startswith(DEFORMING)]
    return named if len(named) >= MANY else names


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Each name without the first word that nearly all names share, such as a character's name in
    "Robot_LeftArm". No name is shortened to another name; none is if there are fewer than `FEW`, or if the
    word names a side or a body part.
    """
    bones = list(names)
    begins = Counter(
        match[0] for bone in bones if not PREFIX.match(bone) and (match := FIRST_WORD.match(bone))
    )
    begin, count = begins.most_common(1)[0] if begins else ("", 0)
    reading = read(begin)
    is_of_body = reading.part is not None and reading.part.name != "root"  # "Body_" names no part
    if (
        len(bones) < FEW
        or count < COMMON * len(bones)
        or side_of(begin)
        or is_of_body
        or reading.stem in LIMBS
    ):
        return dict(zip(bones, bones, strict=True))
    known = set(bones)
    return {
        bone: short if (short := bone.removeprefix(begin)) and short not in known else bone for bone in bones
    }
