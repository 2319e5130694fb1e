"""Playback of frames as smooth motion, although they arrive unevenly, late or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...motion import Kinematic, Limits, extrapolated
from ...motion.profile import moved_toward
from .curve import Angles, Curve
from .pace import EARLY, FIRST_INTERVAL, LONGEST_INTERVAL, STALL, Pace
from .shown_ranges import Reach, ShownRanges, bounded, feasible

# [intervals] longest gap between two frames that counts as jitter; in a longer one, up to `STALL`, a frame is
# missing
DROPPED = 1.75
# number of equal newest control points with which the curve is constant from the playback position on: it
# depends on two points more than are not played yet, so the lag is at most STANDING - 2 frames
STANDING = 6
# share by which playback may be faster or slower than the frames; that raises the jerk by 9%, within the
# limiter's headroom
CORRECTION = 0.03
RATE_TIME = 0.5  # [s] time over which a change of rate is spread, so that it is invisible
RESERVE = 0.3  # [frames] part of the curve that is left to play when the next frame arrives at its latest
# [frames] largest queue beyond the best lag; if it is longer, playback skips a part of the curve and leaves
# the rest to the limiter
MOST_QUEUED = 1.4
FORGETTING = 1.0  # [frames/s] rate at which the smallest measured reserve is raised again
SETTLE = 1.25  # [s] time in which playback reaches its best lag, longer than its measurement takes
# largest change per frame of the time by which joints are extrapolated, as a share of a frame's interval, so
# that a new frame rate does not speed up the motion
LEAD_CHANGE = 0.1


class CommandPlayback:
    """Plays back frames of values (channels,) as smooth, evenly timed motion, slightly delayed.

    Blender sends joint values about 24 to 60 times a second at slightly uneven times; servos need them evenly
    and more often. Playback interpolates the frames by a cubic B-spline, with the announced intervals between
    them. The position of a joint with known velocity and acceleration is extrapolated by one interval, which
    reduces the spline's delay from two frames to one. The further lag of playback is just large enough that
    the next frame has usually arrived when it is needed.

    If the next frame is late, playback waits at the end of the known curve. Joints with known velocity, which
    are then close to the newest frame, come to rest on it as fast as their limits allow; other joints repeat
    the last point. After a stall, playback restarts in the state of the first new frame, and again at each
    early frame that catches up, since Blender may have dropped others before it. An early frame after one in
    time counts as jitter. If frames queue up otherwise, playback skips a part of the curve.

    Args:
        period: Largest delay until a frame is noticed [s].
        limits: Limits of each channel's motion.
        clamp: Bounds values (channels,) to their ranges.
    """

    def __init__(
        self, period: float, limits: Sequence[Limits], clamp: Callable[[Angles], Angles] = tuple
    ) -> None:
        self._period = period
        self._limits = limits
        self._clamp = clamp
        self._pace = Pace()
        self._newest: tuple[Kinematic, ...] | None = None  # newest frame, as sent
        self._motion: tuple[Kinematic, ...] = ()  # newest frame, with velocities and accelerations per second
        self._is_next_due = False  # whether another frame will follow after an interval
        self._is_behind = False  # whether the newest frame ended a stall, or was early after one
        self._lead = FIRST_INTERVAL  # [s] time by which joints with known velocity are extrapolated
        self._curve = Curve()
        self._shown = ShownRanges(limits)
        self._position = 0.0  # [s] time of the curve at the playback position
        self._played: list[Kinematic] = []  # state at the playback position (channels,)
        self._rate = 1.0  # playback rate: seconds of the curve per second
        # [s] shortest part of the curve that was left to play when a frame arrived, raised with time
        # (FORGETTING)
        self._least_spare = RESERVE * FIRST_INTERVAL
        self._surplus = 0.0  # [s] additional lag from a slower rate, which playback makes up for
        self._played_at = 0.0  # [s] time of the last playback
        # state at the end of the known curve, where playback waits for a frame
        self._end: list[Kinematic] | None = None
        self._waited = 0.0  # [s] time for which playback has waited at the end of the known curve

    def add(
        self,
        stamp: float,
        frame: tuple[Kinematic, ...],
        repeated: bool = True,
        plays: bool = False,
        step: float = 0.0,
        due: float = 0.0,
    ) -> None:
        """Add a frame of states (channels,) that Blender sent at `stamp` [s].

        Args:
            stamp: Time at which it was sent [s].
            frame: Positions, with velocities and accelerations per `step` where they are known.
            repeated: Whether a frame equal to the last one only shows that Blender is running, and does not
                count for the frame rate; otherwise it is a frame of a motion that pauses.
            plays: Whether Blender plays, so that another frame will follow; one also follows if joints move,
                or if it is announced.
            step: Unit of time of the velocities [s]; 0: the measured interval.
            due: Announced time [s] to the next frame; 0 if not announced.
        """
        was_due, self._is_next_due = (
            self._is_next_due,
            plays or due > 0.0 or any(joint.velocity for joint in frame),
        )
        if frame == self._newest and repeated:
            return
        before, self._newest = self._newest, frame
        # this frame may lower the best lag; the difference is added to the surplus, and made up for later
        expected, lag = self._pace.interval, self._best_lag()
        gap = self._pace.take(stamp, was_due, due)
        interval = self._pace.interval
        self._surplus = max(self._surplus + lag - self._best_lag(), 0.0)
        self._motion = tuple(_per_second(joint, step or interval) for joint in frame)
        # after a stall the curve restarts, since nothing is known of the time in between
        intervals = gap / self._pace.slowest
        restarts = before is not None and self._restarts(intervals, was_due)
        if before is None or due > LONGEST_INTERVAL:
            self.skip()
        elif restarts:
            self._restart_in_motion()
        else:
            step = min(max(gap, min(expected, interval)), max(expected, interval))
            self._extend_curve(step, is_announced=due > 0.0, is_frame_missing=DROPPED < intervals <= STALL)

    def _restarts(self, intervals: float, was_due: bool) -> bool:
        """Whether the curve restarts, in motion, with a frame that arrived `intervals` times the slowest
        interval after the last one: because it ends a stall, or is the second early frame after one.
        `was_due`: whether the frame was expected after an interval.
        """
        is_stall = was_due and intervals > STALL
        is_early = was_due and self._pace.is_catching_up and intervals < 1.0 - EARLY
        was_behind, self._is_behind = self._is_behind, is_stall or is_early
        return (is_stall and not self._begins_at_rest()) or (is_early and was_behind)

    def skip(self) -> None:
        """Jump to the newest frame, at rest."""
        if self._newest is not None:
            self._motion = tuple(Kinematic(joint.position) for joint in self._newest)
            self._shown.restart(self._motion)
            self._restart([self._newest_positions()] * STANDING)

    def reaches(self) -> list[Reach]:
        """(lowest, highest) position at which each channel may stop: over the control points of the rest of
        the curve, and the stopping ranges of the frames on it. A channel at rest in the newest frame may also
        stop from its current state, hardly beyond its stop from the end of the known curve
        (`ShownRanges.reaches`).
        """
        count = self._curve.ahead(self._position)
        end = self._on_curve(self._curve.end)
        return self._shown.reaches(zip(*self._curve.points(count), strict=True), count, self._played, end)

    def at(self, time: float) -> list[Kinematic] | None:
        """State of each channel at `time` [s], to which it advances the playback; None before the first
        frame.
        """
        if self._newest is None:
            return None
        elapsed, self._played_at = max(time - self._played_at, 0.0), time
        self._advance(elapsed)
        if (
            self._curve.last - self._position
            > self._best_lag() + MOST_QUEUED * self._pace.interval + self._surplus
        ):
            self._go_to_best_lag()
        late = self._position - self._curve.end
        if late < 0.0:
            self._played = self._on_curve(self._position)
        else:
            self._position = self._curve.end
            if self._end is None:
                self._end, self._waited = self._on_curve(self._position), 0.0
            self._waited += late / self._rate
            self._played = self._coming_to_rest(self._end, self._motion)
        return self._played

    def _coming_to_rest(self, start: Sequence[Kinematic], goal: Sequence[Kinematic]) -> list[Kinematic]:
        """State of each channel on its motion from `start` (channels,) to rest at the positions of `goal`,
        after the time for which playback has waited. Channels at rest in `goal` stay on the curve, whose last
        point is repeated.
        """
        if self._waited == 0.0:
            return list(start)
        motion = self._on_curve(self._position + self._waited * self._rate)
        for k, (limits, state, target) in enumerate(zip(self._limits, start, goal, strict=True)):
            if target.velocity == target.acceleration == 0.0:
                continue
            motion[k] = Kinematic(
                *moved_toward(bounded(state, limits), target.position, self._waited, limits)
            )
        if motion == [Kinematic(state.position) for state in goal]:
            self.skip()
        return motion

    def _extend_curve(self, step: float, is_announced: bool, is_frame_missing: bool) -> None:
        """Append a control point for the newest frame, extrapolated by about `_lead`, `step` [s] after the
        last one. If `is_frame_missing`, a point for the missing frame comes first, `step` before the newest.
        A motion from rest begins with a whole interval instead of `step`. `is_announced`: whether frames
        announce their intervals; `_lead` then changes by at most `LEAD_CHANGE` of an interval a frame.
        """
        interval = self._pace.interval
        stood, last = self._stands(), self._curve.newest
        if stood:
            # a motion from rest begins with a whole interval, so that it is not too fast at first
            step = self._lead = interval
        change = LEAD_CHANGE * interval if is_announced else interval
        self._lead += min(max(interval - self._lead, -change), change)
        self._shown.add(self._motion)
        point = self._ahead(self._lead) if is_frame_missing else self._between_steps(step)
        for each in [_between(last, point, 0.5), point] if is_frame_missing else [point]:
            self._curve.append(step, each)
        if stood:
            # from rest, playback may begin with the best lag
            self._position = self._curve.last - self._best_lag()
        self._end = None

    def _between_steps(self, step: float) -> Angles:
        """Control point of the newest frame, `step` [s] after the last one.

        It is taken at the mean time of its knot and of those before and after, so that an even motion stays
        even with unequal steps.
        """
        uneven = (self._pace.interval - step) / 3.0
        points = self._ahead(self._lead + uneven)
        if uneven == 0.0:
            return points
        rows = zip(self._motion, points, self._curve.newest, self._limits, strict=True)
        return self._clamp(
            tuple(
                (
                    point
                    if joint.velocity or joint.acceleration
                    else point + uneven * min(max((point - last) / step, -limits.velocity), limits.velocity)
                )
                for joint, point, last, limits in rows
            )
        )

    def _restart_in_motion(self) -> None:
        """Jump to the newest frame, as if all joints had reached it with their current accelerations."""
        interval = self._pace.interval
        self._shown.restart(self._motion)
        self._restart([self._ahead((1.0 - k) * interval) for k in reversed(range(STANDING))])

    def _restart(self, points: Sequence[Angles]) -> None:
        """Continue on a new curve through control points [rad or m], one `interval` apart, at the lag of
        `_best_lag` behind the last of them.
        """
        for point in points:
            self._curve.append(self._pace.interval, point)
        self._lead = self._pace.interval
        self._go_to_best_lag()

    def _go_to_best_lag(self) -> None:
        """Jump to the position on the curve that is `_best_lag` behind its newest control point."""
        self._position = self._curve.last - self._best_lag()
        self._surplus = 0.0
        self._end = None

    def _newest_positions(self) -> Angles:
        """Positions (channels,) of the newest frame."""
        return tuple(joint.position for joint in self._motion)

    def _ahead(self, seconds: float) -> Angles:
        """Positions (channels,) of the newest frame, extrapolated by `seconds` [s]. The part beyond
        FIRST_INTERVAL leads no farther than the positions at which the joints can stop.
        """
        positions = [extrapolated(joint, seconds) for joint in self._motion]
        if seconds > 0.0:
            usual = min(seconds, FIRST_INTERVAL)
            usual_positions = [
                extrapolated(feasible(joint, limits), usual)
                for joint, limits in zip(self._motion, self._limits, strict=True)
            ]
            rows = zip(positions, usual_positions, self._shown.within(positions), strict=True)
            positions = [
                min(max(position, min(near, within)), max(near, within)) for position, near, within in rows
            ]
        return self._clamp(tuple(positions))

    def _best_lag(self) -> float:
        """Lag [s] behind the newest control point when it arrives, just enough that the next one usually
        arrives in time.
        """
        interval = self._pace.interval
        return min(
            (1.0 + RESERVE) * interval + self._pace.longest + self._period, (STANDING - 2.0) * interval
        )

    def _stands(self) -> bool:
        """Whether the curve is constant at the playback position, since the last points are equal."""
        newest = self._curve.newest
        return all(
            point == newest for point in self._curve.points(max(STANDING, self._curve.ahead(self._position)))
        )

    def _begins_at_rest(self) -> bool:
        """Whether the newest frame begins a motion from a curve at rest: no joint has a known velocity, and
        each can reach the frame within an interval.
        """
        rows = zip(self._motion, self._curve.newest, self._limits, strict=True)
        return self._stands() and all(
            joint.velocity == 0.0 and abs(joint.position - last) <= limits.velocity * self._pace.interval
            for joint, last, limits in rows
        )

    def _advance(self, elapsed: float) -> None:
        """Advance by `elapsed` [s] at the frames' rate, slightly faster while frames queue up, and slower
        while they run short.
        """
        interval, spare = self._pace.interval, self._curve.end - self._position
        if elapsed == 0.0 or (self._stands() and self._curve.newest == self._newest_positions()):
            self._rate, self._least_spare = 1.0, spare
            return
        faster = (self._least_spare - RESERVE * interval) / SETTLE
        desired = 1.0 + min(max(faster, -CORRECTION), CORRECTION)
        before, elapsed = self._rate, min(elapsed, LONGEST_INTERVAL)
        spread = RATE_TIME if self._pace.is_known else elapsed
        self._rate += (desired - before) * min(elapsed / spread, 1.0)
        played = elapsed * 0.5 * (before + self._rate)
        self._position += played
        self._surplus = max(self._surplus - 0.5 * CORRECTION * elapsed, 0.0)
        self._least_spare = min(spare - played, self._least_spare + FORGETTING * interval * elapsed)

    def _on_curve(self, position: float) -> list[Kinematic]:
        """State of each channel at a playback position; the last point is repeated."""
        return self._curve.at(position, self._rate, self._pace.interval)


def _per_second(state: Kinematic, unit: float) -> Kinematic:
    """The state with velocity and acceleration per second, converted from per `unit` [s]."""
    return Kinematic(state.position, state.velocity / unit, state.acceleration / (unit * unit))


def _between(a: Angles, b: Angles, share: float) -> Angles:
    return tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))
