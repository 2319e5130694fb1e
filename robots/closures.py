"""Mechanisms with closed loops, from a URDF tree and a YAML file of closures.

The YAML has `closed_loop` (pairs of links whose frames coincide; a joint's name means its child link), `type`
of each pair ("3d": positions only, "6d": positions and orientations, the default), `name_mot` (joints with a
motor), and `joint_name` with `joint_type`: URDF joints that are actually SPHERICAL, FIXED or UJOINT_AB
(universal: rotates about A, then about B, two of X, Y, Z of the joint's frame).
"""

import json
import math
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..files.content import text as read_text
from ..files.plain import json_of
from ..files.reasons import reason
from ..solvers.kinematics.rotations import IDENTITY, Quaternion, X, Y, Z, between, cross, from_axes, multiply
from ..solvers.kinematics.se3 import RigidTransform
from ..solvers.mechanism.kinds import Kind
from ..solvers.mechanism.model import Joint, Mechanism, RigidBody
from .errors import JointTypeError, MalformedError
from .model import ModelJoint, Robot
from .reading import read
from .unread import listed

LETTERS = {"x": X, "y": Y, "z": Z}
# type of a closure in the file -> kind of the joint that closes the loop
PAIR_KINDS: dict[str, Kind] = {"6d": "fixed", "3d": "spherical"}
KNOWN = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")


def read_mechanism(
    urdf: str | os.PathLike[str], closures: str | os.PathLike[str], is_floating: bool = False
) -> Mechanism:
    """Mechanism of a URDF file and a file of closures.

    Args:
        urdf, closures: Paths of the files.
        is_floating: Whether the base link moves freely; otherwise it is fixed at the world's origin.

    Raises:
        UrdfError: a file cannot be used; the message names file, line and remedy.
    """
    file = Path(closures)
    entries = _parse(_content(file), str(file))
    remade = entries.get("joint_name")
    robot = read(
        urdf, for_mechanism=True, remade=[str(name) for name in remade] if isinstance(remade, list) else ()
    )
    return _MechanismBuilder(robot, str(closures), entries).mechanism(is_floating)


def mechanism_of(robot: Robot, text: str, file: str, is_floating: bool = False) -> Mechanism:
    """Mechanism of a robot that is already read, with the text of its closures.

    Args:
        file: Name of the text in error messages.
        is_floating: Whether the base link moves freely; otherwise it is fixed at the world's origin.

    Raises:
        UrdfError: the text cannot be used.
    """
    return _MechanismBuilder(robot, file, _parse(text, file)).mechanism(is_floating)


def read_closures(path: Path) -> str:
    """Content of a file of closures, converted to JSON. JSON is YAML that `mechanism_of` reads fast, while
    other YAML takes a second for about 200 kB.

    Raises:
        MalformedError: the file cannot be read, or is no YAML; the message names file, line and remedy.
    """
    return json.dumps(_parse(_content(path), str(path)), ensure_ascii=False)


def _content(path: Path) -> str:
    """Text of a file of closures. Raises MalformedError if it cannot be read."""
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedError(
            str(path), 0, "", f"the file cannot be read ({reason(error)}): choose the robot's YAML file"
        ) from error


def _parse(text: str, file: str) -> dict[str, Any]:
    """The map in a text of JSON or other YAML. Raises MalformedError if the text is no YAML, or no map."""
    if text.startswith("{"):
        with suppress(ValueError):
            return dict(json_of(text))

    # imported here, since ruamel.yaml must not delay enabling the extension
    from .yaml_text import parse_yaml

    return dict(parse_yaml(text, file))


