"""Tests events while a robot is armed: undo, loading, deleting, renaming, baking, the worker's death,
disabling the extension.
"""

import bpy
import limber
import numpy as np
import pytest

from tests.blender.drawing import drawn
from tests.blender.rigs import keyed, make_active
from tests.blender.robots import (
    a_while,
    arm,
    connect,
    is_at,
    kill,
    robot_rig,
    settle,
    state,
    status,
    until,
    worker,
)
from tests.hardware.processes import is_running
from tests.hardware.served_bus import ServedBus


@pytest.fixture
def chain():
    return robot_rig()[1]


def beat() -> None:
    from limber.rig.robot import sending

    sending.heartbeat()


def commanded(rig) -> np.ndarray:
    return np.array(status(rig).commanded)


@pytest.mark.every_blender
def test_deleting_the_armature_closes_its_robot(rig):
    arm(rig)
    pid = worker(rig)
    make_active(rig)
    bpy.ops.object.delete()
    beat()
    until(lambda: not is_running(pid), "its worker has ended")
    bpy.ops.limber.stop()
    beat()


def test_taking_the_armature_out_of_every_scene_closes_its_robot(rig):
    arm(rig)
    pid = worker(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    beat()
    until(lambda: not is_running(pid), "its worker has ended")


def test_renaming_the_armature_keeps_its_robot(rig):
    arm(rig)
    rig.name = "Lamp"
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    until(
        lambda: commanded(rig)[2] == pytest.approx(0.2, abs=0.01) and state(rig) == "ARMED",
        "the robot goes on following",
    )


def test_another_armature_of_that_name_does_not_get_the_robot(rig):
    arm(rig)
    pid = worker(rig)
    make_active(rig)
    bpy.ops.object.delete()
    other, _ = robot_rig()
    assert other.name == "Rig"
    beat()
    until(lambda: not is_running(pid), "its worker has ended")
    assert state(other) == "NONE"


def test_a_joint_that_is_not_known_any_more_keeps_its_angle(rig, chain):
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    arm(rig)
    until(lambda: is_at(rig, [0, 0, 0.2, 0, 0, 0]), "the robot has come")
    rig.data.bones["middle"].name = "waist"
    rig.pose.bones["upper"].rotation_euler.x = 0.1
    until(lambda: is_at(rig, [0, 0, 0.2, 0.1, 0, 0]), "the others follow, and it stays")
    until(lambda: state(rig) == "ARMED", "it is armed, if need be again after a missed beat")


def test_removing_the_chain_leaves_the_robot_where_it_is(rig, chain):
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    arm(rig)
    settle(rig, [0, 0, 0.2, 0, 0, 0], "the robot has come")
    bpy.ops.limber.remove_chain()
    rig.pose.bones["upper"].rotation_euler.x = 0.3
    sent = status(rig).sent
    until(lambda: status(rig).sent > sent + 50, "the robot has heard more")
    assert is_at(rig, [0, 0, 0.2, 0, 0, 0])
    until(lambda: state(rig) == "ARMED", "it is armed, if need be again after a missed beat")


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
def test_the_robot_follows_a_joint_whatever_its_bones_rotation_mode(rig, chain, mode):
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    rig.pose.bones["middle"].rotation_mode = mode
    arm(rig)
    until(lambda: is_at(rig, [0, 0, 0.2, 0, 0, 0]), "the robot has come")


def test_undo_and_redo_keep_the_robot_armed_and_following(undo_step):
    rig, _ = robot_rig()
    undo_step("rig")
    arm(rig)
    pid = worker(rig)
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    undo_step("pose")
    until(lambda: is_at(rig, [0, 0, 0.2, 0, 0, 0]), "the robot has come")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    until(lambda: is_at(rig, [0, 0, 0, 0, 0, 0]), "the robot has gone back")
    bpy.ops.ed.redo()
    rig = bpy.data.objects["Rig"]
    until(lambda: is_at(rig, [0, 0, 0.2, 0, 0, 0]), "the robot has come again")
    until(lambda: state(rig) == "ARMED", "it is armed, if need be again after a missed beat")
    assert worker(rig) == pid


def test_undoing_the_armatures_making_closes_its_robot(undo_step):
    rig, _ = robot_rig()
    undo_step("rig")
    arm(rig)
    pid = worker(rig)
    bpy.ops.ed.undo()
    assert "Rig" not in bpy.data.objects
    beat()
    until(lambda: not is_running(pid), "its worker has ended")


def test_undo_while_live_keeps_streaming(undo_step):
    from limber.rig.live import live

    rig, chain = robot_rig()
    undo_step("rig")
    bpy.ops.limber.live()
    undo_step("Live")
    arm(rig)
    chain.target.location.x = 0.1
    undo_step("Move")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    bpy.context.scene.frame_set(2)
    session = live.session(rig, chain)
    assert session.problem == ""
    wanted = dict(zip(session.reader.joint_keys, session.outputs.angles.tolist(), strict=True))
    until(
        lambda: is_at(rig, [wanted[joint.bone, joint.axis] for joint in chain.joints]),
        "the robot follows live",
    )


def test_loading_a_file_while_streaming_ends_worker_and_link(rig, chain, tmp_path):
    path = str(tmp_path / "robot.blend")
    keyed(chain.target, (1, 30), end=(-0.1, -0.5, 1.2))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.limber.live()
    arm(rig)
    pid = worker(rig)
    bpy.context.scene.frame_set(3)
    bpy.ops.wm.open_mainfile(filepath=path)
    until(lambda: not is_running(pid), "its worker has ended")
    rig = bpy.data.objects["Rig"]
    assert state(rig) == "NONE"
    beat()
    arm(rig)


def test_saving_while_streaming_keeps_the_robot_armed(rig, tmp_path):
    bpy.ops.limber.live()
    arm(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "robot.blend"))
    before = status(rig).sent
    until(lambda: status(rig).sent > before + 10 and state(rig) == "ARMED", "it streams on")


