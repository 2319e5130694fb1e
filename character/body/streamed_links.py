"""Poses of links that other programs send, from their messages by OSC.

    /limber/link/NAME      w x y z   orientation of a link in the world, as a quaternion
    /limber/position/NAME  x y z     position of a link in the world [m]; needed for the base and for planted
                                     feet
    /limber/velocity/NAME  x y z, or x y z rx ry rz   velocity of the link [m/s], or velocity and angular
                                                      velocity [rad/s], at the same time
    /VMC/Ext/...                                      a humanoid; see `humanoid`

The world is right-handed with Z up. The newest value of each address counts; other addresses are ignored.
If a sender gives the time at which its values were taken, by time tags of bundles or by VMC's time, that time
is used instead of the time of arrival.
"""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np

from ...files.plain import shown
from ...solvers.kinematics import rotations, se3
from ...solvers.kinematics.se3 import Array
from ..sample_times import is_outdated
from ..stream import Samples
from .humanoid import PREFIX, Humanoid, LinkMessage

LINK, POSITION, VELOCITY = "/limber/link/", "/limber/position/", "/limber/velocity/"
# largest number of links for each kind of value; further ones are ignored, so that a sender that keeps
# inventing names cannot fill the memory
MOST_LINKS = 1024
NO_ROTATION, NO_POSITION, NO_VELOCITY = np.full((3, 3), np.nan), np.full(3, np.nan), np.full(6, np.nan)
UNIT = 0.1  # largest deviation of a quaternion's length from 1; beyond, tracking of the link counts as lost


class _Newest(NamedTuple):
    """The newest sample of an address.

    Attributes:
        number: Number of messages so far.
        look, time, age: As in `LinkMessage`.
    """

    number: int
    look: int
    time: float
    age: float


NOTHING = _Newest(0, 0, np.nan, np.nan)


class StreamedLinks:
    """The newest orientations and positions of links."""

    def __init__(self) -> None:
        self.rotations: dict[str, Array] = {}  # link -> rotation (3, 3)
        self.positions: dict[str, Array] = {}  # link -> position (3,) [m]
        # link -> (number of the reading in which its velocity came, that velocity (6,) [m/s, rad/s]; NaN for
        # components that were not sent)
        self.velocities: dict[str, tuple[int, Array]] = {}
        self.humanoid = Humanoid()
        self._samples: dict[str, _Newest] = {}  # address -> its newest sample

    @property
    def links(self) -> list[str]:
        """Names of the links whose orientation was received; for a humanoid, parents come first."""
        return list(dict.fromkeys([*self.rotations, *self.humanoid.bones]))

    def take(self, message: LinkMessage) -> str:
        """Takes a message; returns why it is invalid, or "" if it is used or ignored. Ignored are other
        addresses, values that newer ones have overtaken, and links beyond `MOST_LINKS`.
        """
        address, numbers = message.address, message.numbers
        if address.startswith(PREFIX):
            return self.humanoid.take(message)
        if address.startswith(VELOCITY):
            return self._take_velocity(message)
        for prefix, count, known in ((LINK, 4, self.rotations), (POSITION, 3, self.positions)):
            if not address.startswith(prefix):
                continue
            name = address.removeprefix(prefix)
            before = self._samples.get(address, NOTHING)
            # UDP does not keep the order of messages, so an older message can arrive last
            if is_outdated(message.time, before.time):
                continue
            if len(numbers) != count:
                return _wrong_count(message, f"{count} were expected")
            if name in known or len(known) < MOST_LINKS:
                known[name] = _rotation(numbers) if count == 4 else np.array(numbers)
                self._samples[address] = _Newest(
                    before.number + message.repeats, message.look, message.time, message.age
                )
        return ""

    def _take_velocity(self, message: LinkMessage) -> str:
        """Stores the velocity of a link; returns the problem with the message, "" if there is none."""
        name, numbers = message.address.removeprefix(VELOCITY), message.numbers
        if len(numbers) not in (3, 6):
            return _wrong_count(message, "3 were expected, or 6 with the angular velocity")
        if name in self.velocities or len(self.velocities) < MOST_LINKS:
            self.velocities[name] = message.look, np.array((*numbers, np.nan, np.nan, np.nan)[:6])
        return ""

    def posed(self, names: Sequence[str]) -> tuple[Array, Array]:
        """World rotations (k, 3, 3) and positions (k, 3) [m] of links; NaN for values that were not received
        or are lost.
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
        """The newest samples of links, as signals of `stream`: k rotation matrices row by row, then
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


def _wrong_count(message: LinkMessage, expected: str) -> str:
    count = len(message.numbers)
    return f"{shown(message.address)} has {count} number{'' if count == 1 else 's'}, and {expected}"


def _rotation(quaternion: tuple[float, ...]) -> Array:
    """Rotation (3, 3) of a quaternion (w, x, y, z); NaN if its length is not about 1 (`UNIT`)."""
    w, x, y, z = quaternion
    length = float(np.linalg.norm(quaternion)) if isfinite(sum(quaternion)) else 0.0
    if abs(length - 1.0) > UNIT:
        return np.full((3, 3), np.nan)  # a tracker that has lost its link sends zeros, which are no rotation
    return np.array(rotations.to_matrix(rotations.normalized((w, x, y, z))))
