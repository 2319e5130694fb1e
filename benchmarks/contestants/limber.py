"""Limber's own solvers, by the names of their table."""

import numpy as np
from limber.solvers.gaze import Solution
from limber.solvers.table import make_solver

from ..paper import BODIES, Body, skeleton_of
from . import DEFAULT, MAX_STEPS, TOLERANCE, WARM, Task


class Contestant:
    """From zero as the last frame's answer, frame after frame until the aim holds; or one call from scratch."""

    def __init__(self, name: str, body: Body) -> None:
        letter = next(letter for letter, other in BODIES.items() if other == body)
        self.warm = name == WARM
        self.solver = make_solver(DEFAULT if self.warm else name, skeleton_of(letter))
        self.zero = np.zeros(len(body.axes))
        self.task: Task | None = None
        self.found: Solution | None = None

    def prepare(self, task: Task) -> None:
        self.task = task

    def solve(self) -> int:
        goal = self.task.goal
        if not self.warm:
            self.found = self.solver.solve(goal)
            return self.found.iterations
        angles, memory = self.zero, None
        for step in range(MAX_STEPS):
            self.found = self.solver.solve(goal, angles, memory)
            angles, memory = self.found.angles, self.found.memory
            if self.found.aim_error <= TOLERANCE:
                return step + 1
        return MAX_STEPS

    def angles(self) -> np.ndarray:
        return self.found.angles
