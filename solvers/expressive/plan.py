"""The planner: finds other branches of solutions, follows them, and chooses transitions.

It repeats a cycle of two jobs, each of which steps a batch of candidates. In the first job, known branches
follow the forecast goal, while new candidates around the posture and near the present pose approach it; the
best of all become the known branches. In the second, those of least estimated cost are simulated, and the
cheapest path becomes the transition. A frame's budget of work is counted in operations, not in time: equal
states and goals give equal plans, bit for bit.
"""

import math
from typing import NamedTuple

import numpy as np

from .descent import COARSE_PASSES, Candidates
from .model import Model, Rows
from .motion import Transition
from .prediction import HORIZON, FrameContext
from .search import Search
from .seeds import SAME_BRANCH, distinct
from .simulation import HYSTERESIS, LASTING_LOSS, Simulation, Simulator, estimated_cost, simulation_steps

# Work is counted in units of about 1/24 us: one step of m candidates of n joints takes CALLS + m n (n +
# JOINT) of them.
CALLS, JOINT = 6000, 4
CHOICE = 2.5  # work of choosing branches and beginning their simulation, in units of one step's CALLS
RATE = 1_500_000  # [work per second of motion] of planning
BATCH = (
    RATE / 60
    # [work] largest step, as much as one frame at 60 frames a second; each cycle takes only a part of more
    # candidates
)
# [s] ahead for which branches are found and followed: about when a transition that starts after planning
# arrives; then the next plan begins
LEAD = 1 / 3
DELAY = (
    1 / 15
)  # [s] longest simulation, times the number of solvers that share frames; branches beyond that are left out
BRANCH_STEPS = 3
POOL = 10  # branches in the pool
LEAST_BRANCHES = 4  # least number of branches that are simulated


class Branches(NamedTuple):
    """Candidates for branches. Those of the pool and around the posture approach shape and aim; those near
    the current pose approach only the aim.
    """

    candidates: Rows
    shape: Rows  # (m,) weight of the shape: 1 or 0
    sides: Rows  # (m,) of a symmetric end, as for `BatchedAim.evaluate`
    steps: int = 0


class Planning(NamedTuple):
    """State of the planner between frames."""

    job: Branches | Simulation | None = None  # current job; None: the planner rests
    pool: Rows | None = None
    credit: float = 0.0  # [work] budget left
    since_plan: float = LEAD  # [s] since the last cycle began
    cycles: int = 0  # number of cycles begun
    searches: int = 0  # number of searches from scratch since the aim was last met
    choices: int = 0  # number of transitions chosen for a goal that stands still
    transition: Transition | None = None


