"""Search for the joints of a mechanism: those connected with each other, and those in a collection."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy

from ...blender.errors import RigError
from ...mechanisms import joints
from ...mechanisms.ownership import ends, is_joint, owner_of, owners, role_of


@dataclass
class Group:
    """Joints that are connected by bodies other than Ground. Objects are identified by their session_uid."""

    joints: set[int] = field(default_factory=set)
    bodies: set[int] = field(default_factory=set)  # bodies other than Ground
    grounds: set[int] = field(default_factory=set)
    joint_objects: list = field(default_factory=list)  # objects of the joints

    def touches(self, uids: set[int]) -> bool:
        """Whether an object with one of these session_uids is a joint or body of the group."""
        return bool(uids & (self.joints | self.bodies | self.grounds))


def groups(joint_objects: Iterable) -> list[Group]:
    """Groups of joint objects that bodies other than Ground connect with each other."""
    all_groups: list[Group] = []
    for joint in joint_objects:
        new_group = Group({joint.session_uid}, joint_objects=[joint])
        for body in ends(joint):
            if body is not None:
                (new_group.grounds if role_of(body) == "GROUND" else new_group.bodies).add(body.session_uid)
        for other in [group for group in all_groups if group.bodies & new_group.bodies]:
            all_groups.remove(other)
            new_group = Group(
                other.joints | new_group.joints,
                other.bodies | new_group.bodies,
                other.grounds | new_group.grounds,
                [*other.joint_objects, *new_group.joint_objects],
            )
        all_groups.append(new_group)
    return all_groups


def unlisted_joints(scene: bpy.types.Scene) -> list:
    """Joint objects of a scene that no mechanism lists."""
    listed = {
        joint.object.session_uid
        for owner in owners(scene)
        for joint in owner.limber.mechanism.joints
        if joint.object is not None
    }
    return [obj for obj in scene.objects if is_joint(obj) and obj.session_uid not in listed]


def is_unlisted(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether an object is a joint that no mechanism lists, or a body of such a joint."""
    return any(obj == joint or obj in ends(joint) for joint in unlisted_joints(scene))


def joints_around(obj: bpy.types.Object, scene: bpy.types.Scene) -> list:
    """Joints for a new mechanism at an object: those connected with it, and all in its collection, unless
    another mechanism lists joints of that collection.
    """
    return _joints(unlisted_joints(scene), {obj.session_uid}, collection_of(obj, scene), scene)


def missing_joints(owner: bpy.types.Object, scene: bpy.types.Scene) -> list:
    """Joints that are missing in a mechanism's list: those connected with listed ones, and all in the owner's
    collection, unless another mechanism lists joints of that collection.
    """
    listed = [joint.object for joint in owner.limber.mechanism.joints if joint.object is not None]
    uids = {obj.session_uid for obj in listed}
    connected = _joints([*unlisted_joints(scene), *listed], uids, collection_of(owner, scene), scene, owner)
    return [obj for obj in connected if obj.session_uid not in uids]


def _joints(
    free: list,
    uids: set[int],
    collection: bpy.types.Collection,
    scene: bpy.types.Scene,
    owner: bpy.types.Object | None = None,
) -> list:
    """Joints among `free` whose groups contain one of the objects `uids`, or a joint of a collection in which
    no mechanism other than the owner's lists joints.
    """
    is_root = collection == scene.collection
    joint_objects = [
        obj for obj in (collection.objects if is_root else collection.all_objects) if is_joint(obj)
    ]
    is_shared = any(owner_of(joint, scene) not in (None, owner) for joint in joint_objects)
    near = set() if is_shared else {joint.session_uid for joint in joint_objects}
    return [
        joint
        for group in groups(free)
        if group.touches(uids) or group.joints & near
        for joint in group.joint_objects
    ]


def collection_of(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Collection:
    """Collection for new objects of a mechanism at an object: the first of the object's that Blender's
    physics does not use, else the scene's own.
    """
    world = scene.rigidbody_world
    physics_collections = [world.collection, world.constraints] if world else []
    return next(
        (
            collection
            for collection in obj.users_collection
            if collection not in physics_collections and collection != scene.collection
        ),
        scene.collection,
    )


def check_joints(joint_objects: list, obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Raises RigError if joints cannot make a mechanism: there is no joint, one is invalid, or one moves a
    body of another mechanism.
    """
    if not joint_objects:
        raise RigError(
            f"Collection '{collection_of(obj, scene).name}' has no joint, or a mechanism has them all: add"
            " rigid body constraints to it (Physics), or empties, and choose their Joint in the Mechanism"
            " panel"
        )
    for joint in joints.joints(joint_objects):
        for body in (joint.first, joint.second):
            other = owner_of(body, scene) if body is not None and role_of(body) == "MOVES" else None
            if other is not None:
                raise RigError(
                    f"Joint '{joint.name}' holds '{body.name}', a body of mechanism '{other.name}': add it to"
                    " that, by selecting both and pressing + under Joints"
                )
