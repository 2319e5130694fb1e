"""ERIK's main loop, its tricks, and its choice of the best candidate (Algorithms 2, 3 and 7)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
        """Whether the angles' weighted error is within the threshold (Algorithm 7). They become `answer` if
        no error before was smaller.
        """
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


class _Run:
    """The iterations of Algorithm 3. They begin at the warped posture: the posture after BWCD has rotated its
    joints until the end looks along the target.
    """

    def __init__(
        self,
        chain: VirtualChain,
        shape: Sequence[float],
        aim: EndAim,
        hyper: Hyperparameters,
        best: _Best,
    ) -> None:
        self._chain, self._hyper, self._best = chain, hyper, best
        self._warped = bwcd_posture(chain, shape, aim, hyper)
        self._bases = chain.bases(self._warped)
        # Algorithm 2 twists the target by the posture's own end twist, which is left out of the posture here.
        # Of the two rolls of a symmetric end, the one nearer to the posture's is used.
        self._goal = self._bases[-1] if aim.orientation is None else aim.nearest(self._bases[-1])
        self._aim, self._angles = aim, list(shape)
        self._edge_offset, self._has_tried_offset, self._last_error = 0.0, False, math.inf
        # angles and bases after the last forward phase, if it had the same aim
        self._forward: tuple[list[float], list[Quaternion]] | None = None

    def avoid_edges(self, iteration: int) -> None:
        """In the iteration `avoid_edges_from_iteration`, moves the warped posture off the edges of the
        joints' ranges; from then on forward phases move joints off them, too. Later iterations of the
        published loop do not start from the warped posture, so that its movement has no effect on them.
        """
        hyper = self._hyper
        if not hyper.avoid_edges or iteration != hyper.avoid_edges_from_iteration:
            return
        self._edge_offset = hyper.disturbance
        pairs = zip(self._chain.models, self._warped, strict=True)
        self._warped = [model.off_edge(angle, self._edge_offset) for model, angle in pairs]
        if hyper.loop == "posture" or iteration == 1:
            self._bases = self._chain.bases(self._warped)

    def is_met(self, iteration: int) -> bool:
        """Whether an iteration finds angles within the threshold: after its two phases, or after BWCD.

        The rest of an iteration follows from its forward phase: where that ends as in the iteration before,
        so does the rest.
        """
        chain, hyper, goal = self._chain, self._hyper, self._goal
        last = self._forward
        self._forward = forward_phase(
            chain, self._bases, goal, self._edge_offset, end_from_target=hyper.loop == "posture"
        )
        if self._forward == last:
            return False
        angles, forward_bases = self._forward
        end = None if self._aim.orientation is None else goal
        angles = backward_phase(chain, angles, forward_bases, end, hyper.symmetric_endpoint)
        if self._best.accepts(angles, iteration):
            return True
        self._angles = bwcd_solution(chain, angles, self._aim, hyper)
        if self._best.accepts(self._angles, iteration):
            return True
        if hyper.loop == "published":
            self._bases = chain.bases(self._angles)
        return False

    def converges(self) -> bool:
        """Whether the last iteration has reduced the least error by enough. The paper gives no formula for
        NonConversionDetected: an iteration that reduces it by too little has converged or cycles.
        """
        error, before = self._best.answer.error, self._last_error
        self._last_error = error
        return error < before - self._hyper.progress

    def try_offset(self) -> bool:
        """Applies NonConvOffsetTrick, once: the next iterations aim at an offset target. Returns whether it
        was applied.
        """
        hyper = self._hyper
        if not hyper.non_convergence_offset_trick or self._has_tried_offset:
            return False
        self._goal = _offset(self._chain, self._angles, self._goal, hyper.disturbance)
        self._has_tried_offset = True
        if hyper.loop == "published":
            orientation = None if self._aim.orientation is None else self._goal
            self._aim = EndAim(rotate(self._goal, Y), orientation, hyper.symmetric_endpoint)
        self._forward = None
        return True

    def try_ccd(self, iteration: int, previous: Sequence[float] | None) -> None:
        """Evaluates the result of CCD from the last angles and, if that is not accepted, from the previous
        frame's solution or, without one, from zero or the limits nearest to it.
        """
        chain, hyper = self._chain, self._hyper
        if not self._best.accepts(ccd(chain, self._angles, self._aim, hyper), iteration):
            zero = [model.safe_angle(0.0) for model in chain.models]
            start = zero if previous is None else previous
            self._best.accepts(ccd(chain, start, self._aim, hyper), iteration)


def calculate_erik(
    chain: VirtualChain,
    posture: Sequence[float],
    target: Quaternion | None,
    direction: tuple[float, float, float],
    hyper: Hyperparameters,
    previous: Sequence[float] | None = None,
) -> ErikResult:
    """Algorithm 3: the best angles found to point the end at the target and keep the posture's shape.

    Args:
        chain: The virtual chain.
        posture: Angles (n,) [rad] to keep; they can exceed limits. Twisters at the root and the end do not
            affect the shape and are ignored, except that of the end if the roll is free.
        target: The end's orientation in the virtual frame; if None, only `direction` is scored, and the roll
            is that of the warped posture.
        direction: The unit vector along which the end looks; that of `target` when there is one.
        hyper: The hyperparameters.
        previous: Angles (n,) within limits of the last frame's solution. BWCD corrects their aim; if the
            error is then within the threshold, they are the result, with 0 iterations. Otherwise the CCD
            trick may start from that solution. The paper lists this input but never uses it.
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
    run = _Run(chain, shape, aim, hyper, best)
    for iteration in range(1, hyper.max_iterations + 1):
        run.avoid_edges(iteration)
        if run.is_met(iteration):
            break
        if run.converges() or run.try_offset():
            continue
        if hyper.non_convergence_ccd_trick:
            run.try_ccd(iteration, previous)
            break
    return replace(best.answer, iterations=iteration)


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
