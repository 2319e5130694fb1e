"""Chains with several ends: trees, with a goal for each end, solved as one."""

import re

import bpy
import pytest
from limber.rig import build, compare, live
from limber.rig.goal import KINDS
from limber.rig.skeleton import ChainReader
from limber.solvers.table import SOLVERS
from mathutils import Vector

from tests.blender.baking import IN_KEYS, apart, live_motion, played
from tests.blender.checking import sentences
from tests.blender.posing import posed
from tests.blender.rigs import build as build_rig
from tests.blender.rigs import keyed, looking_chain, make_active, select, target
from tests.blender.shown import (
    as_good_as_unfiltered,
    authored,
    choose,
    go_live,
    no_handler_raises,
    session,
    settle,
    shortfall,
    traces,
    world_of_end,
)

__all__ = ["no_handler_raises"]

BODY = {  # a torso with a head and an arm: bone -> free axes
    "hip": "Y",
    "spine": "XZ",
    "chest": "XZ",
    "neck": "XYZ",
    "head": "XZ",
    "shoulder": "XZ",
    "arm": "XZ",
    "elbow": "X",
    "hand": "XYZ",
}
PARENTS = {"shoulder": "chest"}
ARM = [("shoulder", "X"), ("shoulder", "Z"), ("arm", "X"), ("arm", "Z"), ("elbow", "X"), *(("hand", axis) for axis in "XYZ")]
TREES = [name for name, info in SOLVERS.items() if info.trees]
QUICK = "dls"  # where any solver will do
CHAINS = [name for name, info in SOLVERS.items() if not info.trees]
THERE = {"hip": 0.2, "spine": 0.1, "chest": -0.2, "neck": 0.3, "shoulder": 0.5, "arm": 0.3, "elbow": -0.6, "hand": 0.2}


def add_end(rig, chain, bone: str, **settings):
    """Presses Add End with that bone active, and sets its goal; returns the end."""
    make_active(rig)
    rig.limber.active_chain = list(rig.limber.chains).index(chain)
    select(rig, bone)
    rig.data.bones.active = rig.data.bones[bone]
    assert bpy.ops.limber.add_end() == {"FINISHED"}
    end = chain.ends[-1]
    choose(end, **settings)
    return end


