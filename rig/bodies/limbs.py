"""Finds body parts by the positions of bones: spine, neck and head in the plane of symmetry, standing legs,
and arms that branch above them.
"""

from collections.abc import Sequence

import bpy
import numpy as np

from ..bones.figure import Figure
from .part_names import BodyPart, side_of

ARM = 0.15  # smallest length of an arm with its hand, as a share of the figure's size; ears are shorter
HAND = 0.3  # largest length of a hand or foot with its fingers or toes, as a share of the limb's
# share of a limb's length: joints within this distance count as hinges of one anatomical joint, and the last
# of them as the one that carries the limb
COINCIDE = 0.05
UP = np.array((0.0, 0.0, 1.0))


def parts(rig: bpy.types.Object) -> dict[BodyPart, list[str]]:
    """Names of the bones of each body part, from the root outward, by an armature's rest pose; empty
    if the figure is not symmetrical or has no pair of legs.
    """
    figure = Figure(rig)
    if figure.front is None or not figure.trunk:
        return {}
    top = max(sorted(figure.trunk), key=lambda k: figure.tips[k][2])
    line = _upward(figure, top)
    legs = _branching(figure, line, stands=True)
    if not legs:
        return {}
    hips = max(legs, key=line.index)  # if there are two pairs of legs, the hind legs
    above = line[: line.index(hips)]
    arms = _branching(figure, above, stands=False)
    shoulders = max(arms, key=lambda k: _reach(figure, arms[k]), default=hips)
    carried = above[: above.index(shoulders)] if shoulders in above else above
    middle = {
        "head": carried[:1],
        "neck": carried[1:][::-1],
        "spine": [k for k in above if k not in carried][::-1],
        "hips": [hips],
    }
    by_part = {
        BodyPart("", name): [figure.names[k] for k in bones] for name, bones in middle.items() if bones
    }
    for branch, names in (
        (legs[hips], ("thigh", "shin", "foot", "toe")),
        (arms.get(shoulders, ()), ("upper_arm", "forearm", "hand")),
    ):
        for k in branch:
            by_part |= _limb(figure, k, names)
    return by_part


def _limb(figure: Figure, k: int, names: Sequence[str]) -> dict[BodyPart, list[str]]:
    """The parts of a limb that begins with bone `k`; `names` are its parts from the trunk outward. The limb's
    side is taken from a bone's name, else from its position.
    """
    limb = _upward(figure, _farthest(figure, k))
    path = limb[: limb.index(k) + 1][::-1]
    named_side = next(filter(None, (side_of(figure.names[bone]) for bone in path)), "")
    side = named_side or ("left" if _is_left(figure, k) else "right")
    halves = zip(names, _halves(figure, path), strict=False)
    return {BodyPart(side, name): [figure.names[bone]] for name, bone in halves}


def _upward(figure: Figure, k: int) -> list[int]:
    """Indices of a bone and its ancestors, the root last."""
    line = [k]
    while figure.parent[line[-1]] >= 0:
        line.append(figure.parent[line[-1]])
    return line


def _branching(figure: Figure, line: Sequence[int], *, stands: bool) -> dict[int, list[int]]:
    """Bones of the path `line` from which limbs branch in pairs -> both first bones of the longest pair.
    Limbs that stand on the ground if `stands`, else the others that have at least an arm's length (`ARM`).
    """
    pairs: dict[int, list[int]] = {}
    for k in line:
        limbs = [
            child
            for child in figure.children[k]
            if child not in line and figure.image.get(child, -1) not in {-1, child}
        ]
        limbs = [
            child for child in limbs if bool(any(figure.low[bone] for bone in figure.below(child))) == stands
        ]
        longest = max(limbs, key=lambda child: _reach(figure, [child]), default=None)
        if longest is not None and (stands or _reach(figure, [longest]) >= ARM * figure.size):
            pairs[k] = [longest, figure.image[longest]]
    return pairs


def _reach(figure: Figure, limbs: Sequence[int]) -> float:
    """Distance [m] from the head of a limb's first bone to its farthest tip, the largest of several limbs; 0
    without limbs.
    """
    return max(
        (float(np.linalg.norm(figure.tips[_farthest(figure, k)] - figure.heads[k])) for k in limbs),
        default=0.0,
    )


def _farthest(figure: Figure, k: int) -> int:
    """Index of the bone, `k` or one below it, whose tip is farthest from the head of bone `k`."""
    return max(figure.below(k), key=lambda bone: float(np.linalg.norm(figure.tips[bone] - figure.heads[k])))


def _is_left(figure: Figure, k: int) -> bool:
    """Whether the limb that begins with bone `k` is on the figure's left side."""
    middle = (figure.heads[k] + figure.heads[figure.image[k]]) / 2
    tip = figure.tips[_farthest(figure, k)]
    return bool((tip - middle) @ np.cross(UP, figure.front) > 0)


def _halves(figure: Figure, path: list[int]) -> list[int]:
    """Bones of a limb's upper half, lower half and end, and the bone beyond the end if there is one, found by
    lengths among the bones `path` of the limb, given as indices from the trunk outward. Empty if the limb
    has too few bones.
    """
    joints = np.array([*figure.heads[path], figure.tips[path[-1]]])
    gaps = np.linalg.norm(np.diff(joints, axis=0), axis=1)
    lengths = gaps[::-1].cumsum()[::-1]  # length [m] from each joint to the tip
    end = _end(figure, path, lengths)
    same = COINCIDE * lengths[0]
    span = lambda a, b: float(np.linalg.norm(joints[b] - joints[a]))  # noqa: E731
    shorter = {(a, b): min(span(a, b), span(b, end)) for b in range(1, end) for a in range(b)}
    if not shorter:
        return []
    most = max(shorter.values())
    first, middle = max(halves for halves, length in shorter.items() if length >= most - same)
    while not figure.is_anatomical and end + 1 < len(path) and span(end, end + 1) < same:
        end += 1
    return [path[k] for k in (first, middle, end, end + 1) if k < len(path)]


def _end(figure: Figure, path: list[int], lengths: np.ndarray) -> int:
    """Index in a limb's path of its foot or hand: the first joint on the ground, else the first near the tip.
    `lengths`: length [m] from each joint to the tip. The path's length if there is none.
    """
    joints = range(2, len(path))
    on_ground = (k for k in joints if figure.low[path[k]] and figure.heads[path[k]][2] <= figure.ground)
    near_tip = (k for k in joints if lengths[k] <= HAND * lengths[0])
    return next(on_ground, next(near_tip, len(path)))
