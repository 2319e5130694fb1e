"""Tests the sentences of panels about a state, in addition to buttons and settings."""

from itertools import pairwise

import bpy
import pytest
from limber.rig.live import live

from tests.blender.drawing import drawn
from tests.blender.figures import XSENS, figure
from tests.blender.osc_figure import osc_figure
from tests.blender.osc_sender import free_port, packet
from tests.blender.rigs import looking_chain


@pytest.fixture
def chain():
    return looking_chain()[1]


def said(panel) -> str:
    return drawn(panel).said


@pytest.mark.every_blender
def test_retarget_says_where_a_clip_comes_from_and_that_nothing_has_come_yet():
    from limber.panels.authoring.retarget import LIMBER_PT_retarget

    retarget = figure(XSENS, "Body").limber.retarget
    assert "Import a clip (File > Import > Motion Capture), then choose its armature as the source" in said(
        LIMBER_PT_retarget
    )
    retarget.input, retarget.port = "OSC", free_port()
    bpy.ops.limber.listen()
    assert "Listening: nothing has come yet" in said(LIMBER_PT_retarget)


def test_export_says_what_goes_out_filtered(chain):
    from limber.panels.output.export import LIMBER_PT_export

    assert "Nothing is live: the motion goes out as posed or animated" in said(LIMBER_PT_export)
    bpy.ops.limber.live()
    assert "Filtered, as live: Chain 'head'" in said(LIMBER_PT_export)


@pytest.mark.every_blender
def test_a_live_motion_cannot_be_early(rig, chain):
    from limber.panels.robot.robot import LIMBER_PT_robot_options

    rig.limber.device.latency = -0.1
    assert "cannot be early" not in said(LIMBER_PT_robot_options)
    bpy.ops.limber.live()
    assert "Live motion cannot be early: bake it" in said(LIMBER_PT_robot_options)


def test_a_recording_counts_its_frames_and_says_what_can_be_done_meanwhile(chain):
    from limber.panels.output.bake import LIMBER_PT_record

    bpy.ops.limber.live()
    bpy.ops.limber.record_live()
    for frame in (2, 3, 4):
        bpy.context.scene.frame_set(frame)
    assert "Recording: 3 frames in 1 take. Move targets, switch postures, let it play" in said(
        LIMBER_PT_record
    )
    for frame in (2, 3):
        bpy.context.scene.frame_set(frame)
    assert "Recording: 5 frames in 2 takes." in said(LIMBER_PT_record)


def test_servos_are_tried_once_the_robot_is_connected(chain):
    from limber.panels.robot.servos import LIMBER_PT_channels

    assert "Press Connect to try servos one by one" in said(LIMBER_PT_channels)


def test_deviations_are_of_live_chains(chain):
    from limber.panels.live.deviation import LIMBER_PT_deviation

    assert "Press Start Live to see how far each bone is from its posture" in said(LIMBER_PT_deviation)


@pytest.mark.every_blender
def test_motion_in_which_nothing_was_found_says_which_frames_it_is(chain):
    from limber.panels.output.motion_check import LIMBER_PT_motion_check

    bpy.context.scene.frame_end = 3
    bpy.ops.limber.check_motion()
    assert "Frames 1 to 3: nothing was found" in said(LIMBER_PT_motion_check)


@pytest.mark.every_blender
def test_lost_targets_are_counted_and_have_no_part_in_the_mean_error():
    with osc_figure() as (rig, send):
        for name in ("Pelvis", "Head"):
            send(packet(f"/limber/link/{name}", 1.0, 0.0, 0.0, 0.0))
        bpy.ops.limber.pair_bones()
        rig.limber.retarget.gain = 1.0  # part of the error stays in each frame
        bpy.ops.limber.live()
        tick(0.0)
        assert "Lost targets" not in outcome()

        send(packet("/limber/link/Head", 0.0, 0.0, 0.0, 0.0))
        send(packet("/limber/link/Pelvis", 0.8, 0.6, 0.0, 0.0))
        tick(0.1)
        tick(0.2)
        told = outcome()
        assert told["Rotation error, mean"] == told["Largest: Pelvis"] != "0.0°"
        assert told["Lost targets"] == "1 of 2"

        send(packet("/limber/link/Pelvis", 0.0, 0.0, 0.0, 0.0))
        tick(0.3)
        told = outcome()
        assert told["Lost targets"] == "2 of 2"
        assert "Rotation error, mean" not in told


def outcome() -> dict[str, str]:
    """Rows of the Retarget panel on the last solution."""
    from limber.panels.authoring.retarget import LIMBER_PT_retarget

    return dict(pairwise(drawn(LIMBER_PT_retarget).labels))


def tick(seconds: float) -> None:
    live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), seconds)
