"""How much of the interface's time Limber takes, and how far it must hold itself back. Knows no Blender."""

from collections import deque
from dataclasses import dataclass, field
from statistics import median

from .clock import STEP

SHARE = 0.5  # of the time between two steps that Limber may take: the rest is the interface's
STEPS = (1, 2, 3, 6)  # of the clock taken as one where there is not: 60, 30, 20 and 10 Hz
REMEMBERED = 15  # measurements: a hiccup changes nothing, a quarter of a second of trouble does
CALM = 0.7  # of what would just do, before the rate rises again: it is not to go up and down


@dataclass
class Meter:
    """Time that a repeated piece of work takes: its last measurements [s]."""

    last: deque = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def note(self, seconds: float) -> None:
        self.last.append(seconds)

    @property
    def seconds(self) -> float:
        """Median [s] of the last measurements; 0 where there are none."""
        return median(self.last) if self.last else 0.0


@dataclass
class Guard:
    """How many of the clock's steps are taken as one, from what a step costs."""

    meter: Meter = field(default_factory=Meter)
    steps: int = 1

    def note(self, seconds: float) -> None:
        """After a step of the clock that took so long [s]."""
        self.meter.note(seconds)
        if len(self.meter.last) < REMEMBERED:
            return
        needed = self._fewest(self.meter.seconds)
        if needed > self.steps or self._fewest(self.meter.seconds / CALM) < self.steps:
            self.steps = needed

    @property
    def interval(self) -> float:
        """[s] between two steps of the clock."""
        return self.steps * STEP

    @property
    def sentence(self) -> str:
        """What a user is told; "" where there is time enough."""
        if self.steps == 1:
            return ""
        return (
            f"Limber takes {1e3 * self.meter.seconds:.0f} ms a step: it follows {1 / self.interval:.0f} times a second instead of"
            f" {1 / STEP:.0f}, so that Blender stays awake. A quicker solver, or fewer live chains, brings the rate back"
        )

    def forget(self) -> None:
        """All begins anew: another file, other chains."""
        self.meter.last.clear()
        self.steps = 1

    @staticmethod
    def _fewest(seconds: float) -> int:
        return next((steps for steps in STEPS if seconds <= SHARE * steps * STEP), STEPS[-1])


clock = Guard()  # of the motion while nothing plays
drawing = Meter()  # of the overlays in one view
