"""The planner: finds other branches of solutions, tracks them, and chooses transitions. Knows no Blender.

It works in small pieces, one per frame, in a cycle: a pool of candidates on other branches tracks the forecast goal; the promising ones
enter a simulation, whose cheapest path becomes the transition. Every other cycle a search from scratch adds new branches to the pool. The
state is a value: equal states and goals give equal plans, bit for bit.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..aim_residual import Finished, finish_or_look
from ..diagnosis import MET
from ..gaze import aim_error
from ..goals import GazeGoal
from ..kinematics.skeleton import Angles
from .aims import BatchedAim
from .descent import FIRST_PASSES, Candidates, Descent, Seeds, StepGoal, StepSettings
from .model import Authored, Model
from .prediction import FrameContext
from .simulation import Floats, Simulation, Simulator, Transition, as_tuples

BOLD = StepSettings(proximal=0.01, largest_step=0.5)
MANY = replace(BOLD, passes=FIRST_PASSES)
# (candidates kept, steps at most, settings) of each round. Many candidates at first, as a third of all starts end at the optimum.
ROUNDS = ((20, 4, MANY), (8, 8, BOLD))
CONVERGED = math.radians(0.5)  # [rad] movement of the farthest joint in a step below which a round ends
POLISHING_STEPS = 2  # least changes that make the aim exact: the first leaves the square of its error
NEARLY_MET = 1e-3  # [rad] aim error that the exact correction removes without a change of shape that would be seen
# Where none of the last round meets the aim, those that the first round kept take so many more steps, and the best few are corrected.
RESCUE_STEPS, RESCUES = 10, 8
SHAPE_DIGITS = 9  # decimals of a mean cosine that are compared: beyond them lies rounding


class Answer(NamedTuple):
    """The best solution found."""

    finished: Finished
    steps: int


class Search:
    """Search from scratch on one skeleton."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.seeds = Seeds(model)

    def solve(self, goal: GazeGoal, posture: tuple[float, ...], authored: Authored) -> Answer:
        """The best solution for a goal whose posture (n,) [rad] is within limits."""
        descent = Descent(self.model, authored, BatchedAim(self.model, goal))
        starts, sides = self.seeds.around(np.array(posture)), None
        if descent.aim.two_sided:
            starts, sides = np.concatenate([starts, starts]), np.repeat([1.0, -1.0], len(starts))
        candidates = descent.step(descent.at(starts, sides), MANY)
        steps, spare = 1, best_of(candidates, ROUNDS[0][0])
        for kept, count, settings in ROUNDS:
            candidates = best_of(candidates, kept)
            for _ in range(count):
                before, candidates = candidates, descent.step(candidates, settings)
                steps += 1
                if np.abs(candidates.angles - before.angles).max() < CONVERGED:
                    break
        for _ in range(POLISHING_STEPS):
            candidates = descent.toward_aim(candidates)
        best = self._finished(descent, candidates, posture, 1)
        if best.aim_error > MET:
            for _ in range(RESCUE_STEPS):
                spare = descent.toward_aim(spare)
            everyone = np.concatenate([candidates.angles, spare.angles, [posture]])
            best = self._finished(descent, descent.at(everyone, None), posture, RESCUES)
        return Answer(best, steps + POLISHING_STEPS + best.steps)

    def _finished(self, descent: Descent, candidates: Candidates, posture: tuple[float, ...], count: int) -> Finished:
        """The best of the `count` best candidates, after an exact correction; where a chain cannot be upright as well, of its view alone.

        Compared are the errors of the view and of the whole goal, the shape, then the distance to the posture.
        """
        goal, costs = descent.aim.goal, [1.0] * len(posture)
        order = np.lexsort((-candidates.cosine, np.maximum(NEARLY_MET, candidates.aim_error)))[:count]
        found = [finish_or_look(self.model.skeleton, goal, candidates.angles[k].tolist(), costs) for k in order]
        if count == 1:
            return found[0]
        kept = np.round(descent.at(np.array([each.angles for each in found]), None).cosine, SHAPE_DIGITS)
        change = [math.dist(each.angles, posture) for each in found]
        errors = [(max(MET, aim_error(goal, each.pose)), max(MET, each.aim_error)) for each in found]
        return found[min(range(len(found)), key=lambda k: (*errors[k], -kept[k], change[k]))]


def best_of(candidates: Candidates, count: int) -> Candidates:
    """The `count` candidates of least cost, best first."""
    return candidates.pick(np.argsort(candidates.merit, kind="stable")[:count])


