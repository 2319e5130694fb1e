"""Tests several chains with one gaze: shares, dead zones and lags, and several targets between which
keyframes switch; live and baked alike.
"""

import bpy
import numpy as np
import pytest
from limber.rig.blender import actions
from limber.rig.live import live
from mathutils import Quaternion, Vector

from tests.blender.baking import apart, begin, live_motion, played
from tests.blender.rigs import build, keyed, looking_chain, target
from tests.blender.shown import (  # noqa: F401
    as_good_as_unfiltered,
    choose,
    depsgraph,
    go_live,
    missed,
    no_handler_raises,
    session,
    settle,
)

FRAMES = range(1, 49)


def eyes_head_torso():
    """A character with three chains that look at one target; returns rig and chains, torso first."""
    rig = build({"hips": "Z", "chest": "XZ", "neck": "Z", "head": "XZ", "eyes": "XZ"})
    chains, at = [], None
    for names in (("hips", "chest"), ("neck", "head"), ("eyes",)):
        rig, chain = looking_chain(rig, *names, at=at)
        chains.append(chain)
        at = chain.target
    chains = list(rig.limber.chains)  # adding a chain moves all of them in memory
    as_good_as_unfiltered(*chains)
    at.location = (0.2, 0.3, 2.5)
    return rig, chains


def turned(rig, chain) -> float:
    """Largest deviation [rad] of a chain's joints from the authored pose."""
    return float(np.abs(session(rig, chain).outputs.angles).max())


def own_looks(rig, frame: int) -> list:
    """View directions of chest, head and eyes at a frame, each in the frame of the part below it."""
    bpy.context.scene.frame_set(frame)
    parts = [rig.pose.bones[name].matrix.to_quaternion() for name in ("chest", "head", "eyes")]
    below = [Quaternion(), *parts[:-1]]
    return [
        tuple(base.inverted() @ part @ Vector((0, 1, 0))) for base, part in zip(below, parts, strict=True)
    ]


@pytest.mark.every_blender
def test_eyes_lead_the_head_follows_and_the_torso_hardly_turns():
    rig, (torso, head, eyes) = eyes_head_torso()
    torso.share, torso.lag, head.share, head.lag = 0.2, 0.8, 0.7, 0.4
    torso.change, head.change, eyes.change = 0.8, 0.5, 0.15
    for joint in eyes.joints:
        joint.lower, joint.upper = -1.5, 1.5  # an eye does not look backward through its head
    at = eyes.target
    at.location = (0.0, 0.0, 2.5)
    at.keyframe_insert("location", frame=1)
    at.keyframe_insert("location", frame=3)
    at.location = (1.5, 0.0, 1.6)
    at.keyframe_insert("location", frame=5)
    live_motion(rig, [torso, head, eyes], FRAMES[:1])
    looks = np.array([own_looks(rig, frame) for frame in FRAMES])
    torso_way, head_way, eyes_way = np.arccos(np.clip(np.sum(looks * looks[0], axis=2), -1.0, 1.0)).T
    assert missed(rig, eyes) < 0.1
    assert eyes_way[8] > 3 * head_way[8] > 3 * torso_way[8]  # eyes arrive first
    assert eyes_way[-1] < 0.5 * eyes_way.max()  # and return while the head arrives
    assert head_way[-1] > 0.2
    assert torso_way[-1] > 0.02


def test_the_eyes_make_up_for_chains_that_lag():
    rig, (torso, head, eyes) = eyes_head_torso()
    torso.share, torso.lag, head.share, head.lag, head.dead_zone = 0.2, 0.8, 0.7, 0.3, 0.1
    keyed(eyes.target, (1, 40), end=(0.8, 0.4, 2.2))
    live_motion(rig, [torso, head, eyes], [1])
    for frame in range(2, 45):
        bpy.context.scene.frame_set(frame)
        assert session(rig, eyes).outputs.filtered_aim_error < 1e-4, frame
    assert missed(rig, head) > 3


def test_a_share_is_a_part_of_the_angle():
    rig, (_, head, _) = eyes_head_torso()
    whole = None
    for share in (1.0, 0.5, 0.25, 0.0):
        choose(head, share=share)
        now = go_live(rig, head) if not head.live else session(rig, head)
        settle()
        assert now.outputs.filtered_aim_error < 1e-5, "the goal that is asked is met exactly"
        whole = missed(rig, head) if share == 0.0 else whole
    for share in (0.25, 0.5, 1.0):
        choose(head, share=share)
        settle()
        # seen from the eye's current position, which moves slightly with the share
        assert missed(rig, head) == pytest.approx((1 - share) * whole, abs=0.12 * whole)


def test_a_dead_zone_is_left_by_the_target_before_the_chain_moves():
    rig, chain = looking_chain()
    chain.dead_zone = 0.2
    go_live(rig, chain)
    before = session(rig, chain).outputs.angles.copy()
    place = chain.target.location.copy()
    chain.target.location = place * 1.05
    settle()
    assert np.abs(session(rig, chain).outputs.angles - before).max() < 0.05
    chain.target.location = (-0.7, 0.3, 0.2)
    settle()
    assert np.abs(session(rig, chain).outputs.angles - before).max() > 0.3
    assert 2 < missed(rig, chain) < 30


def test_the_clock_runs_until_a_lag_is_made_up_and_no_longer():
    rig, chain = looking_chain()
    chain.lag = 0.5
    as_good_as_unfiltered(chain)
    go_live(rig, chain)
    chain.target.location = (-0.7, 0.3, 0.2)
    bpy.context.view_layer.update()
    assert live.scene_updated(bpy.context.scene, depsgraph())
    assert live.advance_clock(bpy.context.scene, depsgraph(), 10.0)
    assert missed(rig, chain) > 10
    settle()
    bpy.context.view_layer.update()
    assert missed(rig, chain) < 0.1
    assert not live.scene_updated(bpy.context.scene, depsgraph())


