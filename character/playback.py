"""Movement of a stage from frame to frame: consecutive frames, jumps and sub-frames."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Self, TypeVar

# [s] longest scene time between two frames of a playback that drops frames; a longer step counts as a jump,
# at which motion restarts
JUMP = 0.5

Snapshot = TypeVar("Snapshot")  # state of a stage as a value


class Time(NamedTuple):
    """A time in a scene: frame number, fraction, and the duration of a frame."""

    frame: int
    fraction: float  # fraction of a frame, from 0 to below 1
    step: int  # difference of the numbers of two successive shown frames
    seconds_a_frame: float  # [s] duration of a frame at the scene's rate


class PlaybackStep(NamedTuple, Generic[Snapshot]):
    """How a stage gets to a time in a scene.

    Attributes:
        dt: Time [s] by which the scene's movers are ticked.
        restarts: Whether their motion first restarts, at rest at the solution.
        is_kept: Whether the stage itself is ticked. Otherwise a copy of it is, and then discarded.
        origin: State that the copy starts from; None: the stage's current state.
    """

    dt: float
    restarts: bool = False
    is_kept: bool = True
    origin: Snapshot | None = None


class _Instant(NamedTuple, Generic[Snapshot]):
    """Snapshot of a stage at a frame."""

    frame: float
    snapshot: Snapshot


@dataclass
class Playback(Generic[Snapshot]):
    """Playback of a stage: its current frame in each scene."""

    _frames: dict[Hashable, int] = field(default_factory=dict)  # scene -> the frame that it has reached
    # scene -> the frame reached before that one, with its snapshot
    _before: dict[Hashable, _Instant[Snapshot]] = field(default_factory=dict)

    def frame(self, scene: Hashable) -> int | None:
        """The scene's current frame; None if the stage has not been in any frame of it."""
        return self._frames.get(scene)

    def begin(self, scene: Hashable, frame: int) -> None:
        """Sets the scene's current frame without changing the stage."""
        self._frames[scene] = frame
        self._before.pop(scene, None)

    def copy(self) -> Self:
        """An independent copy, which shares the snapshots."""
        return type(self)(dict(self._frames), dict(self._before))

    def go_to(self, scene: Hashable, time: Time, now: Snapshot, is_playing: bool) -> PlaybackStep[Snapshot]:
        """Moves the playback to a scene's frame; returns the stage's step to that frame.

        Consecutive frames, and frames that playback drops, advance the motion; a jump restarts it at rest at
        the solution. Sub-frames (motion blur) do not advance it: their poses are extrapolated from the frame
        before, if the stage has been in it, and then discarded.

        Args:
            scene: Identity of the scene.
            time: The frame.
            now: The stage's current state.
            is_playing: Whether the scene is playing, so that skipped frames count as dropped.
        """
        if time.fraction:
            return self._between_frames(scene, time)
        frame, last = time.frame, self.frame(scene)
        self._frames[scene] = frame
        gap = frame - last if last is not None else -1
        if 0 <= gap <= time.step or (gap > 0 and gap * time.seconds_a_frame <= JUMP and is_playing):
            if gap and last is not None:
                self._before[scene] = _Instant(last, now)
            return PlaybackStep(gap * time.seconds_a_frame)
        self._before.pop(scene, None)
        return PlaybackStep(0.0, restarts=True)

    def _between_frames(self, scene: Hashable, time: Time) -> PlaybackStep[Snapshot]:
        """The stage's step to a sub-frame, from the frame before it if the stage has been in that. Otherwise
        no time passes, and motion restarts unless the sub-frame is just before the stage's current frame.
        """
        at, last, before = time.frame + time.fraction, self.frame(scene), self._before.get(scene)
        step = max(1, time.step)
        if last is not None and last <= at < last + step:
            return PlaybackStep((at - last) * time.seconds_a_frame, is_kept=False)
        if before is not None and last is not None and before.frame <= at < last:
            return PlaybackStep(
                (at - before.frame) * time.seconds_a_frame, is_kept=False, origin=before.snapshot
            )
        # no time passes before the first frame: movers with a motion filter are at rest in that frame, and
        # the others at their keyed poses
        return PlaybackStep(0.0, restarts=last is None or not last - step < at < last, is_kept=False)
