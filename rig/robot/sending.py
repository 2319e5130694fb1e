"""Connected robots, and the joint values that are sent to them: at each frame, at each step of the clock, and
as heartbeats while nothing moves. Nothing is saved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

import bpy

from ...hardware import robot_session
from ...hardware.device import DeviceJoint
from ...hardware.link import WorkerLink
from ...hardware.robot_session import RobotSession, RobotSessions
from ...hardware.status import Status
from ...motion import Kinematic
from ..blender.presence import find
from ..blender.write_access import granted
from ..live.live import is_playing, is_rendering, look_at_render
from ..live.mover import Mover
from ..live.movers import movers_of
from ..live.runtime import live_movers
from ..live.shown_poses import evaluate
from ..properties.remote import permits
from . import lookahead
from . import values as robot_values
from .device import Source
from .figures import ShownFigures
from .history import History
from .programs import consents
from .value_filters import ValueFilters

HEARTBEAT = robot_session.HEARTBEAT  # [s] time between two heartbeats
# [s] time between two heartbeats while the rig follows the robot: the interval at which its positions
# are read
QUICK = 0.02

changes = 0  # number of changes of the file noticed so far


@dataclass
class ConnectedRobot:
    """A connected robot: its connection, the values sent last, and what is known of its state."""

    session: RobotSession
    rig_name: str
    sources: tuple[Source, ...]  # source of the value of each of the device's joints
    # joints whose limits exceed their servos' ranges, with the ranges of the servos
    short: tuple[tuple[DeviceJoint, float, float], ...]
    angles: list[float]  # [rad; prismatic joints m; values in their own unit] last values of the joints
    # last sent values: `angles` after the filters, with their velocities
    shaped: list[float | Kinematic] = field(default_factory=list)
    status: Status | None = None  # last status read
    history: History = field(default_factory=History)
    filters: ValueFilters = field(default_factory=ValueFilters)
    # [s, monotonic clock] time at which values were last sent
    sent_at: float = field(default_factory=monotonic)
    figures: ShownFigures = field(default_factory=ShownFigures)
    # value of `changes` when the same values were sent twice in a row, with everything at rest; -1 if they
    # may change on their own
    still_at: int = -1
    # values of the animatable properties that the robot follows, when values were last sent
    properties: tuple[float | None, ...] = ()

    @property
    def link(self) -> WorkerLink:
        return self.session.link

    def look(self) -> bool:
        """Reads the status from the worker, and adds it to the history; returns whether any text in panels
        has changed.
        """
        before, self.status = self.status, self.link.read_status()
        self.history.note(monotonic(), self.status)
        return before is None or _as_text(before) != _as_text(self.status)

    def rig(self, uid: int) -> bpy.types.Object | None:
        """The robot's armature, or object with a mechanism, by its session_uid; None if it was deleted or is
        in no scene.
        """
        rig = find(self.rig_name, uid)
        self.rig_name = rig.name if rig else ""
        # `users_scene` is slow, since it searches all scenes; a visible object is always in one
        return rig if rig and (rig.visible_get() or rig.users_scene) else None


robots: dict[int, ConnectedRobot] = {}  # connected robots, by the session_uid of the rig
sessions = RobotSessions(permits, consents)  # sessions of these robots, by the same keys


def _as_text(status: Status) -> tuple:
    """The part of a status that panels show as text. Numbers are redrawn separately."""
    return status.sentence, status.warnings, status.confirmed


def hold(is_held: bool) -> None:
    """Makes all robots keep their last values (`is_held`), or lets them follow again. They keep them while
    something, such as a bake, steps through frames faster or slower than real time.
    """
    sessions.is_held = is_held
    note_change()


def note_change() -> None:
    """Records that something in the file has changed, or is about to, so that the next heartbeat reads all
    values again.
    """
    global changes
    changes += 1


def send(rig: bpy.types.Object, due: float = 0.0, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Sends the rig's values to its robot: filtered values of live movers, posed values of the others. No
    effect if it is not connected.

    The robot is disarmed if live motion on the rig has ended since the last call, because the authored pose
    may be far from the robot's. While robots are held, the last values are sent again.

    Args:
        rig: The armature object, or the object with the mechanism.
        due: Time [s] until the next values; 0 if not known.
        depsgraph: The evaluated scene, for a frame whose live poses have just been shown: bones moved by
            constraints still have the pose of the previous frame. If the robot follows such a bone, the scene
            is evaluated once more.
    """
    robot = robots.get(rig.session_uid)
    if robot is None:
        return
    movers = list(movers_of(rig))
    robot.session.note_movers(frozenset(mover.settings.uid for mover in movers if mover.is_live))
    if _is_held():
        robot.link.send(robot_values.positions(robot.shaped))
        robot.still_at = -1
        return
    if depsgraph and _follows_constraints(robot, movers):
        evaluate(depsgraph)
    plays, unit = is_playing(), robot.link.unit(due)
    desired = _desired(rig, robot, movers, plays, unit)
    robot.angles = robot_values.positions(desired)

    before, robot.sent_at = robot.sent_at, monotonic()
    last_shaped = robot.shaped
    robot.shaped = desired
    if any(source.auxiliary for source in robot.sources):
        robot.shaped = robot.filters.step(rig, robot.sources, desired, robot.sent_at - before, unit)
    robot.link.send(robot.shaped, plays=plays, due=due)

    # values at rest are not read again until something changes
    robot.properties = robot_values.property_values(rig, robot.sources)
    is_still = not plays and due == 0.0 and robot.filters.at_rest and robot.shaped == last_shaped
    robot.still_at = changes if is_still and _changes_are_noticed(rig) else -1


