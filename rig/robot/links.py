"""Links between this session's rigs (armatures, or objects with a mechanism) and their robots, with what is
known of the robots. Nothing is saved; loading a file disarms the robots.
"""

from math import inf

import bpy

from ...hardware.errors import HardwareError
from ...hardware.link import WorkerLink
from ...hardware.safety import DRIVEN, State
from ...hardware.servo_shortfalls import short_joints
from ...hardware.status import Status
from ...motion import MotionError
from ..blender import online
from ..blender.counting import listing
from ..blender.presence import find
from . import device as robot_device
from . import values as robot_values
from .device import Source, describe
from .history import History
from .sending import ConnectedRobot, robots, send, sessions

MOVING = set(DRIVEN)  # states in which the robot is driven
# states in which the robot does not follow, and can be set up
QUIET = {State.DISARMED, State.LIMP, State.SETUP}
LOST = {State.FAULT, State.WORKER_LOST}  # states that the robot leaves only by Clear Fault or Reconnect
# remedy if the ranges of servos are smaller than the limits of their joints
NARROW = "narrow the joints' limits, or correct the servos' ranges"
# [rad, or the joint's unit] a larger difference between a channel's range and its joint's is reported
SLACK = 0.01


# names of the objects that were connected in this session, by their session_uid
_connected_once: dict[int, str] = {}


def connect(rig: bpy.types.Object) -> None:
    """Opens the rig's device; one that is open is closed first. From then on *Automatic* chooses the motion
    filter for robots for the rig's chains (`was_connected`). Nothing moves.

    Raises:
        DeviceError, WorkerError: see `describe` and `WorkerLink.open`; or another robot of this file uses
            the port.
        ProtocolError: the protocol is a program that the user has not allowed.
        RigError: the robot's address is another computer's, and Blender is not allowed online access.
    """
    disconnect(rig)
    device = describe(rig)
    if device.address is not None:
        online.require(device.address)
    sources = robot_device.sources(rig)
    values = robot_values.newest(rig, sources, [0.0] * len(sources))
    session = sessions.connect(rig.session_uid, rig.name, device)
    robots[rig.session_uid] = ConnectedRobot(
        session, rig.name, sources, short_joints(device), values, [*values]
    )
    _connected_once[rig.session_uid] = rig.name
    rig.limber.device.was_connected = True
    send(rig)
    look(rig)


def mark_connected() -> None:
    """After undo or redo, marks the rigs that were connected in this session again as rigs of robots, since a
    connection cannot be undone.
    """
    for uid, name in _connected_once.items():
        rig = find(name, uid)
        if rig is not None:
            rig.limber.device.was_connected = True


def disconnect(rig: bpy.types.Object) -> None:
    """Disarms the rig's robot and closes its port."""
    robots.pop(rig.session_uid, None)
    sessions.close(rig.session_uid)


def disconnect_all() -> None:
    """Disarms every robot, closes its port and withdraws all permits to arm, before another file is
    loaded.
    """
    sessions.change_file()
    robots.clear()
    _connected_once.clear()


def link(rig: bpy.types.Object) -> WorkerLink | None:
    """The link to the rig's robot; None if it is not connected."""
    robot = robots.get(rig.session_uid)
    return robot.link if robot else None


def status(rig: bpy.types.Object) -> Status | None:
    """The robot's status as of the last `look`; None if the rig is not connected."""
    robot = robots.get(rig.session_uid)
    return robot.status if robot else None


def sources(rig: bpy.types.Object) -> tuple[Source, ...]:
    """The joint, motor or value that each joint of the rig's connected robot follows, in the device's order;
    empty if it is not connected.
    """
    robot = robots.get(rig.session_uid)
    return robot.sources if robot else ()


def history(rig: bpy.types.Object) -> History | None:
    """Commanded and measured values of the rig's robot over the last seconds; None if the rig is not
    connected.
    """
    robot = robots.get(rig.session_uid)
    return robot.history if robot else None


def ports() -> set[str]:
    """Names of the ports of all connected robots."""
    return {robot.link.device.port for robot in robots.values()}


