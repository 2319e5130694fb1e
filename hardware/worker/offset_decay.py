"""Decay of the initial offset between servos' real positions and those that joint values imply."""

from __future__ import annotations

from collections.abc import Sequence

from ..device import ServoChannel
from ..mixing import raw_within

# [rad/s of the servo] speed of the decay: a quarter of the approach speed, to which it is added
DECAY_SPEED = 0.1


class OffsetDecay:
    """Corrects raw goals for the initial offset between servos' real positions and those implied by the joint
    values; the offset decays.

    A servo may be slightly beyond its range, and two servos of a joint may disagree slightly. They are not
    moved at once; the offset is removed slowly.

    Args:
        channels: The device's channels.
        start: Raw position of each servo (channels,); None if not known, or not to be driven.
        desired: Raw positions that the joint values imply (channels,).
    """

    def __init__(
        self, channels: Sequence[ServoChannel], start: Sequence[float | None], desired: Sequence[float]
    ) -> None:
        self._channels = channels
        self._driven = [position is not None for position in start]
        # decaying raw offsets: of each position from the channel's range, and of the position clamped to that
        # range from the clamped desired position
        self._beyond = [
            0.0 if position is None else position - raw_within(channel, position)
            for channel, position in zip(channels, start, strict=True)
        ]
        self._apart = [
            0.0 if position is None else raw_within(channel, position) - raw_within(channel, aim)
            for channel, position, aim in zip(channels, start, desired, strict=True)
        ]

    def take(self, desired: Sequence[float], dt: float) -> tuple[float | None, ...]:
        """Raw goals to send (channels,) for the desired ones, `dt` [s] after the last ones; None for channels
        that are not driven.
        """
        sent: list[float | None] = []
        for k, (channel, aim) in enumerate(zip(self._channels, desired, strict=True)):
            most = DECAY_SPEED * channel.per_radian * dt
            self._apart[k] = _toward_zero(self._apart[k], most)
            self._beyond[k] = _toward_zero(self._beyond[k], most)
            sent.append(
                raw_within(channel, aim + self._apart[k]) + self._beyond[k] if self._driven[k] else None
            )
        return tuple(sent)


def _toward_zero(value: float, most: float) -> float:
    """The value, moved toward 0 by at most `most`."""
    return max(value - most, 0.0) if value > 0.0 else min(value + most, 0.0)
