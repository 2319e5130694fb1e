"""Playback of frames as even motion, although they arrive unevenly, late or not at all. Knows no Blender."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...motion import Kinematic, Limits, between, extrapolated
from ...motion.profile import moved_toward, stopping_range

Angles = tuple[float, ...]
Reach = tuple[float, float]  # lowest and highest position

FIRST_INTERVAL = 1.0 / 24.0  # [s] between frames, until some have come: the slowest usual rate
LONGEST_INTERVAL = 0.2  # [s] a longer gap is a pause, not a frame rate
DROPPED = 0.75  # intervals by which a frame must be late to count as two: less is unevenness
LEARNED = 16  # intervals from which on the rate is known
PAUSE = 2.5  # usual intervals: what takes longer is a stall, and with the same angles over and over a pause
EARLY = 0.5  # usual intervals by which frames must be early after a stall to be ones that catch up: less is unevenness
FORGOTTEN = 0.1  # share of that which each frame forgets, so that a rate that is not quite the usual one does not add up
MOST_LOST = 2.0  # [s] of a stall for which frames make up: after a longer one, frames that come faster are a new rate
STANDING = 6  # equal frames in a row at which the curve stands still however far behind playback is
REMEMBERED = 64  # intervals that tell the rate: a second at 60 frames a second
CORRECTION = 0.03  # share by which playback may be faster or slower than the frames: to the third power it is within the limiter's headroom
RATE_TIME = 0.5  # [s] over which a change of rate is spread, so that it does not look like a jerk
RESERVE = 0.3  # frames that there should be to spare when the next is at its latest
FORGETTING = 1.0  # [1/s] frames by which one that was late once is forgotten
SETTLE = 2.0  # [s] in which playback gets to its best lag: longer than it takes to measure it
MOST_BEHIND = 6.0  # frames: farther behind, playback skips to the newest and leaves the rest to the limiter


class Playback:
    """Plays back frames of values (channels,) as smooth, evenly timed motion, slightly delayed.

    Blender sends joint values some 24 to 60 times a second, never quite evenly; servos need them evenly and more often. Playback
    interpolates the frames by the spline of `motion.interpolation`, at their mean rate. The position of a joint with known velocity and
    acceleration is extrapolated by one interval, which reduces the spline's delay from two frames to one. The further lag of playback is
    just large enough that the next frame has usually arrived when it is needed.

    If the next frame is late, playback waits at the end of the known curve. Joints with known velocity, which are then close to the newest
    frame, come to rest on it as fast as their limits allow; other joints repeat the last point. After a stall, playback restarts in the
    state of the first new frame. Frames that then arrive faster than usual, to catch up, are skipped.

    Args:
        period: Largest delay until a frame is noticed [s].
        limits: Limits of each channel's motion.
        clamp: Bounds values (channels,) to their ranges.
    """

    def __init__(self, period: float, limits: Sequence[Limits], clamp: Callable[[Angles], Angles] = tuple) -> None:
        self._period = period
        self._limits = limits
        self._clamp = clamp
        self._newest: tuple[Kinematic, ...] | None = None  # frame as it was sent
        self._frames: deque[Angles] = deque(maxlen=REMEMBERED)  # where joints are an interval after them: control points
        self._reaches: deque[tuple[Reach, ...]] = deque(maxlen=REMEMBERED)  # where joints that move as they do could stop
        self._last = -1  # index of the newest frame; counts on for ever
        self._position = 0.0  # index, with its fraction, of where playback is
        self._end: list[Kinematic] | None = None  # state at the end of what is known of the curve, where playback waits for a frame
        self._waited = 0.0  # [s] there
        self._stamp = 0.0
        self._early = 0.0  # [s] by which the last frames came earlier than usual
        self._lost = 0.0  # [s] of the last stall, for which frames may still make up
        self._moves = False  # whether the newest frame differs from the one before
        self._again = False  # whether the newest frame was said again since
        self._intervals: deque[float] = deque(maxlen=REMEMBERED)
        self._interval = FIRST_INTERVAL
        self._asked_at = 0.0
        self._rate = 1.0 / FIRST_INTERVAL  # [1/s]
        self._growth = 0.0  # of the rate, relative [1/s]
        self._correction = 0.0
        self._least_spare = RESERVE

    def add(self, stamp: float, frame: tuple[Kinematic, ...], repeated: bool = True) -> None:
        """Add a frame of states (channels,) that Blender sent at `stamp` [s].

        A frame equal to the last one only shows that Blender is running if `repeated`, and does not count for the frame rate; otherwise it
        is a frame of a motion that pauses.
        """
        if self._newest is None:
            self._newest, self._stamp = frame, stamp
            self.skip()
            return
        if frame == self._newest and repeated:
            self._again = True
            return
        self._newest = frame
        gap, self._stamp = stamp - self._stamp, stamp
        stalled = gap > PAUSE * self._interval
        is_early = self._catches_up(gap, gap if stalled and self._moves else 0.0)
        paused, self._again = self._again and stalled, False
        missing = 0
        if 0.0 < gap <= LONGEST_INTERVAL and not (paused or is_early):
            if stalled or self._lost <= 0.0:  # the pace of frames that catch up is no rate
                self._intervals.append(gap)
                self._interval = _usual(self._intervals)
            missing = int(gap / self._interval - DROPPED)
        angles, newest = self._ahead(), self._frames[-1]
        self._moves = angles != newest
        stands = self._stands()
        if is_early or (stalled and not stands and any(joint.velocity for joint in frame)):
            self._begin_anew()
            return
        if not self._moves:
            angles, missing = newest, 0  # so that the curve is seen to stand
        left_out = [_between(newest, angles, k / (missing + 1)) for k in range(1, missing + 1)]  # frames that keep their time
        self._extend([*left_out, angles])
        late = 0.0 if self._end is None else self._waited * self._rate
        if stands or late > 1.0:
            self._position = self._best_position()  # at rest, playback may begin with the best lag
        elif late < RESERVE:
            self._position += late  # as if it had not waited: the next frame may be in time
        self._end = None

    def _catches_up(self, gap: float, stall: float) -> bool:
        """Whether a frame comes earlier than usual because others were late.

        `gap`: time since the last one [s]; `stall`: how long a motion stalled before this frame [s], 0 if it did not.
        """
        if stall > 0.0:
            self._lost, self._early = min(stall, MOST_LOST), 0.0
            return False
        self._early = max((1.0 - FORGOTTEN) * self._early + self._interval - gap, 0.0)
        if gap >= self._interval:
            self._lost -= gap  # who is in time need not catch up
        if self._lost <= 0.0 or self._early <= EARLY * self._interval or len(self._intervals) < LEARNED:
            return False
        self._lost -= self._early
        self._early = 0.0
        return True

    def skip(self) -> None:
        """Jump to the newest frame, at rest."""
        if self._newest is not None:
            here = tuple(joint.position for joint in self._newest)
            self._extend([here] * STANDING)
            self._position = self._last - 2.0
            self._end = None

    def reaches(self) -> list[Reach]:
        """Lowest and highest position at which each channel may stop: the range of the frames in playback, widened by the stopping distance
        of a joint that moves like them.
        """
        count = min(self._last - int(self._position) + 2, len(self._reaches))
        around = [self._reaches[-k] for k in range(1, count + 1)]
        return [(min(low for low, _ in one), max(high for _, high in one)) for one in zip(*around, strict=True)]

    def at(self, now: float) -> list[Kinematic] | None:
        """State of each channel at `now` [s]; None before the first frame."""
        if self._newest is None:
            return None
        elapsed, self._asked_at = max(now - self._asked_at, 0.0), now
        desired = (1.0 + self._correction) / self._interval
        self._change_rate(desired, min(elapsed, LONGEST_INTERVAL))
        self._watch_spare(elapsed)
        if self._last - self._position > MOST_BEHIND:
            self._begin_anew()
        late = self._position - (self._last - 1.0)
        if late < 0.0:
            return self._on_curve(self._position)
        self._position = self._last - 1.0
        if self._end is None:
            self._end, self._waited = self._on_curve(self._position), 0.0
        self._waited += late / self._rate
        return self._coming_to_rest(self._end, self._newest)

    def _coming_to_rest(self, start: Sequence[Kinematic], goal: Sequence[Kinematic]) -> list[Kinematic]:
        """State of each channel on its motion from `start` (channels,) to rest at the positions of `goal`."""
        if self._waited == 0.0:
            return list(start)
        motion = self._on_curve(self._position + self._waited * self._rate)
        for k, (limits, one, target) in enumerate(zip(self._limits, start, goal, strict=True)):
            if target.velocity == target.acceleration == 0.0:
                continue
            motion[k] = Kinematic(*moved_toward(_bounded(one, limits), target.position, self._waited, limits))
        if motion == [Kinematic(one.position) for one in goal]:
            self.skip()
        return motion

    def _begin_anew(self) -> None:
        """Jump to the newest frame, as if all joints had come there at their present speeds along straight lines."""
        assert self._newest is not None
        here, ahead = tuple(joint.position for joint in self._newest), self._ahead()
        self._extend([_between(ahead, here, k) for k in reversed(range(STANDING))])
        self._position = self._best_position()
        self._end = None

    def _ahead(self) -> Angles:
        """Where the joints of the newest frame will be an interval later."""
        assert self._newest is not None
        return self._clamp(tuple(extrapolated(joint, 1.0) for joint in self._newest))

    def _reach(self) -> tuple[Reach, ...]:
        """Positions between which joints would stop that move like the newest frame, each as far as its limits allow.

        A joint whose acceleration is 0, or not known as that of keyframes, may stop anywhere. The curve passes the frames at a distance:
        see `motion.interpolation`.
        """
        assert self._newest is not None
        step, reaches = self._interval, []
        for joint, limits in zip(self._newest, self._limits, strict=True):
            if joint.acceleration == 0.0:
                reaches.append((limits.lower, limits.upper))
                continue
            state = _bounded(Kinematic(joint.position, joint.velocity / step, joint.acceleration / step**2), limits)
            low, high = stopping_range((state.position, state.velocity, state.acceleration), limits.acceleration, limits.jerk)
            rounding = limits.acceleration * step**2 / 6.0
            reaches.append((low - rounding, high + rounding))
        return tuple(reaches)

    def _best_position(self) -> float:
        """Position from which the next frame is usually there when it is needed."""
        return self._last - 2.0 - RESERVE - self._unevenness()

    def _stands(self) -> bool:
        """Whether the curve is constant at the present playback position."""
        newest = self._frames[-1]
        return all(frame is newest for frame in list(self._frames)[-STANDING:])

    def _unevenness(self) -> float:
        """By how many frames a frame may be later than usual."""
        latest = max(self._intervals, default=self._interval) + self._period
        return min(latest / self._interval - 1.0, 1.0)

    def _extend(self, points: Sequence[Angles]) -> None:
        """Append control points that the newest frame brings."""
        self._frames.extend(points)
        self._reaches.extend([self._reach()] * len(points))
        self._last += len(points)

    def _change_rate(self, desired: float, elapsed: float) -> None:
        """Advance by `elapsed` [s], while the rate changes toward `desired` [1/s]."""
        if self._stands() or elapsed == 0.0:
            self._rate, self._growth = desired, 0.0
            return
        before = self._rate
        spread = RATE_TIME if len(self._intervals) >= LEARNED else elapsed
        self._rate += (desired - before) * min(elapsed / spread, 1.0)
        self._growth = (self._rate - before) / (elapsed * before)
        self._position += elapsed * 0.5 * (before + self._rate)

    def _watch_spare(self, elapsed: float) -> None:
        """Correct the rate: faster while frames queue up, slower while they run short."""
        spare = self._last - 1.0 - self._position
        if self._stands():
            self._least_spare, self._correction = spare, 0.0
            return
        self._least_spare = min(spare, self._least_spare + FORGETTING * elapsed)
        faster = (self._least_spare - RESERVE) * self._interval / SETTLE
        self._correction = min(max(faster, -CORRECTION), CORRECTION)

    def _on_curve(self, position: float) -> list[Kinematic]:
        """State of each channel at a playback position; the last point is repeated."""
        index = int(position)
        first = len(self._frames) - 1 - (self._last - (index - 1))
        around = [self._frames[min(first + k, len(self._frames) - 1)] for k in range(4)]
        motion = [between(points, position - index, 1.0 / self._rate) for points in zip(*around, strict=True)]
        return [replace(one, acceleration=one.acceleration + self._growth * one.velocity) for one in motion]


def _bounded(state: Kinematic, limits: Limits) -> Kinematic:
    """The state with velocity and acceleration within the limits."""
    velocity = min(max(state.velocity, -limits.velocity), limits.velocity)
    acceleration = min(max(state.acceleration, -limits.acceleration), limits.acceleration)
    return Kinematic(state.position, velocity, acceleration)


def _usual(values: Sequence[float]) -> float:
    """Mean without outliers: a single long interval says nothing about the frame rate, an uneven rhythm does."""
    longest = PAUSE * sorted(values)[len(values) // 2]
    usual = [value for value in values if value <= longest]
    return sum(usual) / len(usual)


def _between(a: Angles, b: Angles, share: float) -> Angles:
    return tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))
