"""Where a chain begins: above the bone from which limbs branch that stand, so that feet stay where
they are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ..bones import imported_robot
from ..bones.figure import REACH, Figure
from ..bones.joint_axes import joint_axes


class Line(NamedTuple):
    """Bones that a chain may have by the figure's structure."""

    bones: list[str]  # from the end upward
    why: str  # why it begins where it does, as part of a sentence; "": at the top of what was given


def line(rig: bpy.types.Object, upward: Sequence[str], figure: Figure | None = None) -> Line:
    """The part of a path that a chain may have.

    It ends below the bone from which limbs branch that stand, and below a control that only places the
    figure. Where such a bone has one joint, that joint is there to carry the limbs, and the line goes on; so
    does that of an imported robot.

    Args:
        rig: The armature object.
        upward: Names of the path's bones, from the end upward.
        figure: The armature's figure; None: it is read.
    """
    if imported_robot.is_robot(rig):
        return Line(list(upward), "")
    figure = figure or Figure(rig)
    stands, total = figure.standing(upward), 0
    for k, name in enumerate(upward[1:], 1):
        total += len(stands.get(name, ()))
        if len(joint_axes(rig.pose.bones[name])) == 1:
            continue
        if total:
            branch = next(name for name in upward if name in stands)
            return Line(
                list(upward[:k]), f"{'legs stand' if total > 1 else 'a limb stands'} below '{branch}'"
            )
        if _only_places(figure, name, upward[k - 1]):
            return Line(list(upward[:k]), f"'{name}' only places the figure")
    return Line(list(upward), "")


def _only_places(figure: Figure, name: str, below: str) -> bool:
    """Whether a bone carries the figure and is no part of it: it and all above it do not deform, or it is the
    top and lies on the ground away from the bone below it.
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
