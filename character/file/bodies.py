"""Bodies that follow a motion in a character file: their models and inputs, and their JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import Any, NamedTuple

import numpy as np

from ...files.json_fields import JsonFields
from ...motion import FILTERS, NO_FILTER, Limits, LimitsError, MotionStyle, make_filter
from ...solvers.kinematics.rotations import from_matrix, logarithm, normalized
from ...solvers.kinematics.skeleton import SkeletonError
from ...solvers.limits import usual_limits
from ...solvers.whole_body.body import Body, Coupling
from ...solvers.whole_body.state import KinematicState
from ...solvers.whole_body.targets import BodyTargetError, Target
from ..body.feet import Foot
from ..body.inputs import BodyInputs, between
from ..body.tick import BodyModel, make_model
from .errors import CharacterFileError
from .models import joints_json, joints_of, link_json, link_of, style_json, style_of
from .tracks import Array, ArrayReader, ArrayWriter, ClipTrack, split

KINDS = ("orientation", "position")  # targets that a link can have
# fields of `BodyInputs` of which a file has tracks
INPUTS = (
    "rotation",
    "base",
    "base_frame",
    "feet",
    "floor_up",
    "floor_height",
    "base_known",
    "places",
    "posture",
)
# names of the six values that follow a body's joint values: position [m] and rotation vector [rad] of its
# root in its armature
ROOT = ("root x", "root y", "root z", "root rotation x", "root rotation y", "root rotation z")
# limits beyond which a reader refuses a file
MOST_LINKS = 1000  # largest number of a body's links
MOST_LEVEL = 1000  # largest priority level of a target


class JointRange(NamedTuple):
    """Limits of a joint of a body: its range [rad; prismatic joints m], and its velocity, acceleration and
    jerk (per s, s2, s3); infinite for none.
    """

    lower: float = -inf
    upper: float = inf
    velocity: float = inf
    acceleration: float = inf
    jerk: float = inf


def body_values(state: KinematicState) -> Array:
    """Values (n + 6,): a body's joints [rad or m], then the pose of its root in its armature as position (3,)
    [m] and rotation vector (3,) [rad].
    """
    rotation_vector = logarithm(normalized(from_matrix(state.base_rotation.tolist())))
    return np.array([*state.joints.tolist(), *state.base_position.tolist(), *rotation_vector])


@dataclass(frozen=True)
class BodyEntry:
    """A body: its model, and the motion that it follows, in armature space.

    Attributes:
        name: Name of its armature.
        body: Its joints, links and coupled joints.
        targets: Targets of its links.
        base: Name of its base link.
        velocities: (n,) [rad/s or m/s] velocity limits of the joints; infinite for none.
        acceleration: Acceleration limit [rad/s^2] of all joints; None for none.
        gain, posture_gain: As for `body.tick.make_model`.
        feet: Feet that stand while their sources stand.
        filter_name, limits, style: Its motion filter, the filter's limits for each joint, and the motion
            style.
        inputs: Tracks of the fields of `BodyInputs` in `INPUTS`, by field name.
    """

    name: str
    body: Body
    targets: tuple[Target, ...]
    base: str
    velocities: Array
    acceleration: float | None
    gain: float
    posture_gain: float
    feet: tuple[Foot, ...]
    filter_name: str
    limits: tuple[Limits, ...]
    style: MotionStyle
    inputs: dict[str, ClipTrack]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of its joints as "ARMATURE/JOINT", followed by those of its root."""
        return tuple(f"{self.name}/{name}" for name in (*self.body.names, *ROOT))

    @property
    def ranges(self) -> tuple[JointRange, ...]:
        """Limits of its joints, those of its motion filter if it has one, followed by those of its root."""
        joints = (
            [
                JointRange(each.lower, each.upper, each.velocity, each.acceleration, each.jerk)
                for each in self.limits
            ]
            if self.limits
            else [
                JointRange(lower, upper, velocity, self.acceleration or inf)
                for lower, upper, velocity in zip(
                    self.body.lower.tolist(), self.body.upper.tolist(), self.velocities.tolist(), strict=True
                )
            ]
        )
        return (*joints, *(JointRange() for _ in ROOT))

    def model(self) -> BodyModel:
        """The mover's model."""
        velocities = self.velocities if self.velocities.min(initial=inf) < inf else None
        return make_model(
            self.body,
            list(self.targets),
            self.base,
            usual_limits(velocities, self.acceleration),
            self.gain,
            self.feet,
            self.posture_gain,
            tuple(make_filter(self.filter_name, limits, self.style) for limits in self.limits),
        )

    def at(self, frame: float) -> BodyInputs:
        """Inputs of the body at a frame of the clip, counted from 0."""
        whole, share = split(frame)
        first = self._inputs(whole)
        return between(first, self._inputs(whole + 1), share) if share else first

    def _inputs(self, frame: int) -> BodyInputs:
        values = {name: self.inputs[name].step(float(frame)) for name in INPUTS}
        height, is_known = (float(values.pop(name)) for name in ("floor_height", "base_known"))
        return BodyInputs(**values, floor_height=height, base_known=bool(is_known))  # type: ignore[arg-type]  # arrays


