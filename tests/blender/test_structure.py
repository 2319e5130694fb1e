"""Tests that New Chain and Eyes, Head and Torso use a figure's shape, whatever the names and directions of
its bones are.
"""

from math import cos, degrees, pi, radians, sin

import bpy
import pytest
from limber.rig.bones.controls import Controls
from limber.rig.bones.figure import Figure
from limber.rig.showing import chain_lines
from mathutils import Matrix, Vector

from tests.blender.makers_rigs import FIGURES, made
from tests.blender.rigs import build, make_active, select, target
from tests.blender.shown import go_live, no_handler_raises, settle  # noqa: F401

VARIANTS = [
    ("own", "along", "as it is"),
    ("numbers", "along", "facing aside"),
    ("Japanese", "up", "as it is"),
    ("misleading", "forward", "FBX"),
    ("numbers", "left", "FBX"),
]
every_variant = pytest.mark.parametrize(("names", "axes", "stands"), VARIANTS)
every_figure = pytest.mark.parametrize("kind", FIGURES)


def pressed(operator, **told):
    """Presses the button, and agrees if it asks whether a bone's rotation mode may change."""
    known = operator.get_rna_type().properties
    return operator(**told, **({"change_rotation_mode": True} if "change_rotation_mode" in known else {}))


def new_chain(kind: str, *variant: str):
    rig, called = made(kind, *variant)
    select(rig, called[FIGURES[kind].looks])
    pressed(bpy.ops.limber.new_chain)
    return rig, called, rig.limber.chains[0]


def front(stands: str) -> Vector:
    return (
        Matrix.Rotation(0.7, 3, "Z") @ Vector((0, -1, 0)) if stands == "facing aside" else Vector((0, -1, 0))
    )


@every_figure
@every_variant
def test_a_chain_from_the_head_begins_above_what_stands_and_looks_ahead(
    kind: str, names: str, axes: str, stands: str
):
    _, called, chain = new_chain(kind, names, axes, stands)
    back = {name: own for own, name in called.items()}
    subject = FIGURES[kind]
    assert (back[chain.root], back[chain.end]) == (subject.root, subject.looks)
    start, tip = chain_lines.forward(chain.id_data, chain)
    assert degrees((tip - start).angle(front(stands))) < 3


def test_a_face_shows_the_front_where_feet_do_not_and_the_armature_is_turned():
    _, _, chain = new_chain("Mixamo", "numbers", "left", "along its own +Y")
    start, tip = chain_lines.forward(chain.id_data, chain)
    assert degrees((tip - start).angle(front("along its own +Y"))) < 3


def test_two_arms_without_a_trunk_face_as_is_usual_in_blender():
    bones = {"arm.L": None, "hand.L": None, "arm.R": None, "hand.R": None}
    rig = build(bones, parents={"arm.R": "", "hand.R": "arm.R"})
    bpy.ops.object.mode_set(mode="EDIT")
    for name, begin, end in (("arm", 0.2, 0.5), ("hand", 0.5, 0.7)):
        for side, letter in ((1, "L"), (-1, "R")):
            bone = rig.data.edit_bones[f"{name}.{letter}"]
            bone.head, bone.tail = (side * begin, 0, 1), (side * end, 0, 0.9)
            bone.parent = None if name == "arm" else bone.parent
    bpy.ops.object.mode_set(mode="POSE")
    assert Figure(rig).front == pytest.approx((0, -1, 0))


@pytest.mark.parametrize("side", [-1, 1])
def test_the_higher_end_of_an_animal_that_stands_sideways_is_its_head(side: int):
    rig, called = made("tortoise", "numbers")
    rig.data.transform(Matrix.Rotation(side * pi / 2, 4, "Z"))
    bpy.context.view_layer.update()
    select(rig, called["head"])
    pressed(bpy.ops.limber.new_chain)
    start, tip = chain_lines.forward(rig, rig.limber.chains[0])
    assert degrees((tip - start).angle(Vector((side, 0, 0)))) < 3


