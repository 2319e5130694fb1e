"""Tests chains that depend on each other: in one rig, in several rigs, or by their targets; live and baked
alike.
"""

from math import degrees

import bpy
import pytest
from limber.rig.live import live
from limber.rig.scene.placement import Placement
from mathutils import Matrix, Vector

from tests.blender.rigs import build, keyed, looking_chain, select, target
from tests.blender.shown import (  # noqa: F401
    as_good_as_unfiltered,
    evaluated,
    farthest,
    go_live,
    missed,
    no_handler_raises,
    pose,
    session,
    settle,
)
from tests.blender.together import FRAMES, assert_live_is_what_is_baked, go_live_all, play


def torso_with_head(name: str = "Rig"):
    """One rig with a slow torso chain, and a fast head chain that depends on it."""
    rig = build({"hips": "Y", "waist": "X", "chest": "XZ", "neck": "Y", "head": "XY"}, name=name)
    rig, torso = looking_chain(rig, "hips", "waist", "chest")
    rig, head = looking_chain(rig, "neck", "head", at=torso.target)
    for joint in torso.joints:
        joint.velocity, joint.acceleration, joint.jerk = 0.3, 2.0, 20.0
    as_good_as_unfiltered(head)
    return rig, torso, head


def test_the_head_compensates_a_torso_that_lags():
    rig, torso, head = torso_with_head()
    keyed(torso.target, (1, 24), end=(-0.6, 0.5, 0.2))
    go_live_all((rig, torso), (rig, head))
    lagged = 0.0
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        lagged = max(lagged, session(rig, torso).outputs.lag)
        if session(rig, head).outputs.solution.converged and session(rig, head).outputs.lag < 1e-3:
            assert missed(rig, head) < 0.1
    assert lagged > 0.1


def test_chains_of_one_rig_are_the_same_live_and_baked():
    rig, torso, head = torso_with_head()
    keyed(torso.target, (1, 24), end=(-0.6, 0.5, 0.2))
    rig.rotation_euler = (0.2, 0.1, 0.7)
    assert_live_is_what_is_baked((rig, head), (rig, torso))


def head_on_arm(relative: bool = False, between: bool = False):
    """A rig with a head whose parent is the last bone of another rig, with an empty in between if
    `between`.
    """
    arm = build({"base": "Y", "lower": "X", "upper": "X"}, name="Arm")
    arm, arm_chain = looking_chain(arm, "base", "lower", "upper")
    arm.location, arm.rotation_euler, arm.scale = (0.3, -0.2, 0.1), (0.1, 0.2, 0.3), (1.5, 1.5, 1.5)
    for joint in arm_chain.joints:
        joint.velocity, joint.acceleration, joint.jerk = 0.3, 2.0, 20.0
    eye = build({"neck": "YX", "eye": "XZ"}, name="Eye")
    eye, eye_chain = looking_chain(eye, "neck", "eye", at=arm_chain.target)
    as_good_as_unfiltered(eye_chain)
    eye_chain.change = 0.0  # so that it follows jumps of its target at once
    holder = eye
    if between:
        holder = bpy.data.objects.new("Bracket", None)
        bpy.context.scene.collection.objects.link(holder)
        eye.parent, holder.location = holder, (0.02, 0.01, 0.0)
        eye.matrix_parent_inverse = Matrix.Rotation(0.4, 4, "X")
    arm.data.bones["upper"].use_relative_parent = relative
    holder.parent, holder.parent_type, holder.parent_bone = arm, "BONE", "upper"
    bpy.context.view_layer.update()
    return (arm, arm_chain), (eye, eye_chain)


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("relative", [False, True])
def test_a_rig_on_another_rigs_bone_starts_from_that_ones_new_pose(relative, between):
    (arm, arm_chain), (eye, eye_chain) = head_on_arm(relative, between)
    keyed(arm_chain.target, (1, 24), end=(-0.6, 0.9, 0.5))
    # it jumps with its target, so that every frame is exact
    arm_chain.solver = eye_chain.solver = "erik_exact"
    go_live_all((eye, eye_chain), (arm, arm_chain))
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        now = session(eye, eye_chain).outputs
        assert now.solution.converged
        assert missed(eye, eye_chain) == pytest.approx(degrees(now.filtered_aim_error), abs=0.05)
    assert session(arm, arm_chain).outputs.lag > 0.05


