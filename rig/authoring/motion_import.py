"""Import of a motion file: joints get keys on a new action, and targets of a mechanism get the poses of
links.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import TypeVar

import bpy

from ...files.content import LARGE
from ...files.sounds import sound_beside
from ...hardware.motion_files import LargeMotionError, RecordedColumn, Recording, Settings
from ...hardware.motion_files.reading import ALLOW, DEFAULTS, read_from_zero
from ...solvers.kinematics.se3 import Array
from ..blender import actions
from ..blender.counting import counted, named
from ..blender.errors import RigError
from ..blender.file_reading import FileReading
from ..blender.sound_strips import add as add_sound
from ..bones import axes, channels
from ..bones.channels import Channel
from ..bones.file_joints import FileJoint, file_joints, match
from ..mechanisms.link_poses import LinkTarget, link_target
from ..output import muting
from ..output.new_actions import new_action, refuse_what_would_hide_keys, without_new_action
from ..output.stepped import SteppedJob
from ..robot import lerobot
from .file_values import PoseCurve, in_joint_unit, refuse_other_unit, resampling, unit_factor
from .link_targets import with_target, without_target

LAST_FRAME = 1_048_574  # Blender's largest frame number
# [rad or m] distance beyond a joint's limit above which the user is warned; rounded values are nearer
SLACK = 1e-4
SOME = 400  # number of values or frames that one step converts
TARGET_CHANNELS = 7  # number of channels of a link's pose: location and quaternion
KEY_BYTES = 72  # [bytes] memory that Blender needs for a keyframe
SAME = 1e-6  # [frames] distance from a frame within which the last row counts as at that frame


Value = TypeVar("Value")


@dataclass
class ImportedMotion:
    """Result of the import of a motion file.

    Attributes:
        actions: The new actions.
        sentence: Sentence that says what was imported.
        warnings: Sentences about what was left out, and what else was changed.
    """

    actions: list[bpy.types.Action]
    sentence: str
    warnings: list[str]


class MotionImport(SteppedJob):
    """Import of a motion file for an object's joints and motors: the file is read first, then values and
    keyframes are made in short steps. New actions are assigned by `finish`; if the import is cancelled, they
    are removed.

    Args:
        scene: The scene, whose frame rate is used.
        rig: The armature, or the owner of a mechanism.
        path: The file.
        form: Format of the file, or AUTOMATIC.
        start: Scene frame of the file's first row.
        at_frames: Whether keys are at the scene's frames; else at the file's own times, which may lie between
            frames.
        with_sound: Whether to add the sound file beside the motion file.
        settings: Options of single formats, and whether a very large import needs no confirmation.
        is_watched: Whether a user waits at a window.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        rig: bpy.types.Object,
        path: Path,
        form: str,
        start: int,
        at_frames: bool,
        with_sound: bool = True,
        settings: Settings = DEFAULTS,
        is_watched: bool = False,
    ) -> None:
        self.rig, self.path, self.start, self.at_frames, self.settings = rig, path, start, at_frames, settings
        self.sound = sound_beside(path) if with_sound else None
        # name of a joint in the file -> values of its channel
        self.values: dict[str, list[float]] = {}
        self.keys: dict[Channel, list[float]] = {}
        # channel -> those of its keys' values that decide what must be muted, see `muting.span`
        self.spans: dict[Channel, list[float]] = {}
        self.actions: list[tuple] = []  # (owner, its new action, handle of the slot)
        self.done, self.at_work = 0, path.name
        self.reading = FileReading(is_watched, read_from_zero, path, form, settings)
        self._steps = self._all_steps()
        super().__init__(scene)

    total = 100  # progress in per cent, since the number of joints is not known before the file is read

    def step(self) -> bool:
        """Does a short piece of work: waits for the file to be read, converts some values, or makes some
        keys. Returns whether there is more to do.

        Raises:
            LargeMotionError: the keys would take more than 50 MB, and the settings do not allow it.
            HardwareError: the file cannot be used.
            RigError: the object has none of its joints, the keys would not play, a joint cannot have the
                values, or the motion ends behind Blender's last frame.
        """
        with suppress(StopIteration):
            next(self._steps)
            return True
        return False

    def cancel(self) -> None:
        """Cancels the import, and removes the new actions and targets, unless all steps are done."""
        self._steps.close()
        super().cancel()

    def _all_steps(self) -> Iterator[None]:
        """All work of the import, in short steps: waits for the file, converts its values, makes the keys."""
        self._take((yield from self.reading.steps(None)))
        yield
        parts = [*(column for column in self.recording.columns if column.name in self.matched), *self.targets]
        poses = {}
        for k, part in enumerate(parts):
            self.done = self.total * k // (2 * len(parts))
            if isinstance(part, RecordedColumn):
                self.at_work = part.name
                yield from self._joint_steps(part)
            else:
                self.at_work = part.link
                poses[part.link] = yield from self._pose_steps(part.link)
        with ExitStack() as undo:
            for k, target in enumerate(self.targets):
                self.targets[k] = with_target(target)
                if target.keyed is None:
                    undo.callback(without_target, self.targets[k], target.goal)
            yield from self._key_steps(poses, undo)
            undo.pop_all()

    def _joint_steps(self, column: RecordedColumn) -> Iterator[None]:
        """Converts a column to values of its joint's channel at the times of the keys, and warns of values
        beyond the joint's limits. Each step handles at most `SOME` values.
        """
        joint = self.matched[column.name]
        factor = unit_factor(column, joint, self.settings.in_degrees)
        values: list[float] = []
        for part in _slices(column.values):
            converted = in_joint_unit(replace(column, values=part), joint, self.rig)
            values += [factor * value for value in converted]
            yield
        if not self.settings.in_degrees:
            refuse_other_unit(column, joint, [joint.sign * value for value in values])
        velocities = [factor * velocity for velocity in column.velocities]
        curve = resampling(values, self.recording.times, velocities)
        signed: list[float] = []
        for at in _slices(self.at):
            signed += (joint.sign * curve(at)).tolist()
            yield
        self._warn_of_limits(joint, signed)
        self.values[column.name] = signed

    def _pose_steps(self, link: str) -> Generator[None, None, list[Array]]:
        """Computes the poses (4, 4) of a link at the times of the keys, and returns them."""
        curve = PoseCurve(self.recording.poses[link], self.recording.times)
        poses: list[Array] = []
        for at in _slices(self.at):
            poses += map(curve.at, at)
            yield
        return poses

    def _key_steps(self, poses: dict[str, list[Array]], undo: ExitStack) -> Iterator[None]:
        """Computes the keys and writes them into new, unassigned actions, in short steps.

        Args:
            poses: Name of each link with a target -> its poses (4, 4) in the file at the times of the keys.
            undo: Gets callbacks that remove the actions.
        """
        if self.targets:
            bpy.context.view_layer.update()  # targets that have just been made get their transforms here
        yield from self._value_steps(poses)
        for owner in [channel.owner for channel in {channel.uid: channel for channel in self.keys}.values()]:
            undo.callback(without_new_action(owner))
            action, handle, curves = new_action(owner, self.path.stem)
            undo.callback(bpy.data.actions.remove, action)
            self.actions.append((owner, action, handle))
            for k, (channel, values) in enumerate(self.keys.items()):
                self.done = self.total // 2 + self.total * k // (2 * len(self.keys))
                self.at_work = f"keys of {channel.bone or owner.name}"
                if channel.uid == owner.session_uid:
                    yield from actions.baking_keys(
                        curves, channel.path, channel.index, channel.group, self.frames, values
                    )
                    yield
                    self.spans[channel] = muting.span(channel, values)
                    yield

    def _value_steps(self, poses: dict[str, list[Array]]) -> Iterator[None]:
        """Computes the values of each channel at all frames."""
        columns = [(self.matched[name], values) for name, values in self.values.items()]
        self.keys = {joint.channel: values for joint, values in columns if joint.channel is not None}
        by_joint = {joint.key[1:]: values for joint, values in columns if joint.channel is None}
        limits = {joint.key[1:]: (joint.lower, joint.upper) for joint, _ in columns}
        for rows in (
            channels.over_time(self.rig, by_joint, limits),
            *(target.keys(poses[target.link]) for target in self.targets),
        ):
            for k, row in enumerate(rows):
                for channel, value in row.items():
                    self.keys.setdefault(channel, []).append(value)
                if k % SOME == 0:
                    yield

    def _take(self, recording: Recording) -> None:
        """Determines which joints and links the recording moves, and the frames of its keys; raises as
        `step`.
        """
        self.recording, rig, start = recording, self.rig, self.start
        columns, joints = recording.columns, file_joints(rig)
        measured_then_commanded = [
            {column.name: column.other_names for column in columns if column.is_commanded == is_commanded}
            for is_commanded in (False, True)
        ]
        self.matched = match(
            [(column.name, column.servo) for column in columns], joints, measured_then_commanded
        )
        self.targets: list[LinkTarget] = []
        self.warnings: list[str] = []
        self._find_targets()
        self._warn_of_unknown_joints(joints)
        if recording.assumed_rate:
            self.warnings.append(
                f"'{self.path.name}' has no column of times: its rows are taken as {recording.assumed_rate:g}"
                " a second. If it was recorded at another rate, import it again with that in Rows per Second"
            )
        self._warn_of_uncalibrated_servos()
        # checked before the first key is written, so that a refused import leaves the scene as it was
        for keyed_object in (rig, *(target.keyed for target in self.targets if target.keyed is not None)):
            refuse_what_would_hide_keys(keyed_object)
        self._choose_frames(recording.times, start)
        keys = len(self.at) * (len(self.matched) + TARGET_CHANNELS * len(self.targets))
        if keys * KEY_BYTES > LARGE and not self.settings.allow_large:
            sentence = (
                f"'{self.path.name}' would give {keys} keyframes in {len(self.at)} frames"
                f" ({recording.times[-1] / 60:.0f} minutes)"
            )
            raise LargeMotionError(f"{sentence}: {ALLOW}")

    def _choose_frames(self, times: Sequence[float], start: int) -> None:
        """Determines the times [s] and the frames of the keys, of a recording with rows at `times` [s].

        Raises:
            RigError: The motion ends behind Blender's last frame.
        """
        rate = self.scene.render.fps / self.scene.render.fps_base
        if start + times[-1] * rate > LAST_FRAME:
            raise RigError(
                f"'{self.path.name}' lasts {times[-1]:.0f} s, and ends behind Blender's last frame: choose an"
                " earlier Start"
            )
        self.at = (
            [k / rate for k in range(ceil(times[-1] * rate - SAME) + 1)] if self.at_frames else list(times)
        )
        self.frames = (
            [start + k for k in range(len(self.at))]
            if self.at_frames
            else [start + time * rate for time in times]
        )

    def _find_targets(self) -> None:
        """Finds the mechanism's targets for links whose poses the file has; warns of links without one."""
        for link in self.recording.poses:
            try:
                self.targets.append(link_target(self.rig, link))
            except RigError as error:
                self.warnings.append(str(error))

    def _warn_of_unknown_joints(self, joints: Sequence[FileJoint]) -> None:
        unknown = [column.name for column in self.recording.columns if column.name not in self.matched]
        if not self.matched and not self.targets:
            joint_names = named([joint.name for joint in joints]) or "none"
            raise RigError(
                f"'{self.path.name}' moves {named(unknown)}, and '{self.rig.name}' has no joint of such a"
                f" name or servo (it has {joint_names}): rename the file's joints, or import it for another"
                " robot"
            )
        if unknown:
            self.warnings.append(f"'{self.rig.name}' has no joint for {named(unknown)}: left out")

    def _warn_of_uncalibrated_servos(self) -> None:
        shares = [
            column
            for column in self.recording.columns
            if column.unit == "range_m100_100" and column.name in self.matched
        ]
        if any(not lerobot.is_calibrated(self.rig, self.matched[column.name]) for column in shares):
            self.warnings.append(
                f"'{self.path.name}' has shares of the servos' ranges, and '{self.rig.name}' has no"
                " calibration of LeRobot's, so usual ranges are taken. Import the robot's own (Robot > Set"
                " Up > Calibrate), then this file again, and compare with the robot"
            )

    def _warn_of_limits(self, joint: FileJoint, values: Sequence[float]) -> None:
        lower, upper = min(values), max(values)
        if lower < joint.lower - SLACK or upper > joint.upper + SLACK:
            axis = joint.key[2]
            self.warnings.append(
                f"Joint '{joint.name}' goes from {axes.range_text(axis, lower, upper)}, and its limits are"
                f" {axes.range_text(axis, joint.lower, joint.upper)}: what is live, and the robot, stop there"
            )

    def finish(self) -> ImportedMotion:
        """Assigns the new actions, lets the mechanism follow them, mutes drivers
        and constraints that would override or change them, and adds the sound; returns the result.
        """
        self._let_play()
        for owner, action, handle in self.actions:
            actions.assign(owner, action, handle)
        self.warnings += muting.mute_what_wins(self.spans)
        sentence = (
            f"'{self.path.name}': {self.recording.times[-1]:.1f} s of {counted(len(self.values), 'joint')}"
        )
        sentence += "".join(f" and the pose of '{target.link}'" for target in self.targets)
        sentence += f" from frame {self.start}"
        if self.sound is not None:
            try:
                add_sound(self.scene, self.sound, self.start)
                sentence += f", with sound '{self.sound.name}'"
            except RigError as error:
                self.warnings.append(str(error))
        self._end()
        return ImportedMotion([action for _, action, _ in self.actions], sentence, self.warnings)

    def _let_play(self) -> None:
        """Sets the mechanism to follow the keys: by its targets if links have poses, so that motors with
        values keep these; by its motors if all of them have values. Warns of changes.
        """
        settings = self.rig.limber.mechanism
        motors = {joint.motor for joint in self.matched.values() if joint.motor >= 0}
        drive = (
            "TARGETS"
            if self.targets
            else "MOTORS"
            if motors and len(motors) == len(settings.motors)
            else settings.drive
        )
        if (motors or self.targets) and settings.drive != drive:
            settings.drive = drive
            self.warnings.append(f"Mechanism '{self.rig.name}' is now driven by its {drive.lower()}")
        # unless these motors keep their values, the solver computes them from the targets and ignores the
        # imported keys
        released = [
            settings.motors[k]
            for k in sorted(motors)
            if drive == "TARGETS" and not settings.motors[k].keeps_value
        ]
        for motor in released:
            motor.keeps_value = True
        if released:
            names = named([motor.name for motor in released])
            self.warnings.append(f"Targets leave {names} at their own values now (Keep Value)")


def _slices(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Consecutive slices of at most `SOME` values."""
    return (values[k : k + SOME] for k in range(0, len(values), SOME))
