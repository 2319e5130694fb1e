"""Reads a chain from an armature: its bones and joints, and the authored joint values. `joint_tree` makes the
solvers' skeleton.

The base is the root bone's frame before it moves. The parts of the pose that no joint moves (locked axes,
bones without joints, locations) are read from the evaluated rig in every tick. They become part of the rest
transforms, so that the solver uses their keyed or driven values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType
from typing import NamedTuple

import bpy
import numpy as np

from ...solvers.kinematics import rotations
from ..blender.errors import RigError
from ..bones import axes, carried, mimic, rotation_modes
from ..bones.carried import Carrier, CarrierValues
from ..bones.hanging import HangingBones
from ..bones.joint_bones import DIGITS, NO_SCALE, ORIGIN, SCALED, JointBone, SolvedChannels, UnjointedPose
from ..bones.paths import REMAKE, bone_names, end_bones, missing_in_chain
from ..bones.rotation_modes import Limits, Spans
from . import measure


@dataclass(frozen=True)
class ChainBone(JointBone):
    """One bone of the chain."""

    local_location: bool  # whether its location is along its own rest axes (Blender's Local Location)
    inherits_rotation: bool  # whether it rotates with its parent
    inherits_scale: bool  # whether it is scaled with its parent
    mode: str  # rotation mode of the bone; "" if it has no revolute joints
    channel: str  # property that stores the rotation in this mode
    # limits [rad] of its hinges about X, Y and Z, for choosing among angles of the same rotation
    spans: Spans
    carrier: Carrier | None  # source of the bone's rotation instead of its parent; None: the parent

    def rotation(self, pose: "AuthoredChannels") -> rotations.Quaternion:
        """The bone's own rotation in a pose."""
        return rotation_modes.from_angles(pose.rotation, self.order[::-1]) if self.order else pose.rotation


class AuthoredChannels(NamedTuple):
    """Authored location, rotation and scale of one bone in a frame, with the values of its carrier."""

    location: tuple[float, float, float]  # [m]
    # angles (x, y, z) [rad] of the bone's hinges, or a unit quaternion if no joint rotates it
    rotation: tuple[float, ...]
    scale: tuple[float, float, float]
    carried: CarrierValues | None = None  # the carrier's values in this frame, if the bone has a carrier

    def unjointed_location(self, part: ChainBone) -> tuple[float, float, float]:
        """The bone's location without the components that prismatic joints move."""
        return (
            tuple(0.0 if index in part.displaced else number for index, number in enumerate(self.location))
            if part.displaced
            else self.location
        )


def _authored_pose(
    bone: bpy.types.PoseBone,
    part: ChainBone,
    location: tuple[float, float, float] | None,
    near: tuple[float, ...],
) -> AuthoredChannels:
    """A bone's pose from its own channels.

    Args:
        bone: The evaluated pose bone.
        part: The bone's properties in the chain.
        location: Location [m] to use instead of its own; None: its own.
        near: Angles [rad]; among equivalent angles of a quaternion or axis-angle the nearest to these are
            taken.

    Raises:
        RigError: its channels are not finite.
    """
    if location is None:
        location = ORIGIN if part.connected else tuple(bone.location)
    rotation = tuple(getattr(bone, part.channel) if part.order else bone.matrix_basis.to_quaternion())
    scale = tuple(bone.scale)
    # a sum is finite only if all its terms are; one test is faster than testing each
    if not isfinite(sum(location) + sum(rotation) + sum(scale)):
        raise RigError(
            f"The pose of bone '{part.name}' is not a number: clear its transform, its drivers or its keys"
        )
    if part.spans:
        quaternion = rotation_modes.quaternion(part.mode, rotation)
        rotation = rotation_modes.angles_of(quaternion, rotation_modes.HINGES, near, part.spans)
    return AuthoredChannels(location, rotation, scale)


def _unjointed_rotation(part: ChainBone, pose: AuthoredChannels) -> tuple[float, ...]:
    """Rounded values of a bone's rotation that no joint sets: hinge angles, 0 for joints, or a quaternion."""
    rotation = tuple(round(number, DIGITS) for number in pose.rotation)
    if not part.order:
        return rotation
    return tuple(rotation[index] if index in part.unturned else 0.0 for index in range(3))


