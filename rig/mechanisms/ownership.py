"""Joints and bodies of a mechanism: its owner lists the joints' objects, and these point to the bodies that
they connect.

Blender redirects pointers among objects that are duplicated, appended or overridden together, so a copied
mechanism lists its own joints.
"""

from collections.abc import Iterator

import bpy

from ..blender.presence import is_deleted
from .owners import has_mechanism

NONE = "NONE"  # kind of an object that has no Limber joint


def is_joint(obj: bpy.types.Object) -> bool:
    """Whether an object is a joint: a rigid body constraint, or an empty with a Limber joint."""
    return obj.rigid_body_constraint is not None or obj.limber.part.kind != NONE


def kind_text(obj: bpy.types.Object) -> str:
    """Kind of a joint object as text for the interface; "" if the object is no joint."""
    constraint, part = obj.rigid_body_constraint, obj.limber.part
    owner_of_kind, name = (constraint, "type") if constraint is not None else (part, "kind")
    return (
        ""
        if owner_of_kind == part and part.kind == NONE
        else owner_of_kind.bl_rna.properties[name].enum_items[getattr(owner_of_kind, name)].name
    )


def ends(joint: bpy.types.Object) -> tuple:
    """The two bodies of a joint object; None stands for the world."""
    constraint, part = joint.rigid_body_constraint, joint.limber.part
    return (constraint.object1, constraint.object2) if constraint is not None else (part.first, part.second)


def role_of(obj: bpy.types.Object) -> str:
    """Role of an object as a body: GROUND, DRIVEN, or MOVES if the mechanism moves it."""
    role = obj.limber.part.role
    if role != "AUTO":
        return role
    rigid_body = obj.rigid_body
    if rigid_body is not None and rigid_body.type == "PASSIVE":
        return "DRIVEN" if rigid_body.kinematic else "GROUND"
    return "MOVES"


def joint_objects(owner: bpy.types.Object) -> list:
    """Objects of the enabled joints that a mechanism's owner lists."""
    return [
        joint.object for joint in owner.limber.mechanism.joints if joint.enabled and joint.object is not None
    ]


def deleted_joints(owner: bpy.types.Object) -> list[str]:
    """Names of joints in the owner's list whose objects were deleted."""
    return [
        joint.name
        for joint in owner.limber.mechanism.joints
        if joint.object is None or is_deleted(joint.object)
    ]


def add_joint(owner: bpy.types.Object, joint_object: bpy.types.Object) -> None:
    """Adds a joint object to the list of the mechanism's joints."""
    joint = owner.limber.mechanism.joints.add()
    joint.name, joint.object = joint_object.name, joint_object


def bodies(owner: bpy.types.Object) -> list:
    """Objects that the mechanism's joints connect."""
    body_by_uid = {
        body.session_uid: body for joint in joint_objects(owner) for body in ends(joint) if body is not None
    }
    return list(body_by_uid.values())


def owners(scene: bpy.types.Scene) -> Iterator:
    """The objects of a scene that own a mechanism."""
    return (obj for obj in scene.objects if has_mechanism(obj))


def owner_of(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """Owner of the mechanism that has an object as a joint or body, or the object itself if it is an owner;
    None if there is none.
    """
    if has_mechanism(obj):
        return obj
    return next((owner for owner in owners(scene) if _is_part(obj, owner)), None)


def owner_at_hand(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """Owner of the mechanism that an object belongs to: as a joint, body or target, or as a child of such an
    object; None if the object belongs to no mechanism.

    An armature belongs to its own mechanism only. Panels call this in every redraw.
    """
    if has_mechanism(obj) or obj.type == "ARMATURE":
        return obj if has_mechanism(obj) else None
    mechanism_owners = list(owners(scene))
    while obj is not None:
        for owner in mechanism_owners:
            if (
                obj == owner
                or any(goal.target == obj for goal in owner.limber.mechanism.goals)
                or _is_part(obj, owner)
            ):
                return owner
        obj = obj.parent
    return None


def _is_part(obj: bpy.types.Object, owner: bpy.types.Object) -> bool:
    """Whether an object is a joint or a body of an owner's mechanism."""
    listed = (joint.object for joint in owner.limber.mechanism.joints)
    return any(obj == joint or obj in ends(joint) for joint in listed if joint is not None)