def body_json(entry: BodyEntry, arrays: ArrayWriter) -> dict[str, Any]:
    """A body as JSON; its arrays go to `arrays`."""
    body = entry.body
    return {
        "name": entry.name,
        "joints": joints_json(body.joints),
        "links": [link_json(link) for link in body.link_ends],
        "couplings": [
            {
                "name": coupling.name,
                "factors": dict(coupling.factors),
                "lower": _finite(coupling.lower),
                "upper": _finite(coupling.upper),
            }
            for coupling in body.coupled
        ],
        "floats": body.floating,
        "lower": [_finite(number) for number in body.lower.tolist()],
        "upper": [_finite(number) for number in body.upper.tolist()],
        "velocities": [_finite(number) for number in entry.velocities.tolist()],
        "acceleration": entry.acceleration,
        "gain": entry.gain,
        "posture_gain": entry.posture_gain,
        "base": entry.base,
        "targets": [
            {
                "link": target.link,
                "kind": target.kind,
                "weight": target.weight,
                "gain": target.gain,
                "level": target.level,
            }
            for target in entry.targets
        ],
        "feet": [
            {
                "link": foot.link,
                "sole": [{"link": link, "points": arrays.put(points)} for link, points in foot.sole],
            }
            for foot in entry.feet
        ],
        "filter": entry.filter_name,
        "limits": [
            [each.lower, each.upper, each.velocity, each.acceleration, each.jerk] for each in entry.limits
        ],
        "style": style_json(entry.style),
        "inputs": {name: arrays.put(track.rows) for name, track in entry.inputs.items()},
    }


def _finite(number: float) -> float | None:
    """The number for JSON; None, read as no limit, if it is infinite."""
    return None if isinf(number) else number


def body_of(plain: JsonFields, arrays: ArrayReader, frames: int) -> BodyEntry:
    """Reads a body that `body_json` has written; `frames`: number of the clip's frames. Raises
    CharacterFileError if the body cannot be used.
    """
    try:
        entry = _entry(plain, arrays, frames)
        entry.model()
    except (SkeletonError, BodyTargetError, LimitsError) as error:
        raise CharacterFileError(f"body '{plain.get('name', str)}' cannot be used: {error}") from error
    return entry


def _entry(plain: JsonFields, arrays: ArrayReader, frames: int) -> BodyEntry:
    body = _body(plain)
    count = len(body)
    targets = tuple(map(_target, plain.children("targets", "target", "link")))
    orientation_count = sum(target.kind == "orientation" for target in targets)
    feet = tuple(_foot(foot, arrays) for foot in plain.children("feet", "foot", "link"))
    base = plain.get("base", str)
    _check_links(plain, body, [base, *(name for foot in feet for name in (foot.link, *dict(foot.sole)))])
    filter_name = plain.choice("filter", (NO_FILTER, *FILTERS))
    limits = tuple(Limits(*row) for row in _rows(plain, "limits", len(JointRange._fields)))
    if len(limits) != (0 if filter_name == NO_FILTER else count):
        plain.wrong("limits", f"a row for each of the {count} joints with a filter, none without")
    velocities = np.array(_bounds(plain, "velocities", count, inf))
    if not (velocities > 0.0).all():
        plain.wrong("velocities", "numbers above 0")
    shapes = {
        "rotation": (orientation_count, 3, 3),
        "base": (3,),
        "base_frame": (4, 4),
        "feet": (len(feet), 3),
        "floor_up": (3,),
        "floor_height": (),
        "base_known": (),
        "places": (len(targets) - orientation_count, 3),
    }
    stored = plain.child("inputs")
    inputs = {name: arrays.track(stored, name, shape, frames, True) for name, shape in shapes.items()}
    inputs["posture"] = _posture(stored, arrays, count, frames)
    # NaN marks a link's target as lost; whether the base follows a source is in base_known instead
    for name in ("base", "base_frame"):
        if not np.isfinite(inputs[name].rows).all():
            stored.wrong(name, "finite numbers")
    return BodyEntry(
        name=plain.get("name", str),
        body=body,
        targets=targets,
        base=base,
        velocities=velocities,
        acceleration=_positive(plain, "acceleration") if plain.is_given("acceleration") else None,
        gain=_least(plain, "gain"),
        posture_gain=_least(plain, "posture_gain"),
        feet=feet,
        filter_name=filter_name,
        limits=limits,
        style=style_of(plain.child("style")),
        inputs=inputs,
    )


