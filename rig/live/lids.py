"""Bones that are eyelids of a live chain."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy

from ...solvers.kinematics.rotations import Quaternion, Vector, about, multiply
from ..bones.axes import UNIT
from ..bones.joint_bones import NO_SCALE


class Lid(NamedTuple):
    """An eyelid in its authored pose.

    Attributes:
        bone: Name of the bone.
        rotation, location: Authored channels of the bone: (w, x, y, z), and [m].
        axis: Axis of the bone about which the lid rotates, a unit vector.
        closed: Angle [rad] about the axis from open to closed.
    """

    bone: str
    rotation: Quaternion
    location: Vector
    axis: Vector
    closed: float


def lid_bones(chain: bpy.types.PropertyGroup) -> list[str]:
    """Names of the existing bones in a chain's list of eyelids, except those that a joint of the chain
    moves.
    """
    joints, bones = {joint.bone for joint in chain.joints}, chain.id_data.pose.bones
    return [lid.bone for lid in chain.eyes.lids if lid.bone in bones and lid.bone not in joints]


def read_lids(shown: bpy.types.Object, chain: bpy.types.PropertyGroup) -> tuple[Lid, ...]:
    """The lids of a chain (those of `lid_bones`) as authored; `shown`: the evaluated armature object."""
    names, lids = lid_bones(chain), []
    for lid in chain.eyes.lids:
        if lid.bone in names:
            location, rotation, _ = shown.pose.bones[lid.bone].matrix_basis.decompose()
            lids.append(Lid(lid.bone, tuple(rotation), tuple(location), UNIT[lid.axis], lid.closed))
    return tuple(lids)


def lid_channels(lids: Sequence[Lid], closed: float) -> dict[str, tuple]:
    """Basis (rotation wxyz, location, scale) of lids by bone. `closed`: 0 for open lids, 1 for closed ones,
    below 0 for lids that are open wider.
    """
    return {
        lid.bone: (multiply(lid.rotation, about(lid.axis, closed * lid.closed)), lid.location, NO_SCALE)
        for lid in lids
    }
