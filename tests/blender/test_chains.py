"""Tests New Chain: the path from the selected bones, a joint for each free axis, limits from the rig."""

from math import pi, radians

import bpy
import pytest
from limber.rig.properties.frame_range import bake_range

from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, select

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def joints(chain) -> list[tuple[str, str]]:
    return [(joint.bone, joint.axis) for joint in chain.joints]


def new_chain(rig, *names, **options):
    select(rig, *names)
    bpy.ops.limber.new_chain(**options)
    return rig.limber.chains[-1]


def refusal(rig, *names, **options) -> str:
    select(rig, *names)
    before = len(rig.limber.chains)
    with pytest.raises(RuntimeError) as error:
        bpy.ops.limber.new_chain(**options)
    assert len(rig.limber.chains) == before, "a refused chain leaves nothing behind"
    return str(error.value)


def test_a_head_bone_alone_makes_a_chain_from_the_top_of_the_hierarchy():
    chain = new_chain(build(UPRIGHT), "head")
    assert (chain.root, chain.end) == ("base", "head")
    assert joints(chain) == [
        ("base", "Y"),
        ("lower", "X"),
        ("middle", "X"),
        ("upper", "X"),
        ("head", "Y"),
        ("head", "X"),
    ]


def test_root_and_end_make_a_chain_of_what_is_between_them():
    chain = new_chain(build(UPRIGHT), "upper", "lower")
    assert (chain.root, chain.end) == ("lower", "upper")
    assert joints(chain) == [("lower", "X"), ("middle", "X"), ("upper", "X")]


def test_many_selected_bones_on_one_path_make_the_chain_from_the_first_to_the_last():
    chain = new_chain(build(UPRIGHT), "lower", "upper", "head")
    assert (chain.root, chain.end) == ("lower", "head")
    assert ("middle", "X") in joints(chain)


@pytest.mark.parametrize("selected", [("head",), ("upper", "head"), ("base", "lower", "head")])
def test_a_given_root_begins_the_chain_to_the_selected_end(selected):
    chain = new_chain(build(UPRIGHT), *selected, root="middle")
    assert (chain.root, chain.end) == ("middle", "head")


def test_a_given_root_without_a_selected_end_asks_for_that():
    assert "select the end bone" in refusal(build(UPRIGHT), root="middle")


@pytest.mark.every_blender
def test_a_branching_selection_is_refused_and_names_the_bones():
    rig = build({**UPRIGHT, "arm": "X", "hand": "X"}, parents={"arm": "middle"})
    said = refusal(rig, "base", "head", "arm")
    assert "'arm'" in said
    assert "'head'" in said
    assert "one path" in said


@pytest.mark.every_blender
def test_a_chain_that_lost_a_bone_is_to_be_removed_before_another_is_made():
    rig = build(UPRIGHT)
    new_chain(rig, "head")
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["head"])
    bpy.ops.object.mode_set(mode="POSE")
    with pytest.raises(RuntimeError, match=r"remove its chain \(-\), then press New Chain"):
        bpy.ops.limber.make_target()
    said = refusal(rig, "upper")
    assert "'upper' already moves in chain 'head'" in said
    assert "remove it (-), then press the button again" in said
    assert "Add End" not in said
    bpy.ops.limber.remove_chain()
    chain = new_chain(rig, "upper")
    assert (chain.root, chain.end) == ("base", "upper")


def test_add_end_names_what_to_press_once_a_chain_that_lost_a_bone_is_removed():
    rig = build({**UPRIGHT, "arm": "X", "hand": "X", "claw": "X"}, parents={"arm": "middle"})
    new_chain(rig, "arm", "claw")
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["claw"])
    bpy.ops.object.mode_set(mode="POSE")
    new_chain(rig, "head")
    with pytest.raises(RuntimeError, match=r"remove it \(-\), then select 'head' and press Add End again"):
        bpy.ops.limber.add_end(bone="hand")
    rig.limber.active_chain = 0
    bpy.ops.limber.remove_chain()
    assert rig.limber.chains[0].name == "head"
    bpy.ops.limber.add_end(bone="hand")
    assert rig.limber.chains["head"].ends[0].bone == "hand"


@pytest.mark.every_blender
def test_nothing_selected_is_refused_with_what_to_select():
    assert "select the end bone" in refusal(build(UPRIGHT))


def test_without_an_armature_the_button_says_what_to_do():
    with pytest.raises(RuntimeError, match="No armature is active: click"):
        bpy.ops.limber.new_chain()


def test_outside_pose_mode_the_button_says_what_to_do():
    rig = build(UPRIGHT)
    make_active(rig)
    with pytest.raises(RuntimeError, match="switch the armature to Pose Mode"):
        bpy.ops.limber.new_chain()


def test_bones_without_a_free_axis_make_no_joints():
    rig = build({"base": "", "lower": "X", "fixed": "", "head": "Z"})
    assert joints(new_chain(rig, "head")) == [("lower", "X"), ("head", "Z")]


