"""Chunks of a sweep: some posture-target pairs of one skeleton of the ERIK paper, each solved from scratch by
one solver.
"""

import ast
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.erik.solver import Erik
from limber.solvers.gaze import GazeSolver
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.table import make_solver

from .jobs import TIMES, Answer
from .paper import Pairs, skeleton_of
from .two_priority import VARIANTS, TwoPriority

# prefix of the name of an ERIK with other settings: "erik loop='published' max_iterations=4"
ERIK_WITH = "erik "
PUBLISHED = f"{ERIK_WITH}as_published=True"


@dataclass(frozen=True)
class Chunk:
    """Some pairs of a grid, to be solved by one solver."""

    grid: Pairs
    solver: str  # name of a solver: of the table of solvers, of `two_priority`, or ERIK with other settings
    number: int  # number of the chunk among those of this grid and solver
    places: Sequence[int]  # indices of its pairs in the grid

    @property
    def file(self) -> str:
        return f"{self.grid.name}-{plain(self.solver)}-{self.number:07d}.npz"

    def solve(self) -> Answer:
        """Solves the pairs; returns angles (m, n) [rad] and errors, iterations and times (m,), by name."""
        solver = solver_of(self.solver, skeleton_of(self.grid.name))
        solutions, seconds = [], []
        for index in self.places:
            goal = self.grid.pair(index)
            began = time.process_time()
            solutions.append(solver.solve(goal))
            seconds.append(time.process_time() - began)
        return {
            "angles": np.array([solution.angles for solution in solutions]),
            "orientation": np.array([solution.orientation_error for solution in solutions]),
            "posture": np.array([solution.posture_error for solution in solutions]),
            "aim": np.array([solution.aim_error for solution in solutions]),  # [rad] aim errors
            "shape": np.array([solution.shape_deviation for solution in solutions]),  # [rad] shape deviations
            "iterations": np.array([solution.iterations for solution in solutions]),
            TIMES: np.array(seconds),
        }


def plain(solver: str) -> str:
    """A solver's name in a form that file names can contain."""
    return re.sub(r"[^\w.=-]", "_", solver)


def solver_of(name: str, skeleton: Skeleton) -> GazeSolver:
    """The solver with a name as in `Chunk.solver`: a variant of `two_priority`, ERIK with other settings,
    such as "erik max_iterations=4", or a solver of the table.
    """
    if name in VARIANTS:
        return TwoPriority(skeleton, *VARIANTS[name])
    if name.startswith(ERIK_WITH):
        changes = (change.partition("=") for change in name.removeprefix(ERIK_WITH).split())
        return Erik(
            skeleton,
            replace(Hyperparameters(), **{field: ast.literal_eval(value) for field, _, value in changes}),
        )
    return make_solver(name, skeleton)