@pytest.fixture
def between_two():
    """A chain that keyframes switch to another target and back."""
    rig, chain = looking_chain()
    other = target((-0.7, 0.4, 0.3), "Other")
    other.select_set(True)
    chain.target.select_set(False)
    assert bpy.ops.limber.add_target() == {"FINISHED"}
    assert chain.targets[0].target == other
    for frame, number in ((1, 0), (10, 1), (30, 0)):
        chain.watch = number
        chain.keyframe_insert("watch", frame=frame)
    for curve in actions.fcurves(*actions.playing(rig)[0]):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    as_good_as_unfiltered(chain)
    return rig, chain


def test_keys_switch_between_targets_by_a_glide(between_two):
    rig, chain = between_two
    rows = np.array(list(live_motion(rig, [chain], FRAMES).values()))
    whole = np.abs(rows[25] - rows[0]).max()
    assert whole > 0.5
    # a jump would make the whole change in one frame
    assert np.abs(np.diff(rows, axis=0)).max() < 0.35 * whole
    bpy.context.scene.frame_set(1)
    for frame in range(2, 31):
        bpy.context.scene.frame_set(frame)
    assert session(rig, chain).attention.of == chain.target.session_uid
    bpy.context.scene.frame_set(28)  # a jump, so that the chain is at rest at the other target
    assert session(rig, chain).attention.of == chain.targets[0].target.session_uid
    chain.target = chain.targets[0].target  # setting by which the error is measured
    assert missed(rig, chain) < 0.1


def test_what_is_switched_lagged_and_shared_is_baked_as_live_shows_it(between_two):
    rig, chain = between_two
    keyed(chain.target, (1, 48))
    chain.lag, chain.dead_zone, chain.share = 0.3, 0.1, 0.8
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    motion = live_motion(rig, [chain], FRAMES)
    work = begin(chain)
    while work.step():
        pass
    work.finish()
    assert apart(motion, played(rig, [chain], FRAMES)) < 1e-6


def test_a_removed_target_takes_nothing_of_the_others_keys(between_two):
    rig, chain = between_two
    third = target((0.1, 0.9, 0.3), "Third")
    chain.targets.add().target = third
    chain.watch = 2
    chain.keyframe_insert("watch", frame=40)
    chain.active_target = 0
    assert bpy.ops.limber.remove_target() == {"FINISHED"}
    from limber.rig.scene.goal import with_goal

    seen = {}
    for frame in (5, 15, 45):
        bpy.context.scene.frame_set(frame)
        seen[frame] = with_goal(chain)[0].target.name
    assert seen == {5: "Target", 15: "Target", 45: "Third"}
    assert live_motion(rig, [chain], [45])


@pytest.mark.every_blender
def test_a_target_without_object_is_said_by_number_with_the_remedy(between_two):
    rig, chain = between_two
    rig.animation_data_clear()
    chain.targets[0].target, chain.watch = None, 1
    with pytest.raises(RuntimeError, match="target 1, which has no object: choose one"):
        bpy.ops.limber.live()
    chain.watch = 0
    assert bpy.ops.limber.live() == {"FINISHED"}


def test_a_chain_without_a_target_of_its_own_follows_and_bakes_the_one_that_it_watches(between_two):
    rig, chain = between_two
    rig.animation_data_clear()
    chain.target, chain.watch = None, 1
    assert bpy.ops.limber.live() == {"FINISHED"}
    settle()
    assert session(rig, chain).outputs.filtered_aim_error < 1e-4
    chain.frame_start, chain.frame_end = 1, 3
    assert bpy.ops.limber.bake(everything=True) == {"FINISHED"}


def test_without_further_targets_there_is_nothing_to_remove():
    looking_chain()
    with pytest.raises(RuntimeError, match="press Add Target"):
        bpy.ops.limber.remove_target()


@pytest.mark.every_blender
def test_targets_and_manners_come_back_with_undo_and_the_file(between_two, reopen):
    _, chain = between_two
    chain.lag, chain.dead_zone, chain.share, chain.change = 0.25, 0.125, 0.75, 1.5
    bpy.ops.ed.undo_push(message="set")
    bpy.ops.limber.remove_target()
    bpy.ops.ed.undo_push(message="removed")
    bpy.ops.ed.undo()
    reopen()
    chain = bpy.data.objects["Rig"].limber.chains[0]
    assert [item.target.name for item in chain.targets] == ["Other"]
    assert (chain.lag, chain.dead_zone, chain.share, chain.change) == (0.25, 0.125, 0.75, 1.5)


def test_a_chain_comes_after_what_moves_any_of_its_targets():
    from limber.rig.live.stage import SceneFrame, SceneStage

    rig = build({"arm": "X", "hand": "XZ"}, name="Arm")
    rig, arm = looking_chain(rig, "arm", "hand")
    other, eye = looking_chain(build({"neck": "YX", "eye": "XZ"}, name="Eye"), "neck", "eye", at=arm.target)
    held = target((0.0, 0.0, 0.1), "Held")
    held.parent, held.parent_type, held.parent_bone = rig, "BONE", "hand"
    eye.targets.add().target = held
    rig.name = "Z"  # by name it would come last
    scene = SceneFrame(SceneStage(), [(other, eye), (rig, arm)], depsgraph())
    assert [scene.movers[k].settings for k in scene.order().indices] == [arm, eye]
