"""Whose the joints are, where several mechanisms have one collection: after Shift D of a whole mechanism its copy is in the same one.

Joints hang together where they share a body that is not Ground. All that hangs together belongs to one owner: to the one that has a motor,
a goal or a joint of its own there, or is a parent of something there; else to the owner of what stands on the same ground; else to the one
that was there first. Blender leads all pointers in what is duplicated to the copies, so a copy has its own joints and bodies.
"""

from dataclasses import dataclass, field

from ...properties.mechanism import NONE
from .owners import has_mechanism


@dataclass
class Group:
    """Joints that hang together; all objects are known by their session_uid."""

    joints: set[int] = field(default_factory=set)
    bodies: set[int] = field(default_factory=set)  # that are not Ground
    grounds: set[int] = field(default_factory=set)
    things: list = field(default_factory=list)  # the objects themselves: joints and bodies that are not Ground

    def has(self, uid: int) -> bool:
        return uid in self.joints or uid in self.bodies


def is_joint(thing) -> bool:
    return thing.rigid_body_constraint is not None or thing.limber.part.kind != NONE


def ends(joint) -> tuple:
    """The bodies of a joint's object; None is the world."""
    held, part = joint.rigid_body_constraint, joint.limber.part
    return (held.object1, held.object2) if held is not None else (part.first, part.second)


def role_of(thing) -> str:
    """What moves a body."""
    role = thing.limber.part.role
    if role != "AUTO":
        return role
    held = thing.rigid_body
    if held is not None and held.type == "PASSIVE":
        return "DRIVEN" if held.kinematic else "GROUND"
    return "MOVES"


def members(owner) -> list:
    """Objects of a mechanism's collection, without the joints and bodies of other mechanisms that have the same collection."""
    collection = owner.limber.mechanism.collection
    if collection is None:
        return []
    things = list(collection.all_objects)
    rivals = _rivals(owner, collection, things)
    if not rivals:
        return things
    own, others = set(), set()
    for group, whose in shared([owner, *rivals], things):
        (own if whose == owner else others).update(group.joints | group.bodies | group.grounds)
    return [thing for thing in things if thing.session_uid in own or thing.session_uid not in others]


def bodies(owner) -> list:
    """Objects that the joints of a mechanism hold."""
    found = {body.session_uid: body for joint in members(owner) if is_joint(joint) for body in ends(joint) if body is not None}
    return list(found.values())


def _rivals(owner, collection, things) -> list:
    """Other owners of the same collection. Copies of an owner are where it is itself."""
    near = {thing.session_uid: thing for among in (things, *(one.objects for one in owner.users_collection)) for thing in among}
    return [thing for thing in near.values() if thing != owner and has_mechanism(thing) and thing.limber.mechanism.collection == collection]


def shared(owners: list, things) -> list[tuple[Group, object]]:
    """What hangs together among objects, and whose it is."""
    owners = sorted(owners, key=lambda owner: owner.session_uid)
    found = [(group, next((owner for owner in owners if _claims(owner, group)), None)) for group in groups(filter(is_joint, things))]
    said = []
    for group, whose in found:
        if whose is None:
            beside = [other for one, other in found if other is not None and one.grounds & group.grounds]
            whose = min(beside or owners, key=lambda owner: owner.session_uid)
        said.append((group, whose))
    return said


def _claims(owner, group: Group) -> bool:
    kept = owner.limber.mechanism
    if any(thing is not None and group.has(thing.session_uid) for thing in (kept.anchor, *(motor.joint for motor in kept.motors))):
        return True
    for goal in kept.goals:
        if any(group.has(thing.session_uid) for thing in _line(goal.body)):
            return True
    return any(owner in _line(thing.parent) for thing in group.things)


def _line(thing) -> list:
    """An object and its ancestors."""
    found = []
    while thing is not None:
        found.append(thing)
        thing = thing.parent
    return found


def groups(joints) -> list[Group]:
    """Joints' objects by what hangs together."""
    found: list[Group] = []
    for joint in joints:
        made = Group({joint.session_uid}, things=[joint])
        for body in ends(joint):
            if body is None:
                continue
            if role_of(body) == "GROUND":
                made.grounds.add(body.session_uid)
            elif body.session_uid not in made.bodies:
                made.bodies.add(body.session_uid)
                made.things.append(body)
        for other in [group for group in found if group.bodies & made.bodies]:
            found.remove(other)
            made = Group(
                other.joints | made.joints, other.bodies | made.bodies, other.grounds | made.grounds, [*other.things, *made.things]
            )
        found.append(made)
    return found


def loose_joints(thing, owner) -> list:
    """Joints that hang together with an object and are a mechanism's only for being in its collection: nothing of its own is among them."""
    found = groups(filter(is_joint, members(owner)))
    near = next((group for group in found if group.has(thing.session_uid)), None)
    if near is None or _claims(owner, near) or not any(_claims(owner, group) for group in found):
        return []
    return [one for one in near.things if one.session_uid in near.joints]


def owner_among(thing, scene):
    """The owner of the mechanism that an object is, or is a part of: joint, body, target, or what else its collection has; else None.

    Panels ask this in every redraw: whose it is among several is looked at only where there are several.
    """
    if has_mechanism(thing):
        return thing
    owners = [owner for owner in scene.objects if has_mechanism(owner) and owner.limber.mechanism.collection is not None]
    near = [owner for owner in owners if owner.limber.mechanism.collection.all_objects.get(thing.name) == thing]
    if not near and thing.type != "ARMATURE":  # an armature may have a mechanism of its own beside
        near = [owner for owner in owners if _is_joined(thing, owner.limber.mechanism.collection.all_objects)]
    if len(near) < 2:
        return near[0] if near else None
    for is_of in (_is_target, _is_own):
        found = next((owner for owner in near if is_of(thing, owner)), None)
        if found is not None:
            return found
    return near[0]


def _is_joined(thing, things) -> bool:
    return any(thing == joint or thing in ends(joint) for joint in things if is_joint(joint))


def _is_target(thing, owner) -> bool:
    return any(goal.target == thing for goal in owner.limber.mechanism.goals)


def _is_own(thing, owner) -> bool:
    return _is_joined(thing, members(owner))
