"""Joint values where constraints move a bone: those of the evaluated pose, as the viewport shows it."""

from math import degrees, radians
from random import Random

import bpy
import pytest
from limber.rig.live.movers import movers_of
from limber.rig.reading import seen
from mathutils import Matrix, Vector

from tests.blender.rigs import build, make_active, select, target

NEAR = radians(1e-4)  # [rad]
MODES = ("XYZ", "ZXY", "YZX", "QUATERNION", "AXIS_ANGLE")
KINDS = (
    "COPY_ROTATION",
    "COPY_TRANSFORMS",
    "TRANSFORM",
    "DAMPED_TRACK",
    "LOCKED_TRACK",
    "LIMIT_ROTATION",
    "CHILD_OF",
    "IK",
    "SPLINE_IK",
    "ACTION",
)


def of(rig) -> dict:
    """Values [rad or m] of all joints of the rig's chains, as the robot is sent them."""
    bpy.context.view_layer.update()
    return {key: value for mover in movers_of(rig) for key, value in mover.posed().items()}


def chain_of(rig, *bones: str):
    """A chain of these bones, with limits of half a turn."""
    select(rig, bones[0], bones[-1])
    bpy.ops.limber.new_chain()
    return rig.limber.chains[-1]


def rolled(chance: Random, free: str, mode: str, extent: int = 3):
    """An armature of bones with rest poses in all directions, and a parent outside of any chain."""
    rig = build({"outside": None} | {f"bone {k}": free for k in range(extent)}, mode=mode)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    head = Vector((0.0, 0.0, 0.0))
    for bone in rig.data.edit_bones:
        bone.head = head
        head = bone.tail = head + 0.3 * Vector((chance.uniform(-1, 1), chance.uniform(-1, 1), chance.uniform(0.2, 1)))
        bone.roll = chance.uniform(-3, 3)
    bpy.ops.object.mode_set(mode="POSE")
    rig.pose.bones["outside"].rotation_mode = "XYZ"
    rig.pose.bones["outside"].rotation_euler = [chance.uniform(-1, 1) for _ in range(3)]
    rig.matrix_world = Matrix.LocRotScale((1.0, 2.0, -3.0), Matrix.Rotation(0.7, 3, "X").to_euler(), (0.6,) * 3)
    return rig


def master(mode: str, angles):
    """An armature of one bone that is posed by hand, for others to follow."""
    thing = build({"leader": None}, name="Master", mode="XYZ")
    bone = thing.pose.bones["leader"]
    bone.rotation_euler = angles
    bone.rotation_mode = mode
    return thing


def constrain(rig, bone, axis: str, angle: float, kind: str) -> None:
    """Makes a constraint rotate a bone about its axis X, Y or Z by an angle [rad]; its channels stay."""
    index = "XYZ".index(axis)
    angles = [angle if k == index else 0.0 for k in range(3)]
    leader = master("XYZ", angles)
    if kind == "IK":
        place = posed_end(rig, bone, index, angle)
        held = bone.constraints.new("IK")
        held.target, held.chain_count, held.iterations = target(place, "Goal"), 1, 500
        for other in "xyz":
            setattr(bone, f"lock_ik_{other}", other != axis.lower())
        return
    held = bone.constraints.new(kind)
    if kind in ("COPY_ROTATION", "COPY_TRANSFORMS", "TRANSFORM"):
        held.target, held.subtarget, held.owner_space, held.target_space = leader, "leader", "LOCAL", "LOCAL"
    if kind == "TRANSFORM":
        held.map_from = held.map_to = "ROTATION"
        held.to_euler_order = "XYZ"
        for letter in "xyz":
            setattr(held, f"from_min_{letter}_rot", -2.0), setattr(held, f"from_max_{letter}_rot", 2.0)
            setattr(held, f"to_min_{letter}_rot", -2.0), setattr(held, f"to_max_{letter}_rot", 2.0)
        held.map_to_x_from, held.map_to_y_from, held.map_to_z_from = "X", "Y", "Z"
    if kind == "LIMIT_ROTATION":
        held.owner_space = "LOCAL"
        setattr(held, f"use_limit_{axis.lower()}", True)
        setattr(held, f"min_{axis.lower()}", angle), setattr(held, f"max_{axis.lower()}", angle + 1.0)


def posed_end(rig, bone, index: int, angle: float) -> Vector:
    """Where the tail of a bone is [m, world] with another value of a hinge; its pose is put back."""
    mode, before = bone.rotation_mode, tuple(bone.rotation_euler)
    bone.rotation_mode = "XYZ"
    bone.rotation_euler[index] = angle
    bpy.context.view_layer.update()
    place = rig.matrix_world @ bone.tail
    bone.rotation_euler, bone.rotation_mode = before, mode
    bpy.context.view_layer.update()
    return place


def muted(rig) -> None:
    for bone in rig.pose.bones:
        for held in bone.constraints:
            held.mute = True


def matrices(rig) -> dict[str, Matrix]:
    bpy.context.view_layer.update()
    return {bone.name: bone.matrix.copy() for bone in rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones}


def apart(first: dict[str, Matrix], second: dict[str, Matrix]) -> float:
    """Largest angle [rad] between bones' rotations in two poses."""
    return max((first[name].to_3x3().normalized().inverted() @ second[name].to_3x3().normalized()).to_quaternion().angle for name in first)


@pytest.mark.every_blender
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", "XYZ")
@pytest.mark.parametrize("kind", ["COPY_ROTATION", "COPY_TRANSFORMS", "TRANSFORM", "LIMIT_ROTATION", "IK"])
def test_a_joint_that_a_constraint_moves_has_the_value_that_shows_the_same_pose(kind, axis, mode):
    if kind == "IK" and axis == "Y":
        pytest.skip("a bone's tail does not move where it rotates about its own length")
    chance = Random(f"{kind} {axis} {mode}")
    rig = rolled(chance, axis, mode)
    bone, angle = rig.pose.bones["bone 1"], chance.uniform(0.2, 1.2)
    chain_of(rig, "bone 0", "bone 2")
    constrain(rig, bone, axis, angle, kind)
    shown = matrices(rig)
    values = of(rig)
    assert values["bone 1", axis] == pytest.approx(angle, abs=1e-3 if kind == "IK" else NEAR)
    assert values["bone 0", axis] == values["bone 2", axis] == 0.0
    from limber.rig.reading import channels

    channels.pose(rig, values)
    muted(rig)
    assert apart(shown, matrices(rig)) < NEAR, "the same pose by channels alone"
