"""Evaluates a robot's observed motion: whether it only moved as commanded, when it came to rest, and how."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Protocol

from limber.hardware.device import Device
from limber.hardware.worker.core import PERIOD

from tests.hardware.faults.worlds import LIMP, Seen, World

# factor of a joint's velocity limit that a robot may reach: moves arrive in bunches, and the limiter adds 10%
HEADROOM = 1.5
CATCHING = 0.012  # [rad] tolerance beyond speed times time: twice a pulse's accuracy of 8 us
# [rad] range within which a joint is at rest: two steps of a servo, or the jitter of two pulses
RESTED = 0.006


def of_joint(seen: Sequence[Seen], joint: int) -> list[Seen]:
    return [one for one in seen if one.joint == joint]


def beyond_ranges(world: World) -> list[Seen]:
    """Observations outside the ranges of joint and servo."""
    ranges = world.ranges()
    return [
        one
        for one in world.seen
        if not ranges[one.joint][0] - world.step <= one.angle <= ranges[one.joint][1] + world.step
    ]


def fastest(world: World, seen: Sequence[Seen]) -> float:
    """Largest speed [rad/s] between two observations, without the jitter of pulses."""
    speeds = [0.0]
    for joint in range(len(world.device.channels)):
        for before, after in pairwise(of_joint(seen, joint)):
            if 0.0 < after.time - before.time <= world.spacing:
                speeds.append(
                    (abs(after.angle - before.angle) - 2.0 * world.step) / (after.time - before.time)
                )
    return max(speeds)


def uncommanded(world: World, within: float) -> list[Seen]:
    """Observations outside all positions sent in the last `within` [s]; while nothing is sent, outside the
    last ones.

    Until something is sent, a servo with torque must stay at its first observed position.
    """
    times = [time for time, _ in world.sent]
    slack = world.step + RESTED
    found: dict[int, Seen] = {}  # first observation of each joint since it got torque
    newest: dict[int, float] = {}  # time of its last observation
    stray = []
    for one in world.seen:
        if one.time - newest.get(one.joint, -inf) > world.spacing:
            found[one.joint] = one
        newest[one.joint] = one.time
        last = bisect_right(times, one.time + PERIOD)
        first = bisect_right(times, times[last - 1] - within) if last else 0
        angles = [angles[one.joint] for _, angles in world.sent[max(first - 1, 0) : last]]
        if not last or times[last - 1] < found[one.joint].time:
            angles.append(found[one.joint].angle)
        if not min(angles) - slack <= one.angle <= max(angles) + slack:
            stray.append(one)
    return stray


@dataclass(frozen=True, slots=True)
class Ending:
    """State of the robot at the end of an interval.

    Attributes:
        driven: Joints that had pulses or torque, and were at rest.
        limp: Joints without pulses and torque.
        moving: Joints that were still moving.
        rest_after: Time [s] from the beginning of the interval until the last joint was at rest or limp.
        way: Largest movement of a joint during the interval [rad].
    """

    driven: frozenset[int]
    limp: frozenset[int]
    moving: frozenset[int]
    rest_after: float
    way: float

    @property
    def rests_as_set(self) -> bool:
        """Whether the joints that should hold do so, and those that should go limp are limp."""
        return self.limp == {LIMP} and not self.moving and bool(self.driven)

    @property
    def stands(self) -> bool:
        return not self.limp and not self.moving

    @property
    def is_dark(self) -> bool:
        return not self.driven and not self.moving


class Observed(Protocol):
    """Interface of an observed robot: its description, the observations, their largest interval, and its time
    [s].
    """

    device: Device
    spacing: float
    now: float

    @property
    def seen(self) -> list[Seen]: ...


def ending(world: Observed, since: float, rest: float = 0.25) -> Ending:
    """State of the robot in the last `rest` [s] of the interval that began at `since` [s]."""
    all_seen, now = world.seen, world.now
    driven, limp, moving, rested, way = set(), set(), set(), since, 0.0
    for joint in range(len(world.device.channels)):
        seen = [one for one in of_joint(all_seen, joint) if one.time >= since - world.spacing]
        way = max([way, *(abs(one.angle - seen[0].angle) for one in seen)])
        last = [one.angle for one in seen if one.time > now - rest]
        if not last:
            limp.add(joint)
            rested = max([rested, *(one.time for one in seen)])
        elif max(last) - min(last) > RESTED:
            moving.add(joint)
        else:
            driven.add(joint)
            rested = max([rested, *(one.time for one in seen if abs(one.angle - last[-1]) > RESTED)])
    return Ending(frozenset(driven), frozenset(limp), frozenset(moving), rested - since, way)
