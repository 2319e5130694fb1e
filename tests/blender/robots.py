"""The virtual robot, moved by the real worker process, for tests in a real Blender."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from tests.blender.rigs import looking_chain, make_active, target
from tests.hardware.served_bus import ServedBus

PATIENCE = 60.0  # [s] longest waiting time; on an idle machine a second or two suffice
SETTLED = 40  # number of frames sent after the servos first reached their goals
SERVO_REACH = 1.4  # [rad] range of a hobby servo


def until(condition, what: str, patience: float = PATIENCE) -> None:
    """Does the work of Blender's timer until a condition holds."""
    from limber.rig.robot import sending

    give_up = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < give_up, (
            f"waited {patience} s in vain until {what}; robots say: {sentences()}"
        )
        sending.heartbeat()
        time.sleep(sending.HEARTBEAT / 5)


def a_turn(rig) -> None:
    """Does the work of Blender's timer until the worker has completed a cycle."""
    from limber.rig.robot import links

    memory = links.link(rig)._memory
    begun = memory.reports
    until(lambda: memory.reports > begun + 1, "the worker has had a turn")


def a_while(seconds: float = 0.4) -> Iterator[None]:
    """Yields after each call of Blender's timer for that long, in which an unwanted event would happen."""
    from limber.rig.robot import sending

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sending.heartbeat()
        yield
        time.sleep(sending.HEARTBEAT / 5)


def sentences() -> list[str]:
    from limber.rig.robot import links

    return [str(links.status(rig)) for rig in bpy.data.objects if links.status(rig)]


def state(rig) -> str:
    from limber.rig.robot import links

    status = links.status(rig)
    return status.state.name if status else "NONE"


def status(rig):
    from limber.rig.robot import links, sending

    sending.heartbeat()
    return links.status(rig)


def robot_rig(rig=None, port: str = "virtual"):
    """An armature whose chain's joints stay within their servos' ranges, and whose target is near its view.

    A robot that is armed, or whose pose jumps, moves by 0.4 radians per second: so its paths in tests are
    short.
    """
    rig, chain = looking_chain(rig, at=target((0.0, -0.3, 1.3)))
    for joint in chain.joints:
        joint.lower, joint.upper = -SERVO_REACH, SERVO_REACH
    rig.limber.device.port = port
    return rig, chain


def connect(rig) -> None:
    make_active(rig)
    bpy.ops.limber.connect()
    until(lambda: state(rig) == "DISARMED", "the robot is connected")


def arm(rig) -> None:
    connect(rig)
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "the robot is armed")


@contextmanager
def on_bus(rig, positions: dict[int, float], protocol: str) -> Iterator[ServedBus]:
    """Simulated servos in a separate process, and the rig connected to them; all their positions [steps] are
    known.
    """
    rig.limber.device.protocol = protocol
    with ServedBus(positions, protocol) as bus:
        rig.limber.device.port = bus.port
        connect(rig)
        until(lambda: None not in status(rig).positions, "all places are known")
        yield bus
        bpy.ops.limber.disconnect()


def is_at(rig, angles, near: float = 0.01) -> bool:
    """Whether the robot's servos report these angles [rad]."""
    reported = status(rig).measured
    return reported is not None and np.abs(np.array(reported) - np.array(angles)).max() < near


def settle(rig, angles, what: str) -> None:
    """Waits until the servos rest at these angles [rad], since the motion filter overshoots its target and
    returns.
    """
    since = None

    def rests() -> bool:
        nonlocal since
        if not is_at(rig, angles):
            since = None
            return False
        sent = status(rig).sent
        since = sent if since is None else since
        return sent >= since + SETTLED

    until(rests, what)


def worker(rig) -> int:
    """Id of the process of the robot's worker."""
    from limber.rig.robot import links

    return links.link(rig)._process.pid


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
