"""ERIK's main loop, its tricks, and its choice of the best candidate (Algorithms 2, 3 and 7)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..gaze import papers_error
from ..kinematics.rotations import Quaternion, Y, about, multiply, rotate, vector_angle
from ..virtual_chain.chain import VirtualChain
from ..virtual_chain.posture_error import PostureError
from .coordinate_descent import EndAim, bwcd_posture, bwcd_solution, ccd
from .errors import combined_error, orientation_error
from .parameters import Hyperparameters
from .phases import backward_phase, forward_phase


@dataclass(frozen=True)
class ErikResult:
    """Result of ERIK: the best angles (n,) [rad] of the virtual chain and their errors."""

    angles: list[float]
    orientation_error: float
    posture_error: float  # posture error, weighted
    error: float  # weighted sum of posture and orientation error
    iterations: int
    converged: bool


class _Best:
    """SolutionOK and SelectBestSolution: evaluates candidates against the original target and posture, and
    keeps the best.
    """

    def __init__(
        self, chain: VirtualChain, posture: Sequence[float], aim: EndAim, hyper: Hyperparameters
    ) -> None:
        self._chain, self._aim, self._hyper = chain, aim, hyper
        self._posture_error = PostureError(chain, posture, hyper.aggravation)
        self.answer = ErikResult([], math.inf, math.inf, math.inf, 0, False)

    def accepts(self, angles: list[float], iteration: int) -> bool:
        """Whether the angles' error is within the threshold (Algorithm 7)."""
        bases = self._chain.bases(angles)
        if self._aim.orientation is None:
            orientation = papers_error(vector_angle(rotate(bases[-1], Y), self._aim.direction))
        else:
            orientation = orientation_error(self._aim.orientation, bases[-1], self._aim.symmetric)
        posture = self._posture_error(bases)
        error = combined_error(orientation, posture, self._hyper)
        accepted = error <= self._hyper.threshold
        if error <= self.answer.error:
            self.answer = ErikResult(
                list(angles), orientation, self._hyper.posture_weight * posture, error, iteration, accepted
            )
        return accepted


def calculate_erik(  # noqa: C901 (the paper's pseudocode, step by step)
    chain: VirtualChain,
    posture: Sequence[float],
    target: Quaternion | None,
    direction: tuple[float, float, float],
    hyper: Hyperparameters,
    previous: Sequence[float] | None = None,
) -> ErikResult:
    """Algorithm 3: the angles that point the end at the target and keep the posture's shape.

    Args:
        chain: The virtual chain.
        posture: Angles (n,) [rad] to keep; they may exceed limits. Twisters at the root and the end do not
            affect the shape and are ignored, except that of the end if the roll is free.
        target: The end's orientation in the virtual frame; if None, only `direction` is scored, and the roll
            is that of the warped posture.
        direction: The unit vector along which the end looks; that of `target` when there is one.
        hyper: The hyperparameters.
        previous: Angles (n,) within limits of the last frame's solution. After a correction of its aim it is
            returned unchanged if its error is within the threshold, with 0 iterations. The paper lists this
            input but never uses it.
    """
    # If the roll is free, the end's twist stays as authored, since it determines the roll.
    ignored = chain.shapeless if target is not None else chain.shapeless - {len(chain) - 1}
    shape = [0.0 if k in ignored else angle for k, angle in enumerate(posture)]
    aim = EndAim(direction, target, hyper.symmetric_endpoint)
    best = _Best(chain, shape, aim, hyper)
    if previous is not None and best.accepts(
        bwcd_solution(chain, previous, aim, hyper, twist_before=previous[-1]), 0
    ):
        return best.answer
    warped = bwcd_posture(chain, shape, aim, hyper)
    bases = chain.bases(warped)
    # Algorithm 2 twists the target by the posture's own end twist, which is left out of the posture here.
    # Of the two rolls of a symmetric end, the one nearer to the posture's is used.
    goal = bases[-1] if target is None else aim.nearest(bases[-1])
    current, edge_offset, tried_offset, last = aim, 0.0, False, math.inf
    for iteration in range(1, hyper.max_iterations + 1):
        if hyper.avoid_edges and iteration == hyper.avoid_edges_from_iteration:
            edge_offset = hyper.disturbance
            warped = [
                model.off_edge(angle, edge_offset) for model, angle in zip(chain.models, warped, strict=True)
            ]
            if hyper.loop == "posture" or iteration == 1:
                bases = chain.bases(warped)
        angles, hung = forward_phase(chain, bases, goal, edge_offset, end_from_target=hyper.loop == "posture")
        angles = backward_phase(
            chain, angles, hung, goal if target is not None else None, hyper.symmetric_endpoint
        )
        if best.accepts(angles, iteration):
            break
        angles = bwcd_solution(chain, angles, current, hyper)
        if best.accepts(angles, iteration):
            break
        # The paper gives no formula for NonConversionDetected: an iteration that reduces the least error by
        # too little has converged or cycles.
        converges = best.answer.error < last - hyper.progress
        last = best.answer.error
        if hyper.loop == "published":
            bases = chain.bases(angles)
        if converges:
            continue
        if hyper.non_convergence_offset_trick and not tried_offset:
            goal, tried_offset = _offset(chain, angles, goal, hyper.disturbance), True
            if hyper.loop == "published":
                current = EndAim(rotate(goal, Y), None if target is None else goal, hyper.symmetric_endpoint)
        elif hyper.non_convergence_ccd_trick:
            if not best.accepts(ccd(chain, angles, current, hyper), iteration):
                zero = [model.safe_angle(0.0) for model in chain.models]
                best.accepts(ccd(chain, zero if previous is None else previous, current, hyper), iteration)
            break
    answer = best.answer
    return ErikResult(
        answer.angles,
        answer.orientation_error,
        answer.posture_error,
        answer.error,
        iteration,
        answer.converged,
    )


def _offset(chain: VirtualChain, angles: Sequence[float], goal: Quaternion, disturbance: float) -> Quaternion:
    """NonConvOffsetTrick as in section 7.1 (the text calls it random): the target rotated by `disturbance`
    [rad] about the axis of the root, then of its child; `angles` (n,) [rad] decide the signs.
    """
    bases = chain.bases(angles)
    for k in range(min(2, len(chain))):
        model = chain.models[k]
        towards = disturbance if abs(angles[k] - model.lower) > abs(angles[k] - model.upper) else -disturbance
        goal = multiply(about(rotate(bases[k], model.axis), towards), goal)
    return goal
