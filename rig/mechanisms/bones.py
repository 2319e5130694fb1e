"""An armature's bones as bodies, with joints from its hierarchy and closures, or from a robot's URDF and
closures files.
"""

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ...robots.closures import mechanism_of
from ...robots.errors import UrdfError
from ...robots.model import ModelLink, Robot
from ...solvers.kinematics.se3 import Array, RigidTransform, frame_array, inverse
from ...solvers.mechanism.kinds import Kind
from ...solvers.mechanism.model import WORLD, Joint, Mechanism, MechanismError
from ..blender.errors import RigError
from ..bones import imported_robot
from ..bones.axes import is_prismatic, letter
from ..bones.joint_axes import joint_axes
from . import closures
from .joint_kinds import LETTERS, AlignedKind, aligned_kind_of, frame_along
from .masses import UNKNOWN, Mass, of_bones
from .poses import frame_of, object_scale, rigid, scale_of
from .precise_rest import Rest, is_scaled, rest_of
from .straight import straighten

HERE = np.eye(4)


@dataclass(frozen=True)
class BoneBody:
    """A bone as a body of a mechanism."""

    name: str
    bone: str
    pose: Array  # (4, 4) [m] pose of the body in the frame of the armature object, without the object's scale
    offset: Array  # (4, 4) the body's frame relative to the bone
    scale: tuple[float, float, float]  # scale of the bone in the world
    grounded: bool = False  # whether the body is fixed
    mass: Mass = UNKNOWN  # mass of the body, and its centre in the body's frame


@dataclass(frozen=True)
class Bones:
    """Bodies and joints of an armature; the frame of a joint whose parent is the world is relative to the
    armature object.
    """

    bodies: tuple[BoneBody, ...]
    joints: tuple[Joint, ...]
    warnings: tuple[str, ...] = ()


