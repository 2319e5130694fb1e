"""Tests that any data may be deleted, renamed, hidden, copied or switched at any time during live motion: no
handler raises, and no data are left behind.
"""

import bpy
import pytest
from limber.rig.live import live
from limber.rig.showing import proxy

from tests.blender.rigs import make_active, target
from tests.blender.shown import (  # noqa: F401
    assert_held,
    assert_looks,
    choose,
    depsgraph,
    evaluated,
    no_handler_raises,
    pose,
    seeing_rig,
    session,
    settle,
    traces,
    twins,
)


@pytest.fixture
def seeing():
    return seeing_rig()


# The target.


@pytest.mark.parametrize("way", ["removed from the file", "deleted by the user"])
def test_a_target_that_is_deleted_leaves_the_pose_until_there_is_another(seeing, way):
    rig, chain = seeing
    shown = pose(rig)
    if way == "removed from the file":
        bpy.data.objects.remove(chain.target)
        words = ("Chain 'head' has no target", "choose the object that it looks at")
    else:
        make_active(chain.target)
        bpy.ops.object.delete()
        words = ("Target 'Target' was deleted: choose another target",)
    bpy.context.view_layer.update()
    assert_held(rig, chain, shown, *words)
    bpy.context.scene.frame_set(2)
    assert_held(rig, chain, shown, *words)
    choose(chain, target=target((-0.5, 0.4, 0.3), "Another"))
    assert_looks(rig, chain)


def test_a_target_that_is_renamed_is_followed_on(seeing):
    rig, chain = seeing
    chain.target.name = "Someone"
    chain.target.location.x -= 1
    assert_looks(rig, chain)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_target_that_is_nowhere_is_told_and_followed_again_when_it_is_somewhere(seeing, number):
    rig, chain = seeing
    shown, place = pose(rig), tuple(chain.target.location)
    chain.target.location.x = number
    if number != number:
        assert_held(
            rig, chain, shown, "The position of target 'Target' is not a number", "clear its location"
        )
        bpy.context.scene.frame_set(2)
        assert_held(rig, chain, shown, "is not a number")
    else:
        settle()
    chain.target.location = place
    assert_looks(rig, chain)


def test_a_target_at_the_ends_own_place_is_told_and_followed_again_when_it_moves(seeing):
    rig, chain = seeing
    bone = evaluated(rig).pose.bones["head"]
    reader = session(rig, chain).reader
    skeleton, posture = session(rig, chain).model.skeleton, reader.angles(session(rig, chain).poses)
    eye = skeleton.forward(skeleton.clamp(posture)).tool_position
    chain.target.location = rig.matrix_world @ rig.data.bones["base"].matrix_local @ type(bone.head)(eye)
    settle()
    shown = pose(rig)
    bpy.context.scene.frame_set(2)
    problem = session(rig, chain).problem
    # rounding to single precision decides whether it is exactly at the root; near it the aim is approximate
    if problem:
        assert "at the end's own place" in problem
        assert_held(rig, chain, shown)
    chain.target.location = (1.0, 0.5, 0.2)
    assert_looks(rig, chain)


def test_a_rig_that_is_nowhere_is_told_and_looks_again_when_it_is_somewhere(seeing):
    rig, chain = seeing
    rig.location.x = float("nan")
    settle()
    assert "is not a number" in session(rig, chain).problem
    rig.location.x = 0
    assert_looks(rig, chain)


def test_a_bone_that_is_nowhere_is_told_by_name(seeing):
    rig, chain = seeing
    rig.pose.bones["middle"].rotation_euler.x = float("nan")
    settle()
    assert "The pose of bone 'middle' is not a number" in session(rig, chain).problem
    rig.pose.bones["middle"].rotation_euler.x = 0.1
    assert_looks(rig, chain)


