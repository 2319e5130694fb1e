"""A link and its joint as lossless JSON text, stored with the link's bone."""

import json
from typing import Any, NamedTuple

from ..files.plain import is_text, json_of, number_of
from ..solvers.kinematics.rotations import Vector
from .model import KINDS, Inertial, Mimic, ModelJoint
from .transform import IDENTITY_TRANSFORM, Transform
from .tree import TreeBranch


class LinkRecord(NamedTuple):
    """Stored data of a link: its branch of the tree, and how the bone's channel corresponds to the joint."""

    branch: TreeBranch  # the link's branch of the tree, with parent -1, since the bone has the parent
    axis: str  # axis of the bone about or along which the joint moves: "X", "Y", "Z"; "" if fixed
    sign: int  # -1 if the joint's value is the negative of the bone's

    @property
    def span(self) -> tuple[float, float]:
        """(lower, upper) limit [rad or m] of the bone's channel."""
        assert self.branch.joint is not None
        lower, upper = self.branch.joint.finite_limits
        return (lower, upper) if self.sign > 0 else (-upper, -lower)


def to_text(branch: TreeBranch, axis: str, sign: int) -> str:
    """JSON text of a link; floats are written so that reading gives the same double."""
    data: dict[str, Any] = {**vars(branch), "before": _flat(branch.before), "after": _flat(branch.after)}
    del data["parent"]
    if branch.inertial is not None:
        data["inertial"] = {**vars(branch.inertial), "origin": _flat(branch.inertial.origin)}
    if branch.joint is not None:
        mimic = branch.joint.mimic
        frames = {"origin": _flat(branch.joint.origin), "child_origin": _flat(branch.joint.child_origin)}
        data["joint"] = {**vars(branch.joint), **frames, "mimic": None if mimic is None else vars(mimic)}
        del data["joint"]["line"], data["joint"]["file"]
    return json.dumps({**data, "bone_axis": axis, "sign": sign}, ensure_ascii=False)


def from_text(text: str) -> LinkRecord:
    """Record from a text written by `to_text`.

    Raises:
        ValueError: the text was not written by `to_text`.
    """
    try:
        return _record(json_of(text))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"this is no link's record: {error}") from error


def _record(data: dict[str, Any]) -> LinkRecord:
    """Record of a JSON value. Raises ValueError, or KeyError, TypeError or AttributeError if its shape is
    wrong.
    """
    inertial, joint = data["inertial"], data["joint"]
    if inertial is not None:
        xx, xy, xz, yy, yz, zz = map(_number, inertial["inertia"])
        inertial = Inertial(
            _transform(inertial["origin"]), _number(inertial["mass"]), (xx, xy, xz, yy, yz, zz)
        )
    branch = TreeBranch(
        _name(data["link"]),
        -1,
        None if joint is None else _joint(joint),
        _transform(data["before"]),
        _axis(data["axis"]),
        _transform(data["after"]),
        inertial,
    )
    if data["bone_axis"] not in ("", "X", "Y", "Z") or data["sign"] not in (1, -1):
        raise ValueError("this is no link's record: the bone's axis is invalid")
    return LinkRecord(branch, data["bone_axis"], data["sign"])


def _joint(joint: dict[str, Any]) -> ModelJoint:
    mimic, kind = joint["mimic"], joint["kind"]
    if kind not in KINDS:
        raise ValueError(f"this is no link's record: joint type '{kind}' is unknown")
    lower, upper, velocity, effort = (
        _optional(joint[name]) for name in ("lower", "upper", "velocity", "effort")
    )
    # files of earlier versions lack both limits
    acceleration, jerk = (_optional(joint.get(name)) for name in ("acceleration", "jerk"))
    if lower is not None and upper is not None and lower > upper:
        raise ValueError("this is no link's record: the lower limit is above the upper one")
    follows = (
        None
        if mimic is None
        else Mimic(_name(mimic["joint"]), _number(mimic["multiplier"]), _number(mimic["offset"]))
    )
    child_origin = _transform(joint["child_origin"]) if "child_origin" in joint else IDENTITY_TRANSFORM
    name, parent, child = (_name(joint[word]) for word in ("name", "parent", "child"))
    origin, axis = _transform(joint["origin"]), _axis(joint["axis"])
    return ModelJoint(
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
        follows,
        child_origin,
        acceleration=acceleration,
        jerk=jerk,
    )


def _name(entry: Any) -> str:
    """An entry that must be a text. Raises ValueError."""
    if not is_text(entry):
        raise ValueError("this is no link's record: a name is no text")
    return str(entry)


def _number(entry: Any) -> float:
    """An entry that must be a number. Raises ValueError."""
    number = number_of(entry)
    if number is None:
        raise ValueError("this is no link's record: something in it is no number")
    return number


def _optional(entry: Any) -> float | None:
    return None if entry is None else _number(entry)


def _axis(numbers: Any) -> Vector:
    x, y, z = map(_number, numbers)
    return x, y, z


def _flat(frame: Transform) -> list[float]:
    """Seven numbers of a transform: quaternion w, x, y, z and offset x, y, z [m]."""
    return [*frame.rotation, *frame.offset]


def _transform(numbers: Any) -> Transform:
    """The transform that `_flat` wrote as these numbers."""
    w, x, y, z, a, b, c = map(_number, numbers)
    return Transform((w, x, y, z), (a, b, c))
