"""Mechanisms of a character file: their models and inputs, and their JSON."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

from ...files.json_fields import JsonFields
from ...motion import FILTERS, Limits, LimitsError, MotionStyle, make_filter
from ...solvers.kinematics.se3 import RigidTransform
from ...solvers.mechanism.kinds import KINDS
from ...solvers.mechanism.model import Joint, Mechanism, MechanismError, RigidBody
from ...solvers.mechanism.solution import AssemblyState
from ...solvers.mechanism.solver import MechanismSolver
from ..chain.settings import BASES
from ..mechanism.inputs import WEIGHTS, GoalSpec
from ..mechanism.tick import MechanismModel, MechanismMotor
from .anchors import Anchor, anchor_json, anchor_of
from .errors import CharacterFileError
from .models import style_json, style_of
from .postures import StoredPosture, postures_json, postures_of
from .tracks import Array, ArrayReader, ArrayWriter, ClipTrack

LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
MOST_ITEMS = 1000  # largest number of bodies, of joints and of motors of a mechanism; more are refused
TRACKS = {"base": (), "posture": (), "regulariser": (3,)}  # name of a track -> shape of its rows


@dataclass(frozen=True)
class MotorEntry:
    """A motor: its name, DoF, filter, limits and style."""

    name: str
    joint: str  # name of the joint that it drives
    index: int  # index of its DoF among the joint's values
    filter_name: str
    limits: Limits
    style: MotionStyle
    keeps_value: bool  # whether the motor keeps its value while targets move the others


class Mounted(NamedTuple):
    """A coordinate frame fixed to an anchored object: the object's anchor, without its scale, and the frame's
    pose (4, 4) relative to it.
    """

    anchor: Anchor
    offset: Array


class GoalEntry(NamedTuple):
    """A goal: its kind, the name of its target, the frame (4, 4) on the target, and the track (7,) of its
    weights (position (3,), rotation (3,), direction).
    """

    spec: GoalSpec
    target: str
    offset: Array
    weights: ClipTrack


@dataclass(frozen=True)
class MechanismEntry:
    """A mechanism: its model, and its authored values.

    Attributes:
        name: Name of the object that owns it.
        mechanism: Its bodies and joints.
        rest: The assembled pose in which its motion begins.
        motors: Its motors.
        undetermined, is_over_actuated: As in `mechanism.tick.MechanismModel`.
        is_driven_by_motors: Whether its motors' values drive it; else its targets do.
        base_frame: Its base frame.
        driven: (name, pose) of each body whose pose is an input.
        goals: Its goals.
        postures: Its stored postures, as motor values.
        base, posture: Tracks as in `ChainEntry`.
        weights: ClipTrack (postures,) of the postures' weights in a blend.
        authored: ClipTrack (m,) of the motors' values [rad or m].
        regulariser: ClipTrack (3,) of the weights of the motion regulariser.
    """

    name: str
    mechanism: Mechanism
    rest: AssemblyState
    motors: tuple[MotorEntry, ...]
    undetermined: frozenset[str]
    is_over_actuated: bool
    is_driven_by_motors: bool
    base_frame: Mounted
    driven: tuple[tuple[str, Mounted], ...]
    goals: tuple[GoalEntry, ...]
    postures: tuple[StoredPosture, ...]
    base: ClipTrack
    posture: ClipTrack
    weights: ClipTrack
    authored: ClipTrack
    regulariser: ClipTrack

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the motors as "MECHANISM/MOTOR"."""
        return tuple(f"{self.name}/{motor.name}" for motor in self.motors)

    def model(self) -> MechanismModel:
        """The mover's model."""
        motors = tuple(
            MechanismMotor(
                motor.joint, motor.index, make_filter(motor.filter_name, motor.limits, motor.style)
            )
            for motor in self.motors
        )
        solver = MechanismSolver(self.mechanism)
        return MechanismModel(solver, self.rest, motors, self.undetermined, self.is_over_actuated)


