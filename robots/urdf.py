"""Reads URDF elements as a checked robot model; errors name file, line and element.

Links, joints, visuals, materials, inertias, the frames that mark closures, and the joints' names in
transmissions are read. Sensors, collision shapes and extensions of simulators are skipped silently (apart
from joints in these), since they do not affect poses. For all other elements there is a warning.
"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import get_args

from ..solvers.kinematics.rotations import unit
from .attributes import AttributeReader
from .errors import AxisError, JointTypeError, NumberError
from .marks import marked
from .model import KINDS, MOVABLE, Inertial, Kind, Mimic, ModelJoint, ModelLink, Robot
from .safety_limits import narrowed
from .structure import check, without_lost_mimics
from .unread import tell_unread
from .visuals import VisualReader
from .xml_tree import Element

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SHORTEST_AXIS = 1e-9  # magnitude of an axis' largest component below which it counts as a rounded zero
LARGEST_LIMIT = 1e4  # [rad, m, rad/s or m/s] largest limit; larger ones count as placeholders for none
MOST_ACCELERATION, MOST_JERK = 1e6, 1e8  # [rad/s2 or m/s2, rad/s3 or m/s3] as LARGEST_LIMIT
VERSIONS = ("1", "1.0", "1.1", "1.2")  # versions of URDF
# elements of a robot that do not affect poses
SKIPPED = ("gazebo", "mujoco", "default", "transmission", "sensor", "ros2_control")


def robot_of(
    reader: AttributeReader, root: Element, for_mechanism: bool = False, remade: Collection[str] = ()
) -> Robot:
    """Robot model of a <robot> element, for `reading.read`, which explains the arguments and errors."""
    visuals = None if for_mechanism else VisualReader(reader, root)
    links = tuple(_link(reader, element, visuals) for element in root.all("link"))
    joints = without_lost_mimics(
        reader, [_joint(reader, element, frozenset(remade)) for element in root.all("joint")]
    )
    check(reader, root, links, joints)
    # `check` has ensured that exactly one link is no joint's child
    children = {joint.child for joint in joints}
    first = next(link.name for link in links if link.name not in children)
    name = root.attributes.get("name", "").strip() or Path(reader.file).stem
    driven = [
        joint.attributes.get("name", "") for each in root.all("transmission") for joint in each.all("joint")
    ]
    if (version := root.attributes.get("version", VERSIONS[0]).strip()) not in VERSIONS:
        reader.warn(root, f"URDF's version {version} is not known: it is read as {VERSIONS[-1]}")
    _tell_joints_of_simulators(reader, root)
    root.skip(*SKIPPED, *(("material",) if for_mechanism else ()))
    # last, since it reports the elements and attributes that are still unread
    tell_unread(reader, root)
    return marked(Robot(name, reader.file, links, joints, first, tuple(reader.warnings)), driven)


def _tell_joints_of_simulators(reader: AttributeReader, root: Element) -> None:
    """Warns of joints between links in extensions of simulators, which close loops there."""
    for extension in root.all("gazebo"):
        for element in extension.below():
            if element.tag == "joint" and element.first("parent") and element.first("child"):
                reader.warn(element, "this joint in <gazebo> is not read: it closes no loop here")


def _link(reader: AttributeReader, element: Element, visuals: VisualReader | None) -> ModelLink:
    # elements of a link; URDF has no origin there, but exporters write one
    element.skip("collision", "origin", *(("visual",) if visuals is None else ()))
    inertial = _optional_inertial(reader, element) if visuals is None else _inertial(reader, element)
    return ModelLink(
        reader.text(element, "name"),
        inertial,
        () if visuals is None else visuals.visuals(element),
        element.line,
        element.file,
    )


def _optional_inertial(reader: AttributeReader, link: Element) -> Inertial | None:
    """As `_inertial`, but None, with a warning, for an invalid number: a mechanism needs no masses."""
    try:
        return _inertial(reader, link)
    except NumberError as error:
        reader.leave_out(error, "the link has no mass")
        link.skip("inertial")
        return None


def _inertial(reader: AttributeReader, link: Element) -> Inertial | None:
    """Mass and inertia of a link; None without an <inertial> or, with a warning, without a usable mass.
    Raises NumberError for an invalid number, except in the inertia, which is then left out.
    """
    element = link.first("inertial")
    if element is None:
        return None
    mass_element, inertia_element = element.first("mass"), element.first("inertia")
    mass = None if mass_element is None else reader.number(mass_element, "value")
    if mass is None or mass < 0.0:
        reader.warn(element, "its mass is missing or negative: it is left out")
        element.is_skipped = True
        return None
    origin = reader.origin(element)
    try:
        xx, xy, xz, yy, yz, zz = (
            reader.number(inertia_element, name) or 0.0 if inertia_element is not None else 0.0
            for name in INERTIA
        )
    except NumberError as error:
        reader.leave_out(error, "the inertia is left out")
        element.skip("inertia")
        return Inertial(origin, mass)
    return Inertial(origin, mass, (xx, xy, xz, yy, yz, zz))


def _joint(reader: AttributeReader, element: Element, remade: Collection[str]) -> ModelJoint:
    name = reader.text(element, "name")
    kind = _kind(reader, element)
    parent = reader.text(reader.required_child(element, "parent"), "link")
    child = reader.text(reader.required_child(element, "child"), "link")
    if name in remade or kind not in MOVABLE:
        # exporters write these elements for joints of all kinds; here they have no meaning
        element.skip("axis", "limit", "mimic", "dynamics", "safety_controller", "calibration")
    if name in remade:
        return ModelJoint(
            name, kind, parent, child, reader.origin(element), line=element.line, file=element.file
        )
    axis = _axis(reader, element, kind)
    lower, upper, velocity, effort = _limits(reader, element, kind)
    acceleration, jerk = _rates(reader, element, kind)
    mimic = _mimic(reader, element, kind)
    if kind in ("floating", "planar"):
        reader.warn(
            element, f"a {kind} joint cannot be driven by one motor: its link stays at its rest position"
        )
    origin = reader.origin(element)
    joint = ModelJoint(
        name,
        kind,
        parent,
        child,
        origin,
        axis,
        lower,
        upper,
        velocity,
        effort,
        mimic,
        line=element.line,
        file=element.file,
    )
    return replace(joint, acceleration=acceleration, jerk=jerk)


def _kind(reader: AttributeReader, element: Element) -> Kind:
    """Type of a joint. Raises JointTypeError."""
    type_name = reader.text(element, "type").strip()
    for kind in get_args(Kind):
        if type_name.lower() == kind:
            return kind  # type: ignore[no-any-return]
    raise reader.error(
        JointTypeError, element, f"joint type '{type_name}' is unknown: use one of {', '.join(KINDS)}"
    )


def _axis(reader: AttributeReader, element: Element, kind: Kind) -> tuple[float, float, float]:
    """Unit axis of a joint; x, URDF's default, if it has none. Raises AxisError if it has no direction."""
    if kind not in MOVABLE:
        return 1.0, 0.0, 0.0
    child = reader.single_child(element, "axis")
    axis = (None if child is None else reader.vector(child, "xyz")) or (1.0, 0.0, 0.0)
    if max(map(abs, axis)) < SHORTEST_AXIS:
        raise reader.error(
            AxisError,
            child or element,
            f"the axis of joint '{element.attributes['name']}' has no direction: give it one",
        )
    return unit(axis)


