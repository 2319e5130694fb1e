"""The first bone of a chain: a child of the bone from which standing limbs branch, so that the chain does not
move the feet.
"""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ..bodies.part_names import read, short_names
from ..bones import imported_robot
from ..bones.figure import REACH, Figure
from ..bones.joint_axes import joint_axes


class Line(NamedTuple):
    """Bones from an end upward that a chain may have by the structure of the figure."""

    bones: list[str]  # names of the bones, from the end upward
    # why the chain begins at the last of these bones, as part of a sentence; "" if they reach the top of the
    # path
    why: str


def line(rig: bpy.types.Object, upward: Sequence[str], figure: Figure | None = None) -> Line:
    """The bones of a path from an end upward that a chain may have.

    They end before the bone from which standing limbs branch, or before a control that only positions the
    whole figure. A bone with a single joint does not end them, nor does any bone of an imported robot: there
    the joint carries the limbs.

    Args:
        rig: The armature object.
        upward: Names of the path's bones, from the end upward.
        figure: The armature's figure; None: it is read.
    """
    if imported_robot.is_robot(rig):
        return Line(list(upward), "")
    figure = figure or Figure(rig)
    standing, total = figure.standing(upward), 0
    limbs = standing or _carried_legs(figure, upward)
    for k, name in enumerate(upward[1:], 1):
        total += len(limbs.get(name, ()))
        if len(joint_axes(rig.pose.bones[name])) == 1:
            continue
        if total:
            branch, is_single = next(name for name in upward if name in limbs), total == 1
            if standing:
                why = f"{'a limb stands' if is_single else 'limbs stand'} below '{branch}'"
            else:
                why = f"{'a leg hangs' if is_single else 'legs hang'} from '{branch}'"
            return Line(list(upward[:k]), why)
        if _is_root_control(figure, name, upward[k - 1]):
            return Line(list(upward[:k]), f"'{name}' only places the figure")
    return Line(list(upward), "")


def _carried_legs(figure: Figure, upward: Sequence[str]) -> dict[str, set[int]]:
    """Bones of the line `upward` from which legs branch, each with the indices of the legs' foot bones, which
    are found by name: so also legs that do not reach the ground, as those of a figure that flies.
    """
    parts = {bone: read(short_name).part for bone, short_name in short_names(figure.names).items()}
    feet = {bone for bone, part in parts.items() if part is not None and part.name == "foot"}
    legs: dict[str, set[int]] = {}
    for bone in feet.difference(upward):
        k = figure.index[bone]
        above = [name for name in figure.controls.upstream(bone) if name not in feet]
        branch = next((name for name in above if name in upward), "")
        # a foot on the trunk itself, without a leg, is a control; one with a foot below ends no leg
        ends_leg = above[:1] != [branch] and feet.isdisjoint(figure.names[b] for b in figure.below(k)[1:])
        if ends_leg and branch not in {"", upward[0]}:
            legs.setdefault(branch, set()).add(k)
    return legs


def _is_root_control(figure: Figure, name: str, below: str) -> bool:
    """Whether a bone only positions the whole figure, as a root control does: the bone `below` deforms, and
    neither this bone nor those above it do; or it is the top bone and lies on the ground, away from `below`.
    """
    bones = figure.rig.data.bones
    if bones[below].use_deform and not any(
        bone.use_deform for bone in (bones[name], *bones[name].parent_recursive)
    ):
        return True
    k, child = figure.index[name], figure.index[below]
    gaps = [float(np.linalg.norm(end - figure.heads[child])) for end in (figure.heads[k], figure.tails[k])]
    return (
        figure.parent[k] < 0
        and bool(figure.low[k])
        and not figure.low[child]
        and min(gaps) > REACH * figure.size
    )
