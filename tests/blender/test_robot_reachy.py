"""Tests Reachy Mini of the gallery with a daemon: it looks, its motors follow, the ghost shows their angles,
and poses out of reach are reported.
"""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.robots import connect, state, status, until
from tests.hardware.served_daemon import ServedDaemon

AWAKE = (0.0, 0.6, -0.6, 0.6, -0.6, 0.6, -0.6, 0.1, -0.1)  # [rad] angles of the daemon's motors


@pytest.fixture
def reachy():
    assert bpy.ops.limber.add_robot(robot="reachy_mini") == {"FINISHED"}
    return bpy.context.active_object


def mechanism(rig):
    from limber.rig.live.movers import live_of
    from limber.rig.live.runtime import session

    return next(session(*mover) for mover in live_of(rig) if mover.settings == rig.limber.mechanism)


@pytest.mark.every_blender
def test_the_robot_of_the_gallery_looks_through_its_daemon(reachy):
    from limber.rig.robot import ghost, links

    with ServedDaemon(AWAKE) as daemon:
        reachy.limber.device.port = daemon.address
        connect(reachy)
        found = dict(
            zip(
                (joint.name for joint in links.link(reachy).device.joints),
                status(reachy).positions,
                strict=True,
            )
        )
        assert len(found) == 9
        assert sorted(found.values()) == pytest.approx(
            sorted((*AWAKE[:7], -0.1, 0.1)), abs=1e-6
        )  # antennas: the URDF's signs
        bpy.ops.limber.live_all()
        bpy.context.scene.frame_set(20)
        bpy.ops.limber.arm()
        until(lambda: state(reachy) == "ARMED", "the robot follows")
        session = mechanism(reachy)

        def follows() -> bool:
            known = status(reachy)
            values = [session.values()[source.bone, source.axis] for source in links.sources(reachy)]
            return known.measured is not None and np.abs(np.subtract(known.measured, values)).max() < 1e-5

        until(follows, "the motors are where the mechanism has them")
        # on a busy computer the daemon, a process of its own, may be late
        assert [
            warning for warning in status(reachy).warnings if "reads what it is sent" not in warning
        ] == []
        shown = reachy.evaluated_get(bpy.context.evaluated_depsgraph_get())
        head = shown.matrix_world @ shown.pose.bones["head"].head
        assert min((head - Vector(start)).length for start, _ in ghost.segments(reachy)) < 1e-4
        bpy.ops.limber.stop()
        until(lambda: state(reachy) == "FAULT", "it is stopped")
        bpy.ops.limber.clear_fault()
        until(lambda: state(reachy) == "DISARMED", "the fault is cleared")
        daemon.fall_silent()
        until(
            lambda: "does not say where its motors are" in status(reachy).sentence,
            "the daemon's silence is told",
        )
        bpy.ops.limber.disconnect()


def test_a_pose_out_of_reach_is_told_by_its_motors_and_the_head_goes_as_far_as_it_can_without_a_jump(reachy):
    scene = bpy.context.scene
    bpy.ops.limber.live_all()
    scene.frame_set(1)
    bpy.ops.limber.end_live()  # ends the gaze: the head's control is posed by hand
    session = mechanism(reachy)
    for frame in range(2, 60):
        scene.frame_set(frame)
    assert session.remark == ""
    control = reachy.pose.bones["Head Control"]
    control.location, control.rotation_euler = (
        (0.03, 0.03, 0.02),
        (
            0.69,
            0.69,
            0.0,
        ),
    )  # each alone is within reach
    motors = [motor for motor in reachy.limber.mechanism.motors if motor.bone.startswith("stewart")]
    limits = {(motor.bone, motor.axis): motor for motor in motors}
    before, told = session.values(), []
    for frame in range(60, 160):
        scene.frame_set(frame)
        after = session.values()
        told.append(session.remark)
        for place, motor in limits.items():
            assert motor.lower - 1e-6 <= after[place] <= motor.upper + 1e-6
            assert abs(after[place] - before[place]) <= 1.001 * motor.velocity / scene.render.fps
        before = after
    assert told[1], "within a tenth of a second"
    assert "cannot be met" in told[-1]
    assert "stewart" in told[-1]
    assert session.record.is_at_rest
