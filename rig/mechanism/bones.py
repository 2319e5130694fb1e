"""Bones as bodies: an armature's hierarchy says most joints, closures say the rest; or a robot's own file does."""

from dataclasses import dataclass

import numpy as np

from ...solvers.mechanism.frames import Array, frame_array, inverse
from ...solvers.mechanism.model import WORLD, Frame, Joint, Mechanism, MechanismError
from ...urdf.closures import mechanism_of
from ...urdf.errors import UrdfError
from ...urdf.model import Link, Robot
from .. import urdf_robot
from ..axes import letter, slides
from ..errors import RigError
from ..joint_axes import joint_axes
from .poses import frame_of, rigid, scale_of
from .shapes import LETTERS, Shape, shape_of, turned_to

HERE = np.eye(4)
EVEN = 1e-4  # farther from 1 an armature is scaled, and lengths of its robot's file would be wrong


@dataclass(frozen=True)
class BoneBody:
    """A body that a bone shows."""

    name: str
    bone: str
    pose: Array  # (4, 4) in the world
    offset: Array  # (4, 4) the body's frame in the bone's
    scale: tuple[float, float, float]
    grounded: bool = False
    mass: float = 1.0
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Bones:
    """An armature as bodies and joints; joints on the world are told in the world."""

    bodies: tuple[BoneBody, ...]
    joints: tuple[Joint, ...]
    warnings: tuple[str, ...] = ()


def read(rig, depsgraph) -> Bones:
    """All bones of an armature as they are shown.

    Raises:
        RigError: a bone, closure or file that cannot be.
    """
    if rig.type != "ARMATURE":
        raise RigError(f"Object '{rig.name}' has no bones that could be bodies: switch Bones as Bodies off")
    if rig.limber.mechanism.closures_file:
        return _from_file(rig, depsgraph)
    return _from_hierarchy(rig, depsgraph)


def not_below(rig, end: str) -> set[str]:
    """The bones below which a chain begins that ends at bone `end`, as the armature's mechanism moves them.

    Those are the bones at which a closure, a motor or a goal is, and all above them; of a robot from its file all that the file has, where
    `end` is none of them. There are none where the mechanism needs `end` itself.

    Raises:
        RigError: as `file_mechanism`.
    """
    kept = rig.limber.mechanism
    if not kept.use_bones:
        return set()
    at = {goal.bone for goal in kept.goals}
    motors = {motor.bone for motor in kept.motors if motor.joint is None}
    if kept.closures_file:
        mechanism, bone_of, _ = file_mechanism(rig, kept.closures_file)
        if end not in bone_of.values():
            return set(bone_of.values())
        at |= {bone_of[body] for joint in mechanism.joints if joint.closes for body in (joint.parent, joint.child) if body in bone_of}
        at |= {bone_of[joint.child] for joint in mechanism.joints if joint.name in motors}
    else:
        at |= motors | {bone for closure in kept.closures for bone in (closure.first, closure.second)}
    lowest = [rig.data.bones[name] for name in at if name in rig.data.bones]
    needed = {bone.name for found in lowest for bone in (found, *found.parent_recursive)}
    return needed if end not in needed else set()


# -- any armature --


def _from_hierarchy(rig, depsgraph) -> Bones:
    shown = rig.evaluated_get(depsgraph)
    world, bodies, joints = shown.matrix_world, [], []
    rest = {bone.name: rigid(world @ bone.matrix_local, f"Bone '{bone.name}'") for bone in rig.data.bones}
    for pose_bone in rig.pose.bones:
        name = pose_bone.name
        matrix = world @ shown.pose.bones[name].matrix
        bodies.append(BoneBody(name, name, rigid(matrix, f"Bone '{name}'"), HERE, scale_of(rig, matrix)))
        joints.append(_hinged(pose_bone, rest))
    joints += [_closed(rig, closure, rest, world) for closure in rig.limber.mechanism.closures]
    return Bones(tuple(bodies), tuple(joints))


def _hinged(pose_bone, rest: dict[str, Array]) -> Joint:
    """The joint on which a bone hangs: its free axes."""
    name, parent = pose_bone.name, pose_bone.parent
    shape = bone_shape(name, joint_axes(pose_bone))
    at_parent = rest[name] if parent is None else inverse(rest[parent.name]) @ rest[name]
    return Joint(name, shape.kind, parent.name if parent else WORLD, name, frame_of(at_parent @ shape.turned), frame_of(shape.turned))


