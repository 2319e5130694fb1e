"""Dependencies of objects: the objects and bones that move an object, and so the chains and mechanisms on
which a target or base depends.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import bpy

from ..blender.errors import RigError
from ..bones import mimic
from ..bones.paths import bone_names

# beginning of the data paths of properties that move an object
_TRANSFORM = re.compile(r"(delta_)?(location|rotation_\w+|scale)\b")

# objects and bones that show a mechanism's bodies: object's session_uid -> bones; "" for the object itself
Bodies = Mapping[int, Container[str]]
NO_BODIES: Bodies = MappingProxyType({})


@dataclass(frozen=True)
class Dependency:
    """A bone or a whole object that moves another object. Two dependencies are equal if the moving bone or
    object is the same, whatever `how` says.
    """

    # how the moved object depends on this bone or object, as a clause in which "it" is the moved object; ""
    # if no message uses it, as for the moved object itself
    how: str = field(compare=False)
    rig: Any  # armature object of the bone, or the whole object
    bone: str  # name of the bone; "": the whole object

    @cached_property
    def line(self) -> tuple[str, ...]:
        """Names of the bone and its ancestors; () for a whole object, or a bone that does not exist."""
        bone = self.rig.data.bones.get(self.bone) if self.bone else None
        names = []
        while bone is not None:
            names.append(bone.name)
            bone = bone.parent
        return tuple(names)


def dependencies_of(
    obj: bpy.types.Object | None, seen: set[str] | None = None, surely: bool = False
) -> Iterator[Dependency]:
    """The bones and objects that move an object by parent, constraint or driver, directly or through other
    objects. Muted constraints do not count.

    Args:
        obj: The object.
        seen: Full names of the objects visited so far.
        surely: Whether to return only certain dependencies: without constraints whose influence is 0 now, and
            without drivers that involve anything other than the location, rotation and scale of whole
            objects.
    """
    seen = set() if seen is None else seen
    if obj is None or obj.name_full in seen:
        return
    seen.add(obj.name_full)
    subject = "it" if len(seen) == 1 else f"'{obj.name}', which moves it,"
    yield from _by_parent(obj, subject, seen, surely)
    yield from _by_constraints(obj, subject, seen, surely)
    if obj.animation_data:
        yield from _by_drivers(obj.animation_data.drivers, subject, seen, surely)


def _by_parent(obj: bpy.types.Object, subject: str, seen: set[str], surely: bool) -> Iterator[Dependency]:
    """Dependencies of an object by its parent; `subject`: the object in sentences. Others as for
    `dependencies_of`.
    """
    parent = obj.parent
    if parent is None:
        return
    if parent.type == "ARMATURE" and obj.parent_type == "BONE":
        yield Dependency(f"{subject} is a child of bone '{obj.parent_bone}'", parent, obj.parent_bone)
    yield Dependency(f"{subject} is a child of '{parent.name}'", parent, "")
    yield from dependencies_of(parent, seen, surely)


def _by_constraints(
    obj: bpy.types.Object, subject: str, seen: set[str], surely: bool
) -> Iterator[Dependency]:
    for constraint in obj.constraints:
        if constraint.mute or (surely and constraint.influence <= 0.0):
            continue
        how = f"{subject} follows by constraint '{constraint.name}' bone"
        for target in getattr(constraint, "targets", None) or (constraint,):
            followed, bone = getattr(target, "target", None), getattr(target, "subtarget", "")
            yield from _followed(how, followed, bone, seen, surely)


def _by_drivers(
    drivers: Iterable[bpy.types.FCurve], subject: str, seen: set[str], surely: bool
) -> Iterator[Dependency]:
    how = f"{subject} follows by a driver bone"
    for curve in drivers:
        if surely and not _TRANSFORM.match(curve.data_path):
            continue
        for variable in curve.driver.variables:
            for target in variable.targets:
                if not surely or variable.type != "SINGLE_PROP" or _TRANSFORM.match(target.data_path):
                    yield from _followed(how, target.id, target.bone_target, seen, surely)


def depends_on_objects_alone(obj: bpy.types.Object) -> bool:
    """Whether an object and all its parents have no constraints and no drivers, and are parented to whole
    objects, not to bones or vertices.
    """
    while obj is not None:
        if obj.parent is not None and obj.parent_type != "OBJECT":
            return False
        if obj.constraints or (obj.animation_data and obj.animation_data.drivers):
            return False
        obj = obj.parent
    return True


def _followed(how: str, obj: bpy.types.Object, bone: str, seen: set, surely: bool) -> Iterator[Dependency]:
    """Dependencies on an object or one of its bones that another object follows, and on what moves it. `how`:
    part of a sentence that ends before the bone's name. Others as for `dependencies_of`.
    """
    if getattr(obj, "id_type", "") != "OBJECT":
        return
    if obj.type == "ARMATURE" and bone:
        yield Dependency(f"{how} '{bone}'", obj, bone)
    yield Dependency(f"{how.removesuffix(' bone')} '{obj.name}'", obj, "")
    yield from dependencies_of(obj, seen, surely)


def is_moved_by(dependency: Dependency, rig: bpy.types.Object, bones: set[str] | frozenset[str]) -> bool:
    """Whether a dependency is one of `bones` of `rig`, or a descendant of one of them."""
    return bool(dependency.bone) and dependency.rig == rig and not bones.isdisjoint(dependency.line)


def is_on(dependency: Dependency, bodies: Bodies) -> bool:
    """Whether a dependency is a body of a mechanism, or a bone below such a body."""
    names = bodies.get(dependency.rig.session_uid)
    return names is not None and ("" in names or any(name in names for name in dependency.line))


class MovedParts(NamedTuple):
    """What a mover moves: bones that a chain's joints move, or bodies of a mechanism."""

    rig: object = None  # armature object of the bones
    # names of the bones with the chain's joints, and of the bones that mimic these joints
    bones: set[str] | frozenset[str] = frozenset()
    mimicking: frozenset[str] = frozenset()  # names of those in `bones` that mimic a joint
    bodies: Bodies = NO_BODIES  # bodies that a mechanism moves

    def moves(self, dependency: Dependency) -> bool:
        """Whether a dependency is on one of these bones or bodies, or below one."""
        return is_moved_by(dependency, self.rig, self.bones) or (
            bool(self.bodies) and is_on(dependency, self.bodies)
        )


