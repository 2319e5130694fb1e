"""Export of a robot's motion to a file that plays without Blender: the values that the robot would be sent,
frame by frame.
"""

from collections.abc import Callable
from functools import partial
from math import floor
from pathlib import Path

import bpy

from ...hardware.errors import HardwareError
from ...hardware.motion_files import (
    FORMATS,
    ExportError,
    Format,
    Motion,
    Settings,
    Take,
    frames_at,
    make_motion,
    write,
)
from ...hardware.motion_files.braking import brought_to_rest
from ...hardware.motion_files.check import check_channels, check_speeds
from ...hardware.motion_files.files import copy_beside
from ...hardware.motion_files.recording import Pose
from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from ..blender.sound_strips import beginning_at
from ..bones.file_joints import SourceKey
from ..bones.shown_values import Deviation
from ..live import live, rehearsal
from ..live.mover import Mover
from ..live.movers import movers_of
from ..live.stage import SceneStage
from ..mechanisms.link_poses import bone_of_link, link_in_bone, link_target, shown_pose
from ..robot import device, values
from ..robot.device import Source
from ..robot.names_in_files import names_in_files
from ..robot.value_filters import ValueFilters
from ..scene.placement import Placement
from .stepped import Stepped

# [s] time for motion filters to come to rest after the last frame; the slowest character over the widest
# range needs half of it
SETTLE_FOR = 10.0


