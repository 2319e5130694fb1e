"""Work on a scene in many small steps: it can show progress and be cancelled, and leaves the scene at the frame where it was."""

from abc import ABC, abstractmethod
from math import floor
from time import perf_counter

from ..live import live
from ..robot import links


class Stepped(ABC):
    """Work that goes through frames, one step after the other.

    Whoever makes one must end it by its own `finish` or by `cancel`: until then live and the robots hold still. A subclass therefore
    calls `__init__` when all that can be wrong has been looked at.

    Attributes:
        total, done: Steps in all, and those that were made; subclasses have them.
        frame_before: The frame, with its fraction, that the scene showed.

    Args:
        scene: The scene that is worked on.
    """

    def __init__(self, scene) -> None:
        self.scene, self.frame_before = scene, scene.frame_current_final
        self._is_over = False
        live.suspend(True)
        links.hold(True)

    @property
    def seconds_a_frame(self) -> float:
        """How long a frame of the scene lasts."""
        return self.scene.render.fps_base / self.scene.render.fps

    @abstractmethod
    def step(self) -> bool:
        """One step; returns whether there are more."""

    def run(self, seconds: float) -> bool:
        """Steps for about that long, one at least; returns whether there are more. Raises as `step` does."""
        until = perf_counter() + seconds
        while self.step():
            if perf_counter() >= until:
                return True
        return False

    def cancel(self) -> None:
        """Leaves everything as it was, where `finish` was not reached."""
        self._end()

    def _end(self) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._put_back()
        live.suspend(False)
        links.hold(False)

    def _put_back(self) -> None:
        """Shows the frame that was there before."""
        whole = floor(self.frame_before)
        self.scene.frame_set(whole, subframe=self.frame_before - whole)


def scene_frames(scene) -> range:
    """The frames that the scene plays: of its preview range where that is in use."""
    if scene.use_preview_range:
        return range(scene.frame_preview_start, scene.frame_preview_end + 1)
    return range(scene.frame_start, scene.frame_end + 1)
