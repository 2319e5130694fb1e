"""Tests an armature that follows a robot moved by hand; the ghost and the plot show the robot's reported
values.
"""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender import mechanisms as those
from tests.blender.baking import curves
from tests.blender.drawing import drawn
from tests.blender.rigs import make_active
from tests.blender.robots import a_while, connect, is_at, on_bus, robot_rig, state, status, until

STEPS = 651.9  # steps per radian


@pytest.fixture
def chain():
    return robot_rig()[1]


@pytest.fixture
def bus(rig, chain):
    with on_bus(rig, dict.fromkeys((joint.servo for joint in chain.joints), 2048.0), "dynamixel") as bus:
        yield bus


def follow() -> None:
    """Does the work of Blender's timer."""
    from limber.rig.robot import puppeteer

    puppeteer.follow(bpy.context.scene)


def lead(rig, bus, servo: int, angle: float) -> None:
    """Rotates a servo by hand; returns when the armature has followed."""
    bus.put(servo, 2048.0 + STEPS * angle)
    until(lambda: abs(status(rig).positions[servo] - angle) < 0.01, "the robot says so")
    follow()


def let_go(rig) -> None:
    bpy.ops.limber.puppeteer()
    until(lambda: state(rig) == "LIMP", "the robot is limp")


def test_the_armature_follows_the_hand_and_keeps_the_pose(rig, bus):
    let_go(rig)
    assert not any(bus.torque())
    lead(rig, bus, 2, 0.6)
    assert rig.pose.bones["middle"].rotation_euler.x == pytest.approx(0.6, abs=0.01)
    bpy.ops.limber.end_puppeteer()
    until(lambda: state(rig) == "DISARMED", "it has ended")
    bus.put(2, 2048.0)
    for _ in a_while():
        follow()
    assert rig.pose.bones["middle"].rotation_euler.x == pytest.approx(0.6, abs=0.01)


def test_arming_ends_the_leading_and_begins_where_the_hand_left_the_robot(rig, bus):
    let_go(rig)
    lead(rig, bus, 2, 0.4)
    bpy.ops.limber.end_puppeteer()
    until(lambda: state(rig) == "DISARMED", "it has ended")
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "it is armed")
    assert is_at(rig, [0, 0, 0.4, 0, 0, 0], near=0.02)


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("mode", "channel"),
    [("XYZ", "rotation_euler"), ("QUATERNION", "rotation_quaternion"), ("AXIS_ANGLE", "rotation_axis_angle")],
)
def test_what_the_hand_does_is_keyed_at_scene_time_in_the_bones_own_mode(rig, bus, mode, channel):
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    let_go(rig)
    from limber.rig.robot import puppeteer

    puppeteer.record(rig)
    for frame, angle in ((1, 0.0), (5, 0.3), (9, -0.2)):
        bpy.context.scene.frame_set(frame)
        lead(rig, bus, 2, angle)
    bpy.ops.limber.end_record()
    bpy.ops.limber.end_puppeteer()
    found = {}
    for frame in (1, 5, 9):
        bpy.context.scene.frame_set(frame)
        found[frame] = rig.pose.bones["middle"].matrix_basis.to_euler().x
    assert list(found.values()) == pytest.approx([0.0, 0.3, -0.2], abs=0.01)
    assert {curve.data_path.rpartition(".")[2] for curve in curves(rig)} == {channel}