def test_a_target_at_the_end_of_the_world_is_told(seeing):
    rig, chain = seeing
    rig.scale = (1e-3, 1e-3, 1e-3)
    chain.target.location.x = 3e38
    settle()
    assert "too far away" in session(rig, chain).problem
    rig.scale, chain.target.location.x = (1, 1, 1), 0.5
    assert_looks(rig, chain)


# Rigs and chains.


@pytest.mark.parametrize("way", ["object", "object and data", "data", "by the user"])
def test_a_rig_that_is_deleted_leaves_nothing(seeing, way):
    rig, _ = seeing
    data = rig.data
    bpy.ops.object.mode_set(mode="OBJECT")
    if way == "by the user":
        make_active(rig)
        bpy.ops.object.delete()
    elif way == "data":
        bpy.data.armatures.remove(data)
    else:
        bpy.data.objects.remove(rig)
    if way == "object and data":
        bpy.data.armatures.remove(data)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(4)
    assert not live.advance_clock(bpy.context.scene, depsgraph(), 10.0)
    assert traces() == []


def test_a_rig_that_is_deleted_between_two_frames_leaves_nothing(seeing):
    rig, _ = seeing
    bpy.data.objects.remove(rig)
    bpy.context.scene.frame_set(4)
    bpy.context.view_layer.update()
    assert traces() == []


def test_a_rig_that_is_renamed_goes_on(seeing):
    rig, chain = seeing
    rig.name, rig.data.name = "Robot", "Robot bones"
    bpy.context.view_layer.update()
    chain.target.location.x -= 1
    assert_looks(rig, chain)
    assert len(twins()) == 1
    bpy.context.scene.frame_set(3)
    assert_looks(rig, chain)


def test_a_chain_that_is_renamed_goes_on(seeing):
    rig, chain = seeing
    chain.name = "Gaze"
    chain.target.location.x -= 1
    assert_looks(rig, chain)


@pytest.mark.parametrize("linked", [False, True])
def test_a_copy_of_a_live_rig_has_a_twin_of_its_own(seeing, linked):
    rig, chain = seeing
    make_active(rig)
    bpy.ops.object.duplicate(linked=linked)
    copy = bpy.context.view_layer.objects.active
    assert copy != rig
    bpy.context.view_layer.update()
    assert len(twins()) == 2
    copy.location = (0.5, 0, 0)
    copied = copy.limber.chains[0]
    copied.target = target((0.5, 1.0, 0.7), "Other")
    assert_looks(rig, chain)
    assert_looks(copy, copied)
    bpy.ops.limber.end_live()
    assert len(twins()) == 1
    assert_looks(rig, chain)
    bpy.data.objects.remove(rig)
    bpy.context.view_layer.update()
    assert traces() == []


@pytest.mark.parametrize("kind", ["FULL_COPY", "LINK_COPY"])
@pytest.mark.parametrize("change", ["another frame", "a moved target"])
def test_a_live_rig_follows_in_a_copy_of_its_scene(seeing, kind, change):
    _rig, chain = seeing
    key_target(chain.target)
    bpy.ops.scene.new(type=kind)
    copy = next(obj for obj in bpy.context.scene.objects if obj.type == "ARMATURE")
    copied_chain = copy.limber.chains[0]
    if change == "another frame":
        bpy.context.scene.frame_set(20)
    else:
        copied_chain.target.location.x -= 1
    assert_looks(copy, copied_chain)
    assert len(twins()) == (2 if kind == "FULL_COPY" else 1)


def key_target(target) -> None:
    """Keys a target that moves aside from frame 1 to 20."""
    target.keyframe_insert("location", frame=1)
    target.location.x -= 1.5
    target.keyframe_insert("location", frame=20)
    bpy.context.scene.frame_set(1)
    settle()