def look(rig: bpy.types.Object) -> bool:
    """Reads the status of the connected rig's robot from the worker; returns whether anything that panels
    show as text has changed.
    """
    return robots[rig.session_uid].look()


def changed_since_connect(rig: bpy.types.Object) -> bool:
    """Whether the description of the rig's robot has changed since the robot was connected."""
    robot = robots.get(rig.session_uid)
    if robot is None:
        return False
    try:
        return robot.link.device != describe(rig)
    except (HardwareError, MotionError):
        return True  # the properties no longer describe a valid device


def short_servos(rig: bpy.types.Object) -> list[str]:
    """Names of the joints of a connected rig whose limits exceed the range of their servos."""
    return [
        joint.name
        for joint, low, high in robots[rig.session_uid].short
        if max(low - joint.limits.lower, joint.limits.upper - high) > SLACK * joint.scale
    ]


def beyond_servos(rig: bpy.types.Object) -> str:
    """A sentence that names the joints of a connected rig whose current values are beyond their servos'
    ranges; "" if there are none.
    """
    robot = robots.get(rig.session_uid)
    if robot is None:
        return ""
    values = dict(zip((joint.name for joint in robot.link.device.joints), robot.angles, strict=True))
    names = [
        joint.name
        for joint, low, high in robot.short
        if max(low - values[joint.name], values[joint.name] - high) > SLACK * joint.scale
    ]
    return f"The pose is beyond the servos' range ({listing(names)}): {NARROW}" if names else ""


def off_axis(rig: bpy.types.Object) -> list[str]:
    """Sentences on bones of a connected rig that constraints move out of the poses that their servos can
    follow.
    """
    return [deviation.sentence for deviation in robot_values.deviations(rig, sources(rig))]


def joint_names(rig: bpy.types.Object) -> list[str]:
    """Names of the connected robot's joints in the device's order; without a connection, of the joints that
    the rig's robot would have.
    """
    robot = robots.get(rig.session_uid)
    return [joint.name for joint in robot.link.device.joints] if robot else robot_device.driven_names(rig)


def servos(rig: bpy.types.Object) -> list[int]:
    """Numbers of the connected robot's servos in the device's order; without a connection, of the servos that
    the rig's robot would have.
    """
    robot = robots.get(rig.session_uid)
    return [channel.servo for channel in robot.link.device.channels] if robot else robot_device.servos(rig)


def press_stops() -> None:
    """Emergency stop of all robots, from any thread; it uses no data of Blender."""
    sessions.press_stops()


def stop_all() -> int:
    """Emergency stop of all robots; returns their number. Other programs cannot arm a robot until the user
    allows it again.
    """
    return sessions.stop_all()


def is_lost(rig: bpy.types.Object) -> bool:
    """Whether the rig's robot was stopped, has a fault, or cannot be reached: the user must clear that before
    it can be armed.
    """
    robot_status = status(rig)
    return robot_status is not None and robot_status.state in LOST


def is_any_connected() -> bool:
    return bool(robots)


def figures_changed(time: float) -> bool:
    """Whether the numbers in the panels of any robot, or its ghost, have changed since the last call.

    Args:
        time: Time of the call [s, monotonic clock], which `figures_age` uses.
    """
    changes = [
        robot.figures.update(robot.status, robot.link.device.joints, time)
        for robot in robots.values()
        if robot.status
    ]
    return any(changes)


def figures_age(time: float) -> float:
    """Time [s] since the numbers in the panels of any robot last changed; infinite if no robot is
    connected.
    """
    return min((time - robot.figures.changed_at for robot in robots.values()), default=inf)


def park_values(rig: bpy.types.Object) -> list[float]:
    """Values of the park pose, in the device's order; joints that the pose does not contain keep their shown
    value.

    Raises:
        RigError: the park pose contains no joint of the robot, or a chain cannot be read.
    """
    robot = robots[rig.session_uid]
    return robot_values.in_posture(rig, rig.limber.device.park, robot.sources, robot.angles)


def connected_rigs() -> list[bpy.types.Object]:
    """Rigs of all connected robots, except those that were deleted or are in no scene."""
    return [rig for rig in (robot.rig(uid) for uid, robot in robots.items()) if rig is not None]
