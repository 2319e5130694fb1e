"""Reads an armature as a whole-body model, and converts the solver's state to channels of its bones.

The base is the common ancestor of all links; it may float. Joints are the unlocked axes of the bones from
there to the links, as in chains. Limits come from the chains' joint lists, else from the bone's constraints,
its joint in the robot's file, or its IK settings; without any the joint is unlimited. Everything is in
armature space.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, pi

import bpy
import numpy as np
from mathutils import Matrix

from ...solvers.kinematics import rotations
from ...solvers.kinematics.se3 import Array
from ...solvers.whole_body.body import Body, Coupling
from ...solvers.whole_body.state import KinematicState
from ..blender.errors import RigError
from ..bones import attached, axes, constrained, imported_robot, mimic, rotation_modes
from ..bones.axes import is_euler
from ..bones.joint_axes import joint_axes, limits
from ..bones.joint_bones import (
    DIGITS,
    ORIGIN,
    SCALED,
    JointBone,
    MotionLimits,
    SolvedChannels,
    UnjointedPose,
    joints_of,
)
from ..scene.placement import Placement

# [rad] range that `limits` gives for a joint without limits, which is unlimited here
FULL_REVOLUTION = -pi, pi
FARTHEST = 1e3  # [rad or m] position limit in the model for a joint without limits


@dataclass(frozen=True)
class BodyBone(JointBone):
    """One bone of the body."""

    is_followed: bool  # whether a constraint moves the bone instead of its channels
    is_copy: bool = False  # whether its pose equals that of the bone `parent`

    @property
    def unjointed_locations(self) -> list[bool]:
        """For each axis, whether the bone can be moved along it without having a joint there."""
        is_movable = self.parent >= 0 and not self.connected
        return [is_movable and axis not in self.prismatic for axis in axes.PRISMATIC]

    @property
    def unjointed_hinges(self) -> list[bool]:
        """For each axis of a bone with hinges, whether the bone has no joint about it."""
        return [bool(self.revolute) and axis not in self.revolute for axis in axes.REVOLUTE]


def _names_of(pose_bones: bpy.types.bpy_prop_collection, base: str, links: Sequence[str]) -> list[str]:
    """Names of the bones from a base to links, the base first. Raises RigError as `BodyReader`."""
    paths = (attached.names_between(pose_bones, base, link) for link in links)
    return list(dict.fromkeys([base, *(name for path in paths for name in path)]))


class BodyReader:
    """Reads an armature object as a whole-body model.

    Args:
        rig: The armature object.
        base: Bone that carries all links; it may float.
        links: Bones of the body whose motion the solver matches to targets.
        paired_only: Whether only the links have joints, so that bones between them keep their authored pose.

    Raises:
        RigError: a bone is missing, is no descendant of the base, does not inherit rotation, or has a rest
            pose that is not finite.
    """

    def __init__(
        self, rig: bpy.types.Object, base: str, links: Sequence[str], paired_only: bool = False
    ) -> None:
        pose_bones = rig.pose.bones
        self.names = _names_of(pose_bones, base, links)
        self.base, self.links, self.paired_only = base, tuple(links), paired_only
        index_of = {name: k for k, name in enumerate(self.names)}
        self.bones = [self._bone(pose_bones[name], index_of) for name in self.names]
        self.joint_keys = [key for bone in self.bones for key in bone.joint_keys]
        driven = set(mimic.driven(rig)).intersection(self.joint_keys)
        leaders = [joint_key for joint_key in self.joint_keys if joint_key not in driven]
        self.followers = mimic.followers_of(rig, leaders)
        self._leaders = [self.joint_keys.index(joint_key) for joint_key in leaders]
        self.motions = self._motions(rig)
        # `foreach_get` reads all bones, so the rows below hold only as long as the armature has these bones
        self._listed = pose_bones.keys()
        self._modes = _numbers(pose_bones, "rotation_mode", 1, np.int32)
        self._rows = [self._listed.index(name) for name in self.names]
        self._unjointed_locations = np.array([bone.unjointed_locations for bone in self.bones])
        self._unjointed_hinges = np.array([bone.unjointed_hinges for bone in self.bones])
        self._partly_jointed = self._without_angles(pose_bones)
        moved = [bone.name for bone in self.bones if not bone.is_followed]
        self.moved = [
            *moved,
            *(follower.bone for follower in self.followers if follower.bone not in index_of),
        ]

    def _without_angles(self, pose_bones: bpy.types.bpy_prop_collection) -> list[int]:
        """Indices of the bones with hinges that have an axis without a joint, and whose rotation channels are
        not Euler angles.
        """
        return [
            k
            for k, bone in enumerate(self.bones)
            if any(bone.unjointed_hinges) and not is_euler(pose_bones[bone.name])
        ]

    def _motions(self, rig: bpy.types.Object) -> list[MotionLimits]:
        """Motion limits of the joints: from the list of a chain that has them, else from `_motion`."""
        of_chains = [joint for chain in reversed(rig.limber.chains) for joint in chain.joints]
        listed = {joint.key: MotionLimits.of(joint) for joint in of_chains}
        return [listed.get(key) or _motion(rig.pose.bones[key[0]], key[1]) for key in self.joint_keys]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BodyReader) and self._identity() == other._identity()

    __hash__ = None  # instances are compared, but never used as keys

    def _identity(self) -> tuple:
        """All values on which the reader's results depend; equal readers have equal ones."""
        return (
            self.bones,
            self.links,
            self.moved,
            self.followers,
            self.motions,
            self._listed,
            self._modes.tolist(),
        )

    def _bone(self, pose_bone: bpy.types.PoseBone, index_of: dict[str, int]) -> BodyBone:
        bone = pose_bone.bone
        is_base = bone.name == self.base
        leader = attached.copied(pose_bone)
        if leader is not None and not is_base:
            return BodyBone(
                bone.name,
                index_of[leader.name],
                rotations.IDENTITY,
                ORIGIN,
                connected=True,
                order="",
                revolute=(),
                prismatic=(),
                is_followed=True,
                is_copy=True,
            )
        if not is_base and not bone.use_inherit_rotation:
            raise RigError(
                f"Bone '{bone.name}' does not inherit rotation: switch on Inherit Rotation in the bone's"
                " Relations"
            )
        has_no_joints = is_base or (self.paired_only and bone.name not in self.links)
        return BodyBone.of(
            pose_bone,
            -1 if is_base else index_of[bone.parent.name],
            () if has_no_joints else joint_axes(pose_bone),
            is_followed=constrained.moving_constraint(pose_bone) is not None,
        )

    def is_outdated(self, pose_bones: bpy.types.bpy_prop_collection) -> bool:
        """Whether the armature's list of bones or a bone's rotation mode has changed, so that this reader
        must be replaced.
        """
        return pose_bones.keys() != self._listed or not np.array_equal(
            _numbers(pose_bones, "rotation_mode", 1, np.int32), self._modes
        )

    def held(self, pose_bones: bpy.types.bpy_prop_collection) -> tuple[UnjointedPose, ...]:
        """For each bone, the part of the authored pose that no joint moves; the identity for the base.
        `pose_bones` are the evaluated rig's, with the bones from which this reader was made.

        Raises:
            RigError: a bone is scaled.
        """
        scale_errors = np.abs(_numbers(pose_bones, "scale", 3)[self._rows] - 1.0).max(1)
        if scale_errors.max() > SCALED:
            name = self.names[int(np.argmax(scale_errors))]
            raise RigError(f"Bone '{name}' is scaled: clear its scale (Alt S); joints cannot stretch")
        location = np.where(
            self._unjointed_locations, _numbers(pose_bones, "location", 3)[self._rows], 0.0
        ).round(DIGITS)
        euler = _numbers(pose_bones, "rotation_euler", 3)[self._rows]
        for k in self._partly_jointed:
            euler[k] = rotation_modes.hinges(pose_bones[self.names[k]])
        euler = np.where(self._unjointed_hinges, euler, 0.0).round(DIGITS)
        rotation = [
            angles if bone.order else self._unjointed_rotation(pose_bones, bone)
            for bone, angles in zip(self.bones, euler.tolist(), strict=True)
        ]
        return tuple(map(UnjointedPose, map(tuple, location.tolist()), rotation))

    def _unjointed_rotation(
        self, pose_bones: bpy.types.bpy_prop_collection, bone: BodyBone
    ) -> rotations.Quaternion:
        if bone.is_copy or bone.parent < 0:
            return rotations.IDENTITY
        return tuple(round(number, DIGITS) for number in pose_bones[bone.name].matrix_basis.to_quaternion())

    def body(
        self, unjointed: Sequence[UnjointedPose], floating: bool, coupled: Sequence[Coupling] = ()
    ) -> Body:
        """The solver's model of the body, with its coupled limits.

        Args:
            unjointed: For each bone, the part of its authored pose that no joint moves; it becomes part
                of the rest transforms.
            floating: Whether the base is free to move.
            coupled: Coupled limits of the joints.

        Raises:
            RigError: no bone has a joint.
            SkeletonError: as `Body`.
        """
        motions = [
            MotionLimits(max(motion.lower, -FARTHEST), min(motion.upper, FARTHEST)) for motion in self.motions
        ]
        joints, frames = joints_of(self.bones, unjointed, motions)
        if not joints:
            raise RigError(
                f"No joint moves any of the paired bones against '{self.base}': unlock their rotation axes,"
                " or pair other bones"
            )
        ends = [frame.end(name) for frame, name in zip(frames, self.names, strict=True)]
        lower, upper = zip(*(motion[:2] for motion in self.motions), strict=True)
        return Body(joints, ends, floating, lower, upper, [*self._mimic_couplings(), *coupled])

    def _mimic_couplings(self) -> list[Coupling]:
        """Equality constraints of the mimic joints between base and links."""
        couplings = []
        for follower in self.followers:
            if (follower.bone, follower.axis) in self.joint_keys:
                name, leader = (
                    axes.label(follower.bone, follower.axis),
                    axes.label(*self.joint_keys[self._leaders[follower.leader]]),
                )
                factors = {name: 1.0, leader: -follower.multiplier}
                couplings.append(
                    Coupling(f"{name} follows {leader}", factors, follower.offset, follower.offset)
                )
        return couplings

    def posture(self, pose_bones: bpy.types.bpy_prop_collection) -> Array:
        """Authored joint values (n,) [rad or m] of the rig, before any solution. `pose_bones` are the
        evaluated rig's.
        """
        joint_values = []
        for bone in self.bones:
            if bone.joint_keys:
                pose_bone = pose_bones[bone.name]
                joint_values += bone.values(pose_bone.location, rotation_modes.hinges(pose_bone))
        return np.array(joint_values)

    def base_pose(self, rig: bpy.types.Object, placement: Placement) -> Matrix:
        """Authored pose matrix of the base bone in armature space."""
        posed = rig.evaluated_get(placement.depsgraph).pose.bones[self.base]
        basis = posed.matrix_basis.copy()
        if posed.bone.use_connect:
            basis.translation = ORIGIN
        return placement.on_parent(rig, rig.data.bones[self.base], basis)

    def channels(
        self,
        rig: bpy.types.Object,
        placement: Placement,
        unjointed: Sequence[UnjointedPose],
        state: KinematicState,
    ) -> dict[str, SolvedChannels]:
        """Bone -> its channels, for each bone that the body moves, for a state of the solver.

        Args:
            rig: The armature object.
            placement: Predicted transforms, for the base's parent.
            unjointed: For each bone, the part of its authored pose that no joint moves.
            state: The solver's state.
        """
        joints = state.joints.tolist()
        bone_channels: dict[str, SolvedChannels] = {}
        values = iter(joints)
        for bone, pose in zip(self.bones, unjointed, strict=True):
            if bone.parent < 0:
                bone_channels[bone.name] = self._base_channels(rig, placement, state)
            elif not bone.is_followed:
                rotation, location, angles = bone.posed(pose.location, pose.rotation, values)
                bone_channels[bone.name] = SolvedChannels(rotation, tuple(angles), location)
        for follower in self.followers:
            if follower.bone not in bone_channels:
                rotation, location = follower.moved(joints[self._leaders[follower.leader]])
                mimic_value = follower.multiplier * joints[self._leaders[follower.leader]] + follower.offset
                euler = tuple(mimic_value if axis == follower.axis else 0.0 for axis in "XYZ")
                bone_channels[follower.bone] = SolvedChannels(rotation, euler, location)
        return bone_channels

    def _base_channels(
        self, rig: bpy.types.Object, placement: Placement, state: KinematicState
    ) -> SolvedChannels:
        """Channels of the base bone, for the base's pose in a state of the solver."""
        bone = rig.data.bones[self.base]
        pose = Matrix(state.base_rotation.tolist()).to_4x4()
        pose.translation = state.base_position.tolist()
        # inverse of Blender's inheritance: with an identity basis, `on_parent` gives the frame in which the
        # bone's basis applies
        basis = placement.on_parent(rig, bone, Matrix()).inverted_safe() @ pose
        rotation = rotation_modes.quaternion("QUATERNION", basis.to_quaternion())
        euler = rotation_modes.angles_of(
            rotation, rotation_modes.hinge_order(rig.pose.bones[self.base].rotation_mode)
        )
        return SolvedChannels(rotation, euler, ORIGIN if bone.use_connect else tuple(basis.translation))


def _numbers(
    pose_bones: bpy.types.bpy_prop_collection, name: str, width: int, kind: type = np.float32
) -> np.ndarray:
    """Values of a property for all pose bones (n, width); (n,) if `width` is 1."""
    numbers = np.empty(width * len(pose_bones), kind)
    pose_bones.foreach_get(name, numbers)
    return numbers.reshape(-1, width) if width > 1 else numbers


def _motion(pose_bone: bpy.types.PoseBone, axis: str) -> MotionLimits:
    """Motion limits of a joint that is in no chain: positions by `limits`, velocity by the robot's file.
    Unknown limits, a range of one full revolution, acceleration and jerk are infinite.
    """
    lower, upper = limits(pose_bone, axis)
    if (lower, upper) == FULL_REVOLUTION:
        lower, upper = -inf, inf
    record = imported_robot.motor(pose_bone, axis)
    velocity = record.branch.joint.velocity if record is not None else None
    return MotionLimits(lower, upper, velocity or inf, inf, inf)
