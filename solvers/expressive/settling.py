"""How tracking converges to a goal that stands still."""

import math
from typing import NamedTuple

from ..gaze import SPEED
from ..tolerances import MET

SETTLING = 0.16  # [s] in which damping, and without improvement the trust region, decrease by a factor of e
LEAST_DAMPING = 0.01  # share of the damping that remains
PLANNING_TIME = (
    5.0  # [s] after which no transition begins, and the trust region decreases even with improvement
)
GIVING_UP = 10.0 * PLANNING_TIME  # [s] after which a transition in progress is given up
FOLLOWING_RATIO = (
    20.0  # least movement allowed to joints, times the goal's: near singular poses they move that much more
)


class Settling(NamedTuple):
    """State of convergence to a goal that stands still.

    Along a shallow valley damped steps take minutes to converge, so damping decreases with time. Where the
    aim cannot be met, or a joint is at a limit, steps may overshoot for ever, so each frame without
    improvement shrinks the trust region; in the end every frame does.
    """

    time: float = 0.0  # [s]
    best: float = math.inf  # cost of the best solution since the last transition
    last: float = math.inf  # cost of the last solution
    trust: float = 1.0  # trust region: share of the largest speed that a joint may have

    @property
    def damping_share(self) -> float:
        """Factor on the damping of steps: it decreases from 1 while the goal stands still."""
        return max(math.exp(-self.time / SETTLING), LEAST_DAMPING)

    @property
    def may_plan(self) -> bool:
        """Whether new transitions may begin: not after the goal has stood still for some time."""
        return self.time < PLANNING_TIME

    @property
    def may_continue(self) -> bool:
        """Whether a transition in progress may continue: not after the goal has stood still for a
        long time.
        """
        return self.time < GIVING_UP

    def at(self, merit: float, dt: float) -> "Settling":
        """The settling state after a frame of `dt` [s] whose solution has the cost `merit`."""
        better = merit < (1.0 - MET) * self.best  # less is not seen
        factor = math.exp(
            min(dt, PLANNING_TIME) / SETTLING
        )  # bounded, since a scene's frame may last for minutes
        trust = min(1.0, factor * self.trust) if better and self.may_plan else self.trust / factor
        return self._replace(best=merit if better else self.best, last=merit, trust=trust)

    def after_change(self, by: float, dt: float) -> "Settling":
        """The settling state after goal or posture has changed by `by` [rad, or relative to its size] in a
        frame of `dt` [s].
        """
        restored = min(1.0, FOLLOWING_RATIO * by / (SPEED * dt))
        # After a large change the last cost is no measure: every solution on the way would count as worse.
        return Settling() if restored == 1.0 else Settling(best=self.last, trust=max(self.trust, restored))

    def in_transition(self) -> "Settling":
        """The settling state during a transition: the time is kept, the trust region and the lowest cost so
        far are reset.

        Frames of a transition cost more and move farther by design; without the reset they would count as
        frames without improvement.
        """
        return Settling(self.time)

    def later(self, dt: float) -> "Settling":
        return self._replace(time=self.time + dt)