@pytest.mark.every_blender
def test_a_path_with_all_axes_locked_is_refused():
    assert "unlock the axes that have a motor" in refusal(build({"base": "", "head": ""}), "head")


@pytest.mark.parametrize("order", ORDERS)
def test_a_bone_with_several_axes_makes_joints_with_the_orders_last_letter_nearest_the_parent(order):
    rig = build({"base": None, "head": None}, mode=order)
    assert joints(new_chain(rig, "base", "head")) == [
        (bone, axis) for bone in ("base", "head") for axis in reversed(order)
    ]


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
def test_a_bone_without_an_euler_order_keeps_its_mode_and_has_the_joints_of_order_xyz(mode):
    rig = build({"base": "", "neck": None, "head": "XZ"}, mode=mode)
    assert joints(new_chain(rig, "head")) == [
        ("neck", "Z"),
        ("neck", "Y"),
        ("neck", "X"),
        ("head", "Z"),
        ("head", "X"),
    ]
    assert {bone.rotation_mode for bone in rig.pose.bones} == {mode}


def limit_rotation(bone, **settings):
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    for name, value in settings.items():
        setattr(constraint, name, value)
    return constraint


def only_joint(rig):
    chain = new_chain(rig, "head")
    return chain.joints[0]


def one_bone(free="X"):
    rig = build({"head": free})
    return rig, rig.pose.bones["head"]


@pytest.mark.every_blender
def test_limits_come_from_a_limit_rotation_constraint_in_local_space():
    rig, bone = one_bone()
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -1.0, 1.0
    limit_rotation(bone, use_limit_x=True, min_x=-0.25, max_x=0.5)
    joint = only_joint(rig)
    assert (joint.lower, joint.upper) == (-0.25, 0.5)


def test_limits_come_from_the_iks_where_no_constraint_limits_the_axis():
    rig, bone = one_bone()
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, radians(-30), radians(45)
    limit_rotation(bone, use_limit_y=True, min_y=-0.1, max_y=0.1)
    joint = only_joint(rig)
    assert (joint.lower, joint.upper) == pytest.approx((radians(-30), radians(45)))


def test_limits_are_half_a_turn_either_way_where_the_rig_says_nothing():
    joint = only_joint(one_bone()[0])
    assert (joint.lower, joint.upper) == pytest.approx((-pi, pi))


@pytest.mark.parametrize(
    "settings",
    [
        {"owner_space": "WORLD"},
        {"owner_space": "POSE"},
        {"mute": True},
        {"influence": 0.5},
        {"euler_order": "ZYX"},
    ],
)
def test_a_limit_rotation_that_does_not_limit_the_joints_own_angle_gives_no_limits(settings):
    rig, bone = one_bone()
    limit_rotation(bone, use_limit_x=True, min_x=-0.25, max_x=0.5, **settings)
    joint = only_joint(rig)
    assert (joint.lower, joint.upper) == pytest.approx((-pi, pi))


@pytest.mark.every_blender
def test_an_axis_that_a_limit_rotation_holds_is_locked():
    rig, bone = one_bone("XY")
    limit_rotation(bone, use_limit_x=True, min_x=0.0, max_x=0.0)
    assert joints(new_chain(rig, "head")) == [("head", "Y")]


def test_bones_of_another_chain_are_refused_by_name():
    rig = build(UPRIGHT)
    first = new_chain(rig, "base", "upper")
    said = refusal(rig, "middle", "head")
    assert "'middle'" in said
    assert f"'{first.name}'" in said


def test_a_head_alone_starts_below_the_chain_that_it_hangs_on():
    rig = build(UPRIGHT)
    new_chain(rig, "base", "middle")
    chain = new_chain(rig, "head")
    assert (chain.root, chain.end) == ("upper", "head")


@pytest.mark.every_blender
def test_each_chain_has_a_name_and_an_identity_of_its_own():
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, parents={"arm": "base"})
    first, second = new_chain(rig, "lower", "head"), new_chain(rig, "arm", "hand")
    first, second = rig.limber.chains
    assert first.uid
    assert first.uid != second.uid
    second.name = first.name
    assert len({chain.name for chain in rig.limber.chains}) == 2
    second.name = ""
    assert second.name
    first.name = "Neck"
    assert first.name == "Neck"


def test_each_joint_gets_a_servo_of_its_own_over_all_chains_of_the_rig():
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, parents={"arm": "base"})
    new_chain(rig, "lower", "head")
    new_chain(rig, "arm", "hand")
    assert sorted(joint.servo for chain in rig.limber.chains for joint in chain.joints) == list(range(8))


