"""Bones of a chain that do not simply inherit their parent's rotation: they copy another bone's rotation, or
inherit no rotation.

Animators' rigs isolate a head like this, so that it keeps its direction while the neck bends. Its position
still comes from its parent. The chain's joints rotate each bone relative to the previous bone of the chain,
so that a look is shared. The channels of such a bone are computed from these joint angles and from its
carrier: the source of the rotation that the bone has instead of its parent's.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import bpy
from mathutils import Matrix

from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Quaternion
from . import axes
from .constrained import HARMLESS, SHOWS, acts
from .joint_axes import constraint_range, free_axes

# types of constraints by which a bone takes the rotation of another bone
TURNING = {"COPY_ROTATION", "COPY_TRANSFORMS"}
# spaces of a constraint's owner and target: those with one frame for all bones, and that of the bone itself
ABSOLUTE, LOCAL = {"WORLD", "POSE"}, {"LOCAL"}


class Carrier(NamedTuple):
    """Source of a bone's rotation instead of its parent."""

    constraint: str  # name of the constraint that copies the rotation; "" if the bone inherits no rotation
    source: int  # index of the chain's bone that carries the copied bone; -1: the base carries it
    # whether the constraint copies in local space, so that the bone keeps its rotation relative to its parent
    is_local: bool


class CarriedBone(Protocol):
    """A bone of a chain: the attributes of `ChainBone` that this module uses."""

    name: str
    parent: int  # index of the previous bone of the chain; -1: none
    rest_rotation: Quaternion
    order: str  # axes of the bone's hinges, nearest the parent first; "" without revolute joints
    carrier: Carrier | None


class CarrierValues(NamedTuple):
    """A bone's carrier in a frame.

    Attributes:
        share: Share of the carrier in the bone's inherited rotation, 0 (its parent alone) to 1 (its carrier
            alone).
        offset: Rotation of the carrier in the source's frame.
        lead: Rotation that the carrier gives the bone in its parent's frame, relative to rest, in the
            authored pose.
    """

    share: float
    offset: Quaternion
    lead: Quaternion

    def frame(self, inherited: Quaternion, source: Quaternion) -> Quaternion:
        """Orientation of the bone before its own rotation. `inherited`: orientation that its parent alone
        would give it; `source`: orientation of the carrier's source.
        """
        return mixed(inherited, rotations.multiply(source, self.offset), self.share)


def carrier(pose_bone: bpy.types.PoseBone, names: Sequence[str]) -> Carrier | None:
    """The carrier of a bone in a chain of the bones `names`, parents before their children. None if the bone
    has none, or if the chain cannot compensate for it: for that, the first bone with joints, from this bone
    on, must rotate about all axes without limits.
    """
    if pose_bone.parent is None:
        return None
    constraints = [c for c in pose_bone.constraints if c.type not in HARMLESS and c.name != SHOWS]
    # most bones have no carrier: only the others need the search among the chain's bones
    if not pose_bone.bone.use_inherit_rotation:
        is_carried = bool(free_axes(pose_bone)) and not constraints and _can_compensate(pose_bone, names)
        return Carrier("", -1, False) if is_carried else None
    if len(constraints) != 1 or constraints[0].type not in TURNING or free_axes(pose_bone):
        return None
    return _copied(constraints[0], pose_bone, names) if _can_compensate(pose_bone, names) else None


def _copied(
    constraint: bpy.types.Constraint, pose_bone: bpy.types.PoseBone, names: Sequence[str]
) -> Carrier | None:
    """The carrier whose rotation a bone's constraint copies; None if the chain cannot compensate for it."""
    source = _source(constraint, names)
    if source is None or source >= names.index(pose_bone.name):  # the bone would follow its own rotation
        return None
    if {constraint.owner_space, constraint.target_space} == LOCAL:
        return Carrier(constraint.name, source, True) if source < 0 else None
    return Carrier(constraint.name, source, False) if _is_whole(constraint) else None


