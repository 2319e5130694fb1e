"""The plan: whether to stay on a branch of answers or to glide to another, judged over the frames to come. Knows no Blender.

A cycle of small pieces of work, one a frame: a pool of rows on other branches follows the goal that is expected; staying and each glide to
each of them are simulated together over the expected goals; the cheapest becomes the course. Every other cycle a search from scratch for
the expected goal brings the pool new branches. The state is a value: the same state and the same goals give the same plan, to the bit.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..skeleton import Angles
from .aims import BatchedAim
from .descent import Descent, Lead, Pace, Rows
from .glides import ALONG, KINDS, STAY, Glides, arrived, led
from .model import Authored, Model
from .pace import LARGEST_MOVE
from .prediction import Outlook
from .search import best_rows
from .seeds import Seeds

FOLLOW, SPREAD, CLOSE_IN, LAY_OUT, SIMULATE, SEEK_WIDE, SEEK_LESS, SEEK_DEEP, REST = range(9)
CYCLE = 16  # frames from plan to plan: with less than half of them at work the median frame has nothing of it
SEEK_EVERY = 28  # frames between searches for new branches, times the solvers that take turns
LEAD = 20  # frames ahead that branches are followed for: about when a glide that starts when it is planned arrives
SEEK_LEAD = 20  # likewise for a search, whose rows will be simulated some frames later
SEEK = Pace(proximal=0.01, largest_step=0.5)
WIDE, LESS, DEEP = (2, 20), (4, 10), (6, 10)  # (steps, rows kept) of a search
SHARED_STEPS = 3  # of a search in a frame of several solvers that take turns
FOLLOWING = Pace(proximal=0.03, largest_step=0.5)
FOLLOW_STEPS = 2
POOL = 10  # rows on other branches
SPREAD_STEPS = 2  # in each of two pieces; a short chain that need not share its frames does both in one
LONG = 10  # joints: those of a longer chain are too much for one frame
FROM_POOL, FROM_SPREAD = 8, 14  # branches that are simulated, at most: numpy takes many rows in hardly more time than few
SIFTED = 40  # of which those are looked for: their distances are a table
AWAY_COST = 0.2  # of a radian of the farthest joint against the mean squared difference of directions: long glides lose the aim for long
SAME_BRANCH = 0.25  # [rad] of the farthest joint: rows nearer than this are one
NEARLY = math.radians(8)  # of aim: what a row may miss and still be worth a simulation
NEARER = math.radians(4)  # and by how much more than the best of them where none can meet the aim
WORTH_A_GLIDE = 0.3  # [rad] of the farthest joint: what is nearer is reached by warm steps
HORIZON = 40  # frames that are simulated: a half turn takes 30
DELAY = 2  # frames on the present course before another begins in a simulation: in truth it takes that long
SHARED_DELAY = 4  # likewise of solvers that take turns, times these: it takes 2 to 4, and to begin too early costs more than too late
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

Row = tuple[float, ...]


@dataclass(frozen=True)
class Course:
    """A glide under way."""

    kind: int
    branch: Row  # (n,)


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


@dataclass(frozen=True)
class Planning:
    """What the planner knows from frame to frame."""

    stage: int = SEEK_WIDE
    frame: int = 0  # of the cycle
    sought: int = 0  # frames since the last search began
    pool: tuple[Row, ...] = ()
    seekers: tuple[Row, ...] = ()
    sides: tuple[float, ...] = ()
    steps: int = 0  # done of the search's stage
    spreading: tuple[Row, ...] = ()
    simulation: Simulation | None = None
    course: Course | None = None


class Now(NamedTuple):
    """What a piece of work starts from."""

    outlook: Outlook
    authored: Authored
    posture: Angles  # (n,)
    angles: Angles  # (n,) the last frame's
    speed: float  # [rad a frame] of the glide under way
    lost: int  # frames that the aim has been lost for
    turns: int  # of how many solvers one plans in a frame
    is_turn: bool  # this one in this frame


class Planner:
    """Makes the plan for one skeleton; the state is the caller's."""

    def __init__(self, model: Model, seeds: Seeds) -> None:
        self.model, self.seeds = model, seeds

    def advance(self, state: Planning, now: Now) -> Planning:
        """One piece of work, where it is this solver's turn."""
        state = replace(state, frame=state.frame + 1, sought=state.sought + 1)
        if not now.is_turn:
            waiting = state.simulation
            return state if waiting is None else replace(state, simulation=replace(waiting, age=waiting.age + 1))
        if state.stage == REST and (now.lost or state.frame >= CYCLE):
            state = replace(state, stage=FOLLOW, frame=0)
        if state.stage == FOLLOW:
            return self._follow(state, now)
        if state.stage == SPREAD:
            spread = self._spread(state, now)
            return spread if now.turns > 1 or len(now.angles) > LONG else self._lay_out(spread, now, self._nearer_yet(spread, now))
        if state.stage == CLOSE_IN:
            rows = self._nearer_yet(state, now)
            return self._lay_out(state, now, rows) if now.turns == 1 else self._sifted(state, now, rows)
        if state.stage == LAY_OUT:
            return self._lay_out(state, now, self._descent(now, LEAD).at(np.array(state.spreading), None))
        if state.stage == SIMULATE:
            return self._simulate(state, now)
        return self._seek(state, now) if state.stage != REST else state

    def _descent(self, now: Now, frames: int) -> Descent:
        return Descent(self.model, now.authored, BatchedAim(self.model, now.outlook.at(frames)))

    def _seek(self, state: Planning, now: Now) -> Planning:
        """A search from scratch, in three pieces or more."""
        descent = self._descent(now, SEEK_LEAD)
        if state.stage == SEEK_WIDE and not state.steps:
            starts, sides = self.seeds.around(now.posture), None
            if descent.aim.two_sided:
                starts, sides = np.concatenate([starts, starts]), np.repeat([1.0, -1.0], len(starts))
            state = replace(state, sought=0)
        else:
            starts, sides = np.array(state.seekers), np.array(state.sides) if state.sides else None
        steps, kept = {SEEK_WIDE: WIDE, SEEK_LESS: LESS, SEEK_DEEP: DEEP}[state.stage]
        rows = descent.at(starts, sides)
        piece = steps - state.steps if now.turns == 1 else min(SHARED_STEPS, steps - state.steps)
        for _ in range(piece):
            rows = descent.step(rows, SEEK)
        if state.steps + piece < steps:
            return replace(state, seekers=rows_of(rows.angles), sides=_sides(rows), steps=state.steps + piece)
        rows = best_rows(rows, kept)
        found = rows_of(rows.angles)
        state = replace(state, steps=0)
        if state.stage == SEEK_DEEP:
            # Those that were found come last: the pool's own rows are as good and known.
            return replace(state, pool=state.pool + found, seekers=(), sides=(), stage=REST)
        return replace(state, seekers=found, sides=_sides(rows), stage=state.stage + 1)

    def _follow(self, state: Planning, now: Now) -> Planning:
        """The pool follows the goal that is expected, and its rows that met become one."""
        if not state.pool:
            return replace(state, stage=SEEK_WIDE)
        descent = self._descent(now, LEAD)
        rows = descent.at(np.array(state.pool), None)
        for _ in range(FOLLOW_STEPS):
            rows = descent.step(rows, FOLLOWING)
        kept = apart(self._far(rows.angles), np.argsort(rows.merit, kind="stable").tolist(), [], POOL)
        return replace(state, pool=rows_of(rows.angles[kept]), stage=SPREAD)

    def _spread(self, state: Planning, now: Now) -> Planning:
        """Beside the pool's rows others that meet the aim, wherever their shape: the nearest often spare it a long way."""
        starts = np.concatenate([self.seeds.near(now.angles), self.seeds.spread])
        rows = self._nearer(self._descent(now, LEAD), starts)
        return replace(state, spreading=rows_of(rows.angles), stage=CLOSE_IN)

    def _nearer_yet(self, state: Planning, now: Now) -> Rows:
        return self._nearer(self._descent(now, LEAD), np.array(state.spreading))

    def _sifted(self, state: Planning, now: Now, rows: Rows) -> Planning:
        """The best of `rows`, no two of them on one branch: the fewer, the less to lay out."""
        order = np.argsort(rows.merit + AWAY_COST * self._away(rows.angles, now), kind="stable")
        best = rows.angles[order[:SIFTED]]
        kept = apart(self._far(best), list(range(len(best))), [], FROM_SPREAD + POOL)
        return replace(state, spreading=rows_of(best[kept]), stage=LAY_OUT)

    def _nearer(self, descent: Descent, starts: Angles) -> Rows:
        """Rows (m, n) some steps nearer to the aim, whatever their shape."""
        rows, free = descent.at(starts, None), np.zeros(len(starts))
        for _ in range(SPREAD_STEPS):
            lead = Lead(
                np.zeros_like(starts),
                free,
                free + 1.0,
                free + 1.0,
                np.maximum(self.model.lower, rows.angles - SEEK.largest_step * self.model.scale),
                np.minimum(self.model.upper, rows.angles + SEEK.largest_step * self.model.scale),
            )
            rows = descent.at(descent.led(rows, lead), None)
        return rows

    def _lay_out(self, state: Planning, now: Now, rows: Rows) -> Planning:
        """Which branches are worth a simulation, those of the pool and of `rows`, and the ways to them."""
        descent = self._descent(now, LEAD)
        state = replace(state, spreading=())
        known = descent.at(np.array(state.pool), None)
        nearly = max(NEARLY, float(min(known.missed.min(), rows.missed.min())) + NEARER)
        courses = np.array([state.course.branch] if state.course is not None else []).reshape(-1, len(now.angles))
        everyone = np.concatenate([courses, known.angles, rows.angles])
        between, kept, first = self._far(everyone), list(range(len(courses))), len(courses)
        for found, most in ((known, FROM_POOL), (rows, FROM_SPREAD)):
            far = self._away(found.angles, now)
            worth = (found.missed < nearly) & (far > WORTH_A_GLIDE)
            order = [first + row for row in np.argsort(found.merit + AWAY_COST * far, kind="stable").tolist() if worth[row]]
            kept = apart(between, order, kept, len(kept) + most)
            first += len(far)
        branches = rows_of(everyone[kept])
        if not branches:
            return replace(state, stage=self._after(state, now))
        start, speed = self._before(state, now)
        kinds = (STAY, *(kind for _ in branches for kind in KINDS))
        simulation = Simulation(
            branches=branches,
            rows=(*branches, *(start for _ in kinds)),
            asked=kinds,
            kinds=kinds,
            goals=(0, *(index for index in range(len(branches)) for _ in KINDS)),
            speeds=(speed,) * len(kinds),
            costs=(0.0,) * len(kinds),
            frames=_delay(now),
            under_way=state.course is not None,
        )
        return replace(state, simulation=simulation, stage=SIMULATE)

    def _before(self, state: Planning, now: Now) -> tuple[Row, float]:
        """Where the present course leads while others are simulated, and its speed [rad a frame] there."""
        course, speeds = state.course, np.array([now.speed])
        rows = [now.angles.tolist(), now.angles.tolist()] if course is None else [course.branch, now.angles.tolist()]
        angles, kinds = np.array(rows), np.array([STAY if course is None else course.kind])
        stride = STRIDE * now.turns
        for frames in range(stride, _delay(now) + 1, stride):
            descent = self._descent(now, frames - 1)
            there = descent.at(angles, None)
            lead, speeds = self._lead(there, 1, Glides(kinds, angles[:1], speeds), stride)
            angles = descent.led(there, lead)
            kinds = np.where(arrived(self.model, angles[1:], angles[:1]), STAY, kinds)
        return tuple(angles[1].tolist()), float(speeds[0])

    def _away(self, angles: Angles, now: Now) -> Angles:
        """(m,) [rad] of the farthest joint, from where it is to rows (m, n)."""
        away: Angles = (np.abs(angles - now.angles) / self.model.scale).max(1)
        return away

    def _far(self, angles: Angles) -> list[list[float]]:
        """Between rows (m, n), of the farthest joint [rad]."""
        far: list[list[float]] = (np.abs(angles[:, None] - angles) / self.model.scale).max(2).tolist()
        return far

    def _after(self, state: Planning, now: Now) -> int:
        return SEEK_WIDE if state.sought >= SEEK_EVERY * now.turns else REST

    def _simulate(self, state: Planning, now: Now) -> Planning:
        """Some steps of the simulation; at its end the choice."""
        old = state.simulation
        assert old is not None
        count = len(old.branches)
        kinds, goals = np.array(old.kinds), np.array(old.goals)
        angles, speeds, costs = np.array(old.rows), np.array(old.speeds), np.array(old.costs)
        frames, age = old.frames, old.age + 1
        work = WORK if now.turns == 1 else LESS_WORK
        for _ in range(max(1, work // (STEP_WORK + angles.size))):
            stride = STRIDE if frames < NEAR_FUTURE else FAR_STRIDE
            frames += stride
            descent = self._descent(now, frames - age)
            rows = descent.at(angles, None)
            lead, speeds = self._lead(rows, count, Glides(kinds, angles[goals], speeds), stride)
            angles = descent.led(rows, lead)
            # What a step leaves of the aim is told by its own linear model.
            left = rows.error - ((angles - rows.angles)[:, None] @ rows.columns)[:, 0]
            missed = np.maximum(0.0, np.sqrt((left[count:] ** 2).sum(1)) - FREE)
            shape = np.arccos(np.clip(rows.cosine[count:], -1.0, 1.0))
            weight = stride + (TAIL if frames >= HORIZON else 0)
            costs += weight * (np.degrees(now.authored.keep * shape + AIM_COST * missed) + LOST_COST * np.minimum(1.0, missed / OFF))
            kinds = np.where(arrived(self.model, angles[count:], angles[goals]), STAY, kinds)
            if frames >= HORIZON:
                return self._choose(replace(state, simulation=None, stage=self._after(state, now)), old, costs, now.lost)
        simulation = replace(
            old,
            rows=rows_of(angles),
            kinds=tuple(kinds.tolist()),
            speeds=tuple(speeds.tolist()),
            costs=tuple(costs.tolist()),
            frames=frames,
            age=age,
        )
        return replace(state, simulation=simulation)

    def _current(self, state: Planning, simulation: Simulation) -> int:
        """Which way is the course under way; staying, where there is none."""
        if state.course is None or not simulation.under_way:
            return 0
        pairs = zip(simulation.asked, simulation.goals, strict=True)
        return next(way for way, pair in enumerate(pairs) if pair == (state.course.kind, 0))

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

    def _choose(self, state: Planning, done: Simulation, costs: Angles, lost: int) -> Planning:
        """The cheapest course, with some favour for the one under way."""
        current = self._current(state, done)
        biased = costs / (HORIZON + TAIL) + HYSTERESIS
        biased[current] -= HYSTERESIS
        if lost > PATIENCE:
            biased[np.array(done.asked) == ALONG] += GIVEN_UP
        best = int(np.argmin(biased))
        if best == current:
            return state
        if done.asked[best] == STAY:
            return replace(state, course=None)
        return replace(state, course=Course(done.asked[best], done.branches[done.goals[best]]))


def apart(far: list[list[float]], order: list[int], kept: list[int], most: int) -> list[int]:
    """`kept` and, in that order, rows on other branches than all that are kept before, until there are `most`."""
    kept = list(kept)
    for row in order:
        if len(kept) < most and all(far[row][other] > SAME_BRANCH for other in kept):
            kept.append(row)
    return kept


def _delay(now: Now) -> int:
    return DELAY if now.turns == 1 else SHARED_DELAY * now.turns


def _sides(rows: Rows) -> tuple[float, ...]:
    return () if rows.sides is None else tuple(rows.sides.tolist())


def rows_of(angles: Angles) -> tuple[Row, ...]:
    """Rows (m, n) as values that never change."""
    return tuple(tuple(row) for row in angles.tolist())
