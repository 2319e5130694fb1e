"""Ranges in which joints may come to a stop: the recently shown poses in Blender, each extended by the
joint's stopping distance.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from ...motion import Kinematic, Limits
from ...motion.limiter import HEADROOM
from ...motion.profile import stopping_range
from .curve import REMEMBERED

Reach = tuple[float, float]  # (lowest, highest) position


class ShownRanges:
    """For each of the newest frames that Blender has shown: the range of positions that each joint passes if
    it brakes to a stop from that frame.

    Args:
        limits: Limits of each channel's motion.
    """

    def __init__(self, limits: Sequence[Limits]) -> None:
        self._limits = limits
        # of each frame: lowest and highest positions (channels,) of these ranges
        self._lowest: deque[list[float]] = deque(maxlen=REMEMBERED)
        self._highest: deque[list[float]] = deque(maxlen=REMEMBERED)
        self._frame: tuple[Kinematic, ...] = ()

    def add(self, frame: tuple[Kinematic, ...]) -> None:
        """Add a frame of states (channels,)."""
        self._frame = frame
        ranges = [stopping(state, limits) for state, limits in zip(frame, self._limits, strict=True)]
        self._lowest.append([low for low, _ in ranges])
        self._highest.append([high for _, high in ranges])

    def restart(self, frame: tuple[Kinematic, ...]) -> None:
        """Forget earlier frames, and start with `frame`: states (channels,)."""
        self._lowest.clear()
        self._highest.clear()
        self.add(frame)

    def within(self, positions: Sequence[float]) -> list[float]:
        """The positions (channels,), clamped to the ranges of the newest frame."""
        return [
            min(max(position, low), high)
            for position, low, high in zip(positions, self._lowest[-1], self._highest[-1], strict=True)
        ]

    def reaches(
        self,
        known: Iterable[Sequence[float]],
        count: int,
        played: Sequence[Kinematic],
        end: Sequence[Kinematic],
    ) -> list[Reach]:
        """(lowest, highest) position at which each channel may stop, over the positions `known` (channels, n)
        and the ranges of the last `count` frames. A joint without a velocity in the newest frame may also
        stop from its state `played` on the curve, but no farther (up to `turning_excess`) than from its state
        at the `end` of the known curve: until then it is known that it brakes.
        """
        newest = range(-min(count, len(self._lowest)), 0)
        lows = zip(*(self._lowest[k] for k in newest), strict=True)
        highs = zip(*(self._highest[k] for k in newest), strict=True)
        reaches = []
        for channel, (positions, low, high, state) in enumerate(
            zip(known, lows, highs, self._frame, strict=True)
        ):
            reach = min(*positions, *low), max(*positions, *high)
            if state.velocity == state.acceleration == 0.0:
                limits = self._limits[channel]
                excess = turning_excess(limits)
                lowest, highest = _united(reach, stopping(end[channel], limits))
                nearest, farthest = stopping(played[channel], limits)
                reach = _united(reach, (max(nearest, lowest - excess), min(farthest, highest + excess)))
            reaches.append(reach)
        return reaches


def _united(a: Reach, b: Reach) -> Reach:
    """The smallest range with both ranges in it."""
    return min(a[0], b[0]), max(a[1], b[1])


def turning_excess(limits: Limits) -> float:
    """Largest distance [rad or m] by which a joint that reverses at its largest acceleration would pass the
    point of reversal, if it came to rest instead: its acceleration has to vanish, too.
    """
    ramp = limits.acceleration / limits.jerk  # [s] time in which the acceleration vanishes
    return limits.acceleration * ramp * ramp / 24.0


def stopping(state: Kinematic, limits: Limits) -> Reach:
    """(lowest, highest) position that a joint passes on the fastest stop from `state`, with its velocity and
    acceleration as by `feasible`.
    """
    if state.velocity == state.acceleration == 0.0:
        return state.position, state.position
    start = feasible(state, limits)
    return stopping_range(
        (start.position, start.velocity, start.acceleration), limits.acceleration, limits.jerk
    )


def feasible(state: Kinematic, limits: Limits) -> Kinematic:
    """The state with velocity and acceleration within the limits: clamped to them or, if they exceed them by
    more than HEADROOM, as after dropped frames, 0, since such are no reason to move farther.
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
