"""Descriptions of gallery mechanisms: bodies by the points that they span, joints by position and axis,
motors and goals.

Lengths are in metres, angles in degrees; Z is up.
"""

from dataclasses import dataclass

Point = tuple[float, float, float]
Z: Point = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Body:
    """Shape of a body: a sequence of bars between points, or the block around them. Its origin is the first
    point.
    """

    name: str
    points: tuple[Point, ...]
    thick: float = 0.012
    role: str = "MOVES"
    is_block: bool = False  # points are opposite corners, then inside; `thick` does not count


@dataclass(frozen=True)
class Joint:
    """A joint at a position. Its Z axis is given, and its X axis for kinds that need one (universal,
    planar).
    """

    name: str
    kind: str
    first: str
    second: str
    at: Point
    z: Point = Z
    x: Point | None = None


@dataclass(frozen=True)
class Motor:
    joint: str
    axis: str = "Z"
    lower: float = -90.0  # [degrees, or metres of a prismatic joint]
    upper: float = 90.0
    rates: Point | None = (
        None  # limits of velocity, acceleration and jerk [degrees or m, per s, s2, s3]; None: a usual servo's
    )


@dataclass(frozen=True)
class Goal:
    """Goal of a body, or of the centre of mass (CENTRE): that is to be at the target of this body's goal."""

    body: str
    does: str = "FRAME"
    position: Point = (1.0, 1.0, 1.0)
    rotation: Point = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Recipe:
    """Description of one mechanism."""

    title: str
    description: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    motors: tuple[Motor, ...]
    goals: tuple[Goal, ...] = ()
    drive: str = "TARGETS"
    steady: float = 0.0
