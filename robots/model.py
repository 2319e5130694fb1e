"""A robot as its URDF file tells it, in doubles. Knows no Blender."""

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Literal

from ..solvers.rotations import Vector
from .transform import STILL, Transform

Kind = Literal["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
KINDS: tuple[Kind, ...] = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
TURNING = ("revolute", "continuous")
MOVING = (*TURNING, "prismatic")  # kinds of one degree of freedom: a motor can be each of them
MAX_ANGLE = 4 * pi  # [rad] either way, of a rotary joint without limits: a target can go round it twice before the joint must turn back
MAX_TRAVEL = 1.0  # [m] either way, of a prismatic joint without limits
Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class Inertial:
    """Mass and its distribution, in a frame of its own at the centre of mass."""

    origin: Transform  # in the link's frame
    mass: float  # [kg]
    inertia: tuple[float, float, float, float, float, float] = (0.0,) * 6  # [kg m^2] ixx, ixy, ixz, iyy, iyz, izz


@dataclass(frozen=True)
class Box:
    size: Vector  # [m] along x, y, z, around the origin


@dataclass(frozen=True)
class Cylinder:
    radius: float  # [m]
    length: float  # [m] along z, around the origin


@dataclass(frozen=True)
class Sphere:
    radius: float  # [m]


@dataclass(frozen=True)
class MeshFile:
    name: str  # as the file writes it: "package://robot/meshes/arm.stl"
    scale: Vector = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class UnknownShape:
    """A geometry that URDF does not have, or that lacks what it needs."""

    name: str


Shape = Box | Cylinder | Sphere | MeshFile | UnknownShape


@dataclass(frozen=True)
class Material:
    name: str
    colour: Colour | None = None  # red, green, blue, opacity, each 0..1, as screens show them (sRGB); None: the file tells none


@dataclass(frozen=True)
class Visual:
    shape: Shape
    origin: Transform = STILL  # in the link's frame
    material: Material | None = None


@dataclass(frozen=True)
class Link:
    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class Mimic:
    """A joint that another one moves: its value is multiplier times that joint's, plus offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0  # [rad or m]


@dataclass(frozen=True)
class Joint:
    name: str
    kind: Kind
    parent: str
    child: str
    origin: Transform = STILL  # the joint's frame, which is the child's at value 0, in the parent's
    axis: Vector = (1.0, 0.0, 0.0)  # unit, in the joint's frame
    lower: float | None = None  # [rad or m]; None: no limit
    upper: float | None = None
    velocity: float | None = None  # [rad/s or m/s]; None: not told
    effort: float | None = None  # [N m or N]; None: not told
    mimic: Mimic | None = None
    line: int = 0

    @property
    def moves(self) -> bool:
        """Whether it has its one degree of freedom."""
        return self.kind in MOVING

    @property
    def turns(self) -> bool:
        return self.kind in TURNING

    @property
    def finite_limits(self) -> tuple[float, float]:
        """Smallest and largest value [rad or m]; where the file sets no limit, a range that is large enough (MAX_ANGLE, MAX_TRAVEL)."""
        most = MAX_ANGLE if self.turns else MAX_TRAVEL
        lower = self.lower if self.lower is not None else min(-most, self.upper if self.upper is not None else 0.0)
        return lower, self.upper if self.upper is not None else max(most, lower)

    def nearest(self, value: float) -> float:
        """`value` moved to the nearest within limits."""
        if self.lower is not None:
            value = max(value, self.lower)
        return value if self.upper is None else min(value, self.upper)


@dataclass(frozen=True)
class Robot:
    """A tree of links, checked: `reading.read` makes it."""

    name: str
    file: str  # path of the file, for messages and for meshes
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    root: str  # the link on which all others hang
    warnings: tuple[str, ...] = ()  # what was read otherwise than the file says it, as sentences

    @cached_property
    def link(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    @cached_property
    def joint(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}
