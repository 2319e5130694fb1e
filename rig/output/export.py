"""Export of a robot's motion to a file that plays without Blender: the values that the robot would be sent, frame by frame."""

from pathlib import Path

import bpy

from ...hardware.errors import HardwareError
from ...hardware.export import FORMATS, Motion, Settings, Take, make_motion, write
from ..blender.errors import RigError
from ..live import live
from ..live.mover import Mover
from ..live.stage import Stage
from ..robot import device, values
from ..robot.device import Source
from ..robot.value_filters import ValueFilters
from . import unkeyed
from .stepped import Stepped

SETTLE_FOR = (
    10.0  # [s] after the last frame in which a motion filter comes to rest; the slowest character on the longest way needs half of it
)


class Export(Stepped):
    """Motion of an object's robot over a range of frames, one frame per step. Nothing is written before `finish`.

    Live movers move as they do live, from rest in the first frame; after the last one they come to rest where they were going. Everything
    else is exported as posed.

    Args:
        scene: The scene with the object.
        rig: The object whose robot's motion is exported.
        start, end: First and last frame.
        rate: Rows per second in the file.
        loops: The motion returns to the first frame, to be played repeatedly.

    Raises:
        RigError: the range is empty, or the robot's description is invalid.
    """

    def __init__(self, scene, rig, start: int, end: int, rate: int, loops: bool) -> None:
        if end < start:
            raise RigError(f"The range to export ends at frame {end}, before it starts at {start}: exchange the two")
        try:
            self.device = device.describe_plain(rig)  # in its own unit also while the virtual robot stands in
        except HardwareError as error:
            raise RigError(str(error)) from error
        self.rig = rig
        self.sources = device.sources(rig)
        self.start, self.end = start, end
        self.rate, self.loops = rate, loops
        self.movers = live.movers_of_scene(scene)
        self.stage = Stage()
        self.filters = ValueFilters()
        self.rows: list[tuple[float, ...]] = []
        self.held: dict[int, str] = {}  # frames in which a chain had no goal to follow and came to rest, and why
        self.unkeyed = unkeyed.remember(scene)
        super().__init__(scene)

    @property
    def total(self) -> int:
        return self.end - self.start + 1

    @property
    def done(self) -> int:
        return min(len(self.rows), self.total)

    @property
    def frame(self) -> int:
        """The frame that was read last."""
        return self.start + self.done - 1

    @property
    def frame_rate(self) -> float:
        """Frames per second of the scene."""
        return self.scene.render.fps / self.scene.render.fps_base

    def step(self) -> bool:
        """Reads one frame, or one more until the motion is at rest; returns whether there are more.

        Raises:
            RigError: a mover cannot be solved, or does not come to rest.
        """
        if len(self.rows) < self.total:
            self.scene.frame_set(self.start + len(self.rows))
        elif len(self.rows) > self.total + SETTLE_FOR * self.frame_rate:
            raise RigError(f"The motion does not come to rest within {SETTLE_FOR:.0f} s after frame {self.end}: let the target rest there")
        dt = 1.0 / self.frame_rate if self.rows else 0.0
        self.stage.advance(self.movers, bpy.context.evaluated_depsgraph_get(), dt)
        for mover in self._own():
            session = self.stage.session(*mover)
            if session.outputs is None:
                raise RigError(f"Frame {self.start}, {mover.label[0].lower()}{mover.label[1:]}: {session.problem}")
            if session.unmet and len(self.rows) < self.total:
                self.held[self.start + len(self.rows)] = session.unmet
        self.rows.append(tuple(self.filters.step(self.rig, self.sources, self._values(), dt)))
        at_rest = self.filters.at_rest and self.stage.is_at_rest(self._own())
        return len(self.rows) < self.total or not at_rest

    def finish(self, path: Path, form: str, settings: Settings) -> Motion:
        """Checks the motion and writes the file.

        Raises:
            RigError: a limit is exceeded, or the file cannot be made or written; names joint, frame, expected and found. No file is written
                then.
        """
        try:
            take = Take(self.device, self.start, self.frame_rate, tuple(self.rows), self.end)
            motion = make_motion(take, self.rate, self.rig.name, self.loops)
            write(path, FORMATS[form].make(motion, settings))
        except HardwareError as error:
            raise RigError(str(error)) from error
        finally:
            self._end()
        return motion

    def _put_back(self) -> None:
        super()._put_back()
        unkeyed.put_back(self.unkeyed)

    @property
    def says_how(self) -> str:
        """Which joints of the robot were solved, and which are as posed, as a sentence."""
        labels = ", ".join(mover.label for mover in self._own())
        return f"{labels} live, the rest as posed" if labels else "as posed: nothing is live"

    def _own(self) -> list[Mover]:
        """Movers of the robot's object."""
        return [mover for mover in self.movers if mover.owner == self.rig]

    def _values(self) -> list[float]:
        """Value of each of the device's joints in this frame."""
        known = values.of_movers(self.rig, {mover.settings.uid: self.stage.session(*mover).values() for mover in self._own()})
        return [known[source.place] if source.place in known else self._beside(source) for source in self.sources]

    def _beside(self, source: Source) -> float:
        """Value of an animatable property that the device follows."""
        value = values.value_of(self.rig.limber.device.auxiliaries[source.auxiliary])
        if value is None:
            raise RigError(f"Value '{source.auxiliary}': its property is not there: choose what has it, and its path")
        return value