class Export(Stepped):
    """Motion of an object's robot over a range of frames, one frame per step. Nothing is written before
    `finish`.

    Live movers start at rest in the first frame; after the last frame they come to rest at their last goal.
    Everything else is exported as posed or animated. If nothing is live, a format with a fixed rate is
    sampled at that rate, also between frames.

    Args:
        scene: The scene with the object.
        rig: The object whose robot's motion is exported.
        start, end: First and last frame.
        rate: Rows per second in the file.
        loops: The motion returns to the first frame, to be played repeatedly.
        form: Name of the file's format.

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
    ) -> None:
        if end < start:
            raise RigError(
                f"The range to export ends at frame {end}, before it starts at {start}: exchange the two"
            )
        try:
            self.device = device.describe_plain(
                rig
            )  # in the protocol's unit, even if the port is a virtual robot's
        except HardwareError as error:
            raise RigError(str(error)) from error
        self.rig = rig
        self.sources = device.sources(rig)
        self.start, self.end = start, end
        self.rate, self.loops = rate, loops
        self.form: Format = FORMATS[form]
        self.named = names_in_files(rig, self.sources)
        self.links = {link: _pose_of(rig, link) for link in self.form.poses}
        self.poses: dict[str, list[Pose]] = {link: [] for link in self.links}
        self.movers = live.movers_of_scene(scene)
        frame_rate = scene.render.fps / scene.render.fps_base
        self.stride = (
            frame_rate / rate if self.form.has_frames and not self.movers else 1.0
        )  # scene frames from one row to the next
        # about the motion as a whole
        self.warnings = [f"{label}: {remark}" for label, remark in rehearsal.remarks(scene).items()]
        self.sound = ""  # name of the sound file written beside the motion file
        self.stage = SceneStage()
        self.filters = ValueFilters()
        self.rows: list[tuple[float, ...]] = []
        self.off: dict[
            str, tuple[float, Deviation]
        ] = {}  # bones that are not as joints can have them: where that is worst
        self.held: dict[
            int, str
        ] = {}  # frames in which a chain had no goal to follow and came to rest, and why
        super().__init__(scene)

    @property
    def total(self) -> int:
        return floor((self.end - self.start) / self.stride + 1e-6) + 1

    @property
    def done(self) -> int:
        return min(len(self.rows), self.total)

    @property
    def frame(self) -> int:
        """Number of the frame that was read last."""
        return self.start + floor((self.done - 1) * self.stride)

    @property
    def frame_rate(self) -> float:
        """Frames per second of the scene."""
        return self.scene.render.fps / self.scene.render.fps_base

    def step(self) -> bool:
        """Reads one frame or, after the last one, a further frame until the motion is at rest; returns
        whether there are more.

        Raises:
            RigError: a mover cannot be solved, or its motion does not come to rest.
        """
        if len(self.rows) < self.total:
            frame = self.start + len(self.rows) * self.stride
            self.scene.frame_set(floor(frame), subframe=frame - floor(frame))
        elif len(self.rows) > self.total + SETTLE_FOR * self.frame_rate:
            raise RigError(
                f"The motion does not come to rest within {SETTLE_FOR:.0f} s after frame {self.end}: let the"
                " target rest there"
            )
        dt = 1.0 / self.frame_rate if self.rows else 0.0
        depsgraph = bpy.context.evaluated_depsgraph_get()
        rehearsal.perform(self.stage, self.scene, dt)
        self.stage.advance(self.movers, depsgraph, dt)
        if self.movers and values.constrained_bones(movers_of(self.rig), self.sources):
            self._show(self.stage, depsgraph)
        for mover in self._own():
            session = self.stage.session(*mover)
            if session.outputs is None:
                raise RigError(
                    f"Frame {self.start}, {mover.label[0].lower()}{mover.label[1:]}: {session.problem}"
                )
            if session.unmet and len(self.rows) < self.total:
                self.held[self.start + len(self.rows)] = session.unmet
        self._note_deviations()
        self.rows.append(
            tuple(values.positions(self.filters.step(self.rig, self.sources, self._values(), dt)))
        )
        if self.links:
            placement = self.stage.placement(self.movers, depsgraph)
            for link, pose in self.links.items():
                self.poses[link].append(tuple(pose(placement).ravel().tolist()))
        at_rest = self.filters.at_rest and self.stage.is_at_rest(self._own())
        return len(self.rows) < self.total or not at_rest

    def _note_deviations(self) -> None:
        """Notes the frame in which each bone is farthest from what its servo can do."""
        for deviation in values.deviations(self.rig, self.sources):
            frame = self.start + len(self.rows) * self.stride
            known = self.off.get(deviation.bone)
            if known is None or deviation.worst > known[1].worst:
                self.off[deviation.bone] = frame, deviation

    def finish(self, path: Path, settings: Settings) -> Motion:
        """Checks the motion and writes the file.

        Raises:
            RigError: a limit is exceeded, or the file cannot be made or written; the message names joint,
                frame, expected and found value. No file is written then.
        """
        try:
            motion = self.motion()
            write(path, self.form.make(motion, settings))
            self._write_sound(path)
        except HardwareError as error:
            raise RigError(str(error)) from error
        finally:
            self._end()
        return motion

    def _write_sound(self, path: Path) -> None:
        """Copies the file of the sound strip that begins at the first frame to the exported file's folder."""
        sound = beginning_at(self.scene, self.start) if self.form.has_sound else None
        if sound is None:
            return
        try:
            self.sound = copy_beside(sound, path).name
        except HardwareError as error:
            self.warnings.append(str(error))

    def motion(self) -> Motion:
        """The motion of the frames that were read, in the format's frames; `warnings` says what is odd in it.

        Raises:
            HardwareError: a limit is exceeded; the message names joint, frame, expected and found value.
        """
        self.warnings += [
            f"Frame {frame:.0f}: {deviation.sentence}" for frame, deviation in self.off.values()
        ]
        poses = {link: tuple(rows) for link, rows in self.poses.items()}
        take = Take(
            self.device,
            self.start,
            self.frame_rate / self.stride,
            tuple(self.rows),
            self.end,
            self.named,
            poses,
            self.stride,
        )
        has_positions = self.form.has_positions
        if not has_positions:
            self._warn_of(check_channels, take)
        if not self.form.has_frames:
            return make_motion(take, self.rate, self.rig.name, self.loops, has_positions)
        self._warn_of(check_speeds, brought_to_rest(take))  # the player itself stops at the end
        return frames_at(take, self.rate, self.rig.name, has_positions)

    def _warn_of(self, check: Callable[[Take], None], take: Take) -> None:
        """Notes what a check of a take finds that the file's player does not need."""
        try:
            check(take)
        except ExportError as error:
            self.warnings.append(str(error))

    @property
    def says_how(self) -> str:
        """Sentence that says which joints of the robot were solved, and whether the others moved by animation
        or stood as posed.
        """
        labels = ", ".join(mover.label for mover in self._own())
        if labels:
            return f"{labels} live, the rest as posed or animated"
        return f"as {'animated' if len(set(self.rows)) > 1 else 'posed'}: nothing is live"

    def _own(self) -> list[Mover]:
        """Movers of the robot's object."""
        return [mover for mover in self.movers if mover.owner == self.rig]

    def _values(self) -> list[float]:
        """Value of each of the device's joints in this frame."""
        solved = {mover.settings.uid: self.stage.session(*mover).values() for mover in self._own()}
        known = values.of_movers(self.rig, solved, before=self._before)
        return [known[source.key] if source.key in known else self._beside(source) for source in self.sources]

    def _before(self) -> dict[SourceKey, float]:
        """Values in the frame before; none in the first one."""
        return {
            source.key: value
            for row in self.rows[-1:]
            for source, value in zip(self.sources, row, strict=True)
        }

    def _beside(self, source: Source) -> float:
        """Value of an animatable property that the device follows."""
        value = values.value_of(self.rig.limber.device.auxiliaries[source.auxiliary])
        if value is None:
            raise RigError(
                f"Value '{source.auxiliary}': its property is not there: choose what has it, and its path"
            )
        return value


def _pose_of(rig: bpy.types.Object, link: str) -> Callable[[Placement], Array]:
    """Function from a placement to the pose (4, 4) of a link: its bone's, or its target's if a mechanism
    would follow that but is not live.

    Raises:
        RigError: there is no such link.
    """
    bone, settings = bone_of_link(rig, link), rig.limber.mechanism
    if (
        settings.uid
        and settings.use_bones
        and settings.drive == "TARGETS"
        and not settings.live
        and (target := link_target(rig, link)).keyed is not None
    ):
        return target.pose
    return partial(shown_pose, rig, bone, link_in_bone(rig, bone))
