"""What a robot did, from what was seen of it: whether it moved only as it was told, when it came to rest, and
how.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Protocol

from limber.hardware.device import Device
from limber.hardware.worker.core import PERIOD

from tests.hardware.faults.worlds import LIMP, Seen, World

# of a joint's velocity that the robot itself allows: moves that come in bunches, and the limiter's 10%
HEADROOM = 1.5
CATCHING = 0.012  # [rad] beyond speed times time: a pulse's own promise of 8 us, twice over
RESTED = 0.006  # [rad] in which a joint stands: two steps of a servo, or the jitter of two pulses


def of_joint(seen: Sequence[Seen], joint: int) -> list[Seen]:
    return [one for one in seen if one.joint == joint]


def beyond_ranges(world: World) -> list[Seen]:
    """What was seen outside of what joint and servo allow."""
    ranges = world.ranges()
    return [
        one
        for one in world.seen
        if not ranges[one.joint][0] - world.step <= one.angle <= ranges[one.joint][1] + world.step
    ]


def fastest(world: World, seen: Sequence[Seen]) -> float:
    """The greatest speed from one sight to the next [rad/s], the pulses' own jitter left out."""
    speeds = [0.0]
    for joint in range(len(world.device.channels)):
        for before, after in pairwise(of_joint(seen, joint)):
            if 0.0 < after.time - before.time <= world.spacing:
                speeds.append(
                    (abs(after.angle - before.angle) - 2.0 * world.step) / (after.time - before.time)
                )
    return max(speeds)


def uncommanded(world: World, within: float) -> list[Seen]:
    """What was seen outside of all that was sent in the last `within` [s]; while nothing is sent, of the last
    that was.

    Until something is sent, a servo that got torque stays where it was found.
    """
    times = [time for time, _ in world.sent]
    slack = world.step + RESTED
    found: dict[int, Seen] = {}  # first sight of each joint since it got torque
    newest: dict[int, float] = {}  # time of its last sight
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
    """How the robot was at the end of a while.

    Attributes:
        driven: Joints that had pulses or torque, and stood.
        limp: Joints that had none.
        moving: Joints that still moved.
        rest_after: When the last joint came to rest or went limp, after the while had begun [s].
        way: The farthest that any joint went meanwhile [rad].
    """

    driven: frozenset[int]
    limp: frozenset[int]
    moving: frozenset[int]
    rest_after: float
    way: float

    @property
    def rests_as_set(self) -> bool:
        """Joints that are to hold, hold; those that are to go limp are."""
        return self.limp == {LIMP} and not self.moving and bool(self.driven)

    @property
    def stands(self) -> bool:
        return not self.limp and not self.moving

    @property
    def is_dark(self) -> bool:
        return not self.driven and not self.moving


class Observed(Protocol):
    """A robot that is looked at: its description, what was seen of it, how far sights are apart at most, and
    the time there [s].
    """

    device: Device
    spacing: float
    now: float

    @property
    def seen(self) -> list[Seen]: ...


def ending(world: Observed, since: float, rest: float = 0.25) -> Ending:
    """How the robot was in the last `rest` [s] of the time after `since` [s]."""
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
