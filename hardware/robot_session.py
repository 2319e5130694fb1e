"""The robots of a host (Blender or the player), and the rules that hold in every host:

* A port has one owner.
* While a host steps through frames faster or slower than real time, robots keep their last values.
* A robot gets heartbeats separately from values, which are sent when the host has new ones.
* A robot is disarmed when a mover that moved it ends, since the shown pose may then be far from the robot's.
* When the host opens another file, every robot is disarmed and all permits end.
* A program drives a robot only with the consent of this computer's user.
* Other programs may arm a robot only with a permit, which ends when it is disarmed or stopped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Hashable, Sequence
from dataclasses import replace

from ..motion import Kinematic
from .device import Device
from .errors import DeviceError
from .link import WorkerLink
from .protocols.program_consents import NO_CONSENTS, ProgramConsents
from .protocols.table import FILE
from .safety import State
from .sentences import BLENDER, HostWords
from .status import Status

HEARTBEAT = 0.05  # [s] time between heartbeats: a quarter of the silence at which the worker holds the robot
# states in which the robot does not follow its host, but may move
SELF_MOVING = {State.SETUP, State.PARKING, State.LIMP}


ARMING = ("arm", "confirm")  # commands after which a robot may move
RELEASE = "release"  # command that switches all torque off: what the robot held up may fall
EXPIRING = (*ARMING, RELEASE)  # commands after which a robot may move or sink: void when they are late
TO_ROBOTS = (*EXPIRING, "disarm", "clear", "connect")  # a person's commands to a robot, apart from stop
LOST = {State.FAULT, State.WORKER_LOST}  # states that last until a person clears the fault


def possible_orders(status: Status) -> list[str]:
    """The commands, apart from stop, that a person may give a robot now."""
    if status.state is State.DISARMED:
        # after "arm", a robot that cannot measure shows the pose to confirm
        return ["arm", RELEASE, "connect"]
    if status.state is State.CONFIRM_POSE:
        return ["confirm", "disarm"]
    if status.state is State.LIMP:
        return ["disarm"]
    if status.state in LOST:
        return ["clear"]
    return ["disarm"] if status.moving else ["connect"] if status.state is State.CLOSED else []


class ArmingPermits:
    """Permits for other programs to arm robots, by the keys of their sessions."""

    def __init__(self) -> None:
        self._keys: set[Hashable] = set()

    def allow(self, key: Hashable, is_allowed: bool = True) -> None:
        """Give the robot with a key a permit, or withdraw it if `is_allowed` is False."""
        (self._keys.add if is_allowed else self._keys.discard)(key)

    def is_allowed(self, key: Hashable) -> bool:
        return key in self._keys

    def withdraw_all(self) -> None:
        self._keys.clear()


class RobotSession:
    """A connected robot: its link, and the movers that move it.

    Attributes:
        link: The link to its worker.
        owner: Name of the object that it follows, for messages.

    Args:
        link, owner: As the attributes.
        key: Key of the robot in `permits`.
        permits: Permits of the host's robots; `disarm` withdraws this robot's.
    """

    def __init__(self, link: WorkerLink, owner: str, key: Hashable, permits: ArmingPermits) -> None:
        self.link, self.owner = link, owner
        self._key, self._permits = key, permits
        self._movers: frozenset[str] = frozenset()
        self._sent_at = time.monotonic()  # [s] time when values were last sent, or repeated

    def send(self, values: Sequence[float | Kinematic], plays: bool = False, due: float = 0.0) -> None:
        """Send values; arguments as of `WorkerLink.send`."""
        self.link.send(values, plays, due)
        self._sent_at = time.monotonic()

    def keep_alive(self) -> None:
        """Send a heartbeat if the next values are late; hosts call this as often as they can."""
        if (time_now := time.monotonic()) - self._sent_at >= HEARTBEAT:
            self.link.send_again()
            self._sent_at = time_now

    def note_movers(self, movers: frozenset[str]) -> None:
        """Set the names of the movers that move the robot now. If one of the previous ones has ended, the
        robot is disarmed, unless its state is one of SELF_MOVING.
        """
        if not self._movers <= movers and (state := self.link.status().state) not in SELF_MOVING:
            self.disarm("" if state is State.DISARMED else "live motion has ended")
        self._movers = movers

    def order(self, word: str) -> None:
        """Execute a person's command, one of `TO_ROBOTS`. While the robot does not wait for a confirmation,
        "confirm" also arms it.
        """
        is_asking = self.link.read_status().state is State.CONFIRM_POSE
        {
            "arm": self.link.arm,
            "confirm": self.link.confirm_pose if is_asking else self.link.arm_confirmed,
            RELEASE: self.link.release,
            "disarm": self.disarm,
            "clear": self.link.clear_fault,
            "connect": self.link.reconnect,
        }[word]()

    def disarm(self, reason: str = "") -> None:
        """Disarm the robot, and withdraw its permit; until the next command, `Status.sentence` tells the
        reason.
        """
        self.link.disarm(reason)
        self._permits.allow(self._key, False)


class RobotSessions:
    """The robots of one host, by keys."""

    def __init__(self, permits: ArmingPermits | None = None, consents: ProgramConsents = NO_CONSENTS) -> None:
        self.permits, self._consents = permits or ArmingPermits(), consents
        self.is_held = False  # whether robots keep their last values
        self._by_key: dict[Hashable, RobotSession] = {}

    def connect(
        self,
        key: Hashable,
        owner: str,
        device: Device,
        python: str = sys.executable,
        host: HostWords = BLENDER,
    ) -> RobotSession:
        """Connect a robot, which replaces the one with the same key; nothing moves.

        Args:
            key, owner: Key and name of the object that it follows.
            device: The robot.
            python, host: As for `WorkerLink`.

        Raises:
            DeviceError: Another owner of this host uses the port, or as `WorkerLink`.
            ProtocolError: A program drives the robot, and this user has not allowed its current content.
            WorkerError: As `WorkerLink.open`.
        """
        self.close(key)
        if device.protocol.startswith(FILE):
            device = replace(device, program=self._consents.require(device.protocol.removeprefix(FILE)))
        other_owner = next(
            (each.owner for each in self._by_key.values() if each.link.device.line == device.line), ""
        )
        if other_owner and not device.is_virtual:
            raise DeviceError(
                f"Port {device.port} moves '{other_owner}' already: disconnect that one, or choose another"
                " port"
            )
        link = WorkerLink(device, python, host)
        link.open()
        session = self._by_key[key] = RobotSession(link, owner, key, self.permits)
        return session

    def close(self, key: Hashable) -> None:
        """Disarm a robot and close its port; no effect if no robot has that key."""
        session = self._by_key.pop(key, None)
        if session is not None:
            session.link.close()

    def close_all(self) -> None:
        """Disarm every robot and close its port."""
        for key in list(self._by_key):
            self.close(key)

    def change_file(self) -> None:
        """Disarm every robot and close its port, since the host opens another file; withdraw all permits to
        arm.
        """
        self.close_all()
        self.permits.withdraw_all()

    def press_stops(self) -> None:
        """Emergency stop of all robots, from any thread; permits are kept."""
        for session in list(self._by_key.values()):
            session.link.stop()

    def stop_all(self) -> int:
        """Emergency stop of all robots; return their number. All permits end."""
        self.press_stops()
        self.permits.withdraw_all()
        return len(self._by_key)
