"""The planner: finds other branches of solutions, follows them, and chooses transitions. Knows no Blender.

It goes round in a cycle of jobs, each a batch of candidates that take steps: the pool of known branches follows the forecast goal; starts
around the present pose approach it; the promising ones are simulated, and the cheapest path becomes the transition; now and then a search
from scratch adds branches to the pool. A frame takes steps until its budget of work is spent, counted in operations, not in time: equal
states and goals give equal plans, bit for bit.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .descent import Candidates, Descent, StepSettings
from .model import Model, Rows
from .prediction import FrameContext
from .search import BOLD, Search, Searching, distinct, thinned
from .simulation import Simulation, Simulator, estimated_cost, simulation_steps
from .transition import Transition

# Work is counted in units of about 1/19 us: one step of m candidates of n joints takes CALLS + m n (n + JOINT) of them.
CALLS, JOINT = 6000, 4
CHOICE = 2.5  # steps' worth of calls that the choice of branches takes, with the start of their simulation
RATE = 2_200_000  # [work per second of motion] of planning: at most 1.9 ms in a frame at 60 frames a second, in about half of them
BATCH = 28_500  # [work] of the largest step: larger batches are thinned
CYCLE = 0.25  # [s] from plan to plan: most frames are free of it
SEARCH_EVERY = 0.45  # [s] between searches for new branches, times the solvers that share frames
LEAD = 1 / 3  # [s] ahead for which branches are found and followed: about when a transition that starts after planning arrives
DELAY = 1 / 15  # [s] that a simulation may take, times the solvers that share frames: more branches than that allows are left out
FOLLOWING = StepSettings(proximal=0.03, largest_step=0.5)
FOLLOWING_STEPS = 2
APPROACH_STEPS = 4
POOL = 10  # branches in the pool
LEAST_BRANCHES, MOST_BRANCHES = 4, 12  # simulated
LEAST_TRANSITION = 0.3  # [rad] of the farthest joint: nearer branches are reached by local steps


@dataclass(frozen=True)
class Refinement:
    """Candidates that take steps: a search from scratch, the pool that follows the goal, or starts that approach it."""

    purpose: Literal["search", "follow", "approach"]
    candidates: Rows
    sides: tuple[float, ...] = ()  # of a symmetric end
    round: int = 0  # of a search
    steps: int = 0  # of the round


@dataclass(frozen=True)
class Planning:
    """State of the planner."""

    job: Refinement | Simulation | None = None  # in hand; None: it rests
    pool: Rows | None = None
    credit: float = 0.0  # [work] that may be done
    since_plan: float = CYCLE  # [s] since the last cycle began
    since_search: float = SEARCH_EVERY  # [s] since the last search began
    transition: Transition | None = None


class Planner:
    """Finds transitions to better branches for one skeleton; the caller keeps the state."""

    def __init__(self, model: Model, search: Search) -> None:
        self.model, self.search, self.simulator = model, search, Simulator(model)
        n = len(model.lower)
        self.candidate_work = n * (n + JOINT)
        self.most = max(POOL, (BATCH - CALLS) // self.candidate_work)  # candidates in a step
        # A simulation has a branch and two paths for each, and the path of staying.
        candidates = (RATE * DELAY / simulation_steps(DELAY) - CALLS) / self.candidate_work
        self.most_branches = int(min(MOST_BRANCHES, max(LEAST_BRANCHES, (candidates - 1) // 3)))

    def _work(self, count: int) -> float:
        """Work of one step of so many candidates."""
        return float(CALLS + count * self.candidate_work)

    def advance(self, state: Planning, context: FrameContext) -> Planning:
        """The state after this frame's share of planning; nothing is done in frames in which the solver may not plan."""
        dt, budget = context.dt, RATE * context.dt
        state = replace(
            state,
            job=replace(state.job, age=state.job.age + dt) if isinstance(state.job, Simulation) else state.job,
            credit=min(max(budget, BATCH), state.credit + budget / context.slot.sharing),
            since_plan=state.since_plan + dt,
            since_search=state.since_search + dt,
        )
        if not context.slot.is_open:
            return state
        if state.job is None and (context.lost or state.since_plan >= CYCLE):
            state = self._begun(replace(state, since_plan=0.0), context)
        while state.job is not None and state.credit >= (work := self._work(len(state.job.candidates))):
            job = state.job
            state = replace(state, credit=state.credit - work)
            state = self._simulated(state, job, context) if isinstance(job, Simulation) else self._refined(state, job, context)
        return state

    def _begun(self, state: Planning, context: FrameContext) -> Planning:
        """The state with the first job of a cycle: where no branch is known, a search."""
        return self._search(state, context) if state.pool is None else replace(state, job=Refinement("follow", state.pool))

    def _search(self, state: Planning, context: FrameContext) -> Planning:
        """The state with a search from scratch as its job."""
        searching = self.search.begun(context.posture, context.descent(self.model, LEAD), self.most)
        return replace(state, job=_refinement("search", searching), since_search=0.0)

    def _rested(self, state: Planning, context: FrameContext) -> Planning:
        """The state at the end of a cycle: with a search as its job, if one is due."""
        due = state.since_search >= SEARCH_EVERY * context.slot.sharing
        return self._search(state, context) if due else replace(state, job=None)

    def _refined(self, state: Planning, job: Refinement, context: FrameContext) -> Planning:
        """The state after one step of the candidates in hand."""
        descent = context.descent(self.model, LEAD)
        candidates = descent.at(job.candidates.array, np.array(job.sides) if job.sides else None)
        if job.purpose == "search":
            searching = self.search.advanced(descent, Searching(candidates, job.round, job.steps))
            if not searching.is_done:
                return replace(state, job=_refinement("search", searching))
            # Found branches come last: those already in the pool are known.
            known = [] if state.pool is None else [state.pool.array]
            return replace(state, job=None, pool=Rows(np.concatenate([*known, searching.candidates.angles])))
        if job.purpose == "follow":
            candidates = descent.step(candidates, FOLLOWING)
            if job.steps + 1 < FOLLOWING_STEPS:
                return replace(state, job=_refinement("follow", Searching(candidates, 0, job.steps + 1)))
            order = np.argsort(candidates.merit, kind="stable").tolist()
            pool = candidates.angles[distinct(self.model, candidates.angles, order, POOL)]
            starts = np.concatenate([self.search.seeds.near(context.angles), self.search.seeds.spread])
            return replace(state, pool=Rows(pool), job=Refinement("approach", Rows(starts[thinned(len(starts), self.most)])))
        candidates = descent.toward_aim(candidates, 1.0, BOLD.largest_step)
        if job.steps + 1 < APPROACH_STEPS:
            return replace(state, job=_refinement("approach", Searching(candidates, 0, job.steps + 1)))
        return self._chosen(state, context, descent, candidates)

    def _chosen(self, state: Planning, context: FrameContext, descent: Descent, approached: Candidates) -> Planning:
        """The state with a simulation as its job: of the branches, in the pool and approached, whose estimated costs are least."""
        assert state.pool is not None
        known = descent.at(state.pool.array, None)
        state = replace(state, credit=state.credit - CHOICE * CALLS)
        angles = np.concatenate([known.angles, approached.angles])
        cosine, aim_error = np.append(known.cosine, approached.cosine), np.append(known.aim_error, approached.aim_error)
        far = (np.abs(angles - context.angles) / self.model.scale).max(1)
        costs = estimated_cost(self.model, cosine, aim_error, far, context.authored.keep)
        order = [row for row in np.argsort(costs, kind="stable").tolist() if far[row] > LEAST_TRANSITION]
        most = self.most_branches
        if state.transition is not None:
            angles, order, most = np.concatenate([angles, [state.transition.branch]]), [len(angles), *order], most + 1
        kept = distinct(self.model, angles, order, most)
        if not kept:
            return self._rested(state, context)
        delay = context.dt * max(1, math.ceil(DELAY * context.slot.sharing / context.dt))
        return replace(state, job=self.simulator.begin(angles[kept], state.transition, context, delay))

    def _simulated(self, state: Planning, job: Simulation, context: FrameContext) -> Planning:
        """The state after one step of a simulation; at its end with the chosen transition."""
        simulation = self.simulator.advance(job, context)
        if not simulation.is_done:
            return replace(state, job=simulation)
        return self._rested(replace(state, transition=simulation.cheapest(state.transition, context.lost)), context)


def _refinement(purpose: Literal["search", "follow", "approach"], searching: Searching) -> Refinement:
    candidates, number, steps = searching
    sides = () if candidates.sides is None else tuple(candidates.sides.tolist())
    return Refinement(purpose, Rows(candidates.angles), sides, number, steps)