class Planner:
    """Finds transitions to better branches for one skeleton; the caller keeps the state."""

    def __init__(self, model: Model, search: Search) -> None:
        self.model, self.search, self.seeds, self.simulator = model, search, search.seeds, Simulator(model)
        n = len(model.lower)
        self.candidate_work = n * (n + JOINT)
        self.most = max(POOL, int((BATCH - CALLS) / self.candidate_work) - POOL)  # starts in a step
        # A simulation has a branch and two paths for each, and the path of staying.
        candidates = (RATE * DELAY / len(simulation_steps(DELAY, HORIZON)) - CALLS) / self.candidate_work
        self.most_branches = int(min(POOL, max(LEAST_BRANCHES, (candidates - 1) // 3)))
        self.largest_work = self._work(max(self.most + POOL, 3 * self.most_branches + 4))  # of a step

    def _work(self, count: int) -> float:
        """Work of one step of so many candidates."""
        return float(CALLS + count * self.candidate_work)

    def advance(self, state: Planning, context: FrameContext) -> Planning:
        """The state after this frame's share of planning; nothing is done in frames in which the solver may
        not plan.
        """
        dt, budget = context.dt, RATE * context.dt
        # However long a frame is, it has no more than the largest step and the choice of branches, which may
        # borrow from later ones.
        most = min(max(budget, self.largest_work), self.largest_work + CHOICE * CALLS)
        state = state._replace(
            job=(
                state.job._replace(age=state.job.age + dt) if isinstance(state.job, Simulation) else state.job
            ),
            credit=min(most, state.credit + budget / context.slot.sharing),
            since_plan=state.since_plan + dt,
        )
        if not context.slot.is_open:
            return state
        if (due := int(context.lost / LASTING_LOSS)) != state.searches:
            state = (self._searched(state, context) if due > state.searches else state)._replace(searches=due)
        if state.job is None and (context.lost or state.since_plan >= LEAD):
            state = self._begun(state, context)
        while state.job is not None and state.credit >= (work := self._work(len(state.job.candidates))):
            job = state.job
            state = state._replace(credit=state.credit - work)
            state = (
                self._simulated(state, job, context)
                if isinstance(job, Simulation)
                else self._followed(state, job, context)
            )
        return state

    def _searched(self, state: Planning, context: FrameContext) -> Planning:
        """The state with the solution from scratch as one more branch in the pool, in the first place."""
        found, _ = self.search.solve(context.forecast.goal, tuple(context.posture.tolist()), context.authored)
        branch = np.array([found.angles])
        return state._replace(
            pool=Rows(branch if state.pool is None else np.concatenate([branch, state.pool.array]))
        )

    def _begun(self, state: Planning, context: FrameContext) -> Planning:
        """The state at the start of a cycle, whose first job follows the known branches and a part of the new
        candidates.
        """
        around, near = self.seeds.around(context.posture), self.seeds.near(context.angles)
        starts, shape = np.concatenate([around, near]), np.repeat([1.0, 0.0], [len(around), len(near)])
        turns = -(-(len(starts) - 1) // (self.most - 1))
        taken = np.array(
            [0, *range(1 + state.cycles % turns, len(starts), turns)]
        )  # the posture itself has no turns
        # Of a symmetric end's two sides every other start of a cycle tries one, and at its next turn the
        # other.
        sides = shape[taken] * np.where((np.arange(len(taken)) + state.cycles // turns) % 2, -1.0, 1.0)
        known = starts[:0] if state.pool is None else state.pool.array
        job = Branches(
            Rows(np.concatenate([known, starts[taken]])),
            shape=Rows(np.concatenate([np.ones(len(known)), shape[taken]])),
            sides=Rows(np.concatenate([np.zeros(len(known)), sides])),
        )
        return state._replace(job=job, since_plan=0.0, cycles=state.cycles + 1)

    def _followed(self, state: Planning, job: Branches, context: FrameContext) -> Planning:
        """The state after one step of the job's branches; after the last step the best of them become the
        pool.
        """
        descent, angles = context.descent(self.model, LEAD), job.candidates.array
        sides = job.sides.array
        angles = descent.bold(descent.at(angles, sides), COARSE_PASSES, job.shape.array)
        if job.steps + 1 < BRANCH_STEPS:
            return state._replace(job=job._replace(candidates=Rows(angles), steps=job.steps + 1))
        candidates = descent.at(angles, sides)
        order = np.argsort(candidates.merit, kind="stable").tolist()
        pool = Rows(angles[distinct(self.model, angles, order, POOL)])
        return self._chosen(state._replace(pool=pool), context, candidates)

    def _chosen(self, state: Planning, context: FrameContext, candidates: Candidates) -> Planning:
        """The state with a new job: the simulation of transitions to the candidates whose estimated costs are
        least.
        """
        state = state._replace(credit=state.credit - CHOICE * CALLS)
        angles = candidates.angles
        far = (np.abs(angles - context.angles) / self.model.scale).max(1)
        costs = estimated_cost(
            self.model, candidates.cosine, candidates.aim_error, far, context.authored.keep
        )
        order = [row for row in np.argsort(costs, kind="stable").tolist() if far[row] > SAME_BRANCH]
        most = self.most_branches
        if state.transition is not None:
            angles, order, most = (
                np.concatenate([angles, [state.transition.branch]]),
                [len(angles), *order],
                most + 1,
            )
        kept = distinct(self.model, angles, order, most)
        if not kept:
            return state._replace(job=None)
        delay = context.dt * max(1, math.ceil(DELAY * context.slot.sharing / context.dt))
        return state._replace(job=self.simulator.begin(angles[kept], state.transition, context, delay))

    def _simulated(self, state: Planning, job: Simulation, context: FrameContext) -> Planning:
        """The state after one step of a simulation; at its end with the chosen transition."""
        simulation = self.simulator.advance(job, context)
        if not simulation.is_done:
            return state._replace(job=simulation)
        # For a goal that stands still each further choice must gain twice as much, so that choices end.
        chosen = simulation.cheapest(state.transition, context.lost, HYSTERESIS * 2**state.choices)
        is_new = chosen is not None and chosen is not state.transition
        return state._replace(job=None, transition=chosen, choices=state.choices + is_new)
