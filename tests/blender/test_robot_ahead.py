"""Tests a negative delay: while keyframes play, the robot gets the values of a later frame."""

import bpy
import pytest
from limber.motion import Kinematic, extrapolated
from limber.rig.events import handlers
from limber.rig.live import live
from limber.rig.live.movers import live_of
from limber.rig.live.runtime import session
from limber.rig.robot import links, lookahead, sending
from limber.rig.robot.device import Source

from tests.blender.rigs import keyed
from tests.blender.robots import connect, robot_rig


@pytest.fixture
def chain():
    chain = robot_rig()[1]
    scene, bone = bpy.context.scene, chain.id_data.pose.bones["middle"]
    scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base = 1, 101, 25, 1.0
    for frame in (1, 101):
        bone.rotation_euler.x = 0.01 * (frame - 1)
        bone.keyframe_insert("rotation_euler", index=0, frame=frame)
    for curve in curves(chain.id_data):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    scene.frame_set(11)
    return chain


def curves(rig):
    from limber.rig.blender import actions

    return actions.fcurves(rig.animation_data.action)


def plays(monkeypatch) -> None:
    """Makes the scene play, which is otherwise only possible in a window."""
    monkeypatch.setattr(lookahead, "playing_scene", lambda rig: bpy.context.scene)
    monkeypatch.setattr(sending, "is_playing", lambda: True)


def source(chain) -> Source:
    return Source(chain.uid, "middle", "X")


def handed(rig) -> dict[str, Kinematic]:
    """Values handed over last, by the joints' names."""
    link = links.link(rig)
    return {joint.name: motion for joint, motion in zip(link.device.joints, link._motion, strict=True)}


def sent(rig) -> dict[str, float]:
    return {name: motion.position for name, motion in handed(rig).items()}


@pytest.mark.every_blender
@pytest.mark.parametrize(("delay", "frame"), [(-0.4, 21), (-1.0, 36), (0.0, 11), (0.4, 11)])
def test_while_keys_play_the_robot_gets_what_they_make_of_a_later_frame(chain, monkeypatch, delay, frame):
    rig = chain.id_data
    rig.limber.device.latency = delay
    plays(monkeypatch)
    connect(rig)
    sending.send(rig)
    assert sent(rig)["middle X"] == pytest.approx(0.01 * (frame - 1), abs=1e-6)
    assert sent(rig)["base Y"] == pytest.approx(0.0)  # without keyframes: the current value


@pytest.mark.every_blender
def test_while_keys_play_each_value_says_where_its_joint_will_be_a_frame_later(chain, monkeypatch):
    rig = chain.id_data
    connect(rig)
    sending.send(rig)
    assert extrapolated(handed(rig)["middle X"], 1.0) == pytest.approx(0.1, abs=1e-6), "nothing plays"
    plays(monkeypatch)
    sending.send(rig)
    assert handed(rig)["middle X"].position == pytest.approx(0.1, abs=1e-6)
    assert extrapolated(handed(rig)["middle X"], 1.0) == pytest.approx(0.11, abs=1e-6)
    rig.pose.bones["middle"].rotation_euler.x = 0.3  # by hand: the keyframes do not contain it
    sending.send(rig)
    assert extrapolated(handed(rig)["middle X"], 1.0) == pytest.approx(0.3, abs=1e-6)


@pytest.mark.every_blender
def test_a_robot_does_not_set_out_for_the_first_frame_on_the_last_one(chain, monkeypatch):
    rig, scene = chain.id_data, bpy.context.scene
    plays(monkeypatch)
    connect(rig)
    for frame, way in ((100, 0.01), (101, 0.0)):
        scene.frame_set(frame)
        sending.send(rig)
        motion = handed(rig)["middle X"]
        assert motion.position == pytest.approx(0.01 * (frame - 1), abs=1e-6)
        assert extrapolated(motion, 1.0) - motion.position == pytest.approx(way, abs=1e-6)


def test_between_two_frames_of_a_play_a_sign_of_life_is_no_frame(chain, monkeypatch):
    rig = chain.id_data
    plays(monkeypatch)
    connect(rig)
    bpy.context.scene.frame_set(12)
    link = links.link(rig)
    stamp, number, before = link._stamp, link._frame, sent(rig)
    rig.pose.bones["middle"].rotation_euler.x = 0.3
    sending.heartbeat()
    assert (link._stamp, link._frame) == (stamp, number + 1)
    assert sent(rig) == before
    bpy.context.scene.frame_set(12)
    bpy.context.scene.frame_set(12)
    assert link._stamp > stamp, "a frame in which nothing moves is one"


