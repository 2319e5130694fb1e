"""The ERIK solver: from goals on a skeleton to the virtual chain and back."""

import math
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..aims.nearest import nearest_orientation
from ..diagnosis import Diagnosis
from ..exact_aim import correct
from ..gaze import FRAME, Solution, end_errors, papers_error
from ..goals import GazeGoal, Point, check_goal, looks, upright
from ..kinematics.rotations import (
    Quaternion,
    Vector,
    Y,
    add,
    length,
    normalized,
    rotate,
    scale,
    subtract,
    unit,
    vector_angle,
)
from ..kinematics.skeleton import Angles, Skeleton
from ..spread import spread
from ..tolerances import MET, NO_DIRECTION
from .algorithm import Answer, calculate_erik
from .chain import VirtualChain
from .parameters import Hyperparameters

SEEDS = 8  # starts for prismatic joints, tried while no nearer one meets the goal
MAX_VIEWS = 8  # solves for one point at most, each seen from where the last one left the end


class _Look(NamedTuple):
    """Angles (n,) [rad] that look at a point, ERIK's result on the virtual chain, and the error of the view
    [rad].
    """

    angles: tuple[float, ...]
    answer: Answer
    error: float


class Erik:
    """ERIK for any chain. Each frame is solved independently of the last, unless `use_previous_solution` is
    set.

    By default an iteration starts from the warped posture, the end's basis is the target's, edges are avoided
    from the second iteration on, and BWCD is exact, which errs less; `Hyperparameters(as_published=True)` is
    the paper's ERIK. Misprints are corrected in both.
    """

    def __init__(
        self, skeleton: Skeleton, hyper: Hyperparameters | None = None, max_views: int = MAX_VIEWS
    ) -> None:
        self.skeleton = skeleton
        self.max_views = max_views
        self.hyper = (hyper or Hyperparameters()).in_force
        self.chain = VirtualChain(skeleton)
        self.sliding = frozenset(range(len(skeleton))) - set(self.chain.turning)  # the prismatic joints
        self.diagnosis = Diagnosis(skeleton, self.hyper)

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, dt: float = FRAME
    ) -> Solution:
        """Solution of a goal; arguments as for `GazeSolver.solve`. `converged`: the weighted error is within
        the threshold.

        `memory` and `dt` change nothing, and `start` only where the hyperparameters say that the previous
        solution is used.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, looks, start, dt)
        uses = start is not None and self.hyper.use_previous_solution
        angles, answer = self.angles(
            goal, posture, self.skeleton.clamp(start) if uses and start is not None else None
        )
        pose = self.skeleton.forward(angles)
        error = (
            max(papers_error(error.whole) for error in end_errors(self.skeleton, goal, pose))
            + answer.posture_error
        )
        return self.diagnosis.solution(
            goal,
            posture,
            angles,
            iterations=answer.iterations,
            began=began,
            converged=error <= self.hyper.threshold,
            pose=pose,
            unfinished=(
                f"the weighted error of aim and posture is {error:.2g}, above the threshold of"
                f" {self.hyper.threshold:.2g}: choose ERIK (exact aim) or Expressive"
            ),
        )

    def angles(
        self, goal: GazeGoal, posture: tuple[float, ...], previous: tuple[float, ...] | None = None
    ) -> tuple[tuple[float, ...], Answer]:
        """ERIK's angles (n,) [rad] on the skeleton and its result on the virtual chain; `previous` (n,) is
        the last frame's solution, if used.
        """
        hyper = self.hyper if goal.symmetric else replace(self.hyper, symmetric_endpoint=False)
        aim, pose = goal.aim, self.skeleton.forward(self.skeleton.clamp(posture))
        if isinstance(aim, Point):
            return self._at(aim, posture, hyper, previous)
        view = aim.gaze(pose.tool_position)
        if view is not None:
            return self._along(view, aim.up, posture, hyper, previous)
        target = aim.desired_orientation or nearest_orientation(goal.ends[0], pose, self.skeleton.reach)
        return self._towards(normalized(target), None, posture, hyper, previous)

    def _at(
        self,
        point: Point,
        posture: tuple[float, ...],
        hyper: Hyperparameters,
        previous: tuple[float, ...] | None,
    ) -> tuple[tuple[float, ...], Answer]:
        """Looks at a point. The paper has no prismatic joints: they stay as in the posture, and where the
        revolute ones miss it, they move by the least change of all joints that meets the point, and ERIK
        solves again from there.
        """
        best = self._seen(point, posture, hyper, previous)
        if not self.sliding or best.error <= hyper.ccd_error:
            return best.angles, best.answer
        slid = self._met(GazeGoal(replace(point, up=None), np.array(posture)), best.angles)
        moved = self._seen(
            point,
            tuple(slid[k] if k in self.sliding else angle for k, angle in enumerate(posture)),
            hyper,
            slid,
        )
        iterations = best.answer.iterations + moved.answer.iterations
        best = min(best, moved, key=lambda look: look.error)
        return best.angles, replace(best.answer, iterations=iterations)

    def _met(self, goal: GazeGoal, angles: tuple[float, ...]) -> tuple[float, ...]:
        """Angles (n,) that meet a goal: those nearest to `angles`, else to the posture, else to one of
        several starts; where none meets it, those with the least error.
        """
        best = None
        for start in (angles, goal.posture, *spread(self.skeleton, SEEDS)):
            found = correct(self.skeleton, goal, start, [1.0] * len(angles))
            if best is None or found.aim_error < best.aim_error:
                best = found
            if best.aim_error <= MET:
                break
        assert best is not None
        return best.angles

    def _seen(
        self,
        point: Point,
        posture: tuple[float, ...],
        hyper: Hyperparameters,
        previous: tuple[float, ...] | None,
    ) -> _Look:
        """Solves for the view of a point repeatedly, each time from the end's position in the solution
        before.

        Each view after the first goes on from the best solution yet: corrected for the view, it mostly stays,
        and so does the position that the view is from. Near points need not converge: a view that increases
        the error is taken back, and a smaller step is made.
        """
        pose = self.skeleton.forward(self.skeleton.clamp(posture if previous is None else previous))
        seen = point.gaze(
            pose.tool_position
        )  # a target at the end's own position is in no direction: the posture's own view is used
        view = best_view = best_seen = (
            unit(seen) if length(seen) > NO_DIRECTION else rotate(pose.tool_rotation, Y)
        )
        iterations, best, share = 0, None, 1.0
        for _ in range(self.max_views):
            angles, answer = self._along(
                view, point.up, posture, hyper, previous if best is None else best.angles
            )
            iterations += answer.iterations
            pose = self.skeleton.forward(angles)
            seen = point.gaze(pose.tool_position)
            error = vector_angle(seen, rotate(pose.tool_rotation, Y))
            if best is None or error < best.error:
                best, best_view = _Look(angles, answer, error), view
                best_seen = unit(seen) if length(seen) > NO_DIRECTION else view
            else:
                share *= 0.5
            if best.error <= hyper.ccd_error:
                break
            part = add(best_view, scale(subtract(best_seen, best_view), share))
            view = unit(part) if length(part) > NO_DIRECTION else best_seen
        assert best is not None
        return best._replace(answer=replace(best.answer, iterations=iterations))

    def _along(
        self,
        view: Vector,
        up: Vector | None,
        posture: tuple[float, ...],
        hyper: Hyperparameters,
        previous: tuple[float, ...] | None,
    ) -> tuple[tuple[float, ...], Answer]:
        return self._towards(upright(view, up), view, posture, hyper, previous)

    def _towards(
        self,
        tool_target: Quaternion | None,
        view: Vector | None,
        posture: tuple[float, ...],
        hyper: Hyperparameters,
        previous: tuple[float, ...] | None,
    ) -> tuple[tuple[float, ...], Answer]:
        chain = self.chain
        target = None if tool_target is None else chain.target(tool_target)
        if target is not None:
            direction = rotate(target, Y)
        else:
            assert view is not None
            direction = rotate(chain.to_virtual, view)
        last = None if previous is None else [previous[k] for k in chain.turning]
        answer = calculate_erik(chain, [posture[k] for k in chain.turning], target, direction, hyper, last)
        angles = list(self.skeleton.clamp(posture))
        for k, angle in zip(chain.turning, answer.angles, strict=True):
            angles[k] = self._unwound(k, angle, (previous or posture)[k])
        return tuple(angles), answer

    def _unwound(self, k: int, angle: float, desired: float) -> float:
        """`angle` plus the full rotations that bring it nearest to `desired` within the joint's limits, which
        may span several.
        """
        lower, upper = self.skeleton.lower[k], self.skeleton.upper[k]
        turns = round((min(max(desired, lower), upper) - angle) / math.tau)
        if turns and not lower <= angle + turns * math.tau <= upper:
            turns -= (
                1 if turns > 0 else -1
            )  # the nearest to a limit may be beyond it, by less than half a rotation
        return angle + turns * math.tau
