"""A link with its joint as text, without the loss of a digit, to be kept beside its bone. Knows no Blender."""

import json
from typing import Any, NamedTuple

from .model import Inertial, Joint, Mimic
from .skeleton import limits
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
        lower, upper = limits(self.branch.joint)
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
        return _record(json.loads(text))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"this is no link's record: {error}") from error


def _record(kept: dict[str, Any]) -> Record:
    inertial, joint = kept["inertial"], kept["joint"]
    if inertial is not None:
        inertial = Inertial(_transform(inertial["origin"]), inertial["mass"], tuple(inertial["inertia"]))
    if joint is not None:
        mimic = joint["mimic"]
        joint = Joint(
            **{
                **joint,
                "origin": _transform(joint["origin"]),
                "axis": tuple(joint["axis"]),
                "mimic": None if mimic is None else Mimic(**mimic),
            }
        )
    branch = Branch(kept["link"], -1, joint, _transform(kept["before"]), tuple(kept["axis"]), _transform(kept["after"]), inertial)
    return Record(branch, kept["bone_axis"], kept["sign"])


def _flat(frame: Transform) -> list[float]:
    return [*frame.rotation, *frame.offset]


def _transform(numbers: list[float]) -> Transform:
    w, x, y, z, *offset = numbers
    return Transform((w, x, y, z), (offset[0], offset[1], offset[2]))
