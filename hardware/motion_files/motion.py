"""Resampling of baked frames to channel positions at a constant rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...motion import Kinematic, Limits, TrackingFilter, between
from ...motion.joint import FRAMES
from ..device import Device
from ..errors import ExportError
from ..mixing import Mixing
from .braking import brought_to_rest
from .check import check, check_ranges
from .frames import at_rate, poses_at_rate
from .named import Named
from .recording import Pose, RecordedColumn, Recording
from .take import STANDING, Take, Values

HIGHEST_RATE = 255  # [1/s] largest sample rate, which some formats store in a byte; servos take less
# share of the joints' limits for the return to the first frame, which is slow because it is not authored
RETURN_SHARE = 0.5
RETURN_LIMIT = 120.0  # [s] longest return to the first frame; a longer one, due to a wrong limit, is refused


@dataclass(frozen=True, slots=True)
class Motion:
    """A robot's motion at a constant rate.

    Attributes:
        title: The armature's name.
        device: The robot.
        rate: Samples per second [1/s].
        values: Joint values (samples, joints), in the order and unit of `device.joints`.
        positions: Raw channel positions (samples, channels), in the order of `device.channels`; not rounded.
        loops: Whether the motion ends where it begins, at rest, and is played repeatedly.
        named: Names, signs and units of the joints in files of the robot's maker, in the order of
            `device.joints`.
        poses: As `Take.poses`, each (samples,).
    """

    title: str
    device: Device
    rate: int
    values: tuple[Values, ...]
    positions: tuple[Values, ...]
    loops: bool
    named: tuple[Named, ...]
    poses: Mapping[str, tuple[Pose, ...]] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Duration [s], with that of the last sample."""
        return len(self.values) / self.rate

    @property
    def times(self) -> tuple[float, ...]:
        """Time [s] of each sample (samples,), counted from the first."""
        return tuple(row / self.rate for row in range(len(self.values)))

    @property
    def recording(self) -> Recording:
        """The motion as a Recording, with the joint names that files of the robot's maker have."""
        columns = tuple(
            RecordedColumn(
                named.name, tuple(named.sign * row[k] for row in self.values), named.unit, named.servo
            )
            for k, named in enumerate(self.named)
        )
        return Recording(self.times, columns, self.poses, self.title)


def make_motion(take: Take, rate: int, title: str, loops: bool, has_positions: bool = True) -> Motion:
    """Resampled motion of a take, at rest in its first and last frame. A take that ends in motion is brought
    to rest; a motion that loops gets a slow return to the first frame.

    Args:
        take: The frames.
        rate: Samples per second, 1 to HIGHEST_RATE.
        title: Name of the motion.
        loops: Whether it will be played repeatedly.
        has_positions: As for `check`.

    Raises:
        ExportError: A limit is exceeded (the message names joint or channel, frame, expected and found
            value), the return takes too long, or the rate is impossible.
        DeviceError: The channels do not fit the joints.
    """
    if not 1 <= rate <= HIGHEST_RATE:
        raise ExportError(f"A rate of {rate} Hz cannot be had; choose 1 to {HIGHEST_RATE}")
    mixing = Mixing(take.device)
    check_ranges(take, has_positions)
    take = brought_to_rest(take)
    check(take, has_positions)
    if loops:
        take = _with_return(take)
        check(take, has_positions)
    values = _rows(take, rate)
    return Motion(title, take.device, rate, values, tuple(map(mixing.raw, values)), loops, _named(take))


def frames_at(take: Take, rate: int, title: str, has_positions: bool = True) -> Motion:
    """The motion of a take for players that interpolate and limit it themselves: its frames, unchanged or
    resampled to another `rate`. `has_positions` as for `check`.

    Raises:
        ExportError: A joint or a channel is out of its range; the message names it, the frame, expected and
            found value.
        DeviceError: The channels do not fit the joints.
    """
    mixing = Mixing(take.device)
    check_ranges(take, has_positions)
    values = at_rate(take.frames, take.rate, rate)
    poses = {name: poses_at_rate(body_poses, take.rate, rate) for name, body_poses in take.poses.items()}
    return Motion(
        title, take.device, rate, values, tuple(map(mixing.raw, values)), False, _named(take), poses
    )


def _rows(take: Take, rate: int) -> tuple[Values, ...]:
    """Values of all joints at `rate` [1/s] (samples, joints), from rest in the first frame to rest in the
    last: the frames themselves if that is their rate, else samples of the robot link's curve.
    """
    if rate == take.rate:
        return (take.frames[0], *take.frames, take.frames[-1])
    return tuple(tuple(joint.position for joint in row) for row in sample(take, rate))


def sample(take: Take, rate: float) -> list[list[Kinematic]]:
    """States of all joints at `rate` [1/s] (samples, joints), on the same curve as in the robot link's
    playback.

    It begins at rest in the first frame and ends at rest in the last, so it lasts two frames longer than the
    take.
    """
    columns = list(take.joints())
    # range of the curve's parameter [frames], outside of which the curve is at rest
    begin, end = (STANDING - 1, len(columns[0]) - STANDING)
    # the small term prevents a further row that only rounding would cause
    rows = math.ceil((end - begin) * rate / take.rate - 1e-9) + 1
    samples = []
    for row in range(rows):
        position = min(begin + row * take.rate / rate, float(end))
        index = min(int(position), len(columns[0]) - FRAMES + 1)
        samples.append(
            [
                between(
                    (column[index - 1], column[index], column[index + 1], column[index + 2]),
                    position - index,
                    1.0 / take.rate,
                )
                for column in columns
            ]
        )
    return samples


def _with_return(take: Take) -> Take:
    """The take followed by a slow return to its first frame, at `RETURN_SHARE` of the joints' limits."""
    filters = [TrackingFilter(_scaled(joint.limits, RETURN_SHARE)) for joint in take.device.joints]
    goal, dt = take.frames[0], 1.0 / take.rate
    states: list[Kinematic] = [
        tracking_filter.rest(value) for tracking_filter, value in zip(filters, take.frames[-1], strict=True)
    ]
    frames = [take.frames[-1]] * STANDING
    while any(state != Kinematic(value) for state, value in zip(map(_kinematic, states), goal, strict=True)):
        states = [
            tracking_filter.step(state, value, dt, 0.0)
            for tracking_filter, state, value in zip(filters, states, goal, strict=True)
        ]
        frames.append(tuple(state.position for state in states))
        if len(frames) > RETURN_LIMIT * take.rate:
            raise ExportError(
                f"The return to {take.name(0)} takes more than {RETURN_LIMIT:.0f} s: end the range in the"
                " pose in which it begins, or raise the joints' velocity, acceleration and jerk"
            )
    return take.followed_by((*frames, goal))


def _named(take: Take) -> tuple[Named, ...]:
    """`Take.named`, or the device's names and units if that is empty."""
    return take.named or tuple(Named(joint.name, unit=joint.unit) for joint in take.device.joints)


def _kinematic(state: Kinematic) -> Kinematic:
    """Position, velocity and acceleration of a filter's state, to compare them with a goal."""
    return Kinematic(state.position, state.velocity, state.acceleration)


def _scaled(limits: Limits, share: float) -> Limits:
    """The limits with velocity, acceleration and jerk times `share`."""
    return replace(
        limits,
        velocity=share * limits.velocity,
        acceleration=share * limits.acceleration,
        jerk=share * limits.jerk,
    )
