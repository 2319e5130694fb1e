"""Tests whether a source lies down or stands on its head in its rest pose, because its up axis was lost when
its file was imported.
"""

import bpy
import numpy as np

from ...solvers.kinematics.se3 import Array
from . import pairing, source
from .part_names import BodyPart

# cosine of the angle between trunk and legs below which a figure is not tested: it is bent, as a quadruped is
STRAIGHT = np.cos(np.radians(45.0))
# cosine of the angle between up and the trunk, or the legs, above which a figure counts as standing; below
# its negative, as standing on its head
UPRIGHT = np.cos(np.radians(60.0))
# direction of the trunk in the world (x, y) -> keys in Blender that rotate it upright
RAISING = {(0, 1): "R X 90", (0, -1): "R X -90", (1, 0): "R Y -90", (-1, 0): "R Y 90"}


def why_lying(armature: bpy.types.Object) -> str:
    """A sentence with the remedy if a source armature lies down or stands on its head in rest pose; "" if it
    stands, if it is bent as a quadruped is, or if its parts are unknown.
    """
    trunk, legs = _directions(armature)
    if trunk is None or legs is None or trunk @ legs < STRAIGHT or max(trunk[2], legs[2]) > UPRIGHT:
        return ""
    if trunk[2] < -UPRIGHT:
        return _sentence(armature, "stands on its head", "R X 180")
    x, y = (0, int(np.sign(trunk[1]))) if abs(trunk[1]) >= abs(trunk[0]) else (int(np.sign(trunk[0])), 0)
    return _sentence(armature, "lies down", RAISING[x, y])


def _sentence(armature: bpy.types.Object, how: str, keys: str) -> str:
    return (
        f"Source '{armature.name}' {how} in its rest pose, so its up axis was lost: import its file"
        f" again with another Up axis, or select it in Object Mode, press {keys}, then Calibrate"
    )


def _directions(armature: bpy.types.Object) -> tuple[Array | None, Array | None]:
    """Unit directions from hips to head and from feet to hips in the world; None without these parts."""
    parts = pairing.parts_of(armature)
    hips, head = parts.get(BodyPart("", "hips")), parts.get(BodyPart("", "head"))
    feet = [bones[0] for side in ("left", "right") if (bones := parts.get(BodyPart(side, "foot")))]
    if not (hips and head and feet):
        return None, None
    positions = source.at_rest(armature, [hips[0], head[-1], *feet])[1]
    return _unit(positions[1] - positions[0]), _unit(positions[0] - positions[2:].mean(0))


def _unit(vector: Array) -> Array | None:
    length = np.linalg.norm(vector)
    return vector / length if np.isfinite(length) and length > 0.0 else None
