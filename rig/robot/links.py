"""Links between this session's armatures and their robots, and the values sent over them. Nothing is saved;
loading a file disarms.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

import bpy

from ...hardware.device import Joint
from ...hardware.errors import DeviceError, HardwareError
from ...hardware.link import Link
from ...hardware.protocols.table import FILE
from ...hardware.safety import DRIVEN, State
from ...hardware.servo_shortfalls import short_joints
from ...hardware.status import Status
from ...motion import Kinematic, MotionError
from ..blender import online
from ..blender.counting import listing
from ..blender.presence import find
from ..blender.write_access import granted
from ..live.live import evaluate, is_playing, is_rendering, look_at_render
from ..live.movers import movers_of
from ..live.runtime import live_movers
from ..properties.remote import forbid_all_arming, forbid_arming
from . import device as robot_device
from . import lookahead, programs
from . import values as robot_values
from .device import Source, describe
from .figures import ShownFigures
from .history import History
from .values import ValueFilters

HEARTBEAT = 0.05  # [s] a quarter of the silence after which the worker holds the robot
QUICK = 0.02  # [s] the same while the armature follows the robot: the period in which its positions are read
MOVING = set(DRIVEN)
QUIET = {State.DISARMED, State.LIMP, State.SETUP}  # the robot does not follow, and can be set up
LOST = {State.FAULT, State.WORKER_LOST}
OWN_WAYS = {State.SETUP, State.PARKING, State.LIMP}  # the robot does not follow the armature, but may move
NARROW = (  # remedy where servos reach less than joints
    "narrow the joints' limits, or correct the servos' ranges"
)
# [rad, or the joint's unit] a channel's range that is smaller than its joint's by less is not reported
SLACK = 0.01


@dataclass
class _Robot:
    link: Link
    rig_name: str
    sources: tuple[Source, ...]  # for each joint of the device where its value comes from
    short: tuple[
        tuple[Joint, float, float], ...
    ]  # joints whose limits exceed their servos' ranges, with what these allow
    angles: list[float]  # [rad; prismatic joints m; values in their own unit] last values of the joints
    shaped: list[float | Kinematic] = field(
        default_factory=list
    )  # last sent values: `angles` after the filters, with their velocities
    status: Status | None = None  # last status that was read
    history: History = field(default_factory=History)
    filters: ValueFilters = field(default_factory=ValueFilters)
    sent_at: float = field(default_factory=monotonic)  # [s] time at which values were last sent
    figures: ShownFigures = field(default_factory=ShownFigures)
    were_live: frozenset[str] = frozenset()  # uids of the movers that were live when values were last sent
    # `_changes` at which the same values were sent twice in a row, with all at rest; -1: they may change by
    # themselves
    still_at: int = -1
    properties: tuple[
        float | None, ...
    ] = ()  # values of the animatable properties that it follows, when values were last sent


_robots: dict[int, _Robot] = {}  # by the armature object's session_uid
_connected_once: dict[
    int, str
] = {}  # names of the objects that were connected in this session, by their session_uid
_changes = 0  # number of times that something in the file was noticed to change
_held = (
    False  # whether an operation, such as a bake, changes the scene's frame, which the robots must not follow
)


def connect(rig) -> None:
    """Opens the rig's device. Nothing moves.

    Raises:
        DeviceError, WorkerError: see `describe` and `Link.open`; or another armature of this file uses the
            port.
        ProtocolError: the protocol is a program that the user has not allowed.
        RigError: the robot is on another computer's address, and Blender may not go online.
    """
    disconnect(rig)
    device = describe(rig)
    if device.address is not None:
        online.require(device.address)
    if device.protocol.startswith(FILE):
        device = replace(device, program=programs.require(rig.limber.device.program_path))
    owner = next(
        (other.rig_name for other in _robots.values() if other.link.device.line == device.line), None
    )
    if owner and not device.is_virtual:
        raise DeviceError(
            f"Port {device.port} moves armature '{owner}' already: disconnect that one, or choose another"
            " port"
        )
    sources = robot_device.sources(rig)
    values = robot_values.newest(rig, sources, [0.0] * len(sources))
    link = Link(device)
    link.open()
    _robots[rig.session_uid] = _Robot(link, rig.name, sources, short_joints(device), values, [*values])
    _connected_once[rig.session_uid] = rig.name
    rig.limber.device.was_connected = True
    send(rig)
    look(rig)


def mark_connected() -> None:
    """Marks the armatures that were connected in this session as robots' again, after undo or redo: a
    connection is not undone.
    """
    for uid, name in _connected_once.items():
        rig = find(name, uid)
        if rig is not None:
            rig.limber.device.was_connected = True


def disconnect(rig) -> None:
    """Disarms the rig's robot and closes its port."""
    robot = _robots.pop(rig.session_uid, None)
    if robot:
        robot.link.close()


