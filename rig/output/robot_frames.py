"""Frames of a robot's motion: the values to send to the robot in each frame."""

from collections.abc import Callable
from functools import partial

import bpy

from ...hardware.errors import HardwareError
from ...hardware.motion_files import ExportError, Format, Motion, Take, frames_at, make_motion
from ...hardware.motion_files.braking import brought_to_rest
from ...hardware.motion_files.check import check_channels, check_speeds
from ...hardware.motion_files.recording import Pose
from ...solvers.kinematics.se3 import Array
from ..blender.errors import RigError
from ..bones.file_joints import SourceKey
from ..bones.shown_values import Deviation
from ..live.mover import Mover
from ..live.movers import movers_of
from ..live.stage import SceneStage
from ..mechanisms.link_poses import bone_of_link, link_in_bone, link_target, shown_pose
from ..robot import device, values
from ..robot.device import Source
from ..robot.names_in_files import names_in_files
from ..robot.value_filters import ValueFilters
from ..scene.placement import Placement


class RobotFrames:
    """Values of all joints of an object's robot in consecutive frames, read from a stage that a job advances.

    Args:
        scene: The scene with the object.
        rig: The object.
        start, end: First and last frame of the range; in later frames the robot comes to rest.
        form: Format of the file for which the frames are read.
        stride: Scene frames from one row to the next.

    Attributes:
        sources: The source that each joint of the robot follows.
        rows: For each frame the joint values, in the order and unit of the device's joints.
        held: Frame in which a mover had no goal to follow, or did not meet its goals -> the reason.
        warnings: Sentences about the motion as a whole; `motion` adds to them.

    Raises:
        RigError: the robot's description is invalid, or it lacks a link that the format needs.
    """

    def __init__(
        self, scene: bpy.types.Scene, rig: bpy.types.Object, start: int, end: int, form: Format, stride: float
    ) -> None:
        try:
            # positions in the protocol's unit, even if the port is that of a virtual robot
            self._device = device.describe_plain(rig)
        except HardwareError as error:
            raise RigError(str(error)) from error
        self._rig, self._title, self._form = rig, rig.name, form
        self._rate = scene.render.fps / scene.render.fps_base / stride  # [rows/s] of the frames
        self._start, self._end, self._stride = start, end, stride
        self.sources = device.sources(rig)
        self._named = names_in_files(rig, self.sources)
        self._links = {link: _pose_of(rig, link) for link in form.poses}
        self._poses: dict[str, list[Pose]] = {link: [] for link in self._links}
        self._filters = ValueFilters()
        # bone -> (frame, deviation) where it deviates most
        self._deviations: dict[str, tuple[float, Deviation]] = {}
        self.rows: list[tuple[float, ...]] = []
        self.held: dict[int, str] = {}
        self.warnings: list[str] = []

    def has_constrained_bones(self) -> bool:
        """Whether constraints may move joints that no live mover solves: the stage must be shown before they
        are read.
        """
        return bool(values.constrained_bones(movers_of(self._rig), self.sources))

    def read(self, stage: SceneStage, movers: list[Mover], depsgraph: bpy.types.Depsgraph, dt: float) -> None:
        """Adds a frame.

        Args:
            stage: The stage, advanced to the frame.
            movers: The movers that it ticks.
            depsgraph: The depsgraph, evaluated in the frame.
            dt: Time since the previous frame [s]; 0 in the first.

        Raises:
            RigError: a mover could not be solved, or a property that the robot follows is gone.
        """
        frame = self._start + len(self.rows) * self._stride
        solved = {}
        for mover in movers:
            if mover.owner != self._rig:
                continue
            session = stage.session(*mover)
            if session.outputs is None:
                raise RigError(
                    f"Frame {frame:g}, {mover.label[0].lower()}{mover.label[1:]}: {session.problem}"
                )
            if session.unmet and frame <= self._end:
                self.held[round(frame)] = session.unmet
            solved[mover.settings.uid] = session.values()
        self._note_deviations(frame)
        known = values.of_movers(self._rig, solved, before=self._before)
        row = [
            known[source.key] if source.key in known else self._auxiliary(source) for source in self.sources
        ]
        self.rows.append(tuple(values.positions(self._filters.step(self._rig, self.sources, row, dt))))
        if self._links:
            placement = stage.placement(movers, depsgraph)
            for link, pose in self._links.items():
                self._poses[link].append(tuple(pose(placement).ravel().tolist()))

    @property
    def filters_at_rest(self) -> bool:
        """Whether the filtered values of properties have come to rest."""
        return self._filters.at_rest

    def _note_deviations(self, frame: float) -> None:
        """Records the frame in which each bone deviates most from the poses that its joints can represent."""
        for deviation in values.deviations(self._rig, self.sources):
            known = self._deviations.get(deviation.bone)
            if known is None or deviation.worst > known[1].worst:
                self._deviations[deviation.bone] = frame, deviation

    def motion(self, rate: int, loops: bool = False) -> Motion:
        """The motion in the frames read so far, with the poses of the format's links. Adds remarks on it to
        `warnings`. It reads nothing of Blender's, so it may be called in another thread.

        Args:
            rate: Rows per second.
            loops: Whether the motion returns to the first frame.

        Raises:
            HardwareError: a limit is exceeded (the message names joint, frame, expected and found value), or
                the motion cannot be made at this rate or return to its first frame.
        """
        self.warnings += [
            f"Frame {frame:.0f}: {deviation.sentence}" for frame, deviation in self._deviations.values()
        ]
        take = Take(
            self._device,
            self._start,
            self._rate,
            tuple(self.rows),
            self._end,
            self._named,
            {link: tuple(rows) for link, rows in self._poses.items()},
            self._stride,
        )
        has_positions, title = self._form.has_positions, self._title
        if not has_positions:
            self._warn_of(check_channels, take)
        if not self._form.has_frames:
            return make_motion(take, rate, title, loops, has_positions)
        self._warn_of(check_speeds, brought_to_rest(take))  # the player itself stops the motion at the end
        return frames_at(take, rate, title, has_positions)

    def _warn_of(self, check: Callable[[Take], None], take: Take) -> None:
        """Adds the error that a check raises to the warnings, since the file can be played nevertheless."""
        try:
            check(take)
        except ExportError as error:
            self.warnings.append(str(error))

    def _before(self) -> dict[SourceKey, float]:
        """Values in the previous frame; empty in the first."""
        return {
            source.key: value
            for row in self.rows[-1:]
            for source, value in zip(self.sources, row, strict=True)
        }

    def _auxiliary(self, source: Source) -> float:
        """Value of an animatable property that the robot follows. Raises RigError if the property is gone."""
        value = values.value_of(self._rig.limber.device.auxiliaries[source.auxiliary])
        if value is None:
            raise RigError(
                f"Value '{source.auxiliary}': its property is not there: choose what has it, and its path"
            )
        return value


def _pose_of(rig: bpy.types.Object, link: str) -> Callable[[Placement], Array]:
    """Function from a placement to the pose (4, 4) of a link: the pose of its bone, or of its target if a
    mechanism follows the target but is not live.

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
