"""Models as JSON: skeletons, solvers' options, motion styles and goals of ends."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from ...files.json_fields import JsonFields
from ...motion import MotionError, MotionStyle
from ...solvers.goals import AIMS, GazeError
from ...solvers.kinematics.skeleton import FARTHEST, End, Joint, Skeleton, SkeletonError
from ...solvers.table import SOLVERS
from ..chain.inputs import EndInputs
from .errors import CharacterFileError

JOINT_NUMBERS = ("lower", "upper", "velocity", "acceleration", "jerk")
STYLE = tuple(field.name for field in fields(MotionStyle))
KINDS = {aim.__name__: aim for aim in AIMS}
ROLLS = ("FREE", "UPRIGHT", "POSTURE")
MEASURES = ("links", "bones")  # measures of the Expressive solver
MOST_JOINTS = 1000  # largest number of joints of a skeleton; more are refused
MOST_COUNT = 1_000_000  # largest magnitude of a whole-numbered option of a solver; larger ones are refused


def joints_json(joints: Sequence[Joint]) -> list[dict[str, Any]]:
    """Joints as JSON; reading gives exactly the same numbers."""
    return [
        {
            "name": joint.name,
            "parent": joint.parent,
            "kind": joint.kind,
            "rest_rotation": list(joint.rest_rotation),
            "rest_offset": list(joint.rest_offset),
            "axis": list(joint.axis),
            **{name: getattr(joint, name) for name in JOINT_NUMBERS},
        }
        for joint in joints
    ]


def skeleton_json(skeleton: Skeleton) -> dict[str, Any]:
    """A skeleton as JSON."""
    tool = End(skeleton.tool_joint, skeleton.tool_rotation, skeleton.tool_offset, skeleton.tool_name)
    ends = [link_json(end) for end in (tool, *skeleton.more_ends)]
    return {"joints": joints_json(skeleton.joints), "ends": ends}


def link_json(end: End) -> dict[str, Any]:
    """A coordinate frame on a joint, of an end effector or a body's link, as JSON."""
    return {
        "name": end.name,
        "joint": end.joint,
        "rotation": list(end.rotation),
        "offset": list(end.offset),
    }


def skeleton_of(plain: JsonFields) -> Skeleton:
    """Reads a skeleton that `skeleton_json` has written."""
    joints = joints_of(plain)
    ends = [link_of(end) for end in plain.children("ends", "end")]
    if not ends:
        plain.wrong("ends", "at least one end")
    tool, *further = ends
    try:
        return Skeleton(
            joints,
            tool.rotation,
            tool.offset,
            tool.joint,
            tuple(further),
            tool.name,
        )
    except SkeletonError as error:
        raise CharacterFileError(str(error)) from error


def joints_of(plain: JsonFields) -> tuple[Joint, ...]:
    """Reads joints that `joints_json` has written, from a field "joints"."""
    joints = plain.children("joints", "joint", "name")
    if not 0 < len(joints) <= MOST_JOINTS:
        plain.wrong("joints", f"1 to {MOST_JOINTS} joints")
    try:
        return tuple(map(_joint, joints))
    except SkeletonError as error:
        raise CharacterFileError(str(error)) from error


def _joint(plain: JsonFields) -> Joint:
    numbers = {name: plain.number(name, FARTHEST) for name in JOINT_NUMBERS}
    return Joint(
        name=plain.get("name", str),
        parent=plain.whole("parent", -1, MOST_JOINTS),
        rest_rotation=_quaternion(plain, "rest_rotation"),
        rest_offset=_vector(plain, "rest_offset"),
        axis=_vector(plain, "axis"),
        kind=plain.choice("kind", ("revolute", "prismatic")),
        **numbers,
    )


def link_of(plain: JsonFields) -> End:
    """Reads a coordinate frame that `link_json` has written."""
    return End(
        plain.whole("joint", -1, MOST_JOINTS),
        _quaternion(plain, "rotation"),
        _vector(plain, "offset"),
        plain.get("name", str),
    )


def _vector(plain: JsonFields, name: str) -> tuple[float, float, float]:
    x, y, z = plain.numbers(name, 3)
    return x, y, z


def _quaternion(plain: JsonFields, name: str) -> tuple[float, float, float, float]:
    w, x, y, z = plain.numbers(name, 4)
    return w, x, y, z


def options_json(options: object) -> dict[str, Any] | None:
    """A solver's options object as JSON; None for a solver without options."""
    return None if options is None else asdict(options)  # type: ignore[call-overload]


def options_of(plain: JsonFields, name: str, solver: str) -> object:
    """The options object of a solver from a field `name`; None if the solver has no options, or none are
    given. Options that the solver does not have are ignored.

    Raises:
        CharacterFileError: an option has a value that the solver does not accept.
    """
    kind = SOLVERS[solver].options
    if kind is None or not plain.is_given(name):
        return None
    stored, values = plain.child(name), {}
    for field in fields(kind):
        if stored.has(field.name):
            values[field.name] = _option(stored, field.name, field.default)
    if values.get("measure", MEASURES[0]) not in MEASURES:
        stored.wrong("measure", " or ".join(MEASURES))
    try:
        return kind(**values)
    except (GazeError, TypeError) as error:
        raise CharacterFileError(f"the options of solver {solver}: {error}") from error


def _option(plain: JsonFields, name: str, default: object) -> object:
    """An option: of the same type as its default if that is a bool, string or number; else a tuple of strings
    or numbers.
    """
    if isinstance(default, bool | str):
        return plain.get(name, type(default))
    if isinstance(default, int):
        return plain.whole(name, -MOST_COUNT, MOST_COUNT)
    if isinstance(default, float):
        return plain.number(name)
    values = plain.get(name, list)
    if all(isinstance(value, str) for value in values):
        return tuple(values)
    return tuple(plain.numbers(name))


def style_json(style: MotionStyle) -> dict[str, float]:
    """A joint's motion style as JSON."""
    return {name: getattr(style, name) for name in STYLE}


def style_of(plain: JsonFields) -> MotionStyle:
    """Reads a motion style that `style_json` has written."""
    try:
        return MotionStyle(**{name: plain.number(name) for name in STYLE})
    except MotionError as error:
        raise CharacterFileError(str(error)) from error


def end_json(end: EndInputs) -> dict[str, Any]:
    """The goal of an end effector ("end") as JSON, without its target."""
    return {
        "number": end.number,
        "kind": end.kind.__name__,
        "axis": None if end.axis is None else list(end.axis),
        "subject": end.subject,
        "tool": list(end.tool),
        "roll": end.roll,
        "weight": end.weight,
        "symmetric": end.symmetric,
    }


def end_of(plain: JsonFields, ends: int) -> EndInputs:
    """Reads a goal that `end_json` has written; `ends`: number of the skeleton's ends."""
    return EndInputs(
        plain.whole("number", 0, ends - 1),
        KINDS[plain.choice("kind", tuple(sorted(KINDS)))],
        axis=_vector(plain, "axis") if plain.is_given("axis") else None,
        subject=plain.get("subject", str),
        tool=_quaternion(plain, "tool"),
        roll=plain.choice("roll", ROLLS),
        weight=plain.number("weight"),
        symmetric=plain.get("symmetric", bool),
    )
