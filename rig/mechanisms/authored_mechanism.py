"""Reads a mechanism from the scene as it is authored: bodies, joints, motors and poses, for the solver."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix

from ...solvers.kinematics.se3 import Array, frame_array, inverse
from ...solvers.mechanism.model import WORLD, Joint, Mechanism, MechanismError, RigidBody
from ..blender.errors import RigError
from ..blender.presence import evaluated, find
from . import bones, joints, rest_pose
from .masses import Mass, of_object
from .motorised import with_motors
from .ownership import deleted_joints, is_joint, joint_objects, role_of
from .poses import frame_of, object_scale, rigid
from .straight import straighten


@dataclass(frozen=True)
class Part:
    """A body, and the object or bone that shows it; or a joint's object that moves with a body."""

    name: str  # name of the body, or of the joint's object
    role: str  # GROUND, DRIVEN or MOVES; CARRIED: a joint's object
    object_name: str  # name of the object
    uid: int  # session_uid of the object
    bone: str = ""
    offset: Array = None  # (4, 4) the body's frame relative to the object or bone
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)  # scale of the object or bone in the world

    def world(self, base: Array, pose: Array) -> Array:
        """World matrix (4, 4) of the object or bone, for a pose (4, 4) of the body in the base frame, whose
        world matrix is `base`.
        """
        return base @ pose @ inverse(self.offset)


@dataclass(frozen=True)
class Reading:
    """A mechanism as read from the scene, with the objects and bones of its bodies. Poses are in the base
    frame: that of a Ground body, or of the owner.
    """

    mechanism: Mechanism
    parts: tuple[Part, ...]  # parts in the order of the mechanism's bodies
    base_part: Part | None  # the Ground body that is the base; None: the owner is the base
    signature: tuple  # `signature` of the owner when the mechanism was read
    joint_names: dict[int, str]  # session_uid of a joint's object -> the object's name when it was read
    warnings: tuple[str, ...]  # sentences for the user on what may not be as intended
    # (index of the body, joint's object) of joint objects that move with a body without being its children
    carried: tuple[tuple[int, Part], ...] = ()
    # why the bodies' poses in this frame do not fit the joints, with the remedy; "" if they fit
    difference: str = ""
    rest: tuple[tuple[Part, Array], ...] = ()  # parts with their rest poses (4, 4) in the base frame
    massless: tuple[str, ...] = ()  # names of moving bodies without a known mass
    # outermost points (n, 3) [m] of the bodies' meshes in the bodies' frames, in the order of the bodies
    corners: tuple[Array, ...] = ()

    def base_now(self, owner: Object) -> Array:
        """World matrix (4, 4) of the base, as authored."""
        part = self.base_part
        if part is None:
            return rigid(owner.matrix_world)
        base_object = find(part.object_name, part.uid)
        base_pose: Array = (
            rigid(
                base_object.matrix_world @ base_object.pose.bones[part.bone].matrix
                if part.bone
                else base_object.matrix_world
            )
            @ part.offset
        )
        return base_pose

    def part(self, obj: Object) -> Part | None:
        """The body that an object shows; None if it shows none."""
        return next((part for part in self.parts if part.uid == obj.session_uid and not part.bone), None)

    @property
    def shown_parts(self) -> list[tuple[int, Part]]:
        """(index of the body, part) of each body that the mechanism moves."""
        return [(k, part) for k, part in enumerate(self.parts) if part.role == "MOVES"]

    @property
    def moved_parts(self) -> list[tuple[int, Part]]:
        """(index of the body, part) of everything that moves with the mechanism: its bodies, and joint
        objects mounted on them.
        """
        return [*self.shown_parts, *self.carried]


