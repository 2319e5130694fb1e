"""Sets world positions and orientations of objects with any parents and locks."""

from collections.abc import Sequence

import bpy
from mathutils import Matrix, Quaternion, Vector

ROTATIONS = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle")
CHANNELS = ("location", *ROTATIONS, "scale")


def move_to(obj: bpy.types.Object, position: Vector) -> None:
    """Moves an object to a world position [m], which constraints may still change, along the axes of its
    location that are not locked.
    """
    _set_channels(obj, Matrix.Translation(position), ("location",), "location", obj.lock_location)


def rotate_to(obj: bpy.types.Object, orientation: Quaternion) -> None:
    """Rotates an object to a world orientation, which constraints may still change. If it rotates by Euler
    angles, locked ones keep their values.
    """
    _set_channels(obj, orientation.to_matrix().to_4x4(), ROTATIONS, "rotation_euler", obj.lock_rotation)


def _set_channels(
    obj: bpy.types.Object, world: Matrix, names: tuple[str, ...], lockable: str, locks: Sequence[bool]
) -> None:
    """Sets an object's channels `names` from a world matrix; its other channels, and locked axes of
    `lockable`, keep their values.
    """
    before = {name: tuple(getattr(obj, name)) for name in CHANNELS}
    # Blender accounts for parents and delta transforms here, but not for constraints
    obj.matrix_world = world
    for name in CHANNELS:
        if name not in names:
            setattr(obj, name, before[name])
    for axis in filter(locks.__getitem__, range(3)):
        getattr(obj, lockable)[axis] = before[lockable][axis]
