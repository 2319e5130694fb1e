"""An imported robot: the records of its links stored with the bones, and its pose by the names of its joints.

Bones are stored in single precision and shaped for display; a link's record on its bone has the numbers of
the URDF file. A record stays with its bone when the bone is renamed.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import bpy

from ...robots.record import LinkRecord, from_text
from ...robots.tree import LinkTree
from ..blender.errors import RigError
from . import axes, channels

# name of a custom property: on a bone its link's record, on the armature the robot's name
KEY = "limber_urdf"

_parsed = lru_cache(maxsize=4096)(from_text)  # cached, since a robot's links are read often


def record_of(bone: bpy.types.Bone) -> LinkRecord | None:
    """The link record stored with a bone; None for bones that were not imported.

    Raises:
        RigError: the record was edited.
    """
    text = bone.get(KEY)
    if text is None:
        return None
    try:
        return _parsed(str(text))
    except ValueError as error:
        raise RigError(
            f"Bone '{bone.name}': its custom property '{KEY}' was changed, import the robot again"
        ) from error


def is_robot(rig: bpy.types.Object) -> bool:
    """Whether an armature object was imported from a robot's file."""
    return rig.data is not None and KEY in rig.data


def axis_of(record: LinkRecord) -> str:
    """Axis of an imported bone's joint, named as in `axes`; "" for a bone without a joint."""
    return record.axis if not record.axis or record.branch.joint.is_rotary else axes.prismatic(record.axis)


def channel(record: LinkRecord) -> str:
    """Name of the pose bone's property that stores the joint's value: "location" or "rotation_euler"; its
    index is that of the record's axis.
    """
    return axes.channel(axis_of(record))


def motor(pose_bone: bpy.types.PoseBone, axis: str) -> LinkRecord | None:
    """The record of a bone if its URDF joint moves about or along that axis (named as in `axes`); else None.
    Raises RigError as `record_of`.
    """
    record = record_of(pose_bone.bone)
    return record if record is not None and axis_of(record) == axis else None


def records(rig: bpy.types.Object) -> list[tuple[str, LinkRecord]]:
    """(bone name, record) of all imported bones, parents first.

    Raises:
        RigError: the armature is no imported robot, or a record was edited.
    """
    named_records = [
        (bone.name, record) for bone in rig.data.bones if (record := record_of(bone)) is not None
    ]
    if not named_records:
        raise RigError(
            f"Armature '{rig.name}' was not imported from a robot's file: File > Import > Robot makes one"
            " that was"
        )
    return named_records


def tree_of(rig: bpy.types.Object) -> tuple[LinkTree, tuple[str, ...]]:
    """The robot's kinematic tree in the URDF file's double precision, and the name of each link's bone.

    Raises:
        RigError: the armature is no imported robot, a record was edited, or a link's bone is no longer a
            child of its parent link's bone.
    """
    named_records = records(rig)
    index_of = {name: k for k, (name, _) in enumerate(named_records)}
    branches = []
    for name, record in named_records:
        parent = rig.data.bones[name].parent
        if record.branch.joint is not None and (parent is None or parent.name not in index_of):
            raise RigError(
                f"Bone '{name}' is no longer a child of its parent link's bone: import the robot again"
            )
        branches.append(
            replace(record.branch, parent=index_of[parent.name] if record.branch.joint is not None else -1)
        )
    return LinkTree(tuple(branches)), tuple(name for name, _ in named_records)


def pose_joints(rig: bpy.types.Object, values: Mapping[str, float]) -> None:
    """Sets the authored pose of the named joints [rad or m]. Values of mimic joints are ignored: drivers move
    them.

    Raises:
        RigError: the armature is no imported robot, a record was edited, or there is no such joint.
    """
    bones = {
        record.branch.joint.name: (rig.pose.bones[name], record)
        for name, record in records(rig)
        if record.axis
    }
    for name in values:
        if name not in bones:
            raise RigError(f"Robot '{rig.name}' has no joint '{name}': its joints are {', '.join(bones)}")
    joint_values = {}
    for name, value in values.items():
        bone, record = bones[name]
        if record.branch.joint.mimic is None:
            joint_values[bone.name, axis_of(record)] = record.sign * value
    channels.pose(rig, joint_values)
