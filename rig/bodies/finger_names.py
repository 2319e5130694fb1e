"""Reads from a bone's name to which finger it belongs, and which of its joints it is. Does not use Blender.

Fingers are named, or numbered after the word "finger". Their joints are numbered from 0 or from 1, or named
after bones. A number that Blender adds to a name that is taken, as to an extruded bone's (".001"), is a
joint's. A name with any other word, such as that of a twist bone or a tip, names no joint, and neither does
that of a robot's link, which is a hinge.
"""

import re
from typing import NamedTuple

from .part_names import MOTORS, SIDES, SILENT, side_of, words

# finger -> its names, from the thumb on
FINGERS = {
    "thumb": ("thumb", "first", "親指", "拇指", "daumen", "pulgar", "pouce", "pollice", "polegar"),
    "index": ("index", "second", "forefinger", "pointer", "人指", "人差指", "食指", "zeigefinger", "indice"),
    "middle": ("middle", "mid", "third", "中指", "mittelfinger"),
    "ring": ("ring", "fourth", "薬指", "无名指", "ringfinger", "anular", "annulaire", "anulare"),
    "little": ("little", "pinky", "fifth", "小指", "auriculaire", "mignolo"),
}
NAMES = {name: finger for finger, names in FINGERS.items() for name in names}
NUMBERED = "finger"  # its number says which finger it is: "Finger0" or "Finger1" is the thumb
# words for bones in the palm: the thumb's is its first joint, the other fingers' are left out
PALM = {"metacarpal", "carpal", "mc", "in"}
# word for a bone of a finger -> its position from the palm outward
SEGMENTS = {
    **dict.fromkeys(PALM, 0),
    **dict.fromkeys(("proximal", "pp"), 1),
    **dict.fromkeys(("intermediate", "medial", "mp"), 2),
    **dict.fromkeys(("distal", "dp"), 3),
}
FIRST_SEGMENT = 1  # position of a bone whose name has no such word
# words in the names of a robot's parts; a name with one of them is not read as a finger's
ROBOTS = {"link", "lnk", *MOTORS}
# words in the name of a finger's bone besides those of its finger and side
MEANINGLESS = {NUMBERED, "hand", "f", *SEGMENTS, *SILENT} - ROBOTS
ADDED = re.compile(r"\.(\d{3})$")  # number that Blender adds to a name that is taken
NONE = -1  # number of a joint whose name has none


class FingerName(NamedTuple):
    """What a bone's name says of a finger.

    Attributes:
        side: "left" or "right".
        finger: The finger; "" for one that is only numbered.
        digits: Number of a finger that is only numbered, which may contain the joint's, as in "Finger12"; ""
            for others.
        segment: Position of the bone from the palm outward, by the words of SEGMENTS.
        joint: The joint's own number; NONE if it has none.
        is_in_palm: Whether its words are those of a bone in the palm, as a thumb's first joint may have.
    """

    side: str
    finger: str
    digits: str
    segment: int
    joint: int
    is_in_palm: bool


def read_finger(name: str) -> FingerName | None:
    """What a name says of a finger; None if it names no finger or no side, or has any other word or
    number.
    """
    added = ADDED.findall(name)
    name_words, side = words(ADDED.sub("", name)), side_of(name)
    numbers = [word for word in name_words if word.isdecimal()]
    plain_words = set(name_words) - SIDES.keys() - set(numbers)
    named, rest = plain_words & NAMES.keys(), plain_words - NAMES.keys()
    if not side or len(named) > 1 or not rest <= MEANINGLESS:
        return None
    digits = "" if named or NUMBERED not in rest else "".join(numbers[:1])
    joints = numbers[bool(digits) :] + added
    if not (named or digits) or len(joints) > 1:
        return None
    return FingerName(
        side,
        NAMES[named.pop()] if named else "",
        digits,
        min((SEGMENTS[word] for word in rest & SEGMENTS.keys()), default=FIRST_SEGMENT),
        int(joints[0]) if joints else NONE,
        not PALM.isdisjoint(rest),
    )
