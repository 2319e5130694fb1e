"""Tests the robot's buttons with the virtual robot: connect, arm, follow, disarm, stop; its state is shown as
a sentence.
"""

import time

import bpy
import numpy as np
import pytest

from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active, target
from tests.blender.robots import a_while, arm, connect, is_at, robot_rig, state, status, until, worker
from tests.hardware.processes import is_running


@pytest.fixture
def chain():
    return robot_rig()[1]


def angles(rig) -> list[float]:
    """The posed angles, in the channels' order."""
    return [
        rig.pose.bones[joint.bone].rotation_euler["XYZ".index(joint.axis)]
        for chain in rig.limber.chains
        for joint in chain.joints
    ]


def filtered(rig, chain) -> list[float]:
    from limber.rig.live import live

    session = live.session(rig, chain)
    known = dict(zip(session.reader.joint_keys, session.outputs.angles.tolist(), strict=True))
    return [known[joint.bone, joint.axis] for joint in chain.joints]


def settle(rig) -> None:
    """Lets wall-clock time pass for live motion, as its clock does."""
    from limber.character.fixed_steps import STEP
    from limber.rig.live import live

    now = 0.0
    for _ in range(2000):
        now += STEP
        if not live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time=now):
            return
    raise AssertionError("live does not come to rest")


def test_the_virtual_robot_is_the_default():
    assert build(UPRIGHT).limber.device.port == "virtual"


def test_each_state_is_a_sentence_that_says_what_to_do(rig):
    bpy.ops.limber.connect()
    assert "Connecting" in status(rig).sentence or "Disarmed" in status(rig).sentence
    until(lambda: state(rig) == "DISARMED", "it is connected")
    assert "press Arm" in status(rig).sentence
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "it is armed")
    assert "follows" in status(rig).sentence


def test_connecting_moves_nothing(rig, chain):
    connect(rig)
    before = status(rig).measured
    rig.pose.bones["middle"].rotation_euler.x = 0.8
    for _ in a_while():
        assert status(rig).measured == before
    assert status(rig).sent == 0


def test_arming_moves_slowly_to_the_pose_and_then_the_robot_follows(rig, chain):
    rig.pose.bones["middle"].rotation_euler.x = 0.6
    connect(rig)
    until(lambda: status(rig).measured is not None, "the robot has told where it is")
    first = np.array(status(rig).measured)
    assert np.abs(first - angles(rig)).max() > 0.5, "it starts somewhere else"
    bpy.ops.limber.arm()
    seen = []
    until(lambda: seen.append(state(rig)) or state(rig) == "ARMED", "it has arrived")
    assert "ARMING" in seen, "arming takes its time"
    until(lambda: is_at(rig, angles(rig)), "the servos are where the armature is")
    rig.pose.bones["middle"].rotation_euler.x = 0.3
    until(lambda: is_at(rig, angles(rig)), "the servos have followed")
    until(lambda: state(rig) == "ARMED", "it is armed, if need be again after a missed beat")


def test_the_robot_follows_what_live_filters(rig, chain):
    bpy.ops.limber.live()
    arm(rig)
    for x in (0.1, -0.1):
        chain.target.location = (x, -0.5, 1.2)
        bpy.context.view_layer.update()
        settle(rig)
        until(lambda: is_at(rig, filtered(rig, chain)), "the servos are where live is")
        assert not is_at(rig, angles(rig), near=0.1), "what is authored is another pose"


def test_the_robot_follows_an_animation_frame_by_frame(rig, chain):
    keyed(chain.target, (1, 30), end=(-0.1, -0.5, 1.2))
    bpy.ops.limber.live()
    arm(rig)
    for frame in range(1, 31):
        bpy.context.scene.frame_set(frame)
    commanded = status(rig).commanded
    assert commanded is not None
    until(lambda: is_at(rig, filtered(rig, chain)), "the servos have come to the last frame")


def test_chains_that_are_not_live_send_what_is_posed(chain):
    rig = build({**UPRIGHT, "arm": "X", "hand": "XZ"}, name="Waver", parents={"arm": "base"})
    looking_chain(rig, "lower", "head", at=chain.target)
    looking_chain(rig, "arm", "hand", at=chain.target)
    head, hand = rig.limber.chains
    for joint in (*head.joints, *hand.joints):
        joint.lower, joint.upper = -1.4, 1.4
    rig.pose.bones["hand"].rotation_euler = (0.3, 0, -0.2)
    rig.limber.active_chain = 0
    bpy.ops.limber.live()
    arm(rig)
    settle(rig)
    wanted = filtered(rig, head) + [
        rig.pose.bones[joint.bone].rotation_euler["XYZ".index(joint.axis)] for joint in hand.joints
    ]
    until(lambda: is_at(rig, wanted), "both chains are where they should be")