TRACK_POOL, SPREAD, APPROACH, SELECT, SIMULATE, SEARCH_WIDE, SEARCH_LESS, SEARCH_DEEP, WAIT = range(9)
CYCLE = 16  # frames from plan to plan: work in less than half of them keeps the median frame free of it
SEARCH_EVERY = 28  # frames between searches for new branches, times the solvers that share frames
LEAD = 20  # frames ahead for which branches are found and tracked: about when a transition that starts after planning arrives
WIDE, LESS, DEEP = (2, 20), (4, 10), (6, 10)  # (steps, candidates kept) of each stage of a search
SHARED_STEPS = 3  # steps of a search in one frame when solvers share frames
TRACKING_STEP = StepSettings(proximal=0.03, largest_step=0.5)
TRACKING_STEPS = 2
POOL = 10  # candidates in the pool
SPREAD_STEPS = 2  # steps in each of two frames; a short chain that shares no frames does both in one
LONG = 10  # joints: longer chains are too slow for both in one frame
# most branches to simulate, from the pool and from the spread: numpy takes hardly more time for many than for few
FROM_POOL, FROM_SPREAD = 8, 14
MOST_THINNED = 40  # most candidates that are compared pairwise
# [1/rad] of the farthest joint, against the mean squared difference of directions: long transitions lose the aim for long
DISTANCE_COST = 0.2
SAME_BRANCH = 0.25  # [rad] of the farthest joint: nearer candidates are on one branch
AIM_TOLERANCE = math.radians(8)  # [rad] aim error with which a candidate is still worth simulating
EXTRA_TOLERANCE = math.radians(4)  # [rad] the same above the least error, where none meets the aim
LEAST_TRANSITION = 0.3  # [rad] of the farthest joint: nearer branches are reached by local steps


@dataclass(frozen=True)
class Planning:
    """State of the planner."""

    stage: int = SEARCH_WIDE
    frame: int = 0  # of the cycle
    since_search: int = 0  # frames since the last search began
    pool: tuple[Floats, ...] = ()
    searching: tuple[Floats, ...] = ()
    sides: tuple[float, ...] = ()
    steps: int = 0  # steps done of the search's stage
    spread: tuple[Floats, ...] = ()
    simulation: Simulation | None = None
    transition: Transition | None = None


