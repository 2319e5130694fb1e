"""Bones that are eyelids of a live chain."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy

from ...solvers.kinematics.rotations import Quaternion, Vector, about, multiply
from ..bones.axes import UNIT
from ..bones.joint_bones import NO_SCALE


class Lid(NamedTuple):
    """An eyelid: the bone's authored rotation and location, its axis, and its rotation [rad] from open to
    closed.
    """

    bone: str
    rotation: Quaternion
    location: Vector
    axis: Vector
    closed: float


def lid_bones(chain: bpy.types.PropertyGroup) -> list[str]:
    """Names of the bones that are eyelids of a chain with eyes, except those that a joint of the chain
    moves.
    """
    joints, bones = {joint.bone for joint in chain.joints}, chain.id_data.pose.bones
    return [lid.bone for lid in chain.eyes.lids if lid.bone in bones and lid.bone not in joints]


def read_lids(shown: bpy.types.Object, chain: bpy.types.PropertyGroup) -> tuple[Lid, ...]:
    """The lids of a chain as authored; `shown`: the evaluated armature object."""
    names, lids = lid_bones(chain), []
    for lid in chain.eyes.lids:
        if lid.bone in names:
            location, rotation, _ = shown.pose.bones[lid.bone].matrix_basis.decompose()
            lids.append(Lid(lid.bone, tuple(rotation), tuple(location), UNIT[lid.axis], lid.closed))
    return tuple(lids)


def lid_channels(lids: Sequence[Lid], closed: float) -> dict[str, tuple]:
    """Basis of lids (rotation (w, x, y, z), location, scale) by bone; `closed`: 0 open, 1 closed."""
    return {
        lid.bone: (multiply(lid.rotation, about(lid.axis, closed * lid.closed)), lid.location, NO_SCALE)
        for lid in lids
    }
