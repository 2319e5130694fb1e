"""Joint values as the scene shows them, for bones that no solver moves.

They come from a bone's channels, or from its evaluated pose if constraints move it. Blender copies that pose
back to the bones of the original armature, into `matrix`.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from math import hypot, pi, radians
from typing import NamedTuple

import bpy
from mathutils import Matrix, Vector

from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Quaternion
from . import axes, rotation_modes
from .axes import INDEX, REVOLUTE, JointKey
from .constrained import HARMLESS, acts
from .rotation_modes import SLACK, Angles, Limits, Spans, hinge_order

# [rad; share of a bone's length] difference up to which an evaluated pose counts as that of its channels
# (single precision)
SAME = 2e-6
# [rad; share of a bone's length; scale factor] difference between a pose and the nearest pose that the joints
# can have, above which it is reported
OFF = radians(0.5)
IK = {"IK", "SPLINE_IK"}  # types of constraints that move bones above the one that has them
ROTATION = "rotation_euler"
# type of a limiting constraint -> the channel that it limits, and for each component the names of its
# switches and limits
LIMITS = {
    "LIMIT_ROTATION": (
        ROTATION,
        [
            (f"use_limit_{letter}", f"min_{letter}", f"use_limit_{letter}", f"max_{letter}")
            for letter in "xyz"
        ],
    ),
    "LIMIT_LOCATION": (
        "location",
        [(f"use_min_{letter}", f"min_{letter}", f"use_max_{letter}", f"max_{letter}") for letter in "xyz"],
    ),
}


class Deviation(NamedTuple):
    """Part of a bone's evaluated pose that the values of its joints cannot represent."""

    bone: str
    axes: str  # axes of the bone's joints, for the message
    angle: float  # [rad] difference in rotation
    length: float  # [m] length of the bone
    distance: float  # [m] difference in position
    stretch: float  # largest difference of a scale factor, in magnitude
    # [rad] largest angle between one of the bone's axes and that axis without shear; unequally scaled parents
    # shear a bone
    shear: float

    @property
    def worst(self) -> float:
        """The largest of angle and shear [rad], displacement as a share of the bone's length, and stretch."""
        return max(self.angle, self.distance / self.length, self.stretch, self.shear)

    @property
    def sentence(self) -> str:
        """Sentence with the bone, the difference between its pose and the nearest pose that its joints can
        have, and the remedies.
        """
        parts, remedies = [], []
        if self.angle > OFF:
            parts.append(f"turned {self.angle / radians(1.0):.1f}° off the axis of its joint ({self.axes})")
        if self.stretch > OFF:
            parts.append(f"scaled by {100.0 * self.stretch:.0f} %")
        if not parts and self.shear <= OFF:
            parts.append(f"moved {1e3 * self.distance:.1f} mm away from its joint")
        if parts:
            remedies.append(
                "let them move the bone about that axis alone (lock the others for IK, or use Locked Track or"
                " Limit Rotation)"
            )
        if self.shear > OFF:
            parts.append(f"sheared by {self.shear / radians(1.0):.1f}°")
            remedies.append("scale the bones and objects above it equally in all directions")
        return (
            f"Bone '{self.bone}' is {' and '.join(parts)} by constraints, which its servo cannot do:"
            f" {', and '.join(remedies)}"
        )


class _Fit(NamedTuple):
    """Axis -> value [rad or m] of a bone's joints that come nearest to its evaluated pose, and the remaining
    difference.
    """

    values: dict[str, float]
    remainder: Deviation


def posed(
    rig: bpy.types.Object,
    joint_keys: Sequence[JointKey],
    limits: Callable[[], Limits],
    before: Callable[[], Mapping[JointKey, float]] = dict,
) -> dict[JointKey, float]:
    """Values [rad or m] of joints by (bone, axis) as the scene shows them: posed, keyed, driven, or moved by
    constraints.

    Joints without a bone are left out.

    Args:
        rig: The armature object.
        joint_keys: The joints, of movers that are not live.
        limits: Returns the limits of the joints, by which one of several angles of the same rotation is
            chosen; called only for bones that constraints move, or that do not rotate by Euler angles.
        before: Returns the known values of the previous frame; angles of a bone that constraints move are
            chosen near to them, since a pose does not contain full revolutions. Called only if there is such
            a bone.
    """
    shown: dict[JointKey, float] = {}
    ranges: Limits | None = None
    bones, moved = rig.pose.bones, moved_bones(rig, {name for name, _ in joint_keys})
    last = before() if moved else {}
    for name, bone_axes in _by_bone(joint_keys).items():
        bone = bones.get(name)
        if bone is None:
            continue
        # Euler channels that nothing overrides are the values themselves, full revolutions included
        if name not in moved and axes.is_euler(bone):
            for axis in bone_axes:
                shown[name, axis] = getattr(bone, axes.channel(axis))[axes.index(axis)]
            continue
        ranges = limits() if ranges is None else ranges
        values = (
            _fit(bone, bone_axes, ranges, last).values
            if name in moved
            else _of_rotation(bone, bone_axes, ranges)
        )
        shown.update(((name, axis), value) for axis, value in values.items())
    return shown