def _source(constraint: bpy.types.Constraint, names: Sequence[str]) -> int | None:
    """Index of the bone of a chain that carries what a constraint copies; -1 if no bone of the chain does,
    None if the constraint copies no bone of the armature.
    """
    rig = constraint.id_data
    if constraint.target != rig or constraint.subtarget not in rig.pose.bones:
        return None
    bone = rig.pose.bones[constraint.subtarget]
    line = (bone.name, *(above.name for above in bone.parent_recursive))
    return next((names.index(name) for name in line if name in names), -1)


def _is_whole(constraint: bpy.types.Constraint) -> bool:
    """Whether a constraint replaces the bone's whole rotation by that of its source, and changes nothing
    else.
    """
    if constraint.type != "COPY_ROTATION" or constraint.mix_mode != "REPLACE":
        return False
    is_absolute = {constraint.owner_space, constraint.target_space} <= ABSOLUTE
    return is_absolute and all(
        getattr(constraint, f"use_{axis}") and not getattr(constraint, f"invert_{axis}") for axis in "xyz"
    )


def share(pose_bone: bpy.types.PoseBone, bone_carrier: Carrier) -> float:
    """Share of the carrier in the bone's inherited rotation, now, from 0 to 1."""
    if not bone_carrier.constraint:
        return 1.0
    constraint = pose_bone.constraints.get(bone_carrier.constraint)
    return constraint.influence if constraint is not None and acts(constraint) else 0.0


def _can_compensate(pose_bone: bpy.types.PoseBone, names: Sequence[str]) -> bool:
    """Whether the first bone with joints, from this bone of a chain on, rotates about all axes without
    limits, so that it can compensate.
    """
    bones = pose_bone.id_data.pose.bones
    line = (bones[name] for name in names[names.index(pose_bone.name) :])
    following = next(
        (
            bone
            for bone in line
            if free_axes(bone) and (bone == pose_bone or pose_bone in bone.parent_recursive)
        ),
        None,
    )
    if following is None or len(free_axes(following)) < len(axes.REVOLUTE):
        return False
    return not any(constraint_range(following, axis) for axis in axes.REVOLUTE)


def mixed(begin: Quaternion, end: Quaternion, portion: float) -> Quaternion:
    """Interpolation from one orientation to another along the shortest rotation; `portion` 0 to 1, beyond 1
    it extrapolates.
    """
    rotation = rotations.multiply(rotations.conjugate(begin), end)
    return rotations.multiply(
        begin, rotations.exponential(rotations.scale(rotations.logarithm(rotation), portion))
    )


def read(
    parts: Sequence[CarriedBone], pose_bones: bpy.types.bpy_prop_collection, poses: tuple, digits: int
) -> tuple:
    """The `AuthoredChannels` of a chain's bones with the effect of carriers in this frame (`CarrierValues`).

    Args:
        parts: The chain's `ChainBone`s, root first.
        pose_bones: Pose bones of the evaluated rig: as shown, with constraints.
        poses: Authored `AuthoredChannels` of each bone in `parts`.
        digits: Decimals to which rotations are rounded, so that noise of single precision does not change
            them.
    """
    carried_poses, authored, base = [], [], _base(pose_bones[parts[0].name])
    for part, pose in zip(parts, poses, strict=True):
        bone, bone_carrier = pose_bones[part.name], part.carrier
        # in local space the constraint changes the bone's own channels, and not the frame that the bone
        # inherits
        if bone_carrier is not None and bone_carrier.is_local:
            location, rotation, _ = _local(bone)
            pose = pose._replace(
                location=_rounded(location, digits), rotation=rotations.normalized(_rounded(rotation, digits))
            )
        inherited = (
            rotations.multiply(authored[part.parent], part.rest_rotation)
            if part.parent >= 0
            else rotations.IDENTITY
        )
        if (
            bone_carrier is not None
            and not bone_carrier.is_local
            and (portion := share(bone, bone_carrier)) > 0.0
        ):
            offset = _offset(
                bone,
                bone_carrier,
                portion,
                base
                if bone_carrier.source < 0
                else _rotation(pose_bones[parts[bone_carrier.source].name].matrix),
            )
            offset = rotations.normalized(_rounded(offset, digits))
            frame = mixed(
                inherited,
                rotations.multiply(
                    authored[bone_carrier.source] if bone_carrier.source >= 0 else rotations.IDENTITY, offset
                ),
                portion,
            )
            lead = rotations.multiply(rotations.conjugate(inherited), frame)
            pose = pose._replace(
                carried=CarrierValues(portion, offset, rotations.normalized(_rounded(lead, digits)))
            )
            inherited = frame
        authored.append(rotations.multiply(inherited, part.rotation(pose)))
        carried_poses.append(pose)
    return tuple(carried_poses)


