"""How a stage moves through a scene's frames: what is the next frame, what is a jump, and what lies between two frames."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .movers import Mover
from .stage import Stage

JUMP = 0.5  # [s] of scene time between two frames of a playback that drops frames; more is a scrub


@dataclass
class _Instant:
    """A stage as it was at a frame."""

    frame: float
    snapshot: dict


class Playback:
    """A stage, and the frames at which it is in each scene."""

    def __init__(self, stage: Stage | None = None) -> None:
        self.stage = stage or Stage()
        self._frames: dict[int, int] = {}  # scene's session_uid -> the frame to which the stage has been brought
        self._before: dict[int, _Instant] = {}  # the same -> the frame before that one

    def frame(self, scene) -> int | None:
        return self._frames.get(scene.session_uid)

    def begin(self, scene) -> None:
        """The stage is at the scene's frame from now on, as it is."""
        self._frames[scene.session_uid] = scene.frame_current
        self._before.pop(scene.session_uid, None)

    def copy(self) -> "Playback":
        other = Playback(self.stage.copy())
        other._frames, other._before = dict(self._frames), dict(self._before)
        return other

    def go_to_frame(self, scene, movers: Sequence[Mover], depsgraph, is_playing: Callable[[], bool]) -> Stage:
        """Brings the chains to the scene's frame and returns the stage that has what they show there.

        Frames that follow each other, and those that a playback drops, advance the motion; a jump starts it anew, at rest in the solution.
        Sub-frames (motion blur) do not advance it: what they show is thought up from the frame before them, and forgotten.
        """
        if scene.frame_subframe:
            return self._between_frames(scene, movers, depsgraph)
        frame, last = scene.frame_current, self.frame(scene)
        gap = frame - last if last is not None else -1
        if 0 <= gap <= scene.frame_step or (gap > 0 and _seconds(scene, gap) <= JUMP and is_playing()):
            if gap:
                self._before[scene.session_uid] = _Instant(last, self.stage.snapshot())
            dt = _seconds(scene, gap)
        else:
            for mover in movers:
                self.stage.session(*mover).restart()
            self._before.pop(scene.session_uid, None)
            dt = 0.0
        self._frames[scene.session_uid] = frame
        self.stage.advance(movers, depsgraph, dt)
        return self.stage

    def _between_frames(self, scene, movers: Sequence[Mover], depsgraph) -> Stage:
        at, last, before = scene.frame_current + scene.frame_subframe, self.frame(scene), self._before.get(scene.session_uid)
        step = max(1, scene.frame_step)
        stage, origin = self.stage.copy(), at
        if last is not None and last <= at < last + step:
            origin = last
        elif before is not None and before.frame <= at < last:
            stage, origin = self.stage.copy(before.snapshot), before.frame
        elif last is not None and last - step < at < last:  # before the first frame there is nothing: the motion begins at rest there
            return self.stage
        else:
            stage.restart()
        stage.advance(movers, depsgraph, _seconds(scene, at - origin))
        return stage


def _seconds(scene, frames: float) -> float:
    return frames * scene.render.fps_base / scene.render.fps
