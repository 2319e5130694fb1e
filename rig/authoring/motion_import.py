"""Import of a motion file: joints get keys on a new action, and targets of a mechanism get the poses of links."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import bpy

from ...hardware.errors import HardwareError
from ...hardware.motion_files import Column, Recording, Settings
from ...hardware.motion_files.reading import DEFAULTS, Reading
from ...hardware.motion_files.sounds import sound_beside
from ...solvers.kinematics.se3 import Array
from ..blender import actions
from ..blender.counting import counted, named
from ..blender.errors import RigError
from ..blender.sound_strips import add as add_sound
from ..output import muting
from ..output.new_actions import new_action, refuse_what_would_hide_keys
from ..output.stepped import Stepped
from ..reading import axes, channels
from ..reading.channels import Channel
from ..reading.file_joints import FileJoint, file_joints, match
from ..reading.link_poses import LinkTarget, link_target
from ..robot import lerobot
from .file_values import in_joint_unit, poses_at, resampled
from .link_targets import with_target

LAST_FRAME = 1_048_574  # Blender's
SLACK = 1e-4  # [rad or m] beyond a limit: decimals of files
WAIT = 0.02  # [s] for the file in a step
SAME = 1e-6  # [frames] a last row nearer to a frame is at that frame


@dataclass
class Imported:
    """Result of the import of a motion file.

    Attributes:
        actions: The new actions.
        sentence: Sentence that says what was imported.
        warnings: Sentences about what was left out, and what else was changed.
    """

    actions: list[bpy.types.Action]
    sentence: str
    warnings: list[str]


class MotionImport(Stepped):
    """Import of a motion file for an object's joints and motors: the file is read first, then each step prepares one joint or link. Nothing
    is written before `finish`.

    Args:
        scene: The scene, whose frame rate counts.
        rig: The armature, or the owner of a mechanism.
        path: The file.
        form: Format of the file, or AUTOMATIC.
        start: Scene frame of the file's first row.
        at_frames: Whether keys are at the scene's frames; else at the file's own times, which may lie between frames.
        with_sound: Whether to add the sound file beside the motion file.
        settings: Options of single formats.
    """

    def __init__(
        self, scene, rig, path: Path, form: str, start: int, at_frames: bool, with_sound: bool = True, settings: Settings = DEFAULTS
    ) -> None:
        self.rig, self.path, self.start, self.at_frames = rig, path, start, at_frames
        self.sound = sound_beside(path) if with_sound else None
        self.reading = Reading(path, form, settings)
        self.recording: Recording | None = None
        self.left: list[Column | LinkTarget] = []
        self.values: dict[str, list[float]] = {}  # of the joints' channels, by the file's name
        self.poses: dict[str, list[Array]] = {}  # (4, 4) of links
        super().__init__(scene)

    def _take(self, recording: Recording) -> None:
        """Finds what the recording moves, and the frames of its keys; raises as `step`."""
        self.recording, rig, start = recording, self.rig, self.start
        columns, joints = recording.columns, file_joints(rig)
        self.matched = match([(column.name, column.servo) for column in columns], joints)
        self.targets: list[LinkTarget] = []
        self.warnings: list[str] = []
        self._find_targets()
        self._tell_strangers(joints)
        self._tell_uncalibrated()
        for thing in (rig, *(target.keyed for target in self.targets if target.keyed is not None)):
            refuse_what_would_hide_keys(thing)
        rate = self.scene.render.fps / self.scene.render.fps_base
        times = recording.times
        if start + times[-1] * rate > LAST_FRAME:
            raise RigError(f"'{self.path.name}' lasts {times[-1]:.0f} s, and ends behind Blender's last frame: choose an earlier Start")
        self.at = [k / rate for k in range(ceil(times[-1] * rate - SAME) + 1)] if self.at_frames else list(times)
        self.frames = [start + k for k in range(len(self.at))] if self.at_frames else [start + time * rate for time in times]
        self.left = [*(column for column in columns if column.name in self.matched), *self.targets]
        self.count = len(self.left)

    total = 100  # [per cent] since the number of joints is not known before the file is read

    @property
    def done(self) -> int:
        return self.total * (self.count - len(self.left)) // self.count if self.recording is not None else 0

    @property
    def at_work(self) -> str:
        """Name of the joint or link of the next step, or of the file while it is read."""
        if not self.left:
            return self.path.name
        return self.left[0].name if isinstance(self.left[0], Column) else self.left[0].link

    def _find_targets(self) -> None:
        for link in self.recording.poses:
            try:
                self.targets.append(link_target(self.rig, link))
            except RigError as error:
                self.warnings.append(str(error))

    def _tell_strangers(self, joints: Sequence[FileJoint]) -> None:
        strange = [column.name for column in self.recording.columns if column.name not in self.matched]
        if not self.matched and not self.targets:
            has = named([joint.name for joint in joints]) or "none"
            raise RigError(
                f"'{self.path.name}' moves {named(strange)}, and '{self.rig.name}' has no joint of such a name or servo (it has {has}):"
                " rename the file's joints, or import it for another robot"
            )
        if strange:
            self.warnings.append(f"'{self.rig.name}' has no joint for {named(strange)}: left out")

    def _tell_uncalibrated(self) -> None:
        shares = [one for one in self.recording.columns if one.unit == "range_m100_100" and one.name in self.matched]
        if any(not lerobot.is_calibrated(self.rig, self.matched[one.name]) for one in shares):
            self.warnings.append(
                f"'{self.path.name}' has shares of the servos' ranges, and '{self.rig.name}' has no calibration of LeRobot's, so usual"
                " ranges are taken. Import the robot's own (Robot > Set Up > Calibrate), then this file again, and compare with the robot"
            )

    def step(self) -> bool:
        """Waits a little for the file to be read, else prepares the keys of one joint or link; returns whether there are more.

        Raises:
            RigError: the file cannot be used, the object has none of its joints, the keys would not play, or a joint cannot have the
                values.
        """
        if self.recording is None:
            try:
                found = self.reading.result(WAIT)
            except HardwareError as error:
                raise RigError(str(error)) from error
            if found is not None:
                self._take(found.from_zero())
            return True
        one = self.left.pop(0)
        if isinstance(one, Column):
            joint = self.matched[one.name]
            own = resampled(in_joint_unit(one, joint, self.rig), self.recording.times, self.at, one.velocities)
            values = [joint.sign * value for value in own]
            self._tell_limits(joint, values)
            self.values[one.name] = values
        else:
            self.poses[one.link] = poses_at(self.recording.poses[one.link], self.recording.times, self.at)
        return bool(self.left)

    def _tell_limits(self, joint: FileJoint, values: Sequence[float]) -> None:
        lower, upper = min(values), max(values)
        if lower < joint.lower - SLACK or upper > joint.upper + SLACK:
            axis = joint.key[2]
            self.warnings.append(
                f"Joint '{joint.name}' goes from {axes.range_text(axis, lower, upper)}, and its limits are"
                f" {axes.range_text(axis, joint.lower, joint.upper)}: what is live, and the robot, stop there"
            )

    def finish(self) -> Imported:
        """Writes the keys on new actions and adds the sound; returns the result."""
        targets = [with_target(target) for target in self.targets]
        if targets:
            bpy.context.view_layer.update()  # so that targets that were just made have their transforms
        columns = [(self.matched[name], values) for name, values in self.values.items()]
        keys = {joint.channel: values for joint, values in columns if joint.channel is not None}
        together = {joint.key[1:]: values for joint, values in columns if joint.channel is None}
        keys |= channels.over_time(self.rig, together, {joint.key[1:]: (joint.lower, joint.upper) for joint, _ in columns})
        for target in targets:
            keys |= target.keys(self.poses[target.link])
        self._let_play()
        made = [self._write(channel.owner, keys) for channel in {channel.uid: channel for channel in keys}.values()]
        self.warnings += muting.mute_what_wins(keys)
        sentence = f"'{self.path.name}': {self.recording.times[-1]:.1f} s of {counted(len(self.values), 'joint')}"
        sentence += "".join(f" and the pose of '{target.link}'" for target in targets)
        sentence += f" from frame {self.start}"
        if self.sound is not None:
            try:
                add_sound(self.scene, self.sound, self.start)
                sentence += f", with sound '{self.sound.name}'"
            except RigError as error:
                self.warnings.append(str(error))
        self._end()
        return Imported(made, sentence, self.warnings)

    def _let_play(self) -> None:
        """Lets the mechanism follow the keys: by its targets if links have poses, by its motors if all of these have values."""
        settings = self.rig.limber.mechanism
        motors = {joint.motor for joint in self.matched.values() if joint.motor >= 0}
        drive = "TARGETS" if self.targets else "MOTORS" if motors and len(motors) == len(settings.motors) else settings.drive
        if (motors or self.targets) and settings.drive != drive:
            settings.drive = drive
            self.warnings.append(f"Mechanism '{self.rig.name}' is now driven by its {drive.lower()}")
        freed = [settings.motors[k] for k in sorted(motors) if drive == "TARGETS" and not settings.motors[k].keeps_value]
        for motor in freed:
            motor.keeps_value = True
        if freed:
            names = named([motor.name for motor in freed])
            self.warnings.append(f"Targets leave {names} at their own values now (Keep Value)")

    def _write(self, thing, keys: dict[Channel, list[float]]) -> bpy.types.Action:
        action, handle, curves = new_action(thing, self.path.stem)
        for channel, values in keys.items():
            if channel.uid == thing.session_uid:
                actions.bake_keys(curves, channel.path, channel.index, channel.group, self.frames, values)
        actions.assign(thing, action, handle)
        return action