def deviations(
    rig: bpy.types.Object, joint_keys: Sequence[JointKey], limits: Callable[[], Limits]
) -> list[Deviation]:
    """Visible differences between the poses that constraints give bones and those that their joints can
    represent. Arguments as for `posed`.
    """
    moved = moved_bones(rig, {name for name, _ in joint_keys})
    if not moved:
        return []
    ranges, by_bone = limits(), _by_bone(joint_keys)
    fits = (_fit(rig.pose.bones[name], by_bone[name], ranges, {}).remainder for name in moved)
    return [deviation for deviation in fits if deviation.worst > OFF]


def moved_bones(rig: bpy.types.Object, names: Container[str]) -> list[str]:
    """The bones in `names` of an armature whose poses something other than their channels may change, such as
    a constraint.
    """
    if rig.data.pose_position == "REST":
        return [bone.name for bone in rig.pose.bones if bone.name in names]
    return list(dict.fromkeys(name for name, _, _ in acting(rig, names)))


def acting(rig: bpy.types.Object, names: Container[str]) -> Iterator[tuple]:
    """Yields (name, bone, constraint) for each constraint that may now move one of the named bones; `bone`
    has the constraint, and is the named bone or, for IK, a bone below it.

    Limits that the bone's channels keep are left out, and so is Limber's own constraint, which shows solved
    poses.
    """
    for bone in [bone for bone in rig.pose.bones if bone.constraints]:
        is_named = bone.name in names
        for constraint in bone.constraints:
            kind = constraint.type
            # only IK constraints also move bones above the bone that has them
            if (
                (not is_named and kind not in IK)
                or kind in HARMLESS
                or (kind in LIMITS and _is_within(bone, constraint, *LIMITS[kind]))
            ):
                continue
            if not acts(constraint):
                continue
            for part in reached(bone, constraint) if kind in IK else (bone,):
                if part.name in names:
                    yield part.name, bone, constraint


