"""How a chain comes to rest while its goal stays the same, or nearly. Knows no Blender.

Along a shallow valley damped steps take minutes to converge, so damping decreases from frame to frame. Where the aim cannot be met, or a
joint is at a limit, steps may overshoot for ever, so each frame without improvement shrinks the trust region; in the end every frame does.
"""

import math
from dataclasses import dataclass, replace

from .motion_limits import LARGEST_MOVE

DAMPING_DECAY = 0.9  # factor of the damping after each frame
LEAST_DAMPING = 0.01
TRUST_DECAY = 0.9  # factor of the trust region after a frame without improvement
TRUST_GROWTH = 1.1  # the same after a frame with improvement
LEAST_GAIN = 1e-6  # relative decrease of the cost that counts as improvement: less is not seen
PLANNING_FRAMES = 300  # frames after which no transition begins, and every frame shrinks the trust region
TRANSITION_FRAMES = 10 * PLANNING_FRAMES  # frames after which a transition in progress is given up
FOLLOWING_RATIO = 20.0  # least movement allowed to joints, times the goal's: near singular poses they move that much more


@dataclass(frozen=True)
class Settling:
    """State since the goal last changed."""

    frames: int = 0
    best: float = math.inf  # cost of the best solution since the last transition
    last: float = math.inf  # cost of the last solution
    trust: float = 1.0  # trust region: share of `motion_limits.LARGEST_MOVE` that a joint may move

    @property
    def damping_share(self) -> float:
        """Factor of the damping of steps."""
        return float(max(DAMPING_DECAY**self.frames, LEAST_DAMPING))

    @property
    def may_plan(self) -> bool:
        """Whether transitions may begin."""
        return self.frames < PLANNING_FRAMES

    @property
    def may_continue(self) -> bool:
        """Whether a transition may continue."""
        return self.frames < TRANSITION_FRAMES

    def at(self, merit: float) -> "Settling":
        """The state before a step from a solution of cost `merit`."""
        better = merit < (1.0 - LEAST_GAIN) * self.best
        trust = min(1.0, TRUST_GROWTH * self.trust) if better and self.may_plan else TRUST_DECAY * self.trust
        return replace(self, best=merit if better else self.best, last=merit, trust=trust)

    def after_change(self, by: float) -> "Settling":
        """The state after a change of goal or posture by `by` [rad, or relative to its size]."""
        restored = min(1.0, FOLLOWING_RATIO * by / LARGEST_MOVE)
        # After a large change the last cost is no measure: every solution on the way would count as worse.
        return Settling() if restored == 1.0 else Settling(best=self.last, trust=max(self.trust, restored))

    def in_transition(self) -> "Settling":
        """The state during a transition, whose frames cost more and move farther by design."""
        return Settling(self.frames)

    def next(self) -> "Settling":
        return replace(self, frames=self.frames + 1)
