"""Receives poses of links from other programs by OSC over UDP, without blocking. A port is opened by `listen`
only. Does not use Blender.

    /limber/link/NAME      w x y z   orientation of a link in the world, as a quaternion
    /limber/position/NAME  x y z     position of a link in the world [m]; needed for the base and for planted
                                     feet
    /limber/velocity/NAME  x y z, or x y z rx ry rz   velocity of the link [m/s], or velocity and angular
                                                      velocity [rad/s], at the same time
    /VMC/Ext/...                                      a humanoid; see `vmc`

The world is right-handed with Z up. The newest value of each address counts; other addresses are ignored.
If a sender gives the time at which its values were taken, by time tags of bundles or by VMC's time, that time
is used in place of the time of arrival.
"""

from collections.abc import Sequence
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from ...character.sample_times import is_outdated
from ...character.stream import Samples
from ...files.plain import shown
from ...inputs.inbox import BUDGET, Inbox, opened
from ...inputs.packets import Message
from ...inputs.words import FARTHEST
from ...solvers.kinematics import rotations, se3
from ...solvers.kinematics.se3 import Array
from ..blender.counting import counted
from . import vmc

LINK, POSITION, VELOCITY = "/limber/link/", "/limber/position/", "/limber/velocity/"
INPUTS = {  # kind of stream -> what a program must send, as text; both kinds are always accepted
    "OSC": f"{LINK}NAME with a quaternion (w, x, y, z) for each link",
    "VMC": f"bones by the VMC protocol ({vmc.BONE})",
}
MOST = 1024  # largest number of links, so that a sender that keeps inventing names cannot fill the memory
NO_ROTATION, NO_POSITION, NO_VELOCITY = np.full((3, 3), np.nan), np.full(3, np.nan), np.full(6, np.nan)
UNIT = 0.1  # largest deviation of a quaternion's length from 1


class _Newest(NamedTuple):
    """The newest sample of an address.

    Attributes:
        number: Number of messages so far.
        look: Number of the call of `Inbox.look` that read the sample.
        time: Time [s] at which it was taken, by the sender's clock; NaN if not given.
        age: Time [s] from its arrival to that call, as in `Message.age`; NaN if unknown.
    """

    number: int
    look: int
    time: float
    age: float


NOTHING = _Newest(0, 0, np.nan, np.nan)

_open: dict[tuple[str, int], "Receiver"] = {}


