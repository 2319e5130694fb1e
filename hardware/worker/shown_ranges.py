"""Where joints may come to a stop: the poses that Blender has shown lately, each with the distance that a
joint needs to stop from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from ...motion import Kinematic, Limits
from ...motion.limiter import HEADROOM
from ...motion.profile import stopping_range
from .curve import REMEMBERED

Reach = tuple[float, float]  # lowest and highest position


class ShownRanges:
    """Ranges of positions through which joints move that stop from the frames shown lately.

    Args:
        limits: Limits of each channel's motion.
    """

    def __init__(self, limits: Sequence[Limits]) -> None:
        self._limits = limits
        self._ranges: deque[list[Reach]] = deque(maxlen=REMEMBERED)
        self._frame: tuple[Kinematic, ...] = ()

    def add(self, frame: tuple[Kinematic, ...]) -> None:
        """Add a frame of states (channels,)."""
        self._frame = frame
        self._ranges.append(
            [stopping(state, limits) for state, limits in zip(frame, self._limits, strict=True)]
        )

    def restart(self, frame: tuple[Kinematic, ...]) -> None:
        """Begin anew at a frame of states (channels,)."""
        self._ranges.clear()
        self.add(frame)

    def within(self, positions: Sequence[float]) -> list[float]:
        """Positions (channels,) within the ranges of the newest frame."""
        return [
            min(max(position, low), high)
            for position, (low, high) in zip(positions, self._ranges[-1], strict=True)
        ]

    def reaches(
        self, known: Iterable[Sequence[float]], count: int, played: Sequence[Kinematic]
    ) -> list[Reach]:
        """Lowest and highest position of each channel at which it may stop: of positions `known` (channels,
        n), and of the last `count` frames' ranges.

        A joint of which the newest frame knows no velocity may also stop as it moves on the curve, in the
        state `played`.
        """
        ranges = [self._ranges[-k] for k in range(1, min(count, len(self._ranges)) + 1)]
        reaches = []
        for channel, (positions, state) in enumerate(zip(known, self._frame, strict=True)):
            spans = [span[channel] for span in ranges]
            if state.velocity == state.acceleration == 0.0:
                spans.append(stopping(played[channel], self._limits[channel]))
            reaches.append(
                (min(*positions, *(low for low, _ in spans)), max(*positions, *(high for _, high in spans)))
            )
        return reaches


def stopping(state: Kinematic, limits: Limits) -> Reach:
    """Lowest and highest position of a joint that stops from a state within its limits."""
    start = feasible(state, limits)
    return stopping_range(
        (start.position, start.velocity, start.acceleration), limits.acceleration, limits.jerk
    )


def feasible(state: Kinematic, limits: Limits) -> Kinematic:
    """The state with velocity and acceleration within the limits; those that no joint could follow, as where
    frames were left out, are none, since they are no reason to move farther.
    """
    within = bounded(state, limits)
    velocity = within.velocity if abs(state.velocity) <= (1.0 + HEADROOM) * limits.velocity else 0.0
    acceleration = (
        within.acceleration if abs(state.acceleration) <= (1.0 + HEADROOM) * limits.acceleration else 0.0
    )
    return Kinematic(within.position, velocity, acceleration)


def bounded(state: Kinematic, limits: Limits) -> Kinematic:
    """The state with velocity and acceleration within the limits."""
    velocity = min(max(state.velocity, -limits.velocity), limits.velocity)
    acceleration = min(max(state.acceleration, -limits.acceleration), limits.acceleration)
    return Kinematic(state.position, velocity, acceleration)
