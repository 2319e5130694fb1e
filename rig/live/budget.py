"""Measures Limber's share of the interface's time, and reduces Limber's work if the share is too large."""

from collections import deque
from dataclasses import dataclass, field
from statistics import median

from ...character.fixed_steps import STEP

# share of the time between two steps of the clock, or of a frame during playback, that Limber may use; the
# rest is for the interface
SHARE = 0.5
# possible numbers of clock steps that are combined into one (60, 30, 20 and 10 Hz), and of frames from one
# computation of the overlays to the next
STEPS = 1, 2, 3, 6
# number of measurements of which a median is taken, so that single slow ones have no effect (0.25 s at 60 Hz)
REMEMBERED = 15
# number of intervals between steps whose median predicts the next interval; a few long ones have no effect
NEWEST = 9
# the median interval between steps is expected for the next step too if it is above this multiple of the
# clock's interval; a smaller one counts as jitter, and the clock's interval is expected
SLOWER = 1.4
# the rate rises when the work takes less than this share of the time allowed at the higher rate
HYSTERESIS = 0.7


@dataclass
class Meter:
    """The last measured durations [s] of a repeated piece of work."""

    last: deque = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def note(self, seconds: float) -> None:
        self.last.append(seconds)

    @property
    def seconds(self) -> float:
        """Median duration [s] of the last measurements; 0 if there are none."""
        return median(self.last) if self.last else 0.0


@dataclass
class Guard:
    """Reduces the rate of the clock's steps if steps take too long, by combining several into one."""

    meter: Meter = field(default_factory=Meter)
    steps: int = 1
    at: float | None = None  # [s] wall time of the newest step; None after a stop of the clock
    # [s] intervals between steps, without those that contain a stop
    gaps: deque[float] = field(default_factory=lambda: deque(maxlen=NEWEST))

    def begin(self, time: float) -> None:
        """Records that a step of the clock begins, at the wall time `time` [s]."""
        if self.at is not None:
            self.gaps.append(time - self.at)
        self.at = time

    def stop(self) -> None:
        """Records that the clock has stopped."""
        self.at = None

    @property
    def due(self) -> float:
        """Expected time [s] from a step of the clock to the next: the median of the last intervals if Blender
        was too busy to keep the clock's interval, else the clock's interval.
        """
        usual = median(self.gaps) if self.gaps else 0.0
        return usual if usual > SLOWER * self.interval else self.interval

    def note(self, seconds: float) -> None:
        """Records the duration of a step of the clock [s]; sets `steps` by the median of the last
        durations.
        """
        self.meter.note(seconds)
        if len(self.meter.last) < REMEMBERED:
            return
        needed = self._fewest(self.meter.seconds)
        if needed > self.steps or self._fewest(self.meter.seconds / HYSTERESIS) < self.steps:
            self.steps = needed

    @property
    def interval(self) -> float:
        """Time between two steps of the clock [s]."""
        return self.steps * STEP

    @property
    def sentence(self) -> str:
        """Warning for the user that time is short; "" if there is enough."""
        if self.steps == 1:
            return ""
        return (
            f"Slow: {1 / self.interval:.0f} of {1 / STEP:.0f} steps a second, to keep Blender responsive."
            f" Limber takes {1e3 * self.meter.seconds:.0f} ms a step: a quicker solver, or fewer live chains,"
            " brings the rate back"
        )

    def forget(self) -> None:
        """Resets the measurements and the rate, when nothing is live any more."""
        self.stop()
        self.gaps.clear()
        self.meter.last.clear()
        self.steps = 1

    @staticmethod
    def _fewest(seconds: float) -> int:
        """Smallest number in `STEPS` of clock steps to combine into one that takes `seconds` [s] and may use
        `SHARE` of the time; the largest if none is enough.
        """
        return next((steps for steps in STEPS if seconds <= SHARE * steps * STEP), STEPS[-1])


@dataclass
class Playing:
    """Decides how often overlays are recomputed during playback; the motion itself is computed in every
    frame.
    """

    motion: Meter = field(default_factory=Meter)  # durations of the computation of a frame's motion
    overlays: Meter = field(default_factory=Meter)  # durations of the computation of the overlays
    frames: int = 1  # number of frames from one computation of the overlays to the next
    count: int = 0  # number of frames played since Blender was started
    frame: float = STEP  # [s] time for which a frame is shown

    def note(self, seconds: float, frame: float) -> None:
        """Records how long a frame's motion took; sets `frames` by the medians of the last durations.

        Args:
            seconds: Duration of its computation [s].
            frame: Duration for which a frame is shown [s].
        """
        self.count += 1
        self.frame = frame
        self.motion.note(seconds)
        if len(self.motion.last) < REMEMBERED:
            return
        needed = self._fewest(1.0)
        if needed > self.frames or self._fewest(HYSTERESIS) < self.frames:
            self.frames = needed

    def is_due(self, since: int) -> bool:
        """Whether overlays must be recomputed now; `since`: value of `count` when they were last
        computed.
        """
        return self.count - since >= self.frames

    @property
    def is_short(self) -> bool:
        """Whether time is short, so that overlays are left out in some frames."""
        return self.frames > 1

    @property
    def sentence(self) -> str:
        """Warning for the user that time is short; "" if there is enough."""
        if not self.is_short:
            return ""
        seconds = self.motion.seconds + self.overlays.seconds / self.frames
        slower = f": overlays follow every {self.frames} frames" if self.overlays.last else ""
        return (
            f"Slow: Limber takes {1e3 * seconds:.0f} of {1e3 * self.frame:.0f} ms a frame{slower}. No frame of"
            " the motion is left out, so it plays slowly: a quicker solver, or fewer live chains, lets it"
            " play faster"
        )

    def forget(self) -> None:
        """Resets the measurements and the rate, when nothing is live any more."""
        self.motion.last.clear()
        self.overlays.last.clear()
        self.frames = 1

    def _fewest(self, share: float) -> int:
        """Smallest number in `STEPS` of frames from one computation of the overlays to the next with which
        Limber uses at most `share` of the time that `SHARE` allows it; the largest if none is enough.
        """
        room = share * SHARE * self.frame
        return next(
            (frames for frames in STEPS if self.motion.seconds + self.overlays.seconds / frames <= room),
            STEPS[-1],
        )


clock = Guard()  # rate of the clock of live motion, while nothing plays
playing = Playing()  # rate of the overlays during playback
drawing = Meter()  # durations of drawing the overlays in one view


def forget() -> None:
    """Resets the measurements of the clock and of playback, when nothing is live any more."""
    clock.forget()
    playing.forget()