def _body(plain: JsonFields) -> Body:
    joints = joints_of(plain)
    links = plain.children("links", "link", "name")
    if not 0 < len(links) <= MOST_LINKS:
        plain.wrong("links", f"1 to {MOST_LINKS} links")
    return Body(
        joints,
        [link_of(link) for link in links],
        plain.get("floats", bool),
        _bounds(plain, "lower", len(joints), -inf),
        _bounds(plain, "upper", len(joints), inf),
        [_coupling(each) for each in plain.children("couplings", "coupling", "name")],
    )


def _coupling(plain: JsonFields) -> Coupling:
    stored = plain.child("factors")
    return Coupling(
        plain.get("name", str),
        {name: stored.number(name) for name in plain.get("factors", dict)},
        plain.number("lower") if plain.is_given("lower") else -inf,
        plain.number("upper") if plain.is_given("upper") else inf,
    )


def _target(plain: JsonFields) -> Target:
    return Target(
        plain.get("link", str),
        plain.choice("kind", KINDS),
        plain.number("weight"),
        plain.number("gain") if plain.is_given("gain") else None,
        plain.whole("level", 0, MOST_LEVEL),
    )


def _foot(plain: JsonFields, arrays: ArrayReader) -> Foot:
    parts = plain.children("sole", "part", "link")
    sole = tuple((part.get("link", str), arrays.get(part, "points", (-1, 3))) for part in parts)
    if any(not len(points) for _, points in sole):
        plain.wrong("sole", "points of each part")
    return Foot(plain.get("link", str), sole)


def _posture(stored: JsonFields, arrays: ArrayReader, count: int, frames: int) -> ClipTrack:
    """The track of the posture, whose rows have a value for each joint, or none."""
    axes = stored.child("posture").get("shape", list)
    return arrays.track(stored, "posture", (0 if axes[-1:] == [0] else count,), frames)


def _check_links(plain: JsonFields, body: Body, names: Sequence[str]) -> None:
    if unknown := next((name for name in names if name not in body.links), None):
        plain.wrong("links", f"a link '{unknown}'")


def _rows(plain: JsonFields, name: str, width: int) -> list[list[float]]:
    """Rows of `width` numbers from a field. Raises CharacterFileError for anything else."""
    rows = plain.get(name, list)
    if any(not isinstance(row, list) or len(row) != width for row in rows):
        plain.wrong(name, f"rows of {width} numbers")
    return [plain.numbers(name, values=row) for row in rows]


def _bounds(plain: JsonFields, name: str, count: int, none: float) -> list[float]:
    """A field with a number for each joint; null is read as `none`."""
    values = plain.get(name, list)
    if len(values) != count:
        plain.wrong(name, f"{count} numbers")
    known = iter(plain.numbers(name, values=[value for value in values if value is not None]))
    return [none if value is None else next(known) for value in values]


def _least(plain: JsonFields, name: str) -> float:
    number = plain.number(name)
    if number < 0.0:
        plain.wrong(name, "a number from 0 up")
    return number


def _positive(plain: JsonFields, name: str) -> float:
    number = plain.number(name)
    if number <= 0.0:
        plain.wrong(name, "a number above 0")
    return number
