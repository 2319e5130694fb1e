"""Limber's own solvers by their names; the default solver in each of its modes."""

import numpy as np
from limber.solvers.gaze import GazeSolution
from limber.solvers.table import make_solver

from ..paper import BODIES, Body, skeleton_of
from . import DEFAULT, MAX_STEPS, NEAR, TOLERANCE, WARM, Task


class Contestant:
    """One of Limber's solvers, from scratch; or the default solver: under the name `NEAR` the smallest
    change of the posture (`Expressive.nearest`), under `WARM` frame after frame from zero angles until the
    aim is met, at most `MAX_STEPS`.
    """

    def __init__(self, name: str, body: Body) -> None:
        letter = next(letter for letter, other in BODIES.items() if other == body)
        self.name, self.zero = name, np.zeros(len(body.axes))
        self.solver = make_solver(DEFAULT if name in (NEAR, WARM) else name, skeleton_of(letter))
        self.task: Task | None = None
        self.found: GazeSolution | None = None

    def prepare(self, task: Task) -> None:
        self.task = task

    def solve(self) -> int:
        goal = self.task.goal
        if self.name == WARM:
            return self._frame_by_frame()
        self.found = self.solver.nearest(goal, self.zero) if self.name == NEAR else self.solver.solve(goal)
        return self.found.iterations

    def _frame_by_frame(self) -> int:
        angles, memory = self.zero, None
        for step in range(MAX_STEPS):
            self.found = self.solver.solve(self.task.goal, angles, memory)
            angles, memory = self.found.angles, self.found.memory
            if self.found.aim_error <= TOLERANCE:
                return step + 1
        return MAX_STEPS

    def angles(self) -> np.ndarray:
        return self.found.angles
