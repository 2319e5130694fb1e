"""Tests in which direction a figure faces where neither feet nor convention tell."""

from math import degrees, pi

import bpy
import pytest
from limber.rig.bones.figure import Figure
from limber.rig.showing import chain_lines
from mathutils import Matrix, Vector

from tests.blender.makers_rigs import Places, both, line, made
from tests.blender.rigs import make_active, select

HEADING_BACK = Matrix.Rotation(pi, 4, "Z")  # a figure that faces +Y instead of Blender's usual -Y
ANT_LEGS = both(
    {
        f"leg{k}.L": ("body", (0.05, 0.05 * k, 0.18), (0.4, 0.3 * k, 0.0)) for k in (-1, 0, 1)
    }  # sideways: forward ones and backward ones cancel out
)
ANT = line("", ("body", 0, 0, 0.2), ("neck", 0, -0.15, 0.22), ("head", 0, -0.22, 0.23), tip=(0, -0.4, 0.2))
REAR = line("body", ("rear", 0, 0.1, 0.2), tip=(0, 0.5, 0.25))
WHALE = (
    line("", ("core", 0, 0, 1), ("chest", 0, -1, 1), ("head", 0, -2.2, 1), tip=(0, -3.6, 0.95))
    | line("core", ("tail.1", 0, 0.1, 1), ("tail.2", 0, 1.2, 1.05), tip=(0, 3, 1.1))
    | both(
        line("tail.2", ("fluke.L", 0.1, 3, 1.1), tip=(0.8, 3.4, 1.1))
        | line("chest", ("fin.L", 0.5, -1.2, 0.7), ("fin2.L", 1, -1.1, 0.5), tip=(1.5, -0.9, 0.4))
        | {"eye.L": ("head", (0.45, -2.6, 1), (0.6, -2.6, 1))}
    )
)
FACE = {"body": ("", (0, 0, 0), (0, 0, 0.4))} | both(
    {"eye.L": ("body", (0.08, -0.2, 0.2), (0.08, -0.26, 0.2))}
)
FEET = both(line("", ("leg.L", 0.1, 0, 0.2), ("foot.L", 0.1, 0, 0.05), tip=(0.1, -0.12, 0.02)))
HANGING_PELVIS = line("", ("torso", 0, 0, 0.45), ("head", 0, 0, 0.8), tip=(0, 0, 1)) | {
    "pelvis": ("torso", (0, 0, 0.45), (0, 0, 0.14))
}
FLOATING_MASTER = {
    "master": ("", (0, 0, 1.2), (0, 0, 1.3)),
    "root": ("master", (0, 0, 0), (0, 0.2, 0)),
} | line("root", ("pelvis", 0, 0, 0.5), ("torso", 0, 0, 0.6), ("head", 0, 0, 0.8), tip=(0, 0, 1))
GRIPPER = {"hand": ("", (0, 0, 0), (0, 0, 0.4))} | both({"finger.L": ("hand", (0.1, 0, 0.4), (0.1, 0, 0.5))})
STEM = tuple((f"stem{k}", 0, 0, 0.2 * k) for k in range(4))
LEAVES = both(
    {f"leaf{k}.L": (f"stem{k}", (0.03, 0.08, 0.05 + 0.2 * k), (0.2, 0.2, 0.1 + 0.2 * k)) for k in (1, 2)}
)
SEPALS = both({"sepal.L": ("bloom", (0.03, 0.05, 0.82), (0.06, 0.09, 0.85))})
BUDS = both({"bud.L": ("stem3", (0.03, 0.05, 0.7), (0.06, 0.09, 0.72))})


def unnamed(places: Places) -> Places:
    """The same bones with names that say nothing: numbers in their order."""
    called = {name: f"bone{k}" for k, name in enumerate(places)} | {"": ""}
    return {called[name]: (called[parent], *ends) for name, (parent, *ends) in places.items()}


def armature(places: Places, matrix: Matrix = HEADING_BACK):
    """An armature object, active, whose bones `matrix` has moved."""
    data = bpy.data.armatures.new("Figure")
    rig = bpy.data.objects.new("Figure", data)
    bpy.context.scene.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (_, head, tail) in places.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = matrix @ Vector(head), matrix @ Vector(tail)
    for name, (parent, *_) in places.items():
        data.edit_bones[name].parent = data.edit_bones.get(parent)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    return rig


