"""Converts between Blender's matrices (single precision, possibly scaled) and rigid poses in double
precision.
"""

from collections.abc import Sequence
from math import isfinite

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...character.mechanism.inputs import frame_of as frame_of
from ...character.mechanism.inputs import rigid_frame
from ...solvers.kinematics.se3 import Array
from ...solvers.mechanism.model import FARTHEST
from ..blender.errors import RigError

# error of a matrix's decomposition into rotation and scale above which the matrix counts as sheared and is
# refused, as a share of its largest entry
SHEAR = 1e-3
# difference up to which the scales of world matrix and channels count as equal (products of single
# precision), as a share of the scale
ROUNDED = 1e-5


def rigid(matrix: Matrix, whose: str = "An object") -> Array:
    """Pose (4, 4) of a Blender matrix, without its scale.

    Raises:
        RigError: the matrix has numbers that are not finite or too large; the message begins with `whose`.
    """
    if any(not isfinite(number) or abs(number) > FARTHEST for row in matrix for number in row):
        where = ", ".join(f"{row[3]:g}" for row in matrix[:3])
        raise RigError(
            f"{whose} is at no position that can be ({where} m): clear its location, rotation and scale (Alt"
            " G, Alt R, Alt S), or mend its keys, drivers or parents"
        )
    return rigid_frame(np.array(matrix, float))


def scale_of(obj: bpy.types.Object, matrix: Matrix) -> tuple[float, float, float]:
    """Scale along X, Y and Z of an object's world matrix.

    Raises:
        RigError: the matrix is sheared, or has scale 0.
    """
    position, rotation, scale = matrix.decompose()
    again = Matrix.LocRotScale(position, rotation, scale)
    largest = max(abs(number) for row in matrix for number in row)
    if any(
        abs(a - b) > SHEAR * largest
        for matrix_row, other in zip(matrix, again, strict=True)
        for a, b in zip(matrix_row, other, strict=True)
    ):
        raise RigError(
            f"Object '{obj.name}' is sheared, since a parent is scaled unevenly: apply the parent's scale"
            " (Ctrl A)"
        )
    if min(map(abs, scale)) == 0.0:
        raise RigError(f"Object '{obj.name}' is scaled to nothing: give it a size")
    return tuple(scale)


def object_scale(obj: bpy.types.Object) -> tuple[float, float, float]:
    """Scale of an object in the world, which is the same wherever the object is.

    It is the product of the scales in its own and its parents' channels; where these do not account for the
    world matrix (a constraint scales the object, a parent is scaled unevenly), the matrix has it, rounded.

    Raises:
        RigError: as `rigid` and `scale_of`.
    """
    rigid(obj.matrix_world, f"Object '{obj.name}'")
    shown = np.array(scale_of(obj, obj.matrix_world))
    sizes = np.abs(_channel_scale(obj))
    if np.abs(sizes - np.abs(shown)).max() <= ROUNDED * np.abs(shown).max():
        shown = np.copysign(sizes, shown)
    x, y, z = shown.tolist()
    return x, y, z


def _channel_scale(obj: bpy.types.Object) -> Array:
    """Product (3,) of the scales of an object and its parents, with their delta scales and parent
    inverses.
    """
    sizes = np.multiply(obj.scale, obj.delta_scale)
    if obj.parent is not None:
        sizes = sizes * np.array(obj.matrix_parent_inverse.to_scale()) * _channel_scale(obj.parent)
    return sizes


def matrix_of(pose: Array, scale: Sequence[float] = (1.0, 1.0, 1.0)) -> Matrix:
    """A pose (4, 4) as a Blender matrix, with a scale."""
    frame = frame_of(pose)
    return Matrix.LocRotScale(Vector(frame.position), Quaternion(frame.rotation), Vector(scale))


def is_same(first: Array, second: Array, near: float) -> bool:
    """Whether two poses (4, 4) differ by at most `near` [1, m] in each matrix entry."""
    return bool(np.abs(first - second).max() <= near)