def test_a_chain_bakes_the_scenes_range_until_its_own_is_set():
    scene = bpy.context.scene
    chain = new_chain(build(UPRIGHT), "head")
    scene.frame_start, scene.frame_end = 11, 77
    assert (chain.bake_start, chain.bake_end) == bake_range(chain, scene) == (11, 77)
    chain.bake_end = 30
    scene.frame_start, scene.frame_end = 5, 99
    assert (chain.bake_start, chain.bake_end) == bake_range(chain, scene) == (5, 30)
    assert bpy.ops.limber.use_scene_range() == {"FINISHED"}
    assert (chain.bake_start, chain.bake_end) == bake_range(chain, scene) == (5, 99)
    assert bpy.ops.limber.use_scene_range() == {"CANCELLED"}


def test_the_bones_of_another_armature_in_pose_mode_are_left_alone():
    other = build({"head": "X"}, name="Other")
    rig = build(UPRIGHT)
    for thing in (rig, other):
        thing.select_set(True)
    make_active(rig)
    other.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    for thing, name in ((rig, "head"), (other, "head")):
        bone = thing.pose.bones[name]
        (bone if hasattr(bone, "select") else bone.bone).select = True
    bpy.ops.limber.new_chain()
    assert len(rig.limber.chains) == 1
    assert len(other.limber.chains) == 0


def test_a_duplicate_of_the_rig_has_chains_that_change_alone():
    rig, chain = looking_chain()
    make_active(rig)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert joints(copy.limber.chains[0]) == joints(chain)
    copy.limber.chains[0].joints[0].lower = -0.5
    copy.limber.chains[0].name = chain.name
    assert chain.joints[0].lower == pytest.approx(-pi)
    assert copy.limber.chains[0].name == chain.name, "names are unique in an armature, not among armatures"


def test_chains_are_saved_with_the_file(reopen):
    _, chain = looking_chain()
    chain.joints[1].jerk = 12.5
    chain.joints[1].on_silence = "detach"
    wanted = joints(chain)
    reopen()
    chain = bpy.data.objects["Rig"].limber.chains[0]
    assert joints(chain) == wanted
    assert chain.joints[1].jerk == 12.5
    assert chain.joints[1].on_silence == "detach"
    assert chain.target == bpy.data.objects["Target"]


def test_a_new_chain_can_be_undone_and_redone(undo_step):
    rig = build(UPRIGHT)
    undo_step("rig")
    new_chain(rig, "head")
    undo_step("New Chain")
    bpy.ops.ed.undo()
    assert len(bpy.data.objects["Rig"].limber.chains) == 0
    bpy.ops.ed.redo()
    assert len(bpy.data.objects["Rig"].limber.chains) == 1


def test_matching_follows_locks_and_keeps_the_settings_of_joints_that_stay():
    rig = build(UPRIGHT)
    chain = new_chain(rig, "head")
    chain.joints[1].upper = 0.75
    rig.pose.bones["lower"].lock_rotation = (False, True, False)
    rig.pose.bones["middle"].lock_rotation = (True, True, True)
    bpy.ops.limber.match_joints()
    assert joints(chain) == [
        ("base", "Y"),
        ("lower", "Z"),
        ("lower", "X"),
        ("upper", "X"),
        ("head", "Y"),
        ("head", "X"),
    ]
    assert chain.joints[2].upper == 0.75


@pytest.mark.every_blender
def test_matching_keeps_the_chain_when_all_axes_are_locked():
    rig = build(UPRIGHT)
    chain = new_chain(rig, "head")
    for bone in rig.pose.bones:
        bone.lock_rotation = (True, True, True)
    with pytest.raises(RuntimeError, match="unlock the axes that have a motor"):
        bpy.ops.limber.match_joints()
    assert len(chain.joints) == 6


def test_matching_puts_the_joints_in_the_order_of_the_bones_new_rotation_mode():
    rig = build({"base": "Y", "head": None}, mode="XZY")
    chain = new_chain(rig, "head")
    rig.pose.bones["head"].rotation_mode = "QUATERNION"
    bpy.ops.limber.match_joints()
    assert joints(chain) == [("base", "Y"), ("head", "Z"), ("head", "Y"), ("head", "X")]
    assert rig.pose.bones["head"].rotation_mode == "QUATERNION"


def test_removing_a_chain_leaves_the_others_and_a_selection_that_exists():
    rig = build(UPRIGHT)
    new_chain(rig, "base", "middle")
    new_chain(rig, "head")
    bpy.ops.limber.remove_chain()
    assert [chain.end for chain in rig.limber.chains] == ["middle"]
    assert rig.limber.active_chain == 0
    bpy.ops.limber.remove_chain()
    with pytest.raises(RuntimeError, match="press New Chain"):
        bpy.ops.limber.remove_chain()


def test_the_armature_stays_at_hand_while_its_target_is_selected():
    rig, chain = looking_chain()
    bpy.ops.limber.check_chain()
    make_active(chain.target)
    bpy.ops.limber.remove_chain()
    assert len(rig.limber.chains) == 0
