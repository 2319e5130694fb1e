"""Monitors the tracking errors of servos: detects lagging and blocked ones. Knows no Blender.

A servo follows its commands with a short delay, so it is compared with all recent commands: only a position outside
of their range counts as an error.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from ..device import Device
from ..mixing import rotation_of_raw

RECENT = 0.3  # [s] a servo's lag, the delay of an answer, and a move or two that were lost
BEHIND = 0.17  # [rad of the servo] 10 degrees outside of what was commanded lately: more than any load bends a healthy servo
BEHIND_FOR = 0.3  # [s] until it is worth a word
BLOCKED = 0.35  # [rad of the servo] 20 degrees: its motor pushes with all it has
BLOCKED_FOR = 1.0  # [s] a hand may be in the way for a moment; a stalled motor takes a minute to burn


class TrackingErrorMonitor:
    """Compares commanded with measured positions.

    Args:
        device: The robot.

    Attributes:
        errors: Distance of each servo from the range of recent commands (channels,) [rad of the servo]; None: unknown.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.errors: list[float | None] = [None] * len(device.channels)
        self.forget()

    def forget(self) -> None:
        """Restart: nothing is commanded any more."""
        count = len(self._device.channels)
        self.errors = [None] * count
        self._recent: list[deque[tuple[float, float]]] = [deque() for _ in range(count)]
        self._desired_rotation = [0.0] * count
        self._found = [0.0] * count
        self._behind_since: list[float | None] = [None] * count
        self._blocked_since: list[float | None] = [None] * count

    def take(self, now: float, commanded: Sequence[float | None], measured: Sequence[float | None]) -> None:
        """Record raw positions (channels,) at `now` [s]; None: not commanded, or not measured."""
        for k, (channel, raw, position) in enumerate(zip(self._device.channels, commanded, measured, strict=True)):
            recent = self._recent[k]
            while recent and recent[0][0] < now - RECENT:
                recent.popleft()
            if raw is not None:
                recent.append((now, rotation_of_raw(channel, raw)))
            error = None
            if raw is not None and position is not None:
                rotations, self._found[k] = [rotation for _, rotation in recent], rotation_of_raw(channel, position)
                self._desired_rotation[k] = min(max(self._found[k], min(rotations)), max(rotations))
                error = self._found[k] - self._desired_rotation[k]
            self.errors[k] = error
            self._behind_since[k] = _since(self._behind_since[k], error, BEHIND, now)
            self._blocked_since[k] = _since(self._blocked_since[k], error, BLOCKED, now)

    def warnings(self, now: float) -> list[str]:
        """Sentences about servos that lag behind."""
        late = [k for k, since in enumerate(self._behind_since) if since is not None and now - since > BEHIND_FOR]
        return [f"{self._device.channels[k].label} stays behind: {self._apart(k)}" for k in late]

    def blocked(self, now: float) -> str | None:
        """The first blocked servo with expected and found position; None: none is."""
        stuck = [k for k, since in enumerate(self._blocked_since) if since is not None and now - since > BLOCKED_FOR]
        return f"{self._device.channels[stuck[0]].label}: {self._apart(stuck[0])}" if stuck else None

    def _apart(self, k: int) -> str:
        """Expected and found value of the channel's joint, or of its servo where several joints drive it."""
        shares = self._device.channels[k].shares
        if len(shares) == 1:
            joint = next(joint for joint in self._device.joints if joint.name == shares[0].joint)
            desired, found = (joint.text(rotation / shares[0].gear) for rotation in (self._desired_rotation[k], self._found[k]))
            return f"it should be at {desired} and is at {found}"
        desired, found = (f"{math.degrees(rotation):.1f} degrees" for rotation in (self._desired_rotation[k], self._found[k]))
        return f"its servo should be rotated by {desired} and is by {found}"


def _since(since: float | None, error: float | None, limit: float, now: float) -> float | None:
    if error is None or abs(error) <= limit:
        return None
    return now if since is None else since