class Planner:
    """Finds transitions to better branches for one skeleton; the caller keeps the state."""

    def __init__(self, model: Model, seeds: Seeds) -> None:
        self.model, self.seeds, self.simulator = model, seeds, Simulator(model)

    def advance(self, state: Planning, context: FrameContext) -> Planning:
        """The state after this frame's share of planning; unchanged in frames in which the solver may not plan."""
        state = replace(state, frame=state.frame + 1, since_search=state.since_search + 1)
        if not context.slot.is_open:
            waiting = state.simulation
            return state if waiting is None else replace(state, simulation=replace(waiting, age=waiting.age + 1))
        if state.stage == WAIT and (context.lost or state.frame >= CYCLE):
            state = replace(state, stage=TRACK_POOL, frame=0)
        if state.stage == TRACK_POOL:
            return self._track_pool(state, context)
        if state.stage == SPREAD:
            spread = self._spread(state, context)
            return (
                spread
                if context.slot.sharing > 1 or len(context.angles) > LONG
                else self._select(spread, context, self._approached(spread, context))
            )
        if state.stage == APPROACH:
            candidates = self._approached(state, context)
            return self._select(state, context, candidates) if context.slot.sharing == 1 else self._thinned(state, context, candidates)
        if state.stage == SELECT:
            return self._select(state, context, context.descent(self.model, LEAD).at(np.array(state.spread), None))
        if state.stage == SIMULATE:
            return self._simulate(state, context)
        return self._search(state, context) if state.stage != WAIT else state

    def _search(self, state: Planning, context: FrameContext) -> Planning:
        """A search from scratch for the forecast goal, in three pieces or more."""
        descent = context.descent(self.model, LEAD)
        if state.stage == SEARCH_WIDE and not state.steps:
            starts, sides = self.seeds.around(context.posture), None
            if descent.aim.two_sided:
                starts, sides = np.concatenate([starts, starts]), np.repeat([1.0, -1.0], len(starts))
            state = replace(state, since_search=0)
        else:
            starts, sides = np.array(state.searching), np.array(state.sides) if state.sides else None
        steps, kept = {SEARCH_WIDE: WIDE, SEARCH_LESS: LESS, SEARCH_DEEP: DEEP}[state.stage]
        candidates = descent.at(starts, sides)
        piece = steps - state.steps if context.slot.sharing == 1 else min(SHARED_STEPS, steps - state.steps)
        for _ in range(piece):
            candidates = descent.step(candidates, BOLD)
        if state.steps + piece < steps:
            return replace(state, searching=as_tuples(candidates.angles), sides=_sides(candidates), steps=state.steps + piece)
        candidates = best_of(candidates, kept)
        found = as_tuples(candidates.angles)
        state = replace(state, steps=0)
        if state.stage == SEARCH_DEEP:
            # Found branches come last: those already in the pool are known.
            return replace(state, pool=state.pool + found, searching=(), sides=(), stage=WAIT)
        return replace(state, searching=found, sides=_sides(candidates), stage=state.stage + 1)

    def _track_pool(self, state: Planning, context: FrameContext) -> Planning:
        """Tracks the forecast goal with the pool; candidates that have met become one."""
        if not state.pool:
            return replace(state, stage=SEARCH_WIDE)
        descent = context.descent(self.model, LEAD)
        candidates = descent.at(np.array(state.pool), None)
        for _ in range(TRACKING_STEPS):
            candidates = descent.step(candidates, TRACKING_STEP)
        kept = distinct(self._pairwise_distances(candidates.angles), np.argsort(candidates.merit, kind="stable").tolist(), [], POOL)
        return replace(state, pool=as_tuples(candidates.angles[kept]), stage=SPREAD)

    def _spread(self, state: Planning, context: FrameContext) -> Planning:
        """Candidates that meet the aim, whatever their shape: the nearest of them often save a long transition."""
        starts = np.concatenate([self.seeds.near(context.angles), self.seeds.spread])
        candidates = self._approach(context.descent(self.model, LEAD), starts)
        return replace(state, spread=as_tuples(candidates.angles), stage=APPROACH)

    def _approached(self, state: Planning, context: FrameContext) -> Candidates:
        return self._approach(context.descent(self.model, LEAD), np.array(state.spread))

    def _thinned(self, state: Planning, context: FrameContext, candidates: Candidates) -> Planning:
        """The best of `candidates`, at most one per branch, so that less has to be selected from."""
        order = np.argsort(candidates.merit + DISTANCE_COST * self._distances(candidates.angles, context), kind="stable")
        best = candidates.angles[order[:MOST_THINNED]]
        kept = distinct(self._pairwise_distances(best), list(range(len(best))), [], FROM_SPREAD + POOL)
        return replace(state, spread=as_tuples(best[kept]), stage=SELECT)

    def _approach(self, descent: Descent, starts: Angles) -> Candidates:
        """Candidates (m, n) after some steps toward the aim, whatever their shape."""
        candidates, free = descent.at(starts, None), np.zeros(len(starts))
        for _ in range(SPREAD_STEPS):
            step_goal = StepGoal(
                np.zeros_like(starts),
                free,
                free + 1.0,
                free + 1.0,
                np.maximum(self.model.lower, candidates.angles - BOLD.largest_step * self.model.scale),
                np.minimum(self.model.upper, candidates.angles + BOLD.largest_step * self.model.scale),
            )
            candidates = descent.at(descent.guided(candidates, step_goal), None)
        return candidates

    def _select(self, state: Planning, context: FrameContext, candidates: Candidates) -> Planning:
        """Starts a simulation of the branches in the pool and among `candidates` that are worth it."""
        descent = context.descent(self.model, LEAD)
        state = replace(state, spread=())
        known = descent.at(np.array(state.pool), None)
        nearly = max(AIM_TOLERANCE, float(min(known.aim_error.min(), candidates.aim_error.min())) + EXTRA_TOLERANCE)
        transitions = np.array([state.transition.branch] if state.transition is not None else []).reshape(-1, len(context.angles))
        everyone = np.concatenate([transitions, known.angles, candidates.angles])
        between, kept, first = self._pairwise_distances(everyone), list(range(len(transitions))), len(transitions)
        for found, most in ((known, FROM_POOL), (candidates, FROM_SPREAD)):
            far = self._distances(found.angles, context)
            worth = (found.aim_error < nearly) & (far > LEAST_TRANSITION)
            order = [first + row for row in np.argsort(found.merit + DISTANCE_COST * far, kind="stable").tolist() if worth[row]]
            kept = distinct(between, order, kept, len(kept) + most)
            first += len(far)
        branches = as_tuples(everyone[kept])
        if not branches:
            return replace(state, stage=self._next_stage(state, context))
        return replace(state, simulation=self.simulator.begin(branches, state.transition, context), stage=SIMULATE)

    def _distances(self, angles: Angles, context: FrameContext) -> Angles:
        """Distance (m,) [rad] of the farthest joint from the last frame's angles to candidates (m, n)."""
        away: Angles = (np.abs(angles - context.angles) / self.model.scale).max(1)
        return away

    def _pairwise_distances(self, angles: Angles) -> list[list[float]]:
        """Distances (m, m) [rad] of the farthest joint between candidates (m, n)."""
        far: list[list[float]] = (np.abs(angles[:, None] - angles) / self.model.scale).max(2).tolist()
        return far

    def _next_stage(self, state: Planning, context: FrameContext) -> int:
        return SEARCH_WIDE if state.since_search >= SEARCH_EVERY * context.slot.sharing else WAIT

    def _simulate(self, state: Planning, context: FrameContext) -> Planning:
        """Simulates for one frame; at the end chooses the transition."""
        assert state.simulation is not None
        simulation = self.simulator.advance(state.simulation, context)
        if not simulation.is_done:
            return replace(state, simulation=simulation)
        return replace(
            state, simulation=None, transition=simulation.cheapest(state.transition, context.lost), stage=self._next_stage(state, context)
        )


def distinct(far: list[list[float]], order: list[int], kept: list[int], most: int) -> list[int]:
    """`kept` plus candidates in `order` whose branch is not yet among them, until there are `most`."""
    kept = list(kept)
    for row in order:
        if len(kept) < most and all(far[row][other] > SAME_BRANCH for other in kept):
            kept.append(row)
    return kept


def _sides(candidates: Candidates) -> tuple[float, ...]:
    return () if candidates.sides is None else tuple(candidates.sides.tolist())
