"""Frames of joint values from Blender: checked, delayed by the device's latency, and played back. Knows no Blender."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from ...motion import Kinematic
from ..device import Device
from ..mixing import Mixing
from .jump_detector import JumpDetector
from .playback import Playback

Values = tuple[float, ...]


class CommandBuffer:
    """Buffer of frames from Blender, and the motion that is played back from them.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
        period: Largest delay until a frame is noticed [s].

    Attributes:
        refused: Number of frames with a value that is not a number.
        clamped: Number of frames with a value out of its range.
        remark: Why the newest frame was refused.
        newest: The newest usable frame, within all ranges; None before the first.
        came_at: Time of its arrival [s].
    """

    def __init__(self, device: Device, mixing: Mixing, period: float) -> None:
        self._joints = device.joints
        self._latency = max(device.latency, 0.0)  # what is to be early comes early
        self._mixing = mixing
        self._playback = Playback(period)
        self._leaps = JumpDetector(device.joints)
        self._delayed: deque[tuple[float, tuple[Kinematic, ...]]] = deque()
        self.refused = 0
        self.clamped = 0
        self.remark = ""
        self.newest: Values | None = None
        self.came_at = -math.inf

    def take(self, stamp: float, frame: Sequence[Kinematic], now: float) -> None:
        """Add a frame (joints,) that Blender sent at `stamp` [s]."""
        values = tuple(one.position for one in frame)
        for joint, one in zip(self._joints, frame, strict=True):
            if not (math.isfinite(one.position) and math.isfinite(one.velocity) and math.isfinite(one.acceleration)):
                self.refused += 1
                self.remark = f"the value of '{joint.name}' is not a number"
                return
        self.remark = ""
        within = self._mixing.clamp(values)
        self.clamped += within != values
        self.newest, self.came_at = within, now
        moving = tuple(
            one if one.position == value else Kinematic(value) for one, value in zip(frame, within, strict=True)
        )  # at the end of its range a joint is at rest
        self._delayed.append((stamp + self._latency, moving))

    def advance(self, now: float) -> None:
        """Pass frames whose delay has ended by `now` [s] to the playback."""
        while self._delayed and self._delayed[0][0] <= now:
            stamp, frame = self._delayed.popleft()
            self._playback.add(stamp, frame)
            self._leaps.take(stamp, [one.position for one in frame])

    def goal(self, now: float) -> list[Kinematic] | None:
        """Desired state of each joint at `now` [s]; None before the first frame."""
        return self._playback.at(now)

    def jumped(self, commanded: Values) -> bool:
        """Whether the frames moved faster than the joints can follow; `commanded` as in `JumpDetector.jumped`."""
        return self._leaps.jumped(commanded)

    def begin_anew(self, at_newest: bool) -> None:
        """Restart the jump detection at the newest frame; `at_newest`: restart the playback there as well."""
        self._leaps.forget()
        if at_newest:
            self._playback.skip()