def disconnect_all() -> None:
    """Disarms every robot and closes its port, before another file is loaded."""
    for robot in _robots.values():
        robot.link.close()
    _robots.clear()
    _connected_once.clear()


def link(rig) -> Link | None:
    """The rig's open link; None if it is not connected."""
    robot = _robots.get(rig.session_uid)
    return robot.link if robot else None


def status(rig) -> Status | None:
    """The robot's status as of the last `look`; None if the rig is not connected."""
    robot = _robots.get(rig.session_uid)
    return robot.status if robot else None


def sources(rig) -> tuple[Source, ...]:
    """The joint, motor or value that each joint of the rig's connected robot follows, in the
    device's order.
    """
    robot = _robots.get(rig.session_uid)
    return robot.sources if robot else ()


def history(rig) -> History | None:
    """Commanded and measured values of the rig's robot over the last seconds; None if the rig is not
    connected.
    """
    robot = _robots.get(rig.session_uid)
    return robot.history if robot else None


def ports() -> set[str]:
    """Names of the ports of all connected robots."""
    return {robot.link.device.port for robot in _robots.values()}


def look(rig) -> bool:
    """Reads the robot's status from the worker, after values were sent; returns whether anything that panels
    show as text has changed.
    """
    robot = _robots[rig.session_uid]
    before, robot.status = robot.status, robot.link.read_status()
    robot.history.note(monotonic(), robot.status)
    return before is None or _as_text(before) != _as_text(robot.status)


def _as_text(status: Status) -> tuple:
    """The part of a status that panels show as text; figures are redrawn separately."""
    return status.sentence, status.warnings, status.confirmed


def changed_since_connect(rig) -> bool:
    """Whether the rig's channels or port have been edited since the robot was connected."""
    robot = _robots.get(rig.session_uid)
    if robot is None:
        return False
    try:
        return robot.link.device != describe(rig)
    except (
        HardwareError,
        MotionError,
    ):  # the device cannot be described now, so it differs from the connected one
        return True


def short_servos(rig) -> list[str]:
    """Names of the joints of a connected rig whose limits exceed the range of their servos."""
    return [
        joint.name
        for joint, low, high in _robots[rig.session_uid].short
        if max(low - joint.limits.lower, joint.limits.upper - high) > SLACK * joint.scale
    ]


def beyond_servos(rig) -> str:
    """A sentence that names the joints of a connected rig whose values are beyond their servos' ranges now;
    "" if there are none.
    """
    robot = _robots.get(rig.session_uid)
    if robot is None:
        return ""
    values = dict(zip((joint.name for joint in robot.link.device.joints), robot.angles, strict=True))
    names = [
        joint.name
        for joint, low, high in robot.short
        if max(low - values[joint.name], values[joint.name] - high) > SLACK * joint.scale
    ]
    return f"The pose is beyond the servos' range ({listing(names)}): {NARROW}" if names else ""


def off_axis(rig) -> list[str]:
    """Sentences on bones of a connected rig that constraints move in a way that their servos cannot."""
    return [deviation.sentence for deviation in robot_values.deviations(rig, sources(rig))]


