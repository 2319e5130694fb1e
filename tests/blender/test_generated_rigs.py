"""Tests rigs that Rigify has generated: chains on their controls work; deforming and helper bones are
refused, with the control to select.
"""

from math import degrees

import bpy
import pytest
from mathutils import Vector

from tests.blender.generated import generated
from tests.blender.rigs import UPRIGHT, build, make_active, select, target

pytestmark = pytest.mark.every_blender


@pytest.fixture
def rig():
    """A basic human, generated."""
    with generated("basic_human") as made:
        yield made


def new_chain(rig, *names: str):
    select(rig, *names)
    bpy.ops.limber.new_chain()
    return rig.limber.chains[-1]


def shown_way(rig, bone: str, axis=(0, 1, 0)) -> tuple[Vector, Vector]:
    """Shown position of a bone in the world, and direction of its axis."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = shown.matrix_world @ shown.pose.bones[bone].matrix
    return matrix.translation, (matrix.to_3x3() @ Vector(axis)).normalized()


def solved() -> None:
    from limber.rig.live import live

    now, scene, layer = 0.0, bpy.context.scene, bpy.context.view_layer
    for _ in range(600):
        now += 1 / 60
        if not live.advance_clock(scene, layer.depsgraph, now):
            return
    raise AssertionError("it does not come to rest")


def test_a_bone_that_follows_no_control_is_refused_with_what_to_unlock():
    plain = build({**UPRIGHT, "head": ""})
    plain.pose.bones["head"].constraints.new("DAMPED_TRACK").target = target()
    with pytest.raises(
        RuntimeError,
        match=r"'head' has no free axis.*'Damped Track'.*mute the constraint and unlock the axes",
    ):
        new_chain(plain, "base", "head")
    plain.pose.bones["head"].lock_rotation = (False, True, True)
    assert new_chain(plain, "base", "head").joints


def test_a_helper_that_nothing_drives_is_to_be_muted_and_then_the_chain_goes_over_it():
    plain = build({**UPRIGHT, "upper": ""})
    held = plain.pose.bones["upper"].constraints.new("COPY_ROTATION")
    held.target, held.subtarget = plain, "base"
    with pytest.raises(
        RuntimeError, match=r"'upper'.*select 'head' and no bone above it\), or mute the constraint"
    ):
        new_chain(plain, "base", "head")
    assert new_chain(plain, "head").root == "head"
    bpy.ops.limber.remove_chain()
    held.mute = True
    assert new_chain(plain, "base", "head").root == "base"


@pytest.mark.parametrize(
    ("bone", "control"),
    [
        ("DEF-spine.006", "head"),
        ("ORG-spine.006", "head"),
        ("DEF-spine.003", "spine_fk.003"),
        ("DEF-hand.L", "hand_fk.L"),
    ],
)
def test_a_bone_that_follows_is_refused_with_the_control_that_it_follows(rig, bone, control):
    with pytest.raises(RuntimeError, match=rf"'{bone}'.*does what '{control}' does, select that control"):
        new_chain(rig, bone)
    assert len(rig.limber.chains) == 0
    assert new_chain(rig, control).joints


def test_the_head_control_makes_a_chain_with_neck_and_chest_and_what_deforms_the_mesh_looks_at_the_target(
    rig,
):
    chain = new_chain(rig, "head")
    assert (chain.root, chain.end) == ("spine_fk.002", "head")
    assert {joint.bone for joint in chain.joints} == {"spine_fk.002", "spine_fk.003", "neck", "head"}
    chain.target, chain.forward_axis, chain.up, chain.eye = target((0.6, -1.5, 1.9)), "-Z", "+Y", 0.0
    for other in ("-Z", "+Z"):
        _, way = shown_way(rig, "head", (0, 0, -1 if other == "-Z" else 1))
        if way.y < -0.5:  # it faces -Y
            chain.forward_axis = other
    assert bpy.ops.limber.check_chain() == {"FINISHED"}
    bpy.ops.limber.live()
    solved()
    sign = -1 if chain.forward_axis == "-Z" else 1
    for bone in ("head", "DEF-spine.006"):
        place, way = shown_way(rig, bone, (0, 0, sign))
        assert way.angle(chain.target.matrix_world.translation - place) < 1e-3


def test_the_head_follows_also_where_the_torso_is_turned(rig):
    chain = new_chain(rig, "head")
    chain.target, chain.forward_axis, chain.up, chain.eye = target((0.6, -1.5, 1.9)), "+Z", "+Y", 0.0
    rig.pose.bones["torso"].rotation_quaternion = (0.98, 0.1, 0.15, 0.05)
    bpy.context.view_layer.update()
    bpy.ops.limber.live()
    solved()
    place, way = shown_way(rig, "DEF-spine.006", (0, 0, 1))
    assert way.angle(chain.target.matrix_world.translation - place) < 1e-3


def twists(rig, before: dict) -> dict[str, float]:
    """Twist [degrees] of each deforming bone of the spine relative to its parent, since the matrices
    `before`.
    """
    found = {}
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    for name in (f"DEF-spine.00{k}" for k in range(2, 7)):
        bone = shown[name]
        was, now = (
            before[bone.parent.name].inverted() @ before[name],
            bone.parent.matrix.inverted() @ bone.matrix,
        )
        found[name] = abs(degrees((was.inverted() @ now).to_quaternion().to_swing_twist("Y")[1]))
    return found


@pytest.mark.parametrize("animation", ["", "action", "NLA"])
def test_a_look_is_shared_along_an_isolated_head_and_its_neck_and_the_rigs_switches_are_set_where_nothing_changes(
    rig, animation, capfd
):
    is_animated = animation != ""
    if is_animated:
        rig.pose.bones["chest"].keyframe_insert("rotation_quaternion", frame=1)
    if animation == "NLA":
        rig.animation_data.nla_tracks.new().strips.new("Breath", 1, rig.animation_data.action)
        rig.animation_data.action = None
    before = {bone.name: bone.matrix.copy() for bone in rig.pose.bones}
    chain = new_chain(rig, "head")
    said = capfd.readouterr().out
    switches = [rig.pose.bones["torso"][name] for name in ("head_follow", "neck_follow")]
    assert switches == ([0.0, 0.5] if is_animated else [1.0, 1.0])
    assert ("head_follow of 'torso' to 1" in said) is not is_animated
    chain.target = target((1.7, -1.0, 1.9))
    bpy.ops.limber.live()
    solved()
    place, way = shown_way(rig, "DEF-spine.006", (0, 0, 1))
    assert way.angle(chain.target.matrix_world.translation - place) < 1e-3
    shares = twists(rig, before)
    assert max(shares.values()) < (
        33 if is_animated else 25
    )  # the upper half of the neck has half of the rotation of the head's control
    assert sorted(shares.values())[2] > 5


def test_in_a_pose_where_the_head_does_not_follow_its_neck_the_rigs_switches_stay(rig):
    rig.pose.bones["neck"].rotation_quaternion = (0.95, 0.2, 0.2, 0.0)
    bpy.context.view_layer.update()
    chain = new_chain(rig, "head")
    assert rig.pose.bones["torso"]["head_follow"] == 0.0
    chain.target = target((0.6, -1.5, 1.9))
    bpy.ops.limber.live()
    solved()
    place, way = shown_way(rig, "DEF-spine.006", (0, 0, 1))
    assert way.angle(chain.target.matrix_world.translation - place) < 1e-3


def test_a_chain_over_helpers_makes_up_for_what_they_do_whatever_drives_them(rig):
    chain = new_chain(rig, "neck", "head")
    chain.target, chain.forward_axis, chain.up, chain.eye = target((0.6, -1.5, 1.9)), "+Z", "+Y", 0.0
    bpy.ops.limber.live()
    for share in (0.0, 1.0, 0.3):
        rig.pose.bones["torso"]["head_follow"] = share
        rig.update_tag()
        bpy.context.view_layer.update()
        solved()
        place, way = shown_way(rig, "DEF-spine.006", (0, 0, 1))
        assert way.angle(chain.target.matrix_world.translation - place) < 1e-3


@pytest.mark.parametrize(
    "change", [("mix_mode", "ADD"), ("use_y", False), ("invert_x", True), ("target_space", "LOCAL")]
)
def test_helpers_that_a_chain_cannot_account_for_are_refused_with_the_property_that_drives_their_constraint(
    rig, change
):
    setattr(rig.pose.bones["MCH-ROT-head"].constraints["Copy Rotation"], *change)
    with pytest.raises(
        RuntimeError,
        match=r"'MCH-ROT-head'.*begin the chain below it \(select 'head'.*head_follow.*such that it is 0",
    ):
        new_chain(rig, "neck", "head")
    rig.pose.bones["torso"]["head_follow"] = 1.0
    rig.update_tag()
    bpy.context.view_layer.update()
    chain = new_chain(rig, "neck", "head")
    chain.target = target((0.6, -1.5, 1.9))
    rig.pose.bones["torso"]["head_follow"] = 0.0
    rig.update_tag()
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="'MCH-ROT-head'"):
        bpy.ops.limber.live()


def test_an_arm_of_forward_kinematics_is_one_chain(rig):
    chain = new_chain(rig, "hand_fk.L")
    assert {joint.bone for joint in chain.joints} == {"upper_arm_fk.L", "forearm_fk.L", "hand_fk.L"}


def test_drawing_the_panel_weighs_no_bones(rig, monkeypatch):
    """A generated human has about 700 bones: examining them in each redraw froze the viewport."""
    from limber.rig.bones.hanging import HangingBones

    make_active(rig)
    bpy.ops.limber.eyes_head_torso()
    monkeypatch.setattr(HangingBones, "inertias", lambda *_: pytest.fail("bones are weighed"))
    assert bpy.ops.limber.live.poll()
    assert bpy.ops.limber.check_chain() == {"FINISHED"}


def test_what_a_bone_follows_is_looked_up_once_for_a_whole_rig(rig, monkeypatch):
    from limber.rig.bones.controls import Controls

    asked, find = [], Controls._find_leaders
    monkeypatch.setattr(
        Controls, "_find_leaders", lambda self, name: (asked.append(name), find(self, name))[1]
    )
    controls = Controls(rig)
    for bone in rig.data.bones:
        controls.upstream(bone.name)
    assert len(asked) == len(set(asked)) == len(rig.data.bones)


def test_several_live_chains_look_up_each_bone_and_object_once_a_tick(rig, monkeypatch):
    from limber.rig.bones.controls import Controls
    from limber.rig.live import live
    from limber.rig.scene import dependencies

    make_active(rig)
    bpy.ops.limber.eyes_head_torso()
    new_chain(rig, "upper_arm_fk.L")
    rig.limber.chains[-1].target = rig.limber.chains[0].target
    bpy.ops.limber.live_all()
    snapshots, looked_up = [], []
    init, of = Controls.__init__, dependencies.dependencies_of
    monkeypatch.setattr(Controls, "__init__", lambda self, of: (snapshots.append(of), init(self, of))[1])

    def counted(obj, seen=None, surely=False):
        if seen is None:
            looked_up.append(obj.name)
        return of(obj, seen, surely)

    monkeypatch.setattr(dependencies, "dependencies_of", counted)
    stage, depsgraph = live.current().stage, bpy.context.evaluated_depsgraph_get()
    stage.mark_dirty(rig.data.name)
    stage.advance(live.live_movers(bpy.context.scene), depsgraph, 1 / 24)
    assert len(rig.limber.chains) == 3
    assert len(snapshots) == 1
    assert sorted(looked_up) == sorted(set(looked_up)) != []