@every_figure
def test_feet_stay_on_the_ground(kind: str):
    subject = FIGURES[kind]
    if not subject.feet:
        pytest.skip("it has no feet")
    rig, called, chain = new_chain(kind)
    bpy.ops.limber.make_target()
    go_live(rig, chain)
    height = max(bone.tail_local.z for bone in rig.data.bones)
    middle = Vector(chain_lines.eye(rig, chain))
    for aside, up in ((70, 10), (-50, 30), (0, -40)):
        yaw, pitch = radians(aside), radians(up)
        chain.target.location = middle + height * Vector(
            (sin(yaw) * cos(pitch), -cos(yaw) * cos(pitch), sin(pitch))
        )
        settle()
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        for foot in subject.feet:
            moved = (shown[called[foot]].tail - rig.data.bones[called[foot]].tail_local).length
            assert moved < 0.001 * height, f"{foot} at {aside}, {up}"


@every_figure
@every_variant
def test_torso_head_and_eyes_are_found(kind: str, names: str, axes: str, stands: str):
    subject = FIGURES[kind]
    rig, called = made(kind, names, axes, stands)
    make_active(rig)
    if subject.head is None:
        with pytest.raises(RuntimeError, match="No head was found"):
            pressed(bpy.ops.limber.eyes_head_torso)
        return
    target(100 * front(stands)).select_set(True)
    pressed(bpy.ops.limber.eyes_head_torso)
    back = {name: own for own, name in called.items()}
    spans = {chain.name: (back[chain.root], back[chain.end]) for chain in rig.limber.chains}
    wanted = {"Torso": subject.torso, "Head": subject.head}
    if subject.eyes:
        wanted |= {"Left Eye": ("eye.L",) * 2, "Right Eye": ("eye.R",) * 2}
    assert spans == {name: span for name, span in wanted.items() if span}
    for chain in rig.limber.chains:
        start, tip = chain_lines.forward(rig, chain)
        assert degrees((tip - start).angle(front(stands))) < 3, chain.name
    assert rig.limber.chains["Head"].share == pytest.approx(0.7 if subject.eyes else 1.0)


def test_a_bone_with_one_joint_carries_its_limbs_round_as_it_is_made_to():
    rig, called = made("Mixamo")
    rig.pose.bones["trunk"].lock_rotation = (True, False, True)
    select(rig, "head")
    pressed(bpy.ops.limber.new_chain)
    assert rig.limber.chains[0].root == "trunk"
    assert called["trunk"] == "trunk"


def test_a_control_that_does_not_deform_is_left_out_and_named(capfd):
    rig, called = made("ghost")
    rig.data.bones[called["ground"]].use_deform = False
    select(rig, "head")
    pressed(bpy.ops.limber.new_chain)
    assert rig.limber.chains[0].root == "trunk"
    assert "'ground' only places the figure" in capfd.readouterr().out


@pytest.mark.parametrize(("weight", "root"), [(1.0, "lumbar"), (0.0, "trunk")])
def test_limbs_that_an_armature_constraint_hangs_on_the_spine_count_where_it_has_a_weight(
    weight: float, root: str
):
    rig, _ = made("spine beside the legs")
    for side in "LR":
        constraint = rig.pose.bones[f"thigh_hind.{side}"].constraints.new("ARMATURE")
        for bone, share in (("trunk", weight), ("ground", 1.0)):
            held = constraint.targets.new()
            held.target, held.subtarget, held.weight = rig, bone, share
    select(rig, "head")
    pressed(bpy.ops.limber.new_chain)
    assert rig.limber.chains[0].root == root


