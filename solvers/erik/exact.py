"""ERIK followed by an exact correction of the aim."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..aims.blocks import PoseErrors
from ..crossing import CROSSING_SPEED
from ..expressive.correction import ExactCorrection, shape_costs
from ..gaze import FASTEST_TARGET, FRAME, SEARCH_PAUSE, GazeSolution
from ..goals import GazeGoal, check_goal, looks
from ..kinematics.skeleton import Angles, Skeleton
from ..spread import spread
from ..tolerances import MET, SEEN
from .parameters import Hyperparameters
from .solver import Erik

# largest ratio of the errors of two solutions that count as equally good, if neither meets the aim
ABOUT_AS_WELL = 1.1
# number of ERIK's solves for a point; after two the correction accounts for the parallax
VIEWS = 2


@dataclass(frozen=True)
class ErikMemory:
    """State of the solver, passed on from frame to frame."""

    pause: float = 0.0  # [s] time until the next search among the seeds
    aim_error: float = 0.0  # [rad] aim error of the last frame
    posture: tuple[float, ...] = ()  # (n,) [rad; prismatic joints m] posture of the last frame


class Candidate(NamedTuple):
    """Candidate solution: angles with a corrected aim, and their errors."""

    angles: tuple[float, ...]  # (n,) [rad; prismatic joints m] joint values, within limits
    aim_error: float  # [rad] aim error after the correction, roll included
    steps: int  # number of Newton steps of the correction
    view_error: float  # [rad] error of the view, without roll; at least `MET`
    deviation: float  # [rad] deviation of the shape from the posture's shape
    measured: PoseErrors

    @property
    def error(self) -> float:
        """Error [rad] of the whole goal, roll included; at least `MET`."""
        return max(MET, self.aim_error)

    @property
    def met(self) -> bool:
        """Whether the view of the candidate meets the goal."""
        return self.view_error <= MET


class ErikExact:
    """ERIK followed by the smallest change of angles that makes the aim exact. The posture, corrected in the
    same way, is another candidate.

    The solution is the candidate that meets the aim with the least shape deviation. If none does, starts
    spread over the joints' ranges are tried, at most once in `SEARCH_PAUSE`, and the least error decides. If
    a chain cannot be upright as well, the view is exact and the roll as near as possible.
    """

    def __init__(self, skeleton: Skeleton, hyper: Hyperparameters | None = None) -> None:
        self.skeleton = skeleton
        self.erik = Erik(skeleton, hyper, max_views=VIEWS)
        self.correction = ExactCorrection(skeleton, shape_costs(skeleton))
        self.units: list[float] = skeleton.units.tolist()
        self.seeds = [tuple(row) for row in spread(skeleton).tolist()]

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, dt: float = FRAME
    ) -> GazeSolution:
        """Solution of a goal; arguments as for `GazeSolver.solve`. Its `converged` says whether the whole
        goal is met; its `iterations` counts the steps of ERIK and of the correction.

        With `start`, the solution moves to the best candidate in small steps that keep the aim, and jumps
        only if no such step keeps it. After a jump of the target, the goal is solved from scratch.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, looks, start, dt)
        last = memory if isinstance(memory, ErikMemory) else ErikMemory()
        initial = None if start is None else self.skeleton.clamp(start)
        expected = last.aim_error + max(SEEN, FASTEST_TARGET * dt)
        if initial is not None:
            evaluated = self.correction.correct(goal, posture, (initial,), steps=0)
            if evaluated.aim_error > expected:
                initial, last = None, ErikMemory()
        if initial is not None and len(last.posture) == len(initial):
            # The animation's own movement is applied at once: only changes to another branch of solutions are
            # slowed down.
            initial = self.skeleton.clamp(
                [a + desired - then for a, desired, then in zip(initial, posture, last.posture, strict=True)]
            )
        pause = 0.0 if initial is None else max(0.0, last.pause - dt)
        previous = initial if self.erik.hyper.use_previous_solution else None
        best, iterations = self._best(goal, posture, previous, searches=not pause)
        if not pause and not best.met:
            pause = SEARCH_PAUSE
        if initial is not None:
            best = self._step_toward(goal, posture, best, initial, CROSSING_SPEED * dt)
        return self.erik.diagnosis.solution(
            goal,
            posture,
            best.angles,
            iterations=iterations + best.steps,
            began=began,
            memory=ErikMemory(pause, best.aim_error, posture),
            measured=best.measured,
        )

    def _corrected(
        self, goal: GazeGoal, posture: tuple[float, ...], starts: Sequence[Sequence[float] | Angles]
    ) -> list[Candidate]:
        """Candidates from several starts (n,) [rad or m], each corrected to an exact aim."""
        return [
            Candidate(
                tuple(each.angles.tolist()),
                each.aim_error,
                each.steps,
                max(MET, each.measured.angle),
                math.acos(min(1.0, max(-1.0, each.cosine))),
                each.measured,
            )
            for each in (self.correction.correct(goal, posture, (start,)) for start in starts)
        ]

    def _best(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...],
        previous: tuple[float, ...] | None,
        searches: bool,
    ) -> tuple[Candidate, int]:
        """The best of the candidates from ERIK's solution and, unless that is the previous solution, from the
        posture; and ERIK's iterations. With `searches`, if no candidate meets the aim, starts spread over the
        joints' ranges are tried too.
        """
        best = self.erik.look(goal, posture, previous)
        candidates = self._corrected(
            goal, posture, (best.angles, posture) if best.iterations else (best.angles,)
        )
        if searches and not any(candidate.met for candidate in candidates):
            candidates += self._corrected(goal, posture, self.seeds)

        def cost(candidate: Candidate) -> tuple[float, ...]:
            # Candidates whose shapes are equal, since a twist of the end changes none, are compared by the
            # distance of their angles from the posture's.
            moves = zip(candidate.angles, posture, self.units, strict=True)
            change = sum(abs(a - b) / unit for a, b, unit in moves)
            return candidate.view_error, candidate.error, round(candidate.deviation / MET), change

        return min(candidates, key=cost), best.iterations

    def _step_toward(
        self,
        goal: GazeGoal,
        posture: tuple[float, ...],
        best: Candidate,
        start: tuple[float, ...],
        most: float,
    ) -> Candidate:
        """`best` if no joint moves by more than `most` [rad; prismatic joints: fraction of the reach],
        otherwise a step toward it with a corrected aim; `best` also if that step loses the aim.
        """
        moves = [(a, b - a, most * unit) for a, b, unit in zip(start, best.angles, self.units, strict=True)]
        if all(abs(move) <= room for _, move, room in moves):
            return best
        start = tuple(a + min(max(move, -room), room) for a, move, room in moves)
        (step,) = self._corrected(goal, posture, (start,))
        aims = step.view_error <= ABOUT_AS_WELL * best.view_error and step.error <= ABOUT_AS_WELL * best.error
        return step if aims else best


def erik(skeleton: Skeleton, hyper: Hyperparameters | None = None) -> Erik | ErikExact:
    """The solver ERIK, with the exact correction if the hyperparameters ask for it."""
    return ErikExact(skeleton, hyper) if hyper is not None and hyper.exact_aim else Erik(skeleton, hyper)
