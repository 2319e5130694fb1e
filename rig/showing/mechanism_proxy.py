"""The hidden armature that carries where a mechanism's bodies are; objects and bones copy it by a constraint, last in their stack.

As with chains, what is authored stays the user's own: a constraint is no channel, so neither keys, undo nor a saved file can take what
is shown for what is authored.
"""

import bpy

from ...solvers.mechanism.frames import inverse
from ..blender import identity
from ..reading.mechanism.poses import matrix_of
from ..reading.mechanism.reading import Part, Reading
from . import proxy as hidden

CONSTRAINT = "Limber (mechanism)"
TITLE = "Limber Mechanism"
MARK = "limber_mechanism_of"  # on the proxy and its armature: the session_uid of the owner


def find(owner) -> bpy.types.Object | None:
    """The owner's proxy, which is called after it: looked for in every update of the scene."""
    made = bpy.data.objects.get(_title(owner))
    return made if made is not None and made.get(MARK) == owner.session_uid else None


def _title(owner) -> str:
    return f"{TITLE} {owner.session_uid}"


def shown_parts(reading: Reading) -> list[tuple[int, Part]]:
    """Bodies that the mechanism moves, by their place in it."""
    return [(k, part) for k, part in enumerate(reading.parts) if part.role == "MOVES"]


def movers(reading: Reading) -> list[tuple[int, Part]]:
    """What is written when the mechanism's motion is kept: its bodies and what they carry, each with its body's place."""
    return [*shown_parts(reading), *reading.carried]


def attach(owner, reading: Reading) -> bpy.types.Object:
    """The owner's proxy, made where it is missing, with all bodies copying it."""
    names = [str(k) for k, _ in shown_parts(reading)]
    made = find(owner)
    if made is None or [bone.name for bone in made.pose.bones] != names:
        discard_others([thing[MARK] for thing in bpy.data.objects if MARK in thing and thing[MARK] != owner.session_uid])
        made = hidden.hidden_armature(_title(owner), names)
        made[MARK] = made.data[MARK] = owner.session_uid
    holders = [holder_of(part) for _, part in shown_parts(reading)]
    for holder in _followers(made):  # copies of bodies, made while live
        if holder not in holders:
            _let_go(holder)
    for (k, _), holder in zip(shown_parts(reading), holders, strict=True):
        if holder is not None and not _copies(holder, made, str(k)):
            _let_go(holder)
            constraint = holder.constraints.new("COPY_TRANSFORMS")
            constraint.name = CONSTRAINT
            constraint.target, constraint.subtarget = made, str(k)
            constraint.owner_space = constraint.target_space = "WORLD"
            constraint.mix_mode = "REPLACE"
            constraint.show_expanded = False
    return made


def _followers(made) -> list:
    """Objects and bones that copy a proxy."""
    return [
        holder
        for thing in bpy.data.objects
        if thing.library is None
        for holder in [thing, *(thing.pose.bones if thing.type == "ARMATURE" and thing.pose else ())]
        if any(held.name.startswith(CONSTRAINT) and held.target == made for held in holder.constraints)
    ]


def is_attached(owner, reading: Reading) -> bool:
    made = find(owner)
    return made is not None and all(
        (holder := holder_of(part)) is None or _copies(holder, made, str(k)) for k, part in shown_parts(reading)
    )


def holder_of(part: Part):
    """What has the constraint: the object or the pose bone; None where it was deleted."""
    thing = identity.find(part.thing, part.uid)
    if thing is None or not part.bone:
        return thing
    return thing.pose.bones.get(part.bone)


def _copies(holder, made, name: str) -> bool:
    last = holder.constraints[-1] if holder.constraints else None
    return last is not None and last.name == CONSTRAINT and last.target == made and last.subtarget == name


def _let_go(holder) -> None:
    for constraint in [held for held in holder.constraints if held.name.startswith(CONSTRAINT)]:
        holder.constraints.remove(constraint)


def write(made, reading: Reading, base, poses) -> None:
    """Shows bodies where they are: poses (b, 4, 4) in the mechanism's base (4, 4)."""
    rotations: list[float] = []
    locations: list[float] = []
    scales: list[float] = []
    for k, part in shown_parts(reading):
        place, turn, _ = matrix_of(world_of(part, base, poses[k])).decompose()
        rotations.extend(turn)
        locations.extend(place)
        scales.extend(part.scale)
    hidden.write(made, rotations, locations, scales)


def world_of(part: Part, base, pose):
    """(4, 4) where the thing that shows a body is in the world, for the body's pose (4, 4) in the base."""
    return base @ pose @ inverse(part.offset)


def discard_others(kept: list[int]) -> None:
    """Every object and bone but those of these owners (session_uids) shows what is authored, and no proxy but theirs is left."""
    for thing in bpy.data.objects:
        for holder in [thing, *(thing.pose.bones if thing.type == "ARMATURE" and thing.pose else ())]:
            for constraint in [held for held in holder.constraints if held.name.startswith(CONSTRAINT)]:
                if thing.library is None and (constraint.target is None or constraint.target.get(MARK) not in kept):
                    holder.constraints.remove(constraint)
    hidden.sweep([thing for thing in bpy.data.objects if MARK in thing and thing[MARK] not in kept], MARK)