class ChainReader:
    """Reads one chain from an armature object: its structure once, its pose in every tick.

    Readers are equal if they have read the same structure: bones, joints, rotation modes, rest poses.

    Args:
        rig: The armature object.
        chain: The chain.
        hanging: Record of which bones carry which others, if the solver needs inertias; None: inertias are
            not read.

    Raises:
        RigError: a bone is missing, an end is no descendant of the root, the chain has no joints, a joint
            cannot be in this chain, or a rest pose is not finite.
    """

    def __init__(
        self,
        rig: bpy.types.Object,
        chain: bpy.types.PropertyGroup,
        hanging: HangingBones | None = None,
    ) -> None:
        pose_bones = rig.pose.bones
        self.names = bone_names(pose_bones, chain)
        self.ends = end_bones(chain)
        self.joints = [joint.key for joint in chain.joints]
        # axes of the joints of each bone that has joints
        self.free = self._axes_by_bone(pose_bones, chain)
        self.modes = self._rotation_modes(pose_bones)
        limits = {joint.key: (joint.lower, joint.upper) for joint in chain.joints}
        self.parts = [self._part(pose_bones[name], limits) for name in self.names]
        self.has_carriers = any(part.carrier for part in self.parts)
        # names of the bones whose own channels compensate for a carrier, so that they do not contain the
        # joint values
        self.compensating = set(self.modes) if self.has_carriers else set()
        # joints in the skeleton's order, root first
        self.joint_keys = [key for part in self.parts for key in part.joint_keys]
        self.followers = self._followers(rig)
        # names of the bones that the chain moves
        self.moved = [*self.free, *(follower.bone for follower in self.followers)]
        # index in the chain's properties of each of `joint_keys`
        self.stored_index = [self.joints.index(key) for key in self.joint_keys]
        self.inherits_scale = all(part.inherits_scale for part in self.parts[1:])
        # names of the bones without a child in the chain
        self.tips = set(self.names) - {self.names[part.parent] for part in self.parts[1:]}
        self.armature_name = rig.data.name
        self.end_lengths = [rig.data.bones[end].length for end in self.ends]
        # inertia of everything that each bone with a joint carries, see `HangingBones.inertias`; empty if the
        # solver needs none
        self.inertias = (
            hanging.inertias(self._bones_with_joints())
            if hanging is not None and measure.is_of_bones(chain, "expressive")
            else {}
        )

    @property
    def rests(self) -> dict[str, tuple]:
        """Rest rotation and rest offset [m] in the parent's frame of each bone, by its name."""
        return {part.name: (part.rest_rotation, part.rest_offset) for part in self.parts}

    def _rotation_modes(self, pose_bones: bpy.types.bpy_prop_collection) -> dict[str, str]:
        """Bone -> rotation mode, for the bones with revolute joints."""
        return {
            bone: pose_bones[bone].rotation_mode
            for bone, bone_axes in self.free.items()
            if not all(map(axes.is_prismatic, bone_axes))
        }

    def _bones_with_joints(self) -> list[str]:
        """Names of the bones with joints, root first."""
        return list(dict.fromkeys(bone for bone, _ in self.joint_keys))

    def _axes_by_bone(
        self, pose_bones: bpy.types.bpy_prop_collection, chain: bpy.types.PropertyGroup
    ) -> dict[str, frozenset[str]]:
        """Bone -> axes of its joints, with the bones in the order of the chain's list of joints.

        Raises:
            RigError: there are no joints, or one cannot be in this chain.
        """
        if not self.joints:
            raise RigError(
                f"Chain '{chain.name}' has no joints: unlock a rotation axis of one of its bones and make it"
                " again"
            )
        axes_by_bone: dict[str, frozenset[str]] = {}
        for bone, axis in self.joints:
            if bone not in pose_bones:
                raise RigError(missing_in_chain(bone))
            if bone not in self.names:
                ends = " or ".join(f"'{end}'" for end in self.ends)
                raise RigError(
                    f"Joint {axes.label(bone, axis)} is not on the path from '{chain.root}' to {ends}:"
                    f" {REMAKE}"
                )
            if axis in axes_by_bone.setdefault(bone, frozenset()):
                raise RigError(f"Joint {axes.label(bone, axis)} is there twice: remove one of the two")
            if axes.is_prismatic(axis) and pose_bones[bone].bone.use_connect:
                raise RigError(
                    f"Bone '{bone}' is connected to its parent, so it cannot move along an axis: disconnect"
                    " it in Edit Mode (Alt P)"
                )
            axes_by_bone[bone] |= {axis}
        return axes_by_bone

    def _followers(self, rig: bpy.types.Object) -> tuple[mimic.Follower, ...]:
        """Joints of other bones that mimic the chain's joints. Raises RigError if such a joint is on a bone
        of the chain.
        """
        followers = mimic.followers_of(rig, self.joint_keys)
        on_path = next((follower for follower in followers if follower.bone in self.names), None)
        if on_path is not None:
            raise RigError(mimic.why_not_on_path(on_path))
        return followers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChainReader) and vars(self) == vars(other)

    __hash__ = None  # instances are compared, but never used as keys

    def _part(self, pose_bone: bpy.types.PoseBone, limits: Limits) -> ChainBone:
        bone, is_root = pose_bone.bone, pose_bone.name == self.names[0]
        mode = self.modes.get(bone.name, "")
        return ChainBone.of(
            pose_bone,
            -1 if is_root else self.names.index(bone.parent.name),
            self.free.get(bone.name, ()),
            local_location=bone.use_local_location,
            inherits_rotation=bone.use_inherit_rotation,
            inherits_scale=bone.inherit_scale == "FULL",
            mode=mode,
            channel=rotation_modes.channel(mode),
            spans=rotation_modes.spans_of(limits, bone.name) if mode in rotation_modes.CHANNELS else (),
            carrier=None if is_root else carried.carrier(pose_bone, self.names),
        )

    def modes_changed(self, pose_bones: bpy.types.bpy_prop_collection) -> bool:
        """Whether the rotation mode of a bone with revolute joints has changed since the reader was made."""
        return any(
            (bone := pose_bones.get(name)) is not None and bone.rotation_mode != mode
            for name, mode in self.modes.items()
        )

    def read(
        self,
        pose_bones: bpy.types.bpy_prop_collection,
        moved: Mapping[str, tuple | None] = MappingProxyType({}),
        followed: Mapping[str, SolvedChannels] = MappingProxyType({}),
        before: tuple[AuthoredChannels, ...] = (),
    ) -> tuple[AuthoredChannels, ...]:
        """Channels of the chain's bones, root first.

        Args:
            pose_bones: Pose bones of the evaluated rig; constraints do not change their channels.
            moved: Bone -> basis (rotation (w, x, y, z), location, scale), for bones that other chains move,
                such as a bone that mimics a joint of another chain; None: as authored.
            followed: Channels of bones that the armature's body moves while it follows a motion, to use
                instead of the authored ones.
            before: Channels in the previous frame; among equivalent angles of a quaternion or axis-angle, the
                nearest to these are taken; (): there is no previous frame.

        Raises:
            RigError: a bone is missing, or its channels are not finite.
        """
        poses = []
        for k, part in enumerate(self.parts):
            bone = pose_bones.get(part.name)
            if bone is None:
                raise RigError(missing_in_chain(part.name))
            body = followed.get(part.name)
            basis = moved.get(part.name) if body is None and part.name not in self.free else None
            if basis is not None:
                rotation, location, scale = basis
                poses.append(AuthoredChannels(location, rotation, scale))
            elif body is not None and (body.euler or not part.order):
                poses.append(
                    AuthoredChannels(body.location, body.euler if part.order else body.rotation, body.scale)
                )
            else:
                # a bone that no joint of the body rotates keeps its authored angles, and takes only its
                # location from the body
                near = before[k].rotation if before else rotation_modes.AT_REST
                poses.append(_authored_pose(bone, part, body.location if body is not None else None, near))
        return (
            carried.read(self.parts, pose_bones, tuple(poses), DIGITS) if self.has_carriers else tuple(poses)
        )

    def angles(self, poses: tuple[AuthoredChannels, ...]) -> np.ndarray:
        """Authored, not solved, joint values (n,) [rad; prismatic joints m] in the skeleton's order."""
        joint_values: list[float] = []
        for part, pose in zip(self.parts, poses, strict=True):
            joint_values += part.values(pose.location, pose.rotation)
        return np.array(joint_values)

    def base_location(self, poses: tuple[AuthoredChannels, ...]) -> tuple[float, float, float]:
        """The root bone's location [m] without the components that its joints move; it belongs to the base
        frame.
        """
        return poses[0].unjointed_location(self.parts[0])

    def held(self, poses: tuple[AuthoredChannels, ...]) -> tuple:
        """All values on which `fixed` depends, as a tuple with which changes are detected."""
        return tuple(
            (
                pose.unjointed_location(part),
                pose.scale,
                pose.carried,
                *[pose.rotation[index] for index in part.unturned],
            )
            for part, pose in zip(self.parts, poses, strict=True)
        )

    def fixed(self, poses: tuple[AuthoredChannels, ...]) -> tuple[UnjointedPose, ...]:
        """The part of the pose that no joint moves, for each bone. The root's location belongs to the base.

        Raises:
            RigError: a bone does not inherit rotation, is moved along other axes than its own, or has a scale
                that joints cannot represent.
        """
        unjointed: list[UnjointedPose] = []
        for k, (part, pose) in enumerate(zip(self.parts, poses, strict=True)):
            location = pose.unjointed_location(part) if k else ORIGIN
            if k and not part.inherits_rotation and pose.carried is None:
                raise RigError(
                    f"Bone '{part.name}' does not inherit rotation, so the chain breaks there:"
                    " switch on Inherit Rotation in the bone's Relations"
                )
            if not part.local_location and (any(location) or part.prismatic):
                raise RigError(
                    f"Bone '{part.name}' is moved along other axes than its own: switch on Local Location in"
                    " the bone's Relations"
                )
            size = self._size(part, pose, unjointed[part.parent].size if k else 1.0)
            rotation = _unjointed_rotation(part, pose)
            # rounded, so that noise of single precision does not lead to a new model in every frame
            location = tuple(round(number, DIGITS) for number in location)
            lead = pose.carried.lead if pose.carried is not None else rotations.IDENTITY
            unjointed.append(UnjointedPose(location, rotation, round(size, DIGITS), lead))
        return tuple(unjointed)

    def _size(self, part: ChainBone, pose: AuthoredChannels, parent_size: float) -> float:
        """Size of a bone and its descendants, relative to rest.

        Raises:
            RigError: joints cannot represent that scale.
        """
        if part.prismatic and abs(parent_size - 1.0) > SCALED:
            raise RigError(
                f"Bone '{part.name}' has a prismatic joint, and a bone above it is scaled: clear its"
                " scale (Alt S); motors cannot stretch"
            )
        if pose.scale == NO_SCALE:
            return parent_size
        if not self.can_carry(part.name, pose.scale):
            raise RigError(f"Bone '{part.name}' is scaled: clear its scale (Alt S); motors cannot stretch")
        return parent_size * pose.scale[1]

    def can_carry(self, name: str, scale: tuple) -> bool:
        """Whether a chain of rigid joints can represent a bone with this scale, which must be positive.

        Only a bone without a child in the chain can be scaled unevenly, which moves no more than its own end
        point. Any other bone needs a uniform scale, which its descendants inherit (Inherit Scale: Full).
        """
        if min(scale) <= 0.0:
            return False
        return name in self.tips or (self.inherits_scale and max(scale) - min(scale) <= SCALED)

    def channels(self, poses: tuple[AuthoredChannels, ...], angles: list[float]) -> dict[str, tuple]:
        """Basis (rotation (w, x, y, z), location, scale) of each bone that the joints move, for joint values
        `angles` (n,) [rad; prismatic joints m]; includes bones that mimic the joints.
        """
        values = iter(angles)
        posed = [
            part.posed(pose.location, pose.rotation, values)
            for part, pose in zip(self.parts, poses, strict=True)
        ]
        rotations = [rotation for rotation, _, _ in posed]
        if self.has_carriers:
            rotations = carried.rotations_in_channels(self.parts, poses, rotations)
        shown = {
            part.name: (rotation, location, pose.scale)
            for part, pose, rotation, (_, location, _) in zip(
                self.parts, poses, rotations, posed, strict=True
            )
            if part.order or part.prismatic
        }
        for follower in self.followers:
            shown[follower.bone] = (*follower.moved(angles[follower.leader]), NO_SCALE)
        return shown
