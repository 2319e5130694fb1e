"""Frames of joint values from Blender: checked, delayed by the device's latency, and played back. Knows no Blender."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...motion import Kinematic, between, extrapolated
from ...motion.limiter import HEADROOM
from ..device import Device, Joint
from ..mixing import Mixing

# [rad], times a joint's scale: 17 degrees, a tenth of a second at full speed, startle nobody; a farther leap strikes who stands beside
FAR = 0.3
# [s] by which frames may come nearer together than their motion: at 24 a second, 40% of a frame each, twice over
UNEVENNESS = 0.07


class JumpDetector:
    """Follows the frames with the joints' limits; a jump (End Live, a scrub, an undo) is what these cannot follow.

    Frames of a feasible motion are never farther apart than the joints can move meanwhile. That distinguishes a jump from motion; distance
    alone does not: at full speed a joint may lag by three frames, and by more after a hiccup.

    Args:
        joints: The joints.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._limits = [joint.limits.widened(HEADROOM) for joint in joints]
        # auxiliary values do no harm: a lamp or an eyelid that is keyed on at once must not make the whole robot hold
        self._far = [math.inf if joint.unit == "plain" else FAR * joint.scale for joint in joints]
        self._stamp = 0.0
        self._frame: tuple[float, ...] | None = None
        self._reached: list[float] = []  # where joints that follow the frames would be (joints,)
        self._speeds = [0.0] * len(joints)  # of the frames, as far as joints can go so fast (joints,)

    def take(self, stamp: float, frame: Sequence[float]) -> None:
        """Add a frame (joints,) that Blender sent at `stamp` [s]."""
        gap, self._stamp = max(stamp - self._stamp, 0.0), stamp
        if self._frame is None:
            self._reached = list(frame)
        else:
            for k, (limits, last, desired) in enumerate(zip(self._limits, self._frame, frame, strict=True)):
                reach = gap * min(limits.velocity, self._speeds[k] + 0.5 * limits.acceleration * gap)
                self._reached[k] += min(max(desired - self._reached[k], -reach), reach)
                if gap > 0.0:
                    braked = self._speeds[k] - limits.acceleration * gap  # frames that repeat the last one stop no joint
                    self._speeds[k] = min(max(abs(desired - last) / gap, braked, 0.0), limits.velocity)
        self._frame = tuple(frame)

    def forget(self) -> None:
        """Restart at the newest frame."""
        if self._frame is not None:
            self._reached = list(self._frame)

    def jumped(self, commanded: Sequence[float]) -> bool:
        """Whether the frames moved faster than the joints can, and the newest is far from the `commanded` values (joints,)."""
        if self._frame is None:
            return False
        rows = zip(self._limits, self._frame, self._reached, commanded, self._far, strict=True)
        return any(
            abs(desired - reached) > UNEVENNESS * limits.velocity and abs(desired - value) > far
            for limits, desired, reached, value, far in rows
        )


Angles = tuple[float, ...]

FIRST_INTERVAL = 1.0 / 24.0  # [s] between frames, until some have come: the slowest usual rate
LONGEST_INTERVAL = 0.2  # [s] a longer gap is a pause, not a frame rate
DROPPED = 0.75  # intervals by which a frame must be late to count as two: less is unevenness
LEARNED = 16  # intervals from which on the rate is known
PAUSE = 2.5  # usual intervals: what takes longer is a hiccup, and with the same angles over and over a pause
STANDING = 6  # equal frames in a row at which the curve stands still however far behind playback is
REMEMBERED = 64  # intervals that tell the rate: a second at 60 frames a second
CORRECTION = 0.03  # share by which playback may be faster or slower than the frames: to the third power it is within the limiter's headroom
RATE_TIME = 0.5  # [s] over which a change of rate is spread, so that it does not look like a jerk
RESERVE = 0.3  # frames that there should be to spare when the next is at its latest
FORGETTING = 1.0  # [1/s] frames by which one that was late once is forgotten
SETTLE = 2.0  # [s] in which playback gets to its best lag: longer than it takes to measure it
MOST_BEHIND = 6.0  # frames: farther behind, playback jumps and leaves the rest to the limiter