def body(solver: str = QUICK, hand_goal: str = "POSITION"):
    """The torso, whose head looks and whose hand reaches, both to what can be had at once; returns rig, chain and the hand's end."""
    rig = build_rig(BODY, parents=PARENTS)
    rig.rotation_euler = (0.2, -0.1, 0.8)
    select(rig, "hip", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    end = add_end(rig, chain, "hand", goal=hand_goal)
    for bone, angle in THERE.items():
        rig.pose.bones[bone].rotation_euler["XYZ".index(BODY[bone][0])] = angle
    chain.target = target(world_of_end(rig, "head") @ Vector((0, 1.0, 0)), "Seen")
    end.target = target((0, 0, 0), "Held")
    end.target.matrix_world = world_of_end(rig, "hand")
    end.target.location = world_of_end(rig, "hand") @ Vector((0, rig.data.bones["hand"].length, 0))
    for bone in THERE:
        rig.pose.bones[bone].rotation_euler = (0.05, 0.0, 0.02) if bone != "hip" else (0, 0, 0)
    choose(chain, solver=solver)
    bpy.context.view_layer.update()
    as_good_as_unfiltered(chain)
    return rig, chain, end


def joints(chain) -> list[tuple[str, str]]:
    return [(joint.bone, joint.axis) for joint in chain.joints]


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


def test_the_skeleton_is_a_tree_and_stands_where_blender_shows_the_rig():
    rig, chain, _ = body()
    reader = ChainReader(rig, chain)
    skeleton = build.skeleton_now(rig, chain)
    assert not skeleton.is_chain
    assert [end.name for end in skeleton.ends][1:] == ["hand"]
    assert {skeleton.joints[k].name.split()[0] for k in skeleton.path(1)} == {"hip", "spine", "chest", "shoulder", "arm", "elbow", "hand"}
    assert {skeleton.joints[k].name.split()[0] for k in skeleton.path(0)} == {"hip", "spine", "chest", "neck", "head"}
    pose = skeleton.forward(reader.angles(reader.read(rig.pose.bones)).tolist())
    base = rig.matrix_world @ rig.data.bones["hip"].matrix_local
    for number, bone in enumerate(("head", "hand")):
        tip = world_of_end(rig, bone) @ Vector((0, rig.data.bones[bone].length, 0))
        assert (base @ Vector(skeleton.end_pose(pose, number)[1]) - tip).length < 1e-6


LOOKING_AND_REACHING = [(name, "POSITION") for name in TREES]


@pytest.mark.parametrize(("solver", "hand_goal"), [*LOOKING_AND_REACHING, *((QUICK, goal) for goal in KINDS if goal != "POSITION")])
def test_both_ends_do_what_they_are_asked_and_follow(solver, hand_goal):
    rig, chain, end = body(solver, hand_goal)
    if hand_goal == "POINT":
        end.target.location = world_of_end(rig, "hand") @ Vector((0.3, 0.6, 0.1))
    go_live(rig, chain)
    for _ in range(2):
        for settings, bone in ((chain, "head"), (end, "hand")):
            angle, distance = shortfall(rig, settings, bone)
            assert angle < 0.1, bone
            assert distance < 0.001, bone
        end.target.location.z -= 0.01
        chain.target.location.x += 0.1
        settle()


def test_while_live_the_authored_pose_stays_and_ending_leaves_no_trace():
    rig, chain, end = body()
    before = authored(rig)
    go_live(rig, chain)
    assert authored(rig) == before
    assert set(live.session(rig, chain).channels) == {name for name, free in BODY.items() if free}
    bpy.ops.limber.end_live()
    assert traces() == []
    assert end.target


@pytest.mark.parametrize("solver", ["expressive", QUICK])
def test_what_is_baked_of_a_tree_is_what_live_shows(solver):
    rig, chain, end = body(solver)
    frames = range(1, 9)
    keyed(chain.target, frames, end=tuple(chain.target.location + Vector((0.2, 0.1, -0.1))))
    keyed(end.target, frames, end=tuple(end.target.location + Vector((0.0, 0.05, 0.05))))
    chain.frame_end = frames[-1]
    shown = live_motion(rig, [chain], frames)
    bpy.ops.limber.end_live()
    bpy.ops.limber.bake()
    assert apart(shown, played(rig, [chain], frames)) < IN_KEYS
    assert shown[1] != shown[8]


@pytest.mark.parametrize("solver", CHAINS)
def test_a_solver_for_chains_alone_refuses_a_tree_and_names_those_that_can(solver):
    _, chain, _ = body()
    choose(chain, solver=solver)
    with pytest.raises(
        RuntimeError, match=f"{re.escape(SOLVERS[solver].label)} moves chains with one end, no trees: choose .*{SOLVERS[TREES[0]].label}"
    ):
        bpy.ops.limber.live()


def test_compare_shows_a_trees_solvers_and_why_the_others_are_none():
    rig, chain, _ = body()
    make_active(rig)
    bpy.ops.limber.compare_solvers()
    rows = compare.table(rig, chain).rows
    assert [row.name for row in rows if not row.why_not] == TREES
    assert all("no trees" in row.why_not for row in rows if row.name in CHAINS)
    assert "distance" in compare.table(rig, chain).columns


def test_an_end_that_is_switched_off_keeps_the_posture():
    rig, chain, end = body()
    now = go_live(rig, chain)
    assert len(now.goal.others) == 1
    choose(end, enabled=False, target=None)
    settle()
    assert now.problem == ""
    assert now.goal.others == ()
    assert shortfall(rig, chain, "head")[0] < 0.1


def test_an_end_without_a_target_is_a_sentence_that_names_it():
    rig, chain, end = body()
    choose(end, target=None)
    assert any("End 'hand' of chain 'head' has no target" in sentence for sentence in sentences(rig, chain))
    with pytest.raises(RuntimeError, match="End 'hand' of chain 'head' has no target"):
        bpy.ops.limber.live()


def test_an_end_that_loses_its_target_while_live_says_so_and_goes_on_with_another():
    rig, chain, end = body()
    now = go_live(rig, chain)
    held = end.target
    choose(end, target=None)
    settle()
    assert "End 'hand'" in now.problem
    choose(end, target=held)
    settle()
    assert now.problem == ""


@pytest.mark.parametrize("what", ["chain", "end"])
def test_a_target_that_the_tree_itself_moves_is_refused(what):
    rig, chain, end = body()
    thing = (chain if what == "chain" else end).target
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", "elbow"
    with pytest.raises(RuntimeError, match="moves its own target"):
        bpy.ops.limber.live()


def test_a_hidden_target_of_a_further_end_is_followed_on():
    rig, chain, end = body()
    keyed(end.target, (1, 10), end=tuple(end.target.location + Vector((0, 0.02, 0.03))))
    go_live(rig, chain)
    end.target.hide_viewport = chain.target.hide_viewport = True
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(10)
    settle()
    assert shortfall(rig, end, "hand")[1] < 0.005  # it went 0.036 m
    end.target.hide_viewport = chain.target.hide_viewport = False


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
    with pytest.raises(RuntimeError, match=r"Bone 'hip' already moves in chain 'head'.*'hand'.*press Add End"):
        bpy.ops.limber.new_chain()


@pytest.mark.parametrize(
    ("bone", "words"),
    [("head", "is an end of chain 'head' already"), ("tail", "'tail' is missing"), ("other", "No path from bone 'spine' to bone 'other'")],
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


def test_quaternion_bones_on_the_way_need_consent_and_then_get_an_euler_order():
    rig = build_rig(BODY, parents=PARENTS)
    rig.pose.bones["arm"].rotation_mode = "QUATERNION"
    select(rig, "hip", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    with pytest.raises(RuntimeError, match="'arm'"):
        bpy.ops.limber.add_end(bone="hand")
    assert len(chain.ends) == 0
    bpy.ops.limber.add_end(bone="hand", change_rotation_mode=True, order="ZXY")
    assert rig.pose.bones["arm"].rotation_mode == "ZXY"
    assert ("arm", "X") in joints(chain)


def test_an_end_above_another_is_one_path_with_two_goals():
    rig = build_rig(BODY, parents=PARENTS)
    select(rig, "hip", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    choose(chain, solver=QUICK, target=target((0.4, -0.9, 0.5)))
    end = add_end(rig, chain, "chest", goal="DIRECTION", target=target((0, 0, 0), "Way"))
    end.target.rotation_euler = (1.2, 0, 0.3)
    as_good_as_unfiltered(chain)
    go_live(rig, chain)
    assert shortfall(rig, end, "chest")[0] < 0.1
    assert shortfall(rig, chain, "head")[0] < 0.1


def test_postures_of_a_tree_hold_all_of_its_bones():
    rig, chain, _ = body()
    for bone in ("elbow", "neck"):
        rig.pose.bones[bone].rotation_euler.x = 0.4
    bpy.ops.limber.store_posture(name="Wave")
    wanted = posed(rig)
    for bone in BODY:
        rig.pose.bones[bone].rotation_euler = (0, 0, 0)
    bpy.ops.limber.apply_posture()
    for bone in BODY:
        assert posed(rig)[bone] == pytest.approx(wanted[bone], abs=1e-6)
    assert chain.postures[0].action.name == "Wave"


def test_match_joints_goes_over_the_whole_tree():
    rig, chain, _ = body()
    rig.pose.bones["elbow"].lock_rotation = (False, True, False)
    rig.pose.bones["neck"].lock_rotation = (True, True, True)
    make_active(rig)
    bpy.ops.limber.match_joints()
    assert ("elbow", "Z") in joints(chain)
    assert not any(bone == "neck" for bone, _ in joints(chain))


def test_a_bone_renamed_while_live_is_known_by_its_new_name_as_an_end():
    rig, chain, _ = body()
    go_live(rig, chain)
    rig.data.bones["hand"].name = "Paw"
    settle()
    assert chain.ends[0].bone == "Paw"
    assert shortfall(rig, chain.ends[0], "Paw")[1] < 0.001


def test_a_chain_that_hangs_on_a_tree_starts_from_its_new_pose():
    rig, chain, _ = body()
    eye = build_rig({"stalk": "XYZ", "eye": "XZ"}, "Eye")
    eye.parent, eye.parent_type, eye.parent_bone = rig, "BONE", "hand"
    eye, eye_chain = looking_chain(eye, "stalk", "eye", at=target((1, 2, 1), "Far"))
    as_good_as_unfiltered(eye_chain)
    go_live(rig, chain)
    go_live(eye, eye_chain)
    assert shortfall(eye, eye_chain, "eye")[0] < 0.1


def test_a_robot_gets_the_angles_of_all_of_a_trees_joints():
    rig, chain, _ = body()
    bpy.ops.limber.connect()
    from limber.rig import robot

    go_live(rig, chain)
    robot.send(rig)
    sent = dict(zip((source.place for source in robot.sources(rig)), robot._robots[rig.session_uid].angles, strict=True))
    now = session(rig, chain)
    for (bone, axis), angle in zip(now.reader.places, now.outputs.angles, strict=True):
        assert sent[chain.uid, bone, axis] == pytest.approx(angle)
    bpy.ops.limber.disconnect()


def test_where_not_all_can_be_met_the_heavier_goal_is_met_better_and_the_reason_says_so():
    missed = {}
    for weight in (0.05, 1.0, 20.0):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        rig, chain, end = body()
        chain.goal = "POSITION"
        chain.target.location, end.target.location = (0.0, 0.0, 1.5), (0.0, 0.0, -1.5)
        choose(chain, weight=weight)
        now = go_live(rig, chain)
        assert "cannot be met together" in now.outputs.solution.reason
        missed[weight] = shortfall(rig, chain, "head")[1], shortfall(rig, end, "hand")[1]
    assert missed[0.05][0] > missed[1.0][0] + 0.01 > missed[20.0][0] + 0.02, missed
    assert missed[0.05][1] < missed[1.0][1] - 0.01 < missed[20.0][1] - 0.02, missed
