"""Forward axis of an end: guessed at rest from names of bones, the figure's sides and shape, and the frames
of imported robots; and set along a direction.
"""

import re
from math import cos, degrees, radians, sin
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ..blender.errors import RigError
from ..bones import imported_robot
from ..bones.axes import REVOLUTE
from ..bones.figure import Figure
from ..bones.front import has_face
from ..scene.goal import AXES, CUSTOM, SHORTEST, forward_axis, signed_axis
from . import chain_root

EXACT = radians(2)  # [rad] angle within which directions count as equal, since users place bones by hand
# [rad] angle from the gaze direction within which a bone's axis is used instead, since users know the axes by
# name
SAME = radians(0.1)
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
SIDES = {"l": 1.0, "left": 1.0, "r": -1.0, "right": -1.0}
EYES = {"eye", "eyes", "eyeball", "eyeballs"}
HEADS = {"head", "face", "skull", "neck", "gaze", "chest", "torso", "spine", "camera"} | EYES
LIMBS = {"arm", "forearm", "elbow", "wrist", "hand", "gripper", "finger", "tool", "leg", "foot", "tail"}
CAMERAS = {"camera", "cam", "optical", "rgbd", "xtion", "kinect", "realsense", "stereo"}
# word in the names of frames that look along Z (ROS REP 103); other frames of cameras look along X or Z
OPTICAL = "optical"
# smallest distance between left and right sides, as a share of the armature's size; sides nearer to each
# other count as the fingers of a gripper
APART = 0.1
# smallest distance between a left and a right limb, as a share of the figure's diagonal; nearer ones do not
# count as limbs. A horse's legs have 0.08.
LIMBS_APART = 0.04
LEVEL = 0.2  # sine of the smallest angle to the vertical at which a direction can define the front
# [rad] largest angle between a camera and the body's front at which the camera defines where the head looks
TOWARD = radians(60)


class Guess(NamedTuple):
    """Guessed forward direction of an end."""

    direction: Vector  # unit vector in armature space, at rest
    # source of the guess, as the end of a sentence; "" if nothing shows it, so that the direction is the
    # bone's own
    reason: str


def guess(rig: bpy.types.Object, end: str) -> Guess:
    """Guesses where the bone `end` of an armature object looks."""
    bone = rig.data.bones[end]
    is_head = _is_head(bone) or bool(_carried(bone, EYES))
    front = (_front(rig, bone) if is_head else None) or _front_of_figure(rig, end) or _along_bone(rig, bone)
    return _camera(rig, bone, front) or front


def guess_of(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, bone: str = "") -> Guess:
    """Guesses where an end of a chain looks. Without a clue it looks along its bone, or across the bone if
    the joints would only roll such a look.

    Args:
        rig: The armature object.
        chain: The chain.
        bone: Bone of an additional end; "": the chain's own end.
    """
    end = bone or chain.end
    first_guess = guess(rig, end)
    leading = {end, *(above.name for above in rig.data.bones[end].parent_recursive)}
    if first_guess.reason or any(
        name in leading for name, _ in _rotating_joints(rig, chain, first_guess.direction)
    ):
        return first_guess
    # characters look along -Y in Blender
    ahead = _robots_front(rig, rig.data.bones[end]) or Vector((0, -1, 0))
    across = [direction for axis in AXES if axis[1] != "Y" and (direction := axis_at_rest(rig, end, axis))]
    best = max(across, key=lambda direction: (round(direction.dot(ahead), 3), direction.dot(up_of(rig))))
    return Guess(best, "across its bone, since its joints only twist that")