def test_unregistering_while_streaming_ends_worker_and_link(rig):
    bpy.ops.limber.live()
    arm(rig)
    pid = worker(rig)
    limber.unregister()
    try:
        until(lambda: not is_running(pid), "its worker has ended")
    finally:
        limber.register()
    assert state(rig) == "NONE"


def test_a_worker_that_dies_is_told_live_goes_on_and_clear_fault_starts_a_new_one(rig, chain):
    from limber.rig.live import live

    keyed(chain.target, (1, 30), end=(-0.1, -0.5, 1.2))
    bpy.ops.limber.live()
    arm(rig)
    kill(worker(rig))
    until(lambda: state(rig) == "WORKER_LOST", "the loss is noticed")
    assert "press Clear Fault" in status(rig).sentence
    angles = []
    for frame in (1, 2, 3):
        bpy.context.scene.frame_set(frame)
        angles.append(live.session(rig, chain).outputs.angles)
    assert live.session(rig, chain).problem == ""
    assert np.abs(angles[2] - angles[0]).max() > 0
    bpy.ops.limber.clear_fault()
    until(lambda: state(rig) == "DISARMED", "a new worker has connected")
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "the robot is armed again")


def test_closing_a_dead_workers_link_is_no_trouble(rig):
    arm(rig)
    kill(worker(rig))
    bpy.ops.limber.disconnect()
    assert state(rig) == "NONE"


