"""A body that follows a walking figure, and the difference between their shown limbs."""

from math import degrees

import bpy
from mathutils import Vector

from tests.blender.figures import CMU, STRAIGHT, XSENS, figure, walk, way
from tests.blender.rigs import matrices

BELOW = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot"}
SIDES = ("left", "right")
FRAMES = range(1, 25)  # frames of the walk


def follower(mode: str = "XYZ", size: float = 1.0, arms_out: bool = True):
    """A source that walks in the air and a body paired with it, without regard to a floor; the body is
    active.
    """
    source = figure(CMU, "Source")
    walk(source, CMU)
    rig = figure(XSENS, "Body", size=size, arms_out=arms_out, mode=mode)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    in_the_air(rig)
    return rig, source


def in_the_air(rig) -> None:
    """Lets a body follow without regard to a floor, since the walking figure slides along."""
    rig.limber.retarget.on_floor = False
    for pair in rig.limber.retarget.pairs:
        pair.plant = False


def limbs_apart(rig, source) -> float:
    """The largest angle [degrees] between shown limbs of the two."""
    return max(
        degrees(
            way(rig, XSENS, f"{side} {part}", f"{side} {BELOW[part]}").angle(
                way(source, CMU, f"{side} {part}", f"{side} {BELOW[part]}")
            )
        )
        for side in SIDES
        for part in STRAIGHT
    )


def hips(rig, words) -> Vector:
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return shown.matrix_world @ shown.pose.bones[words["hips"]].matrix.translation


def motion(rig, frames=FRAMES) -> list:
    """Shown pose matrices of all bones, frame by frame."""
    return [matrix for frame in frames for matrix in matrices(rig, names_of(rig), frame)]


def names_of(rig) -> list[str]:
    return [bone.name for bone in rig.pose.bones]
