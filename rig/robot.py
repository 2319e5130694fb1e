"""The robots of this session's armatures: their links, and what goes over them. Nothing of it is saved; loading a file disarms."""

from dataclasses import dataclass

import bpy

from ..hardware.device import Device, direct, one_to_one
from ..hardware.errors import DeviceError, HardwareError
from ..hardware.link import Link
from ..hardware.mixing import short_joints
from ..hardware.safety import DRIVEN, State
from ..hardware.status import Status
from ..motion import Limits, MotionError
from . import axes
from .axes import is_euler

HEARTBEAT = 0.05  # [s] a quarter of the silence after which the worker holds the robot
MOVING = set(DRIVEN)
LOST = {State.FAULT, State.WORKER_LOST}
NO_ANGLE = "press Give Euler Order, give the bone its name again, or set the joint's servo to -1"
SLACK = 0.01  # [rad] by which a servo may turn less than its joint before it is worth a word


@dataclass
class _Robot:
    link: Link
    rig_name: str
    places: list[tuple[str, str, str]]  # the channels' joints, in their order: chain uid, bone, axis
    angles: list[float]  # [rad] as sent last; what of them is not known any more keeps its value
    status: Status | None = None  # as last looked at


_robots: dict[int, _Robot] = {}  # by the armature object's session_uid
_held = False  # something steps through the scene that the robots must not follow


def describe(rig) -> Device:
    """The device as the rig's properties say.

    Raises:
        DeviceError: a joint, limit or channel that cannot be; the message names it and the remedy.
    """
    pairs = []
    for _, joint in _driven(rig):
        name = axes.label(joint.bone, joint.axis)
        bone = rig.pose.bones.get(joint.bone)
        if bone is None or not (axes.slides(joint.axis) or is_euler(bone)):
            raise DeviceError(f"Joint {name}: {'its bone has no Euler order' if bone else 'its bone is missing'}: {NO_ANGLE}")
        if joint.lower > joint.upper:
            raise DeviceError(f"Joint {name}: its smallest angle is above its largest: exchange Min and Max")
        try:
            limits = Limits(joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.jerk)
        except MotionError as error:
            raise DeviceError(f"Joint {name}: its velocity, acceleration and jerk must be above 0: enter what the motor can do") from error
        pairs.append(
            direct(
                name,
                joint.servo,
                limits,
                unit="m" if axes.slides(joint.axis) else "rad",
                direction=-1 if joint.reverse else 1,
                zero=joint.zero_us,
                per_radian=joint.us_per_radian,
                lowest=joint.min_us,
                highest=joint.max_us,
                on_silence=joint.on_silence,
            )
        )
    device = rig.limber.device
    return one_to_one(device.port.strip(), pairs, baudrate=device.baudrate)


def _driven(rig) -> list[tuple]:
    """(chain, joint) of the joints that have a servo."""
    return [(chain, joint) for chain in rig.limber.chains for joint in chain.joints if joint.servo >= 0]


def connect(rig) -> None:
    """Opens the rig's device. Moves nothing.

    Raises:
        DeviceError, WorkerError: see `describe` and `Link.open`; another armature of this file has the port.
    """
    disconnect(rig)
    device = describe(rig)
    owner = next((other.rig_name for other in _robots.values() if other.link.device.port == device.port), None)
    if owner and not device.is_virtual:
        raise DeviceError(f"Port {device.port} moves armature '{owner}' already: disconnect that one, or choose another port")
    places = [(chain.uid, joint.bone, joint.axis) for chain, joint in _driven(rig)]
    posed = [axes.value(rig.pose.bones[bone], axis) for _, bone, axis in places]
    link = Link(device)
    link.open()
    _robots[rig.session_uid] = _Robot(link, rig.name, places, posed)
    send(rig)
    look(rig)


def disconnect(rig) -> None:
    """Disarms the rig's robot and closes its port."""
    robot = _robots.pop(rig.session_uid, None)
    if robot:
        robot.link.close()


