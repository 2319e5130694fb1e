"""The expressive solver: exact aim, then least shape deviation, and continuity from frame to frame."""

import math
import time
from collections.abc import Sequence

import numpy as np

from ..diagnosis import Diagnosis
from ..gaze import FRAME, GazeSolution
from ..goals import GazeError, GazeGoal, check_goal
from ..kinematics.skeleton import Angles, Skeleton
from .correction import ExactCorrection, shape_costs
from .model import Model
from .options import ExpressiveOptions
from .search import Search
from .shape import Authored
from .tracking import Tracker


class Expressive:
    """Meets the aim exactly, minimises the shape deviation under that condition, and moves continuously from
    the last frame.

    Source: docs/expressive.md. The shape is that of `gaze.PostureShape`; its weight relative to the aim is
    specific to this solver.
    """

    def __init__(self, skeleton: Skeleton, options: ExpressiveOptions | None = None) -> None:
        self.skeleton = skeleton
        self.model = Model(skeleton, options)
        self.search = Search(self.model)
        self.tracker = Tracker(self.model, self.search)
        self.diagnosis = Diagnosis(skeleton)
        self.correction = ExactCorrection(skeleton, shape_costs(skeleton), self.model)
        self._middle = tuple((0.5 * (self.model.lower + self.model.upper)).tolist())
        self._kept: tuple[tuple[float, ...], float] | None = None
        self._checked: tuple[GazeGoal, ...] = ()

    def solve(
        self,
        goal: GazeGoal,
        start: Angles | None = None,
        memory: object = None,
        ahead: Sequence[GazeGoal] = (),
        dt: float = FRAME,
        mutual: bool = False,
    ) -> GazeSolution:
        """The solution from scratch or, with `start`, the next frame's: the local optimum, or a step of a
        transition to a better branch.

        With `start` no joint moves faster than `gaze.SPEED`; `converged` is False as long as the aim has an
        error.

        Args:
            goal: Goals of the ends, and the posture to keep.
            start: Angles (n,) [rad] of the last frame; None: search all branches.
            memory: `memory` of the last solution: the planner's state with the other branches found so far.
            ahead: Goals of the next frames if they are known; those within `prediction.WHOLE_TURN` are used,
                instead of extrapolation.
            dt: Duration [s] of the frame, above 0.
            mutual: Whether the target depends on this solution (two chains that look at each other): branches
                are then changed only for the aim, since changes for the shape would cause each other without
                end.

        Raises:
            GazeError: as `GazeSolver.solve`; for a goal of `ahead` the message says how many frames ahead it
                is.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, start=start, dt=dt)
        self._check_ahead(ahead)
        authored = self._authored(posture, goal.keep)
        if start is None:
            best = self.search.solve(goal, authored)
            return self.diagnosis.solution(
                goal, posture, best.angles, iterations=best.steps, began=began, measured=best.measured
            )
        angles, steps, memory_after, measured = self.tracker.follow(
            goal, authored, self.skeleton.clamp(start), memory, ahead, dt, mutual
        )
        # `last` is a squared difference of directions
        lowered = math.sqrt(max(0.0, memory_after.settling.last))
        return self.diagnosis.solution(
            goal,
            posture,
            angles,
            iterations=steps,
            began=began,
            memory=memory_after,
            measured=measured,
            lowered=lowered,
        )

    def nearest(self, goal: GazeGoal, start: Angles | None = None) -> GazeSolution:
        """The smallest change of the posture, within limits, that meets the aim, without a search of other
        branches, as in differential inverse kinematics. Joints that carry much of the skeleton change
        least (see `correction.shape_costs`). The shape is usually the best of the posture's own branch,
        not of all branches, and nothing limits the speed from one call to the next.

        Args:
            goal: Goals of the ends, and the posture to keep.
            start: Angles (n,) [rad] from which the smallest change is made if no change of the posture meets
                the aim; None: the middle of the joints' ranges.

        Raises:
            GazeError: as `GazeSolver.solve`.
        """
        began = time.perf_counter()
        authored = check_goal(self.skeleton, goal, start=start)
        nearest = self.correction.correct(goal, None, (authored, self._middle if start is None else start))
        seconds = time.perf_counter() - began
        return GazeSolution(
            nearest.angles, nearest.steps, seconds, self.diagnosis, goal, authored, nearest.measured
        )

    def _check_ahead(self, ahead: Sequence[GazeGoal]) -> None:
        """Checks the goals of the next frames as `check_goal` does, and raises its errors with the number of
        frames ahead. Goals that the last solve has checked are not checked again.
        """
        known = set(map(id, self._checked))
        for frames, goal in enumerate(ahead, 1):
            if id(goal) not in known:
                try:
                    check_goal(self.skeleton, goal)
                except GazeError as error:
                    raise type(error)(f"{frames} frames ahead {error}") from error
        self._checked = tuple(ahead)

    def _authored(self, posture: tuple[float, ...], keep: float) -> Authored:
        """The shape of the posture, moved within limits; cached since postures seldom change."""
        if (posture, keep) != self._kept:
            within_limits = np.array(self.skeleton.clamp(posture))
            self._shape, self._kept = Authored(self.model, within_limits, keep), (posture, keep)
        return self._shape
