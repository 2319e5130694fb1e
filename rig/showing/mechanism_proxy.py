"""The mechanism's proxy: a hidden armature whose bones carry the poses of bodies; objects and bones copy it
by their last constraint.

Constraints do not change channels, so keyframes, undo and saved files keep the authored pose.
"""

from collections.abc import Iterator

import bpy

from ..blender import presence
from ..mechanisms.authored_mechanism import Part, Reading
from ..mechanisms.poses import matrix_of
from . import proxy as hidden

CONSTRAINT = "Limber (mechanism)"
TITLE = "Limber Mechanism"
MARK = "limber_mechanism_of"  # custom property of the proxy and its armature: the owner's session_uid


def find(owner) -> bpy.types.Object | None:
    """The owner's proxy, found by name; None if there is none."""
    proxy = bpy.data.objects.get(_title(owner))
    return proxy if proxy is not None and proxy.get(MARK) == owner.session_uid else None


def _title(owner) -> str:
    return f"{TITLE} {owner.session_uid}"


def attach(owner, reading: Reading) -> bpy.types.Object:
    """Attaches all bodies of the mechanism to its proxy, which is made if it is missing; returns
    the proxy.
    """
    names = [str(k) for k, _ in reading.shown_parts]
    proxy = find(owner)
    if proxy is None or [bone.name for bone in proxy.pose.bones] != names:
        discard_others(
            [obj[MARK] for obj in bpy.data.objects if MARK in obj and obj[MARK] != owner.session_uid]
        )
        proxy = hidden.hidden_armature(_title(owner), names)
        proxy[MARK] = proxy.data[MARK] = owner.session_uid
    holders = [holder_of(part) for _, part in reading.shown_parts]
    for holder in _followers(proxy):  # copies of bodies, made by the user while live
        if holder not in holders:
            hidden.release(holder, CONSTRAINT)
    for (k, _), holder in zip(reading.shown_parts, holders, strict=True):
        if holder is not None and not hidden.copies(holder, proxy, str(k), CONSTRAINT):
            hidden.copy(holder, proxy, str(k), CONSTRAINT, "WORLD")
    return proxy


def _holders() -> Iterator:
    """All objects and bones of the file that can have a constraint."""
    for obj in bpy.data.objects:
        if obj.library is None:
            yield from (obj, *(obj.pose.bones if obj.type == "ARMATURE" and obj.pose else ()))


def _followers(proxy) -> list:
    """Objects and bones that copy a proxy."""
    return [
        holder
        for holder in _holders()
        if any(
            constraint.name.startswith(CONSTRAINT) and constraint.target == proxy
            for constraint in holder.constraints
        )
    ]


def is_attached(owner, reading: Reading) -> bool:
    """Whether all bodies of the mechanism copy its proxy."""
    proxy = find(owner)
    return proxy is not None and all(
        (holder := holder_of(part)) is None or hidden.copies(holder, proxy, str(k), CONSTRAINT)
        for k, part in reading.shown_parts
    )


def holder_of(part: Part):
    """The object or pose bone that has the constraint to the proxy for a body; None: it was deleted."""
    obj = presence.find(part.thing, part.uid)
    if obj is None or not part.bone:
        return obj
    return obj.pose.bones.get(part.bone)


def write(proxy, reading: Reading, base, poses) -> None:
    """Shows bodies at poses (b, 4, 4) in the mechanism's base frame `base` (4, 4)."""
    rotations: list[float] = []
    locations: list[float] = []
    scales: list[float] = []
    for k, part in reading.shown_parts:
        location, rotation, _ = matrix_of(part.world(base, poses[k])).decompose()
        rotations.extend(rotation)
        locations.extend(location)
        scales.extend(part.scale)
    hidden.write(proxy, rotations, locations, scales)


def discard_others(owners: list[int]) -> None:
    """Removes all proxies and their constraints, except those of the owners with these session_uids."""
    for holder in _holders():
        for constraint in [c for c in holder.constraints if c.name.startswith(CONSTRAINT)]:
            if constraint.target is None or constraint.target.get(MARK) not in owners:
                holder.constraints.remove(constraint)
    hidden.sweep([obj for obj in bpy.data.objects if MARK in obj and obj[MARK] not in owners], MARK)
