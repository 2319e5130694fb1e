"""Joints of fingers by their names, from the palm outward. Does not use Blender.

Conventions number a finger's joints from 0 or from 1, or name them after bones, and differ there too: a thumb
has the joints proximal, intermediate and distal in Unity and VRM 0, and metacarpal, proximal and distal in
VRM 1, Godot and OpenXR. A joint is therefore known by its position among the bones of its finger. Bones in
the palm and tips are no joints, and neither are a robot's links, which are hinges.
"""

from collections.abc import Collection, Container, Iterable
from typing import NamedTuple

from .part_names import MOTORS, SIDES, SILENT, BodyPart, deforming, short_names, side_of, words

FINGERS = {  # finger -> its names, from the thumb on
    "thumb": ("thumb", "first", "親指", "拇指", "daumen", "pulgar", "pouce", "pollice", "polegar"),
    "index": ("index", "second", "forefinger", "pointer", "人指", "人差指", "食指", "zeigefinger", "indice"),
    "middle": ("middle", "mid", "third", "中指", "mittelfinger"),
    "ring": ("ring", "fourth", "薬指", "无名指", "ringfinger", "anular", "annulaire", "anulare"),
    "little": ("little", "pinky", "fifth", "小指", "auriculaire", "mignolo"),
}
NAMES = {name: finger for finger, names in FINGERS.items() for name in names}
NUMBERED = "finger"  # its number says which finger it is: "Finger0" or "Finger1" is the thumb
PALM = {"metacarpal", "carpal", "mc", "in"}  # words of bones in the palm, of which the thumb's is a joint
SAID_OF_JOINTS = {"hand", "f", "proximal", "intermediate", "medial", "distal", "pp", "mp", "dp"}
ROBOTS = {"link", "lnk", *MOTORS}  # words of robots' links
MEANINGLESS = {NUMBERED, *SAID_OF_JOINTS, *PALM, *SILENT} - ROBOTS
MOST = 4  # largest number of a finger's bones, with its tip; with more it is not known which are its joints


class FingerName(NamedTuple):
    """What a bone's name says of a finger.

    Attributes:
        side: "left" or "right".
        finger: The finger; "" for one that is only numbered.
        number: The number of such a finger; -1 for others.
        is_in_palm: Whether the bone is in the palm, apart from a thumb's.
    """

    side: str
    finger: str
    number: int
    is_in_palm: bool


def fingers(bones: Iterable[str], among: Container[BodyPart] | None = None) -> dict[BodyPart, list[str]]:
    """Bones of each finger, from the palm outward.

    Args:
        bones: Names of a body's bones, parents before their children.
        among: Fingers of interest; None for all.
    """
    known = {bone: name for bone, short in short_names(deforming(bones)).items() if (name := _read(short))}
    order = _order(known.values())
    joints: dict[BodyPart, list[str]] = {}
    for bone, name in known.items():
        finger = name.finger or order.get(name.number, "")
        if finger and (finger == "thumb" or not name.is_in_palm):
            joints.setdefault(BodyPart(name.side, finger), []).append(bone)
    wanted = joints.keys() if among is None else among
    return {part: named for part, named in joints.items() if part in wanted and len(named) <= MOST}


def _order(names: Collection[FingerName]) -> dict[int, str]:
    """Fingers by their numbers: the lowest is the thumb's or, beside a thumb with a name of its own, the
    index finger's.
    """
    first = min((name.number for name in names if not name.finger), default=0)
    is_thumb_named = any(name.finger == "thumb" for name in names)
    return dict(enumerate(list(FINGERS)[is_thumb_named:], first))


def _read(name: str) -> FingerName | None:
    """What a name says of a finger; None if it names no finger, or has any other word."""
    name_words, side = words(name), side_of(name)
    numbers = [word for word in name_words if word.isdecimal()]
    said = set(name_words) - SIDES.keys() - set(numbers)
    named, rest = said & NAMES.keys(), said - NAMES.keys()
    if not side or len(named) > 1 or not rest <= MEANINGLESS:
        return None
    is_in_palm = not PALM.isdisjoint(rest)
    if named and len(numbers) < 2:
        return FingerName(side, NAMES[named.pop()], -1, is_in_palm)
    if not named and NUMBERED in rest and numbers:  # "Finger12": the finger, then its joint
        return FingerName(side, "", int(numbers[0][0]), is_in_palm)
    return None