def bone_shape(name: str, free: list[str]) -> Shape:
    """The joint on which a bone hangs that moves along and about these of its axes.

    Raises:
        RigError: no kind of joint does that.
    """
    along = "".join(letter(axis) for axis in free if slides(axis))
    shape = shape_of(along, "".join(axis for axis in free if not slides(axis)))
    if shape is None:
        raise RigError(f"Bone '{name}' moves along or about {', '.join(free)}, as no kind of joint does: lock some of these axes")
    return shape


def _closed(rig, closure, rest: dict[str, Array], world) -> Joint:
    for word, name in (("first", closure.first), ("second", closure.second)):
        if name not in rest:
            raise RigError(f"Closure '{closure.name}': its {word} bone '{name}' is not in armature '{rig.name}': choose another bone")
    if closure.first == closure.second:
        raise RigError(f"Closure '{closure.name}' joins bone '{closure.first}' to itself: choose two bones")
    size = world.to_scale()[1]
    turned = turned_to(closure.axis, LETTERS[(LETTERS.index(closure.axis) + 1) % 3])
    first, second = HERE.copy(), HERE.copy()
    first[1, 3] = rig.data.bones[closure.first].length * size
    second[1, 3] = rig.data.bones[closure.second].length * size
    second[:3, :3] = rest[closure.second][:3, :3].T @ rest[closure.first][:3, :3]  # at rest both are turned alike
    name = closure.name if closure.name not in rest else f"closure {closure.name}"
    return Joint(name, closure.kind, closure.first, closure.second, frame_of(first @ turned), frame_of(second @ turned), closes=True)


# -- a robot from its file --


def _from_file(rig, depsgraph) -> Bones:
    shown = rig.evaluated_get(depsgraph)
    if max(abs(size - 1.0) for size in shown.matrix_world.to_scale()) > EVEN:
        raise RigError(f"Armature '{rig.name}' is scaled, and its robot's file tells lengths in metres: clear the scale (Alt S)")
    mechanism, bone_of, resting = file_mechanism(rig, rig.limber.mechanism.closures_file)
    base = rigid(shown.matrix_world, f"Armature '{rig.name}'")
    bodies = []
    for body in mechanism.bodies:
        bone = rig.data.bones[bone_of[body.name]]
        offset = inverse(rigid(bone.matrix_local)) @ resting[body.name]
        pose = base @ rigid(shown.pose.bones[bone.name].matrix, f"Bone '{bone.name}'") @ offset
        bodies.append(BoneBody(body.name, bone.name, pose, offset, (1.0, 1.0, 1.0), body.grounded, body.mass, body.centre))
    return Bones(tuple(bodies), mechanism.joints, mechanism.warnings)


def file_mechanism(rig, text: str) -> tuple[Mechanism, dict[str, str], dict[str, Array]]:
    """The mechanism of an imported robot and the text of its closures, bodies' bones, and bodies' frames at rest in the armature.

    Raises:
        RigError: the armature was not imported, or what its closures say cannot be.
    """
    tree, bones = urdf_robot.tree_of(rig)
    links = tuple(Link(branch.link, branch.inertial) for branch in tree.branches)
    joints = tuple(branch.joint for branch in tree.branches if branch.joint is not None)
    robot = Robot(rig.name, rig.name, links, joints, tree.root)
    try:
        mechanism = mechanism_of(robot, text, "closures")
    except (UrdfError, MechanismError) as error:
        raise RigError(f"Armature '{rig.name}': {error}") from error
    names = [branch.link for branch in tree.branches]
    resting = {name: frame_array(Frame(frame.rotation, frame.offset)) for name, frame in zip(names, tree.frames({}), strict=True)}
    return mechanism, dict(zip(names, bones, strict=True)), resting


def file_joint(rig, bone: str) -> Joint:
    """The joint of the robot's file on which a bone hangs.

    Raises:
        RigError: it hangs on none, or on one that is fixed; or as `file_mechanism`.
    """
    mechanism, bone_of, _ = file_mechanism(rig, rig.limber.mechanism.closures_file)
    found = next((joint for joint in mechanism.joints if not joint.closes and bone_of[joint.child] == bone), None)
    if found is None or found.kind == "fixed":
        raise RigError(f"Bone '{bone}' hangs on no joint that moves in the robot's file: choose another bone")
    return found
