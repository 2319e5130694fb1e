"""Setup motion of a single joint or servo: jog, test, wiggle."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from ...motion import Kinematic, Limits
from ..device import Device, DeviceJoint
from ..messages import Request
from ..mixing import Mixing
from ..safety import Command
from .drive import Drive
from .offset_decay import OffsetDecay

# [rad of the servo] rotation of a wiggle, 5 degrees: visible across a table, and less than an arm deflects by
# its own weight
WIGGLE = 0.09
WIGGLES = 2  # number of wiggles; a single one may look like an accident
# share of a joint's range that a test leaves out at either end, so that a wrong range is noticed before a
# stop is hit
MARGIN = 0.1
_ANY = 1e3  # [rad/s, rad/s2, rad/s3] limits of a servo whose own are not known; an approach is far slower

Raw = Sequence[float | None]


class SetupTask(ABC):
    """Setup motion of one joint or servo from its current position.

    Attributes:
        done: Whether it has ended.
        drive: Drives the one joint or servo.
    """

    done = False
    drive: Drive
    _goals: list[float]
    _stays = False  # whether the joint stays at the goal until the next command

    def _follow_goals(self, dt: float, brakes: bool) -> float:
        """Advance by `dt` [s]: approach the goals one after the other, or with `brakes` come to rest; returns
        the commanded value.
        """
        if brakes:
            self.drive.brake(dt)
        elif self._goals:
            goal = [Kinematic(self._goals[0])]
            self.drive.approach(goal, dt, hurry=False)
            if not self._stays and self.drive.has_arrived(goal) and self.drive.at_rest:
                del self._goals[0]
                self.drive.begin_approach()
                self.done = not self._goals
        return self.drive.commanded[0]

    @abstractmethod
    def step(self, dt: float, brakes: bool = False) -> tuple[float | None, ...]:
        """Raw goals `dt` [s] later (channels,); None for no goal. With `brakes` the joint or servo slows down
        within its limits.
        """


class JointTask(SetupTask):
    """Task that moves one joint through a list of values, while joints that share its channels keep theirs.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
        joint: Index of the joint.
        start: Raw servo positions (channels,); those of the joint's channels must be known.
        free: Whether only the servo's range limits the motion, not the joint's.
    """

    def __init__(self, device: Device, mixing: Mixing, joint: int, start: Raw, free: bool = False) -> None:
        self.joint = joint
        self.free = free
        self._mixing = mixing
        self._channels = mixing.channels_of(joint)
        values = mixing.values(start)
        self._values = [0.0 if value is None else value for value in values]
        joint_start = [raw if k in self._channels else None for k, raw in enumerate(start)]
        self._offset = OffsetDecay(device.channels, joint_start, mixing.unbounded(self._values))
        self._begin = self._values[joint]
        self._span = mixing.reach(joint, self._values) if free else mixing.ranges[joint]
        self.drive = Drive([device.joints[joint]], [self._span], [self._begin])
        self._goals = []

    def jog(self, amount: float) -> None:
        """Set the task to move by `amount` [the joint's unit], from the last jog's goal if there is one, but
        not beyond its range, and to stay there.
        """
        self._stays = True
        self.done = False
        self._goals = [self._within((self._goals[0] if self._goals else self.drive.commanded[0]) + amount)]

    def test(self, low: float, high: float) -> None:
        """Set the task to move to `low`, to `high` and back to the start [the joint's unit]; NaN means near
        that end of the range.
        """
        span = self._span[1] - self._span[0]
        ends = (self._span[0] + MARGIN * span, self._span[1] - MARGIN * span)
        low, high = (
            default if math.isnan(value) else value for value, default in zip((low, high), ends, strict=True)
        )
        self._goals = [self._within(low), self._within(high), self._begin]

    def step(self, dt: float, brakes: bool = False) -> tuple[float | None, ...]:
        self._values[self.joint] = self._follow_goals(dt, brakes)
        return self._offset.take(self._mixing.unbounded(self._values), dt)

    def _within(self, value: float) -> float:
        return min(max(value, min(self._span[0], self._begin)), max(self._span[1], self._begin))


class WiggleTask(SetupTask):
    """Task that rotates one servo a little and back, with any joints that it drives.

    Args:
        device: The robot.
        channel: Index of the channel.
        start: Raw servo positions (channels,); that of this channel must be known.
    """

    def __init__(self, device: Device, channel: int, start: Raw) -> None:
        begin = start[channel]
        assert begin is not None
        self._channel = channel
        self._begin = begin
        self._count = len(device.channels)
        settings = device.channels[channel]
        margins = settings.highest - begin, begin - settings.lowest
        direction = 1.0 if margins[0] >= margins[1] else -1.0
        self._per_radian = direction * settings.per_radian
        far = min(WIGGLE, max(max(margins) / settings.per_radian, 0.0))
        alone = DeviceJoint("servo", Limits(0.0, max(far, WIGGLE), _ANY, _ANY, _ANY))
        self.drive = Drive([alone], [(0.0, far)], [0.0])
        self._goals = [far, 0.0] * WIGGLES

    def step(self, dt: float, brakes: bool = False) -> tuple[float | None, ...]:
        raw: list[float | None] = [None] * self._count
        raw[self._channel] = self._begin + self._per_radian * self._follow_goals(dt, brakes)
        return tuple(raw)


def channels_needed(device: Device, mixing: Mixing, request: Request) -> frozenset[int]:
    """Indices of the channels that a command drives: those of its servo or joint in set-up, otherwise all."""
    if request.command is Command.WIGGLE:
        return frozenset((min(max(request.target, 0), len(device.channels) - 1),))
    if request.command in (Command.JOG, Command.TEST):
        return frozenset(mixing.channels_of(min(max(request.target, 0), len(device.joints) - 1)))
    return frozenset(range(len(device.channels)))


def begin(device: Device, mixing: Mixing, request: Request, start: Raw) -> SetupTask:
    """The task for a command to wiggle, jog or test, starting at the servos' current raw positions `start`
    (channels,).
    """
    if request.command is Command.WIGGLE:
        return WiggleTask(device, request.target, start)
    task = JointTask(device, mixing, request.target, start, request.free)
    if request.command is Command.JOG:
        task.jog(request.amount)
    else:
        task.test(*request.span)
    return task
