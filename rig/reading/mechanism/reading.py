"""Reads a mechanism from the scene as it is authored: bodies, joints, motors and poses, for the solver."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from ....solvers.kinematics.se3 import Array, frame_array, inverse
from ....solvers.mechanism.model import WORLD, Body, Joint, Mechanism, MechanismError
from ...blender.errors import RigError
from ...blender.presence import find
from . import bones, joints, rest_pose
from .masses import Mass, of_object
from .motorised import with_motors
from .ownership import deleted_joints, is_joint, joint_objects, role_of
from .poses import frame_of, rigid, scale_of
from .straight import straighten


@dataclass(frozen=True)
class Part:
    """A body, and the object or bone that shows it."""

    name: str  # of the body
    role: str  # GROUND, DRIVEN or MOVES
    thing: str  # name of the object
    uid: int  # its session_uid
    bone: str = ""
    offset: Array = None  # (4, 4) the body's frame in the thing's
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)  # of the thing in the world

    def world(self, base: Array, pose: Array) -> Array:
        """World matrix (4, 4) of the object or bone, for a pose (4, 4) of the body in the base frame, whose world matrix is `base`."""
        return base @ pose @ inverse(self.offset)


@dataclass(frozen=True)
class Reading:
    """A mechanism as read from the scene, with the objects and bones of its bodies. Poses are in the base frame: that of a Ground body, or
    of the owner.
    """

    mechanism: Mechanism
    parts: tuple[Part, ...]  # in the order of the mechanism's bodies
    base_part: Part | None
    signature: tuple
    joint_names: dict[int, str]  # session_uid of a joint's object -> its name
    warnings: tuple[str, ...]
    carried: tuple[tuple[int, Part], ...] = ()  # joints' objects that are not children of a body, each after its body's index
    difference: str = ""  # why the bodies in this frame are not in a pose of the mechanism, as a sentence with the remedy
    rest: tuple[tuple[Part, Array], ...] = ()  # parts with their rest poses (4, 4) in the base frame
    massless: tuple[str, ...] = ()  # names of moving bodies without a known mass
    corners: tuple[Array, ...] = ()  # outermost points (n, 3) of the bodies' meshes in their frames, in the order of the bodies

    def base_now(self, owner) -> Array:
        """World pose (4, 4) of the base, as authored."""
        part = self.base_part
        if part is None:
            return rigid(owner.matrix_world)
        thing = find(part.thing, part.uid)
        made: Array = rigid(thing.matrix_world @ thing.pose.bones[part.bone].matrix if part.bone else thing.matrix_world) @ part.offset
        return made

    def part(self, thing) -> Part | None:
        return next((part for part in self.parts if part.uid == thing.session_uid and not part.bone), None)

    @property
    def shown_parts(self) -> list[tuple[int, Part]]:
        """(index, body) of each body that the mechanism moves."""
        return [(k, part) for k, part in enumerate(self.parts) if part.role == "MOVES"]

    @property
    def moved_parts(self) -> list[tuple[int, Part]]:
        """(index of the body, part) of everything that moves with the mechanism: its bodies, and joint objects mounted on them."""
        return [*self.shown_parts, *self.carried]


def signature(owner) -> tuple:
    """Joints, closures, motors and bones of a mechanism as a tuple, to detect changes. Fast, since it is computed in every tick."""
    settings = owner.limber.mechanism
    motors = tuple((motor.bone, motor.axis, motor.lower, motor.upper) for motor in settings.motors)
    made = joints.signature(joint_objects(owner))
    fields = attrgetter("first", "second", "first_point", "second_point", "kind", "axis")
    held = tuple(fields(one) for one in settings.closures) if settings.use_bones else ()
    return made, held, motors, _rest_of_bones(owner) if settings.use_bones else b""


def _rest_of_bones(rig) -> bytes:
    found = np.empty(16 * len(rig.data.bones), np.float32)
    rig.data.bones.foreach_get("matrix_local", found)
    return found.tobytes()


def read(owner, depsgraph, is_rest: bool = False) -> Reading:
    """The mechanism of an owner as it is authored. Call while the scene shows the authored pose.

    Args:
        owner: The object.
        depsgraph: The evaluated scene.
        is_rest: Whether the current frame's pose is taken as the rest pose.

    Raises:
        RigError: the mechanism is not valid; the message names the body or joint, and the remedy.
    """
    settings = owner.limber.mechanism
    if deleted := deleted_joints(owner):
        raise RigError(f"Joint '{deleted[0]}' of mechanism '{owner.name}' was deleted: undo that, or press Find Joints, which removes it")
    found = list(joints.joints(joint_objects(owner)))
    if not found and not settings.use_bones:
        raise RigError(
            f"Mechanism '{owner.name}' has no joints: press Find Joints, or select rigid body constraints or joint empties and press +"
            " under Joints"
        )
    reader = _Reader(owner, depsgraph, found, is_rest)
    try:
        reader.add_objects(found)
        if settings.use_bones:
            reader.add_bones()
        return reader.reading(found)
    except MechanismError as error:
        raise RigError(f"Mechanism '{owner.name}': {error}") from error


class _Reader:
    def __init__(self, owner, depsgraph, found: list, is_rest: bool) -> None:
        self.owner, self.depsgraph = owner, depsgraph
        self.parts: dict[str, Part] = {}
        self.poses: dict[str, Array] = {}  # rest poses of the bodies
        self.shown: dict[str, Array] = {}  # poses in this frame, relative to the base's rest pose
        self.masses: dict[str, Mass] = {}
        self.joints: list[Joint] = []
        self.warnings: list[str] = []
        self.name_of: dict[int, str] = {}  # object's session_uid -> body
        bodies = [thing for one in found for thing in (one.first, one.second) if thing is not None]
        self.bodies = {thing.session_uid for thing in bodies}
        self.things = [*bodies, *(thing for one in found for thing in (one.thing, one.meets) if thing is not None), owner]
        poses = {thing.session_uid: rigid(self.matrix(thing)) for thing in self.things}
        base = rest_pose.base_of(owner, bodies).session_uid
        self.rest = rest_pose.recorded(owner, poses, base) if found and not is_rest else rest_pose.as_it_stands(poses, base)

    def matrix(self, thing):
        evaluated = thing.evaluated_get(self.depsgraph)
        if not thing.users_collection:
            raise RigError(f"Object '{thing.name}' was deleted, but a joint still holds it: choose another body there, or undo")
        if not evaluated.is_evaluated:
            raise RigError(f"Object '{thing.name}' is in no visible collection: show it, Blender does not evaluate it otherwise")
        rigid(evaluated.matrix_world, f"Object '{thing.name}'")
        return evaluated.matrix_world

    # -- objects --

    def add_objects(self, found: list) -> None:
        for one in found:
            for thing in (one.first, one.second):
                if thing is not None and thing.session_uid not in self.name_of:
                    self._add_body(thing)
        pairs = [one.frames(self.rest.rest) for one in found]
        every = [pair[0] for pair in pairs] + [pair[1] for one, pair in zip(found, pairs, strict=True) if one.meets is not None]
        for frame, turn in zip(every, straighten([frame[:3, :3] for frame in every]), strict=True):
            frame[:3, :3] = turn
        for one, (at_parent, at_child) in zip(found, pairs, strict=True):
            parent, child = (self.name_of[body.session_uid] if body else WORLD for body in one.bodies)
            self.joints.append(_joint(one, parent, child, self._on(parent, at_parent), self._on(child, at_child)))

    def _add_body(self, thing) -> None:
        if thing.library is not None:
            raise RigError(f"Body '{thing.name}' is another file's: make a library override of it (Object > Library Override > Make)")
        matrix = self.matrix(thing)
        part = Part(thing.name, role_of(thing), thing.name, thing.session_uid, offset=np.eye(4), scale=scale_of(thing, matrix))
        self.parts[part.name], self.poses[part.name] = part, self.rest.rest[thing.session_uid]
        self.shown[part.name] = self.rest.to_rest @ self.rest.now[thing.session_uid]
        self.name_of[thing.session_uid] = part.name
        self.masses[part.name] = of_object(thing, self.bodies, self.owner.limber.mechanism.density, self.depsgraph)

    def _on(self, body: str, place: Array) -> Array:
        made: Array = inverse(self.poses[body]) @ place if body != WORLD else place
        return made

    # -- bones --

    def add_bones(self) -> None:
        read_bones = bones.read(self.owner, self.depsgraph)
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
            self.poses[body.name] = self.shown[body.name] = self.rest.to_rest @ body.pose
            self.masses[body.name] = body.mass
        for joint in read_bones.joints:
            at_parent = joint.in_parent if joint.parent != WORLD else frame_of(self.rest.to_rest @ frame_array(joint.in_parent))
            self.joints.append(replace(joint, in_parent=at_parent))
        self.warnings += read_bones.warnings

    # -- the whole --

    def reading(self, found: list) -> Reading:
        parts = tuple(self.parts.values())
        ground = next((part for part in parts if part.role == "GROUND"), None)
        base = self.poses[ground.name] if ground else self.rest.rest[self.owner.session_uid]
        back = inverse(base)
        held = [
            joint if joint.parent != WORLD else replace(joint, in_parent=frame_of(back @ frame_array(joint.in_parent)))
            for joint in self.joints
        ]
        self._note_looseness(found)
        starts = self.shown if self.rest.closes(found) else self.poses
        mechanism = Mechanism(self._bodies(back, starts), tuple(with_motors(self.owner.limber.mechanism, held)))
        difference = rest_pose.difference(self.owner, found, self.rest)
        if difference:
            self.warnings.append(difference)
        return Reading(
            mechanism,
            parts,
            ground,
            signature(self.owner),
            joints.names(joint_objects(self.owner)),
            tuple(self.warnings),
            tuple(self._carried(found)),
            difference,
            tuple(self._at_rest(back)),
            tuple(part.name for part in parts if part.role != "GROUND" and not self.masses[part.name].is_known),
            tuple(self.masses[part.name].points for part in parts),
        )

    def _bodies(self, back: Array, poses: dict[str, Array]) -> tuple[Body, ...]:
        """Bodies with start poses (4, 4) in the base frame, to which `back` (4, 4) transforms; grounded bodies start at rest."""
        found = []
        for part in self.parts.values():
            is_grounded = part.role == "GROUND"
            start = frame_of(back @ (self.poses if is_grounded else poses)[part.name])
            mass = self.masses[part.name]
            found.append(Body(part.name, mass.kilograms, mass.centre, start, is_grounded))
        return tuple(found)

    def _carried(self, found: list) -> Iterator[tuple[int, Part]]:
        """(body, part) of joints' objects that are no child of a body; when the mechanism is assembled or baked they move with the body
        on which they are mounted.
        """
        names = list(self.parts)
        for one in found:
            for thing, holder in ((one.thing, one.first), (one.meets, one.second)):
                part = self.parts.get(self.name_of.get(holder.session_uid, "")) if thing is not None and holder is not None else None
                if part is None or part.role != "MOVES" or any(above.session_uid in self.name_of for above in _ancestors(thing)):
                    continue
                offset = inverse(self.rest.rest[thing.session_uid]) @ self.poses[part.name]
                scale = scale_of(thing, self.matrix(thing))
                yield names.index(part.name), Part(thing.name, "CARRIED", thing.name, thing.session_uid, "", offset, scale)

    def _at_rest(self, back: Array) -> Iterator[tuple[Part, Array]]:
        """(part, rest pose (4, 4)) of what Go to Rest Pose moves: bodies that the mechanism moves, and joints; parents first."""
        for thing in {thing.session_uid: thing for thing in self.things}.values():
            uid = thing.session_uid
            if uid == self.owner.session_uid or (uid in self.bodies and role_of(thing) != "MOVES"):
                continue
            part = Part(thing.name, "CARRIED", thing.name, uid, "", np.eye(4), scale_of(thing, self.matrix(thing)))
            yield part, back @ self.rest.rest[uid]

    def _note_looseness(self, found: list) -> None:
        for thing in joint_objects(self.owner):
            if not is_joint(thing):
                self.warnings.append(
                    f"'{thing.name}' is in the list of joints and is no joint any more: choose its Joint, or remove it from the list"
                )
        for one in found:
            if joints.has_lost_limits(one):
                self.warnings.append(
                    f"Joint '{one.name}' rotates about all axes, so its angular limits are ignored: make three hinges"
                    " with bodies between them where it needs any"
                )
            if one.meets is not None and one.second is not None and one.meets != one.second and one.second not in _ancestors(one.meets):
                self.warnings.append(
                    f"Joint '{one.name}' is to meet '{one.meets.name}', which is not on body '{one.second.name}': parent it to that"
                )


def _joint(one, parent: str, child: str, at_parent: Array, at_child: Array) -> Joint:
    limited = any(map(np.isfinite, (*one.lower, *one.upper)))
    lower, upper = (one.lower, one.upper) if limited else ((), ())
    return Joint(
        one.name, one.shape.kind, parent, child, frame_of(at_parent), frame_of(at_child), lower, upper, closes=one.meets is not None
    )


def _ancestors(thing) -> list:
    found = []
    while thing.parent is not None:
        thing = thing.parent
        found.append(thing)
    return found
