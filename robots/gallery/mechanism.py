"""Description of a mechanism of the gallery, read from a YAML file: bodies by the points that they span,
joints by position and axis, motors and goals.

Lengths are in metres, angles in degrees; Z is up.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...solvers.kinematics.rotations import Vector
from .description import read_fields
from .fields import Fields
from .folders import OWN, line_of

FOLDER = OWN / "mechanisms"  # folder of the mechanisms supplied with Limber
KNOWN = ("name", "description", "drive", "steady", "bodies", "joints", "motors", "goals")
Z: Vector = (0.0, 0.0, 1.0)
EQUAL: Vector = (1.0, 1.0, 1.0)  # weights of a goal in three directions


@dataclass(frozen=True)
class RecipeBody:
    """A body with its shape: a sequence of bars between points, or the block around them.

    Attributes:
        name: Name of the body.
        points: Positions [m] in the mechanism's frame; the first is the body's origin.
        thick: Width of the bars [m].
        role: "MOVES" or "GROUND", a body fixed to the mechanism's frame.
        is_block: Whether the shape is the block around all points; `thick` is then not used.
    """

    name: str
    points: tuple[Vector, ...]
    thick: float = 0.012
    role: str = "MOVES"
    is_block: bool = False


@dataclass(frozen=True)
class RecipeJoint:
    """A joint between two bodies.

    Attributes:
        name: Name of the joint.
        kind: Kind of the joint, such as "revolute" or "spherical".
        first, second: Names of the bodies.
        at: Position [m] in the mechanism's frame.
        z: Direction of its Z axis.
        x: Direction of its X axis, which some kinds (universal, planar) need; None: any.
    """

    name: str
    kind: str
    first: str
    second: str
    at: Vector
    z: Vector = Z
    x: Vector | None = None


@dataclass(frozen=True)
class RecipeMotor:
    """A motor of a joint.

    Attributes:
        joint, axis: The joint, and the one of its axes that the motor drives.
        lower, upper: Limits [degrees, or metres of a prismatic joint].
        rates: Limits of velocity, acceleration and jerk [degrees or m, per s, s2, s3]; None for those of a
            common servo.
    """

    joint: str
    axis: str
    lower: float
    upper: float
    rates: Vector | None = None


@dataclass(frozen=True)
class RecipeGoal:
    """A goal of a body.

    Attributes:
        body: Name of the body.
        does: What the goal prescribes; "CENTRE": that the centre of mass is at the target of this goal.
        position, rotation: Weights along and about x, y and z.
    """

    body: str
    does: str
    position: Vector = EQUAL
    rotation: Vector = EQUAL


@dataclass(frozen=True)
class Recipe:
    """Description of one mechanism.

    Attributes:
        title: Name of the mechanism, for the user.
        bodies, joints, motors, goals: Its parts.
        drive: What moves it: "TARGETS" of the goals, or the "MOTORS".
        steady: Weight that keeps bodies near their poses in the last frame (State Weight in the interface).
    """

    title: str
    bodies: tuple[RecipeBody, ...]
    joints: tuple[RecipeJoint, ...]
    motors: tuple[RecipeMotor, ...]
    goals: tuple[RecipeGoal, ...]
    drive: str
    steady: float


def menu() -> list[tuple[str, str, str]]:
    """(key, title, description) of each mechanism of the gallery, sorted by title."""
    items = [
        (path.stem, line_of(path, "name") or path.stem, line_of(path, "description"))
        for path in FOLDER.glob("*.yaml")
    ]
    return sorted(items, key=lambda item: item[1])


def read_recipe(key: str) -> Recipe:
    """Description of the mechanism of the gallery with that key.

    Raises:
        UrdfError: there is no such file, or a field is missing or wrong; the message names the remedy.
    """
    return _recipe(FOLDER / f"{key}.yaml")


@cache  # a file that comes with Limber does not change
def _recipe(file: Path) -> Recipe:
    fields = read_fields(file)
    fields.refuse_others(KNOWN)
    bodies = {name: _body(name, each) for name, each in fields.map("bodies").maps().items()}
    joints = {name: _joint(name, each, bodies) for name, each in fields.map("joints").maps().items()}
    for name in fields.map("motors").entries:
        if name not in joints:
            raise fields.unknown("motors", name, "joint", joints)
    return Recipe(
        fields.text("name"),
        tuple(bodies.values()),
        tuple(joints.values()),
        tuple(_motor(name, each) for name, each in fields.map("motors").maps().items()),
        tuple(
            _goal(body, does, each, bodies)
            for does, goals in fields.map("goals").maps().items()
            for body, each in goals.maps().items()
        ),
        fields.text("drive", "TARGETS"),
        fields.number("steady", 0.0),
    )


def _body(name: str, fields: Fields) -> RecipeBody:
    fields.refuse_others(("points", "thick", "role", "block"))
    return RecipeBody(
        name,
        fields.vectors("points"),
        fields.number("thick", RecipeBody.thick),
        fields.text("role", RecipeBody.role),
        fields.text("block", "false") == "true",
    )


def _joint(name: str, fields: Fields, bodies: dict[str, RecipeBody]) -> RecipeJoint:
    fields.refuse_others(("kind", "between", "at", "z", "x"))
    first, second = fields.texts("between")
    for body in (first, second):
        if body not in bodies:
            raise fields.unknown("between", body, "body", bodies)
    return RecipeJoint(
        name,
        fields.text("kind"),
        first,
        second,
        fields.vector("at"),
        fields.vector("z") if "z" in fields else Z,
        fields.vector("x") if "x" in fields else None,
    )


def _motor(joint: str, fields: Fields) -> RecipeMotor:
    fields.refuse_others(("axis", "range", "rates"))
    rates = fields.vector("rates") if "rates" in fields else None
    return RecipeMotor(joint, fields.text("axis", "Z"), *fields.span("range"), rates)


def _goal(body: str, does: str, fields: Fields, bodies: dict[str, RecipeBody]) -> RecipeGoal:
    fields.refuse_others(("position", "rotation"))
    if body not in bodies:
        raise fields.unknown(body, body, "body", bodies)
    position, rotation = (fields.vector(key) if key in fields else EQUAL for key in ("position", "rotation"))
    return RecipeGoal(body, does, position, rotation)
