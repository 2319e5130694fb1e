"""Search from scratch: many starting configurations, the best of which take further steps."""

import math
from typing import NamedTuple

import numpy as np

from ..diagnosis import measure
from ..exact_aim import Corrected, correct_or_look
from ..gaze import aim_error
from ..goals import GazeGoal
from ..kernel.structures import Searched
from ..kinematics.skeleton import Angles
from ..tolerances import MET
from .aims import BatchedAim, two_sided
from .descent import COARSE_PASSES, PASSES, Candidates, ShapeDescent
from .model import Model
from .seeds import Seeds, distinct
from .shape import Authored


class Round(NamedTuple):
    """Round of a search: the largest number of steps for each candidate, and the number of candidates kept
    afterwards, best first.
    """

    steps: int
    passes: int  # number of passes of the active-set method
    kept: int


# Many candidates at first, since only about a third of all starts reach the optimum.
ROUNDS = (Round(1, COARSE_PASSES, 20), Round(4, COARSE_PASSES, 8), Round(8, PASSES, 8))
CONVERGED = math.radians(0.5)  # [rad] movement of all joints in a step below which a round ends
POLISHING_STEPS = 2  # number of corrections of the aim; each squares its error
NEARLY_MET = 1e-3  # [rad] aim error that the exact correction removes without a visible change of shape
# If no candidate of the last round meets the aim, those kept by the first round take this many more steps,
# and the best few are corrected.
RESCUE_STEPS, RESCUES = 10, 8
SHAPE_DIGITS = 9  # number of decimals of a mean cosine that are compared; further ones are rounding errors


class Searching(NamedTuple):
    """State of a search from scratch between two steps."""

    candidates: Candidates
    round: int = 0
    steps: int = 0  # steps taken in this round of the search

    @property
    def is_done(self) -> bool:
        return self.round == len(ROUNDS)


class Search:
    """Search from scratch on one skeleton."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.seeds = Seeds(model)

    def begun(self, posture: Angles, descent: ShapeDescent) -> Searching:
        """State of a new search for the shape of `posture` (n,) [rad or m], which is within limits; both
        solutions of a symmetric end are searched for.
        """
        return Searching(descent.at(*self._starts(posture, two_sided(descent.aim.goal))))

    def _starts(self, posture: Angles, with_half_rolls: bool) -> tuple[Angles, Angles]:
        """Starting configurations (m, n) [rad or m] and their sides (m,); `with_half_rolls`: each on both
        sides.
        """
        starts = self.seeds.around(posture)
        if with_half_rolls:
            return np.concatenate([starts, starts]), np.repeat([1.0, -1.0], len(starts))
        return starts, np.zeros(len(starts))

    def advanced(self, descent: ShapeDescent, searching: Searching) -> Searching:
        """State of the search after one more step."""
        before, number, steps = searching
        settings = ROUNDS[number]
        candidates = descent.at(descent.bold(before, settings.passes), before.sides)
        if steps + 1 < settings.steps and np.abs(candidates.angles - before.angles).max() >= CONVERGED:
            return Searching(candidates, number, steps + 1)
        # in the first round candidates are still far from their optima, so their bounds need not be exact
        if number == 0:
            return Searching(best_of(candidates, settings.kept), 1)
        rows = distinct(
            self.model, candidates.angles, np.argsort(candidates.merit, kind="stable").tolist(), settings.kept
        )
        return Searching(candidates.pick(np.array(rows)), number + 1)

    def solve(self, goal: GazeGoal, authored: Authored) -> Searched:
        """The best solution from scratch for a goal; the posture of `authored` must be within limits."""
        posture, compiled = authored.posture, self.model.compiled_for(goal)
        if compiled is not None:
            return compiled.search(goal, posture, authored.keep, self.seeds)
        descent = ShapeDescent(self.model, authored, BatchedAim(self.model.skeleton, goal))
        searching, steps, spare = self.begun(np.array(posture), descent), 0, None
        while not searching.is_done:
            searching = self.advanced(descent, searching)
            steps, spare = steps + 1, spare or searching.candidates
        assert spare is not None
        candidates = searching.candidates
        for _ in range(POLISHING_STEPS):
            candidates = descent.toward_aim(candidates)
        best = self._finished(descent, candidates, posture, 1)
        if best.aim_error > MET:
            for _ in range(RESCUE_STEPS):
                spare = descent.toward_aim(spare)
            all_angles = np.concatenate([candidates.angles, spare.angles, [posture]])
            best = self._finished(descent, descent.at(all_angles, None), posture, RESCUES)
        measured = measure(self.model.skeleton, goal, best.pose)
        return Searched(np.array(best.angles), best.aim_error, steps + POLISHING_STEPS + best.steps, measured)

    def _finished(
        self, descent: ShapeDescent, candidates: Candidates, posture: tuple[float, ...], count: int
    ) -> Corrected:
        """The best of the `count` best candidates, after an exact correction; if a chain cannot be upright as
        well, of its view alone. Candidates are compared by the errors of the view and of the whole goal,
        then by shape, then by the distance to the posture.
        """
        goal, costs = descent.aim.goal, [1.0] * len(posture)
        order = np.lexsort((-candidates.cosine, np.maximum(NEARLY_MET, candidates.aim_error)))[:count]
        finished = [
            correct_or_look(self.model.skeleton, goal, candidates.angles[k].tolist(), costs) for k in order
        ]
        if count == 1:
            return finished[0]
        cosines = np.round(
            descent.at(np.array([each.angles for each in finished]), None).cosine, SHAPE_DIGITS
        )
        change = [math.dist(each.angles, posture) for each in finished]
        errors = [(max(MET, aim_error(goal, each.pose)), max(MET, each.aim_error)) for each in finished]
        return finished[min(range(len(finished)), key=lambda k: (*errors[k], -cosines[k], change[k]))]


def best_of(candidates: Candidates, count: int) -> Candidates:
    """The `count` candidates with the least cost, best first."""
    return candidates.pick(np.argsort(candidates.merit, kind="stable")[:count])