def test_the_heartbeat_keeps_the_robot_armed_while_nothing_plays(rig):
    from limber.hardware.safety import HOLD_AFTER

    arm(rig)
    since = time.monotonic()

    def stayed() -> bool:
        nonlocal since
        if state(rig) != "ARMED":
            # a busy machine may miss a heartbeat; without any, the robot would be armed for at most the time
            # of one silence
            since = time.monotonic()
        return time.monotonic() - since > 5 * HOLD_AFTER

    until(stayed, "it has been armed for five times the silence after which the worker holds")


def test_disarming_lets_the_robot_move_no_more(rig):
    arm(rig)
    bpy.ops.limber.disarm()
    until(lambda: state(rig) == "DISARMED", "it is disarmed")
    before = status(rig).commanded
    rig.pose.bones["middle"].rotation_euler.x = 0.9
    for _ in a_while():
        assert status(rig).commanded == before


def test_stop_latches_until_the_fault_is_cleared(rig):
    arm(rig)
    bpy.ops.limber.stop()
    until(lambda: state(rig) == "FAULT", "it has stopped")
    assert "press Clear Fault, then Arm" in status(rig).sentence
    with pytest.raises(RuntimeError, match="Clear Fault"):
        bpy.ops.limber.arm()
    bpy.ops.limber.clear_fault()
    until(lambda: state(rig) == "DISARMED", "the fault is cleared")
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "it is armed again")


def test_stop_stops_every_robot_whatever_is_active(rig):
    other, _ = robot_rig(build({"pan": "Y", "tilt": "X"}, name="Turret"))
    arm(rig)
    arm(other)
    make_active(target(name="Cube"))
    bpy.ops.limber.stop()
    until(lambda: state(rig) == state(other) == "FAULT", "both have stopped")


def test_stop_without_a_robot_leaves_the_key_to_others():
    assert "PASS_THROUGH" in bpy.ops.limber.stop()


def test_two_armatures_drive_two_robots(rig):
    other, _ = robot_rig(build({"pan": "Y", "tilt": "X"}, name="Turret"))
    arm(rig)
    arm(other)
    assert worker(rig) != worker(other)
    other.pose.bones["pan"].rotation_euler.y = 0.2
    rig.pose.bones["middle"].rotation_euler.x = -0.2
    until(lambda: is_at(rig, angles(rig)) and is_at(other, angles(other)), "each is where its armature is")
    make_active(other)
    bpy.ops.limber.disconnect()
    assert state(other) == "NONE"
    until(lambda: state(rig) == "ARMED", "it is armed, if need be again after a missed beat")


@pytest.mark.every_blender
def test_hobby_servos_ask_to_confirm_the_pose(chain):
    rig = chain.id_data
    rig.limber.device.port = "virtual-hobby"
    rig.pose.bones["middle"].rotation_euler.x = 0.6
    connect(rig)
    with pytest.raises(RuntimeError, match="Disarmed"):
        bpy.ops.limber.confirm_pose()
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "CONFIRM_POSE", "it asks")
    assert "press Confirm Pose" in status(rig).sentence
    assert status(rig).sent == 0
    bpy.ops.limber.confirm_pose()
    until(lambda: state(rig) == "ARMED", "it is armed")
    assert status(rig).commanded == pytest.approx(angles(rig), abs=0.01)
    assert status(rig).measured is None


@pytest.mark.every_blender
def test_one_button_arms_hobby_servos_that_the_user_says_are_at_the_pose(chain):
    rig = chain.id_data
    rig.limber.device.port = "virtual-hobby"
    rig.pose.bones["middle"].rotation_euler.x = 0.6
    connect(rig)
    until(lambda: status(rig).needs_confirmation, "it is known that nobody knows where they are")
    assert "press Confirm Pose and Arm" in status(rig).sentence
    bpy.ops.limber.arm_confirmed()
    until(lambda: state(rig) == "ARMED", "it is armed")
    assert status(rig).commanded == pytest.approx(angles(rig), abs=0.01)


