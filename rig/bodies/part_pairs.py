"""Pairs the bones of one body part, such as a finger, in two bodies. Does not use Blender."""

from collections.abc import Collection, Sequence

from .finger_names import FINGERS
from .part_names import BodyPart, words

SEVERAL = ("spine", "neck")  # parts that may consist of several bones
JOINTS = 3  # number of a finger's joints


def part_pairs(part: BodyPart, sources: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Source bone of each target bone of one part; without target bones that have none.

    Args:
        part: The part.
        sources: Its bones in the source, from the root outward. Of a stream, whose hierarchy is not known,
            only the bones of fingers are in this order.
        targets: Its bones in the target, from the root outward.
    """
    alike = _called_alike(sources, targets)
    if part.name in SEVERAL:
        return alike if len(alike) == len(sources) == len(targets) else _distributed(sources, targets)
    if alike and part.name in FINGERS and not _are_renumbered(sources, targets, alike):
        return alike
    return dict(zip(targets, sources, strict=False))


def plain(name: str) -> str:
    """A name in lower case without prefix and separators; digits and side remain."""
    return "".join(words(name))


def _called_alike(sources: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Source bone of each target bone with an equal plain name, each for one target bone only."""
    alike = {plain(bone): bone for bone in reversed(sources)}
    return {bone: source for bone in targets if (source := alike.pop(plain(bone), ""))}


def _are_renumbered(sources: Sequence[str], targets: Sequence[str], alike: Collection[str]) -> bool:
    """Whether two bodies have all joints of a finger but name them by different conventions, so that equal
    names may mean different joints: in VRM 0 "ThumbProximal" is a thumb's first joint, in VRM 1 its second.
    If a finger lacks a joint, or has all names of the other, equal names mean the same joint.
    """
    return JOINTS <= min(len(sources), len(targets)) > len(alike)


def _distributed(sources: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Source bones of target bones, evenly distributed over the longer list, the last of one list to the last
    of the other.
    """
    few = min(len(sources), len(targets))
    return {targets[_index(k, few, len(targets))]: sources[_index(k, few, len(sources))] for k in range(few)}


def _index(k: int, few: int, many: int) -> int:
    """Index among `many` bones of the k-th of `few`, at even distances; the last is the last of both."""
    return round((k + 1) * many / few) - 1