def joint_names(rig) -> list[str]:
    """Names of the connected robot's joints, else of those that the rig's robot would have, in the device's
    order.
    """
    robot = _robots.get(rig.session_uid)
    return [joint.name for joint in robot.link.device.joints] if robot else robot_device.driven_names(rig)


def servos(rig) -> list[int]:
    """Numbers of the connected robot's servos, else of those that the rig's robot would have, in the device's
    order.
    """
    robot = _robots.get(rig.session_uid)
    return [channel.servo for channel in robot.link.device.channels] if robot else robot_device.servos(rig)


def press_stops() -> None:
    """Emergency stop of all robots, from any thread: it touches none of Blender's data."""
    for robot in list(_robots.values()):
        robot.link.stop()


def stop_all() -> int:
    """Emergency stop of all robots; returns their number. Other programs may arm none until the user allows
    it again.
    """
    for robot in _robots.values():
        robot.link.stop()
    forbid_all_arming()
    return len(_robots)


def disarm(rig, reason: str = "") -> None:
    """Disarms the rig's robot; until the next command its status says the reason. Other programs may not arm
    it until the user allows it again.
    """
    _robots[rig.session_uid].link.disarm(reason)
    forbid_arming(rig)


def is_lost(rig) -> bool:
    """Whether the rig's robot was stopped, has a fault, or cannot be reached, which the user must clear
    first.
    """
    seen = status(rig)
    return seen is not None and seen.state in LOST


def is_any_connected() -> bool:
    return bool(_robots)


def figures_changed(time: float) -> bool:
    """Whether what panels and the ghost show of any robot in numbers differs from what it was at the last
    call.

    Args:
        time: Time [s, monotonic clock], from which `figures_age` counts.
    """
    changes = [
        robot.figures.update(robot.status, robot.link.device.joints, time)
        for robot in _robots.values()
        if robot.status
    ]
    return any(changes)


def figures_age(time: float) -> float:
    """Time since the figures of any robot have changed [s]; infinite if none is connected."""
    return min((time - robot.figures.changed_at for robot in _robots.values()), default=inf)


def park_values(rig) -> list[float]:
    """Values of the park pose, in the device's order; joints that the pose does not contain keep their shown
    value.

    Raises:
        RigError: the park pose contains no joint of the robot.
    """
    robot = _robots[rig.session_uid]
    return robot_values.in_posture(rig, rig.limber.device.park, robot.sources, robot.angles)


def hold(is_held: bool) -> None:
    """Stops or resumes sending. Robots keep their last values while something steps through frames faster or
    slower than real time, such as a bake.
    """
    global _held
    _held = is_held
    note_change()


def send(rig, due: float = 0.0, depsgraph=None) -> None:
    """Sends the rig's values to its robot: filtered values of live movers, posed values of the others. No
    effect if it is not connected.

    The robot is disarmed if live motion on the rig has ended since the last call, because the authored pose
    may be far from the robot's.

    Args:
        rig: The armature object.
        due: Time [s] until the next values; 0: not known.
        depsgraph: For a frame whose live poses were just shown: bones that constraints move are where those
            of the frame before put them. If the robot follows such a bone, this evaluated scene is evaluated
            once more.
    """
    robot = _robots.get(rig.session_uid)
    if robot is None:
        return
    movers = list(movers_of(rig))
    are_live = frozenset(mover.settings.uid for mover in movers if mover.is_live)
    if not robot.were_live <= are_live and (state := robot.link.status().state) not in OWN_WAYS:
        disarm(rig, "" if state is State.DISARMED else "live motion has ended")
    robot.were_live = are_live
    if not _is_held():
        if (
            depsgraph
            and len(are_live) < len(movers)
            and robot_values.constrained_bones(movers, robot.sources)
            and live_movers()
        ):
            evaluate(depsgraph)
        plays, unit = is_playing(), robot.link.unit(due)
        # A scene that cannot keep its rate plays slower, and so do live movers; otherwise they move in real
        # time.
        moving = robot_values.moving(rig, robot.sources, robot.angles, movers, 0.0 if plays else unit)
        if plays and not all(isinstance(value, Kinematic) for value in moving):
            speeds = [joint.limits.velocity for joint in robot.link.device.joints]
            moving = lookahead.ahead(rig, robot.sources, moving, speeds)
        robot.angles = robot_values.positions(moving)
        before, robot.sent_at = robot.sent_at, monotonic()
        shaped, robot.shaped = (
            robot.shaped,
            robot.filters.step(rig, robot.sources, moving, robot.sent_at - before, unit),
        )
        robot.link.send(robot.shaped, plays=plays, due=due)
        robot.properties = robot_values.property_values(rig, robot.sources)
        is_still = not plays and due == 0.0 and robot.filters.at_rest and robot.shaped == shaped
        robot.still_at = _changes if is_still and _changes_are_noticed(rig) else -1
    else:
        robot.link.send(robot_values.positions(robot.shaped))
        robot.still_at = -1


