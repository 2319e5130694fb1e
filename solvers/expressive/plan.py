"""The planner: finds other branches of solutions, follows them, and chooses transitions.

A plan is completed within one frame. Known branches follow the forecast goal, while new starts around the
posture and near the current pose approach it; the best of all become the known branches of the next plan.
Those with the least estimated cost are simulated, and the cheapest path becomes the transition. Equal states
and goals give equal plans, bit for bit.
"""

from typing import NamedTuple

import numpy as np

from ..kernel.binding import POOL, CompiledModel
from ..kernel.inputs import PlannedPath
from ..kinematics.skeleton import Angles
from .aims import two_sided
from .descent import COARSE_PASSES, Candidates
from .model import Indices, Model, Rows
from .motion import STAY, ActiveTransition
from .prediction import LASTING_LOSS, FrameContext
from .search import Search
from .seeds import SAME_BRANCH, distinct
from .simulation import (
    HYSTERESIS,
    PATIENCE,
    PERIOD,
    Path,
    cheapest,
    estimated_cost,
    simulated,
    simulation_steps,
)

LEAD = 1 / 3  # [s] time ahead for which branches are found and followed: about when a transition arrives
BRANCH_STEPS = 3  # number of steps that starts take in a plan
# number of starts that take more than one step: this many of the best by merit, and as many of the best by
# estimated cost
KEPT = 30


class Starts(NamedTuple):
    """Starting configurations of branches. Those of the pool and around the posture approach both shape and
    aim; those near the current pose approach only the aim.
    """

    angles: Angles  # (m, n) [rad; prismatic joints m]
    shape: Angles  # (m,) weight of the shape: 1 or 0
    sides: Angles  # (m,) sides of a symmetric end, as for `BatchedAim.evaluate`


class Planning(NamedTuple):
    """State of the planner between frames."""

    pool: Rows | None = None  # (b, n) configurations of the known branches [rad; prismatic joints m]
    since_plan: float = PERIOD  # [s] time since the last plan
    searches: int = 0  # number of searches from scratch since the aim was last met
    choices: int = 0  # number of transitions chosen for a goal that stands still
    transition: ActiveTransition | None = None


