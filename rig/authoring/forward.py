"""Where an end of an armature looks: guessed at rest from cameras, eyes, left and right sides and a robot's own axes."""

import re
from math import cos, degrees, radians
from typing import NamedTuple

from mathutils import Matrix, Quaternion, Vector

from ..blender.errors import RigError
from ..reading import imported_robot
from ..reading.goal import CUSTOM, SHORTEST, forward_axis, signed_axis

AXES = tuple(sign + letter for letter in "XYZ" for sign in "+-")
EXACT = radians(2)  # a bone's axis this near to where its end looks is taken for it: bones that are drawn by hand are no truer
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
SIDES = {"l": 1.0, "left": 1.0, "r": -1.0, "right": -1.0}
EYES = {"eye", "eyes", "eyeball", "eyeballs"}
HEADS = {"head", "face", "skull", "neck", "gaze", "chest", "torso", "spine", "camera"} | EYES
LIMBS = {"arm", "forearm", "elbow", "wrist", "hand", "gripper", "finger", "tool", "leg", "foot", "tail"}
CAMERAS = {"camera", "cam", "optical", "rgbd", "xtion", "kinect", "realsense", "stereo"}
OPTICAL = "optical"  # ROS's REP 103: such a frame looks along its Z; other frames of cameras along X, some along Z
APART = 0.1  # of the armature's size: sides that are nearer to each other are the fingers of a gripper
LEVEL = 0.2  # sine of the least angle to the vertical at which a direction says where the front is
TOWARD = radians(60)  # a camera of a head that is farther from the body's front looks elsewhere


class Guess(NamedTuple):
    """Where an end looks."""

    way: Vector  # unit vector in the armature, at rest
    reason: str  # what told it, as the rest of a sentence; "": nothing did, it looks along its bone


def guess(rig, end: str) -> Guess:
    """Where the bone `end` of an armature object looks."""
    bone = rig.data.bones[end]
    is_head = _is_head(bone) or bool(_carried(bone, EYES))
    front = (_front(rig, bone) if is_head else None) or Guess(bone.vector.normalized(), "")
    return _camera(rig, bone, front) or front


def point(settings, rig, bone: str, way: Vector) -> None:
    """Makes an end look along a direction in its armature at rest, and its up the axis nearest to up.

    Args:
        settings: Of the end's goal.
        rig: The armature object.
        bone: The end's bone.
        way: The direction: an axis of the bone where one is near to it, else a direction of its own.
    """
    look = max(AXES, key=lambda axis: axis_at_rest(rig, bone, axis).dot(way))
    up = max((axis for axis in AXES if axis[1] != look[1]), key=lambda axis: axis_at_rest(rig, bone, axis).dot(up_of(rig)))
    if axis_at_rest(rig, bone, look).angle(way) > EXACT:
        settings.look_direction = rig.data.bones[bone].matrix_local.to_3x3().inverted() @ way.normalized()
        look = CUSTOM
    settings.look, settings.up = look, up


def face(settings, rig, bone: str, location: Vector) -> bool:
    """Makes an end look, as it stands now, at a location in the world; False where it is there itself.

    Args:
        settings: Of the end's goal.
        rig: The armature object.
        bone: The end's bone.
        location: [m]
    """
    posed = rig.pose.bones[bone]
    seen = (rig.matrix_world @ posed.matrix).inverted() @ location - Vector((0.0, settings.eye * posed.length, 0.0))
    if seen.length <= SHORTEST * posed.length:
        return False
    point(settings, rig, bone, posed.bone.matrix_local.to_3x3() @ seen)
    return True


def axis_at_rest(rig, bone: str, axis: str) -> Vector:
    """A bone's axis, "+X" to "-Z", in its armature at rest."""
    return (rig.data.bones[bone].matrix_local.to_3x3() @ Vector(signed_axis(axis))).normalized()