def mechanism_json(entry: MechanismEntry, arrays: ArrayWriter) -> dict[str, Any]:
    """A mechanism as JSON; its arrays go to `arrays`."""
    return {
        "name": entry.name,
        "bodies": [_body_json(body) for body in entry.mechanism.bodies],
        "joints": [_joint_json(joint) for joint in entry.mechanism.joints],
        "rest": {
            "values": arrays.put(entry.rest.values),
            "balls": arrays.put(entry.rest.balls),
            "damping": entry.rest.damping,
        },
        "motors": [
            {
                "name": motor.name,
                "joint": motor.joint,
                "index": motor.index,
                "filter": motor.filter_name,
                **{name: getattr(motor.limits, name) for name in LIMITS},
                "style": style_json(motor.style),
                "keeps_value": motor.keeps_value,
            }
            for motor in entry.motors
        ],
        "undetermined": sorted(entry.undetermined),
        "is_over_actuated": entry.is_over_actuated,
        "is_driven_by_motors": entry.is_driven_by_motors,
        "place": _mounted_json(entry.base_frame, arrays),
        "driven": [{"body": body, **_mounted_json(mounted, arrays)} for body, mounted in entry.driven],
        "goals": [
            {
                "does": goal.spec.does,
                "body": goal.spec.body,
                "on_body": _frame_json(goal.spec.on_body),
                "axis": list(goal.spec.axis),
                "target": goal.target,
                "offset": arrays.put(goal.offset),
                "weights": arrays.put(goal.weights.rows),
            }
            for goal in entry.goals
        ],
        "postures": postures_json(entry.postures, arrays),
        "weights": arrays.put(entry.weights.rows),
        "authored": arrays.put(entry.authored.rows),
        **{name: arrays.put(getattr(entry, name).rows) for name in TRACKS},
    }


def _frame_json(frame: RigidTransform) -> list[float]:
    return [*frame.rotation, *frame.position]


def _body_json(body: RigidBody) -> dict[str, Any]:
    return {
        "name": body.name,
        "mass": body.mass,
        "centre": list(body.centre),
        "start": None if body.start is None else _frame_json(body.start),
        "grounded": body.grounded,
        "driven": body.driven,
    }


def _joint_json(joint: Joint) -> dict[str, Any]:
    limits = {name: getattr(joint, name) for name in ("lower", "upper", "velocity")}
    return {
        "name": joint.name,
        "kind": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        "in_parent": _frame_json(joint.in_parent),
        "in_child": _frame_json(joint.in_child),
        **{name: [number if isfinite(number) else None for number in row] for name, row in limits.items()},
        "actuated": joint.actuated,
        "closes": joint.closes,
    }


def _mounted_json(mounted: Mounted, arrays: ArrayWriter) -> dict[str, Any]:
    return {"anchor": anchor_json(mounted.anchor, arrays), "offset": arrays.put(mounted.offset)}


def mechanism_of(plain: JsonFields, arrays: ArrayReader, frames: int, targets: set[str]) -> MechanismEntry:
    """Reads a mechanism that `mechanism_json` has written; `frames`: number of the clip's frames; `targets`:
    names of the file's targets. Raises CharacterFileError if the mechanism cannot be used.
    """
    try:
        return _mechanism(plain, arrays, frames, targets)
    except (MechanismError, LimitsError) as error:
        raise CharacterFileError(str(error)) from error


def _mechanism(plain: JsonFields, arrays: ArrayReader, frames: int, targets: set[str]) -> MechanismEntry:
    bodies, joints = plain.children("bodies", "body", "name"), plain.children("joints", "joint", "name")
    motors = plain.children("motors", "motor", "name")
    if max(len(bodies), len(joints), len(motors)) > MOST_ITEMS:
        plain.wrong("bodies", f"at most {MOST_ITEMS} bodies, joints and motors")
    mechanism = Mechanism(tuple(map(_body, bodies)), tuple(map(_joint, joints)))
    rest, count = plain.child("rest"), len(motors)
    postures = postures_of(plain, arrays, count)
    names = plain.get("undetermined", list)
    if any(name not in mechanism.body_index for name in names if isinstance(name, str)):
        plain.wrong("undetermined", "names of bodies")
    entry = MechanismEntry(
        name=plain.get("name", str),
        mechanism=mechanism,
        rest=AssemblyState(
            arrays.get(rest, "values", (-1,)),
            arrays.get(rest, "balls", (-1, 3, 3)),
            rest.number("damping"),
        ),
        motors=tuple(_motor(motor, mechanism) for motor in motors),
        undetermined=frozenset(map(str, names)),
        is_over_actuated=plain.get("is_over_actuated", bool),
        is_driven_by_motors=plain.get("is_driven_by_motors", bool),
        base_frame=_mounted(plain.child("place"), arrays, frames),
        driven=tuple(
            (_body_name(each, mechanism), _mounted(each, arrays, frames))
            for each in plain.children("driven", "driven body", "body")
        ),
        goals=tuple(
            _goal(each, arrays, frames, mechanism, targets) for each in plain.children("goals", "goal")
        ),
        postures=postures,
        weights=arrays.track(plain, "weights", (len(postures),), frames),
        authored=arrays.track(plain, "authored", (count,), frames),
        base=arrays.indices(plain, "base", frames, 0, len(BASES) - 1),
        posture=arrays.indices(plain, "posture", frames, -1, len(postures) - 1),
        regulariser=arrays.track(plain, "regulariser", (3,), frames),
    )
    # the rest pose is in coordinates of the solver's tree, so only the tree knows how many there are
    tree = MechanismSolver(mechanism).tree
    expected = MechanismSolver(mechanism).rest()
    if entry.rest.values.shape != expected.values.shape or entry.rest.balls.shape != expected.balls.shape:
        rest.wrong("values", f"{len(tree)} coordinates, as the mechanism has")
    return entry