def disarm(rig: bpy.types.Object, reason: str = "") -> None:
    """Disarms the rig's robot; its status says the reason until the next command. Other programs cannot arm
    it until the user allows it again.
    """
    robots[rig.session_uid].session.disarm(reason)


def _follows_constraints(robot: ConnectedRobot, movers: Sequence[Mover]) -> bool:
    """Whether a robot follows bones that constraints move, of movers of its own that are not live, while any
    mover is: the constraints must then be evaluated again after live poses were shown.
    """
    are_posed = not all(mover.is_live for mover in movers)
    return are_posed and bool(robot_values.constrained_bones(movers, robot.sources) and live_movers())


def _desired(
    rig: bpy.types.Object, robot: ConnectedRobot, movers: Sequence[Mover], plays: bool, unit: float
) -> list[robot_values.Value]:
    """The newest value of each of the robot's joints before the filters, with its velocity if that is known:
    per `unit` [s] or, while the scene plays (`plays`), per frame.
    """
    # while the scene plays, rates are per frame, since live movers advance with the frames, even if these are
    # late; otherwise per `unit` of real time
    desired = robot_values.with_rates(rig, robot.sources, robot.angles, movers, 0.0 if plays else unit)
    if not plays or all(isinstance(value, Kinematic) for value in desired):
        return desired
    speeds = [joint.limits.velocity for joint in robot.link.device.joints]
    return lookahead.ahead(rig, robot.sources, desired, speeds)


def _changes_are_noticed(rig: bpy.types.Object) -> bool:
    """Whether Blender evaluates an object automatically after a change, so that `note_change` is called."""
    return not bpy.app.background and rig.visible_get()


def _is_still(rig: bpy.types.Object, robot: ConnectedRobot) -> bool:
    """Whether a robot's values are still the ones sent last: everything was at rest, and nothing has changed
    since. Blender reports all visible changes except those of custom properties set by a script, so the
    properties that a robot follows are compared.
    """
    return robot.still_at == changes and robot.properties == robot_values.property_values(rig, robot.sources)


def _is_held() -> bool:
    """Whether robots must keep their last values, since the scene's values may be those of another frame."""
    return sessions.is_held or is_rendering()


def _is_live(rig: bpy.types.Object) -> bool:
    """Whether a mover on the rig is live."""
    return any(mover.is_live for mover in movers_of(rig))


def send_scene(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, due: float) -> None:
    """Sends the currently shown values of a scene's rigs to their robots, at a sub-frame only of rigs without
    a live mover. `depsgraph` and `due` are as for `send`.
    """
    for uid, robot in robots.items():
        rig = robot.rig(uid)
        if rig is None or rig.name not in scene.objects:
            continue
        if not (scene.frame_subframe and _is_live(rig)):  # live movers do not advance at sub-frames
            send(rig, due, depsgraph)


def heartbeat(clocked: Sequence[bpy.types.Scene] = ()) -> bool:
    """Sends a heartbeat to every robot, also while nothing moves; returns whether a state has changed, so
    that panels must be redrawn. A robot whose rig was deleted or is in no scene is disarmed and its port
    closed.

    Values are sent too, unless playback or the clock of live motion sends them: nothing changes between two
    of their frames. While the scene is at rest, the last values are repeated without reading them again.

    Args:
        clocked: Scenes for which the clock runs.
    """
    changed = False
    for uid, robot in list(robots.items()):
        rig = robot.rig(uid)
        if rig is None:  # nothing shows what the robot does any more
            sessions.close(uid)
            del robots[uid]
            changed = True
            continue
        if _is_still(rig, robot):
            robot.link.send(robot.shaped)
            robot.sent_at = monotonic()
        else:
            granted(_follow)(rig, robot, clocked)
        changed |= robot.look()
    return changed


def _follow(rig: bpy.types.Object, robot: ConnectedRobot, clocked: Sequence[bpy.types.Scene]) -> None:
    """Sends a robot the values that its rig shows now; while playback or the clock sends them, only a
    heartbeat. `clocked` is as for `heartbeat`.
    """
    look_at_render()
    if (is_playing() or any(rig.name in scene.objects for scene in clocked)) and not _is_held():
        robot.link.send_again()
    else:
        send(rig)
