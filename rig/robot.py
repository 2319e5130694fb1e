"""The robots of this session's armatures: their links, and what goes over them. Nothing of it is saved; loading a file disarms."""

from dataclasses import dataclass

import bpy

from ..hardware.device import Channel, Device
from ..hardware.errors import HardwareError
from ..hardware.link import Link
from ..hardware.safety import State
from ..hardware.status import Status
from ..motion import Limits, MotionError

HEARTBEAT = 0.05  # [s] a quarter of the silence after which the worker holds the robot
MOVING = {State.ARMING, State.ARMED, State.HOLDING}


@dataclass
class _Robot:
    link: Link
    rig_name: str
    places: list[tuple[str, str, str]]  # the channels' joints, in their order: chain uid, bone, axis
    status: Status | None = None  # as last looked at


_robots: dict[int, _Robot] = {}  # by the armature object's session_uid


def describe(rig) -> Device:
    """The device as the rig's properties say.

    Raises:
        DeviceError, LimitsError: a channel or limit that cannot be; the message names it and the remedy.
    """
    channels = []
    for chain in rig.limber.chains:
        for joint in chain.joints:
            if joint.servo >= 0:
                channels.append(
                    Channel(
                        name=f"{joint.bone} {joint.axis}",
                        servo=joint.servo,
                        limits=Limits(joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.jerk),
                        direction=-1 if joint.reverse else 1,
                        zero_us=joint.zero_us,
                        us_per_rad=joint.us_per_radian,
                        min_us=joint.min_us,
                        max_us=joint.max_us,
                        on_silence=joint.on_silence,
                    )
                )
    device = rig.limber.device
    return Device(port=device.port, channels=tuple(channels), baudrate=device.baudrate)


def connect(rig) -> None:
    """Opens the rig's device. Moves nothing.

    Raises:
        DeviceError, LimitsError, WorkerError: see `describe` and `Link.open`.
    """
    disconnect(rig)
    device = describe(rig)
    places = [(chain.uid, joint.bone, joint.axis) for chain in rig.limber.chains for joint in chain.joints if joint.servo >= 0]
    link = Link(device)
    link.open()
    _robots[rig.session_uid] = _Robot(link, rig.name, places)
    send(rig)


def disconnect(rig) -> None:
    """Disarms the rig's robot and closes its port."""
    robot = _robots.pop(rig.session_uid, None)
    if robot:
        robot.link.close()


def disconnect_all() -> None:
    for robot in _robots.values():
        robot.link.close()
    _robots.clear()


def link(rig) -> Link | None:
    """The rig's link; None where it is not connected."""
    robot = _robots.get(rig.session_uid)
    return robot.link if robot else None


def status(rig) -> Status | None:
    """The robot as last looked at by the heartbeat; None where the rig is not connected."""
    robot = _robots.get(rig.session_uid)
    return robot.status if robot else None


def changed_since_connect(rig) -> bool:
    """Whether the rig's channels or port are no longer what the robot was connected with."""
    robot = _robots.get(rig.session_uid)
    if robot is None:
        return False
    try:
        return robot.link.device != describe(rig)
    except (HardwareError, MotionError):  # what cannot be connected is not what was
        return True


def stop_all() -> int:
    """Stops every robot at once; returns how many."""
    for robot in _robots.values():
        robot.link.stop()
    return len(_robots)


def is_any_connected() -> bool:
    return bool(_robots)


def send(rig) -> None:
    """Hands the rig's angles to its robot: the filtered ones of live chains, the posed ones of the others."""
    from . import live

    robot = _robots.get(rig.session_uid)
    if robot is None:
        return
    known: dict[tuple[str, str, str], float] = {}
    for chain in rig.limber.chains:
        session = live.session(rig, chain) if chain.live else None
        if session and session.outputs and session.reader:
            for (bone, axis), angle in zip(session.reader.places, session.outputs.angles.tolist(), strict=True):
                known[chain.uid, bone, axis] = angle
    angles = []
    for place in robot.places:
        if place not in known:
            _, bone, axis = place
            posed = rig.pose.bones.get(bone)
            known[place] = posed.rotation_euler["XYZ".index(axis)] if posed else 0.0
        angles.append(known[place])
    robot.link.send(angles)


def heartbeat() -> bool:
    """Signs of life to every robot, also while nothing moves. Returns whether a state changed, so that panels are drawn anew."""
    changed = False
    for uid, robot in list(_robots.items()):
        rig = next((thing for thing in bpy.data.objects if thing.session_uid == uid), None)
        if rig is None:  # deleted: its robot must not stay armed
            robot.link.close()
            del _robots[uid]
            changed = True
            continue
        send(rig)
        now = robot.link.status()
        changed |= robot.status is None or now.sentence != robot.status.sentence
        robot.status = now
    return changed
