"""Height of a source's feet above its origin while it stands, from its animation."""

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ..blender import actions
from ..bones import rotation_modes
from . import source as sources

SAMPLES = 64  # largest number of frames of an action in which the feet's height is measured
# percentile of the lower foot's heights in all frames that is taken as its height while it stands: in a few
# frames the foot sinks in or is captured badly, in others it is in the air
STANDING = 25

Curves = dict[tuple[str, int], object]  # (data path, index) -> F-curve


def height(source: bpy.types.Object, feet: Sequence[str], depsgraph: bpy.types.Depsgraph) -> float:
    """Height [m] of the lower foot's bone above the source's origin while the source stands.

    The height is sampled over the source's action if nothing else moves the feet, and otherwise taken from
    the current pose. Raises RigError if the source is not evaluated.
    """
    bones = _bones_to_feet(source, feet)
    heights = _sampled(source, feet, bones) if _is_plain(source, bones) else None
    origin = float(sources.evaluated(source, depsgraph).matrix_world.translation.z)
    if heights is None:
        heights = sources.posed(source, feet, depsgraph)[1][:, 2].min(keepdims=True)
    return float(np.percentile(heights, STANDING)) - origin


def _bones_to_feet(source: bpy.types.Object, feet: Sequence[str]) -> list[str]:
    """Names of the bones from the roots to the feet, parents first."""
    bone_names: dict[str, None] = {}
    for name in feet:
        bone = source.data.bones[name]
        bone_names.update(dict.fromkeys(above.name for above in (*reversed(bone.parent_recursive), bone)))
    return list(bone_names)


def _is_plain(source: bpy.types.Object, bones: Sequence[str]) -> bool:
    """Whether these bones are moved by an action alone, without constraints, drivers and NLA tracks, and the
    action does not move the source's object.
    """
    animation = source.animation_data
    if animation is None or animation.action is None or len(animation.nla_tracks) or len(animation.drivers):
        return False
    is_moved = any(
        curve.data_path in ("location", "rotation_euler", "rotation_quaternion", "scale")
        for curve in _curves(source)
    )
    pose_bones = (source.pose.bones[name] for name in bones)
    return not is_moved and not any(
        len(bone.constraints) or not bone.bone.use_inherit_rotation for bone in pose_bones
    )


def _curves(source: bpy.types.Object) -> bpy.types.bpy_prop_collection | list:
    """F-curves of the source's action."""
    animation = source.animation_data
    return actions.fcurves(animation.action, getattr(animation, "action_slot", None))


def _sampled(source: bpy.types.Object, feet: Sequence[str], bones: Sequence[str]) -> np.ndarray | None:
    """World height (n,) [m] of the lower foot in frames of the action; None if the action moves none of the
    bones.
    """
    paths = {f'pose.bones["{name}"].' for name in bones}
    curves = {
        (curve.data_path, curve.array_index): curve
        for curve in _curves(source)
        if curve.data_path.rpartition(".")[0] + "." in paths
    }
    if not curves:
        return None
    ends = np.array([curve.range() for curve in curves.values()])
    frames = np.unique(np.linspace(ends[:, 0].min(), ends[:, 1].max(), SAMPLES))
    return np.array([_lower(source, feet, bones, curves, frame) for frame in frames])


def _lower(
    source: bpy.types.Object, feet: Sequence[str], bones: Sequence[str], curves: Curves, frame: float
) -> float:
    """World height [m] of the lower foot at a frame, by the F-curves of the bones `bones`."""
    posed: dict[str, Matrix] = {}
    for name in bones:
        bone = source.data.bones[name]
        basis = _basis(source.pose.bones[name], curves, frame)
        if bone.parent is None:
            posed[name] = bone.matrix_local @ basis
        else:
            posed[name] = (
                posed[bone.parent.name] @ bone.parent.matrix_local.inverted() @ bone.matrix_local @ basis
            )
    return min((source.matrix_world @ posed[name].translation).z for name in feet)


def _basis(bone: bpy.types.PoseBone, curves: Curves, frame: float) -> Matrix:
    """Basis matrix of a bone at a frame; channels without keys have their current values."""

    def channel(name: str) -> list[float]:
        path = f'pose.bones["{bone.name}"].{name}'
        return [
            curves[path, index].evaluate(frame) if (path, index) in curves else value
            for index, value in enumerate(getattr(bone, name))
        ]

    rotation = rotation_modes.quaternion(
        bone.rotation_mode, channel(rotation_modes.channel(bone.rotation_mode))
    )
    return Matrix.LocRotScale(
        channel("location") if not bone.bone.use_connect else None, Quaternion(rotation), channel("scale")
    )