class Planner:
    """Planner for one skeleton: finds transitions to better branches. The caller stores its state."""

    def __init__(self, model: Model, search: Search) -> None:
        self.model, self.search, self.seeds = model, search, search.seeds

    def advance(self, state: Planning, context: FrameContext) -> Planning:
        """The state after this frame: with a new plan after each `PERIOD`. While the aim is lost there is a
        plan in every frame, and a search from scratch after each `LASTING_LOSS`.
        """
        pool, since_plan, searches, choices, transition = state
        state = Planning(pool, since_plan + context.dt, searches, choices, transition)
        if (due := int(context.lost / LASTING_LOSS)) != state.searches:
            state = (self._searched(state, context) if due > state.searches else state)._replace(searches=due)
        return self._planned(state, context) if context.lost or state.since_plan >= PERIOD else state

    def _searched(self, state: Planning, context: FrameContext) -> Planning:
        """The state with the solution from scratch as an additional branch at the start of the pool."""
        from_scratch = self.search.solve(context.goal, context.authored)
        branch = from_scratch.angles[None]
        return state._replace(
            pool=Rows(branch if state.pool is None else np.concatenate([branch, state.pool.array]))
        )

    def _planned(self, state: Planning, context: FrameContext) -> Planning:
        """The state after a new plan."""
        # For a goal that stands still, each further choice must gain twice as much, so that changes come to
        # an end.
        hysteresis = HYSTERESIS * 2**state.choices
        compiled = self.model.compiled_for(context.goal)
        if compiled is None:
            pool, chosen = self._chosen(state, context, self._starts(state, context), hysteresis)
        else:
            pool, chosen = self._compiled_choice(compiled, state, context, hysteresis)
        return Planning(
            pool=Rows(pool),
            since_plan=0.0,
            searches=state.searches,
            choices=state.choices + (chosen is not None and chosen is not state.transition),
            transition=chosen,
        )

    def _starts(self, state: Planning, context: FrameContext) -> Starts:
        """The known branches together with new starts."""
        around, near = (
            self.seeds.around(np.array(context.authored.posture)),
            self.seeds.near(np.array(context.angles)),
        )
        known = around[:0] if state.pool is None else state.pool.array
        sides = (1.0, -1.0) if two_sided(context.goal) else (0.0,)
        angles = np.concatenate([known, *[around] * len(sides), near])
        count = len(around) * len(sides)
        return Starts(
            angles,
            np.repeat([1.0, 0.0], [len(known) + count, len(near)]),
            np.concatenate([np.zeros(len(known)), np.repeat(sides, len(around)), np.zeros(len(near))]),
        )

    def _chosen(
        self, state: Planning, context: FrameContext, starts: Starts, hysteresis: float
    ) -> tuple[Angles, ActiveTransition | None]:
        """The best starts (b, n) [rad or m] on different branches after their steps, and the transition of
        the cheapest path; None: to stay is cheapest.
        """
        descent, candidates = context.descent(self.model, LEAD), None
        angles, shape, sides = starts
        for step in range(BRANCH_STEPS):
            angles = descent.bold(candidates or descent.at(angles, sides), COARSE_PASSES, shape)
            candidates = descent.at(angles, sides)
            if step == 0:
                rows = self._best(candidates, context)
                angles, shape, sides = angles[rows], shape[rows], sides[rows]
                candidates = candidates.pick(rows)
        assert candidates is not None
        order = np.argsort(candidates.merit, kind="stable").tolist()
        pool = angles[distinct(self.model, angles, order, POOL)]
        far, costs = self._distances_and_costs(candidates, context)
        order = [row for row in np.argsort(costs, kind="stable").tolist() if far[row] > SAME_BRANCH]
        most = POOL
        if state.transition is not None:
            angles = np.concatenate([angles, [state.transition.branch]])
            order, most = [len(angles) - 1, *order], most + 1
        chosen = distinct(self.model, angles, order, most)
        if not chosen:
            return pool, None
        path = Path(np.array(context.angles), context.speed, state.transition)
        steps = simulation_steps(context.forecast.horizon)
        costs = simulated(self.model, angles[chosen], path, context, steps)
        return pool, cheapest(costs, angles[chosen], state.transition, context.lost, hysteresis)

    def _distances_and_costs(self, candidates: Candidates, context: FrameContext) -> tuple[Angles, Angles]:
        """Distances (m,) [rad] from the current angles, and estimated costs (m,) of straight transitions."""
        far = (np.abs(candidates.angles - context.angles) / self.model.scale).max(1)
        return far, estimated_cost(
            self.model, candidates.cosine, candidates.aim_error, far, context.authored.keep
        )

    def _best(self, candidates: Candidates, context: FrameContext) -> Indices:
        """Indices of the candidates that are among the best by merit or by estimated cost, in order."""
        _, costs = self._distances_and_costs(candidates, context)
        ranks = [np.argsort(values, kind="stable")[:KEPT] for values in (candidates.merit, costs)]
        best: Indices = np.unique(np.concatenate(ranks))
        return best

    def _compiled_choice(
        self,
        compiled: CompiledModel,
        state: Planning,
        context: FrameContext,
        hysteresis: float,
    ) -> tuple[Angles, ActiveTransition | None]:
        """Same as `_chosen`, computed by the compiled kernel."""
        forecast, transition = context.forecast, state.transition
        steps = simulation_steps(forecast.horizon)
        path = PlannedPath(
            None if state.pool is None else state.pool.array,
            context.angles,
            context.dt,
            context.speed,
            STAY if transition is None else transition.kind,
            () if transition is None else transition.branch,
            hysteresis,
            context.lost >= LASTING_LOSS,
            context.lost > PATIENCE,
        )
        pool, kind, branch = compiled.plan(
            (forecast.goal, context.authored.posture, context.authored.keep),
            forecast,
            LEAD,
            steps,
            self.seeds,
            path,
        )
        if kind is None:
            return pool, transition
        return pool, None if kind == STAY else ActiveTransition(kind, branch)
