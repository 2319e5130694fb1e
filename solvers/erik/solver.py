"""The ERIK solver: converts goals on a skeleton to goals of the virtual chain, and the chain's solutions back
to the skeleton.
"""

import math
import time
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from ..aims.nearest import nearest_orientation
from ..diagnosis import Diagnosis, measure
from ..expressive.correction import ExactCorrection
from ..gaze import FRAME, GazeSolution, papers_error
from ..goals import GazeGoal, Point, check_goal, looks, upright
from ..kernel.erik import CompiledErik, ErikSolution
from ..kernel.library import KernelError, kernel
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
from ..tolerances import NO_DIRECTION
from ..virtual_chain.chain import VirtualChain
from .algorithm import ErikResult, calculate_erik
from .parameters import Hyperparameters

# largest number of solves for one point, each with the view from the end's position in the previous solution
MAX_VIEWS = 8


class Erik:
    """ERIK for any chain. Each frame is solved independently of the last, unless `use_previous_solution` is
    set.

    By default an iteration starts from the warped posture, the end's basis is that of the target, edges are
    avoided from the second iteration on, and BWCD is exact, all of which reduce the errors;
    `Hyperparameters(as_published=True)` is the paper's ERIK. Misprints are corrected in both.
    """

    def __init__(
        self, skeleton: Skeleton, hyper: Hyperparameters | None = None, max_views: int = MAX_VIEWS
    ) -> None:
        self.skeleton = skeleton
        self.max_views = max_views
        self.hyper = (hyper or Hyperparameters()).in_force
        self.chain = VirtualChain(skeleton)
        # indices of the prismatic joints
        self.sliding = frozenset(range(len(skeleton))) - set(self.chain.turning)
        self.diagnosis = Diagnosis(skeleton, self.hyper.posture_weight, self.hyper.aggravation)
        self.correction = ExactCorrection(skeleton)

    @cached_property
    def compiled(self) -> CompiledErik | None:
        """ERIK in the compiled kernel; None if this machine has no kernel, or the kernel refuses a number of
        the chain or of the settings.
        """
        library = kernel()
        if library is None:
            return None
        try:
            return CompiledErik(library, self.skeleton, self.chain, self.hyper, self.max_views)
        except KernelError:
            return None

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, dt: float = FRAME
    ) -> GazeSolution:
        """Solution of a goal; arguments as for `GazeSolver.solve`. Its `converged` says whether the weighted
        error is within the threshold; it is False if the target is at the end's own position.

        `memory` and `dt` have no effect, and `start` only if the hyperparameters say that the previous
        solution is used.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, looks, start, dt)
        uses = start is not None and self.hyper.use_previous_solution
        best = self.look(goal, posture, self.skeleton.clamp(start) if uses and start is not None else None)
        is_accepted = best.error <= self.hyper.threshold
        return GazeSolution(
            best.angles,
            best.iterations,
            time.perf_counter() - began,
            self.diagnosis,
            goal,
            posture,
            best.measured,
            is_accepted=is_accepted,
            unfinished="" if is_accepted else self._above_threshold(best.error),
        )

    def _above_threshold(self, error: float) -> str:
        """Why a solution with this weighted error has not converged, as part of a sentence."""
        return (
            f"the weighted error of aim and posture is {error:.2g}, above the threshold of"
            f" {self.hyper.threshold:.2g}: choose ERIK (exact aim) or Expressive"
        )

    def look(
        self, goal: GazeGoal, posture: tuple[float, ...], previous: tuple[float, ...] | None = None
    ) -> ErikSolution:
        """ERIK's solution; `previous` (n,) is the last frame's solution, if used.

        The paper has no prismatic joints: they stay as in the posture. If the revolute joints alone miss a
        point, all joints move by the smallest change that meets it, and ERIK solves again, with the prismatic
        joints there. Of both solutions the one with the smaller error of the view is returned.
        """
        best = self._solved(goal, posture, previous)
        if not isinstance(goal.aim, Point) or not self.sliding or best.measured.angle <= self.hyper.ccd_error:
            return best
        view = GazeGoal(replace(goal.aim, up=None), np.array(posture))
        starts = chain((best.angles, posture), spread(self.skeleton))
        slid = tuple(self.correction.correct(view, None, starts, looks=False).angles.tolist())
        moved = self._solved(
            goal, tuple(slid[k] if k in self.sliding else angle for k, angle in enumerate(posture)), slid
        )
        iterations = best.iterations + moved.iterations
        return min(best, moved, key=lambda look: look.measured.angle)._replace(iterations=iterations)

    def _solved(
        self, goal: GazeGoal, posture: tuple[float, ...], previous: tuple[float, ...] | None
    ) -> ErikSolution:
        """ERIK's solution with prismatic joints as in the posture, by the kernel or, if that is missing or
        does not support the goal, in Python.
        """
        # the kernel measures one goal: a chain's end can have several, of which ERIK follows the first
        if self.compiled is None or goal.others:
            return self._solved_in_python(goal, posture, previous)
        try:
            return self.compiled.solve(goal, posture, previous)
        except KernelError:  # a number exceeds the kernel's range, or the kernel does not support the aim
            return self._solved_in_python(goal, posture, previous)

    def _solved_in_python(
        self, goal: GazeGoal, posture: tuple[float, ...], previous: tuple[float, ...] | None
    ) -> ErikSolution:
        """Reference implementation of the kernel's solve."""
        hyper = self.hyper if goal.symmetric else replace(self.hyper, symmetric_endpoint=False)
        aim, pose = goal.aim, self.skeleton.forward(self.skeleton.clamp(posture))
        view = aim.gaze(pose.tool_position)
        if isinstance(aim, Point):
            angles, answer = self._seen(aim, posture, hyper, previous)
        elif view is not None:
            angles, answer = self._along(view, aim.up, posture, hyper, previous)
        else:
            target = aim.desired_orientation or nearest_orientation(goal.ends[0], pose, self.skeleton.reach)
            angles, answer = self._towards(normalized(target), None, posture, hyper, previous)
        measured = measure(self.skeleton, goal, self.skeleton.forward(angles))
        error = papers_error(measured.whole) + answer.posture_error
        return ErikSolution(np.array(angles), error, answer.iterations, measured)

    def _seen(
        self,
        point: Point,
        posture: tuple[float, ...],
        hyper: Hyperparameters,
        previous: tuple[float, ...] | None,
    ) -> tuple[tuple[float, ...], ErikResult]:
        """Solves for the view of a point repeatedly, each time from the end's position in the solution
        before; the best solution, as from `_along`, with the iterations of all.

        After the first, each solve starts from the best solution so far: corrected for the view it mostly
        stays the same, and so does the end's position. For near points this does not always converge: a
        view that increases the error is discarded, and a smaller step is made.
        """
        pose = self.skeleton.forward(self.skeleton.clamp(posture if previous is None else previous))
        # a target at the end's own position is in no direction: the posture's own view is used
        seen = point.gaze(pose.tool_position)
        view = best_view = best_seen = (
            unit(seen) if length(seen) > NO_DIRECTION else rotate(pose.tool_rotation, Y)
        )
        iterations, best, best_error, share = 0, None, math.inf, 1.0
        for _ in range(self.max_views):
            angles, answer = self._along(
                view, point.up, posture, hyper, previous if best is None else best[0]
            )
            iterations += answer.iterations
            pose = self.skeleton.forward(angles)
            seen = point.gaze(pose.tool_position)
            error = vector_angle(seen, rotate(pose.tool_rotation, Y))
            if best is None or error < best_error:
                best, best_error, best_view = (angles, answer), error, view
                best_seen = unit(seen) if length(seen) > NO_DIRECTION else view
            else:
                share *= 0.5
            if best_error <= hyper.ccd_error:
                break
            part = add(best_view, scale(subtract(best_seen, best_view), share))
            view = unit(part) if length(part) > NO_DIRECTION else best_seen
        assert best is not None
        return best[0], replace(best[1], iterations=iterations)

    def _along(
        self,
        view: Vector,
        up: Vector | None,
        posture: tuple[float, ...],
        hyper: Hyperparameters,
        previous: tuple[float, ...] | None,
    ) -> tuple[tuple[float, ...], ErikResult]:
        """Angles (n,) [rad or m] with the end's view along a unit vector, upright relative to `up`, and
        ERIK's result.
        """
        return self._towards(upright(view, up), view, posture, hyper, previous)

    def _towards(
        self,
        tool_target: Quaternion | None,
        view: Vector | None,
        posture: tuple[float, ...],
        hyper: Hyperparameters,
        previous: tuple[float, ...] | None,
    ) -> tuple[tuple[float, ...], ErikResult]:
        """Angles (n,) [rad or m] with the tool's orientation `tool_target` or, if its roll is free (None),
        with its view along the unit vector `view`; and ERIK's result.
        """
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
        """`angle` [rad] plus the full rotations that bring it nearest to `desired` [rad] within the joint's
        limits, which can span several rotations.
        """
        lower, upper = self.skeleton.lower[k], self.skeleton.upper[k]
        revolutions = round((min(max(desired, lower), upper) - angle) / math.tau)
        if revolutions and not lower <= angle + revolutions * math.tau <= upper:
            # the nearest such angle is beyond a limit, by less than half a rotation
            revolutions -= 1 if revolutions > 0 else -1
        return angle + revolutions * math.tau