def test_a_live_rig_that_comes_from_another_file_has_a_twin_of_its_own(seeing, tmp_path):
    rig, _chain = seeing
    path = tmp_path / "piece.blend"
    bpy.data.libraries.write(
        str(path), {rig, proxy.find(rig)}, fake_user=True
    )  # as for copy and paste, which run no save handlers
    with bpy.data.libraries.load(str(path)) as (there, here):
        here.objects = there.objects
    for thing in here.objects:
        if proxy.MARK not in thing:
            bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.update()
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and proxy.MARK not in thing]
    assert len(rigs) == len(twins()) == 2
    for other in rigs:
        assert_looks(other, other.limber.chains[0])
    for other in rigs:
        live.stop(other, other.limber.chains[0])
    assert traces() == []


@pytest.mark.every_blender
def test_joints_that_are_removed_or_matched_while_live_are_shown_no_more(seeing):
    rig, chain = seeing
    names = [joint.bone for joint in chain.joints]
    chain.joints.remove(names.index("middle"))
    rig.update_tag()
    bpy.context.view_layer.update()
    assert_looks(rig, chain)
    assert proxy.own(rig.pose.bones["middle"]) is None
    rig.pose.bones["lower"].lock_rotation[0] = True
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.limber.match_joints()
    rig.update_tag()
    bpy.context.view_layer.update()
    assert_looks(rig, chain)
    assert proxy.own(rig.pose.bones["lower"]) is None
    assert proxy.own(rig.pose.bones["middle"]) is not None
    bpy.ops.limber.end_live()
    assert traces() == []


def test_a_live_chain_that_a_script_removes_leaves_nothing(seeing):
    rig, _ = seeing
    rig.limber.chains.clear()
    rig.update_tag()
    bpy.context.view_layer.update()
    assert traces() == []


# Invisible objects.


def test_a_rig_that_is_disabled_holds_and_says_so_until_it_is_shown(seeing):
    rig, chain = seeing
    rig.hide_viewport = True
    bpy.context.scene.frame_set(4)
    assert "disabled in viewports" in session(rig, chain).problem
    assert "show it" in session(rig, chain).problem
    rig.hide_viewport = False
    assert_looks(rig, chain)


def test_a_rig_whose_collection_is_excluded_holds_until_it_is_back(seeing):
    rig, chain = seeing
    collection = bpy.data.collections.new("Robots")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    assert_looks(rig, chain)
    layer = bpy.context.view_layer.layer_collection.children["Robots"]
    layer.exclude = True
    bpy.context.scene.frame_set(4)
    assert "excluded from the view layer" in session(rig, chain).problem
    layer.exclude = False
    bpy.context.scene.frame_set(5)
    assert_looks(rig, chain)


def test_a_rig_that_leaves_the_scene_leaves_nothing_to_do_and_comes_back(seeing):
    rig, chain = seeing
    bpy.context.scene.collection.objects.unlink(rig)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(4)
    assert not live.advance_clock(bpy.context.scene, depsgraph(), 10.0)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.update()
    assert_looks(rig, chain)


def test_another_scene_is_another_matter(seeing):
    rig, chain = seeing
    here = bpy.context.scene
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    bpy.context.view_layer.update()
    shown = session(rig, chain).outputs.angles.copy()
    other.frame_set(7)
    settle(other)
    assert (session(rig, chain).outputs.angles == shown).all()
    other.collection.objects.link(rig)  # in both scenes now
    other.collection.objects.link(chain.target)
    other.frame_set(8)
    settle(other)
    assert session(rig, chain).problem == ""
    bpy.context.window.scene = here
    bpy.data.scenes.remove(other)
    bpy.context.view_layer.update()
    chain.target.location.x -= 1
    assert_looks(rig, chain)


def test_the_scene_of_a_live_rig_may_be_deleted(seeing):
    rig, chain = seeing
    other = bpy.data.scenes.new("Other")
    first = bpy.context.scene
    bpy.context.window.scene = other
    bpy.data.scenes.remove(first)
    other.frame_set(3)
    bpy.context.view_layer.update()
    other.collection.objects.link(rig)
    other.collection.objects.link(chain.target)
    bpy.context.view_layer.update()
    assert_looks(rig, chain)
