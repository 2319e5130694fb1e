"""Joint values as the scene shows them where no solver moves a bone: the one place where a pose becomes the values of joints.

A bone's channels say where it is, unless constraints move it: then its evaluated pose does. Blender copies that pose back to the bones of
the scene's own armature, where `matrix` has it.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import hypot, pi, radians
from typing import NamedTuple

import bpy
from mathutils import Matrix

from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Quaternion
from . import axes, rotation_modes
from .axes import INDEX, REVOLUTE, UNIT, JointKey, parent_first
from .constrained import HARMLESS, LIMITING, SHOWS
from .rotation_modes import SLACK, Angles, Limits, Spans, hinge_order

SAME = 2e-6  # [rad; share of a bone's length] what an evaluated pose differs from its channels by single precision alone
OFF = radians(0.5)  # [rad; share of a bone's length] a pose that differs more from what its joints can do is reported
SPLINE_IK = "SPLINE_IK"


class Deviation(NamedTuple):
    """What a bone's evaluated pose has beyond the values of its joints."""

    bone: str
    axes: str  # of its joints, for messages
    angle: float  # [rad] rotation
    distance: float  # [m]
    stretch: float  # largest relative change of scale

    def is_off(self, length: float) -> bool:
        """Whether it is large enough to be seen on a bone of this length [m]."""
        return max(self.angle, self.distance / length, self.stretch) > OFF

    @property
    def sentence(self) -> str:
        """The bone, how far its pose is from what its joints can do, and the remedy."""
        parts = []
        if self.angle > OFF:
            parts.append(f"turned {self.angle / radians(1.0):.1f}° off the axis of its joint ({self.axes})")
        if self.stretch > OFF:
            parts.append(f"scaled by {100.0 * self.stretch:.0f} %")
        if not parts:
            parts.append(f"moved {1e3 * self.distance:.1f} mm away from its joint")
        return (
            f"Bone '{self.bone}' is {' and '.join(parts)} by constraints, which its servo cannot do: let them move the bone about that axis"
            " alone (lock the others for IK, or use Locked Track or Limit Rotation)"
        )


class _Fit(NamedTuple):
    """Values of a bone's joints [rad or m] by axis that come nearest to its evaluated pose, and what is left of it."""

    values: dict[str, float]
    left: Deviation


def posed(rig, joint_keys: Sequence[JointKey], limits: Limits) -> dict[JointKey, float]:
    """Values [rad or m] of joints by (bone, axis) as the scene shows them: posed, keyed, driven, or moved by constraints.

    Joints without a bone are left out.

    Args:
        rig: The armature object.
        joint_keys: The joints; none of a live mover, whose constraint is not counted.
        limits: Limits of joints, known or not, which say which of several angles of the same rotation is meant.
    """
    found: dict[JointKey, float] = {}
    for bone, own, is_moved in _bones(rig, joint_keys):
        values = _fit(bone, own, limits).values if is_moved else _of_channels(bone, own, limits)
        found.update(((bone.name, axis), value) for axis, value in values.items())
    return found


def deviations(rig, joint_keys: Sequence[JointKey], limits: Limits) -> list[Deviation]:
    """What constraints do to bones that the joints cannot: those that can be seen. Arguments as for `posed`."""
    fits = ((bone, _fit(bone, own, limits).left) for bone, own, is_moved in _bones(rig, joint_keys) if is_moved)
    return [left for bone, left in fits if left.is_off(bone.length)]


def moved_bones(rig, joint_keys: Sequence[JointKey]) -> list[str]:
    """Names of those of the joints' bones whose pose constraints may change."""
    return [bone.name for bone, _, is_moved in _bones(rig, joint_keys) if is_moved]


def basis(bone) -> Matrix:
    """Transform (4, 4) that a pose bone's channels would need for its evaluated pose: relative to its parent and its rest pose."""
    rest, parent = bone.bone, bone.parent
    if parent is None:
        return rest.convert_local_to_pose(bone.matrix, rest.matrix_local, invert=True)
    return rest.convert_local_to_pose(
        bone.matrix, rest.matrix_local, parent_matrix=parent.matrix, parent_matrix_local=rest.parent.matrix_local, invert=True
    )


def _bones(rig, joint_keys: Sequence[JointKey]) -> Iterator[tuple]:
    """For each bone with any of these joints: the pose bone, the axes of its joints, and whether anything but its channels may move it."""
    by_bone: dict[str, list[str]] = {}
    for name, axis in joint_keys:
        by_bone.setdefault(name, []).append(axis)
    bones, along_curves = rig.pose.bones, None
    is_at_rest = rig.data.pose_position == "REST"
    for name, own in by_bone.items():
        bone = bones.get(name)
        if bone is None:
            continue
        is_moved = is_at_rest or bone.is_in_ik_chain or any(_may_move(bone, constraint) for constraint in bone.constraints)
        if not is_moved and bpy.data.curves:  # without a curve there is no Spline IK, which is on another bone
            along_curves = _along_curves(bones) if along_curves is None else along_curves
            is_moved = name in along_curves
        yield bone, own, is_moved


def _may_move(bone, constraint) -> bool:
    """Whether a constraint on a bone may change its pose."""
    if constraint.mute or constraint.influence == 0.0 or constraint.name == SHOWS or constraint.type in HARMLESS:
        return False
    return constraint.type not in LIMITING or not _is_within(bone, constraint)


