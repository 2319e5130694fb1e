"""Meshes of robots' files as corners and faces with colours, and the transforms of their scenes."""

from dataclasses import dataclass, field
from math import isfinite
from typing import Literal

from ..solvers.kinematics.rotations import Vector
from .model import Colour

LARGEST = 500_000_000  # [bytes] largest size of a file
# number of corners, faces and nodes that instances may add beyond the file's size in bytes; a robot mesh has
# 100,000
MOST_REPEATED = 4_000_000
UpAxis = Literal["AUTO", "FILE", "IGNORE"]
Affine = tuple[tuple[float, float, float, float], ...]  # three rows of a (3, 4) matrix
IDENTITY: Affine = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
TO_Z_UP: dict[str, Affine] = {  # rotation from a file's axes to x right, z up (COLLADA 1.4.1, <up_axis>)
    "Y_UP": ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, 0.0)),
    "X_UP": ((0.0, -1.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
}


class MeshError(ValueError):
    """A mesh file that cannot be read; the message says why."""


@dataclass
class Faces:
    """Mesh: corners [m], faces as indices of corners, and each face's index into the colours."""

    corners: list[Vector] = field(default_factory=list)
    faces: list[tuple[int, ...]] = field(default_factory=list)
    colour_of: list[int] = field(default_factory=list)
    colours: list[Colour | None] = field(default_factory=list)  # None for faces without a colour in the file
    # the file's up axis, "X_UP" or "Y_UP", if the corners were rotated from it to z up
    rotated_from: str = ""


def checked(faces: Faces) -> Faces:
    """The same mesh; raises MeshError if it has no faces, or corners that are not finite."""
    if not faces.faces:
        raise MeshError("it has no faces")
    if not all(isfinite(x) and isfinite(y) and isfinite(z) for x, y, z in faces.corners):
        raise MeshError("a corner's position is not finite")
    return faces


def product(outer: Affine, inner: Affine) -> Affine:
    """Transform that applies `inner`, then `outer`."""
    columns = [moved(outer, (inner[0][k], inner[1][k], inner[2][k]), float(k == 3)) for k in range(4)]
    return tuple((columns[0][row], columns[1][row], columns[2][row], columns[3][row]) for row in range(3))


def moved(transform: Affine, corner: Vector, weight: float = 1.0) -> Vector:
    """Transformed point; a weight of 0 transforms a direction."""
    x, y, z = corner
    a, b, c = (row[0] * x + row[1] * y + row[2] * z + row[3] * weight for row in transform)
    return a, b, c
