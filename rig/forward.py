"""Where an end of an armature looks: guessed at rest from cameras, eyes, left and right sides and a robot's own axes."""

import re
from collections.abc import Iterator
from math import acos, cos, degrees, radians
from typing import NamedTuple

from mathutils import Matrix, Quaternion, Vector

from . import urdf_robot
from .errors import RigError
from .goal import signed_axis

AXES = tuple(sign + letter for letter in "XYZ" for sign in "+-")
OWN = ("+Y", "+Z")  # forward and up where nothing tells them: along the bone
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
SIDES = {"l": 1.0, "left": 1.0, "r": -1.0, "right": -1.0}
HEADS = {"head", "face", "skull", "neck", "eye", "eyes", "eyeball", "eyeballs", "gaze", "chest", "torso", "spine", "camera"}
LIMBS = {"arm", "wrist", "hand", "gripper", "elbow", "finger", "forearm", "leg", "foot", "tool", "tail"}
EYES = {"eye", "eyes", "eyeball", "eyeballs"}
CAMERAS = {"camera", "cam", "optical", "rgbd", "xtion", "kinect", "realsense", "stereo"}
OPTICAL = "optical"  # REP 103: such a frame looks along its Z
APART = 0.1  # of the armature's size: sides nearer to each other are those of a gripper
LEVEL = 0.2  # sine of the least angle to the vertical at which a direction says where the front is
NEAR = radians(60)  # a camera whose axes are all farther from the front looks elsewhere


class Guess(NamedTuple):
    """Where an end looks."""

    way: Vector  # in the armature, at rest, a unit vector
    look: str  # the bone's axis nearest to it, "+X" to "-Z"
    up: str  # another one of its axes, nearest to up
    reason: str  # what told it, as the rest of a sentence

    def skew(self, rig, bone: str) -> float:
        """The angle [rad] between the axis and where the end looks."""
        return acos(max(-1.0, min(1.0, axis_at_rest(rig, bone, self.look).dot(self.way))))


def guess(rig, end: str) -> Guess:
    """Where the bone `end` of an armature object looks; along the bone where nothing tells it."""
    bone = rig.data.bones[end]
    front, reason = _front(rig, bone) if _is_head(bone) or _below(bone, EYES) else (bone.vector.normalized(), "")
    seen = _camera(rig, bone, front)
    if seen is not None:
        front, reason = seen
    if not reason:
        return Guess(axis_at_rest(rig, end, OWN[0]), *OWN, "nothing tells where it looks: along the bone")
    return Guess(front, *facing(rig, end, front), reason)


def facing(rig, bone: str, front: Vector) -> tuple[str, str]:
    """The axes of a bone that are nearest to a direction and to up."""
    look = max(AXES, key=lambda axis: axis_at_rest(rig, bone, axis).dot(front))
    return look, max((axis for axis in AXES if axis[1] != look[1]), key=lambda axis: axis_at_rest(rig, bone, axis).dot(up_of(rig)))


def axis_at_rest(rig, bone: str, axis: str) -> Vector:
    """A bone's axis, "+X" to "-Z", in its armature at rest."""
    return (rig.data.bones[bone].matrix_local.to_3x3() @ Vector(signed_axis(axis))).normalized()


def up_of(rig) -> Vector:
    """The world's up in the armature, whose own may be another: files of other programs are turned."""
    return (rig.matrix_world.to_quaternion().inverted() @ Vector((0, 0, 1))).normalized()


def words(name: str) -> list[str]:
    """The words of a name, in small letters: "CameraLeft_frame" has three."""
    return [word.lower() for word in WORDS.findall(name)]


def _is_head(bone) -> bool:
    """Whether a bone is of those that face where the body faces."""
    said = set(words(bone.name))
    return bool(said & HEADS) and not said & LIMBS


def _below(bone, named: set[str]) -> list:
    return [one for one in (bone, *bone.children_recursive) if named.intersection(words(one.name))]


def _front(rig, bone) -> tuple[Vector, str]:
    """Where the body faces, and what told it; an empty reason where nothing does."""
    left = _left(rig, bone)
    front = left.cross(up_of(rig))
    if front.length > LEVEL * left.length:
        return front.normalized(), "the body faces there, by its left and right sides"
    if urdf_robot.is_robot(rig) and (found := _link_axes(rig).get(_root(bone).name)) is not None:
        return found.col[0].normalized(), "+X of the root link, as robots' files have it"
    return bone.vector.normalized(), ""


def _root(bone):
    return bone.parent_recursive[-1] if bone.parent else bone


def _left(rig, bone) -> Vector:
    """From the armature's right side to its left, by bones whose names differ in their side alone; no length where there are none."""
    places: dict[tuple[str, ...], dict[float, Vector]] = {}
    bones = rig.data.bones
    for one in bones:
        said = words(one.name)
        sides = [SIDES[word] for word in said if word in SIDES]
        if len(sides) == 1:
            places.setdefault(tuple(word if word not in SIDES else "" for word in said), {})[sides[0]] = one.head_local
    ways = [sides[1.0] - sides[-1.0] for sides in places.values() if len(sides) == len({1.0, -1.0})]
    size = max((a - b for a in (one.head_local.length for one in bones) for b in (0.0,)), default=0.0)
    if not ways or max(way.length for way in ways) < APART * size:
        return Vector()
    return sum(ways, Vector())


def _camera(rig, bone, front: Vector) -> tuple[Vector, str] | None:
    """Where the cameras look that a bone carries, and their names; None where there is none that looks to the front, more or less."""
    if not urdf_robot.is_robot(rig):
        return None
    frames = _link_axes(rig)
    cameras = [one for one in _below(bone, CAMERAS) if one.name in frames]
    for is_optical in (True, False):
        found = []
        for camera in cameras:
            if (OPTICAL in words(camera.name)) == is_optical:
                axes = frames[camera.name].col
                way = max((axes[2],) if is_optical else (axes[0], axes[2]), key=front.dot).normalized()
                if way.dot(front) > cos(NEAR):
                    found.append((camera.name, way))
        if found:
            mean = sum((way for _, way in found), Vector()).normalized()
            return mean, f"camera '{found[0][0]}' looks there"
    return None


def _link_axes(rig) -> dict[str, Matrix]:
    """The axes of a robot's links at rest, in the armature, by bone; none where the robot was taken apart."""
    try:
        tree, bones = urdf_robot.tree_of(rig)
    except RigError:
        return {}
    return {name: Quaternion(frame.rotation).to_matrix() for name, frame in zip(bones, tree.frames({}), strict=True)}


def described(rig, end: str, found: Guess) -> str:
    """The guess as a sentence's rest, with the angle by which the axis misses where that counts."""
    skew = degrees(found.skew(rig, end))
    aside = f", {skew:.0f} degrees off" if skew >= 1.0 else ""
    return f"{found.look}{aside} ({found.reason})"


def lines(middle: Vector, turn: Quaternion, length: float) -> Iterator[tuple[str, Vector]]:
    """The tips of a bone's six axes, by their names."""
    for axis in AXES:
        yield axis, middle + length * (turn @ Vector(signed_axis(axis)))