def disconnect_all() -> None:
    """Disarms every robot and closes its port."""
    for robot in _robots.values():
        robot.link.close()
    _robots.clear()


def link(rig) -> Link | None:
    """The rig's link; None where it is not connected."""
    robot = _robots.get(rig.session_uid)
    return robot.link if robot else None


def status(rig) -> Status | None:
    """The robot as last looked at; None where the rig is not connected."""
    robot = _robots.get(rig.session_uid)
    return robot.status if robot else None


def look(rig) -> bool:
    """Looks at the robot; returns whether what it says of itself has changed."""
    robot = _robots[rig.session_uid]
    before, robot.status = robot.status, robot.link.status()
    return before is None or before.sentence != robot.status.sentence


def changed_since_connect(rig) -> bool:
    """Whether the rig's channels or port are no longer what the robot was connected with."""
    robot = _robots.get(rig.session_uid)
    if robot is None:
        return False
    try:
        return robot.link.device != describe(rig)
    except (HardwareError, MotionError):  # what cannot be connected is not what was
        return True


def short_servos(rig) -> list[str]:
    """Joints of a connected rig that may turn farther than their servos; the robot would stay behind there."""
    device = _robots[rig.session_uid].link.device
    return [
        joint.name
        for joint, low, high in short_joints(device)
        if joint.limits.lower < low - SLACK * joint.scale or joint.limits.upper > high + SLACK * joint.scale
    ]


def stop_all() -> int:
    """Stops every robot at once; returns how many."""
    for robot in _robots.values():
        robot.link.stop()
    return len(_robots)


def is_any_connected() -> bool:
    return bool(_robots)


def hold(held: bool) -> None:
    """While something steps through the scene faster or slower than time (a bake), the robots keep their last angles."""
    global _held
    _held = held


def send(rig) -> None:
    """Hands the rig's angles to its robot: the filtered ones of live chains, the posed ones of the others."""
    from . import live

    robot = _robots.get(rig.session_uid)
    if robot is None:
        return
    if not _held:
        known: dict[tuple[str, str, str], float] = {}
        for chain in rig.limber.chains:
            if chain.live:
                session = live.session(rig, chain)
                if session.outputs and session.reader:
                    known.update(
                        ((chain.uid, *place), angle)
                        for place, angle in zip(session.reader.places, session.outputs.angles.tolist(), strict=True)
                    )
                continue
            for joint in chain.joints:
                posed = rig.pose.bones.get(joint.bone)
                if posed and (axes.slides(joint.axis) or is_euler(posed)):
                    known[chain.uid, joint.bone, joint.axis] = axes.value(posed, joint.axis)
        # Removed, renamed, or live and not solved: where it was.
        robot.angles = [known.get(place, angle) for place, angle in zip(robot.places, robot.angles, strict=True)]
    robot.link.send(robot.angles)


def send_posed(scene) -> None:
    """Hands over the new frame of rigs without a live chain; the live ones send when they are solved."""
    for uid, robot in _robots.items():
        rig = _find(uid, robot)
        if rig is not None and rig.name in scene.objects and not any(chain.live for chain in rig.limber.chains):
            send(rig)


def heartbeat() -> bool:
    """Signs of life to every robot, also while nothing moves. Returns whether a state changed, so that panels are drawn anew."""
    changed = False
    for uid, robot in list(_robots.items()):
        rig = _find(uid, robot)
        if rig is None:  # deleted: its robot must not stay armed
            robot.link.close()
            del _robots[uid]
            changed = True
            continue
        send(rig)
        changed |= look(rig)
    return changed


def _find(uid: int, robot: _Robot):
    """The armature object of a robot; None where it was deleted or taken out of every scene."""
    rig = bpy.data.objects.get(robot.rig_name)
    if rig is None or rig.session_uid != uid:  # renamed, or another took the name
        rig = next((thing for thing in bpy.data.objects if thing.session_uid == uid), None)
        robot.rig_name = rig.name if rig else ""
    # `users_scene` goes through all objects of all scenes; what is seen is in one.
    return rig if rig and (rig.visible_get() or rig.users_scene) else None
