"""The mechanism's proxy: a hidden armature whose bones carry the poses of bodies; objects and bones copy it
by their last constraint.
"""

from collections.abc import Collection, Iterator

import bpy
import numpy as np

from ..blender import presence
from ..mechanisms.authored_mechanism import Part, Reading
from ..mechanisms.poses import matrix_of
from . import proxy as hidden

CONSTRAINT = "Limber (mechanism)"
MARK = "limber_mechanism_of"
MECHANISMS = hidden.Proxies("Limber Mechanism", MARK, CONSTRAINT, "WORLD")


def attach(owner: bpy.types.Object, reading: Reading) -> bpy.types.Object:
    """Attaches all bodies of the mechanism to its proxy, which is made if it is missing, and releases other
    objects and bones that copy it; returns the proxy.
    """
    holders = _holders(reading)
    proxy = MECHANISMS.attach(owner, holders)
    for holder in _possible_holders():  # releases bodies that the user copied during live motion
        if holder not in holders.values() and any(
            constraint.name.startswith(CONSTRAINT) and constraint.target == proxy
            for constraint in holder.constraints
        ):
            MECHANISMS.release(holder)
    return proxy


def _holders(reading: Reading) -> dict:
    """Object or pose bone that copies each bone of the proxy, by the bone's name; None if it was deleted."""
    return {str(k): holder_of(part) for k, part in reading.shown_parts}


def _possible_holders() -> Iterator:
    """All objects and pose bones of the file: each may have a constraint to a proxy."""
    for obj in bpy.data.objects:
        if obj.library is None:
            yield from (obj, *(obj.pose.bones if obj.type == "ARMATURE" and obj.pose else ()))


def is_attached(owner: bpy.types.Object, reading: Reading) -> bool:
    """Whether all bodies of the mechanism copy its proxy."""
    return MECHANISMS.is_attached(owner, _holders(reading))


def holder_of(part: Part) -> bpy.types.Object | bpy.types.PoseBone | None:
    """The object or pose bone that has the constraint to the proxy for a body; None if it was deleted."""
    obj = presence.find(part.object_name, part.uid)
    if obj is None or not part.bone:
        return obj
    return obj.pose.bones.get(part.bone)


def write(proxy: bpy.types.Object, reading: Reading, base: np.ndarray, poses: np.ndarray) -> None:
    """Shows bodies at poses (b, 4, 4) in the mechanism's base frame, whose world matrix is `base` (4, 4)."""
    rotations: list[float] = []
    locations: list[float] = []
    scales: list[float] = []
    for k, part in reading.shown_parts:
        location, rotation, _ = matrix_of(part.world(base, poses[k])).decompose()
        rotations.extend(rotation)
        locations.extend(location)
        scales.extend(part.scale)
    hidden.write(proxy, rotations, locations, scales)


def discard_others(owners: Collection) -> None:
    """Removes all proxies and their constraints, except those of these owners."""
    MECHANISMS.discard_others(owners)
    for holder in _possible_holders():
        if any(c.name.startswith(CONSTRAINT) and c.target is None for c in holder.constraints):
            MECHANISMS.release(holder)