class Playback:
    """Plays back frames of values (channels,) as smooth, evenly timed motion, slightly delayed.

    Blender sends joint values some 24 to 60 times a second, never quite evenly; servos need them evenly and more often. They are joined by
    the spline of `motion.interpolation`, at the frames' mean rate. A joint whose velocity and acceleration are known is taken an interval
    further: the spline's delay of two frames is one then. Playback lags just so far behind that the next frame is usually there when it is
    needed; where it is not, the last point is repeated, and after a pause the motion ends on the newest frame.

    Args:
        period: Largest delay until a frame is noticed [s].
        clamp: Bounds values (channels,) to their ranges.
    """

    def __init__(self, period: float, clamp: Callable[[Angles], Angles] = tuple) -> None:
        self._period = period
        self._clamp = clamp
        self._newest: tuple[Kinematic, ...] | None = None  # frame as it was sent
        self._frames: deque[Angles] = deque(maxlen=REMEMBERED)  # where joints are an interval after them: control points
        self._last = -1  # index of the newest frame; counts on for ever
        self._position = 0.0  # index, with its fraction, of where playback is
        self._stamp = 0.0
        self._again = False  # whether the newest frame was said again since
        self._intervals: deque[float] = deque(maxlen=REMEMBERED)
        self._interval = FIRST_INTERVAL
        self._asked_at = 0.0
        self._rate = 1.0 / FIRST_INTERVAL  # [1/s]
        self._growth = 0.0  # of the rate, relative [1/s]
        self._correction = 0.0
        self._least_spare = RESERVE

    def add(self, stamp: float, frame: tuple[Kinematic, ...], repeated: bool = True) -> None:
        """Add a frame (channels,) that Blender sent at `stamp` [s].

        One that is equal to the last is a sign of life, which does not count for the rate; if not `repeated`, a motion that pauses.
        """
        is_first = self._newest is None
        if frame == self._newest and repeated:
            self._again = True
            return
        self._newest = frame
        gap, self._stamp = stamp - self._stamp, stamp
        paused, self._again = self._again and gap > PAUSE * self._interval, False
        missing = 0
        if 0.0 < gap <= LONGEST_INTERVAL and not paused and not is_first:
            self._intervals.append(gap)
            self._interval = _usual(self._intervals)
            missing = int(gap / self._interval - DROPPED)
        angles = self._clamp(tuple(extrapolated(joint, 1.0) for joint in frame))
        if not is_first and angles == self._frames[-1]:
            angles = self._frames[-1]  # so that the curve is seen to stand
        if is_first:
            self._append(angles)
            self.skip()
            return
        newest = self._frames[-1]
        for k in range(1, missing + 1):  # frames that were left out keep their time
            self._append(_between(newest, angles, k / (missing + 1)))
        stands = self._stands()
        self._append(angles)
        if stands:
            self._position = self._last - 2.0 - RESERVE - self._unevenness()  # at rest, playback may begin with the best lag

    def skip(self) -> None:
        """Jump to the newest frame, at rest."""
        if self._frames:
            self._frames.extend([self._at_rest()] * STANDING)
            self._last += STANDING
            self._position = self._last - 2.0

    def at(self, now: float) -> list[Kinematic] | None:
        """State of each channel at `now` [s]; None before the first frame."""
        if not self._frames:
            return None
        elapsed, self._asked_at = max(now - self._asked_at, 0.0), now
        desired = (1.0 + self._correction) / self._interval
        self._change_rate(desired, min(elapsed, LONGEST_INTERVAL))
        self._watch_spare(elapsed)
        if self._last - self._position > MOST_BEHIND:
            self._position = self._last - 2.0
        while self._position >= self._last - 1:
            has_ended = self._newest is not None and now - self._stamp > PAUSE * self._interval
            self._append(self._at_rest() if has_ended else self._frames[-1])
        return self._on_curve()

    def _at_rest(self) -> Angles:
        """The newest frame, from which nothing moves on; the same object where it is that already."""
        assert self._newest is not None
        here = tuple(joint.position for joint in self._newest)
        return self._frames[-1] if self._frames[-1] == here else here

    def _stands(self) -> bool:
        """Whether the curve is constant at the present playback position."""
        newest = self._frames[-1]
        return all(frame is newest for frame in list(self._frames)[-STANDING:])

    def _unevenness(self) -> float:
        """By how many frames a frame may be later than usual."""
        latest = max(self._intervals, default=self._interval) + self._period
        return min(latest / self._interval - 1.0, 1.0)

    def _append(self, angles: Angles) -> None:
        self._frames.append(angles)
        self._last += 1

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
        self._least_spare = spare if self._stands() else min(spare, self._least_spare + FORGETTING * elapsed)
        faster = (self._least_spare - RESERVE) * self._interval / SETTLE
        self._correction = 0.0 if self._stands() else min(max(faster, -CORRECTION), CORRECTION)

    def _on_curve(self) -> list[Kinematic]:
        """State of each channel at the present playback position."""
        index = int(self._position)
        first = len(self._frames) - 1 - (self._last - (index - 1))
        around = [self._frames[first + k] for k in range(4)]
        motion = [between(points, self._position - index, 1.0 / self._rate) for points in zip(*around, strict=True)]
        return [replace(one, acceleration=one.acceleration + self._growth * one.velocity) for one in motion]