def test_baking_does_not_move_the_robot(rig, chain):
    """Neither the frames that it evaluates nor its results: the robot stands still until live motion or the
    pose continues.
    """
    from limber.rig.output.bake import Bake

    bone = rig.pose.bones["middle"]
    for frame, angle in ((1, 0.0), (30, 0.4)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    arm(rig)
    before = commanded(rig)
    bake = Bake(bpy.context.scene, [(rig, chain)], 1, 30)
    for _ in range(29):
        bake.step()
        assert commanded(rig) == pytest.approx(before, abs=1e-6)
    assert bpy.context.scene.frame_current == 29
    for _ in a_while():
        assert commanded(rig) == pytest.approx(before, abs=1e-6)
    bake.cancel()
    bpy.context.scene.frame_set(20)
    until(lambda: is_at(rig, [0, 0, bone.rotation_euler.x, 0, 0, 0]), "the robot follows the scene again")


def test_an_angle_that_is_not_a_number_stops_nothing(rig):
    arm(rig)
    rig.pose.bones["middle"].rotation_euler.x = float("nan")
    for _ in a_while():
        assert np.isfinite(commanded(rig)).all()
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    until(lambda: is_at(rig, [0, 0, 0.2, 0, 0, 0]), "the robot follows again")


def test_angles_beyond_a_joints_limits_are_held_at_them(rig, chain):
    chain.joints[2].upper = 0.3
    arm(rig)
    rig.pose.bones["middle"].rotation_euler.x = 3.0
    until(lambda: is_at(rig, [0, 0, 0.3, 0, 0, 0]), "the robot is at its limit")
    assert commanded(rig).max() <= 0.3 + 1e-6


def test_a_worker_that_hangs_is_told_and_replaced(rig):
    import os
    import signal

    arm(rig)
    pid = worker(rig)
    os.kill(pid, signal.SIGSTOP)
    until(lambda: state(rig) == "WORKER_LOST", "it is noticed")
    assert "hangs" in status(rig).sentence
    bpy.ops.limber.clear_fault()
    until(lambda: state(rig) == "DISARMED", "a new worker has connected")
    until(lambda: not is_running(pid), "its worker has ended")


@pytest.mark.parametrize("ending", ["button", "undo", "bake", "delete the chain"])
def test_the_robot_is_disarmed_when_live_ends_however_it_ends(rig, chain, undo_step, ending):
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    undo_step("posed")
    bpy.ops.limber.live()
    undo_step("live")
    arm(rig)
    if ending == "button":
        bpy.ops.limber.end_live()
    elif ending == "undo":
        bpy.ops.ed.undo()
        rig = bpy.data.objects["Rig"]
    elif ending == "bake":
        chain.frame_start, chain.frame_end = 1, 3
        bpy.ops.limber.bake()
    else:
        bpy.ops.limber.remove_chain()
    until(lambda: state(rig) == "DISARMED", "the robot is disarmed")
    assert "live motion has ended" in status(rig).sentence
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "it follows what is posed")
    bpy.ops.limber.stop()
    until(lambda: state(rig) == "FAULT", "the user has stopped it")
    bpy.ops.limber.clear_fault()
    until(lambda: state(rig) == "DISARMED", "the fault is cleared")
    assert "live motion" not in status(rig).sentence


def test_a_robot_that_was_armed_without_live_follows_and_stays_armed(rig):
    arm(rig)
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    until(lambda: is_at(rig, [0, 0, 0.2, 0, 0, 0]), "the robot follows the pose")
    until(lambda: state(rig) == "ARMED", "it is armed, if need be again after a missed beat")


def test_of_a_robot_that_was_stopped_and_then_unplugged_the_panel_says_that_it_is_not_reached(rig, chain):
    from limber.panels.robot.robot import LIMBER_PT_robot

    rig.limber.device.protocol = "dynamixel"
    with ServedBus(dict.fromkeys((joint.servo for joint in chain.joints), 2048.0), "dynamixel") as bus:
        rig.limber.device.port = bus.port
        connect(rig)
        bpy.ops.limber.stop()
        until(lambda: state(rig) == "FAULT", "it is stopped")
        assert status(rig).is_reached
        assert drawn(LIMBER_PT_robot).said.startswith("Stopped: ")
    until(lambda: not status(rig).is_reached, "the port has ended")
    assert drawn(LIMBER_PT_robot).said.startswith("Not reached: nothing is known now of the robot on ")
    assert "Stopped: make sure that all is safe, press Clear Fault" in status(rig).sentence