def _numbers(plain: JsonFields, name: str, count: int) -> tuple[float, ...]:
    return tuple(plain.numbers(name, count))


def _frame(plain: JsonFields, name: str) -> RigidTransform:
    w, x, y, z, *position = plain.numbers(name, 7)
    return RigidTransform((w, x, y, z), (position[0], position[1], position[2]))


def _body(plain: JsonFields) -> RigidBody:
    x, y, z = plain.numbers("centre", 3)
    return RigidBody(
        plain.get("name", str),
        plain.number("mass"),
        (x, y, z),
        _frame(plain, "start") if plain.is_given("start") else None,
        plain.get("grounded", bool),
        plain.get("driven", bool),
    )


def _joint(plain: JsonFields) -> Joint:
    return Joint(
        plain.get("name", str),
        plain.choice("kind", tuple(KINDS)),
        plain.get("parent", str),
        plain.get("child", str),
        _frame(plain, "in_parent"),
        _frame(plain, "in_child"),
        _limits(plain, "lower", -inf),
        _limits(plain, "upper", inf),
        _limits(plain, "velocity", inf),
        plain.get("actuated", bool),
        plain.get("closes", bool),
    )


def _limits(plain: JsonFields, name: str, none: float) -> tuple[float, ...]:
    """Limits of a joint; null stands for `none`."""
    values = plain.get(name, list)
    numbers = iter(plain.numbers(name, values=[value for value in values if value is not None]))
    return tuple(none if value is None else next(numbers) for value in values)


def _motor(plain: JsonFields, mechanism: Mechanism) -> MotorEntry:
    joint = plain.choice("joint", tuple(mechanism.joint))
    freedoms = len(KINDS[mechanism.joint[joint].kind].freedoms)
    if not mechanism.joint[joint].actuated:
        plain.wrong("joint", "a joint with an actuator")
    return MotorEntry(
        plain.get("name", str),
        joint,
        plain.whole("index", 0, freedoms - 1),
        plain.choice("filter", tuple(FILTERS)),
        Limits(*(plain.number(name) for name in LIMITS)),
        style_of(plain.child("style")),
        plain.get("keeps_value", bool),
    )


def _mounted(plain: JsonFields, arrays: ArrayReader, frames: int) -> Mounted:
    return Mounted(anchor_of(plain, "anchor", arrays, frames), arrays.get(plain, "offset", (4, 4)))


def _body_name(plain: JsonFields, mechanism: Mechanism) -> str:
    name: str = plain.choice("body", tuple(mechanism.body_index))
    return name


def _goal(
    plain: JsonFields, arrays: ArrayReader, frames: int, mechanism: Mechanism, targets: set[str]
) -> GoalEntry:
    does = plain.choice("does", tuple(WEIGHTS))
    x, y, z = plain.numbers("axis", 3)
    target = plain.get("target", str)
    if target not in targets:
        plain.wrong("target", "the name of a target of the file")
    spec = GoalSpec(
        does,
        "" if does == "CENTRE" else _body_name(plain, mechanism),
        _frame(plain, "on_body"),
        (x, y, z),
    )
    return GoalEntry(
        spec,
        target,
        arrays.get(plain, "offset", (4, 4)),
        arrays.track(plain, "weights", (7,), frames),
    )