def moved_by(chain: bpy.types.PropertyGroup) -> MovedParts:
    """The bones that a chain's joints move."""
    mimicking = frozenset(follower.bone for follower in followers(chain))
    return MovedParts(chain.id_data, {joint.bone for joint in chain.joints} | mimicking, mimicking)


def joint_bones(chain: bpy.types.PropertyGroup) -> set[str]:
    """Names of the bones that a chain moves: bones with its joints, and bones that mimic them."""
    return moved_by(chain).bones


def followers(chain: bpy.types.PropertyGroup) -> tuple[mimic.Follower, ...]:
    """Bones of the armature that mimic joints of a chain."""
    return mimic.followers_of(chain.id_data, [joint.key for joint in chain.joints])


class ChainTarget(NamedTuple):
    """The target of a chain's end: an object, or a bone of it; `bone` is "" for the object itself."""

    obj: bpy.types.Object
    bone: str = ""

    @property
    def name(self) -> str:
        """Name in sentences and in files."""
        return f"{self.obj.name}/{self.bone}" if self.bone else self.obj.name

    @property
    def identity(self) -> object:
        """Value that identifies the target, independently of its name."""
        uid = self.obj.session_uid
        return (uid, self.bone) if self.bone else uid


def target_of(settings: bpy.types.PropertyGroup) -> ChainTarget | None:
    """The target in the settings of an end, or of an additional target; None if there is none."""
    if settings.target is None:
        return None
    return ChainTarget(settings.target, settings.target_bone if settings.target.type == "ARMATURE" else "")


def targets(chain: bpy.types.PropertyGroup) -> list[ChainTarget]:
    """All targets of a chain's enabled ends and its additional targets; ends without a target are skipped."""
    ends = [chain, *chain.targets, *(end for end in chain.ends if end.enabled)]
    return [target for end in ends if (target := target_of(end)) is not None]


def moved_targets(chain: bpy.types.PropertyGroup, other: MovedParts) -> list[ChainTarget]:
    """Targets of a chain that another mover moves, given what that mover moves."""
    objects = Dependencies()
    return [target for target in targets(chain) if any(map(other.moves, objects.of(*target)))]


class Dependencies:
    """Dependencies of the objects of a scene. Each object is looked up once, since a generated rig has
    hundreds of drivers. A snapshot: make a new one for each tick.

    Args:
        surely: As for `dependencies_of`.
    """

    def __init__(self, surely: bool = False) -> None:
        self._surely = surely
        self._by_object: dict[int, tuple[Dependency, ...]] = {}  # object's session_uid -> its dependencies

    def of(self, obj: bpy.types.Object, bone: str = "") -> tuple[Dependency, ...]:
        """Dependencies of an object or of one of its bones: first itself, then each bone and object that
        moves it.
        """
        if (known := self._by_object.get(obj.session_uid)) is None:
            all_dependencies = (Dependency("", obj, ""), *dependencies_of(obj, surely=self._surely))
            known = self._by_object[obj.session_uid] = tuple(dict.fromkeys(all_dependencies))
        return (Dependency("", obj, bone), *known) if bone else known


class Support(NamedTuple):
    """A bone or object on which a chain depends, and the part of the chain that it moves: "base", "armature"
    or "target".
    """

    part: str
    dependency: Dependency


def supports(pair: tuple, objects: Dependencies) -> list[Support]:
    """Bones and objects on which the base, the armature or the targets of a (rig, chain) pair depend,
    including the armature and the targets themselves.
    """
    rig, chain = pair
    root = rig.data.bones.get(chain.root)
    above = [Dependency("", rig, root.parent.name)] if root is not None and root.parent is not None else []
    of_targets = [dependency for target in targets(chain) for dependency in objects.of(*target)]
    parts = {"base": above, "armature": objects.of(rig), "target": of_targets}
    return [Support(part, dependency) for part, dependencies in parts.items() for dependency in dependencies]


def moved_part(pair: tuple, other: MovedParts, on: Sequence[Support]) -> str:
    """Part of a (rig, chain) pair that another mover moves: "base", "armature", "target", or "" for none.

    Args:
        pair: The armature object and the chain.
        other: What the other mover moves.
        on: The pair's `supports`.
    """
    rig, chain = pair
    if other.mimicking and rig == other.rig and other.mimicking.intersection(_path(rig, chain)):
        return "base"
    return next((support.part for support in on if other.moves(support.dependency)), "")


def leaders_of(pair: tuple, others: Sequence[MovedParts], objects: Dependencies) -> list[int]:
    """Indices of the movers that move a part of a (rig, chain) pair, given what each moves."""
    on = supports(pair, objects)
    rigs = {support.dependency.rig for support in on}
    near = [k for k, other in enumerate(others) if other.bodies or other.rig in rigs]
    return [k for k in near if moved_part(pair, others[k], on)]


def _path(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> list[str]:
    """Names of a chain's bones; empty if the chain cannot be read."""
    try:
        return bone_names(rig.pose.bones, chain)
    except RigError:  # reading the chain reports the error
        return []
