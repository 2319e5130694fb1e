"""The mechanism's proxy: a hidden armature whose bones carry the poses of bodies; objects and bones copy it by their last constraint.

Constraints do not change channels, so keyframes, undo and saved files keep the authored pose.
"""

from collections.abc import Iterator

import bpy

from ..blender import presence
from ..reading.mechanism.poses import matrix_of
from ..reading.mechanism.reading import Part, Reading
from . import proxy as hidden

CONSTRAINT = "Limber (mechanism)"
TITLE = "Limber Mechanism"
MARK = "limber_mechanism_of"  # custom property of the proxy and its armature: the owner's session_uid


def find(owner) -> bpy.types.Object | None:
    """The owner's proxy, found by name; None if there is none."""
    made = bpy.data.objects.get(_title(owner))
    return made if made is not None and made.get(MARK) == owner.session_uid else None


def _title(owner) -> str:
    return f"{TITLE} {owner.session_uid}"


def attach(owner, reading: Reading) -> bpy.types.Object:
    """Attaches all bodies of the mechanism to its proxy, which is made if it is missing; returns the proxy."""
    names = [str(k) for k, _ in reading.shown_parts]
    made = find(owner)
    if made is None or [bone.name for bone in made.pose.bones] != names:
        discard_others([thing[MARK] for thing in bpy.data.objects if MARK in thing and thing[MARK] != owner.session_uid])
        made = hidden.hidden_armature(_title(owner), names)
        made[MARK] = made.data[MARK] = owner.session_uid
    holders = [holder_of(part) for _, part in reading.shown_parts]
    for holder in _followers(made):  # copies of bodies, made by the user while live
        if holder not in holders:
            hidden.release(holder, CONSTRAINT)
    for (k, _), holder in zip(reading.shown_parts, holders, strict=True):
        if holder is not None and not hidden.copies(holder, made, str(k), CONSTRAINT):
            hidden.copy(holder, made, str(k), CONSTRAINT, "WORLD")
    return made


def _holders() -> Iterator:
    """All objects and bones of the file that can have a constraint."""
    for thing in bpy.data.objects:
        if thing.library is None:
            yield from (thing, *(thing.pose.bones if thing.type == "ARMATURE" and thing.pose else ()))


def _followers(made) -> list:
    """Objects and bones that copy a proxy."""
    return [one for one in _holders() if any(held.name.startswith(CONSTRAINT) and held.target == made for held in one.constraints)]


def is_attached(owner, reading: Reading) -> bool:
    """Whether all bodies of the mechanism copy its proxy."""
    made = find(owner)
    return made is not None and all(
        (holder := holder_of(part)) is None or hidden.copies(holder, made, str(k), CONSTRAINT) for k, part in reading.shown_parts
    )


def holder_of(part: Part):
    """The object or pose bone that has the constraint to the proxy for a body; None: it was deleted."""
    thing = presence.find(part.thing, part.uid)
    if thing is None or not part.bone:
        return thing
    return thing.pose.bones.get(part.bone)


def write(made, reading: Reading, base, poses) -> None:
    """Shows bodies at poses (b, 4, 4) in the mechanism's base frame `base` (4, 4)."""
    rotations: list[float] = []
    locations: list[float] = []
    scales: list[float] = []
    for k, part in reading.shown_parts:
        location, rotation, _ = matrix_of(part.world(base, poses[k])).decompose()
        rotations.extend(rotation)
        locations.extend(location)
        scales.extend(part.scale)
    hidden.write(made, rotations, locations, scales)


def discard_others(owners: list[int]) -> None:
    """Removes all proxies and their constraints, except those of the owners with these session_uids."""
    for holder in _holders():
        for constraint in [held for held in holder.constraints if held.name.startswith(CONSTRAINT)]:
            if constraint.target is None or constraint.target.get(MARK) not in owners:
                holder.constraints.remove(constraint)
    hidden.sweep([thing for thing in bpy.data.objects if MARK in thing and thing[MARK] not in owners], MARK)
