"""Tests heads that rigs isolate from the neck's rotation: they look exactly, share the rotation of the look,
and are baked as shown.
"""

from math import cos, degrees, radians, sin

import bpy
import pytest
from limber.rig.bones import carried
from limber.rig.chains.skeleton import ChainReader
from mathutils import Euler, Vector

from tests.blender.rigs import build, looking_chain, select, target
from tests.blender.shown import depsgraph, evaluated, no_handler_raises  # noqa: F401

SPINE = ("hips", "belly", "chest", "neck", "head")
WAYS = ("does not inherit", "copies", "copies half", "copies a bone of the chain", "copies in local space")


def isolated(way: str):
    """A figure whose head does not inherit its neck's rotation, by one of the ways that makers of rigs
    use.
    """
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")

    def add(name: str, parent: str, head: tuple, tail: tuple):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, data.edit_bones.get(parent)

    for k, name in enumerate(SPINE):
        add(name, SPINE[k - 1] if k else "", (0, 0, 1 + 0.15 * k), (0, 0, 1.15 + 0.15 * k))
    for sign, side in ((1, "L"), (-1, "R")):
        add(f"thigh.{side}", "hips", (0.1 * sign, 0, 1), (0.1 * sign, 0, 0.1))
        add(f"foot.{side}", f"thigh.{side}", (0.1 * sign, 0, 0.1), (0.1 * sign, -0.2, 0))
        add(f"arm.{side}", "chest", (0.2 * sign, 0, 1.4), (0.7 * sign, 0, 1.2))
    add("place", "", (0, 0, 0), (0, 0.3, 0))
    add("bend", "hips", (0, 0, 1.2), (0, 0.2, 1.2))
    if way != "does not inherit":
        add("helper", "neck", (0, 0, 1.6), (0, 0, 1.65))
        data.edit_bones["head"].parent = data.edit_bones["helper"]
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ" if bone.name == "head" else "QUATERNION"
    data.bones["bend"].use_deform = data.bones["place"].use_deform = False
    isolate(rig, way)
    bpy.context.view_layer.update()
    return rig


def isolate(rig, way: str) -> None:
    if way == "does not inherit":
        rig.data.bones["head"].use_inherit_rotation = False
        return
    helper = rig.pose.bones["helper"]
    helper.lock_rotation, helper.bone.use_deform = (True, True, True), False
    held = helper.constraints.new("COPY_TRANSFORMS" if "local" in way else "COPY_ROTATION")
    held.target, held.subtarget = (
        rig,
        {
            "copies a bone of the chain": "belly",
            "copies in local space": "bend",
        }.get(way, "hips"),
    )
    held.influence = 0.5 if way in {"copies half", "copies in local space"} else 1.0
    if "local" in way:
        held.owner_space = held.target_space = "LOCAL"


def pose(rig) -> None:
    """Sets an authored pose in which the head does not have the rotation that its neck would give it."""
    for name, angles in (
        ("hips", (0.1, 0.2, 0)),
        ("belly", (0.1, 0, 0.1)),
        ("neck", (0.3, 0.1, -0.2)),
        ("bend", (0.2, 0, 0.1)),
    ):
        rig.pose.bones[name].rotation_quaternion = Euler(angles).to_quaternion()
    rig.pose.bones["head"].rotation_euler = (-0.1, 0.2, 0.1)
    bpy.context.view_layer.update()