class _MechanismBuilder:
    """Makes a mechanism of a robot and of the entries of a file of closures.

    Attributes:
        warnings: Warnings of the robot's file, then those of the closures, for the user.
        pairs: Pairs of names that closures join.
        kinds: Type of each pair's closure, "3d" or "6d" if the file is valid.
        changed: Joint -> the type [lower case] that it has instead of the URDF's.
        motors: Joints with a motor, in the file's order; all values are None.
    """

    def __init__(self, robot: Robot, file: str, entries: Mapping[str, Any]) -> None:
        self.robot, self.file = robot, file
        self.warnings = list(robot.warnings)
        self.pairs = self._list(entries, "closed_loop")
        self.kinds = self._kinds(entries)
        names, changed = self._list(entries, "joint_name"), self._list(entries, "joint_type")
        if len(names) != len(changed):
            raise MalformedError(
                file,
                0,
                "joint_type",
                f"{len(names)} names in joint_name, but {len(changed)} types: give one for each",
            )
        self.changed = {str(name): str(kind).lower() for name, kind in zip(names, changed, strict=True)}
        self.motors = dict.fromkeys(str(name) for name in self._list(entries, "name_mot"))
        if unknown := [f"'{key}'" for key in entries if key not in KNOWN]:
            are = "key {} is" if len(unknown) == 1 else "keys {} are"
            self.warnings.append(f"{file}: {are.format(listed(unknown))} unknown and left out")
        for key, named in (("joint_name", list(self.changed)), ("name_mot", list(self.motors))):
            if absent := [f"'{name}'" for name in named if name not in robot.joint]:
                self.warnings.append(f"{file}, {key}: the URDF has no joint {listed(absent)}: left out")

    def _kinds(self, entries: Mapping[str, Any]) -> list[str]:
        """Type of each pair's closure, lower case; "6d" where the file gives none, with a warning if it gives
        only some.
        """
        kinds = [str(kind).lower() for kind in self._list(entries, "type")]
        if kinds and len(kinds) != len(self.pairs):
            fewer, more = (
                "pairs without a type are read as 6d, give each its own",
                "the last types are left out",
            )
            outcome = more if len(kinds) > len(self.pairs) else fewer
            self.warnings.append(
                f"{self.file}, type: pairs in closed_loop: {len(self.pairs)}, types: {len(kinds)}: {outcome}"
            )
        return [*kinds, *["6d"] * len(self.pairs)][: len(self.pairs)]

    def _list(self, entries: Mapping[str, Any], key: str) -> list[Any]:
        """The list under a key; empty if the key is missing. Raises MalformedError for another value."""
        entry = entries.get(key)
        if entry is None:
            return []
        if not isinstance(entry, list):
            raise MalformedError(self.file, 0, key, f"a list is needed, found '{entry}'")
        return entry

    def mechanism(self, is_floating: bool) -> Mechanism:
        """Mechanism of all links, joints and closures; `is_floating`: whether the base link moves freely
        instead of being fixed to the world.
        """
        bodies = []
        for link in self.robot.links:
            mass, centre = (
                (link.inertial.mass, link.inertial.origin.offset) if link.inertial else (0.0, (0.0, 0.0, 0.0))
            )
            is_base = link.name == self.robot.root
            bodies.append(
                RigidBody(
                    link.name,
                    mass,
                    centre,
                    RigidTransform() if is_base else None,
                    is_base and not is_floating,
                )
            )
        joints = [self._joint(joint) for joint in self.robot.joints]
        return Mechanism(tuple(bodies), (*joints, *self._closures()), tuple(self.warnings))

    def _closures(self) -> tuple[Joint, ...]:
        """One closure for each pair of links: of several in the file the strictest ("6d"), with a warning."""
        closures: dict[frozenset[str], Joint] = {}
        for pair, kind in zip(self.pairs, self.kinds, strict=True):
            closure = self._closure(pair, kind)
            if closure is None:
                continue
            links = frozenset((closure.parent, closure.child))
            if links in closures:
                used = "6d" if "fixed" in (closures[links].kind, closure.kind) else "3d"
                what = (
                    f"{pair} is there twice, '{closure.parent}' and '{closure.child}' are joined already: one"
                    f" is used, as {used}"
                )
                self.warnings.append(f"{self.file}, closed_loop: {what}")
            if links not in closures or closures[links].kind == "spherical":
                closures[links] = closure
        return tuple(closures.values())

    def _joint(self, joint: ModelJoint) -> Joint:
        """The mechanism's joint for a joint of the robot."""
        kind, rotation, freedoms = self._kind(joint)
        at = RigidTransform(multiply(joint.origin.rotation, rotation), joint.origin.offset)
        is_motor = joint.name in self.motors and freedoms > 0
        if joint.name in self.motors and not freedoms:
            self.warnings.append(
                f"{self.file}, name_mot: joint '{joint.name}' is fixed, so it can have no motor: take it out"
                " of the list"
            )
        # the file's limits are those of the joint's one axis, which a joint of a changed type no longer has
        lower: tuple[float, ...] = ()
        upper: tuple[float, ...] = ()
        if (
            joint.name not in self.changed
            and joint.is_movable
            and (joint.lower is not None or joint.upper is not None)
        ):
            lower = (-math.inf if joint.lower is None else joint.lower,)
            upper = (math.inf if joint.upper is None else joint.upper,)
        back = joint.child_origin.inverse()
        in_child = RigidTransform(multiply(back.rotation, rotation), back.offset)
        return Joint(joint.name, kind, joint.parent, joint.child, at, in_child, lower, upper, (), is_motor)

    def _kind(self, joint: ModelJoint) -> tuple[Kind, Quaternion, int]:
        """(kind, rotation, number of DoF) of a joint in the mechanism; the rotation is the orientation of the
        mechanism joint's frame in the URDF joint's. Raises JointTypeError for an unknown new type.
        """
        changed = self.changed.get(joint.name, "")
        if changed == "spherical":
            return "spherical", IDENTITY, 3
        if changed == "fixed":
            return "fixed", IDENTITY, 0
        if (
            changed.startswith("ujoint_")
            and len(changed) == 9
            and changed[7] != changed[8]
            and set(changed[7:]) <= set(LETTERS)
        ):
            first, second = LETTERS[changed[7]], LETTERS[changed[8]]
            return "universal", from_axes(first, second, cross(first, second)), 2
        if changed:
            what = (
                f"joint '{joint.name}' cannot be '{changed}': use SPHERICAL, FIXED or UJOINT_XY (any two of"
                " X, Y, Z)"
            )
            raise JointTypeError(self.file, 0, "joint_type", what)
        # the axis of a mechanism's revolute or prismatic joint is z, that of a URDF joint is any vector
        if joint.is_rotary:
            return "revolute", between(Z, joint.axis), 1
        if joint.kind == "prismatic":
            return "prismatic", between(Z, joint.axis), 1
        return "fixed", IDENTITY, 0

    def _closure(self, pair: Any, kind: str) -> Joint | None:
        """Closure of a pair of names; None, with a warning, if the robot does not have one of them. Raises
        MalformedError if it is no pair, or joins a link to itself, and JointTypeError for an unknown kind.
        """
        if not isinstance(pair, list) or len(pair) != 2:
            raise MalformedError(
                self.file, 0, "closed_loop", f"each closure is a pair of names, found '{pair}'"
            )
        if kind not in PAIR_KINDS:
            raise JointTypeError(
                self.file, 0, "type", f"the closure of {pair} has type '{kind}': use 3d or 6d"
            )
        unknown = [
            str(name)
            for name in pair
            if str(name) not in self.robot.link and str(name) not in self.robot.joint
        ]
        if unknown:
            what = ", ".join(f"'{name}' is neither a link nor a joint of the URDF" for name in unknown)
            self.warnings.append(f"{self.file}, closed_loop: {what}: the closure of {pair} is left out")
            return None
        # two different names may mean one link, since a joint's name means its child link
        a, b = (self._link(str(name)) for name in pair)
        if a == b:
            raise MalformedError(
                self.file,
                0,
                "closed_loop",
                f"the closure of {pair} joins link '{a}' to itself: name two links",
            )
        return Joint(f"{pair[0]} = {pair[1]} ({kind})", PAIR_KINDS[kind], a, b, closes=True)

    def _link(self, name: str) -> str:
        """Link of that name, or child link of the joint of that name."""
        if name in self.robot.link:
            return name
        return self.robot.joint[name].child
