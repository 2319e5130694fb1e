"""Commanded and measured values of the last seconds, for plots."""

from collections import deque
from dataclasses import dataclass, field

from ...hardware.status import Status

SECONDS = 10.0  # [s] length of the history: long enough for a gesture and for coming to rest after it
MOST_SAMPLES = 1200  # number of samples beyond which the oldest are dropped: 120 per second

Values = tuple[float | None, ...]


@dataclass(frozen=True)
class Sample:
    """Commanded and measured value of each joint at a time [s, monotonic clock]; None if it is not known."""

    time: float
    commanded: Values
    measured: Values


@dataclass
class History:
    """Samples of the last seconds, oldest first."""

    samples: deque[Sample] = field(default_factory=lambda: deque(maxlen=MOST_SAMPLES))

    def note(self, time: float, status: Status) -> None:
        """Adds the values of a status, if it has any; removes samples that are too old."""
        if not status.positions and status.commanded is None:
            return
        count = len(status.positions) or len(status.commanded or ())
        nothing: Values = (None,) * count
        self.samples.append(Sample(time, status.commanded or nothing, status.positions or nothing))
        while self.samples and time - self.samples[0].time > SECONDS:
            self.samples.popleft()