def signature(owner: Object) -> tuple:
    """Joints, closures, motors and rest bones of a mechanism as a tuple, by which changes are detected. Fast,
    since it is computed in every tick.
    """
    settings = owner.limber.mechanism
    motors = tuple((motor.bone, motor.axis, motor.lower, motor.upper) for motor in settings.motors)
    joint_signature = joints.signature(joint_objects(owner))
    fields = attrgetter("first", "second", "first_point", "second_point", "kind", "axis")
    closure_signature = tuple(fields(closure) for closure in settings.closures) if settings.use_bones else ()
    return joint_signature, closure_signature, motors, _rest_of_bones(owner) if settings.use_bones else b""


def _rest_of_bones(rig: Object) -> bytes:
    """Rest matrices of all bones of an armature, to be compared."""
    matrices = np.empty(16 * len(rig.data.bones), np.float32)
    rig.data.bones.foreach_get("matrix_local", matrices)
    return matrices.tobytes()


def read(owner: Object, depsgraph: Depsgraph, is_rest: bool = False) -> Reading:
    """The mechanism of an owner as authored. The scene must show the authored pose.

    Args:
        owner: The object.
        depsgraph: The evaluated scene.
        is_rest: Whether the current frame's pose is taken as the rest pose.

    Raises:
        RigError: the mechanism is not valid; the message names the body or joint, and the remedy.
    """
    settings = owner.limber.mechanism
    if deleted := deleted_joints(owner):
        raise RigError(
            f"Joint '{deleted[0]}' of mechanism '{owner.name}' was deleted: undo that, or press Find Joints,"
            " which removes it"
        )
    object_joints = list(joints.joints(joint_objects(owner)))
    if not object_joints and not settings.use_bones:
        raise RigError(
            f"Mechanism '{owner.name}' has no joints: press Find Joints, or select rigid body constraints or"
            " joint empties and press + under Joints"
        )
    reader = _Reader(owner, depsgraph, object_joints, is_rest)
    try:
        reader.add_objects(object_joints)
        if settings.use_bones:
            reader.add_bones()
        return reader.reading(object_joints)
    except MechanismError as error:
        raise RigError(f"Mechanism '{owner.name}': {error}") from error