def looks_along(rig, bone: str) -> Vector:
    """Direction that the end of a new chain to a bone looks along."""
    select(rig, bone)
    bpy.ops.limber.new_chain()
    start, tip = chain_lines.forward(rig, rig.limber.chains[-1])
    return tip - start


@pytest.mark.parametrize("axes", ["along", "up", "left"])
def test_beak_and_tail_show_the_front_of_an_upright_figure_whose_feet_do_not(axes: str):
    rig, called = made("penguin", "numbers", axes, "along its own +Y")
    assert degrees(looks_along(rig, called["head"]).angle(Vector((0, -1, 0)))) < 3


def test_the_fins_at_the_tip_of_a_tail_are_no_face_and_those_that_point_aside_no_feet():
    assert Figure(armature(WHALE)).front == pytest.approx((0, 1, 0), abs=1e-6)


@pytest.mark.parametrize(
    ("trunk", "below"), [(HANGING_PELVIS, "pelvis"), (FLOATING_MASTER, "root")], ids=["pelvis", "controls"]
)
def test_feet_that_hang_on_what_is_low_and_no_tail_show_the_front(trunk: Places, below: str):
    feet = {name: (parent or below, *ends) for name, (parent, *ends) in FEET.items()}
    if below == "root":  # as the controls of feet, which hang on it
        feet |= {name: (below, *feet[name][1:]) for name in feet if name.startswith("foot")}
    assert Figure(armature(trunk | feet)).front == pytest.approx((0, 1, 0), abs=1e-6)


@pytest.mark.parametrize("matrix", [Matrix(), HEADING_BACK])
def test_where_nothing_shows_the_front_the_end_that_is_chosen_to_look_is_the_head(matrix: Matrix):
    rig = armature(unnamed(ANT | REAR | ANT_LEGS), matrix)
    assert not Figure(rig).is_front_shown
    ahead = matrix.to_3x3() @ Vector((0, -1, 0))
    assert degrees(looks_along(rig, "bone2").angle(ahead)) < 3


def test_an_abdomen_that_is_higher_than_the_head_does_not_count_as_the_head():
    rig = armature(ANT | REAR | ANT_LEGS, Matrix())
    assert Figure(rig).front == pytest.approx((0, -1, 0), abs=1e-6)


def test_a_pair_of_eyes_shows_the_front_of_a_figure_without_limbs():
    assert degrees(looks_along(armature(unnamed(FACE)), "bone0").angle(Vector((0, 1, 0)))) < 3


@pytest.mark.parametrize("matrix", [Matrix(), Matrix.Rotation(pi / 4, 4, "X")])
def test_the_fingers_of_a_gripper_are_no_face(matrix: Matrix):
    ahead = matrix.to_3x3() @ Vector((0, 0, 1))
    assert degrees(looks_along(armature(unnamed(GRIPPER), matrix), "bone0").angle(ahead)) < 3


def test_the_leaves_of_a_stem_are_as_long_as_arms_and_no_face():
    rig = armature(line("", *STEM, ("bloom", 0, 0, 0.8), tip=(0, 0, 0.95)) | LEAVES, Matrix())
    assert not Figure(rig).is_front_shown
    assert Figure(rig).front == pytest.approx((0, -1, 0), abs=1e-6)


@pytest.mark.parametrize("behind", [SEPALS, BUDS], ids=["on it", "below it"])
def test_a_pair_behind_a_flower_that_points_ahead_is_no_face(behind: Places):
    rig = armature(line("", *STEM, ("bloom", 0, 0, 0.8), tip=(0, -0.12, 0.9)) | behind)
    assert Figure(rig).front == pytest.approx((0, 1, 0), abs=1e-6)


@pytest.mark.parametrize("axes", ["along", "up"])
def test_a_control_whose_head_bone_follows_it_looks_to_the_figures_front(axes: str):
    rig, called = made("without eyes", "numbers", axes)
    copied = [called[name] for name in ("lumbar", "thorax", "neck", "head")]
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for k, name in enumerate(copied):
        control = bones.new(f"c{k}")
        control.head, control.tail, control.roll = bones[name].head, bones[name].tail, bones[name].roll
        control.parent, control.use_deform = bones.get(f"c{k - 1}"), False
    bpy.ops.object.mode_set(mode="OBJECT")
    for k, name in enumerate(copied):
        constraint = rig.pose.bones[name].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget = rig, f"c{k}"
    bpy.context.view_layer.update()
    assert degrees(looks_along(rig, "c3").angle(Vector((0, -1, 0)))) < 3
