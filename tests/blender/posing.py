"""Poses and pose assets for tests in a real Blender."""

import bpy
import pytest
from mathutils import Quaternion

LEAN = {
    "base": (0, 0.5, 0),
    "lower": (0.3, 0, 0),
    "middle": (-0.7, 0, 0),
    "upper": (0.2, 0, 0),
    "head": (0.1, -0.4, 0),
}
REST = dict.fromkeys(LEAN, (0, 0, 0))


def pose(rig, angles) -> None:
    for name, euler in angles.items():
        rig.pose.bones[name].rotation_euler = euler


def posed(rig) -> dict:
    return {bone.name: tuple(bone.rotation_euler) for bone in rig.pose.bones}


def same(first: dict, second: dict, near=1e-6) -> bool:
    return all(one == pytest.approx(second[name], abs=near) for name, one in first.items())


def stored(rig, name="Lean", angles=LEAN):
    pose(rig, angles)
    bpy.ops.limber.store_posture(name=name)
    return bpy.data.actions[name]


def own_pose(rig, name="Mine", angles=None) -> bpy.types.Action:
    """A pose asset as Blender's pose library makes it of quaternion bones: keyframes of location, rotation
    and scale.
    """
    action = bpy.data.actions.new(name)
    animation = rig.animation_data_create()
    animation.action = action
    for bone_name, euler in (angles or LEAN).items():
        bone = rig.pose.bones[bone_name]
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Quaternion((0, 1, 0), euler[1]) @ Quaternion((1, 0, 0), euler[0])
        for channel in ("location", "rotation_quaternion", "scale"):
            bone.keyframe_insert(channel, frame=1)
        bone.rotation_mode = "XYZ"
    rig.animation_data_clear()
    action.asset_mark()
    return action
