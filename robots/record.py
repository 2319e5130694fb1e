"""A link with its joint as text, without the loss of a digit, to be kept beside its bone. Knows no Blender."""

import json
from typing import Any, NamedTuple

from ..files.plain import is_text, json_of, number_of
from ..solvers.rotations import Vector
from .model import KINDS, Inertial, Joint, Mimic
from .transform import Transform
from .tree import Branch


class Record(NamedTuple):
    """What is kept of a link: how it moves, and the bone's axis that its joint is."""

    branch: Branch  # its parent is whatever the bone's parent is: -1 here
    axis: str  # "X", "Y", "Z"; "": the joint does not move
    sign: int  # -1: the joint's values are the bone's with the other sign

    @property
    def span(self) -> tuple[float, float]:
        """Smallest and largest value [rad or m] of the bone's channel."""
        assert self.branch.joint is not None
        lower, upper = self.branch.joint.finite_limits
        return (lower, upper) if self.sign > 0 else (-upper, -lower)


def to_text(branch: Branch, axis: str, sign: int) -> str:
    """Python writes floats so that reading gives the same double."""
    kept: dict[str, Any] = {**vars(branch), "before": _flat(branch.before), "after": _flat(branch.after)}
    del kept["parent"]
    if branch.inertial is not None:
        kept["inertial"] = {**vars(branch.inertial), "origin": _flat(branch.inertial.origin)}
    if branch.joint is not None:
        mimic = branch.joint.mimic
        kept["joint"] = {**vars(branch.joint), "origin": _flat(branch.joint.origin), "mimic": None if mimic is None else vars(mimic)}
        del kept["joint"]["line"]
    return json.dumps({**kept, "bone_axis": axis, "sign": sign}, ensure_ascii=False)


def from_text(text: str) -> Record:
    """What `to_text` wrote.

    Raises:
        ValueError: it is something else.
    """
    try:
        return _record(json_of(text))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"this is no link's record: {error}") from error


def _record(kept: dict[str, Any]) -> Record:
    inertial, joint = kept["inertial"], kept["joint"]
    if inertial is not None:
        xx, xy, xz, yy, yz, zz = map(_number, inertial["inertia"])
        inertial = Inertial(_transform(inertial["origin"]), _number(inertial["mass"]), (xx, xy, xz, yy, yz, zz))
    branch = Branch(
        _name(kept["link"]),
        -1,
        None if joint is None else _joint(joint),
        _transform(kept["before"]),
        _axis(kept["axis"]),
        _transform(kept["after"]),
        inertial,
    )
    if kept["bone_axis"] not in ("", "X", "Y", "Z") or kept["sign"] not in (1, -1):
        raise ValueError("this is no link's record: its bone's axis is none")
    return Record(branch, kept["bone_axis"], kept["sign"])


def _joint(joint: dict[str, Any]) -> Joint:
    mimic, kind = joint["mimic"], joint["kind"]
    if kind not in KINDS:
        raise ValueError(f"this is no link's record: '{kind}' is no kind of joint")
    lower, upper, velocity, effort = (
        None if joint[name] is None else _number(joint[name]) for name in ("lower", "upper", "velocity", "effort")
    )
    if lower is not None and upper is not None and lower > upper:
        raise ValueError("this is no link's record: its limits are the wrong way round")
    follows = None if mimic is None else Mimic(_name(mimic["joint"]), _number(mimic["multiplier"]), _number(mimic["offset"]))
    origin, axis = _transform(joint["origin"]), _axis(joint["axis"])
    return Joint(
        _name(joint["name"]), kind, _name(joint["parent"]), _name(joint["child"]), origin, axis, lower, upper, velocity, effort, follows
    )


def _name(found: Any) -> str:
    if not is_text(found):
        raise ValueError("this is no link's record: a name is none")
    return str(found)


def _number(found: Any) -> float:
    number = number_of(found)
    if number is None:
        raise ValueError("this is no link's record: something in it is no number")
    return number


def _axis(numbers: Any) -> Vector:
    x, y, z = map(_number, numbers)
    return x, y, z


def _flat(frame: Transform) -> list[float]:
    return [*frame.rotation, *frame.offset]


def _transform(numbers: Any) -> Transform:
    w, x, y, z, a, b, c = map(_number, numbers)
    return Transform((w, x, y, z), (a, b, c))
