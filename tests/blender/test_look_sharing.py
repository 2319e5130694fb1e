"""Tests how bones of new chains share a look where there are few of them, and that feet stay meanwhile."""

from math import cos, degrees, radians, sin

import bpy
import pytest
from mathutils import Matrix, Vector

from tests.blender.makers_rigs import both, line
from tests.blender.shown import no_handler_raises  # noqa: F401
from tests.blender.test_front import armature, looks_along

TRUNK = (("waist", 0, 0, 0.4), ("chest", 0, 0, 1.0), ("head", 0, 0, 1.15))
ARMS = both(line("chest", ("arm.L", 0.15, 0, 1.0), tip=(0.5, 0, 0.8)))
EYES = both({"eye.L": ("head", (0.06, -0.12, 1.3), (0.06, -0.16, 1.3))})
GHOST = line("", *TRUNK, tip=(0, 0, 1.5)) | ARMS
LEGS = both(
    {
        name: place
        for k, y in enumerate((-0.4, 0.0, 0.4))
        for name, place in line(
            "body",
            (f"thigh{k}.L", 0.1, y / 2, 0.3),
            (f"shin{k}.L", 0.35, y, 0.5),
            (f"foot{k}.L", 0.5, y, 0.06),
            tip=(0.55, y, 0.0),
        ).items()
    }
)
CONTROLS = both(
    {f"control{k}.L": ("", (0.5, y, 0.06), (0.5, y, 0.2)) for k, y in enumerate((-0.4, 0.0, 0.4))}
)
BEETLE = line("", ("body", 0, 0, 0.3), ("head", 0, -0.4, 0.3), tip=(0, -0.6, 0.25)) | LEGS | CONTROLS


def beetle(*held: str, follows: str = ""):
    """A beetle whose head is its only bone above the legs. `held`: sides of the legs that IK holds;
    `follows`: bone that their controls follow."""
    rig = armature(BEETLE, Matrix())
    for bone in rig.data.bones:
        bone.use_deform = not bone.name.startswith("control")
    bpy.ops.object.mode_set(mode="EDIT")
    for k in range(3):
        for side in held:
            rig.data.edit_bones[f"control{k}.{side}"].parent = rig.data.edit_bones.get(follows)
    bpy.ops.object.mode_set(mode="OBJECT")
    for k in range(3):
        for side in held:
            ik = rig.pose.bones[f"shin{k}.{side}"].constraints.new("IK")
            ik.target, ik.subtarget, ik.chain_count = rig, f"control{k}.{side}", 2
    bpy.context.view_layer.update()
    return rig


def shown(rig):
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones


def turned(rig, name: str) -> float:
    """Rotation [degrees] of a bone in its parent's frame from its rest pose."""
    bone, rest = shown(rig)[name], rig.data.bones[name]
    above = bone.parent.matrix.inverted() if bone.parent else Matrix()
    rest_above = rest.parent.matrix_local.inverted() if rest.parent else Matrix()
    return degrees(
        (above @ bone.matrix)
        .to_quaternion()
        .rotation_difference((rest_above @ rest.matrix_local).to_quaternion())
        .angle
    )


def look_aside(rig, angle: float, go_live=bpy.ops.limber.live) -> None:
    """Live motion of all chains, whose target is at an `angle` [degrees] to the left of the head."""
    aim = bpy.data.objects.new("Aim", None)
    bpy.context.scene.collection.objects.link(aim)
    aim.location = rig.data.bones["head"].head_local + 2.0 * Vector(
        (sin(radians(angle)), -cos(radians(angle)), 0)
    )
    for chain in rig.limber.chains:
        chain.target = aim
    go_live()
    for frame in range(2, 60):
        bpy.context.scene.frame_set(frame)


def test_of_three_upright_bones_none_twists_by_more_than_skin_bears():
    rig = armature(GHOST, Matrix())
    looks_along(rig, "head")
    look_aside(rig, 70)
    angles = {name: turned(rig, name) for name, *_ in TRUNK}
    assert sum(angles.values()) == pytest.approx(70, abs=2)
    assert max(angles.values()) < 30


def test_a_head_of_one_bone_leaves_more_of_the_look_to_the_torso():
    rig = armature(GHOST | EYES, Matrix())
    bpy.ops.limber.eyes_head_torso()
    torso, head = rig.limber.chains["Torso"], rig.limber.chains["Head"]
    assert torso.share > 0.2
    assert torso.widest_look == head.widest_look
    look_aside(rig, 60, bpy.ops.limber.live_all)
    angles = {name: turned(rig, name) for name, *_ in TRUNK}
    assert angles["head"] < 0.65 * sum(angles.values())


def test_a_head_that_looks_alone_looks_no_farther_than_a_neck_rotates_and_says_so(capfd):
    rig = beetle()
    looks_along(rig, "head")
    (chain,) = rig.limber.chains
    assert chain.root == chain.end == "head"
    assert degrees(chain.widest_look) == pytest.approx(80)
    assert "it has no other bone to share a look with" in capfd.readouterr().out


def test_a_body_whose_feet_ik_holds_shares_the_look_of_a_head_alone_and_the_feet_stay(capfd):
    rig = beetle("L", "R")
    looks_along(rig, "head")
    (chain,) = rig.limber.chains
    assert (chain.root, chain.end) == ("body", "head")
    assert "its look is shared by 'body', since IK holds the legs where they stand" in capfd.readouterr().out
    feet = {name: shown(rig)[name].head.copy() for k in range(3) for name in (f"foot{k}.L", f"foot{k}.R")}
    look_aside(rig, 60)
    assert turned(rig, "body") > 15
    assert max((shown(rig)[name].head - was).length for name, was in feet.items()) < 1e-4


def shins_turned_up():
    """A beetle whose shins point up, so that IK holds their tips and not the feet."""
    rig = beetle("L", "R")
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        if "shin" in bone.name:
            bone.tail = bone.head + Vector((0, 0, 0.2))
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


@pytest.mark.parametrize(
    "rig_of", [lambda: beetle("L"), lambda: beetle("L", "R", follows="body"), shins_turned_up]
)
def test_legs_that_ik_does_not_hold_apart_from_the_body_stay(rig_of):
    rig = rig_of()
    looks_along(rig, "head")
    assert rig.limber.chains[0].root == "head"
