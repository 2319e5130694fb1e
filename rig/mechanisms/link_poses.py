"""Poses of an armature's links (their frames in an imported robot's file, else the bones' own), and the
mechanism's targets for them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ...solvers.kinematics.se3 import Array, inverse
from ..blender.errors import RigError
from ..bones import imported_robot, rotation_modes
from ..bones.channels import PARTS, Channel
from ..scene.placement import Placement
from .inputs import target_pose
from .pose_channels import location_numbers, rotation_numbers
from .poses import rigid
from .precise_rest import rest_of


def bone_of_link(rig: bpy.types.Object, link: str) -> str:
    """Name of the bone of an imported robot's link, else of the bone with the link's name.

    Raises:
        RigError: no bone has that link.
    """
    if rig.type == "ARMATURE":
        for bone in rig.data.bones:
            record = imported_robot.record_of(bone)
            if record is not None and record.branch.link == link:
                return bone.name
        if link in rig.data.bones:
            return link
    raise RigError(
        f"'{rig.name}' has no link or bone '{link}': give that name to the bone that is the robot's {link}"
    )


def shown_pose(rig: bpy.types.Object, bone: str, link_frame: Array, placement: Placement) -> Array:
    """Pose (4, 4) of a bone's link in armature space, from predicted transforms; `link_frame` is the result
    of `link_in_bone`.
    """
    link_pose: Array = rigid(placement.bone(rig, bone), f"Bone '{bone}'") @ link_frame
    return link_pose


def link_in_bone(rig: bpy.types.Object, bone: str) -> Array:
    """Frame (4, 4) of a bone's link in the bone's own frame; identity for a bone that is not a link of an
    imported robot.
    """
    rest = rest_of(rig)
    if bone not in rest.links:
        return np.eye(4)
    link_frame: Array = inverse(rigid(rig.data.bones[bone].matrix_local)) @ rest.links[bone]
    return link_frame


@dataclass(frozen=True)
class LinkTarget:
    """A mechanism's goal that gives a link a pose, and its target object; both may not exist yet.

    Attributes:
        rig: The armature with the mechanism.
        link: Name of the link.
        bone: The goal's bone, which moves with the link.
        link_frame: (4, 4) frame of the link in that bone.
        goal: Index of the goal in the mechanism; -1 if there is none yet.
    """

    rig: bpy.types.Object
    link: str
    bone: str
    link_frame: Array
    goal: int

    @property
    def holder(self) -> bpy.types.Object | bpy.types.PoseBone | None:
        """The object or pose bone whose channels set the pose; None if it does not exist yet."""
        target = self.keyed
        name = self.rig.limber.mechanism.goals[self.goal].target_bone if target is not None else ""
        return target.pose.bones[name] if name else target

    @property
    def keyed(self) -> bpy.types.Object | None:
        """The target object whose channels are keyed; None if it does not exist yet."""
        return self.rig.limber.mechanism.goals[self.goal].target if self.goal >= 0 else None

    def pose(self, placement: Placement) -> Array:
        """Pose (4, 4) of the link in armature space that the target requests in a frame."""
        goal = self.rig.limber.mechanism.goals[self.goal]
        target = target_pose(goal, placement)
        rig_pose = rigid(placement.object(self.rig), f"Armature '{self.rig.name}'")
        link_pose: Array = inverse(rig_pose) @ target @ np.array(goal.offset, float) @ self.link_frame
        return link_pose

    def keys(self, poses: Iterable[Array]) -> Iterator[dict[Channel, float]]:
        """Values of the target's channels for each pose (4, 4) of the link in armature space. The target must
        exist.

        Raises:
            RigError: the target's position is not valid.
        """
        target_object, target, goal = self.keyed, self.holder, self.rig.limber.mechanism.goals[self.goal]
        channel_owner = target_object.name, target_object.session_uid, goal.target_bone
        rig_pose = rigid(self.rig.matrix_world, f"Armature '{self.rig.name}'")
        channels_from_rig = (
            inverse(rigid(_channel_frame(target_object, target), f"Object '{target_object.name}'")) @ rig_pose
        )
        target_in_link = inverse(self.link_frame) @ inverse(np.array(goal.offset, float))
        rotation_channel = rotation_modes.channel(target.rotation_mode)
        channels = [
            Channel(*channel_owner, name, k)
            for name in ("location", rotation_channel)
            for k in range(len(PARTS[name]))
        ]
        last: list[float] | None = None
        for pose in poses:
            matrix = Matrix((channels_from_rig @ pose @ target_in_link).tolist())
            last = rotation_numbers(target, matrix, last)
            yield dict(zip(channels, (*location_numbers(target, matrix), *last), strict=True))


def _channel_frame(obj: bpy.types.Object, holder: bpy.types.Object | bpy.types.PoseBone) -> Matrix:
    """World matrix (4, 4) of the frame to which the channels of an object, or of one of its bones, are
    relative.
    """
    if holder == obj:
        return obj.matrix_world @ obj.matrix_basis.inverted_safe()
    parent, rest = holder.parent, holder.bone.matrix_local
    return obj.matrix_world @ (
        parent.matrix @ parent.bone.matrix_local.inverted() @ rest if parent is not None else rest
    )


def link_target(rig: bpy.types.Object, link: str) -> LinkTarget:
    """The goal and target for a link of an armature.

    Raises:
        RigError: the armature has no mechanism of bones, or no bone has the link.
    """
    settings = rig.limber.mechanism
    if not (settings.uid and settings.use_bones):
        raise RigError(
            f"The file has poses of '{link}', which only a mechanism of '{rig.name}' follows: its joints"
            " alone are imported"
        )
    bone = bone_of_link(rig, link)
    group = _rigid_with(rig, bone)
    goals = [
        (k, goal) for k, goal in enumerate(settings.goals) if goal.does == "FRAME" and goal.bone in group
    ]
    index, at = next(((k, goal.bone) for k, goal in goals), (-1, bone))
    rest = rigid(rig.data.bones[at].matrix_local)
    link_pose = rigid(rig.data.bones[bone].matrix_local) @ link_in_bone(rig, bone)
    return LinkTarget(rig, link, at, inverse(rest) @ link_pose, index)


def _rigid_with(rig: bpy.types.Object, bone: str) -> set[str]:
    """Names of a bone of an imported robot and of the bones that fixed joints connect with it."""
    first = rig.data.bones[bone]
    while first.parent is not None and _is_fixed(first):
        first = first.parent
    names, waiting = set(), [first]
    while waiting:
        data_bone = waiting.pop()
        names.add(data_bone.name)
        waiting += [child for child in data_bone.children if _is_fixed(child)]
    return names


def _is_fixed(bone: bpy.types.Bone) -> bool:
    record = imported_robot.record_of(bone)
    return record is not None and record.branch.joint is not None and not record.branch.joint.is_movable