def rotations_in_channels(
    parts: Sequence[CarriedBone], poses: Sequence, relative_rotations: Sequence[Quaternion]
) -> list[Quaternion]:
    """Rotation of each of a chain's bones in its own channels, from its rotation relative to the previous
    bone of the chain.

    Args:
        parts: The chain's `ChainBone`s.
        poses: `AuthoredChannels` of each bone in `parts`, as `read` returns them.
        relative_rotations: Rotation of each bone by its joints, in addition to its rest pose and its
            carrier's `lead`.
    """
    channel_rotations, solved, shown = [], [], []
    for part, pose, rotation in zip(parts, poses, relative_rotations, strict=True):
        before, inherited = rotations.IDENTITY, rotations.IDENTITY
        if part.parent >= 0:
            before, inherited = (
                rotations.multiply(of[part.parent], part.rest_rotation) for of in (solved, shown)
            )
        if pose.carried is not None:
            before = rotations.multiply(before, pose.carried.lead)
            inherited = pose.carried.frame(
                inherited, solved[part.carrier.source] if part.carrier.source >= 0 else rotations.IDENTITY
            )
        solved.append(rotations.multiply(before, rotation))
        channel_rotations.append(
            rotations.multiply(rotations.conjugate(inherited), solved[-1]) if part.order else rotation
        )
        shown.append(rotations.multiply(inherited, channel_rotations[-1]))
    return channel_rotations


def _offset(
    bone: bpy.types.PoseBone, bone_carrier: Carrier, portion: float, source: Quaternion
) -> Quaternion:
    """Rotation of a bone's carrier in its source's frame, computed from the shown pose. `portion` (above 0,
    up to 1): share of a bone's rotation that the constraint copies.
    """
    if not bone_carrier.constraint:
        whole = _rotation(bone.bone.matrix_local)
    else:
        rest = bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local
        whole = mixed(_rotation(bone.parent.matrix @ rest), _rotation(bone.matrix), 1.0 / portion)
    return rotations.multiply(rotations.conjugate(source), whole)


def _base(root: bpy.types.PoseBone) -> Quaternion:
    """Shown rotation of a chain's base in armature space: that of its root without the root's own
    rotation.
    """
    if root.parent is None or not root.bone.use_inherit_rotation:
        return _rotation(root.bone.matrix_local)
    return _rotation(root.parent.matrix @ root.parent.bone.matrix_local.inverted() @ root.bone.matrix_local)


def _local(bone: bpy.types.PoseBone) -> tuple:
    """Shown location, rotation and scale of a bone relative to its rest pose."""
    rest = bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local
    return (rest.inverted() @ bone.parent.matrix.inverted() @ bone.matrix).decompose()


def _rotation(matrix: Matrix) -> Quaternion:
    return tuple(matrix.to_quaternion())


def _rounded(numbers: Iterable[float], digits: int) -> tuple[float, ...]:
    return tuple(round(number, digits) for number in numbers)