def _limits(
    reader: AttributeReader, element: Element, kind: Kind
) -> tuple[float | None, float | None, float | None, float | None]:
    """(lower, upper, velocity, effort) limits [rad or m, per s, N m or N], narrowed to the soft limits.
    Without lower and upper the position has no limit, as intended in many files; if only one is missing, it
    is 0.
    """
    limit = reader.single_child(element, "limit") if kind in MOVABLE else None
    if limit is None:
        if kind in ("revolute", "prismatic"):
            reader.warn(element, "it has no <limit>: it is read as unlimited")
        return None, None, None, None
    velocity = reader.optional_size(limit, "velocity", LARGEST_LIMIT)
    effort = reader.optional_size(limit, "effort")
    if kind == "continuous":
        limit.skip_attributes("lower", "upper")  # a continuous joint has no position limits
        return None, None, velocity, effort
    limited = [word for word in ("lower", "upper") if reader.is_filled(limit, word)]
    lower, upper = (
        (reader.limit(limit, word, LARGEST_LIMIT) if word in limited else 0.0) if limited else None
        for word in ("lower", "upper")
    )
    if lower is not None and upper is not None and lower > upper:
        reader.warn(
            limit,
            f"of joint '{element.attributes['name']}' lower='{lower:g}' is above upper='{upper:g}': they are"
            " exchanged",
        )
        lower, upper = upper, lower
    if lower is not None and lower == upper:
        reader.warn(
            element, "its limits are equal, so it cannot move: if that is not meant, set the motor's limits"
        )
    return *narrowed(reader, element, lower, upper), velocity, effort


def _rates(reader: AttributeReader, element: Element, kind: Kind) -> tuple[float | None, float | None]:
    """Limits of (acceleration, jerk), which URDF has since version 1.2; for acceleration it is the smaller
    one of acceleration and deceleration.
    """
    limit = element.first("limit") if kind in MOVABLE else None
    if limit is None:
        return None, None
    accelerations = [
        _rate(reader, limit, word, MOST_ACCELERATION) for word in ("acceleration", "deceleration")
    ]
    known_accelerations = [number for number in accelerations if number is not None]
    return min(known_accelerations, default=None), _rate(reader, limit, "jerk", MOST_JERK)


def _rate(reader: AttributeReader, limit: Element, attribute: str, most: float) -> float | None:
    """A limit above zero; None if it is missing, a placeholder, or cannot be used, the last with a
    warning.
    """
    number = reader.optional_size(limit, attribute, most)
    if number == 0.0:
        reader.warn(limit, f"{attribute}='0' would let the joint never move: it is left out")
        return None
    return number


def _mimic(reader: AttributeReader, element: Element, kind: Kind) -> Mimic | None:
    """Relation of a mimic joint to its leader; None for other joints."""
    child = reader.single_child(element, "mimic")
    if child is None or kind not in MOVABLE:
        return None
    multiplier, offset = (
        reader.number(child, word) if reader.is_filled(child, word) else None
        for word in ("multiplier", "offset")
    )
    return Mimic(
        reader.text(child, "joint"),
        1.0 if multiplier is None else multiplier,
        0.0 if offset is None else offset,
    )
