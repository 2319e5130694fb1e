"""Joints of a body's fingers, from the palm outward, by names and hierarchy. Does not use Blender.

Conventions number a finger's joints from 0 or from 1, or name them after bones, and these names
differ too: a thumb has the joints proximal, intermediate and distal in Unity and VRM 0, and metacarpal,
proximal and distal in VRM 1, Godot and OpenXR. A joint is therefore known by its position among the bones of
its finger: by their hierarchy or, where that is not known, as in a stream, by their names. Bones in the palm
and tips are no joints, and neither are a robot's links, which are hinges.
"""

from collections.abc import Collection, Container, Mapping

from .finger_names import FINGERS, NONE, FingerName, read_finger
from .part_names import BodyPart, Parents, deforming, short_names

MOST = 4  # largest number of a finger's bones, with its tip; fingers with more are left out


def fingers(bones: Parents, among: Container[BodyPart] | None = None) -> dict[BodyPart, list[str]]:
    """Joints of each finger, from the palm outward. Fingers whose joints cannot be told from their other
    bones are left out.

    Args:
        bones: Parent of each of a body's bones, in any order.
        among: Fingers of interest; None for all.
    """
    short = short_names(deforming(bones))
    named = {bone: name for bone in short if (name := read_finger(short[bone]))}
    numbers = _numbers(named, bones)
    order = _finger_by_number({number for number, _ in numbers.values()}, named.values())
    joints: dict[BodyPart, dict[str, tuple[int, int]]] = {}
    for bone, name in named.items():
        number, joint = numbers.get(bone, (NONE, name.joint))
        finger = name.finger or order.get(number, "")
        if finger and (finger == "thumb" or not name.is_in_palm):
            joints.setdefault(BodyPart(name.side, finger), {})[bone] = (name.segment, joint)
    lines = {
        part: _joints_in_order(of, bones) for part, of in joints.items() if among is None or part in among
    }
    return {part: line for part, line in lines.items() if line}


def _numbers(named: Mapping[str, FingerName], bones: Parents) -> dict[str, tuple[int, int]]:
    """Bone -> (number of its finger, number of its joint), for bones whose finger is only numbered; without
    bones whose joint is numbered twice.

    The first digit is the finger's, the others are the joint's ("Finger1", "Finger11", "Finger12"); if all
    numbers begin with a zero before other digits, they are the finger's ("finger01", "finger02").
    """
    digits = {bone: name.digits for bone, name in named.items() if name.digits}
    are_padded = all(len(number) > 1 and number[0] == "0" for number in digits.values())
    numbers = {}
    for bone, number in digits.items():
        finger, joint = (number, "") if are_padded else (number[0], number[1:])
        if not joint or named[bone].joint == NONE:
            numbers[bone] = int(finger), int(joint) if joint else named[bone].joint
    return numbers | _of_one_finger({bone: k for bone, (k, joint) in numbers.items() if joint == NONE}, bones)


def _of_one_finger(numbers: Mapping[str, int], bones: Parents) -> dict[str, tuple[int, int]]:
    """Bone -> (number of its finger, number of its joint), for bones that have one number each, if some are
    below others: they are the joints of one finger. Empty if none is below another.
    """
    is_line = any(
        numbers[bone] != numbers[above]
        for bone in numbers
        for above in _ancestors(bone, bones) & numbers.keys()
    )
    return {bone: (min(numbers.values()), joint) for bone, joint in numbers.items()} if is_line else {}


def _finger_by_number(numbers: Collection[int], names: Collection[FingerName]) -> dict[int, str]:
    """Number -> finger. The thumb has 0 or 1; if a thumb is named instead, the lowest number is the index
    finger's. Empty for a single number without a thumb, which may be any finger's, as a mitten's.
    """
    if any(name.finger == "thumb" for name in names):
        return dict(enumerate(list(FINGERS)[1:], min(numbers, default=0)))
    return dict(enumerate(FINGERS, min(1, *numbers))) if len(numbers) > 1 else {}


def _joints_in_order(joints: Mapping[str, tuple[int, int]], bones: Parents) -> list[str]:
    """Names of a finger's joints from the palm outward, each below the one before if any is below another;
    empty if there are too many, or two that their names do not tell apart.

    Args:
        joints: Name of each joint -> (segment, number), which sort joints that are not below one another.
        bones: Parent of each bone.
    """
    if len(joints) > MOST or len(set(joints.values())) < len(joints):
        return []
    above = {bone: _ancestors(bone, bones) & joints.keys() for bone in joints}
    ordered = sorted(joints, key=lambda bone: (len(above[bone]), joints[bone]))
    line = ordered[:1]
    for bone in ordered[1:]:
        if line[-1] in above[bone] or not any(above.values()):
            line.append(bone)
    return line


def _ancestors(bone: str, bones: Parents) -> set[str]:
    """Names of the bones above a bone."""
    ancestors: set[str] = set()
    parent = bones.get(bone)
    while parent is not None:
        ancestors.add(parent)
        parent = bones.get(parent)
    return ancestors