@pytest.mark.parametrize(("first", "added"), [("eye.L", "eye.R"), ("eye.R", "eye.L")])
def test_an_end_that_is_added_looks_where_its_own_chain_would(first: str, added: str):
    def look(goal) -> tuple:
        return goal.forward_axis, tuple(goal.forward_direction)

    rig, _ = made("cape, hair and long ears", "own", "up")
    select(rig, added)
    pressed(bpy.ops.limber.new_chain)
    alone = look(rig.limber.chains[0])
    rig.limber.chains.clear()
    select(rig, "head", first)
    pressed(bpy.ops.limber.new_chain)
    bpy.ops.limber.add_end(bone=added)
    assert look(rig.limber.chains[0].ends[0]) == alone
    assert alone[0] != "+Y"


def with_crown(name: str):
    """A human figure with a bone above its head, and the head."""
    rig, _ = made("without eyes")
    bpy.ops.object.mode_set(mode="EDIT")
    head = rig.data.edit_bones["head"]
    crown = rig.data.edit_bones.new(name)
    crown.head, crown.tail, crown.parent = head.tail, head.tail + Vector((0, 0, 0.1)), head
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def skinned(rig, *groups: str) -> None:
    """Gives a rig a mesh with vertex groups."""
    mesh = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    bpy.context.collection.objects.link(mesh)
    mesh.modifiers.new("Armature", "ARMATURE").object = rig
    for group in groups:
        mesh.vertex_groups.new(name=group)


@pytest.mark.parametrize("name", ["HeadTop_End", "Head_end", "Bip HeadNub", "head.end.001"])
def test_a_bone_that_only_shows_where_the_head_ends_is_no_end_of_a_chain(name: str):
    rig = with_crown(name)
    select(rig, name)
    pressed(bpy.ops.limber.new_chain)
    assert rig.limber.chains[0].end == "head"


@pytest.mark.parametrize("crown", ["頭先", "head_end"])
def test_under_any_name_the_mesh_says_whether_an_end_bone_only_shows_where_the_head_ends(crown: str):
    for groups, end in ((("thorax", "neck", "head"), "head"), (("neck", "head", crown), crown)):
        rig = with_crown(crown)
        skinned(rig, *groups)
        select(rig, crown)
        pressed(bpy.ops.limber.new_chain)
        assert rig.limber.chains[0].end == end


def test_a_bone_that_constraints_limit_is_an_end_whatever_its_name_is():
    rig = with_crown("head_end")
    rig.pose.bones["head_end"].constraints.new("LIMIT_ROTATION")
    select(rig, "head_end")
    pressed(bpy.ops.limber.new_chain)
    assert rig.limber.chains[0].end == "head_end"


def test_an_end_bone_that_does_not_deform_is_a_control_where_another_bone_follows_it():
    for follows, end in ((False, "head"), (True, "crown")):
        rig = with_crown("crown")
        rig.data.bones["crown"].use_deform = False
        if follows:
            constraint = rig.pose.bones["collar.L"].constraints.new("COPY_ROTATION")
            constraint.target, constraint.subtarget = rig, "crown"
        select(rig, "crown")
        pressed(bpy.ops.limber.new_chain)
        assert rig.limber.chains[0].end == end


def test_a_last_bone_with_a_locked_axis_is_a_joint_whatever_its_name_is():
    rig = with_crown("head_end")
    rig.pose.bones["head_end"].lock_rotation = (False, True, True)
    select(rig, "head_end")
    pressed(bpy.ops.limber.new_chain)
    assert rig.limber.chains[0].end == "head_end"


def test_an_eye_points_at_its_bone_although_it_also_tracks_another_object():
    rig = build(
        {"neck": None, "head": None, "eye": None, "aim": None}, parents={"eye": "head", "aim": "neck"}
    )
    eye, other = rig.pose.bones["eye"], bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    for tracked, bone in ((rig, "aim"), (other, "")):
        constraint = eye.constraints.new("DAMPED_TRACK")
        constraint.target, constraint.subtarget = tracked, bone
    assert Controls(rig).tracked_below("head") == {"eye": "aim"}