def _is_within(bone, constraint) -> bool:
    """Whether the bone's own channels are within a limiting constraint, which then changes nothing."""
    if constraint.owner_space != "LOCAL" or not axes.is_euler(bone):
        return False
    turns = constraint.type == "LIMIT_ROTATION"
    if turns and constraint.euler_order not in ("AUTO", bone.rotation_mode):
        return False
    for number, letter in zip(bone.rotation_euler if turns else bone.location, "xyz", strict=True):
        has_low = getattr(constraint, f"use_limit_{letter}" if turns else f"use_min_{letter}")
        has_high = has_low if turns else getattr(constraint, f"use_max_{letter}")
        if has_low and number < getattr(constraint, f"min_{letter}") or has_high and number > getattr(constraint, f"max_{letter}"):
            return False
    return not turns or max(map(abs, bone.rotation_euler)) <= pi


def _along_curves(bones) -> set[str]:
    """Names of the bones that Spline IK moves."""
    found: set[str] = set()
    for bone in bones:
        for constraint in bone.constraints:
            if constraint.type == SPLINE_IK and not constraint.mute:
                found.update(part.name for part in [bone, *bone.parent_recursive][: constraint.chain_count])
    return found


def _of_channels(bone, own: Sequence[str], limits: Limits) -> dict[str, float]:
    """Values [rad or m] of a bone's joints by axis, from its channels."""
    found, hinges = {}, None
    for axis in own:
        if axes.is_prismatic(axis):
            found[axis] = bone.location[axes.index(axis)]
            continue
        if hinges is None:
            hinges = rotation_modes.hinges(bone, rotation_modes.spans_of(limits, bone.name))
        found[axis] = hinges[INDEX[axis]]
    return found


def _fit(bone, own: Sequence[str], limits: Limits) -> _Fit:
    """Values of a bone's joints that come nearest to its evaluated pose, and what is left of it."""
    shown = basis(bone)
    turn = rotations.normalized(tuple(shown.to_quaternion()))
    spans = rotation_modes.spans_of(limits, bone.name)
    channels = rotation_modes.hinges(bone, spans)
    channels_turn = rotation_modes.turn(bone.rotation_mode, rotation_modes.stored(bone))
    revolute = [axis for axis in own if not axes.is_prismatic(axis)]
    order = hinge_order(bone.rotation_mode)
    angles, fitted = channels, channels_turn
    if revolute and rotations.angle_between(channels_turn, turn) > SAME:
        angles = _angles(turn, order, revolute, channels, spans)
        fitted = rotation_modes.from_angles(angles, order)
    values = {axis: _inside(angles[INDEX[axis]], spans[INDEX[axis]]) for axis in revolute}
    location = (0.0, 0.0, 0.0) if bone.bone.use_connect else tuple(bone.location)
    rest = []
    for axis, seen, channel in zip(axes.PRISMATIC, shown.translation, location, strict=True):
        if axis not in own:
            rest.append(seen - channel)
            continue
        is_same = abs(seen - channel) <= SAME * bone.length
        values[axis] = channel if is_same else _inside(seen, limits.get((bone.name, axis), rotation_modes.FREE))
    stretch = max(abs(seen - channel) for seen, channel in zip(shown.to_scale(), bone.scale, strict=True))
    letters = ", ".join(map(axes.letter, own))
    return _Fit(values, Deviation(bone.name, letters, rotations.angle_between(fitted, turn), hypot(*rest), stretch))


def _angles(turn: Quaternion, order: str, revolute: Sequence[str], channels: Angles, spans: Spans) -> Angles:
    """Angles [rad] of a bone's hinges about X, Y and Z that come nearest to a rotation; hinges without a joint stay as in `channels`."""
    if len(revolute) == 1:
        axis = revolute[0]
        angles = list(channels)
        angles[INDEX[axis]] = _about(turn, order, axis, channels, spans[INDEX[axis]])
        return tuple(angles)
    fixed = [spans[k] if axis in revolute else (channels[k], channels[k]) for k, axis in enumerate(REVOLUTE)]
    fitted = rotation_modes.angles_of(turn, order, channels, fixed)
    return tuple(fitted[k] if axis in revolute else channels[k] for k, axis in enumerate(REVOLUTE))


def _about(turn: Quaternion, order: str, axis: str, channels: Angles, span: tuple[float, float]) -> float:
    """Angle [rad] of a bone's only joint that comes nearest to a rotation: the twist about the joint's axis between the other hinges."""
    above, below, reached = rotations.IDENTITY, rotations.IDENTITY, False
    for hinge in parent_first(order):
        if hinge == axis:
            reached = True
        elif angle := channels[INDEX[hinge]]:
            part = rotations.about(UNIT[hinge], angle)
            above, below = (above, rotations.multiply(below, part)) if reached else (rotations.multiply(above, part), below)
    between = rotations.multiply(rotations.multiply(rotations.conjugate(above), turn), rotations.conjugate(below))
    return rotation_modes.nearest(rotations.twist_angle(between, UNIT[axis]), channels[INDEX[axis]], span)


def _inside(value: float, span: tuple[float, float]) -> float:
    """A value that single precision alone puts beyond a limit, at that limit; others unchanged."""
    low, high = span
    return min(max(value, low), high) if low - SLACK <= value <= high + SLACK else value