class Receiver(Inbox):
    """The newest orientations and positions received on one UDP port."""

    clock_address, timed_root = vmc.TIME.encode(), vmc.PREFIX

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.rotations: dict[str, Array] = {}  # (3, 3) by link
        self.positions: dict[str, Array] = {}  # (3,) [m] by link
        # by link: number of the read in which it arrived, and (6,) velocity [m/s, rad/s]; NaN for parts that
        # were not sent
        self.velocities: dict[str, tuple[int, Array]] = {}
        self.humanoid = vmc.Humanoid()
        self._looks = 0
        self._samples: dict[str, _Newest] = {}  # newest sample by address

    def look(self, budget: float = BUDGET) -> None:
        self._looks += 1
        super().look(budget)

    @property
    def links(self) -> list[str]:
        """Names of the links whose orientation was received; for a humanoid, parents come first."""
        return list(dict.fromkeys([*self.rotations, *self.humanoid.bones]))

    def take(self, message: Message) -> None:
        if message.trouble:
            return
        message = message._replace(arguments=tuple(map(_bounded, message.arguments)))
        address, numbers = message.address, message.numbers
        if address.startswith(vmc.PREFIX):
            self.problem = self.humanoid.take(message) or self.problem
            return
        if address.startswith(VELOCITY):
            self._take_velocity(address, numbers)
            return
        for prefix, count, known in ((LINK, 4, self.rotations), (POSITION, 3, self.positions)):
            if not address.startswith(prefix):
                continue
            name = address.removeprefix(prefix)
            before = self._samples.get(address, NOTHING)
            # UDP does not keep the order of messages, so an older one may arrive last
            if is_outdated(message.time, before.time):
                continue
            if len(numbers) != count:
                self.problem = (
                    f"{shown(address)} has {counted(len(numbers), 'number')}, and {count} were expected"
                )
            elif name in known or len(known) < MOST:
                known[name] = _rotation(numbers) if count == 4 else np.array(numbers)
                self._samples[address] = _Newest(
                    before.number + message.repeats, self._looks, message.time, message.age
                )

    def _take_velocity(self, address: str, numbers: tuple[float, ...]) -> None:
        name = address.removeprefix(VELOCITY)
        if len(numbers) not in (3, 6):
            self.problem = (
                f"{shown(address)} has {counted(len(numbers), 'number')}, and 3 were expected, or 6 with the"
                " angular velocity"
            )
        elif name in self.velocities or len(self.velocities) < MOST:
            self.velocities[name] = self._looks, np.array((*numbers, np.nan, np.nan, np.nan)[:6])

    def posed(self, names: Sequence[str]) -> tuple[Array, Array]:
        """World rotations (k, 3, 3) and positions (k, 3) [m] of links; NaN for values that were not
        received.
        """
        received = [(self.rotations.get(name), self.positions.get(name)) for name in names]
        sent = [self.humanoid.posed(name) or (NO_ROTATION, NO_POSITION) for name in names]
        rotated = [
            rotation if rotation is not None else other
            for (rotation, _), (other, _) in zip(received, sent, strict=True)
        ]
        positions = [
            position if position is not None else other
            for (_, position), (_, other) in zip(received, sent, strict=True)
        ]
        return np.array(rotated).reshape(-1, 3, 3), np.array(positions).reshape(-1, 3)

    def samples(self, names: Sequence[str]) -> Samples:
        """The newest samples of links, as signals of `character.stream`: k rotation matrices row by row, then
        k positions [m], each padded with zeros to nine numbers.
        """
        count = len(names)
        rotations, positions = self.posed(names)
        values = np.zeros((2 * count, 9))
        values[:count], values[count:, :3] = rotations.reshape(-1, 9), positions
        velocities = np.full((2 * count, 9), np.nan)
        numbers, times = np.zeros(2 * count, np.int64), np.full(2 * count, np.nan)
        ages = times.copy()
        for k, name in enumerate(names):
            humanoid = self.humanoid
            of_humanoid = _Newest(humanoid.count(name), 0, humanoid.time(name), humanoid.age(name))
            turned = self._samples.get(LINK + name, of_humanoid)
            position_sample = self._samples.get(POSITION + name, of_humanoid)
            numbers[[k, count + k]] = turned.number, position_sample.number
            times[[k, count + k]] = turned.time, position_sample.time
            ages[[k, count + k]] = turned.age, position_sample.age
            sent_at, velocity = self.velocities.get(name, (0, NO_VELOCITY))
            if sent_at and sent_at == turned.look:
                velocities[k] = (se3.hat(velocity[3:]) @ rotations[k]).reshape(9)
            if sent_at and sent_at == position_sample.look:
                velocities[count + k] = (*velocity[:3], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return Samples(values, numbers, velocities, times, ages)


def _bounded(argument: float | str) -> float | str:
    """An argument; NaN, as for what is lost, in place of a number beyond `FARTHEST`."""
    return argument if isinstance(argument, str) or abs(argument) <= FARTHEST else nan


def _rotation(quaternion: tuple[float, ...]) -> Array:
    w, x, y, z = quaternion
    length = float(np.linalg.norm(quaternion)) if isfinite(sum(quaternion)) else 0.0
    if abs(length - 1.0) > UNIT:
        return np.full((3, 3), np.nan)  # a tracker that has lost its link sends zeros, which are no rotation
    return np.array(rotations.to_matrix(rotations.normalized((w, x, y, z))))


def listen(host: str, port: int) -> Receiver:
    """The receiver that listens on an address; opened if there is none yet.

    Raises:
        InputError: the address cannot be bound.
    """
    if (host, port) not in _open:
        _open[host, port] = opened(Receiver, host, port)
    return _open[host, port]


def find(host: str, port: int) -> Receiver | None:
    """The receiver that listens on an address; None if there is none."""
    return _open.get((host, port))


def end(host: str, port: int) -> None:
    """Stops listening on an address."""
    receiver = _open.pop((host, port), None)
    if receiver is not None:
        receiver.close()


def end_all() -> None:
    for host, port in list(_open):
        end(host, port)
