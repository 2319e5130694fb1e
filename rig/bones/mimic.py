"""Mimic joints of an imported robot: bones whose URDF joint is a linear function of another joint.

A driver moves such a bone by the authored channel of its leader. A solved pose is not in that channel, so
live motion and bakes compute the mimic bone's pose while the driver exists.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import bpy
from bpy.utils import unescape_identifier

from ...robots.record import LinkRecord
from ...solvers.kinematics import rotations
from ..blender.errors import RigError
from . import axes, imported_robot
from .axes import UNIT

DRIVEN = re.compile(r'pose\.bones\["(.*)"\]\.(location|rotation_euler)')


class Follower(NamedTuple):
    """A mimic joint: its value is `multiplier` times the value of its leader, plus `offset`."""

    bone: str
    axis: str
    leader: int  # index among the joints given to `followers_of`
    multiplier: float
    offset: float  # [rad or m]
    joint: str  # name of the joint in the robot's file, for messages
    leader_joint: str  # name of the leader in the robot's file, for messages

    def moved(self, value: float) -> tuple[rotations.Quaternion, rotations.Vector]:
        """Rotation and location of the mimic bone for a value [rad or m] of the leader; its other channels
        are locked at rest.
        """
        mimic_value, axis = self.multiplier * value + self.offset, UNIT[axes.letter(self.axis)]
        if axes.is_prismatic(self.axis):
            return rotations.IDENTITY, rotations.scale(axis, mimic_value)
        return rotations.about(axis, mimic_value), (0.0, 0.0, 0.0)


def followers_of(rig: bpy.types.Object, joint_keys: Sequence[tuple[str, str]]) -> tuple[Follower, ...]:
    """Mimic joints that follow any of these joints (bone, axis) and are not among them; none if a link's
    record cannot be read.
    """
    mimic_keys = [key for key in driven(rig) if key not in joint_keys]
    if not mimic_keys:
        return ()
    try:
        records = {
            record.branch.joint.name: (bone, record)
            for bone, record in imported_robot.records(rig)
            if record.axis
        }
    # handlers call this too, so it must not raise; the error is reported when the robot's joint values are
    # needed
    except RigError:
        return ()
    record_by_bone = dict(records.values())
    followers = []
    for bone, axis in mimic_keys:
        record = record_by_bone.get(bone)
        if record is None or record.branch.joint.mimic is None or imported_robot.axis_of(record) != axis:
            continue
        leader_bone, leader, multiplier, offset = _leader(bone, record, records, joint_keys)
        key = leader_bone, imported_robot.axis_of(leader)
        if key in joint_keys:
            joint, leader_joint = record.branch.joint.name, leader.branch.joint.name
            multiplier, offset = record.sign * leader.sign * multiplier, record.sign * offset
            followers.append(
                Follower(bone, axis, joint_keys.index(key), multiplier, offset, joint, leader_joint)
            )
    return tuple(followers)


def _leader(
    bone: str,
    record: LinkRecord,
    records: dict[str, tuple[str, LinkRecord]],
    joint_keys: Sequence[tuple[str, str]],
) -> tuple:
    """(bone, record, multiplier, offset [rad or m]) of the nearest joint in `joint_keys` that a joint
    follows, through any number of mimic joints; of the last one in that sequence if none is in `joint_keys`.
    """
    multiplier, offset = 1.0, 0.0
    while (
        (bone, imported_robot.axis_of(record)) not in joint_keys
        and (mimic := record.branch.joint.mimic) is not None
        and mimic.joint in records
    ):
        multiplier, offset = multiplier * mimic.multiplier, multiplier * mimic.offset + offset
        bone, record = records[mimic.joint]
    return bone, record, multiplier, offset


def driven(rig: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """(bone, axis) of all joints of an imported robot that drivers move; none for other armatures."""
    if not imported_robot.is_robot(rig) or not rig.animation_data:
        return
    for curve in rig.animation_data.drivers:
        match = DRIVEN.fullmatch(curve.data_path)
        if match and not curve.mute:
            bone, letter = unescape_identifier(match[1]), axes.REVOLUTE[curve.array_index]
            if bone in rig.data.bones:
                yield bone, letter if match[2] == "rotation_euler" else axes.prismatic(letter)


def why_not_on_path(follower: Follower) -> str:
    """Why a chain cannot contain both a mimic joint's bone and its leader's."""
    return (
        f"Bone '{follower.bone}' follows joint '{follower.leader_joint}' of the same chain (URDF: joint"
        f" '{follower.joint}' mimics it), and solvers move each joint by itself: end the chain above that"
        " bone or begin it below the other, or delete the bone's driver, unlock its axis and press Match"
        " Joints, if it has a motor of its own"
    )