def nearest_axis(settings) -> str:
    """The axis of its bone, "+X" to "-Z", that is nearest to where an end looks."""
    return max(AXES, key=lambda axis: Vector(signed_axis(axis)).dot(forward_axis(settings)))


def up_of(rig) -> Vector:
    """The world's up in the armature, whose own may be another: files of other programs are turned."""
    return (rig.matrix_world.to_quaternion().inverted() @ Vector((0, 0, 1))).normalized()


def described(settings) -> str:
    """The forward axis in words."""
    if settings.look != CUSTOM:
        return settings.look
    axis = nearest_axis(settings)
    aside = degrees(Vector(signed_axis(axis)).angle(Vector(forward_axis(settings))))
    return f"a direction {aside:.0f} degrees from {axis}"


def words(name: str) -> list[str]:
    """The words of a name, in small letters: "CameraLeft_frame" has three."""
    return [word.lower() for word in WORDS.findall(name)]


def _is_head(bone) -> bool:
    """Whether a bone is of those that face where the body faces."""
    said = set(words(bone.name))
    return bool(said & HEADS) and not said & LIMBS


def _carried(bone, named: set[str]) -> list:
    """A bone and those below it whose names have one of the words."""
    return [one for one in (bone, *bone.children_recursive) if named.intersection(words(one.name))]


def _front(rig, bone) -> Guess | None:
    """Where the body faces; None where nothing tells."""
    left = left_of(rig)
    front = left.cross(up_of(rig))
    if front.length > LEVEL * left.length:
        return Guess(front.normalized(), "the body's front, by its left and right sides")
    root = bone.parent_recursive[-1] if bone.parent else bone
    axes = _link_axes(rig).get(root.name)
    return None if axes is None else Guess(axes.col[0].normalized(), "+X of the root link, as robots' files have it")


def left_of(rig) -> Vector:
    """From the armature's right side to its left, by bones whose names differ in their side alone; no length where there are none."""
    places: dict[tuple[str, ...], dict[float, Vector]] = {}
    bones = rig.data.bones
    for bone in bones:
        said = words(bone.name)
        sides = [SIDES[word] for word in said if word in SIDES]
        if len(sides) == 1:
            places.setdefault(tuple("" if word in SIDES else word for word in said), {})[sides[0]] = bone.head_local
    ways = [sides[1.0] - sides[-1.0] for sides in places.values() if len(sides) == len(set(SIDES.values()))]
    spans = [[bone.head_local[k] for bone in bones] for k in range(3)]
    size = max((max(span) - min(span) for span in spans), default=0.0)
    if max((way.length for way in ways), default=0.0) < APART * size:
        return Vector()
    return sum(ways, Vector())


def _camera(rig, bone, front: Guess) -> Guess | None:
    """Where most cameras that a bone carries look; None where it carries none, or they look elsewhere than its body."""
    if not imported_robot.is_robot(rig):
        return None
    axes = _link_axes(rig)
    cameras = [one.name for one in _carried(bone, CAMERAS) if one.name in axes]
    optical = {name: axes[name].col[2].normalized() for name in cameras if OPTICAL in words(name)}
    others = {name: max((axes[name].col[0], axes[name].col[2]), key=front.way.dot).normalized() for name in cameras}
    for found in (optical, others):
        seen = {name: way for name, way in found.items() if not front.reason or way.dot(front.way) > cos(TOWARD)}
        if seen:
            name = max(seen, key=lambda one: sum(seen[one].dot(other) for other in seen.values()))
            return Guess(seen[name], f"the view of '{name}'")
    return None


def _link_axes(rig) -> dict[str, Matrix]:
    """The axes of a robot's links at rest, in the armature, by bone; none of other armatures, and of those that were taken apart."""
    if not imported_robot.is_robot(rig):
        return {}
    try:
        tree, bones = imported_robot.tree_of(rig)
    except RigError:
        return {}
    return {name: Quaternion(frame.rotation).to_matrix() for name, frame in zip(bones, tree.frames({}), strict=True)}
