"""Base class of long jobs on a scene in small steps, with progress and cancelling; at the end the scene's
frame is restored.
"""

from abc import ABC, abstractmethod
from math import floor
from time import perf_counter

import bpy

from ..live import live, shown_poses
from ..live.stage import SceneStage
from ..robot import sending
from . import unkeyed


class SteppedJob(ABC):
    """Job that processes frames, one step after another.

    It must be ended by the subclass's `finish` or by `cancel`; until then live motion and robots are
    suspended. So a subclass calls `__init__` only after it has checked everything that can fail.

    Attributes:
        total, done: Number of all steps, and of completed ones; defined by subclasses.
        frame_before: The frame, with its fraction, that the scene showed before.
        keeps_unkeyed: Whether values that the user changed without a keyframe are restored at the end;
            changing frames would lose them.

    Args:
        scene: The scene.
    """

    keeps_unkeyed = False

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.scene, self.frame_before = scene, scene.frame_current_final
        self._unkeyed = unkeyed.remember(scene) if self.keeps_unkeyed else []
        self._is_over = self._has_shown = False
        live.suspend(True)
        sending.hold(True)

    @property
    def seconds_a_frame(self) -> float:
        """Duration of one frame of the scene [s]."""
        return self.scene.render.fps_base / self.scene.render.fps

    @abstractmethod
    def step(self) -> bool:
        """Does one step; returns whether there are more."""

    def run(self, seconds: float) -> bool:
        """Does steps for about `seconds` [s], at least one; returns whether there are more. Raises as
        `step`.
        """
        until = perf_counter() + seconds
        while self.step():
            if perf_counter() >= until:
                return True
        return False

    def cancel(self) -> None:
        """Cancels the job and restores the scene, unless `finish` was called."""
        self._end()

    def _show(self, stage: SceneStage, depsgraph: bpy.types.Depsgraph) -> None:
        """Shows a stage's poses of live movers until the end of the job, and evaluates constraints that
        depend on them.
        """
        self._has_shown = True
        shown_poses.show(self.scene, stage, depsgraph)

    def _end(self) -> None:
        """Restores the scene, and resumes live motion and robots; once."""
        if self._is_over:
            return
        self._is_over = True
        self._put_back()
        if self._has_shown:
            shown_poses.show_live(self.scene)
        live.suspend(False)
        sending.hold(False)

    def _put_back(self) -> None:
        """Returns to the frame that was shown before, and restores values without a keyframe if the job keeps
        them.
        """
        whole = floor(self.frame_before)
        self.scene.frame_set(whole, subframe=self.frame_before - whole)
        unkeyed.put_back(self._unkeyed)


def scene_frames(scene: bpy.types.Scene) -> range:
    """Frames that the scene plays; those of its preview range if that is in use."""
    if scene.use_preview_range:
        return range(scene.frame_preview_start, scene.frame_preview_end + 1)
    return range(scene.frame_start, scene.frame_end + 1)
