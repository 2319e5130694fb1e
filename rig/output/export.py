"""A robot's motion for playing without Blender: its armature's frames, as the robot would be sent them, into a file."""

from pathlib import Path

import bpy

from ...hardware.errors import HardwareError
from ...hardware.export import FORMATS, Motion, Settings, Take, make_motion, write
from ..blender.errors import RigError
from ..live import live
from ..live.registry import can_show
from ..live.stage import Stage, is_body
from ..reading import axes
from ..reading.mechanism.owners import is_mechanism
from ..robot import device, values
from ..robot.device import Source
from ..robot.value_filters import ValueFilters
from . import unkeyed
from .stepped import Stepped

SETTLE_FOR = (
    10.0  # [s] after the last frame in which a motion filter comes to rest; the slowest character on the longest way needs half of it
)


class Export(Stepped):
    """Motion of an armature's robot over a range of frames, one frame a step.

    Live chains move as they do in live, from rest in the first frame; after the last one they come to rest where they were going. What is
    not live is exported as it is posed. Nothing is written before `finish`.

    Args:
        scene: The scene with the armature.
        rig: Its robot's servos are exported.
        start, end: First and last frame.
        rate: Rows a second of the file.
        loops: The robot goes back to the first frame, and begins anew.

    Raises:
        RigError: the range is empty, or the robot is not described rightly.
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
        self.pairs = [(owner, chain) for owner, chain in live.live_pairs(scene) if can_show(owner) and owner.mode != "EDIT"]
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
        """Frames a second."""
        return self.scene.render.fps / self.scene.render.fps_base

    def step(self) -> bool:
        """Reads one frame, or one more of coming to rest; returns whether there are more.

        Raises:
            RigError: a chain cannot be solved, or does not come to rest.
        """
        if len(self.rows) < self.total:
            self.scene.frame_set(self.start + len(self.rows))
        elif len(self.rows) > self.total + SETTLE_FOR * self.frame_rate:
            raise RigError(f"The motion does not come to rest within {SETTLE_FOR:.0f} s after frame {self.end}: let the target rest there")
        dt = 1.0 / self.frame_rate if self.rows else 0.0
        self.stage.advance(self.pairs, bpy.context.evaluated_depsgraph_get(), dt)
        for owner, chain in self.pairs:
            session = self.stage.session(owner, chain)
            if owner == self.rig and session.outputs is None:
                named = "" if is_mechanism(chain) else f", chain '{chain.name}'"
                raise RigError(f"Frame {self.start}{named}: {session.problem}")
            held = session.problem or (session.remark if is_mechanism(chain) else "")
            if owner == self.rig and held and len(self.rows) < self.total:
                self.held[self.start + len(self.rows)] = held
        self.rows.append(tuple(self.filters.step(self.rig, self.sources, self._values(), dt)))
        at_rest = self.filters.at_rest and self.stage.is_at_rest([pair for pair in self.pairs if pair[0] == self.rig])
        return len(self.rows) < self.total or not at_rest

    def finish(self, path: Path, form: str, settings: Settings) -> Motion:
        """Checks the motion and writes the file.

        Raises:
            RigError: a limit is broken, or the file cannot be made or written; it names joint, frame, expected and found. No file then.
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
        """What of the robot was solved, and what is as posed."""
        movers = [mover for owner, mover in self.pairs if owner == self.rig]
        chains = ", ".join(mover.name for mover in movers if not is_mechanism(mover))
        solved = ([f"chains {chains}"] if chains else []) + (["the mechanism"] if any(map(is_mechanism, movers)) else [])
        return f"{' and '.join(solved)} live, the rest as posed" if solved else "as posed: nothing is live"

    def _values(self) -> list[float]:
        """What each of the device's joints is in this frame."""
        solved: dict[tuple[str, str, str], float] = {}
        followed: dict[tuple[str, str], float] = {}
        for owner, chain in self.pairs:
            if owner == self.rig:
                session = self.stage.session(owner, chain)
                if is_body(chain):
                    followed = session.joints()
                    continue
                if is_mechanism(chain):
                    motors = zip(chain.motors, session.outputs.values, strict=True)
                    solved.update(((chain.uid, motor.bone, motor.axis), value) for motor, value in motors)
                    continue
                angles = session.outputs.angles.tolist()
                solved.update(((chain.uid, *place), angle) for place, angle in zip(session.reader.places, angles, strict=True))
        return [self._value(source, solved, followed) for source in self.sources]

    def _value(self, source: Source, solved: dict[tuple[str, str, str], float], followed: dict[tuple[str, str], float]) -> float:
        """Of a chain's joint that is solved, else of a body's that follows another armature, else as it is posed."""
        if source.place in solved:
            return solved[source.place]
        if not source.auxiliary and (source.bone, source.axis) in followed:
            return followed[source.bone, source.axis]
        return self._posed(source)

    def _posed(self, source: Source) -> float:
        if source.chain == self.rig.limber.mechanism.uid and not source.auxiliary:
            motors = self.rig.limber.mechanism.motors
            return next(motor.value for motor in motors if (motor.bone, motor.axis) == (source.bone, source.axis))
        if not source.auxiliary:
            return axes.value(self.rig.pose.bones[source.bone], source.axis)
        value = values.value_of(self.rig.limber.device.auxiliaries[source.auxiliary])
        if value is None:
            raise RigError(f"Value '{source.auxiliary}': its property is not there: choose what has it, and its path")
        return value