def test_keys_outside_of_the_recording_stay(rig, bus):
    from limber.rig.robot import puppeteer

    bone = rig.pose.bones["middle"]
    for frame, angle in ((1, 0.1), (50, 0.2)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    let_go(rig)
    puppeteer.record(rig)
    for frame in (10, 20):
        bpy.context.scene.frame_set(frame)
        lead(rig, bus, 2, 0.5)
    bpy.ops.limber.end_record()
    bpy.ops.limber.end_puppeteer()
    values = []
    for frame in (1, 10, 20, 50):
        bpy.context.scene.frame_set(frame)
        values.append(bone.rotation_euler.x)
    assert values == pytest.approx([0.1, 0.5, 0.5, 0.2], abs=0.01)


@pytest.mark.every_blender
def test_a_pose_is_keyed_and_stored_as_a_posture(rig, chain, bus):
    let_go(rig)
    lead(rig, bus, 2, 0.3)
    bpy.context.scene.frame_set(7)
    lead(rig, bus, 2, 0.35)
    bpy.ops.limber.key_pose()
    bpy.ops.limber.store_posture(name="By hand")
    bpy.ops.limber.end_puppeteer()
    rig.pose.bones["middle"].rotation_euler.x = 0.0
    bpy.context.scene.frame_set(8)
    bpy.context.scene.frame_set(7)
    assert rig.pose.bones["middle"].rotation_euler.x == pytest.approx(0.35, abs=0.01)
    assert chain.postures[0].action.name == "By hand"


@pytest.mark.every_blender
def test_recording_nothing_is_told(rig, bus):
    with pytest.raises(RuntimeError, match="Arm"):
        bpy.ops.limber.end_record()
    let_go(rig)
    with pytest.raises(RuntimeError, match="press Record"):
        bpy.ops.limber.end_record()
    from limber.rig.robot import puppeteer

    puppeteer.record(rig)
    with pytest.raises(RuntimeError, match="No frame was recorded"):
        bpy.ops.limber.end_record()


def test_a_live_chain_is_not_led_by_hand(rig, bus):
    bpy.ops.limber.live()
    with pytest.raises(RuntimeError, match="press End Live first"):
        bpy.ops.limber.puppeteer()


@pytest.mark.every_blender
def test_a_robot_that_is_lost_leads_no_more(rig, bus):
    from limber.rig.robot import puppeteer

    let_go(rig)
    bus.close()
    until(lambda: state(rig) == "FAULT", "the loss is noticed")
    follow()
    assert not puppeteer.leads(rig)


def test_a_robot_that_is_limp_no_more_leads_no_more(rig, bus):
    from limber.rig.robot import links, puppeteer

    let_go(rig)
    follow()
    links.link(rig).disarm()
    until(lambda: state(rig) == "DISARMED", "it is disarmed")
    follow()
    assert not puppeteer.leads(rig)


@pytest.mark.every_blender
def test_values_beside_the_joints_are_led_and_keyed_too(rig, chain, bus):
    from limber.rig.robot import puppeteer

    bpy.ops.limber.disconnect()
    chain.joints[5].servo = -1
    rig["jaw"] = 0.0
    bpy.ops.limber.add_auxiliary(path=f'bpy.data.objects["{rig.name}"]["jaw"]')
    value = rig.limber.device.auxiliaries[0]
    value.servo, value.at_low, value.at_high = 5, 1000.0, 3000.0
    connect(rig)
    until(lambda: None not in status(rig).positions, "all places are known")
    let_go(rig)
    puppeteer.record(rig)
    bus.put(5, 2500.0)
    until(lambda: abs(status(rig).positions[-1] - 0.75) < 0.01, "the robot says so")
    follow()
    assert rig["jaw"] == pytest.approx(0.75, abs=0.01)
    bpy.ops.limber.end_record()
    bpy.ops.limber.end_puppeteer()
    rig["jaw"] = 0.0
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    assert rig["jaw"] == pytest.approx(0.75, abs=0.01)


def test_the_ghost_stands_as_the_robot_says(rig, bus):
    from limber.rig.robot import ghost as robot_ghost
    from limber.rig.robot import links

    places = [0.2, -0.3, 0.4, 0.1, -0.2, 0.3]
    ghost = robot_ghost.posed(rig, links.sources(rig), places)
    for source, place in zip(links.sources(rig), places, strict=True):
        rig.pose.bones[source.bone].rotation_euler["XYZ".index(source.axis)] = place
    bpy.context.view_layer.update()
    bones = list(rig.pose.bones)
    assert len(ghost) == len(bones)
    for (head, tail), bone in zip(ghost, bones, strict=True):
        assert (Vector(head) - rig.matrix_world @ bone.head).length < 1e-5
        assert (Vector(tail) - rig.matrix_world @ bone.tail).length < 1e-5


@pytest.mark.every_blender
def test_the_ghost_is_where_the_armature_object_is_and_leaves_it_as_posed(rig, bus):
    from limber.rig.robot import ghost as robot_ghost

    rig.location = (1.0, 2.0, 3.0)
    bpy.context.view_layer.update()
    before = np.array([bone.rotation_euler for bone in rig.pose.bones])
    ghost = robot_ghost.segments(rig)
    assert (Vector(ghost[0][0]) - rig.matrix_world @ rig.pose.bones[0].head).length < 1e-5
    assert np.array_equal(before, np.array([bone.rotation_euler for bone in rig.pose.bones]))


def test_there_is_no_ghost_of_a_robot_that_cannot_tell(rig):
    from limber.rig.robot import ghost as robot_ghost

    rig.limber.device.port = "virtual-hobby"
    connect(rig)
    assert robot_ghost.segments(rig) == []


def test_the_history_has_the_last_seconds_alone(rig):
    from limber.hardware.safety import State
    from limber.hardware.status import Status
    from limber.rig.robot.history import SECONDS, History

    history = History()
    for tenth in range(300):
        history.note(tenth / 10, Status(State.ARMED, "", commanded=(0.5,), positions=(0.4,)))
    assert history.samples[-1].time - history.samples[0].time <= SECONDS
    assert (history.samples[-1].commanded, history.samples[-1].measured) == ((0.5,), (0.4,))


@pytest.mark.every_blender
def test_a_robot_that_follows_is_not_let_go_and_nothing_is_recorded_of_one_that_does_not_lead(rig, bus):
    from limber.rig.blender.errors import RigError
    from limber.rig.robot import puppeteer

    with pytest.raises(RuntimeError, match="Disarmed: press Arm"):
        bpy.ops.limber.end_puppeteer()
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "the robot follows")
    with pytest.raises(RigError, match=r"The robot cannot be let go now \(.*\): disarm it first"):
        puppeteer.start(rig)
    bpy.ops.limber.disarm()
    until(lambda: state(rig) == "DISARMED", "the robot is disarmed")
    bpy.ops.limber.let_go()
    until(lambda: state(rig) == "LIMP", "the robot is limp, and leads nobody")
    with pytest.raises(
        RuntimeError, match="The armature or mechanism does not follow the robot: press Move by Hand"
    ):
        bpy.ops.limber.end_puppeteer()


