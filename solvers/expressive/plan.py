"""The plan: other branches of answers, found and followed, and whether to glide to one of them. Knows no Blender.

A cycle of small pieces of work, one a frame: a pool of rows on other branches follows the goal that is expected; those that are worth it go
into a simulation, whose cheapest way becomes the course. Every other cycle a search from scratch for the expected goal brings the pool new
branches. The state is a value: the same state and the same goals give the same plan, to the bit.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..skeleton import Angles
from .descent import Descent, Lead, Pace, Rows
from .glides import Course, Row, rows_of
from .model import Model
from .now import Now
from .search import best_rows
from .seeds import Seeds
from .simulation import Simulation, Simulator

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


class Planner:
    """Makes the plan for one skeleton; the state is the caller's."""

    def __init__(self, model: Model, seeds: Seeds) -> None:
        self.model, self.seeds, self.simulator = model, seeds, Simulator(model)

    def advance(self, state: Planning, now: Now) -> Planning:
        """One piece of work, where it is this solver's turn."""
        state = replace(state, frame=state.frame + 1, sought=state.sought + 1)
        if not now.slot.is_open:
            waiting = state.simulation
            return state if waiting is None else replace(state, simulation=replace(waiting, age=waiting.age + 1))
        if state.stage == REST and (now.lost or state.frame >= CYCLE):
            state = replace(state, stage=FOLLOW, frame=0)
        if state.stage == FOLLOW:
            return self._follow(state, now)
        if state.stage == SPREAD:
            spread = self._spread(state, now)
            return spread if now.slot.sharing > 1 or len(now.angles) > LONG else self._lay_out(spread, now, self._nearer_yet(spread, now))
        if state.stage == CLOSE_IN:
            rows = self._nearer_yet(state, now)
            return self._lay_out(state, now, rows) if now.slot.sharing == 1 else self._sifted(state, now, rows)
        if state.stage == LAY_OUT:
            return self._lay_out(state, now, now.descent(self.model, LEAD).at(np.array(state.spreading), None))
        if state.stage == SIMULATE:
            return self._simulate(state, now)
        return self._seek(state, now) if state.stage != REST else state

    def _seek(self, state: Planning, now: Now) -> Planning:
        """A search from scratch, in three pieces or more."""
        descent = now.descent(self.model, SEEK_LEAD)
        if state.stage == SEEK_WIDE and not state.steps:
            starts, sides = self.seeds.around(now.posture), None
            if descent.aim.two_sided:
                starts, sides = np.concatenate([starts, starts]), np.repeat([1.0, -1.0], len(starts))
            state = replace(state, sought=0)
        else:
            starts, sides = np.array(state.seekers), np.array(state.sides) if state.sides else None
        steps, kept = {SEEK_WIDE: WIDE, SEEK_LESS: LESS, SEEK_DEEP: DEEP}[state.stage]
        rows = descent.at(starts, sides)
        piece = steps - state.steps if now.slot.sharing == 1 else min(SHARED_STEPS, steps - state.steps)
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
        descent = now.descent(self.model, LEAD)
        rows = descent.at(np.array(state.pool), None)
        for _ in range(FOLLOW_STEPS):
            rows = descent.step(rows, FOLLOWING)
        kept = apart(self._far(rows.angles), np.argsort(rows.merit, kind="stable").tolist(), [], POOL)
        return replace(state, pool=rows_of(rows.angles[kept]), stage=SPREAD)

    def _spread(self, state: Planning, now: Now) -> Planning:
        """Beside the pool's rows others that meet the aim, wherever their shape: the nearest often spare it a long way."""
        starts = np.concatenate([self.seeds.near(now.angles), self.seeds.spread])
        rows = self._nearer(now.descent(self.model, LEAD), starts)
        return replace(state, spreading=rows_of(rows.angles), stage=CLOSE_IN)

    def _nearer_yet(self, state: Planning, now: Now) -> Rows:
        return self._nearer(now.descent(self.model, LEAD), np.array(state.spreading))

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
        descent = now.descent(self.model, LEAD)
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
        return replace(state, simulation=self.simulator.begun(branches, state.course, now), stage=SIMULATE)

    def _away(self, angles: Angles, now: Now) -> Angles:
        """(m,) [rad] of the farthest joint, from where it is to rows (m, n)."""
        away: Angles = (np.abs(angles - now.angles) / self.model.scale).max(1)
        return away

    def _far(self, angles: Angles) -> list[list[float]]:
        """Between rows (m, n), of the farthest joint [rad]."""
        far: list[list[float]] = (np.abs(angles[:, None] - angles) / self.model.scale).max(2).tolist()
        return far

    def _after(self, state: Planning, now: Now) -> int:
        return SEEK_WIDE if state.sought >= SEEK_EVERY * now.slot.sharing else REST

    def _simulate(self, state: Planning, now: Now) -> Planning:
        """Some strides of the simulation; at its end the choice."""
        assert state.simulation is not None
        simulation = self.simulator.advanced(state.simulation, now)
        if not simulation.is_done:
            return replace(state, simulation=simulation)
        return replace(state, simulation=None, course=simulation.cheapest(state.course, now.lost), stage=self._after(state, now))


def apart(far: list[list[float]], order: list[int], kept: list[int], most: int) -> list[int]:
    """`kept` and, in that order, rows on other branches than all that are kept before, until there are `most`."""
    kept = list(kept)
    for row in order:
        if len(kept) < most and all(far[row][other] > SAME_BRANCH for other in kept):
            kept.append(row)
    return kept


def _sides(rows: Rows) -> tuple[float, ...]:
    return () if rows.sides is None else tuple(rows.sides.tolist())
