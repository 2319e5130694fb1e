"""Tests recording a body that follows: a take plays as it was shown live, with the gaze on top, also for data
from the network.
"""

from math import cos, radians, sin

import bpy
import pytest
from limber.rig.blender import actions
from limber.rig.bodies import receiver
from limber.rig.live import live

from tests.blender import at_hand
from tests.blender.figures import XSENS, called, figure
from tests.blender.following import follower, motion
from tests.blender.osc_sender import free_port, packet, sending_to
from tests.blender.rigs import apart, looking_chain, make_active, target
from tests.blender.shown import no_handler_raises, traces  # noqa: F401

pytestmark = pytest.mark.every_blender


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_what_is_recorded_of_a_body_plays_as_live_showed_it(mode: str):
    rig, _ = follower(mode)
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    before = rig.animation_data.action
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    shown = motion(rig, range(2, 15))
    bpy.ops.limber.keep_takes()
    assert not rig.limber.retarget.live
    assert traces() == []
    assert rig.animation_data.action != before
    assert before.use_fake_user
    assert apart(motion(rig, range(2, 15)), shown) < 5e-5


def test_a_take_has_the_gaze_of_live_chains_on_top_of_what_the_body_does():
    rig, _ = follower()
    looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((1.0, -2.0, 1.0)))
    at_hand.live(rig.limber.retarget)
    bpy.context.scene.frame_set(1)
    without = motion(rig, range(2, 12))
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.record_live()
    shown = motion(rig, range(2, 12))
    assert apart(without, shown) > 0.1
    bpy.ops.limber.keep_takes()
    assert not rig.limber.chains[0].live
    assert apart(motion(rig, range(2, 12)), shown) < 5e-5


def test_each_pass_over_the_frames_is_a_take_of_its_own():
    rig, source = follower()
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    first = motion(rig, range(2, 12))
    source.animation_data_clear()
    second = motion(rig, range(2, 8))
    assert apart(first[: len(second)], second) > 0.05
    bpy.ops.limber.keep_takes()
    assert apart(motion(rig, range(2, 8)), second) < 5e-5
    actions.assign(rig, bpy.data.actions["Body Take 1"])
    assert apart(motion(rig, range(2, 12)), first) < 5e-5


def test_what_another_program_sends_is_recorded_frame_by_frame_and_plays_when_it_sends_no_more():
    rig = figure(XSENS, "Body")
    retarget = rig.limber.retarget
    retarget.input, retarget.port = "OSC", free_port()
    bpy.ops.limber.listen()
    with sending_to(receiver.find(retarget.host, retarget.port)) as put:

        def send(name: str, *turn: float) -> None:
            put(packet(f"/limber/link/{name}", *turn))

        for name in ("Pelvis", "T8", "Head", "LeftUpperArm"):
            send(name, 1.0, 0.0, 0.0, 0.0)
        bpy.ops.limber.pair_bones()
        bpy.ops.limber.live()
        with pytest.raises(
            RuntimeError, match="press Record Live and play the scene while the stream comes in"
        ):
            bpy.ops.limber.bake()
        bpy.ops.limber.record_live()
        shown = []
        for frame in range(2, 12):
            half = radians(2.0 * frame)
            send("LeftUpperArm", cos(half), sin(half), 0.0, 0.0)
            shown += motion(rig, (frame,))
    assert apart(shown[: len(rig.pose.bones)], shown[-len(rig.pose.bones) :]) > 0.2, "the arm was raised"
    bpy.ops.limber.keep_takes()
    bpy.ops.limber.end_listen()
    assert apart(motion(rig, range(2, 12)), shown) < 5e-5


def test_what_was_recorded_is_kept_where_following_ends_first_and_dropped_where_it_is_not_wanted():
    rig, _ = follower()
    with pytest.raises(RuntimeError, match="Nothing of 'Body' is live: press Start Live first"):
        bpy.ops.limber.record_live()
    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    motion(rig, range(2, 6))
    bpy.ops.limber.drop_takes()
    assert rig.limber.retarget.live
    bpy.context.scene.frame_set(1)
    bpy.ops.limber.record_live()
    shown = motion(rig, range(2, 6))
    bpy.ops.limber.end_live()
    make_active(rig)
    bpy.ops.limber.keep_takes()
    assert apart(motion(rig, range(2, 6)), shown) < 5e-5
    assert live.live_movers() == []