@pytest.mark.parametrize("between", [False, True])
def test_rigs_on_rigs_are_the_same_live_and_baked(between):
    arm, eye = head_on_arm(between=between)
    keyed(arm[1].target, (1, 24), end=(-0.6, 0.9, 0.5))
    assert_live_is_what_is_baked(eye, arm)


def watcher_of_a_hand():
    """One rig points with its hand, which is the parent of an empty; another rig looks at that empty."""
    hand = build({"base": "Y", "lower": "X", "hand": "X"}, name="A Hand")
    hand, hand_chain = looking_chain(hand, "base", "lower", "hand")
    held = target((0, 0.05, 0), "Held")
    held.parent, held.parent_type, held.parent_bone = hand, "BONE", "hand"
    # By its name it would be first, by its target it is last.
    head = build({"neck": "Y", "head": "XZ"}, name="A First")
    head, head_chain = looking_chain(head, "neck", "head", at=held)
    head.location = (0.8, 0.3, 0.0)
    as_good_as_unfiltered(head_chain)
    bpy.context.view_layer.update()
    return (hand, hand_chain), (head, head_chain)


def test_a_target_in_another_chains_hand_is_looked_at_where_it_is_in_this_frame():
    (hand, hand_chain), (head, head_chain) = watcher_of_a_hand()
    keyed(hand_chain.target, (1, 24), end=(-0.6, 0.9, 0.5))
    go_live_all((head, head_chain), (hand, hand_chain))
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert missed(head, head_chain) < 0.1
        assert session(head, head_chain).problem == ""


def test_a_target_in_another_chains_hand_is_the_same_live_and_baked():
    hand, head = watcher_of_a_hand()
    keyed(hand[1].target, (1, 24), end=(-0.6, 0.9, 0.5))
    assert_live_is_what_is_baked(head, hand)


def by_parent(thing, rig, bone):
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", bone


def by_constraint(thing, rig, bone):
    held = thing.constraints.new("CHILD_OF")
    held.target, held.subtarget = rig, bone


def by_armature_constraint(thing, rig, bone):
    held = thing.constraints.new("ARMATURE").targets.new()
    held.target, held.subtarget = rig, bone


def by_another_object(thing, rig, bone):
    other = target((0, 0, 0), "Other")
    by_parent(other, rig, bone)
    thing.constraints.new("COPY_LOCATION").target = other


def by_a_driver(thing, rig, bone):
    variable = thing.driver_add("location", 0).driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = rig, bone


def by_a_child_bone(thing, rig, bone):
    by_parent(thing, rig, "ear")


@pytest.mark.parametrize(
    "way", [by_parent, by_constraint, by_armature_constraint, by_another_object, by_a_driver, by_a_child_bone]
)
def test_a_target_that_the_chain_itself_moves_is_refused_and_let_go_again(way, capfd):
    rig = build({"base": "Y", "lower": "X", "head": "X", "ear": ""})
    rig, chain = looking_chain(rig, "base", "lower", "head")
    go_live(rig, chain)
    shown = pose(rig)
    free = chain.target
    chain.target = target((0, 0, 0), "Held")
    way(chain.target, rig, "head")
    settle()
    problem = session(rig, chain).problem
    assert "Chain 'base' moves its own target 'Held'" in problem.replace("'head'", "'base'")
    assert problem.endswith("choose another target")
    assert farthest(shown, pose(rig)) < 1e-5, "it holds its pose"
    chain.target = free
    free.location.x += 0.1
    settle()
    assert session(rig, chain).problem == ""
    assert missed(rig, chain) < 0.1
    assert "cycle" not in capfd.readouterr().err.lower()


def test_a_target_that_only_hangs_on_the_rig_beside_the_chain_is_good():
    rig = build({"base": "", "lower": "X", "head": "X", "tail": ""}, parents={"tail": "base"})
    rig, chain = looking_chain(rig, "lower", "head", at=target((0.3, 0.4, 0.1), "Tail"))
    by_parent(chain.target, rig, "tail")
    chain.joints[0].axis  # noqa: B018
    go_live(rig, chain)
    assert session(rig, chain).problem == ""


