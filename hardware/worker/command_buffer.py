"""Buffer of joint values from Blender, which are checked, delayed by the device's latency and played back."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from ...motion import Kinematic
from ...motion.limiter import HEADROOM
from ..device import Device, DeviceJoint
from ..mixing import Mixing
from .playback import CommandPlayback
from .shown_ranges import Reach

# [rad], times a joint's scale: 17 degrees, distance between newest and commanded value up to which a jump is
# followed; after a larger one, which could hit bystanders, the robot holds first
FAR = 0.3
# [s] tolerated jitter of the frames' stamps: 40% of two intervals at 24 frames per second, doubled as a
# margin. The distance that a joint moves in that time at its largest velocity counts as no jump
UNEVENNESS = 0.07


class JumpDetector:
    """Detects jumps in the frames from Blender (End Live, a scrub, an undo): motion that the joints cannot
    follow within their limits.

    In a feasible motion, joints can get from each frame to the next within their limits; in a jump they
    cannot. The distance of a frame from what the worker commands does not show a jump: at full speed a joint
    may lag by three frames or more.

    Args:
        joints: The device's joints, in the order of the frames' values.
    """

    def __init__(self, joints: Sequence[DeviceJoint]) -> None:
        self._limits = [joint.limits.widened(HEADROOM) for joint in joints]
        # auxiliary values are left out: a lamp or an eyelid that a key switches must not make the whole robot
        # hold
        self._far = [math.inf if joint.unit == "plain" else FAR * joint.scale for joint in joints]
        self._stamp = 0.0
        self._frame: tuple[float, ...] | None = None
        # (joints,) values that joints have reached which follow the frames as fast as their limits allow
        self._reached: list[float] = []
        self._speeds = [0.0] * len(joints)  # (joints,) speeds of the frames, within the joints' limits

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
                    # frames that repeat the last one do not stop a joint
                    braked = self._speeds[k] - limits.acceleration * gap
                    self._speeds[k] = min(max(abs(desired - last) / gap, braked, 0.0), limits.velocity)
        self._frame = tuple(frame)

    def forget(self) -> None:
        """Restart the detection at the newest frame."""
        if self._frame is not None:
            self._reached = list(self._frame)

    def jumped(self, commanded: Sequence[float]) -> bool:
        """Whether a jump has left the newest values far from the `commanded` ones (joints,)."""
        if self._frame is None:
            return False
        rows = zip(self._limits, self._frame, self._reached, commanded, self._far, strict=True)
        return any(
            abs(desired - reached) > UNEVENNESS * limits.velocity and abs(desired - value) > far
            for limits, desired, reached, value, far in rows
        )


Values = tuple[float, ...]


# [rad], times a joint's scale: smallest excess over a range that is reported, 0.5 degrees; rounding is less
WORTH_A_WORD = 0.009


class CommandBuffer:
    """Buffer of frames from Blender, and the motion that is played back from them.

    Args:
        device: The robot.
        mixing: The device's conversion between joint values and channels.
        period: Largest delay until a frame is noticed [s].

    Attributes:
        refused: Number of frames with a value that is not finite.
        clamped: Number of frames with a value out of its range.
        limited: Sentences about values of the newest usable frame that are noticeably out of their ranges.
        remark: Why the newest frame was refused; "" if it was not.
        newest: The newest usable frame, within all ranges; None before the first.
        came_at: Time [s] at which `newest` arrived.
    """

    def __init__(self, device: Device, mixing: Mixing, period: float) -> None:
        self._joints = device.joints
        self._tolerances = [WORTH_A_WORD * joint.scale for joint in device.joints]
        # a negative latency makes channels early, for which frames need not wait
        self._latency = max(device.latency, 0.0)
        self._mixing = mixing
        self._playback = CommandPlayback(
            period, [joint.limits for joint in device.joints], lambda values: self._mixing.clamp(values)
        )
        self._jumps = JumpDetector(device.joints)
        # (time to play it [s], states, repeated, plays, step, due) of each delayed frame, as for `take`
        self._delayed: deque[tuple[float, tuple[Kinematic, ...], bool, bool, float, float]] = deque()
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

    def take(
        self,
        stamp: float,
        frame: Sequence[Kinematic],
        time: float,
        repeated: bool = True,
        plays: bool = False,
        step: float = 0.0,
        due: float = 0.0,
    ) -> None:
        """Add a frame (joints,) that Blender sent at `stamp` [s] and that arrived at `time` [s]; one with a
        value that is not finite is refused. `repeated`, `plays`, `step` and `due` as for
        `CommandPlayback.add`.
        """
        values = tuple(state.position for state in frame)
        for joint, state in zip(self._joints, frame, strict=True):
            if not (
                math.isfinite(state.position)
                and math.isfinite(state.velocity)
                and math.isfinite(state.acceleration)
            ):
                self.refused += 1
                self.remark = f"the value of '{joint.name}' is not a number"
                return
        self.remark = ""
        within = self._mixing.clamp(values)
        self.clamped += within != values
        self.limited = tuple(
            f"'{joint.name}' goes no farther than {joint.text(reached)}: the pose asks for"
            f" {joint.text(value)}"
            for joint, value, reached, tolerance in zip(
                self._joints, values, within, self._tolerances, strict=True
            )
            if abs(value - reached) > tolerance
        )
        self.newest, self.came_at = within, time
        self._delayed.append((stamp + self._latency, _at(within, frame), repeated, plays, step, due))

    def advance(self, time: float) -> None:
        """Pass frames whose delay has ended by `time` [s] to the playback."""
        while self._delayed and self._delayed[0][0] <= time:
            stamp, frame, repeated, plays, step, due = self._delayed.popleft()
            self._playback.add(stamp, frame, repeated, plays, step, due)
            self._jumps.take(stamp, [state.position for state in frame])

    def goal(self, time: float) -> list[Kinematic] | None:
        """Desired state of each joint at `time` [s], within its range; None before the first frame has
        reached the playback. It advances the playback, so times must not decrease.
        """
        motion = self._playback.at(time)
        return (
            None
            if motion is None
            else list(_at(self._mixing.clamp(tuple(state.position for state in motion)), motion))
        )

    def reaches(self) -> list[Reach]:
        """Lowest and highest position at which each joint may stop; see `CommandPlayback.reaches`."""
        return self._playback.reaches()

    def jumped(self, commanded: Values) -> bool:
        """Whether a jump has left the newest values far from the `commanded` ones (joints,)."""
        return self._jumps.jumped(commanded)

    def begin_anew(self, at_newest: bool) -> None:
        """Restart the jump detection at the newest frame, and the playback too if `at_newest`."""
        self._jumps.forget()
        if at_newest:
            self._playback.skip()


def _at(values: Values, motion: Sequence[Kinematic]) -> tuple[Kinematic, ...]:
    """The states of `motion` (joints,) with positions `values`; a joint whose position was clamped, so that
    it differs from its value, is at rest.
    """
    return tuple(
        state if state.position == value else Kinematic(value)
        for state, value in zip(motion, values, strict=True)
    )
