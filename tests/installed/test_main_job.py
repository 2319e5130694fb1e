"""Tests the main task on the package as a user has it: pose, store, look, go live, move the virtual robot,
bake.
"""

import importlib
import time
from collections.abc import Callable, Iterator
from types import ModuleType

import bpy
import pytest

PATIENCE = 60.0  # [s] longest waiting time for a state of the robot on a busy machine
FRAMES = range(1, 13)


@pytest.fixture
def part(enabled: ModuleType) -> Iterator[Callable[[str], ModuleType]]:
    """Modules of the installed package by name; robots that a test left connected are disconnected."""

    def load(name: str) -> ModuleType:
        return importlib.import_module(f"{enabled.__name__}.{name}")

    yield load
    load("rig.robot.links").disconnect_all()


@pytest.fixture
def lamp(enabled: ModuleType, rigs: ModuleType):
    """A rig whose chain keeps a stored posture and looks at a moving target."""
    rig, chain = rigs.looking_chain()
    bones = rig.pose.bones
    bones["lower"].rotation_euler.x, bones["middle"].rotation_euler.x, bones["upper"].rotation_euler.x = (
        0.5,
        -0.9,
        0.7,
    )
    bpy.ops.limber.store_posture(name="Curious")
    chain.base = "POSTURE"
    rigs.keyed(chain.target, FRAMES)
    return rig, chain


def baked(rig, chain) -> dict[int, list[float]]:
    """Angles of the keyframes at each frame, by joint."""
    rows = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        rows[frame] = [
            rig.pose.bones[joint.bone].rotation_euler["XYZ".index(joint.axis)] for joint in chain.joints
        ]
    return rows


def test_the_posture_is_stored_as_a_pose_asset(lamp):
    _, chain = lamp
    assert [posture.action.name for posture in chain.postures] == ["Curious"]
    assert chain.postures[0].action.asset_data


def test_baked_keys_are_what_live_showed(lamp, part):
    rig, chain = lamp
    bpy.context.scene.frame_set(FRAMES[0])
    assert bpy.ops.limber.live() == {"FINISHED"}
    session = part("rig.live.live").session(rig, chain)
    shown = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert not session.problem
        shown[frame] = session.outputs.angles.tolist()
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    assert bpy.ops.limber.bake() == {"FINISHED"}
    for frame, angles in baked(rig, chain).items():
        assert angles == pytest.approx(shown[frame], abs=1e-6), f"frame {frame}"
    assert shown[FRAMES[0]] != shown[FRAMES[-1]]


def test_the_virtual_robot_arrives_where_the_armature_is_and_is_disarmed_again(lamp, part):
    rig, chain = lamp
    robot, states = part("rig.robot.links"), part("hardware.safety").State
    sending = part("rig.robot.sending")
    for number, joint in enumerate(chain.joints):
        joint.servo = number
    bpy.context.scene.frame_set(FRAMES[0])
    bpy.ops.limber.live()

    def until(good: Callable[[object], bool]):
        """Runs Blender's timer until the robot's status is as required."""
        give_up = time.monotonic() + PATIENCE
        while not (robot.status(rig) and good(robot.status(rig))):
            assert time.monotonic() < give_up, robot.status(rig)
            sending.heartbeat()
            time.sleep(0.02)
        return robot.status(rig)

    bpy.ops.limber.connect()
    still = until(lambda status: status.state is states.DISARMED)
    assert not still.moving
    bpy.ops.limber.arm()
    wanted = part("rig.live.live").session(rig, chain).outputs.angles.tolist()
    until(lambda status: status.state is states.ARMED)
    until(
        lambda status: (
            status.measured is not None
            and max(abs(a - b) for a, b in zip(status.measured, wanted, strict=True)) < 0.01
        )
    )
    until(lambda status: status.state is states.ARMED)  # if necessary again, after a missed heartbeat
    bpy.ops.limber.disarm()
    until(lambda status: status.state is states.DISARMED)
    bpy.ops.limber.disconnect()
    assert robot.link(rig) is None


def test_disabling_the_extension_while_the_robot_is_armed_disconnects_it(lamp, part, enabled):
    rig, chain = lamp
    robot, closed = part("rig.robot.links"), part("hardware.safety").State.CLOSED
    for number, joint in enumerate(chain.joints):
        joint.servo = number
    bpy.ops.limber.connect()
    link = robot.link(rig)
    bpy.ops.preferences.addon_disable(module=enabled.__name__)
    assert link.status().state is closed
    bpy.ops.preferences.addon_enable(module=enabled.__name__)