def reached(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list:
    """Pose bones that an IK or Spline IK constraint on a bone may move, upward from that bone or its
    parent.
    """
    bones = [bone, *bone.parent_recursive]
    first = int(constraint.type == "IK" and not constraint.use_tail)
    return bones[first : first + constraint.chain_count if constraint.chain_count else None]


def basis(bone: bpy.types.PoseBone) -> Matrix:
    """Basis matrix (4, 4), relative to parent and rest pose, for which a pose bone's own channels would give
    its evaluated pose.
    """
    rest, parent = bone.bone, bone.parent
    if parent is None:
        return rest.convert_local_to_pose(bone.matrix, rest.matrix_local, invert=True)
    return rest.convert_local_to_pose(
        bone.matrix,
        rest.matrix_local,
        parent_matrix=parent.matrix,
        parent_matrix_local=rest.parent.matrix_local,
        invert=True,
    )


def _by_bone(joint_keys: Sequence[JointKey]) -> dict[str, list[str]]:
    """Bone -> axes of its joints."""
    by_bone: dict[str, list[str]] = {}
    for name, axis in joint_keys:
        by_bone.setdefault(name, []).append(axis)
    return by_bone


def _is_within(
    bone: bpy.types.PoseBone,
    constraint: bpy.types.Constraint,
    channel: str,
    ends: Sequence[tuple[str, str, str, str]],
) -> bool:
    """Whether a bone's Euler angles or location are within the limits of a constraint in Local Space, so that
    the constraint changes nothing; False if that is not certain. `ends` has for each axis the names of the
    constraint's properties: whether it has a lower limit, that limit, and the same for the upper limit.
    """
    if constraint.owner_space != "LOCAL" or not axes.is_euler(bone):
        return False
    numbers = tuple(getattr(bone, channel))
    # Blender limits angles that it computes from the matrix, which has no full revolutions
    if channel == ROTATION and (
        constraint.euler_order not in ("AUTO", bone.rotation_mode) or max(map(abs, numbers)) > pi
    ):
        return False
    for number, (uses_low, low, uses_high, high) in zip(numbers, ends, strict=True):
        if getattr(constraint, uses_low) and number < getattr(constraint, low):
            return False
        if getattr(constraint, uses_high) and number > getattr(constraint, high):
            return False
    return True


def _of_rotation(bone: bpy.types.PoseBone, bone_axes: Sequence[str], limits: Limits) -> dict[str, float]:
    """Axis -> value [rad or m] of a bone's joints, from its channels, for a bone that rotates by quaternion
    or axis-angle.
    """
    hinges = rotation_modes.hinges(bone, rotation_modes.spans_of(limits, bone.name))
    return {
        axis: (bone.location if axes.is_prismatic(axis) else hinges)[axes.index(axis)] for axis in bone_axes
    }


def _fit(
    bone: bpy.types.PoseBone, bone_axes: Sequence[str], limits: Limits, before: Mapping[JointKey, float]
) -> _Fit:
    """Values of a bone's joints that come nearest to its evaluated pose, and the remaining difference.
    `before` is as for `posed`.
    """
    shown = basis(bone)
    rotation = rotations.normalized(tuple(shown.to_quaternion()))
    spans = rotation_modes.spans_of(limits, bone.name)
    channels = rotation_modes.hinges(bone, spans)
    channels_rotation = rotation_modes.quaternion(bone.rotation_mode, rotation_modes.stored(bone))
    revolute = [axis for axis in bone_axes if not axes.is_prismatic(axis)]
    order = hinge_order(bone.rotation_mode)
    angles, fitted = channels, channels_rotation
    near = tuple(
        before.get((bone.name, axis), channel) for axis, channel in zip(REVOLUTE, channels, strict=True)
    )
    # channels that agree with the evaluated pose are exact, while fitted angles have the noise of single
    # precision
    if revolute and (near != channels or rotations.angle_between(channels_rotation, rotation) > SAME):
        angles = _angles(rotation, order, revolute, channels, near, spans)
        fitted = rotation_modes.from_angles(angles, order)
    values = {axis: _inside(angles[INDEX[axis]], spans[INDEX[axis]]) for axis in revolute}
    # Blender ignores the location of a connected bone
    location = (0.0, 0.0, 0.0) if bone.bone.use_connect else tuple(bone.location)
    rest = []
    for axis, seen, channel in zip(axes.PRISMATIC, shown.translation, location, strict=True):
        if axis not in bone_axes:
            rest.append(seen - channel)
            continue
        is_same = abs(seen - channel) <= SAME * bone.length
        values[axis] = (
            channel if is_same else _inside(seen, limits.get((bone.name, axis), rotation_modes.FREE))
        )
    stretch = max(abs(seen - channel) for seen, channel in zip(shown.to_scale(), bone.scale, strict=True))
    letters = ", ".join(map(axes.letter, bone_axes))
    angle = rotations.angle_between(fitted, rotation)
    remainder = Deviation(
        bone.name, letters, angle, bone.length, hypot(*rest), stretch, _shear(shown, rotation)
    )
    return _Fit(values, remainder)


def _shear(shown: Matrix, rotation: Quaternion) -> float:
    """Largest angle [rad] of the axes of a transform (4, 4) from those of its rotation."""
    pairs = zip(shown.to_3x3().col, Matrix.Identity(3).col, strict=True)
    return max(seen.angle(Vector(rotations.rotate(rotation, tuple(axis))), 0.0) for seen, axis in pairs)


def _angles(
    rotation: Quaternion, order: str, revolute: Sequence[str], channels: Angles, near: Angles, spans: Spans
) -> Angles:
    """Angles [rad] of a bone's hinges about X, Y and Z that come nearest to a rotation; hinges without a
    joint stay as in `channels`.

    Among angles of the same rotation, those nearest to `near` within `spans`. An angle that differs from its
    channel only by single precision is replaced by the channel's value.
    """
    free = [axis for axis in REVOLUTE if axis in revolute]
    # three hinges can represent any rotation; fewer can in general only approach it
    if len(free) == len(REVOLUTE):
        nearest_angles = rotation_modes.angles_of(rotation, order, near, spans)
    elif len(free) == 1:
        nearest_angles = (rotation_modes.fitted_hinge(rotation, order, free[0], channels),)
    else:
        nearest_angles = rotation_modes.fitted_hinges(rotation, order, (free[0], free[1]), channels, near)
    fitted = list(channels)
    for axis, angle in zip(free, nearest_angles, strict=True):
        index = INDEX[axis]
        fitted[index] = rotation_modes.nearest(angle, near[index], spans[index])
    is_channel = (
        axis not in revolute or abs(fitted[k] - channels[k]) <= SAME for k, axis in enumerate(REVOLUTE)
    )
    return tuple(
        channel if is_same else angle
        for angle, channel, is_same in zip(fitted, channels, is_channel, strict=True)
    )


def _inside(value: float, span: tuple[float, float]) -> float:
    """A value that is beyond a limit only by single precision, moved to that limit; other values
    unchanged.
    """
    low, high = span
    return min(max(value, low), high) if low - SLACK <= value <= high + SLACK else value
