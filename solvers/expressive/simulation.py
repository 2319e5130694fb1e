"""Staying and the glides to other branches, simulated together over the frames to come: which costs least. Knows no Blender.

All ways go on to the same end, some strides a frame, while their branches follow the expected goals. Each is charged with its shape
deviation and, far more, with what it misses of the aim. The simulation is a value: the same frames give the same one, to the bit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..skeleton import Angles
from .descent import Lead, Rows
from .glides import ALONG, KINDS, STAY, Course, Glides, Row, arrived, led, rows_of
from .model import Model
from .now import Now
from .pace import LARGEST_MOVE

HORIZON = 40  # frames that are simulated: a half turn takes 30
DELAY = 2  # frames on the present course before another begins in a simulation: in truth it takes that long
# The same of solvers that take turns, in turns of theirs: from the lay-out to the choice it takes 4 where two of them do, 3 of three, 2 of
# four. The longest counts for all: a glide that was to begin before there was a choice starts from where the joints are no more, and that
# costs more than one that begins late.
SHARED_DELAY = 4
STRIDE = 2  # frames in a step of a simulation: coarser ones misjudge what glides lose of the aim
NEAR_FUTURE = 14  # frames until which that matters: a quick glide has arrived
FAR_STRIDE = 6  # frames in a step from then on
WORK = 10000  # in a frame's piece of a simulation: two or three milliseconds in numpy
LESS_WORK = 5000  # likewise of several solvers that take turns: the others need the frame's time as well
STEP_WORK = 1500  # of a step by itself, against rows times joints
TAIL = 30  # frames that the end of a simulation goes on for in its cost, or what is lost for good would seem cheap
BRANCH_PROXIMAL = 0.1  # of branches in a simulation, which nothing holds back
AIM_COST = 30.0  # of a degree of aim, in degrees of shape deviation
LOST_COST = 90.0  # of a frame whose aim is off by a degree or more, likewise
FREE = math.radians(0.5)  # of aim: what the coarse steps miss by themselves
OFF = math.radians(1)  # of aim: from here it is lost
PATIENCE = 10  # frames with the aim lost, after which nothing is chosen that the aim may hold up
GIVEN_UP = 1e6  # cost of the others
HYSTERESIS = 1.0  # [deg of shape deviation] by which another course must be cheaper


@dataclass(frozen=True)
class Simulation:
    """Ways into the future, simulated as far as `frames`: rows of branches, then rows of ways."""

    branches: tuple[Row, ...]  # where they were at the start
    rows: tuple[Row, ...]
    asked: tuple[int, ...]  # the kind of each way as it was laid out
    kinds: tuple[int, ...]  # and now: what has arrived stays
    goals: tuple[int, ...]  # index of each way's branch
    speeds: tuple[float, ...]
    costs: tuple[float, ...]  # [deg of shape deviation x frames]
    frames: int = 0
    age: int = 0  # real frames since the start
    under_way: bool = False  # the first branch is that of the course under way

    @property
    def is_done(self) -> bool:
        return self.frames >= HORIZON

    def cheapest(self, course: Course | None, lost: int) -> Course | None:
        """The cheapest course at the end, with some favour for `course`, the one under way; None stays.

        `lost` counts the frames that the aim has been lost for.
        """
        current = self._current(course)
        biased = np.array(self.costs) / (HORIZON + TAIL) + HYSTERESIS
        biased[current] -= HYSTERESIS
        if lost > PATIENCE:
            biased[np.array(self.asked) == ALONG] += GIVEN_UP
        best = int(np.argmin(biased))
        if best == current:
            return course
        return None if self.asked[best] == STAY else Course(self.asked[best], self.branches[self.goals[best]])

    def _current(self, course: Course | None) -> int:
        """Which way is the course under way; staying, where there is none."""
        if course is None or not self.under_way:
            return 0
        pairs = zip(self.asked, self.goals, strict=True)
        return next(way for way, pair in enumerate(pairs) if pair == (course.kind, 0))


class Simulator:
    """Simulates on one skeleton; the simulation is the caller's."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def begun(self, branches: Sequence[Row], course: Course | None, now: Now) -> Simulation:
        """Staying and each kind of glide to each branch; where `course` is under way, its branch comes first."""
        start, speed = self._before(course, now)
        kinds = (STAY, *(kind for _ in branches for kind in KINDS))
        return Simulation(
            branches=tuple(branches),
            rows=(*branches, *(start for _ in kinds)),
            asked=kinds,
            kinds=kinds,
            goals=(0, *(index for index in range(len(branches)) for _ in KINDS)),
            speeds=(speed,) * len(kinds),
            costs=(0.0,) * len(kinds),
            frames=_delay(now),
            under_way=course is not None,
        )

    def advanced(self, old: Simulation, now: Now) -> Simulation:
        """A frame's piece of strides further."""
        count = len(old.branches)
        kinds, goals = np.array(old.kinds), np.array(old.goals)
        angles, speeds, costs = np.array(old.rows), np.array(old.speeds), np.array(old.costs)
        frames, age = old.frames, old.age + 1
        work = WORK if now.slot.sharing == 1 else LESS_WORK
        for _ in range(max(1, work // (STEP_WORK + angles.size))):
            stride = STRIDE if frames < NEAR_FUTURE else FAR_STRIDE
            frames += stride
            descent = now.descent(self.model, frames - age)
            rows = descent.at(angles, None)
            lead, speeds = self._lead(rows, count, Glides(kinds, angles[goals], speeds), stride)
            angles = descent.led(rows, lead)
            # What a step leaves of the aim is told by its own linear model.
            left = rows.error - ((angles - rows.angles)[:, None] @ rows.columns)[:, 0]
            missed = np.maximum(0.0, np.sqrt((left[count:] ** 2).sum(1)) - FREE)
            cosine = rows.cosine[count:]
            shape = np.arccos(np.clip(cosine, -1.0, 1.0)) + np.maximum(0.0, -1.0 - cosine)  # rolls may lose more than all directions
            weight = stride + (TAIL if frames >= HORIZON else 0)
            costs += weight * (np.degrees(now.authored.keep * shape + AIM_COST * missed) + LOST_COST * np.minimum(1.0, missed / OFF))
            kinds = np.where(arrived(self.model, angles[count:], angles[goals]), STAY, kinds)
            if frames >= HORIZON:
                break
        return replace(
            old,
            rows=rows_of(angles),
            kinds=tuple(kinds.tolist()),
            speeds=tuple(speeds.tolist()),
            costs=tuple(costs.tolist()),
            frames=frames,
            age=age,
        )

    def _before(self, course: Course | None, now: Now) -> tuple[Row, float]:
        """Where the present course leads while others are simulated, and its speed [rad a frame] there."""
        speeds = np.array([now.speed])
        rows = [now.angles.tolist(), now.angles.tolist()] if course is None else [course.branch, now.angles.tolist()]
        angles, kinds = np.array(rows), np.array([STAY if course is None else course.kind])
        stride = STRIDE * now.slot.sharing
        for frames in range(stride, _delay(now) + 1, stride):
            descent = now.descent(self.model, frames - 1)
            there = descent.at(angles, None)
            lead, speeds = self._lead(there, 1, Glides(kinds, angles[:1], speeds), stride)
            angles = descent.led(there, lead)
            kinds = np.where(arrived(self.model, angles[1:], angles[:1]), STAY, kinds)
        return tuple(angles[1].tolist()), float(speeds[0])

    def _lead(self, rows: Rows, count: int, glides: Glides, stride: int) -> tuple[Lead, Angles]:
        """Branches go where the shape and the aim ask, ways on their glides within what a joint does in a stride."""
        model, free = self.model, np.zeros(count)
        room = stride * LARGEST_MOVE * model.scale
        lower = np.maximum(model.lower, rows.angles - room)
        upper = np.minimum(model.upper, rows.angles + room)
        lead, speeds = led(model, rows.angles[count:], glides, stride, lower[count:], upper[count:])
        one = free + 1.0
        return Lead(
            np.concatenate([np.zeros((count, lead.toward.shape[1])), lead.toward]),
            np.concatenate([one, lead.shape]),
            np.concatenate([one, lead.aim]),
            np.concatenate([free + BRANCH_PROXIMAL, lead.proximal]),
            np.concatenate([np.broadcast_to(model.lower, (count, len(model.lower))), lead.lower]),
            np.concatenate([np.broadcast_to(model.upper, (count, len(model.upper))), lead.upper]),
        ), speeds


def _delay(now: Now) -> int:
    return DELAY if now.slot.sharing == 1 else SHARED_DELAY * now.slot.sharing
