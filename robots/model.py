"""Robot model as read from a file: links, joints, visuals, materials, closures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import pi
from typing import Literal

from ..solvers.kinematics.rotations import Vector
from .transform import IDENTITY_TRANSFORM, Transform

Kind = Literal["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
KINDS: tuple[Kind, ...] = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
ROTARY = ("revolute", "continuous")
MOVABLE = (*ROTARY, "prismatic")  # kinds of joints with one DoF, which a motor can drive
MAX_ANGLE = 4 * pi  # [rad] limit in each direction of a rotary joint without limits: two revolutions
MAX_TRAVEL = 1.0  # [m] limit in each direction of a prismatic joint without limits
Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class Inertial:
    """Mass and inertia of a link, in a frame at its centre of mass."""

    origin: Transform  # pose of this frame in the link's frame
    mass: float  # [kg] mass of the link
    # [kg m^2] ixx, ixy, ixz, iyy, iyz, izz
    inertia: tuple[float, float, float, float, float, float] = (0.0,) * 6


@dataclass(frozen=True)
class Box:
    """Box with its centre at the origin."""

    size: Vector  # [m] along x, y, z


@dataclass(frozen=True)
class Cylinder:
    """Cylinder along z with its centre at the origin."""

    radius: float  # [m]
    length: float  # [m]


@dataclass(frozen=True)
class Sphere:
    """Sphere with its centre at the origin."""

    radius: float  # [m]


@dataclass(frozen=True)
class Ellipsoid:
    """Ellipsoid with its centre at the origin."""

    radii: Vector  # [m] along x, y, z


@dataclass(frozen=True)
class MeshFile:
    """Mesh in a file of its own, which `meshes.find_mesh` finds."""

    name: str  # as in the file: "package://robot/meshes/arm.stl"
    scale: Vector = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class UnknownShape:
    """Geometry of an unknown kind, or without a file or size."""

    name: str  # the element's tag, or a text if there is no element


Shape = Box | Cylinder | Sphere | Ellipsoid | MeshFile | UnknownShape


@dataclass(frozen=True)
class Material:
    """Material of a visual: a name and a plain colour."""

    name: str
    colour: Colour | None = None  # red, green, blue, opacity in sRGB, each 0..1; None if the file has none


@dataclass(frozen=True)
class Visual:
    """One visible shape of a link."""

    shape: Shape
    origin: Transform = IDENTITY_TRANSFORM  # pose of the shape in the link's frame
    material: Material | None = None


@dataclass(frozen=True)
class ModelLink:
    """Rigid link of a robot."""

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()
    line: int = 0  # line in the file
    file: str = ""  # path of the file that contains it, if that is not the robot's own


@dataclass(frozen=True)
class Mimic:
    """Relation of a mimic joint to its leader: value = multiplier * leader's value + offset."""

    joint: str  # name of the leader
    multiplier: float = 1.0
    offset: float = 0.0  # [rad or m] the joint's value when its leader is at 0


@dataclass(frozen=True)
class ModelJoint:
    """Joint between two links."""

    name: str
    kind: Kind
    parent: str
    child: str
    # pose of the joint's frame, which is the child link's frame at value 0, in the parent link's frame
    origin: Transform = IDENTITY_TRANSFORM
    axis: Vector = (1.0, 0.0, 0.0)  # unit vector in the joint's frame
    lower: float | None = None  # [rad or m]; None for no limit
    upper: float | None = None  # [rad or m]; None for no limit
    velocity: float | None = None  # [rad/s or m/s]; None if the file has none
    effort: float | None = None  # [N m or N]; None if the file has none
    mimic: Mimic | None = None
    # pose of the child link's frame in the joint's moved frame; in MJCF the two may differ
    child_origin: Transform = IDENTITY_TRANSFORM
    line: int = 0  # line in the file
    file: str = ""  # path of the file that contains it, if that is not the robot's own
    acceleration: float | None = None  # [rad/s2 or m/s2]; None if the file has none
    jerk: float | None = None  # [rad/s3 or m/s3]; None if the file has none

    @property
    def is_movable(self) -> bool:
        """Whether the joint is revolute, continuous or prismatic: one DoF."""
        return self.kind in MOVABLE

    @property
    def is_rotary(self) -> bool:
        """Whether the joint is revolute or continuous."""
        return self.kind in ROTARY

    @property
    def finite_limits(self) -> tuple[float, float]:
        """(smallest, largest) value [rad or m], both finite, as solvers need them. Instead of a limit that
        the file lacks it is MAX_ANGLE or MAX_TRAVEL from 0, or the other limit if that is farther.
        """
        most = MAX_ANGLE if self.is_rotary else MAX_TRAVEL
        lower = (
            self.lower
            if self.lower is not None
            else min(-most, self.upper if self.upper is not None else 0.0)
        )
        return lower, self.upper if self.upper is not None else max(most, lower)

    def clamp(self, value: float) -> float:
        """Joint value [rad; prismatic joints m] clamped to the limits."""
        if self.lower is not None:
            value = max(value, self.lower)
        return value if self.upper is None else min(value, self.upper)


@dataclass(frozen=True)
class Closure:
    """Two links whose frames a file marks as coincident, which closes a loop."""

    first: str
    second: str
    kind: Literal["3d", "6d"] = "3d"  # positions only, or positions and orientations


@dataclass(frozen=True)
class Robot:
    """Checked tree of links and joints, the result of `reading.read`."""

    name: str
    file: str  # path, for messages and to find meshes
    links: tuple[ModelLink, ...]
    joints: tuple[ModelJoint, ...]
    root: str  # name of the link without a parent
    warnings: tuple[str, ...] = ()  # sentences on parts that were left out or interpreted differently
    closures: tuple[Closure, ...] = ()  # closures that the file marks
    motors: tuple[str, ...] = ()  # names of joints with a motor; () if the file does not give them
    # triples of hinges, parents first, that together are a ball joint: their axes meet in one point
    balls: tuple[tuple[str, str, str], ...] = ()
    # values of joints [rad or m] in postures that the file stores by name
    postures: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)

    @cached_property
    def link(self) -> dict[str, ModelLink]:
        """The robot's links by name."""
        return {link.name: link for link in self.links}

    @cached_property
    def joint(self) -> dict[str, ModelJoint]:
        """The robot's joints by name."""
        return {joint.name: joint for joint in self.joints}
