"""What comes from Blender: frames of values, checked, delayed where that is wanted, and played back. Knows no Blender."""

from __future__ import annotations

import math
from collections import deque

from ...motion import Kinematic
from ..device import Device
from ..mixing import Mixing
from .jump_detector import JumpDetector
from .playback import Playback

Values = tuple[float, ...]


class CommandBuffer:
    """Takes in frames.

    Args:
        device: The robot.
        mixing: Of the same.
        turn: How late a frame may be noticed [s].

    Attributes:
        refused: Frames with a value that is not a number.
        clamped: Frames with a value out of its range.
        remark: Why the newest frame was refused.
        newest: The newest usable frame, within all ranges; None before the first.
        came_at: When that came [s].
    """

    def __init__(self, device: Device, mixing: Mixing, turn: float) -> None:
        self._joints = device.joints
        self._latency = max(device.latency, 0.0)  # what is to be early comes early
        self._mixing = mixing
        self._playback = Playback(turn)
        self._leaps = JumpDetector(device.joints)
        self._delayed: deque[tuple[float, Values]] = deque()
        self.refused = 0
        self.clamped = 0
        self.remark = ""
        self.newest: Values | None = None
        self.came_at = -math.inf

    def take(self, stamp: float, values: Values, now: float) -> None:
        """A frame that Blender handed over at `stamp` [s]."""
        for joint, value in zip(self._joints, values, strict=True):
            if not math.isfinite(value):
                self.refused += 1
                self.remark = f"the value of '{joint.name}' is not a number"
                return
        self.remark = ""
        within = self._mixing.clamp(values)
        self.clamped += within != values
        self.newest, self.came_at = within, now
        self._delayed.append((stamp + self._latency, within))

    def advance(self, now: float) -> None:
        """Go on to `now` [s]: frames that were delayed until then are due."""
        while self._delayed and self._delayed[0][0] <= now:
            stamp, values = self._delayed.popleft()
            self._playback.add(stamp, values)
            self._leaps.take(stamp, values)

    def goal(self, now: float) -> list[Kinematic] | None:
        """Where and how each joint is to move at `now` [s]; None before the first frame."""
        return self._playback.at(now)

    def jumped(self, commanded: Values) -> bool:
        """Whether the frames went where no joint could follow."""
        return self._leaps.jumped(commanded)

    def begin_anew(self, at_newest: bool) -> None:
        """Forget how the frames got where they are; `at_newest`: stand at the newest one at once."""
        self._leaps.forget()
        if at_newest:
            self._playback.skip()
