"""What a bone's or link's name says: a side and a body part. Knows no Blender.

A name is split into words, where letters change their case too. Words that say nothing of the part are
dropped: prefixes of rigs and capture systems, "link" and "joint", numbers, and the axis of a robot's hinge
("left_hip_pitch_link" is a hip). What remains names the part, in English, or in Japanese as in MikuMikuDance.
A name with any other word, such as a twist bone's, names none.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple


class Part(NamedTuple):
    """A body part, such as the upper arm, with its side."""

    side: str  # "left", "right" or ""
    name: str


class NameReading(NamedTuple):
    """A name as it is read.

    Attributes:
        part: The body part; None: the name is not known.
        stem: What remains of it, in lower case without separators.
        is_hinge: Whether it names the axis of a hinge.
        number: Its last number; None: it has none.
        rank: Place of the stem among the names of its part: the usual one first.
    """

    part: Part | None
    stem: str
    is_hinge: bool
    number: int | None
    rank: int


# Body part -> its names, the usual one first. `names.parts` resolves the ambiguous ones.
MIDDLE = {
    "hips": (
        "hips",
        "hip",
        "pelvis",
        "rootlink",
        "baselink",
        "torsobase",
        "spinebase",
        "lowerbody",
        "下半身",
        "腰",
    ),
    "waist": ("waist",),  # ambiguous
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
    "neck": ("neck", "lowerneck", "upperneck", "首"),
    "head": ("head", "zhead", "頭"),
}
SIDED = {
    "collar": ("collar", "clavicle", "collarbone", "shoulderblade", "scapula", "clav", "scap", "肩"),
    "shoulder": ("shoulder", "shldr", "sho"),  # ambiguous
    "upper_arm": ("upperarm", "arm", "uparm", "uarm", "zarm", "bicep", "humerus", "腕"),
    "elbow": ("elbow", "el", "ひじ"),
    "forearm": ("forearm", "lowerarm", "lowarm", "larm", "farm", "lfarm"),
    "wrist": ("wrist", "手首"),
    "hand": ("hand", "rubberhand", "gripper", "手"),
    "thigh": ("thigh", "upleg", "upperleg", "uleg", "femur", "hip", "足"),
    "leg": ("leg",),  # ambiguous
    "shin": ("shin", "lowerleg", "lowleg", "lleg", "calf", "shank", "tibia", "knee", "ひざ"),
    "ankle": ("ankle", "ank", "talus", "足首"),
    "foot": ("foot",),  # ambiguous beside an ankle
    "toe": ("toe", "toes", "toebase", "ball", "ballfoot", "forefoot", "つま先"),
}
OTHERS = ("hipjoint",)  # in CMU's clips the bone from the pelvis to a hip
VERTEBRAE = re.compile(r"(?:.*:)?[lt]\d{1,2}", re.IGNORECASE)  # Xsens: L5, L3, T12, T8
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
}
PREFIX = re.compile(
    r"^(?:.*[:|]|mixamorig|valvebiped|biped|bip\d*|def(?=[-_. ])|org(?=[-_."
    r" ])|j_(?:bip|adj)|[mf]_avg|cc_base|cf_[jd]|[\W_])+",
    re.IGNORECASE,
)
SHORT = {"al": ("l", "arm"), "ar": ("r", "arm")}  # Booster's links
SILENT = {
    "link",
    "lnk",
    "joint",
    "jnt",
    "bone",
    "bn",
    "motor",
    "motors",
    "servo",
    "actuator",
    "fk",
    "stretch",
    "bend",
    *"bcjms",
}
AXES = {"pitch", "roll", "yaw", "pan", "tilt", "lift", "flexion", "abduction", "rotation", "p", "x", "y", "z"}
BOUNDARY = re.compile(  # where a capital or a digit begins a word; "LUArm" is a left one
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=(?<![A-Za-z])[LR])(?=[A-Z]{2}[a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
    r"|(?<=[左右])|[\W_]+"
)
PARTS = {alias: (part, rank) for part, aliases in MIDDLE.items() for rank, alias in enumerate(aliases)}
SIDED_PARTS = {alias: (part, rank) for part, aliases in SIDED.items() for rank, alias in enumerate(aliases)}
UNKNOWN: tuple[None, str, int] = (None, "", 0)  # of a name: no part, no stem, no rank


@lru_cache(maxsize=4096)
def read(name: str) -> NameReading:
    """What a name says."""
    if VERTEBRAE.fullmatch(name):
        return NameReading(
            Part("", "spine"), "spine", False, int(re.sub(r"\D", "", name.rpartition(":")[2])), 0
        )
    said, side = words(name), side_of(name)
    numbers = [int(word) for word in said if word.isdecimal()]
    rest = [word for word in said if word not in SIDES and not word.isdecimal()]
    spoken = [word for word in rest if word not in SILENT]
    named = [word for word in spoken if word not in AXES]
    is_hinge, number = len(named) < len(spoken), numbers[-1] if numbers else None
    whole = "".join(rest)
    stems = (whole, "".join(spoken), "".join(named), "".join(reversed(named)))
    part, stem, rank = _known_part(stems, side) if whole not in OTHERS else UNKNOWN
    return NameReading(part, stem or "".join(named) or whole, is_hinge, number, rank)


def _known_part(stems: Iterable[str], side: str) -> tuple[Part | None, str, int]:
    """The body part that the first known one of some stems names, with that stem and its rank."""
    known = SIDED_PARTS if side else PARTS
    for stem in stems:
        if stem in known:
            name, rank = known[stem]
            return Part(side, name), stem, rank
    return UNKNOWN


def side_of(name: str) -> str:
    """Side that a name says: "left", "right", or "" for none."""
    return next((SIDES[word] for word in words(name) if word in SIDES), "")


def words(name: str) -> list[str]:
    """The words of a name in lower case, without prefixes of rigs."""
    split = (word.lower() for word in BOUNDARY.split(PREFIX.sub("", name)) if word)
    return [part for word in split for part in SHORT.get(word, (word,))]