def test_disarm_withdraws_from_confirming(chain):
    rig = chain.id_data
    rig.limber.device.port = "virtual-hobby"
    connect(rig)
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "CONFIRM_POSE", "it asks")
    bpy.ops.limber.disarm()
    until(lambda: state(rig) == "DISARMED", "it is disarmed")


def test_a_missing_port_is_a_sentence(rig):
    rig.limber.device.port = "/dev/ttyNOWHERE"
    bpy.ops.limber.connect()
    until(lambda: state(rig) == "FAULT", "the port is found missing")
    assert "/dev/ttyNOWHERE does not exist" in status(rig).sentence
    bpy.ops.limber.disconnect()
    rig.limber.device.port = "virtual"
    connect(rig)


def test_disconnecting_ends_the_worker(rig):
    arm(rig)
    pid = worker(rig)
    bpy.ops.limber.disconnect()
    until(lambda: not is_running(pid), "its worker has ended")
    assert state(rig) == "NONE"


def test_each_button_says_why_it_is_grey(rig):
    for operator in (
        bpy.ops.limber.arm,
        bpy.ops.limber.disarm,
        bpy.ops.limber.clear_fault,
        bpy.ops.limber.disconnect,
    ):
        with pytest.raises(RuntimeError, match="Not connected: press Connect"):
            operator()
    connect(rig)
    for operator in (bpy.ops.limber.disarm, bpy.ops.limber.clear_fault, bpy.ops.limber.confirm_pose):
        with pytest.raises(RuntimeError, match="Disarmed: press Arm"):
            operator()
    with pytest.raises(RuntimeError, match="press Disconnect first"):
        bpy.ops.limber.connect()


def test_joints_without_a_servo_are_not_sent(rig, chain):
    for joint in chain.joints:
        joint.servo = -1 if joint.bone == "middle" else joint.servo
    arm(rig)
    assert len(status(rig).commanded) == 5
    rig.pose.bones["head"].rotation_euler.x = 0.2
    wanted = [
        rig.pose.bones[joint.bone].rotation_euler["XYZ".index(joint.axis)]
        for joint in chain.joints
        if joint.servo >= 0
    ]
    until(lambda: is_at(rig, wanted), "the others follow")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda chain: [setattr(joint, "servo", -1) for joint in chain.joints],
            "has a servo: give one its servo under Robot > Set Up",
        ),
        (lambda chain: setattr(chain.joints[3], "servo", 1), "both use servo 1"),
        (lambda chain: setattr(chain.joints[2], "velocity", 0), "middle X"),
        (lambda chain: setattr(chain.joints[2], "lower", 2.0), "middle X"),
        (lambda chain: setattr(chain.joints[2], "min_us", 2500), "middle X"),
        (lambda chain: setattr(chain.id_data.limber.device, "port", "  "), "choose one from the list"),
    ],
)
def test_a_device_that_cannot_be_is_refused_with_what_mends_it(rig, chain, change, words):
    change(chain)
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.limber.connect()
    assert state(rig) == "NONE"


def test_servos_that_turn_less_than_their_joints_are_named(rig, chain, capfd):
    chain.joints[2].upper = 3.0
    bpy.ops.limber.connect()
    said = capfd.readouterr().out
    assert "(middle X)" in said
    assert "narrow the joints' limits" in said


@pytest.mark.every_blender
def test_channels_changed_since_connecting_are_noticed(rig, chain):
    from limber.rig.robot import links

    connect(rig)
    assert not links.changed_since_connect(rig)
    for change, back in (
        (
            lambda: setattr(chain.joints[0], "reverse", True),
            lambda: setattr(chain.joints[0], "reverse", False),
        ),
        (
            lambda: setattr(rig.limber.device, "port", "COM7"),
            lambda: setattr(rig.limber.device, "port", "virtual"),
        ),
        (lambda: setattr(chain.joints[0], "velocity", -1), lambda: setattr(chain.joints[0], "velocity", 3.5)),
    ):
        change()
        assert links.changed_since_connect(rig)
        back()
    bpy.ops.limber.disconnect()
    connect(rig)
    assert not links.changed_since_connect(rig)


@pytest.mark.every_blender
def test_ports_can_be_chosen(rig):
    bpy.ops.limber.choose_port(port="/dev/ttyACM3")
    assert rig.limber.device.port == "/dev/ttyACM3"
    with pytest.raises(RuntimeError, match="virtual"):
        bpy.ops.limber.choose_port()
    assert rig.limber.device.port == "/dev/ttyACM3"