def driven_neck():
    """A neck on push rods that its motors drive, connected to a simulated bus of servos."""
    owner = those.add("neck")
    kept = owner.limber.mechanism
    kept.drive = "MOTORS"
    return owner, kept


def test_the_bodies_of_a_mechanism_follow_the_hand_through_its_motors_and_what_the_hand_does_is_keyed():
    from limber.rig.robot import puppeteer

    owner, kept = driven_neck()
    with on_bus(owner, dict.fromkeys((motor.servo for motor in kept.motors), 2048.0), "dynamixel") as bus:
        with pytest.raises(
            RuntimeError, match="its bodies would not follow the robot: set Driven By to Motors"
        ):
            bpy.ops.limber.puppeteer()
        bpy.ops.limber.live()
        bodies = those.shown(owner)
        let_go(owner)
        puppeteer.record(owner)
        lead(owner, bus, kept.motors[0].servo, 0.3)
        assert kept.motors[0].value == pytest.approx(0.3, abs=0.01)
        those.settle(owner)
        assert those.furthest(those.shown(owner), bodies) > 0.01, "bodies are where the hand put them"
        bpy.ops.limber.end_record()
        bpy.ops.limber.end_puppeteer()
        paths = {curve.data_path for curve in curves(owner)}
        assert paths == {f"limber.mechanism.motors[{k}].value" for k in range(len(kept.motors))}
        kept.motors[0].value = 0.0
        bpy.context.scene.frame_set(bpy.context.scene.frame_current)
        assert kept.motors[0].value == pytest.approx(0.3, abs=0.01)