def read(rig: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Bones:
    """Bodies and joints of the bones of an armature (of a robot's links, if it has a closures file), in the
    shown pose.

    Raises:
        RigError: a bone, closure or file cannot be used.
    """
    if rig.type != "ARMATURE":
        raise RigError(f"Object '{rig.name}' has no bones that could be bodies: switch Bones as Bodies off")
    if rig.limber.mechanism.closures_file:
        return _from_file(rig, depsgraph)
    return _from_hierarchy(rig, depsgraph)


def not_below(rig: bpy.types.Object, end: str) -> set[str]:
    """Bones below which a new chain that ends at bone `end` must begin, because the armature's mechanism
    needs them.

    These are all bones of the robot's closures file, if there is one and `end` is not in it; otherwise those
    of `needed`, or none if `end` is one of them.

    Raises:
        RigError: as `file_mechanism`.
    """
    settings = rig.limber.mechanism
    if settings.use_bones and settings.closures_file:
        _, bone_of, _ = file_mechanism(rig, settings.closures_file)
        if end not in bone_of.values():
            return set(bone_of.values())
    needed_bones = needed(rig)
    return needed_bones if end not in needed_bones else set()


def needed(rig: bpy.types.Object) -> set[str]:
    """Bones of the armature's mechanism with a closure, a motor or a goal, and all their ancestors.

    Raises:
        RigError: as `file_mechanism`.
    """
    settings = rig.limber.mechanism
    if not settings.use_bones:
        return set()
    motors = {motor.bone for motor in settings.motors if motor.joint is None}
    names = {goal.bone for goal in settings.goals}
    if settings.closures_file:
        names |= _of_file(rig, settings.closures_file, motors)
    else:
        names |= motors | {bone for closure in settings.closures for bone in (closure.first, closure.second)}
    lowest = [rig.data.bones[name] for name in names if name in rig.data.bones]
    return {bone.name for lowest_bone in lowest for bone in (lowest_bone, *lowest_bone.parent_recursive)}


def _of_file(rig: bpy.types.Object, closures_file: str, motors: set[str]) -> set[str]:
    """Bones whose bodies are connected by a file's closures or moved by one of the motors."""
    mechanism, bone_of, _ = file_mechanism(rig, closures_file)
    closed = {body for joint in mechanism.joints if joint.closes for body in (joint.parent, joint.child)}
    driven = {bone_of[joint.child] for joint in mechanism.joints if joint.name in motors}
    return driven | {bone_of[body] for body in closed if body in bone_of}


# Any armature


def _from_hierarchy(rig: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Bones:
    shown = rig.evaluated_get(depsgraph)
    rest = rest_of(rig, object_scale(shown))
    to_metres, bodies = Matrix.Diagonal((*rest.scale, 1.0)), []
    masses = of_bones(rig, rest, rig.limber.mechanism.density, depsgraph)
    for pose_bone in rig.pose.bones:
        name = pose_bone.name
        matrix = to_metres @ shown.pose.bones[name].matrix
        bodies.append(
            BoneBody(
                name, name, rigid(matrix, f"Bone '{name}'"), HERE, scale_of(rig, matrix), mass=masses[name]
            )
        )
    bone_joints = [
        _parent_joint(bone, rest)
        for bone in rig.pose.bones
        if bone.parent is not None or not rig.limber.mechanism.floating_base
    ]
    bone_joints += [_closure_joint(rig, closure, rest) for closure in rig.limber.mechanism.closures]
    rotations = straighten([joint.rotation for joint in bone_joints])
    return Bones(
        tuple(bodies),
        tuple(joint.joint(rest, rotation) for joint, rotation in zip(bone_joints, rotations, strict=True)),
    )


@dataclass(frozen=True)
class _BoneJoint:
    """A joint between two bones at rest, in the frame of `Rest`."""

    name: str
    kind: Kind
    parent: str
    child: str
    rotation: Array  # (3, 3) rotation of the joint's frame, equal on both bones
    on_parent: Array  # (3,) [m] position of the joint's frame on the parent
    # (3,) [m] position of the frame on the child; equal to that on the parent if the bones are drawn
    # assembled
    on_child: Array
    closes: bool = False

    def joint(self, rest: Rest, rotation: Array) -> Joint:
        """The solver's joint, whose frame has the rotation `rotation` (3, 3)."""
        ends = []
        for bone, position in ((self.parent, self.on_parent), (self.child, self.on_child)):
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = rotation, position
            ends.append(frame_of(inverse(rest.bones[bone]) @ frame if bone != WORLD else frame))
        return Joint(self.name, self.kind, self.parent, self.child, ends[0], ends[1], closes=self.closes)


def _parent_joint(pose_bone: bpy.types.PoseBone, rest: Rest) -> _BoneJoint:
    """The joint between a bone and its parent (without one, the world), from the bone's unlocked axes."""
    name, parent = pose_bone.name, pose_bone.parent
    aligned_kind, bone_pose = bone_aligned_kind(name, joint_axes(pose_bone)), rest.bones[name]
    rotation = bone_pose[:3, :3] @ aligned_kind.rotation[:3, :3]
    return _BoneJoint(
        name,
        aligned_kind.kind,
        parent.name if parent else WORLD,
        name,
        rotation,
        bone_pose[:3, 3],
        bone_pose[:3, 3],
    )


def bone_aligned_kind(name: str, free: list[str]) -> AlignedKind:
    """Kind of the joint between a bone and its parent, from the bone's unlocked axes.

    Raises:
        RigError: no kind of joint has exactly these axes.
    """
    along = "".join(letter(axis) for axis in free if is_prismatic(axis))
    aligned_kind = aligned_kind_of(along, "".join(axis for axis in free if not is_prismatic(axis)))
    if aligned_kind is None:
        raise RigError(
            f"Bone '{name}' moves along or about {', '.join(free)}, as no kind of joint does: lock some of"
            " these axes"
        )
    return aligned_kind


def _closure_joint(rig: bpy.types.Object, closure: bpy.types.PropertyGroup, rest: Rest) -> _BoneJoint:
    """The joint of a closure; Z of its frame is the closure's axis of the first bone. Raises RigError if a
    bone is missing, is joined to itself, or lacks the chosen point.
    """
    for word, name in (("first", closure.first), ("second", closure.second)):
        if name not in rest.bones:
            raise RigError(
                f"Closure '{closure.name}': its {word} bone '{name}' is not in armature '{rig.name}': choose"
                " another bone"
            )
    if closure.first == closure.second:
        raise RigError(f"Closure '{closure.name}' joins bone '{closure.first}' to itself: choose two bones")
    closure_frame = frame_along(closure.axis, LETTERS[(LETTERS.index(closure.axis) + 1) % 3])
    rotation = rest.bones[closure.first][:3, :3] @ closure_frame[:3, :3]
    first = closures.point(rig, rest, closure.first, closure.first_point)
    second = closures.point(rig, rest, closure.second, closure.second_point)
    name = closure.name if closure.name not in rest.bones else f"closure {closure.name}"
    return _BoneJoint(name, closure.kind, closure.first, closure.second, rotation, first, second, closes=True)


# Robots from their files


def _from_file(rig: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Bones:
    shown = rig.evaluated_get(depsgraph)
    rest = rest_of(rig, object_scale(shown))
    if is_scaled(rest.scale):
        raise RigError(
            f"Armature '{rig.name}' is scaled, and its robot's file has lengths in metres: clear the scale"
            " (Alt S)"
        )
    mechanism, bone_of, rest_frames = file_mechanism(rig, rig.limber.mechanism.closures_file)
    masses = of_bones(rig, rest, rig.limber.mechanism.density, depsgraph)
    bodies = []
    for body in mechanism.bodies:
        bone = rig.data.bones[bone_of[body.name]]
        offset = inverse(rigid(bone.matrix_local)) @ rest_frames[body.name]
        pose = rigid(shown.pose.bones[bone.name].matrix, f"Bone '{bone.name}'") @ offset
        mass = masses[bone.name].seen_from(inverse(offset))
        bodies.append(BoneBody(body.name, bone.name, pose, offset, (1.0, 1.0, 1.0), body.grounded, mass))
    return Bones(tuple(bodies), mechanism.joints, mechanism.warnings)


def file_mechanism(rig: bpy.types.Object, text: str) -> tuple[Mechanism, dict[str, str], dict[str, Array]]:
    """Mechanism of an imported robot with closures.

    Args:
        rig: The armature object.
        text: Content of the closures file.

    Returns:
        The mechanism; body -> name of its bone; body -> its rest frame (4, 4) in armature space.

    Raises:
        RigError: as `imported_robot.tree_of`, or the closures cannot be used.
    """
    tree, bones = imported_robot.tree_of(rig)
    links = tuple(ModelLink(branch.link, branch.inertial) for branch in tree.branches)
    joints = tuple(branch.joint for branch in tree.branches if branch.joint is not None)
    robot = Robot(rig.name, rig.name, links, joints, tree.root)
    try:
        mechanism = mechanism_of(robot, text, "closures", rig.limber.mechanism.floating_base)
    except (UrdfError, MechanismError) as error:
        raise RigError(f"Armature '{rig.name}': {error}") from error
    names = [branch.link for branch in tree.branches]
    rest_frames = {
        name: frame_array(RigidTransform(frame.rotation, frame.offset))
        for name, frame in zip(names, tree.frames({}), strict=True)
    }
    return mechanism, dict(zip(names, bones, strict=True)), rest_frames


def file_joint(rig: bpy.types.Object, bone: str) -> Joint:
    """The joint of the robot's file that moves a bone.

    Raises:
        RigError: no joint moves the bone, or the joint is fixed; or as `file_mechanism`.
    """
    mechanism, bone_of, _ = file_mechanism(rig, rig.limber.mechanism.closures_file)
    moving_joint = next(
        (joint for joint in mechanism.joints if not joint.closes and bone_of[joint.child] == bone), None
    )
    if moving_joint is None or moving_joint.kind == "fixed":
        raise RigError(f"Bone '{bone}' is moved by no joint of the robot's file: choose another bone")
    return moving_joint
