"""Copies of a running recording in the user's folder, so that a recording that a crash interrupted can be
restored.

A copy has lines of JSON, appended as frames are recorded, so that a file is valid up to an incomplete last
line:

    {"limber_takes": 2, "object": NAME}     first
    {"take": NUMBER, "channels": [[object, bone, property, index], ...]}     before the frames of a take, and
        where its channels change
    [frame, value, ...]     values of a frame [rad; locations and prismatic joints m], in the channels' order
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import monotonic

import bpy

from ...files.atomic import append_lines
from ...files.plain import is_text, json_of, number_of
from ..blender.errors import RigError
from ..blender.user_folder import user_folder
from ..bones.channels import MOTOR, PARTS, Channel
from .take import RecordedTake

FOLDER = "takes"
VERSION = 2
LAST_FRAME = 1_048_574  # Blender's largest frame number
EVERY = 2.0  # [s] time between two additions to a copy, which is the most that a crash can lose
DONE = ".restored"  # suffix of a copy that has been restored and is not offered again

_numbers = count(1)  # numbers of the copies of this process
_open: set[Path] = set()  # copies of this process's current recordings
# object's name -> path of the newest copy of its interrupted recording, None for none; filled by `left`
_left: dict[str, Path | None] = {}


class Copy:
    """The copy of a running recording. If it cannot be written, the recording continues without it."""

    def __init__(self, rig_name: str) -> None:
        self.problem = ""
        copies_folder = folder()
        self.path = _free_path(copies_folder, rig_name) if copies_folder else None
        if self.path is None:
            self.problem = "No copy of the recording is saved: the user's folder of Blender cannot be made"
            return
        self.written = [0, 0]  # number of completely written takes, and of written frames of the next take
        self._channels: tuple = ()
        self._next = monotonic() + EVERY
        _open.add(self.path)
        self._add([{"limber_takes": VERSION, "object": rig_name}])

    def note(self, takes: Sequence[RecordedTake]) -> None:
        """Appends new frames at intervals. The last frame of a take is withheld until the next one, since it
        may still change.
        """
        if not self.problem and monotonic() >= self._next:
            self._next = monotonic() + EVERY
            self.add(takes)

    def add(self, takes: Sequence[RecordedTake]) -> None:
        """Appends new frames, except the last one of the last take, which may still change. No effect if an
        earlier write failed.
        """
        if self.problem:
            return
        lines: list = []
        for number in range(self.written[0], len(takes)):
            take, is_last = takes[number], number == len(takes) - 1
            end = len(take.rows) - is_last
            for frame, row in zip(
                take.frames[self.written[1] : end], take.rows[self.written[1] : end], strict=True
            ):
                channels = (number, tuple(row))
                if channels != self._channels:
                    self._channels = channels
                    lines.append(
                        {"take": number, "channels": [[channel.object_name, *channel[2:]] for channel in row]}
                    )
                lines.append([frame, *row.values()])
            self.written = [number, max(end, 0)] if is_last else [number + 1, 0]
        self._add(lines)

    def drop(self) -> None:
        """Deletes the copy: the recording ended normally."""
        if self.path is None:
            return
        _open.discard(self.path)
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _add(self, lines: list) -> None:
        """Appends values as lines of JSON; a failure becomes the copy's `problem`."""
        try:
            # the copy protects against crashes of Blender, not of the computer
            append_lines(self.path, [json.dumps(line) for line in lines], flush_to_disk=False)
        except OSError as error:
            self.problem = (
                f"No copy of the recording is saved, {self.path} cannot be written: {error.strerror}"
            )


def _free_path(copies_folder: Path, rig_name: str) -> Path:
    """Path for a new copy, named after the object and the process id, with a number since an earlier process
    may have had the same id.
    """
    paths = (
        copies_folder / f"{bpy.path.clean_name(rig_name)}-{os.getpid()}-{number}.jsonl" for number in _numbers
    )
    return next(path for path in paths if not path.exists())


