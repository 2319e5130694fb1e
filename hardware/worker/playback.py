"""Playback of frames as even motion, although they arrive unevenly, late or not at all. Knows no Blender."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from ...motion import Kinematic, Limits, between, extrapolated
from ...motion.limiter import HEADROOM
from ...motion.profile import moved_toward, stopping_range

Angles = tuple[float, ...]
Reach = tuple[float, float]  # lowest and highest position

FIRST_INTERVAL = 1.0 / 24.0  # [s] between frames, until some have come: the slowest usual rate
LONGEST_INTERVAL = 0.2  # [s] a longer gap is a pause, not a frame rate
REMEMBERED = 64  # number of newest gaps that determine the rate: a second at 60 frames a second
LEARNED = 16  # number of gaps from which on the rate is known
DROPPED = 1.75  # intervals: after a longer gap a frame is missing; a shorter one is unevenness
STALL = 2.5  # intervals: a longer gap is no unevenness, and amid a motion a stall
MOST_LOST = 2.0  # [s] most time of a stall for which faster frames count as catching up; what is faster still after that is a new rate
EARLY = 0.1  # intervals by which frames that catch up come early: less is unevenness
STANDING = 6  # number of equal frames in a row after which the curve is constant; the lag is at most 2 less, so that it stays on these
CORRECTION = 0.03  # share by which playback may be faster or slower than the frames: to the third power it is within the limiter's headroom
RATE_TIME = 0.5  # [s] over which a change of rate is spread, so that it is not visible
RESERVE = 0.3  # frames left to play when the next one arrives at its latest
MOST_QUEUED = 1.4  # frames: if more wait beyond the best lag, playback skips to the newest and leaves the rest to the limiter
FORGETTING = 1.0  # [frames/s] rate at which the smallest reserve measured so far is raised again
SETTLE = 2.0  # [s] time in which playback reaches its best lag: longer than its measurement takes


class Pace:
    """Pace of frames: the usual interval between them, the longest, and whether they are catching up after a stall.

    After a stall frames come faster than usual until they have caught up; these do not change the measured interval.

    Attributes:
        interval: Usual interval [s]: the mean of the gaps without outliers, since a single long gap is no change of the rate.
        longest: Longest of the gaps without outliers [s].
    """

    def __init__(self) -> None:
        self.interval = self.longest = FIRST_INTERVAL
        self._gaps: deque[float] = deque(maxlen=REMEMBERED)
        self._stamp: float | None = None  # of the newest frame
        self._lost = 0.0  # [s] of the last stall, for which frames have not yet made up

    def take(self, stamp: float, was_due: bool) -> float:
        """Gap before a new frame [intervals]; 0 before the first.

        Args:
            stamp: Time at which Blender sent it [s].
            was_due: Whether it was to come at the usual interval: then a long gap is a stall, otherwise a rest.
        """
        gap, self._stamp = 0.0 if self._stamp is None else stamp - self._stamp, stamp
        intervals, is_long = gap / self.interval, gap > STALL * self.interval
        if is_long:
            self._lost = min(gap, MOST_LOST) if was_due else 0.0
        else:
            early = self.interval - gap
            self._lost -= early if early > EARLY * self.interval else gap  # frames in time need not catch up
        if 0.0 < gap <= LONGEST_INTERVAL and (is_long or not self.is_catching_up):
            self._gaps.append(gap)
            median = sorted(self._gaps)[len(self._gaps) // 2]
            usual = [each for each in self._gaps if each <= STALL * median]
            self.interval, self.longest = sum(usual) / len(usual), max(usual)
        return intervals

    @property
    def is_catching_up(self) -> bool:
        """Whether frames still come faster than usual after a stall."""
        return self._lost > 0.0

    @property
    def is_known(self) -> bool:
        """Whether enough frames have come to know the rate."""
        return len(self._gaps) >= LEARNED


class Playback:
    """Plays back frames of values (channels,) as smooth, evenly timed motion, slightly delayed.

    Blender sends joint values some 24 to 60 times a second, never quite evenly; servos need them evenly and more often. Playback
    interpolates the frames by the spline of `motion.joint`, at their mean rate. The position of a joint with known velocity and
    acceleration is extrapolated by one interval, which reduces the spline's delay from two frames to one. The further lag of playback is
    just large enough that the next frame has usually arrived when it is needed.

    If the next frame is late, playback waits at the end of the known curve. Joints with known velocity, which are then close to the newest
    frame, come to rest on it as fast as their limits allow; other joints repeat the last point. After a stall, playback restarts in the
    state of the first new frame, and of each that comes early to catch up: Blender may have left out others before it. An early frame
    after one in time is unevenness. Where frames queue up otherwise, playback skips to the newest as well.

    Args:
        period: Largest delay until a frame is noticed [s].
        limits: Limits of each channel's motion.
        clamp: Bounds values (channels,) to their ranges.
    """

    def __init__(self, period: float, limits: Sequence[Limits], clamp: Callable[[Angles], Angles] = tuple) -> None:
        self._period = period
        self._limits = limits
        self._clamp = clamp
        self._pace = Pace()
        self._newest: tuple[Kinematic, ...] | None = None  # frame as it was sent
        self._is_next_due = False  # whether another frame is to follow after an interval
        self._is_behind = False  # whether the newest frame ended a stall, or came early after one
        self._points: deque[Angles] = deque(maxlen=REMEMBERED)  # where joints are an interval after the frames: control points
        self._last = -1  # index of the newest control point; counts on for ever
        self._position = 0.0  # index, with its fraction, of where playback is
        self._played: list[Kinematic] = []  # state there (channels,)
        self._rate = 1.0 / FIRST_INTERVAL  # of playback [1/s]
        self._least_spare = RESERVE  # frames that there were lately when the next was at its latest
        self._played_at = 0.0  # [s]
        self._end: list[Kinematic] | None = None  # state at the end of what is known of the curve, where playback waits for a frame
        self._waited = 0.0  # [s] there

    def add(self, stamp: float, frame: tuple[Kinematic, ...], repeated: bool = True, plays: bool = False) -> None:
        """Add a frame of states (channels,) that Blender sent at `stamp` [s].

        A frame equal to the last one only shows that Blender is running if `repeated`, and does not count for the frame rate; otherwise it
        is a frame of a motion that pauses. Another frame is due after an interval if Blender `plays`, or if joints move.
        """
        was_due, self._is_next_due = self._is_next_due, plays or any(joint.velocity for joint in frame)
        if frame == self._newest and repeated:
            return
        before, self._newest = self._newest, frame
        gap = self._pace.take(stamp, was_due)
        is_stall = was_due and gap > STALL
        is_early = was_due and self._pace.is_catching_up and gap < 1.0 - EARLY
        was_behind, self._is_behind = self._is_behind, is_stall or is_early
        if before is None:
            self.skip()
        elif (is_stall and not self._begins_at_rest()) or (is_early and was_behind):
            self._restart_in_motion()
        else:
            self._extend_curve(is_frame_missing=DROPPED < gap <= STALL)

    def skip(self) -> None:
        """Jump to the newest frame, at rest."""
        if self._newest is not None:
            self._restart([self._here()] * STANDING)

    def reaches(self) -> list[Reach]:
        """Lowest and highest position at which each channel may stop: the range of the rest of the curve and the newest frame, widened by
        the stopping distance of a joint in the state that `at` returned last.
        """
        count = min(self._last - int(self._position) + 2, len(self._points))
        known = zip(self._here(), *(self._points[-k] for k in range(1, count + 1)), strict=True)
        return [_reach(*one) for one in zip(self._played, self._limits, known, strict=True)]

    def at(self, now: float) -> list[Kinematic] | None:
        """State of each channel at `now` [s]; None before the first frame."""
        if self._newest is None:
            return None
        elapsed, self._played_at = max(now - self._played_at, 0.0), now
        self._advance(elapsed)
        if self._last - self._position > self._best_lag() + MOST_QUEUED:
            self._restart_in_motion()
        late = self._position - (self._last - 1.0)
        if late < 0.0:
            self._played = self._on_curve(self._position)
        else:
            self._position = self._last - 1.0
            if self._end is None:
                self._end, self._waited = self._on_curve(self._position), 0.0
            self._waited += late / self._rate
            self._played = self._coming_to_rest(self._end, self._newest)
        return self._played

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

    def _extend_curve(self, is_frame_missing: bool) -> None:
        """Append the newest frame to the curve; before it, one in place of a missing frame, so that the newest keeps its time."""
        stood, last, point = self._stands(), self._points[-1], self._ahead()
        self._append([_between(last, point, 0.5), point] if is_frame_missing else [point])
        if stood:
            self._position = self._last - self._best_lag()  # from rest, playback may begin with the best lag
        self._end = None

    def _restart_in_motion(self) -> None:
        """Jump to the newest frame, as if all joints had come there at their present accelerations."""
        self._restart([self._ahead(1.0 - k) for k in reversed(range(STANDING))])

    def _restart(self, points: Sequence[Angles]) -> None:
        """Continue on a new curve of control points, with the best lag."""
        self._append(points)
        self._position = self._last - self._best_lag()
        self._end = None

    def _append(self, points: Sequence[Angles]) -> None:
        """Append control points that the newest frame brings."""
        self._points.extend(points)
        self._last += len(points)

    def _here(self) -> Angles:
        """Positions (channels,) of the newest frame."""
        assert self._newest is not None
        return tuple(joint.position for joint in self._newest)

    def _ahead(self, intervals: float = 1.0) -> Angles:
        """Positions (channels,) of the newest frame, extrapolated by a number of intervals."""
        assert self._newest is not None
        return self._clamp(tuple(extrapolated(joint, intervals) for joint in self._newest))

    def _best_lag(self) -> float:
        """Lag [control points] behind the newest frame when it arrives, just enough that the next one usually arrives in time."""
        return min(1.0 + (self._pace.longest + self._period) / self._pace.interval + RESERVE, STANDING - 2.0)

    def _stands(self) -> bool:
        """Whether the curve is constant at the playback position, since the last points are equal."""
        newest = self._points[-1]
        return all(point == newest for point in list(self._points)[-max(STANDING, self._last - int(self._position) + 2) :])

    def _begins_at_rest(self) -> bool:
        """Whether the newest frame begins a motion from a curve at rest: no joint has a known velocity, and each gets there in an
        interval.
        """
        assert self._newest is not None
        ways = zip(self._newest, self._points[-1], self._limits, strict=True)
        return self._stands() and all(
            one.velocity == 0.0 and abs(one.position - last) <= limits.velocity * self._pace.interval for one, last, limits in ways
        )

    def _advance(self, elapsed: float) -> None:
        """Advance by `elapsed` [s] at the frames' rate, a little faster while frames queue up and slower while they run short."""
        usual, spare = 1.0 / self._pace.interval, self._last - 1.0 - self._position
        if elapsed == 0.0 or (self._stands() and self._points[-1] == self._here()):
            self._rate, self._least_spare = usual, spare
            return
        faster = (self._least_spare - RESERVE) / usual / SETTLE
        desired = usual * (1.0 + min(max(faster, -CORRECTION), CORRECTION))
        before, elapsed = self._rate, min(elapsed, LONGEST_INTERVAL)
        spread = RATE_TIME if self._pace.is_known else elapsed
        self._rate += (desired - before) * min(elapsed / spread, 1.0)
        played = elapsed * 0.5 * (before + self._rate)
        self._position += played
        self._least_spare = min(spare - played, self._least_spare + FORGETTING * elapsed)

    def _on_curve(self, position: float) -> list[Kinematic]:
        """State of each channel at a playback position; the last point is repeated."""
        index = int(position)
        first = len(self._points) - 1 - (self._last - (index - 1))
        around = [self._points[min(first + k, len(self._points) - 1)] for k in range(4)]
        return [between(points, position - index, 1.0 / self._rate) for points in zip(*around, strict=True)]


def _bounded(state: Kinematic, limits: Limits) -> Kinematic:
    """The state with velocity and acceleration within the limits."""
    velocity = min(max(state.velocity, -limits.velocity), limits.velocity)
    acceleration = min(max(state.acceleration, -limits.acceleration), limits.acceleration)
    return Kinematic(state.position, velocity, acceleration)


def _reach(played: Kinematic, limits: Limits, known: Sequence[float]) -> Reach:
    """Lowest and highest position at which a joint may stop that moves as `played` and is to go through `known` positions.

    An acceleration that no joint could follow, as where frames were left out, is no reason to move farther.
    """
    state = _bounded(played, limits)
    acceleration = state.acceleration if abs(played.acceleration) <= (1.0 + HEADROOM) * limits.acceleration else 0.0
    low, high = stopping_range((state.position, state.velocity, acceleration), limits.acceleration, limits.jerk)
    return min(low, *known), max(high, *known)


def _between(a: Angles, b: Angles, share: float) -> Angles:
    return tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))