def test_several_rigs_live_at_once_do_not_mind_each_other():
    pairs = []
    for k in range(3):
        rig = build({"base": "Y", "lower": "X", "head": "XZ"}, name=f"Robot {k}")
        rig.location.x = k
        pairs.append(looking_chain(rig, at=target((k + 0.3, 0.8, 0.5 * k), f"Target {k}")))
    go_live_all(*pairs)
    settle()
    assert all(missed(*pair) < 0.1 for pair in pairs)
    live.stop(*pairs[1])
    before = pose(pairs[1][0])
    for _, chain in pairs:
        chain.target.location.y *= -1
    settle()
    assert missed(*pairs[0]) < 0.1
    assert missed(*pairs[2]) < 0.1
    assert farthest(before, pose(pairs[1][0])) == 0.0
    assert (evaluated(pairs[1][0]).pose.bones["head"].matrix.to_3x3() @ Vector((0, 0, 1))).length > 0


def test_a_chain_that_is_not_solved_leaves_the_others_alone():
    rig, torso, head = torso_with_head()
    go_live_all((rig, torso), (rig, head))
    torso.target = None
    head.target.location = (0.4, 0.5, 0.6)
    settle()
    assert "no target" in session(rig, torso).problem
    assert missed(rig, head) < 0.1


def test_constraints_that_go_round_in_a_circle_raise_nothing():
    (hand, hand_chain), (head, head_chain) = watcher_of_a_hand()
    held, other = head_chain.target, target((1, 1, 1), "Other")
    for thing, on in ((held, other), (other, held)):
        thing.constraints.new("CHILD_OF").target = on
    go_live_all((head, head_chain), (hand, hand_chain))
    play([(head, head_chain), (hand, hand_chain)], range(1, 4))
    assert session(head, head_chain).outputs is not None


def test_a_bake_of_one_that_watches_anothers_live_hand_is_refused_until_that_one_is_baked():
    (hand, hand_chain), (head, head_chain) = watcher_of_a_hand()
    keyed(hand_chain.target, (1, 24), end=(-0.6, 0.9, 0.5))
    go_live_all((hand, hand_chain), (head, head_chain))
    played = play([(head, head_chain)])
    for rig in (hand, head):
        rig.limber.chains[0].frame_start, rig.limber.chains[0].frame_end = FRAMES[0], FRAMES[-1]
    select(head)
    with pytest.raises(
        RuntimeError,
        match="Target 'Held' depends on 'A Hand', whose chain 'hand' is live: bake that one first",
    ):
        bpy.ops.limber.bake()
    select(hand)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    select(head)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    keys = session(head, head_chain).reader.joint_keys if head_chain.live else None
    assert keys is None, "what is baked plays its keys"
    reached = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        reached.append(missed(head, head_chain))
    assert max(reached[1:]) < 0.1
    assert played.shape[0] == len(FRAMES)


def test_a_target_glued_to_the_rigs_own_skin_makes_no_circle_of_blenders(capfd):
    rig, chain = looking_chain()
    data = bpy.data.meshes.new("Skin")
    data.from_pydata([(0, 0, 0.45), (0.1, 0, 0.45), (0, 0.1, 0.45)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("Skin", data)
    bpy.context.scene.collection.objects.link(skin)
    skin.vertex_groups.new(name="head").add([0, 1, 2], 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    held = chain.target.constraints.new("COPY_LOCATION")
    held.target, held.subtarget = skin, "head"
    go_live(rig, chain, settled=False)
    for frame in range(1, 4):
        bpy.context.scene.frame_set(frame)
    said = capfd.readouterr()
    assert "cycle" not in (said.out + said.err).lower()


def test_that_no_chain_carries_a_base_is_known_without_a_look_at_the_pose():
    rig = build({"hips": "Y", "waist": "X", "chest": "XZ", "head": "XY"})
    placement = Placement(None, {})  # without an evaluated scene: a look at the pose would raise
    placement.move_chain(rig, {"head": None})
    assert placement.hanging_root(rig, "chest", (0.0, 0.0, 0.0)) is None
    assert placement.hanging(rig, "chest") is None
    assert placement.hanging(rig) is None
    with pytest.raises(TypeError):
        placement.hanging(rig, "head")
