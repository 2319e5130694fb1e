"""Tests chains with several ends: trees with a goal for each end, solved together."""

import re

import bpy
import pytest
from limber.rig.chains import chain as build
from limber.rig.chains.skeleton import ChainReader
from limber.rig.live import live
from limber.rig.output import compare
from limber.rig.scene.goal import GOALS
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
from tests.blender.trees import BODY, PARENTS, QUICK, add_end, body

__all__ = ["no_handler_raises"]

TREES = [name for name, info in SOLVERS.items() if info.trees]
CHAINS = [name for name, info in SOLVERS.items() if not info.trees]


def test_the_skeleton_is_a_tree_and_stands_where_blender_shows_the_rig():
    rig, chain, _ = body()
    reader = ChainReader(rig, chain)
    skeleton = build.skeleton_now(rig, chain)
    assert not skeleton.is_chain
    assert [end.name for end in skeleton.ends][1:] == ["hand"]
    assert {skeleton.joints[k].name.split()[0] for k in skeleton.path(1)} == {
        "hip",
        "spine",
        "chest",
        "shoulder",
        "arm",
        "elbow",
        "hand",
    }
    assert {skeleton.joints[k].name.split()[0] for k in skeleton.path(0)} == {
        "hip",
        "spine",
        "chest",
        "neck",
        "head",
    }
    pose = skeleton.forward(reader.angles(reader.read(rig.pose.bones)).tolist())
    base = rig.matrix_world @ rig.data.bones["hip"].matrix_local
    for number, bone in enumerate(("head", "hand")):
        tip = world_of_end(rig, bone) @ Vector((0, rig.data.bones[bone].length, 0))
        assert (base @ Vector(skeleton.end_pose(pose, number)[1]) - tip).length < 1e-6


LOOKING_AND_REACHING = [(name, "POSITION") for name in TREES]


@pytest.mark.parametrize(
    ("solver", "hand_goal"), [*LOOKING_AND_REACHING, *((QUICK, goal) for goal in GOALS if goal != "POSITION")]
)
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
    assert set(live.session(rig, chain).pose) == {name for name, free in BODY.items() if free}
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
        RuntimeError,
        match=(
            f"{re.escape(SOLVERS[solver].label)} moves chains with one end, no trees: choose"
            f" .*{SOLVERS[TREES[0]].label}"
        ),
    ):
        bpy.ops.limber.live()


@pytest.mark.every_blender
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
    keyed(end.target, (1, 10), end=tuple(end.target.location + Vector((0, 0.01, 0.02))))
    go_live(rig, chain)
    end.target.hide_viewport = chain.target.hide_viewport = True
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(10)
    settle()
    assert shortfall(rig, end, "hand")[1] < 0.005  # it moved by 0.022 m
    end.target.hide_viewport = chain.target.hide_viewport = False


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
    from limber.rig.robot import links, sending

    go_live(rig, chain)
    sending.send(rig)
    sent = dict(
        zip(
            (source.key for source in links.sources(rig)),
            sending.robots[rig.session_uid].angles,
            strict=True,
        )
    )
    now = session(rig, chain)
    for (bone, axis), angle in zip(now.reader.joint_keys, now.outputs.angles, strict=True):
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
        assert "not met together" in now.outputs.solution.reason
        missed[weight] = shortfall(rig, chain, "head")[1], shortfall(rig, end, "hand")[1]
    assert missed[0.05][0] > missed[1.0][0] + 0.01 > missed[20.0][0] + 0.02, missed
    assert missed[0.05][1] < missed[1.0][1] - 0.01 < missed[20.0][1] - 0.02, missed
