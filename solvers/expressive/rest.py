"""How a chain comes to rest while nothing is asked anew, or hardly anything. Knows no Blender.

Along a shallow valley warm steps that are held back take minutes to arrive, so they are held back less from frame to frame. Where the aim
cannot be met, or a joint is at the end of what it can do, steps may overshoot for ever, so a frame that is no better than the best before
it shortens the largest move of those that come; in the end every frame does.
"""

import math
from dataclasses import dataclass, replace

from .pace import LARGEST_MOVE

EASED = 0.9  # what is left of what holds steps back after each frame
LEAST_EASED = 0.01
SHORTER = 0.9  # what is left of the largest move after a frame that was no better
LONGER = 1.1  # what it grows by after one that was
BETTER = 1e-6  # by this share at least, or rest would wait for what nobody sees
PLANNED = 300  # frames after which no glide is begun, and every frame shortens the largest move
LEFT_OFF = 10 * PLANNED  # frames after which none is gone on with
FOLLOWING = 20.0  # times what a goal has moved may joints move at least: near singular poses they must


@dataclass(frozen=True)
class Rest:
    """What is known since something was last asked anew."""

    frames: int = 0
    best: float = math.inf  # merit of the best answer since the last glide; less is better
    last: float = math.inf  # merit of the last one
    leash: float = 1.0  # share of the largest move that is allowed

    @property
    def eased(self) -> float:
        """Share of what holds steps back."""
        return float(max(EASED**self.frames, LEAST_EASED))

    @property
    def plans(self) -> bool:
        """Whether other glides are still worth it."""
        return self.frames < PLANNED

    @property
    def glides(self) -> bool:
        """Whether the one under way still is."""
        return self.frames < LEFT_OFF

    def at(self, merit: float) -> "Rest":
        """As it is before a step from an answer that is worth so much."""
        better = merit < (1.0 - BETTER) * self.best
        leash = min(1.0, LONGER * self.leash) if better and self.plans else SHORTER * self.leash
        return replace(self, best=merit if better else self.best, last=merit, leash=leash)

    def stirred(self, by: float) -> "Rest":
        """As it is once something else is asked: `by` is how far the goal or the posture has moved [rad, or of its own size]."""
        given_back = min(1.0, FOLLOWING * by / LARGEST_MOVE)
        # Of a goal that is somewhere else no answer is known: against what the last one was worth, all on the way would be no better.
        return Rest() if given_back == 1.0 else Rest(best=self.last, leash=max(self.leash, given_back))

    def on_course(self) -> "Rest":
        """As it is while a glide is under way, whose frames are worse and longer by design."""
        return Rest(self.frames)

    def next(self) -> "Rest":
        return replace(self, frames=self.frames + 1)