class _Reader:
    """Collects the bodies and joints of a mechanism, and their poses at rest and in this frame."""

    def __init__(self, owner: Object, depsgraph: Depsgraph, object_joints: list, is_rest: bool) -> None:
        self.owner, self.depsgraph = owner, depsgraph
        self.parts: dict[str, Part] = {}
        # rest poses of the bodies, and poses in this frame, in the frame of the object that is the base
        self.poses: dict[str, Array] = {}
        self.shown: dict[str, Array] = {}
        self.masses: dict[str, Mass] = {}
        self.joints: list[Joint] = []
        self.warnings: list[str] = []
        self.name_of: dict[int, str] = {}  # object's session_uid -> name of the body
        bodies = [obj for joint in object_joints for obj in (joint.first, joint.second) if obj is not None]
        self.bodies = {obj.session_uid for obj in bodies}
        self.objects = [
            *bodies,
            *(obj for joint in object_joints for obj in (joint.frame_object, joint.meets) if obj is not None),
            owner,
        ]
        poses = {obj.session_uid: rigid(self.matrix(obj)) for obj in self.objects}
        base = rest_pose.base_of(owner, bodies).session_uid
        self.rest = (
            rest_pose.recorded(owner, poses, base)
            if object_joints and not is_rest
            else rest_pose.as_it_stands(poses, base)
        )

    def matrix(self, obj: Object) -> Matrix:
        """World matrix of an object as evaluated; raises RigError if it was deleted, is not evaluated or has
        no finite position.
        """
        if not obj.users_collection:
            raise RigError(
                f"Object '{obj.name}' was deleted, but a joint still holds it: choose another body there, or"
                " undo"
            )
        world: Matrix = evaluated(obj, self.depsgraph, "Object").matrix_world
        rigid(world, f"Object '{obj.name}'")
        return world

    # Objects

    def add_objects(self, object_joints: list) -> None:
        for joint in object_joints:
            for body_object in (joint.first, joint.second):
                if body_object is not None and body_object.session_uid not in self.name_of:
                    self._add_body(body_object)
        pairs = [joint.frames(self.rest.rest) for joint in object_joints]
        frames = [pair[0] for pair in pairs] + [
            pair[1] for joint, pair in zip(object_joints, pairs, strict=True) if joint.meets is not None
        ]
        for frame, rotation in zip(frames, straighten([frame[:3, :3] for frame in frames]), strict=True):
            frame[:3, :3] = rotation
        for joint, (at_parent, at_child) in zip(object_joints, pairs, strict=True):
            parent, child = (self.name_of[body.session_uid] if body else WORLD for body in joint.bodies)
            self.joints.append(
                _joint(joint, parent, child, self._in_body(parent, at_parent), self._in_body(child, at_child))
            )

    def _add_body(self, body: Object) -> None:
        if body.library is not None:
            raise RigError(
                f"Body '{body.name}' is another file's: make a library override of it (Object > Library"
                " Override > Make)"
            )
        part = Part(
            body.name,
            role_of(body),
            body.name,
            body.session_uid,
            offset=np.eye(4),
            scale=object_scale(body.evaluated_get(self.depsgraph)),
        )
        self.parts[part.name], self.poses[part.name] = part, self.rest.rest[body.session_uid]
        self.shown[part.name] = self.rest.current[body.session_uid]
        self.name_of[body.session_uid] = part.name
        self.masses[part.name] = of_object(
            body, self.bodies, self.owner.limber.mechanism.density, self.depsgraph
        )

    def _in_body(self, body: str, frame: Array) -> Array:
        """A frame (4, 4) at rest, in the frame of a body; unchanged for the world."""
        frame_on_body: Array = inverse(self.poses[body]) @ frame if body != WORLD else frame
        return frame_on_body

    # Bones

    def add_bones(self) -> None:
        read_bones = bones.read(self.owner, self.depsgraph)
        rig_pose = self.rest.current[self.owner.session_uid]
        for body in read_bones.bodies:
            if body.name in self.parts:
                raise RigError(f"Bone and object are both named '{body.name}': give one of them another name")
            self.parts[body.name] = Part(
                body.name,
                "GROUND" if body.grounded else "MOVES",
                self.owner.name,
                self.owner.session_uid,
                body.bone,
                body.offset,
                body.scale,
            )
            self.poses[body.name] = self.shown[body.name] = rig_pose @ body.pose
            self.masses[body.name] = body.mass
        for joint in read_bones.joints:
            at_parent = joint.in_parent
            if joint.parent == WORLD:
                at_parent = frame_of(rig_pose @ frame_array(joint.in_parent))
            self.joints.append(replace(joint, in_parent=at_parent))
        self.warnings += read_bones.warnings

    # Result

    def reading(self, object_joints: list) -> Reading:
        parts = tuple(self.parts.values())
        ground = next((part for part in parts if part.role == "GROUND"), None)
        base = self.poses[ground.name] if ground else self.rest.rest[self.owner.session_uid]
        to_base = inverse(base)
        joints_in_base = [
            (
                joint
                if joint.parent != WORLD
                else replace(joint, in_parent=frame_of(to_base @ frame_array(joint.in_parent)))
            )
            for joint in self.joints
        ]
        self._warn_of_joints(object_joints)
        starts = self.shown if self.rest.closes(object_joints) else self.poses
        mechanism = Mechanism(
            self._bodies(to_base, starts), tuple(with_motors(self.owner.limber.mechanism, joints_in_base))
        )
        difference = rest_pose.difference(self.owner, object_joints, self.rest)
        if difference:
            self.warnings.append(difference)
        return Reading(
            mechanism,
            parts,
            ground,
            signature(self.owner),
            joints.names(joint_objects(self.owner)),
            tuple(self.warnings),
            tuple(self._carried(object_joints)),
            difference,
            tuple(self._at_rest(to_base)),
            tuple(
                part.name for part in parts if part.role != "GROUND" and not self.masses[part.name].is_known
            ),
            tuple(self.masses[part.name].points for part in parts),
        )

    def _bodies(self, to_base: Array, poses: dict[str, Array]) -> tuple[RigidBody, ...]:
        """Bodies with start poses (4, 4) in the base frame, to which `to_base` (4, 4) transforms; bodies
        fixed to the ground start at rest.
        """
        bodies = []
        for part in self.parts.values():
            is_grounded = part.role == "GROUND"
            start = frame_of(to_base @ (self.poses if is_grounded else poses)[part.name])
            mass = self.masses[part.name]
            bodies.append(RigidBody(part.name, mass.kilograms, mass.centre, start, is_grounded))
        return tuple(bodies)

    def _carried(self, object_joints: list) -> Iterator[tuple[int, Part]]:
        """(index of the body, part) of joints' objects that are no descendants of a body, but mounted on one
        that moves; when the mechanism is assembled or baked they move with it.
        """
        names = list(self.parts)
        for joint in object_joints:
            for joint_object, holder in ((joint.frame_object, joint.first), (joint.meets, joint.second)):
                part = (
                    self.parts.get(self.name_of.get(holder.session_uid, ""))
                    if joint_object is not None and holder is not None
                    else None
                )
                if (
                    part is None
                    or part.role != "MOVES"
                    or any(above.session_uid in self.name_of for above in _ancestors(joint_object))
                ):
                    continue
                offset = inverse(self.rest.rest[joint_object.session_uid]) @ self.poses[part.name]
                scale = object_scale(joint_object.evaluated_get(self.depsgraph))
                name, uid = joint_object.name, joint_object.session_uid
                yield names.index(part.name), Part(name, "CARRIED", name, uid, "", offset, scale)

    def _at_rest(self, to_base: Array) -> Iterator[tuple[Part, Array]]:
        """(part, rest pose (4, 4) in the base frame) of the objects that Go to Rest Pose moves: moving bodies
        and joints' objects.
        """
        for obj in {obj.session_uid: obj for obj in self.objects}.values():
            uid = obj.session_uid
            if uid == self.owner.session_uid or (uid in self.bodies and role_of(obj) != "MOVES"):
                continue
            scale = object_scale(obj.evaluated_get(self.depsgraph))
            part = Part(obj.name, "CARRIED", obj.name, uid, "", np.eye(4), scale)
            yield part, to_base @ self.rest.rest[uid]

    def _warn_of_joints(self, object_joints: list) -> None:
        for joint_object in joint_objects(self.owner):
            if not is_joint(joint_object):
                self.warnings.append(
                    f"'{joint_object.name}' is in the list of joints and is no joint any more: choose its"
                    " Joint, or remove it from the list"
                )
        for joint in object_joints:
            if joints.has_lost_limits(joint):
                self.warnings.append(
                    f"Joint '{joint.name}' rotates about all axes, so its angular limits are ignored: make"
                    " three hinges with bodies between them where it needs any"
                )
            if (
                joint.meets is not None
                and joint.second is not None
                and joint.meets != joint.second
                and joint.second not in _ancestors(joint.meets)
            ):
                self.warnings.append(
                    f"Joint '{joint.name}' is to meet '{joint.meets.name}', which is not on body"
                    f" '{joint.second.name}': parent it to that"
                )


def _joint(joint: joints.ObjectJoint, parent: str, child: str, at_parent: Array, at_child: Array) -> Joint:
    has_limits = any(map(np.isfinite, (*joint.lower, *joint.upper)))
    lower, upper = (joint.lower, joint.upper) if has_limits else ((), ())
    return Joint(
        joint.name,
        joint.aligned_kind.kind,
        parent,
        child,
        frame_of(at_parent),
        frame_of(at_child),
        lower,
        upper,
        closes=joint.meets is not None,
    )


def _ancestors(obj: Object) -> list:
    """The objects above an object, nearest first."""
    ancestors = []
    while obj.parent is not None:
        obj = obj.parent
        ancestors.append(obj)
    return ancestors
