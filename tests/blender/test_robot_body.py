"""Tests a robot with mass behind a port: an arm that lags, sags and reports its load follows Blender's
armature.
"""

from math import pi, sin

import bpy
import pytest

from tests.blender.rigs import make_active
from tests.blender.robots import connect, settle, state, status, until
from tests.hardware.served_bus import ServedBus
from tests.hardware.small_arm import ARM, HORNS
from tests.robots.robots import write

pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install -r requirements/dev.txt")

JOINTS = {"pan": 1, "shoulder": 2, "elbow": 3}


@pytest.fixture
def rig(tmp_path):
    """The arm, imported from its own model, with a chain whose joints have the servos."""
    bpy.ops.limber.import_robot(filepath=str(write(tmp_path, ARM, "small_arm.xml")))
    rig = bpy.context.active_object
    make_active(rig)
    from limber.rig.authoring.chains import new_chain
    from limber.rig.bones.imported_robot import records

    bones = {kept.branch.joint.name: name for name, kept in records(rig) if kept.axis}
    signs = {name: kept.sign for name, kept in records(rig)}
    chain = new_chain(rig, [bones["pan"], bones["elbow"]])
    rig.limber.device.protocol = "feetech_sts"
    for joint in chain.joints:
        name = next(name for name, bone in bones.items() if bone == joint.bone)
        joint.servo, joint.reverse = JOINTS[name], signs[joint.bone] < 0
        joint.lower, joint.upper = -1.4, 1.4
    return rig


def test_the_robot_that_follows_is_a_body_with_mass(rig, tmp_path):
    from limber.rig.bones.imported_robot import pose_joints

    def pose(time: float) -> None:
        pose_joints(rig, {"pan": 0.3 * sin(pi * time), "shoulder": -0.2, "elbow": 0.1 + 0.1 * sin(pi * time)})
        bpy.context.view_layer.update()

    pose(0.0)
    with ServedBus({}, body=write(tmp_path, ARM, "body.xml"), horns=HORNS) as bus:
        rig.limber.device.port = bus.port
        connect(rig)
        until(lambda: abs(status(rig).positions[1] or 0.0) > 0.5, "without torque it hangs")
        bpy.ops.limber.arm()
        until(lambda: state(rig) == "ARMED", "it follows")
        settle(rig, [0.0, -0.2, 0.1], "the arm is where Blender shows it")
        shoulder = status(rig).channels[1]
        assert 0.1 < abs(shoulder.load) < 0.6, "it tells what it carries"
        assert shoulder.current > 0.0
        pose(0.5)
        settle(rig, [0.3, -0.2, 0.2], "it has followed")
        bpy.ops.limber.disconnect()
