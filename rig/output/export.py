"""Export of a robot's motion to a file that plays without Blender: the values to send to the robot, frame by
frame.
"""

from collections.abc import Mapping
from concurrent.futures import Future, wait
from math import floor
from pathlib import Path

import bpy

from ...hardware.errors import HardwareError
from ...hardware.motion_files import FORMATS, Format, Motion, Settings, write
from ...hardware.motion_files.files import copy_beside
from ..blender.errors import RigError
from ..blender.sound_strips import beginning_at
from ..live import live, rehearsal
from ..live.mover import Mover
from ..live.stage import SceneStage
from .own_thread import in_own_thread
from .robot_frames import RobotFrames
from .stepped import SteppedJob

# [s] time for motion filters to come to rest after the last frame; a motion that needs longer is not
# exported. The slowest motion style over the widest range needs half of it
SETTLE_FOR = 10.0
WAIT = 0.01  # [s] longest wait of a step for the file's content, which another thread computes


class Export(SteppedJob):
    """Motion of an object's robot over a range of frames, one frame per step. Then another thread computes
    the file's content. Nothing is written before `finish`.

    Live movers start at rest in the first frame; after the last frame they come to rest at their last goal.
    Everything else is exported as posed or animated. If nothing is live, a format whose file has the frames
    themselves (`Format.has_frames`) is read at `rate`, also between the scene's frames.

    Args:
        scene: The scene with the object.
        rig: The object whose robot's motion is exported.
        start, end: First and last frame.
        rate: Rows per second in the file.
        loops: Whether the motion returns to the first frame, to be played repeatedly.
        form: Name of the file's format.
        settings: Options of the format.

    Raises:
        RigError: the range is empty, the robot's description is invalid, or it lacks a link that the format
            needs.
    """

    keeps_unkeyed = True

    def __init__(
        self,
        scene: bpy.types.Scene,
        rig: bpy.types.Object,
        start: int,
        end: int,
        rate: int,
        loops: bool,
        form: str,
        settings: Settings,
    ) -> None:
        if end < start:
            raise RigError(
                f"The range to export ends at frame {end}, before it starts at {start}: exchange the two"
            )
        self.rig = rig
        self.start, self.end = start, end
        self.rate, self.loops = rate, loops
        self.form: Format = FORMATS[form]
        self._settings = settings
        # the motion, and the content of its file or files
        self._made: Future[tuple[Motion, bytes | Mapping[str, bytes]]] | None = None
        self.movers = live.movers_of_scene(scene)
        frame_rate = scene.render.fps / scene.render.fps_base
        # scene frames from one row to the next
        self.stride = frame_rate / rate if self.form.has_frames and not self.movers else 1.0
        self.frames = RobotFrames(scene, rig, start, end, self.form, self.stride)
        self.frames.warnings += [f"{label}: {remark}" for label, remark in rehearsal.remarks(scene).items()]
        self.sound = ""  # name of the sound file written beside the motion file
        self.stage = SceneStage()
        super().__init__(scene)

    @property
    def total(self) -> int:
        return floor((self.end - self.start) / self.stride + 1e-6) + 1

    @property
    def done(self) -> int:
        return min(len(self.frames.rows), self.total)

    @property
    def frame(self) -> int:
        """Number of the frame that was read last."""
        return self.start + floor((self.done - 1) * self.stride)

    @property
    def says(self) -> str:
        """What is done now."""
        return f"Reading frame {self.frame} of {self.end}" if self._made is None else "Computing the file"

    def step(self) -> bool:
        """Reads one frame or, after the last one, waits a moment for the file's content; returns whether
        there is more to do.

        Raises:
            RigError: a mover cannot be solved, its motion does not come to rest, or a property that the
                robot follows is gone.
        """
        if self._made is not None:
            wait([self._made], WAIT)
            return not self._made.done()
        if not self._read():
            self._made = in_own_thread(self._make)
        return True

    def _make(self) -> tuple[Motion, bytes | Mapping[str, bytes]]:
        """The motion, and the content of its file or files; it reads nothing of Blender's."""
        motion = self.frames.motion(self.rate, self.loops)
        return motion, self.form.make(motion, self._settings)

    def _read(self) -> bool:
        """Reads one frame or, after the last one, a further frame until the motion is at rest; returns
        whether there are more. Raises as `step`.
        """
        count = len(self.frames.rows)
        if count < self.total:
            frame = self.start + count * self.stride
            self.scene.frame_set(floor(frame), subframe=frame - floor(frame))
        elif (count - self.total) * self.seconds_a_frame > SETTLE_FOR:
            raise RigError(
                f"The motion does not come to rest within {SETTLE_FOR:.0f} s after frame {self.end}: let the"
                " target rest there"
            )
        dt = self.seconds_a_frame if count else 0.0
        depsgraph = bpy.context.evaluated_depsgraph_get()
        rehearsal.perform(self.stage, self.scene, dt)
        self.stage.advance(self.movers, depsgraph, dt)
        if self.movers and self.frames.has_constrained_bones():
            self._show(self.stage, depsgraph)
        self.frames.read(self.stage, self.movers, depsgraph, dt)
        at_rest = self.frames.filters_at_rest and self.stage.is_at_rest(self._own())
        return count + 1 < self.total or not at_rest

    def finish(self, path: Path) -> Motion:
        """Writes the file, after the last step, and copies the sound beside it if the format has sound;
        returns the motion. The job ends, also after an error.

        Raises:
            RigError: a limit is exceeded (the message names joint, frame, expected and found value), or the
                file cannot be made or written. No file is written then.
        """
        assert self._made is not None, "all steps are done"
        try:
            motion, data = self._made.result()
            write(path, data)
            self._write_sound(path)
        except HardwareError as error:
            raise RigError(str(error)) from error
        finally:
            self._end()
        return motion

    def _write_sound(self, path: Path) -> None:
        """If the format has sound, copies the file of the sound that begins at the first frame to the
        exported file's folder. If that fails, it is a warning.
        """
        sound = beginning_at(self.scene, self.start) if self.form.has_sound else None
        if sound is None:
            return
        try:
            self.sound = copy_beside(sound.file, path).name
            self.frames.warnings += sound.differences
        except HardwareError as error:
            self.frames.warnings.append(str(error))

    @property
    def says_how(self) -> str:
        """Sentence on which joints of the robot were solved, and whether the others moved by animation or
        kept their posed values.
        """
        labels = ", ".join(mover.label for mover in self._own())
        if labels:
            return f"{labels} live, the rest as posed or animated"
        return f"as {'animated' if len(set(self.frames.rows)) > 1 else 'posed'}: nothing is live"

    def _own(self) -> list[Mover]:
        """Movers of the robot's object."""
        return [mover for mover in self.movers if mover.owner == self.rig]
