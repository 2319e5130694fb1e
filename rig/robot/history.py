"""What a robot was told and what it said, of the last seconds: for plots."""

from collections import deque
from dataclasses import dataclass, field

from ...hardware.status import Status

SECONDS = 10.0  # that are kept: an animator's gesture and the rest after it
MOST = 1200  # samples, whatever the pace

Values = tuple[float | None, ...]


@dataclass(frozen=True)
class Sample:
    """One look: time [s, monotonic], and each joint's value as commanded and as measured (None: not known)."""

    time: float
    commanded: Values
    measured: Values


@dataclass
class History:
    """Samples, the oldest first."""

    samples: deque[Sample] = field(default_factory=lambda: deque(maxlen=MOST))

    def note(self, now: float, status: Status) -> None:
        """Takes a status in; forgets what is too old."""
        if not status.positions and status.commanded is None:
            return
        count = len(status.positions) or len(status.commanded or ())
        nothing: Values = (None,) * count
        self.samples.append(Sample(now, status.commanded or nothing, status.positions or nothing))
        while self.samples and now - self.samples[0].time > SECONDS:
            self.samples.popleft()