def note_change() -> None:
    """Something in the file has changed, or is about to: the next heartbeat reads all values anew."""
    global _changes
    _changes += 1


def _changes_are_noticed(rig) -> bool:
    """Whether Blender evaluates an object by itself when it has changed, and so `note_change` is called."""
    return not bpy.app.background and rig.visible_get()


def _is_still(rig, robot: _Robot) -> bool:
    """Whether a robot's values are what was sent last: all was at rest, and nothing has changed since.

    Blender notices changes of all that it shows, but for custom properties that a script sets: those that a
    robot follows are compared.
    """
    return robot.still_at == _changes and robot.properties == robot_values.property_values(rig, robot.sources)


def _is_held() -> bool:
    """Whether robots keep their last values, since values of the scene may be those of another frame."""
    return _held or is_rendering()


def _is_live(rig) -> bool:
    return any(mover.is_live for mover in movers_of(rig))


def send_scene(scene, depsgraph, due: float) -> None:
    """Sends the values that a scene's rigs show now to their robots. `depsgraph` and `due`: as for `send`."""
    for uid, robot in _robots.items():
        rig = _find(uid, robot)
        if rig is None or rig.name not in scene.objects:
            continue
        if not (scene.frame_subframe and _is_live(rig)):  # live movers do not advance at sub-frames
            send(rig, due, depsgraph)


def heartbeat(clocked: Sequence = ()) -> bool:
    """Sends a sign of life to every robot, also while nothing moves; returns whether a state changed, so that
    panels must be redrawn.

    Values are sent as well, unless playback or the clock of live motion sends them: nothing changes between
    two of their frames. While the scene stands still, the last values are repeated without being read anew.

    Args:
        clocked: Scenes for which the clock runs.
    """
    changed = False
    for uid, robot in list(_robots.items()):
        rig = _find(uid, robot)
        if rig is None:  # the object was deleted: its robot must not stay armed
            robot.link.close()
            del _robots[uid]
            changed = True
            continue
        if _is_still(rig, robot):
            robot.link.send(robot.shaped)
            robot.sent_at = monotonic()
        else:
            granted(_follow)(rig, robot, clocked)
        changed |= look(rig)
    return changed


def _follow(rig, robot: _Robot, clocked: Sequence) -> None:
    """Sends a robot what its armature shows now. `clocked`: as for `heartbeat`."""
    look_at_render()
    if (is_playing() or any(rig.name in scene.objects for scene in clocked)) and not _is_held():
        robot.link.send_again()
    else:
        send(rig)


def connected_rigs() -> list:
    """Armature objects of all connected robots."""
    return [rig for rig in (_find(uid, robot) for uid, robot in _robots.items()) if rig is not None]


def _find(uid: int, robot: _Robot):
    """Armature object of a robot; None if it was deleted or is in no scene."""
    rig = find(robot.rig_name, uid)
    robot.rig_name = rig.name if rig else ""
    # `users_scene` is slow, since it searches all scenes; a visible object is in one.
    return rig if rig and (rig.visible_get() or rig.users_scene) else None