def test_a_mechanism_that_follows_targets_is_not_led_by_hand_and_nothing_is_left_behind():
    from limber.rig.robot import puppeteer

    owner = those.add("neck")
    owner.limber.device.port = "virtual"
    connect(owner)
    bpy.ops.limber.live()
    with pytest.raises(RuntimeError, match="is live and follows its targets: set Driven By to Motors"):
        bpy.ops.limber.puppeteer()
    assert not puppeteer.leads(owner)
    assert owner.animation_data is None
    assert not bpy.data.actions


def with_mechanism(rig):
    """The same armature, as the owner of a mechanism with a motor that has the name of one of its bones."""
    make_active(rig)
    kept = rig.limber.mechanism
    kept.uid = "a mechanism of its own"
    motor = kept.motors.add()
    motor.bone, motor.axis, motor.name, motor.servo = "middle", "Z", "motor", 20
    return kept


@pytest.mark.every_blender
def test_the_hand_does_not_lead_an_armature_whose_mechanism_is_live(rig, chain):
    from limber.rig.robot import puppeteer

    kept = with_mechanism(rig)
    connect(rig)
    kept.live = True
    with pytest.raises(
        RuntimeError, match=f"Mechanism '{rig.name}' is live and follows its targets: set Driven By to Motors"
    ):
        bpy.ops.limber.puppeteer()
    assert not puppeteer.leads(rig)


@pytest.mark.every_blender
@pytest.mark.parametrize("is_recorded", [False, True], ids=["Key Pose", "Record"])
def test_motors_of_a_mechanism_are_not_keyed_as_bones(rig, chain, is_recorded):
    from limber.rig.robot import puppeteer

    with_mechanism(rig)
    connect(rig)
    let_go(rig)
    if is_recorded:
        puppeteer.record(rig)
        until(
            lambda: any(place is not None for place in status(rig).positions), "the robot tells where it is"
        )
        follow()
        puppeteer.finish(rig)
    else:
        puppeteer.key_now(rig, 3)
    keyed = [
        curve.array_index for curve in curves(rig) if curve.data_path == 'pose.bones["middle"].rotation_euler'
    ]
    assert keyed == [0], "X of the chain's joint, not Z of the motor"
    assert "limber.mechanism.motors[0].value" in {curve.data_path for curve in curves(rig)}
    bpy.ops.limber.end_puppeteer()


def test_there_is_no_ghost_of_what_has_no_bones():
    from limber.rig.robot import ghost as robot_ghost

    owner = those.add("neck")
    owner.limber.device.port = "virtual"
    connect(owner)
    bpy.ops.limber.arm()
    until(lambda: any(place is not None for place in status(owner).positions), "the robot tells where it is")
    assert robot_ghost.segments(owner) == []


@pytest.mark.every_blender
@pytest.mark.parametrize("has_bones", [True, False])
def test_the_panel_offers_the_ghost_where_there_are_bones_and_says_of_what_the_hand_cannot_lead(
    has_bones, request
):
    from limber.panels.robot.feedback import LIMBER_PT_feedback, LIMBER_PT_puppeteer

    owner = request.getfixturevalue("rig") if has_bones else those.add("neck")
    if has_bones:
        request.getfixturevalue("chain")
    owner.limber.device.port = "virtual"
    connect(owner)
    view = bpy.context.window_manager.limber_view
    assert ((view, "ghost") in drawn(LIMBER_PT_feedback).greyed) is not has_bones
    said = drawn(LIMBER_PT_puppeteer).said
    assert ("its bodies would not follow the robot" in said) is not has_bones