@pytest.mark.every_blender
def test_what_stands_is_sent_as_it_stands(chain):
    rig = chain.id_data
    rig.limber.device.latency = -0.4
    connect(rig)
    sending.send(rig)
    assert sent(rig)["middle X"] == pytest.approx(0.1, abs=1e-6)


def test_after_the_last_frame_the_first_one_follows(chain):
    scene = bpy.context.scene
    scene.frame_set(100)
    assert lookahead.frame_ahead(scene, 0.04) == pytest.approx(101)
    assert lookahead.frame_ahead(scene, 0.12) == pytest.approx(2)
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 90, 101
    assert lookahead.frame_ahead(scene, 0.12) == pytest.approx(91)


def test_live_motion_and_what_drivers_make_are_not_known_ahead(chain):
    rig = chain.id_data
    assert lookahead.values_at(rig, (source(chain),), 31) == pytest.approx([0.3])
    chain.live = True
    assert lookahead.values_at(rig, (source(chain),), 31) == [None]
    chain.live = False
    rig.pose.bones["middle"].driver_add("rotation_euler", 0)
    assert lookahead.values_at(rig, (source(chain),), 31) == [None]


@pytest.mark.every_blender
def test_nla_strips_that_have_a_say_leave_values_as_they_are(chain):
    rig = chain.id_data
    rig.animation_data.nla_tracks.new()
    assert lookahead.values_at(rig, (source(chain),), 31) == [None]
    rig.animation_data.nla_tracks[0].mute = True
    assert lookahead.values_at(rig, (source(chain),), 31) == pytest.approx([0.3])


@pytest.mark.every_blender
def test_values_beside_the_joints_are_early_as_well(chain):
    rig = chain.id_data
    keyed(chain.target, (1, 101))
    value = rig.limber.device.auxiliaries.add()
    value.name, value.owner, value.path, value.servo = "far", chain.target, "location[1]", 30
    (later,) = lookahead.values_at(rig, (Source(auxiliary="far"),), 101)
    bpy.context.scene.frame_set(101)
    assert later == pytest.approx(chain.target.location.y)


@pytest.mark.every_blender
def test_while_it_plays_every_frame_counts_and_the_worker_knows_that_another_follows(chain, monkeypatch):
    rig = chain.id_data
    connect(rig)
    memory = links.link(rig)._memory
    resting = memory.read_orders()
    sending.heartbeat()
    assert (memory.read_orders().stamp, memory.read_orders().plays) == (
        resting.stamp,
        False,
    ), "equal values at rest are no frame"
    with monkeypatch.context() as playing:
        plays(playing)
        sending.send(rig)  # a frame in which nothing moves
        frame = memory.read_orders()
        assert (frame.stamp > resting.stamp, frame.plays) == (True, True)
        sending.heartbeat()
        between = memory.read_orders()
        assert (between.frame, between.stamp, between.plays) == (
            frame.frame + 1,
            frame.stamp,
            True,
        ), "a sign of life between two frames"
    sending.heartbeat()
    assert not memory.read_orders().plays


def test_between_two_frames_of_the_clock_a_sign_of_life_is_no_frame(chain):
    rig = chain.id_data
    value = rig.limber.device.auxiliaries.add()
    value.name, value.owner, value.path, value.servo, value.filter = "jaw", rig, '["jaw"]', 40, "default"
    rig["jaw"] = 0.0
    connect(rig)
    rig["jaw"] = 1.0  # it moves for a quarter of a second at least
    memory = links.link(rig)._memory
    before = memory.read_orders().stamp
    bpy.app.timers.register(handlers._clock)
    handlers._heartbeat()
    assert memory.read_orders().stamp == before
    bpy.app.timers.unregister(handlers._clock)
    handlers._heartbeat()
    assert memory.read_orders().stamp > before


def test_where_the_clocks_steps_come_late_velocities_are_per_the_time_that_was_announced(chain):
    """The clock catches up by up to a tenth of a second in a step, and had announced a sixtieth."""
    rig, scene = chain.id_data, bpy.context.scene
    bpy.ops.limber.live()
    connect(rig)
    depsgraph, link = bpy.context.evaluated_depsgraph_get(), links.link(rig)
    chain.target.location.x += 0.3
    bpy.context.view_layer.update()
    seen = 0
    for k in range(8):
        live.advance_clock(scene, depsgraph, 1000.0 + 0.1 * k)
        sending.send_scene(scene, depsgraph, 1 / 60)
        orders = link._memory.read_orders()
        states = {
            state.position: state
            for mover in live_of(rig)
            for state in session(*mover).motion().values()
            if state.velocity
        }
        for joint in orders.motion:
            if joint.velocity:
                state = states[joint.position]
                assert joint.velocity / orders.step == pytest.approx(state.velocity)
                assert joint.acceleration / orders.step**2 == pytest.approx(state.acceleration)
                seen += 1
    assert seen > 4