def is_wanted() -> bool:
    """Whether recordings are copied: only with a window, since a script can save its recording itself."""
    return not bpy.app.background


def folder() -> Path | None:
    """Folder of the copies; None if it cannot be created."""
    return user_folder(FOLDER)


def left(rig: bpy.types.Object) -> Path | None:
    """Path of the newest copy of an interrupted recording of an object with the rig's name; None if there is
    none, or without a window.
    """
    if rig.name not in _left:
        copies_folder = folder() if is_wanted() else None
        copies = (
            [path for path in copies_folder.glob("*.jsonl") if not _goes_on(path) and _is_of(path, rig.name)]
            if copies_folder
            else []
        )
        _left[rig.name] = max(copies, key=lambda path: path.stat().st_mtime, default=None)
    return _left[rig.name]


def _goes_on(path: Path) -> bool:
    """Whether a copy belongs to a recording that is still running, in this Blender process or (except on
    Windows) in another.
    """
    process = path.stem.rpartition("-")[0].rpartition("-")[2]
    if path in _open or not process.isdigit() or os.name == "nt":  # on Windows, os.kill would end the process
        return path in _open
    if int(process) == os.getpid():
        return False
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _is_of(path: Path, rig_name: str) -> bool:
    """Whether a file is a copy of a recording of an object with this name, with more than its first line."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json_of(file.readline())
            return first["limber_takes"] == VERSION and first["object"] == rig_name and bool(file.readline())
    except (OSError, ValueError, TypeError, KeyError):  # the file is no copy of a recording
        return False


def forget() -> None:
    """Resets the state when another file is loaded: no recording runs, and the folder is searched again."""
    _open.clear()
    _left.clear()


def settle(rig: bpy.types.Object) -> None:
    """Marks the interrupted recording as handled by renaming its file, so that it is not offered again."""
    path = left(rig)
    if path is not None:
        with suppress(OSError):  # another process has removed it
            path.replace(path.with_suffix(DONE))
    _left.pop(rig.name, None)  # an older copy may be listed


def read(path: Path) -> list[RecordedTake]:
    """The takes in a copy, up to its last complete line.

    Raises:
        RigError: the file cannot be read, or a line before the last one is none of a recording.
    """
    takes: dict[int, RecordedTake] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RigError(f"{path} cannot be read: {error}") from error
    take, channels = RecordedTake(), []
    for number, text in enumerate(lines[1:], 2):
        try:
            line = json_of(text)
            if isinstance(line, dict):
                channels = [_channel(*channel) for channel in line["channels"]]
                take = takes.setdefault(int(line["take"]), RecordedTake())
            else:
                frame, row = _row(channels, *line)
                take.frames.append(frame)
                take.rows.append(row)
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            if number == len(lines):
                break  # Blender crashed while this line was written
            raise RigError(f"Line {number} of {path} is none of a recording's: delete the file") from error
    return [takes[number] for number in sorted(takes)]


def _row(channels: list[Channel], frame: float, *values: object) -> tuple[int, dict[Channel, float]]:
    """Frame number and values of a row. Raises ValueError, TypeError or OverflowError if it is invalid."""
    numbers = [number_of(value) for value in values]
    if None in numbers or not abs(frame) <= LAST_FRAME:
        raise ValueError(f"frame {frame} has something that is no number")
    return int(frame), dict(zip(channels, numbers, strict=True))


def _channel(object_name: str, bone: str, name: str, index: int) -> Channel:
    """A channel, from its line in a copy. Raises ValueError, TypeError or KeyError if it is invalid."""
    if not (is_text(object_name) and is_text(bone)) or not (
        0 <= index < len(PARTS[name]) if name in PARTS else MOTOR.fullmatch(name)
    ):
        raise ValueError(f"{name} {index} is no channel of a bone, an object or a motor")
    obj = bpy.data.objects.get(object_name)
    return Channel(object_name, obj.session_uid if obj is not None else 0, bone, name, index)
