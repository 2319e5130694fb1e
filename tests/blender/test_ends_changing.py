"""Tests further ends that are added, removed and refused: the effect on the chain, on live motion, undo and
files.
"""

import bpy
import pytest
from limber.rig.chains import chain as build

from tests.blender.rigs import build as build_rig
from tests.blender.rigs import make_active, select
from tests.blender.shown import go_live, no_handler_raises, session, settle, shortfall
from tests.blender.trees import BODY, PARENTS, add_end, body, joints

__all__ = ["no_handler_raises"]

ARM = [
    ("shoulder", "X"),
    ("shoulder", "Z"),
    ("arm", "X"),
    ("arm", "Z"),
    ("elbow", "X"),
    *(("hand", axis) for axis in "XYZ"),
]


def test_a_further_end_brings_the_joints_that_lead_to_it_and_keeps_the_others():
    rig = build_rig(BODY, parents=PARENTS)
    select(rig, "hip", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    before = joints(chain)
    chain.joints[2].lower = -0.123
    add_end(rig, chain, "hand")
    assert sorted(joints(chain)[: len(before)]) == sorted(before)
    assert sorted(joints(chain)[len(before) :]) == sorted(ARM)
    assert chain.joints[2].lower == pytest.approx(-0.123)
    assert [joint.servo for joint in chain.joints] == list(range(len(chain.joints)))


def test_removing_an_end_takes_its_own_joints_alone_and_live_goes_on():
    rig, chain, _ = body()
    before = set(joints(chain)) - set(ARM)
    go_live(rig, chain)
    bpy.ops.limber.remove_end()
    settle()
    assert set(joints(chain)) == before
    assert session(rig, chain).problem == ""
    assert build.skeleton_now(rig, chain).is_chain
    assert shortfall(rig, chain, "head")[0] < 0.1


@pytest.mark.every_blender
def test_adding_an_end_while_live_goes_on_with_the_tree():
    rig, chain, _ = body()
    bpy.ops.limber.remove_end()
    now = go_live(rig, chain)
    end = add_end(rig, chain, "hand", goal="POSITION", target=bpy.data.objects["Held"])
    settle()
    assert now.problem == ""
    assert shortfall(rig, end, "hand")[1] < 0.001


def test_add_and_remove_can_be_undone(undo_step):
    rig, chain, _ = body()
    name = rig.name
    undo_step("body")
    bpy.ops.limber.remove_end()
    undo_step("removed")
    bpy.ops.ed.undo()
    chain = bpy.data.objects[name].limber.chains[0]
    assert [end.bone for end in chain.ends] == ["hand"]
    assert set(ARM) <= set(joints(chain))


def test_a_file_keeps_ends_and_a_live_tree_goes_on(reopen):
    rig, chain, _ = body()
    go_live(rig, chain)
    name = rig.name
    reopen()
    rig = bpy.data.objects[name]
    chain = rig.limber.chains[0]
    settle()
    assert shortfall(rig, chain.ends[0], "hand")[1] < 0.001
    assert session(rig, chain).problem == ""


def test_a_second_chain_that_would_share_joints_is_told_to_be_another_end():
    rig, _, _ = body()
    bpy.ops.limber.remove_end()
    select(rig, "hip", "hand")
    with pytest.raises(
        RuntimeError, match=r"Bone 'hip' already moves in chain 'head'.*'hand'.*press Add End"
    ):
        bpy.ops.limber.new_chain()


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("bone", "words"),
    [
        ("head", "is an end of chain 'head' already"),
        ("tail", "'tail' is missing"),
        ("other", "No path from bone 'spine' to bone 'other'"),
    ],
)
def test_a_bone_that_can_be_no_end_is_refused_and_nothing_changes(bone, words):
    rig = build_rig({**BODY, "other": "X"}, parents={**PARENTS, "other": "hip"})
    select(rig, "spine", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    before = joints(chain)
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.limber.add_end(bone=bone)
    assert (joints(chain), len(chain.ends)) == (before, 0)


def test_an_end_in_another_chain_is_refused():
    rig = build_rig(BODY, parents=PARENTS)
    select(rig, "shoulder", "hand")
    bpy.ops.limber.new_chain()
    select(rig, "hip", "head")
    bpy.ops.limber.new_chain()
    with pytest.raises(RuntimeError, match="'shoulder' already moves in chain 'hand'"):
        bpy.ops.limber.add_end(bone="hand")


def test_quaternion_bones_on_the_way_to_an_end_stay_so():
    rig = build_rig(BODY, parents=PARENTS)
    rig.pose.bones["arm"].rotation_mode = "QUATERNION"
    select(rig, "hip", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    bpy.ops.limber.add_end(bone="hand")
    assert rig.pose.bones["arm"].rotation_mode == "QUATERNION"
    assert ("arm", "X") in joints(chain)


def test_match_joints_goes_over_the_whole_tree():
    rig, chain, _ = body()
    rig.pose.bones["elbow"].lock_rotation = (False, True, False)
    rig.pose.bones["neck"].lock_rotation = (True, True, True)
    make_active(rig)
    bpy.ops.limber.match_joints()
    assert ("elbow", "Z") in joints(chain)
    assert not any(bone == "neck" for bone, _ in joints(chain))


@pytest.mark.every_blender
def test_a_bone_renamed_while_live_is_known_by_its_new_name_as_an_end():
    rig, chain, _ = body()
    go_live(rig, chain)
    rig.data.bones["hand"].name = "Paw"
    settle()
    assert chain.ends[0].bone == "Paw"
    assert shortfall(rig, chain.ends[0], "Paw")[1] < 0.001