def looking(rig, aside: float, up: float):
    """A live chain of the head that looks at a target at angles [degrees] to its left and up."""
    at = target(place_at(rig, aside, up))
    select(rig, "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.target = at
    bpy.ops.limber.live()
    return chain


def place_at(rig, aside: float, up: float) -> Vector:
    aside, up = radians(aside), radians(up)
    return Vector((2 * sin(aside) * cos(up), -2 * cos(aside) * cos(up), 1.6 + 2 * sin(up)))


def matrices(rig) -> dict:
    return {bone.name: bone.matrix.copy() for bone in evaluated(rig).pose.bones}


def off_target(rig, chain) -> float:
    """Angle [degrees] between the shown view of the head and the direction to its target."""
    head = evaluated(rig).pose.bones["head"]
    assert chain.eye == 0.0
    view = head.matrix.to_3x3() @ Vector({"+Z": (0, 0, 1), "-Z": (0, 0, -1)}[chain.forward_axis])
    return degrees(view.angle(chain.target.location - head.head))


def twist(rig, name: str, parent: str, before: dict) -> float:
    """Twist [degrees] of a bone about its length relative to another, since the matrices `before`."""
    now = matrices(rig)
    turn = (before[parent].inverted() @ before[name]).to_quaternion().inverted() @ (
        now[parent].inverted() @ now[name]
    ).to_quaternion()
    return abs(degrees(2 * turn.to_swing_twist("Y")[1])) / 2


@pytest.mark.parametrize("way", WAYS)
def test_an_isolated_head_looks_exactly_and_its_neck_and_chest_take_their_part(way: str):
    rig = isolated(way)
    before = matrices(rig)
    chain = looking(rig, 60, 10)
    assert chain.root == "belly"
    for frame in range(2, 5):
        bpy.context.scene.frame_set(frame)
    assert off_target(rig, chain) < 0.01
    for name, parent in (("head", "neck"), ("neck", "chest"), ("chest", "belly")):
        assert 2 < twist(rig, name, parent, before) < 30, name


@pytest.mark.every_blender
@pytest.mark.parametrize("way", WAYS)
def test_from_any_authored_pose_it_looks_exactly_and_without_influence_it_is_that_pose(way: str):
    rig = isolated(way)
    pose(rig)
    authored = matrices(rig)
    chain = looking(rig, -50, 30)
    for frame in range(2, 5):
        bpy.context.scene.frame_set(frame)
    assert off_target(rig, chain) < 0.01
    chain.influence = 0.0
    bpy.context.scene.frame_set(6)
    for name, matrix in matrices(rig).items():
        assert (matrix.to_quaternion().rotation_difference(authored[name].to_quaternion())).angle < 1e-4, name


@pytest.mark.parametrize("way", WAYS)
def test_it_bakes_as_it_is_shown(way: str):
    rig = isolated(way)
    pose(rig)
    chain = looking(rig, 60, -20)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 6
    for frame, aside in ((1, 60), (6, 0)):
        chain.target.location = place_at(rig, aside, -20)
        chain.target.keyframe_insert("location", frame=frame)
    rig.pose.bones["hips"].keyframe_insert("rotation_quaternion", frame=1)
    rig.pose.bones["hips"].rotation_quaternion = Euler((0, 0, 0.4)).to_quaternion()
    rig.pose.bones["hips"].keyframe_insert("rotation_quaternion", frame=6)
    scene.frame_set(1)
    shown = []
    for frame in range(1, 7):
        scene.frame_set(frame)
        shown.append(matrices(rig))
        assert off_target(rig, chain) < 0.01, frame
    scene.frame_set(1)
    bpy.ops.limber.bake()
    assert not chain.live
    for frame in range(1, 7):
        scene.frame_set(frame)
        for name, matrix in matrices(rig).items():
            assert (
                matrix.to_quaternion().rotation_difference(shown[frame - 1][name].to_quaternion()).angle
                < 2e-3
            ), (name, frame)


def test_a_head_with_limits_cannot_make_up_for_its_isolation_so_its_chain_begins_there():
    rig = isolated("copies")
    limit = rig.pose.bones["head"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, -1.0, 1.0
    assert looking(rig, 30, 0).root == "head"


@pytest.mark.parametrize("copies", [False, True])
def test_the_search_for_what_carries_bones_grows_with_their_number_alone(copies, monkeypatch):
    searched = []
    free_axes = carried.free_axes
    monkeypatch.setattr(carried, "free_axes", lambda bone: searched.append(bone) or free_axes(bone))
    counts = []
    for length in (10, 20):
        axes = {f"bone {k}": "" if copies and k % 2 else "XYZ" for k in range(length)}
        rig, chain = looking_chain(build(axes, f"{length} bones"), *axes)
        for name in axes if copies else ():
            if not axes[name]:
                copy = rig.pose.bones[name].constraints.new("COPY_ROTATION")
                copy.target, copy.subtarget = rig, "bone 0"
        searched.clear()
        assert len(ChainReader(rig, chain).names) == length
        counts.append(len(searched))
    assert counts[1] <= 2 * counts[0] + 2
