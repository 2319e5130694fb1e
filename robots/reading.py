"""From a URDF file to a Robot that holds together, or an error that names file, line and element. Knows no Blender.

Only what kinematics, looks and masses need is read: links, joints, materials. Transmissions, sensors, collisions and simulators' own
elements are left out.
"""

import os
from collections.abc import Collection
from pathlib import Path
from typing import get_args

from ..solvers.rotations import unit
from .errors import AxisError, JointTypeError, LimitError, MalformedError, NumberError
from .looks import Looks
from .model import KINDS, MOVING, Inertial, Joint, Kind, Link, Mimic, Robot
from .source import Source
from .structure import check, without_lost_mimics
from .xml_tree import Element, read_xml

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SHORTEST_AXIS = 1e-9  # what is shorter is a zero that was rounded somewhere: no file writes a unit vector so small

MOST = 1e4  # [rad or m, and a second] a limit beyond this is a placeholder: no motor comes near it


def read(path: str | os.PathLike[str], for_mechanism: bool = False, remade: Collection[str] = ()) -> Robot:
    """The robot of a URDF file.

    Args:
        for_mechanism: Looks are not read, and motors' speeds and masses that make no sense are left out with a warning: a mechanism
            needs none of them. A chain does, so that of it they are errors.
        remade: Names of joints that become others (closures.py), whose axes, limits and leaders mean nothing: they are not read.

    Raises:
        UrdfError: the file cannot be used; the message names file, line and element, and what mends it.
    """
    path, remade = Path(path), frozenset(remade)
    root = read_xml(path)
    source = Source(str(path))
    if root.tag != "robot":
        raise source.error(MalformedError, root, "this is no URDF file: its first element must be <robot>")
    _refuse_xacro(source, root)
    looks = None if for_mechanism else Looks(source, root)
    links = tuple(_link(source, element, looks) for element in root.all("link"))
    joints = without_lost_mimics(source, [_joint(source, element, for_mechanism, remade) for element in root.all("joint")])
    check(source, root, links, joints)
    children = {joint.child for joint in joints}
    first = next(link.name for link in links if link.name not in children)
    return Robot(root.attributes.get("name", "").strip() or path.stem, str(path), links, joints, first, tuple(source.warnings))


def _refuse_xacro(source: Source, element: Element) -> None:
    waiting = [element]
    while waiting:
        found = waiting.pop()
        if found.tag.startswith("xacro:"):
            raise source.error(MalformedError, found, "this is xacro, from which URDF is made: run `xacro FILE > robot.urdf` first")
        waiting += reversed(found.children)


def _link(source: Source, element: Element, looks: Looks | None) -> Link:
    inertial = _spare_inertial(source, element) if looks is None else _inertial(source, element)
    return Link(source.text(element, "name"), inertial, () if looks is None else looks.visuals(element), element.line)


def _spare_inertial(source: Source, link: Element) -> Inertial | None:
    try:
        return _inertial(source, link)
    except NumberError as error:
        source.leave_out(error, "the link has no mass")
        return None


def _inertial(source: Source, link: Element) -> Inertial | None:
    element = link.first("inertial")
    if element is None:
        return None
    mass_element, inertia_element = element.first("mass"), element.first("inertia")
    mass = None if mass_element is None else source.number(mass_element, "value")
    if mass is None or mass < 0.0:
        source.warn(element, "it tells no mass, or one below zero: taken as none")
        return None
    origin = source.origin(element)
    try:
        xx, xy, xz, yy, yz, zz = (source.number(inertia_element, name) or 0.0 if inertia_element is not None else 0.0 for name in INERTIA)
    except NumberError as error:
        source.leave_out(error, "the inertia is left out")
        return Inertial(origin, mass)
    return Inertial(origin, mass, (xx, xy, xz, yy, yz, zz))


def _joint(source: Source, element: Element, for_mechanism: bool, remade: Collection[str]) -> Joint:
    name = source.text(element, "name")
    kind = _kind(source, element)
    parent = source.text(source.needed(element, "parent"), "link")
    child = source.text(source.needed(element, "child"), "link")
    if name in remade:
        return Joint(name, kind, parent, child, source.origin(element), line=element.line)
    axis = _axis(source, element, kind)
    lower, upper, velocity, effort = _limits(source, element, kind, for_mechanism)
    mimic = _mimic(source, element, kind)
    if kind in ("floating", "planar"):
        source.warn(element, f"a {kind} joint is no motor: its link is held where it rests")
    return Joint(name, kind, parent, child, source.origin(element), axis, lower, upper, velocity, effort, mimic, element.line)


def _kind(source: Source, element: Element) -> Kind:
    found = source.text(element, "type")
    for kind in get_args(Kind):
        if found == kind:
            return kind  # type: ignore[no-any-return]
    raise source.error(JointTypeError, element, f"there is no joint type '{found}': choose one of {', '.join(KINDS)}")


def _axis(source: Source, element: Element, kind: Kind) -> tuple[float, float, float]:
    """The unit axis; of kinds without one URDF's own default."""
    if kind not in MOVING:
        return 1.0, 0.0, 0.0
    child = source.only(element, "axis")
    axis = (None if child is None else source.vector(child, "xyz")) or (1.0, 0.0, 0.0)
    if max(map(abs, axis)) < SHORTEST_AXIS:
        raise source.error(AxisError, child or element, f"the axis of joint '{element.attributes['name']}' has no direction: give it one")
    return unit(axis)


def _limits(
    source: Source, element: Element, kind: Kind, for_mechanism: bool
) -> tuple[float | None, float | None, float | None, float | None]:
    """Lower, upper, velocity, effort. Neither lower nor upper means no limit, as many files have it; of one the other's default is 0."""
    limit = source.only(element, "limit") if kind in MOVING else None
    if limit is None:
        if kind in ("revolute", "prismatic"):
            source.warn(element, "it has no <limit>: taken as unlimited")
        return None, None, None, None
    velocity = source.spare(limit, "velocity", MOST) if for_mechanism else source.bound(limit, "velocity", MOST)
    if velocity is not None and velocity < 0.0:
        what = f"velocity='{velocity:g}' of joint '{element.attributes['name']}' is below zero: give its size"
        raise source.error(LimitError, limit, what)
    effort = source.spare(limit, "effort")
    if kind == "continuous":
        return None, None, velocity, effort
    lower, upper = source.bound(limit, "lower", MOST), source.bound(limit, "upper", MOST)
    if "lower" in limit.attributes or "upper" in limit.attributes:
        lower = 0.0 if "lower" not in limit.attributes else lower
        upper = 0.0 if "upper" not in limit.attributes else upper
    if lower is not None and upper is not None and lower > upper:
        raise source.error(
            LimitError, limit, f"of joint '{element.attributes['name']}' lower='{lower:g}' is above upper='{upper:g}': exchange them"
        )
    if lower is not None and lower == upper:
        source.warn(element, "its limits are equal, so it cannot move: give it the motor's if that is not meant")
    return lower, upper, velocity, effort


def _mimic(source: Source, element: Element, kind: Kind) -> Mimic | None:
    child = source.only(element, "mimic")
    if child is None or kind not in MOVING:
        return None
    multiplier, offset = source.number(child, "multiplier"), source.number(child, "offset")
    return Mimic(source.text(child, "joint"), 1.0 if multiplier is None else multiplier, 0.0 if offset is None else offset)
