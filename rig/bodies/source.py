"""World poses of the bones of a source and of the body that follows it: as Blender has evaluated them, or at
rest.
"""

from collections.abc import Sequence

import bpy
import numpy as np

from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from ..blender.presence import evaluated

NOTHING = 1e-9  # scale up to which a matrix counts as having no rotation
# difference between a matrix times its transpose and the identity up to which the matrix counts as a
# rotation: the rounding error of single precision at the end of a long chain of bones
EXACT = 1e-5


def posed(
    source: bpy.types.Object, names: Sequence[str], depsgraph: bpy.types.Depsgraph
) -> tuple[Array, Array]:
    """World rotations (k, 3, 3) and positions (k, 3) [m] of bones; the rotation is NaN for a bone that is not
    finite or has scale 0.

    Raises:
        RigError: a bone is missing, or the source is not evaluated.
    """
    evaluated_source = evaluated(source, depsgraph, "Source")
    bones = evaluated_source.pose.bones
    rows = {name: k for k, name in enumerate(bones.keys())}
    for name in names:
        if name not in rows:
            raise RigError(
                f"Bone '{name}' is missing in source '{source.name}': give a bone that name again, or pair"
                " again"
            )
    numbers = np.empty(16 * len(bones), np.float32)
    bones.foreach_get("matrix", numbers)
    frames = numbers.reshape(-1, 4, 4).swapaxes(1, 2)[[rows[name] for name in names]]
    return in_world(np.array(evaluated_source.matrix_world), frames)


def at_rest(armature: bpy.types.Object, names: Sequence[str]) -> tuple[Array, Array]:
    """World rotations (k, 3, 3) and positions (k, 3) [m] of an armature object's bones in rest pose."""
    frames = np.array([armature.data.bones[name].matrix_local for name in names]).reshape(-1, 4, 4)
    return in_world(np.array(armature.matrix_world), frames)


def in_world(world: Array, frames: Array) -> tuple[Array, Array]:
    """World rotations (k, 3, 3) and positions (k, 3) [m] of frames (k, 4, 4) in an object's space with world
    matrix `world` (4, 4). A scaled or sheared frame gives the nearest rotation.
    """
    world_frames = world.astype(float) @ frames.astype(float)
    return nearest(world_frames[:, :3, :3]), world_frames[:, :3, 3]


def from_world(rig: bpy.types.Object, world: Array) -> Array:
    """Matrix (4, 4) from world space into that of an armature object with world matrix `world` (4, 4).

    Raises:
        RigError: the object is scaled to nothing.
    """
    try:
        inverse: Array = np.linalg.inv(world)
    except np.linalg.LinAlgError as error:
        raise RigError(f"Armature '{rig.name}' is scaled to nothing: clear its scale (Alt S)") from error
    return inverse


def nearest(matrices: Array) -> Array:
    """Rotations (k, 3, 3) nearest to matrices (k, 3, 3); NaN for matrices that are not finite or have scale
    0.
    """
    if (
        np.abs(matrices @ matrices.swapaxes(1, 2) - np.eye(3)).max() < EXACT
        and np.linalg.det(matrices).min() > 0.0
    ):
        return matrices
    is_regular = np.isfinite(matrices).all((1, 2))
    is_regular[is_regular] = np.abs(np.linalg.det(matrices[is_regular])) > NOTHING**3
    rotation = np.full(matrices.shape, np.nan)
    left, _, right = np.linalg.svd(matrices[is_regular])
    # of a mirrored object, the last axis is reversed, so that the result is a rotation
    left[..., 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    rotation[is_regular] = left @ right
    return rotation