def why_rolls(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> str:
    """Warning if the end's own joints only roll its view, and the other joints rotate it about one axis only;
    else "".
    """
    view = axis_at_rest(rig, chain.end, chain.forward_axis) if chain.forward_axis != CUSTOM else None
    if view is None or not chain.joints or chain.joints[-1].bone != chain.end:
        return ""
    end_joints = [joint for joint in _rotating_joints(rig, chain, view) if joint[0] == chain.end]
    turning_axes = [axis for _, axis in _rotating_joints(rig, chain, view)]
    if end_joints or not turning_axes or any(_across(turning_axes[0], axis) for axis in turning_axes):
        return ""
    return (
        f"Bone '{chain.end}' only twists, which rolls its view and does not turn it: if it looks sideways,"
        " press the eyedropper beside Forward Axis and click another arrow"
    )


def _rotating_joints(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, view: Vector
) -> list[tuple[str, Vector]]:
    """(bone, axis at rest in armature space) of the chain's revolute joints that change the direction `view`
    in which its end looks; joints along that direction only roll the view.
    """
    joints = [
        (joint.bone, axis_at_rest(rig, joint.bone, f"+{joint.axis}"))
        for joint in chain.joints
        # bones that are missing are reported by Check
        if joint.axis in REVOLUTE and joint.bone in rig.data.bones
    ]
    return [(bone, axis) for bone, axis in joints if _across(axis, view)]


def _across(direction: Vector, other: Vector) -> bool:
    """Whether the angle between two directions, or between one and the other's opposite, is more than
    `EXACT`.
    """
    return direction.normalized().cross(other.normalized()).length > sin(EXACT)


def point(settings: bpy.types.PropertyGroup, rig: bpy.types.Object, bone: str, direction: Vector) -> None:
    """Sets the forward axis of an end along a direction in its armature at rest, and its up axis to the one
    nearest to world up.

    Args:
        settings: Goal of the end.
        rig: The armature object.
        bone: Bone of the end.
        direction: The direction; if it coincides with an axis of the bone, that axis is set.
    """
    look = max(AXES, key=lambda axis: axis_at_rest(rig, bone, axis).dot(direction))
    up = max(
        (axis for axis in AXES if axis[1] != look[1]),
        key=lambda axis: axis_at_rest(rig, bone, axis).dot(up_of(rig)),
    )
    if axis_at_rest(rig, bone, look).angle(direction) > SAME:
        settings.forward_direction = (
            rig.data.bones[bone].matrix_local.to_3x3().inverted() @ direction.normalized()
        )
        look = CUSTOM
    settings.forward_axis, settings.up = look, up


def face(settings: bpy.types.PropertyGroup, rig: bpy.types.Object, bone: str, location: Vector) -> bool:
    """Sets the forward direction of an end so that, in its current pose, it looks at a location; False if the
    location is at the end itself.

    Args:
        settings: Goal of the end.
        rig: The armature object.
        bone: Bone of the end.
        location: World location [m].
    """
    posed = rig.pose.bones[bone]
    seen = (rig.matrix_world @ posed.matrix).inverted() @ location - Vector(
        (0.0, settings.eye * posed.length, 0.0)
    )
    if seen.length <= SHORTEST * posed.length:
        return False
    point(settings, rig, bone, posed.bone.matrix_local.to_3x3() @ seen)
    return True


def axis_at_rest(rig: bpy.types.Object, bone: str, axis: str) -> Vector:
    """A bone's axis, "+X" to "-Z", in armature space at rest."""
    return (rig.data.bones[bone].matrix_local.to_3x3() @ Vector(signed_axis(axis))).normalized()


def nearest_axis(settings: bpy.types.PropertyGroup) -> str:
    """The bone's axis, "+X" to "-Z", that is nearest to the forward direction of an end."""
    return max(AXES, key=lambda axis: Vector(signed_axis(axis)).dot(forward_axis(settings)))


def up_of(rig: bpy.types.Object) -> Vector:
    """World up in armature space; it may differ from +Z, since armatures from other programs are often
    rotated.
    """
    return (rig.matrix_world.to_quaternion().inverted() @ Vector((0, 0, 1))).normalized()


def described(settings: bpy.types.PropertyGroup) -> str:
    """The forward axis of an end as text for the interface."""
    if settings.forward_axis != CUSTOM:
        return settings.forward_axis
    axis = nearest_axis(settings)
    aside = degrees(Vector(signed_axis(axis)).angle(Vector(forward_axis(settings))))
    return f"a direction {aside:.0f} degrees from {axis}"


def words(name: str) -> list[str]:
    """Lower-case words of a name: "CameraLeft_frame" gives "camera", "left", "frame"."""
    return [word.lower() for word in WORDS.findall(name)]


def _is_head(bone: bpy.types.Bone) -> bool:
    """Whether a bone's name shows that it faces forward with the body: a head, neck or torso, and no limb."""
    name_words = set(words(bone.name))
    return bool(name_words & HEADS) and not name_words & LIMBS


def _carried(bone: bpy.types.Bone, named: set[str]) -> list:
    """The bone and its descendants whose names contain one of the words."""
    return [b for b in (bone, *bone.children_recursive) if named.intersection(words(b.name))]


def _front(rig: bpy.types.Object, bone: bpy.types.Bone) -> Guess | None:
    """The body's forward direction (armature space), from its left and right sides or its root link; None if
    neither is known.
    """
    left = left_of(rig)
    front = left.cross(up_of(rig))
    if front.length > LEVEL * left.length:
        return Guess(front.normalized(), "the body's front, by its left and right sides")
    ahead = _robots_front(rig, bone)
    return None if ahead is None else Guess(ahead, "+X of the root link, as robots' files have it")


def _front_of_figure(rig: bpy.types.Object, end: str) -> Guess | None:
    """Where a figure's head faces, by the positions of bones alone; None if the figure shows no front, if the
    bone is no head (it is not in the figure's middle, or is a tail), and for imported robots.
    """
    if imported_robot.is_robot(rig):
        return None
    figure = Figure(rig)
    k = figure.index[end]
    in_body = _in_body(figure, k)
    if figure.front is None or in_body not in figure.middle:
        return None
    if not figure.is_paired(LIMBS_APART, without=in_body) and not has_face(figure, in_body, figure.front):
        return None
    upward = [end, *(bone.name for bone in rig.data.bones[end].parent_recursive)]
    line = chain_root.line(rig, upward, figure).bones
    # the bone above the first of the bones that form a line up to the end
    trunk = figure.index[upward[min(len(line), len(upward) - 1)]]
    direction = (figure.heads[k] + figure.tips[k]) / 2 - figure.heads[trunk]
    front = figure.front
    if direction @ front + direction[2] < 0.0:  # the bone is behind and below
        if figure.is_front_shown:  # it is a tail
            return None
        # nothing shows the figure's front, so it was only assumed; since the end that looks is taken as the
        # head, the front is opposite
        front = -front
    ahead = rig.matrix_world.to_3x3().inverted() @ Vector(front)
    return Guess(ahead.normalized(), "the figure's front, by its symmetry")


def _in_body(figure: Figure, k: int) -> int:
    """Index of the bone of the body that shows what bone `k` does: the bone itself, or, for a control, the
    nearest bone that follows it; the control itself if none does.
    """
    if k in figure.body:
        return k
    followers = [b for b in figure.body if figure.controls.control_of(figure.names[b]) == figure.names[k]]
    return min(followers, key=lambda b: np.linalg.norm(figure.heads[b] - figure.heads[k]), default=k)


def _along_bone(rig: bpy.types.Object, bone: bpy.types.Bone) -> Guess:
    """Guess along the bone itself or, in armatures whose bones do not lie along the limbs (but not in
    imported robots), from the parent's head to the bone's head.
    """
    if bone.parent and not imported_robot.is_robot(rig) and not Figure(rig).is_anatomical:
        to_head = bone.head_local - bone.parent.head_local
        if to_head.length > 0.0:
            return Guess(to_head.normalized(), "on from its parent, since its own axes lie elsewhere")
    return Guess((bone.tail_local - bone.head_local).normalized(), "")


def _robots_front(rig: bpy.types.Object, bone: bpy.types.Bone) -> Vector | None:
    """+X (armature space) of the root link of an imported robot; None for other armatures."""
    root = bone.parent_recursive[-1] if bone.parent else bone
    axes = _link_axes(rig).get(root.name)
    return None if axes is None else axes.col[0].normalized()


def left_of(rig: bpy.types.Object) -> Vector:
    """Vector in armature space from the right side to the left: the sum over pairs of bones whose names
    differ only in the side; zero if there are none, or if the bones of all pairs are too near to each other
    to be sides.
    """
    positions: dict[tuple[str, ...], dict[float, Vector]] = {}
    bones = rig.data.bones
    for bone in bones:
        name_words = words(bone.name)
        sides = [SIDES[word] for word in name_words if word in SIDES]
        # a name that mentions both sides belongs to neither
        if len(sides) == 1:
            positions.setdefault(tuple("" if word in SIDES else word for word in name_words), {})[
                sides[0]
            ] = bone.head_local
    directions = [
        sides[1.0] - sides[-1.0] for sides in positions.values() if len(sides) == len(set(SIDES.values()))
    ]
    spans = [[bone.head_local[k] for bone in bones] for k in range(3)]
    size = max((max(span) - min(span) for span in spans), default=0.0)
    if max((direction.length for direction in directions), default=0.0) < APART * size:
        return Vector()
    return sum(directions, Vector())


def _camera(rig: bpy.types.Object, bone: bpy.types.Bone, front: Guess) -> Guess | None:
    """The direction in which an imported robot's head looks, by the cameras among a bone and its descendants:
    that of the camera that agrees most with the others. If the body's `front` is known, only cameras that
    look within `TOWARD` of it count; if any of these is called optical, only such ones. None if no camera
    counts, or if the rig is no imported robot.
    """
    if not imported_robot.is_robot(rig):
        return None
    axes = _link_axes(rig)
    cameras = [camera.name for camera in _carried(bone, CAMERAS) if camera.name in axes]
    optical = {name: axes[name].col[2].normalized() for name in cameras if OPTICAL in words(name)}
    nearest_axes = {
        name: max((axes[name].col[0], axes[name].col[2]), key=front.direction.dot).normalized()
        for name in cameras
    }
    # an optical frame defines the view; other frames only suggest one, and are used if no optical one looks
    # to the front
    for directions in (optical, nearest_axes):
        seen = {
            name: direction
            for name, direction in directions.items()
            if not front.reason or direction.dot(front.direction) > cos(TOWARD)
        }
        if seen:
            # a head may have several cameras: take the one that agrees most with the others
            name = max(
                seen,
                key=lambda name_of_camera: sum(seen[name_of_camera].dot(other) for other in seen.values()),
            )
            return Guess(seen[name], f"the view of '{name}'")
    return None


def _link_axes(rig: bpy.types.Object) -> dict[str, Matrix]:
    """Bone -> axes (3, 3) of its link at rest in armature space, for a robot; empty for other armatures, and
    if a link's record was edited or its bone is no longer below its parent link's bone.
    """
    if not imported_robot.is_robot(rig):
        return {}
    try:
        tree, bones = imported_robot.tree_of(rig)
    except RigError:
        return {}
    return {
        name: Quaternion(frame.rotation).to_matrix()
        for name, frame in zip(bones, tree.frames({}), strict=True)
    }