def _usual(values: Sequence[float]) -> float:
    """Mean without outliers: a single long interval says nothing about the frame rate, an uneven rhythm does."""
    longest = PAUSE * sorted(values)[len(values) // 2]
    usual = [value for value in values if value <= longest]
    return sum(usual) / len(usual)


def _between(a: Angles, b: Angles, share: float) -> Angles:
    return tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))


Values = tuple[float, ...]


WORTH_A_WORD = 0.009  # [rad], times a joint's scale: half a degree. Poses at the end of a range are rounded by less


class CommandBuffer:
    """Buffer of frames from Blender, and the motion that is played back from them.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
        period: Largest delay until a frame is noticed [s].

    Attributes:
        refused: Number of frames with a value that is not a number.
        clamped: Number of frames with a value out of its range.
        limited: Sentences about values of the newest frame that are out of their ranges.
        remark: Why the newest frame was refused.
        newest: The newest usable frame, within all ranges; None before the first.
        came_at: Time of its arrival [s].
    """

    def __init__(self, device: Device, mixing: Mixing, period: float) -> None:
        self._joints = device.joints
        self._tolerances = [WORTH_A_WORD * joint.scale for joint in device.joints]
        self._latency = max(device.latency, 0.0)  # what is to be early comes early
        self._mixing = mixing
        self._playback = Playback(period, lambda values: self._mixing.clamp(values))
        self._leaps = JumpDetector(device.joints)
        self._delayed: deque[tuple[float, tuple[Kinematic, ...], bool]] = deque()
        self.refused = 0
        self.clamped = 0
        self.limited: tuple[str, ...] = ()
        self.remark = ""
        self.newest: Values | None = None
        self.came_at = -math.inf

    def keep_within(self, mixing: Mixing) -> None:
        """Bound all values to the ranges of `mixing` from now on."""
        self._mixing = mixing
        if self.newest is not None:
            self.newest = mixing.clamp(self.newest)

    def take(self, stamp: float, frame: Sequence[Kinematic], now: float, repeated: bool = True) -> None:
        """Add a frame (joints,) that Blender sent at `stamp` [s]; `repeated` as for `Playback.add`."""
        values = tuple(one.position for one in frame)
        for joint, one in zip(self._joints, frame, strict=True):
            if not (math.isfinite(one.position) and math.isfinite(one.velocity) and math.isfinite(one.acceleration)):
                self.refused += 1
                self.remark = f"the value of '{joint.name}' is not a number"
                return
        self.remark = ""
        within = self._mixing.clamp(values)
        self.clamped += within != values
        self.limited = tuple(
            f"'{joint.name}' goes no farther than {joint.text(reached)}: the pose asks for {joint.text(value)}"
            for joint, value, reached, tolerance in zip(self._joints, values, within, self._tolerances, strict=True)
            if abs(value - reached) > tolerance
        )
        self.newest, self.came_at = within, now
        self._delayed.append((stamp + self._latency, _at(within, frame), repeated))

    def advance(self, now: float) -> None:
        """Pass frames whose delay has ended by `now` [s] to the playback."""
        while self._delayed and self._delayed[0][0] <= now:
            stamp, frame, repeated = self._delayed.popleft()
            self._playback.add(stamp, frame, repeated)
            self._leaps.take(stamp, [one.position for one in frame])

    def goal(self, now: float) -> list[Kinematic] | None:
        """Desired state of each joint at `now` [s]; None before the first frame."""
        motion = self._playback.at(now)
        return None if motion is None else list(_at(self._mixing.clamp(tuple(one.position for one in motion)), motion))

    def jumped(self, commanded: Values) -> bool:
        """Whether the frames moved faster than the joints can follow; `commanded` as in `JumpDetector.jumped`."""
        return self._leaps.jumped(commanded)

    def begin_anew(self, at_newest: bool) -> None:
        """Restart the jump detection at the newest frame; `at_newest`: restart the playback there as well."""
        self._leaps.forget()
        if at_newest:
            self._playback.skip()


def _at(values: Values, motion: Sequence[Kinematic]) -> tuple[Kinematic, ...]:
    """The motion (joints,) at these values: a joint whose value was clamped is at rest."""
    return tuple(one if one.position == value else Kinematic(value) for one, value in zip(motion, values, strict=True))
