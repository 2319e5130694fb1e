"""Movement of a stage from frame to frame: consecutive frames, jumps and sub-frames."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Self, TypeVar

from .host import Snapshot
from .stage import Stage

JUMP = (
    0.5  # [s] longest scene time between two frames of a playback that drops frames; a longer step is a jump
)


# Any: stages of all hosts, with any type of poses
StageT = TypeVar("StageT", bound=Stage[Any, Any])


class Time(NamedTuple):
    """A time in a scene: frame number, fraction, and the duration of a frame."""

    frame: int
    fraction: float  # fraction of a frame, from 0 to below 1
    step: int  # number of frames between two shown frames
    seconds_a_frame: float


@dataclass
class _Instant:
    """Snapshot of a stage at a frame."""

    frame: float
    snapshot: dict[Hashable, Snapshot[Any]]


class Playback(Generic[StageT]):
    """Playback of a stage: its current frame in each scene."""

    def __init__(self, stage: StageT) -> None:
        self.stage = stage
        self._frames: dict[Hashable, int] = {}  # scene -> the frame that the stage has reached
        self._before: dict[Hashable, _Instant] = {}  # scene -> the frame before it

    def frame(self, scene: Hashable) -> int | None:
        return self._frames.get(scene)

    def begin(self, scene: Hashable, frame: int) -> None:
        """Sets the scene's current frame without changing the stage."""
        self._frames[scene] = frame
        self._before.pop(scene, None)

    def copy(self) -> Self:
        other = type(self)(self.stage.copy())
        other._frames, other._before = dict(self._frames), dict(self._before)
        return other

    def go_to(
        self,
        scene: Hashable,
        time: Time,
        advance: Callable[[StageT, float], None],
        restart: Callable[[], None],
        is_playing: Callable[[], bool],
    ) -> StageT:
        """Moves the stage to a scene's frame; returns the stage with the movers' poses in that frame.

        Consecutive frames, and frames that playback drops, advance the motion; a jump restarts it at rest at
        the solution. Sub-frames (motion blur) do not advance it: their poses are extrapolated from the frame
        before, and then discarded.

        Args:
            scene: Identity of the scene.
            time: The frame.
            advance: Ticks the scene's movers on a stage by a time [s].
            restart: Restarts the scene's movers on this stage.
            is_playing: Returns whether the scene is playing, so that it may drop frames.
        """
        if time.fraction:
            return self._between_frames(scene, time, advance)
        frame, last = time.frame, self.frame(scene)
        gap = frame - last if last is not None else -1
        if 0 <= gap <= time.step or (gap > 0 and gap * time.seconds_a_frame <= JUMP and is_playing()):
            if gap and last is not None:
                self._before[scene] = _Instant(last, self.stage.snapshot())
            dt = gap * time.seconds_a_frame
        else:
            restart()
            self._before.pop(scene, None)
            dt = 0.0
        self._frames[scene] = frame
        advance(self.stage, dt)
        return self.stage

    def _between_frames(
        self, scene: Hashable, time: Time, advance: Callable[[StageT, float], None]
    ) -> StageT:
        at, last, before = time.frame + time.fraction, self.frame(scene), self._before.get(scene)
        step = max(1, time.step)
        stage, origin = self.stage.copy(), at
        if last is not None and last <= at < last + step:
            origin = last
        elif before is not None and last is not None and before.frame <= at < last:
            stage, origin = self.stage.copy(before.snapshot), before.frame
        elif last is None or not last - step < at < last:
            stage.restart()
        # no time passes before the first frame: movers with a motion filter stay at rest as in that frame,
        # and the others are at their keyed poses
        advance(stage, (at - origin) * time.seconds_a_frame)
        return stage
