"""A mechanism as solvers take it, read from the scene as it is authored: bodies, joints, motors, and where they are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from ....solvers.mechanism.frames import Array, frame_array, inverse
from ....solvers.mechanism.model import WORLD, Body, Joint, Mechanism, MechanismError
from ...blender.errors import RigError
from ...blender.identity import find
from . import bones, joints
from .masses import Mass, of_object
from .motorised import with_motors
from .ownership import is_joint, members, role_of
from .poses import frame_of, rigid, scale_of
from .rest_pose import Sketch
from .starts import starts_closed
from .straight import straighten


@dataclass(frozen=True)
class Part:
    """A body, and what shows it: an object, or a bone of the owner."""

    name: str  # of the body
    role: str  # GROUND, DRIVEN or MOVES
    thing: str  # name of the object
    uid: int  # its session_uid
    bone: str = ""
    offset: Array = None  # (4, 4) the body's frame in the thing's
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)  # of the thing in the world


@dataclass(frozen=True)
class Reading:
    """A mechanism with what ties it to the scene. Poses are told in a base, which goes with the ground: `base_part` or the owner."""

    mechanism: Mechanism
    parts: tuple[Part, ...]  # in the order of the mechanism's bodies
    base_part: Part | None
    signature: tuple
    joint_names: dict[int, str]  # session_uid -> name of the joints' objects
    warnings: tuple[str, ...]
    carried: tuple[tuple[int, Part], ...] = ()  # joints' objects that hang on no body, with the body that takes them along
    places: tuple[tuple[str, int, Array], ...] = ()  # of the sketch: name, session_uid and pose (4, 4) of its objects
    is_kept: bool = False  # the sketch is not what there is in this frame, but as it was kept
    unkept: str = ""  # why it is what there is in this frame, where that may be another one in the next, as a sentence
    massless: tuple[str, ...] = ()  # names of bodies that move, of which nothing says what they weigh

    def base_now(self, owner) -> Array:
        """(4, 4) where the base is as it is authored."""
        part = self.base_part
        if part is None:
            return rigid(owner.matrix_world)
        thing = find(part.thing, part.uid)
        made: Array = rigid(thing.matrix_world @ thing.pose.bones[part.bone].matrix if part.bone else thing.matrix_world) @ part.offset
        return made

    def part(self, thing) -> Part | None:
        return next((part for part in self.parts if part.uid == thing.session_uid and not part.bone), None)


def signature(owner) -> tuple:
    """What the mechanism is made of, so that a change shows. Cheap: it is looked at in every tick."""
    kept = owner.limber.mechanism
    motors = tuple((motor.bone, motor.axis, motor.lower, motor.upper) for motor in kept.motors)
    made = joints.signature(members(owner))
    fields = attrgetter("first", "second", "first_point", "second_point", "kind", "axis")
    held = tuple(fields(one) for one in kept.closures) if kept.use_bones else ()
    return made, held, motors, _rest_of_bones(owner) if kept.use_bones else b""


def _rest_of_bones(rig) -> bytes:
    found = np.empty(16 * len(rig.data.bones), np.float32)
    rig.data.bones.foreach_get("matrix_local", found)
    return found.tobytes()


def read(owner, depsgraph, is_anew: bool = False) -> Reading:
    """The mechanism that an object owns, as it is authored. Nothing of Limber's may be shown meanwhile.

    Args:
        owner: The object.
        depsgraph: What has been evaluated.
        is_anew: This frame's pose is the sketch, whatever was kept.

    Raises:
        RigError: it cannot be a mechanism; the message names body or joint, and the remedy.
    """
    kept = owner.limber.mechanism
    found = list(joints.joints(members(owner)))
    if not found and not kept.use_bones:
        where = f"collection '{kept.collection.name}'" if kept.collection else "no collection"
        if kept.collection is not None and any(map(is_joint, kept.collection.all_objects)):
            raise RigError(
                f"Mechanism '{owner.name}' has no joints of its own: those in {where} are other mechanisms'. Duplicate their joints and"
                " bodies as well, or choose another collection"
            )
        raise RigError(
            f"Mechanism '{owner.name}' has no joints ({where}): choose the collection in which its rigid body constraints"
            " or joint empties are"
        )
    reader = _Reader(owner, depsgraph, found, is_anew)
    try:
        reader.add_objects(found)
        if kept.use_bones:
            reader.add_bones()
        return reader.reading(found)
    except MechanismError as error:
        raise RigError(f"Mechanism '{owner.name}': {error}") from error


class _Reader:
    def __init__(self, owner, depsgraph, found: list, is_anew: bool) -> None:
        self.owner, self.depsgraph = owner, depsgraph
        self.parts: dict[str, Part] = {}
        self.poses: dict[str, Array] = {}  # in the sketch
        self.shown: dict[str, Array] = {}  # in this frame, in the sketch's world
        self.masses: dict[str, Mass] = {}
        self.joints: list[Joint] = []
        self.warnings: list[str] = []
        self.name_of: dict[int, str] = {}  # object's session_uid -> body
        bodies = [thing for one in found for thing in (one.first, one.second) if thing is not None]
        self.bodies = {thing.session_uid for thing in bodies}
        things = [*bodies, *(thing for one in found for thing in (one.thing, one.meets) if thing is not None)]
        anchor = next((thing for thing in bodies if role_of(thing) == "GROUND"), owner)
        mark = None if is_anew else owner.limber.mechanism.zero
        self.sketch = Sketch(mark, things, anchor, self.matrix)

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
        poses = self.sketch.poses
        places = [joints.frame(one, poses[one.thing.session_uid]) for one in found]
        meeting = [None if one.meets is None else joints.frame(one, poses[one.meets.session_uid]) for one in found]
        every = [frame for frame in (*places, *meeting) if frame is not None]
        for frame, turn in zip(every, straighten([frame[:3, :3] for frame in every]), strict=True):
            frame[:3, :3] = turn
        for one, place, meets in zip(found, places, meeting, strict=True):
            parent, child, ends = self._ends(one, place, place if meets is None else meets)
            self.joints.append(_joint(one, parent, child, *ends))

    def _add_body(self, thing) -> None:
        if thing.library is not None:
            raise RigError(f"Body '{thing.name}' is another file's: make a library override of it (Object > Library Override > Make)")
        matrix = self.matrix(thing)
        part = Part(thing.name, role_of(thing), thing.name, thing.session_uid, offset=np.eye(4), scale=scale_of(thing, matrix))
        self.parts[part.name], self.poses[part.name] = part, self.sketch.poses[thing.session_uid]
        self.shown[part.name] = self.sketch.shown @ rigid(matrix)
        self.name_of[thing.session_uid] = part.name
        self.masses[part.name] = of_object(thing, self.bodies, self.owner.limber.mechanism.density, self.depsgraph)

    def _ends(self, one, place: Array, meets: Array) -> tuple[str, str, tuple[Array, Array]]:
        """Parent and child, and the joint's frame on each; one that is mounted on the world has it as its parent."""
        first = self.name_of[one.first.session_uid] if one.first else WORLD
        second = self.name_of[one.second.session_uid] if one.second else WORLD
        if second == WORLD:
            first, second = second, first
        return first, second, (self._on(first, place), self._on(second, meets))

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
            self.poses[body.name] = self.shown[body.name] = self.sketch.shown @ body.pose
            self.masses[body.name] = body.mass
        for joint in read_bones.joints:
            at_parent = joint.in_parent if joint.parent != WORLD else frame_of(self.sketch.shown @ frame_array(joint.in_parent))
            self.joints.append(replace(joint, in_parent=at_parent))
        self.warnings += read_bones.warnings

    # -- the whole --

    def reading(self, found: list) -> Reading:
        parts = tuple(self.parts.values())
        ground = next((part for part in parts if part.role == "GROUND"), None)
        base = self.poses[ground.name] if ground else self.sketch.shown @ rigid(self.matrix(self.owner))
        back = inverse(base)
        held = [
            joint if joint.parent != WORLD else replace(joint, in_parent=frame_of(back @ frame_array(joint.in_parent)))
            for joint in self.joints
        ]
        self._note_looseness(found)
        mechanism = Mechanism(self._bodies(back, self.poses), tuple(with_motors(self.owner.limber.mechanism, held)))
        if self.sketch.is_kept:
            begun = replace(mechanism, bodies=self._bodies(back, self.shown))
            mechanism = begun if starts_closed(begun) else mechanism
        unkept = ""
        if self.sketch.lost:
            unkept = (
                f"It is not known where '{self.sketch.lost}' is in the sketch, so motors of '{self.owner.name}' are at zero where bodies"
                " are at this frame: press Set Zero at the frame of the sketch"
            )
            self.warnings.append(unkept)
        return Reading(
            mechanism,
            parts,
            ground,
            signature(self.owner),
            joints.names(members(self.owner)),
            tuple(self.warnings),
            tuple(self._carried(found)),
            tuple((thing.name, uid, self.sketch.poses[uid]) for uid, thing in self.sketch.things.items()),
            self.sketch.is_kept,
            unkept,
            tuple(part.name for part in parts if part.role != "GROUND" and not self.masses[part.name].is_known),
        )

    def _bodies(self, back: Array, poses: dict[str, Array]) -> tuple[Body, ...]:
        """Bodies that start at these poses (4, 4), in the base, into which `back` (4, 4) leads; grounded ones as in the sketch."""
        found = []
        for part in self.parts.values():
            is_grounded = part.role == "GROUND"
            start = frame_of(back @ (self.poses if is_grounded else poses)[part.name])
            mass = self.masses[part.name]
            found.append(Body(part.name, mass.kilograms, mass.centre, start, is_grounded))
        return tuple(found)

    def _carried(self, found: list) -> Iterator[tuple[int, Part]]:
        """Objects of joints stay at their place on the body on which they are mounted, when bodies are assembled or baked."""
        names = list(self.parts)
        for one in found:
            for thing, holder in ((one.thing, one.first), (one.meets, one.second)):
                part = self.parts.get(self.name_of.get(holder.session_uid, "")) if thing is not None and holder is not None else None
                if part is None or part.role != "MOVES" or any(above.session_uid in self.name_of for above in _ancestors(thing)):
                    continue
                offset = inverse(self.sketch.poses[thing.session_uid]) @ self.poses[part.name]
                scale = scale_of(thing, self.matrix(thing))
                yield names.index(part.name), Part(thing.name, "CARRIED", thing.name, thing.session_uid, "", offset, scale)

    def _note_looseness(self, found: list) -> None:
        for thing in members(self.owner):
            is_body = thing.rigid_body is not None or thing.limber.part.role != "AUTO"
            if is_body and thing.session_uid not in self.name_of:
                self.warnings.append(
                    f"Body '{thing.name}' has no joint: nothing moves it with the others; join it, or take it out of the collection"
                )
        for one in found:
            if joints.has_lost_limits(one):
                self.warnings.append(
                    f"Joint '{one.name}' turns about all axes, so its angular limits are not kept: make three hinges"
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
