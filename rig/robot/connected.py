"""The robots that are connected in this session, by their armatures. Nothing is saved."""

from dataclasses import dataclass, field
from time import monotonic

import bpy

from ...hardware.device import DeviceJoint
from ...hardware.link import WorkerLink
from ...hardware.robot_session import RobotSession, RobotSessions
from ...hardware.status import Status
from ...motion import Kinematic
from ..blender.presence import find
from ..properties.remote import permits
from .device import Source
from .figures import ShownFigures
from .history import History
from .programs import consents
from .value_filters import ValueFilters


@dataclass
class ConnectedRobot:
    """A connected robot: its session, and the values that were sent last."""

    session: RobotSession
    rig_name: str
    sources: tuple[Source, ...]  # for each joint of the device where its value comes from
    short: tuple[
        tuple[DeviceJoint, float, float], ...
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
    # `sending.changes` at which the same values were sent twice in a row, with all at rest; -1: they may
    # change by themselves
    still_at: int = -1
    properties: tuple[
        float | None, ...
    ] = ()  # values of the animatable properties that it follows, when values were last sent

    @property
    def link(self) -> WorkerLink:
        return self.session.link

    def look(self) -> bool:
        """Reads the status from the worker; returns whether anything that panels show as text has changed."""
        before, self.status = self.status, self.link.read_status()
        self.history.note(monotonic(), self.status)
        return before is None or _as_text(before) != _as_text(self.status)

    def rig(self, uid: int) -> bpy.types.Object | None:
        """Armature object of the robot by its session_uid; None if it was deleted or is in no scene."""
        rig = find(self.rig_name, uid)
        self.rig_name = rig.name if rig else ""
        # `users_scene` is slow, since it searches all scenes; a visible object is in one.
        return rig if rig and (rig.visible_get() or rig.users_scene) else None


robots: dict[int, ConnectedRobot] = {}  # by the armature object's session_uid
sessions = RobotSessions(permits, consents)  # of these robots, by the same keys


def _as_text(status: Status) -> tuple:
    """The part of a status that panels show as text; figures are redrawn separately."""
    return status.sentence, status.warnings, status.confirmed
