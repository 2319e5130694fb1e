"""Index files of a folder of retargeted clips: the manifest, and a LeRobot dataset of all clips."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..files import atomic
from ..hardware.motion_files.lerobot_dataset import INFO
from ..hardware.motion_files.lerobot_writing import EpisodeRows, dataset
from .episodes import read_episode
from .records import FAILED, STARTED, Records, TaskRecord
from .tasks import FileTask

MANIFEST = "manifest.json"
FLAGGED = "flagged"
INTERNAL = ("joints",)  # facts of a record that are not in the manifest

Ended = tuple[FileTask, TaskRecord]


def write_index(
    folder: Path, tasks: Sequence[FileTask], records: Records, form: str, only_good: bool
) -> bool:
    """Writes the manifest and, for LeRobot, the dataset, once all clips of all shards are finished, unless
    the same manifest is there already; any shard writes the same bytes. Returns whether all clips are
    finished.

    Args:
        folder: Folder of the clips, in which the manifest and the dataset are written.
        tasks: All clips, in their order.
        records: Their records.
        form: Format of the command.
        only_good: Whether to leave flagged clips out of the dataset.

    Raises:
        OSError, ParquetError, MotionFileError: something cannot be read or written.
    """
    ended = [(task, record) for task in tasks if (record := records.read(task)) is not None]
    if len(ended) < len(tasks) or any(record.state == STARTED for _, record in ended):
        return False
    episodes = [each for each in ended if form == "lerobot" and _is_episode(each[1], only_good)]
    manifest = json.dumps(_manifest(folder, ended, episodes), indent=1) + "\n"
    path = folder / MANIFEST
    if not path.is_file() or path.read_bytes() != manifest.encode("utf-8"):
        path.unlink(missing_ok=True)  # the file exists only while it is valid
        if form == "lerobot":
            _write_dataset(folder, [_episode(folder, *each) for each in episodes])
        atomic.write_text(path, manifest)
    return True


def clip_name(folder: Path, task: FileTask) -> str:
    """Name of a clip: its path in the folder of clips, without suffix."""
    return task.output.relative_to(folder / "clips").with_suffix("").as_posix()


def _is_episode(record: TaskRecord, only_good: bool) -> bool:
    """Whether a clip belongs to the dataset; `only_good` as for `write_index`."""
    return record.state != FAILED and not (only_good and record.state == FLAGGED)


def _manifest(folder: Path, ended: Sequence[Ended], episodes: Sequence[Ended]) -> list[dict[str, Any]]:
    """An entry for each clip: name, verdict and reason, file and its SHA-256, number in the dataset (None for
    a clip that is not in it), and the facts of its record, apart from `INTERNAL`.
    """
    numbers = {task: number for number, (task, _) in enumerate(episodes)}
    rows = []
    for task, record in ended:
        row: dict[str, Any] = {"clip": clip_name(folder, task), "verdict": record.state}
        row |= {"reason": record.reason, "file": task.output.relative_to(folder).as_posix()}
        row |= {"sha256": record.output, "episode": numbers.get(task)}
        rows.append(row | {name: fact for name, fact in record.facts.items() if name not in INTERNAL})
    return rows


def _episode(folder: Path, task: FileTask, record: TaskRecord) -> EpisodeRows:
    facts = record.facts
    return read_episode(task.output, clip_name(folder, task), facts["joints"], facts["rate"])


def _write_dataset(folder: Path, episodes: Sequence[EpisodeRows]) -> None:
    """Writes the dataset's files, and deletes tables of an earlier one. meta/info.json is written last, so
    that an incomplete dataset is not recognised as one.
    """
    (folder / INFO).unlink(missing_ok=True)
    written = set()
    for name, data in dataset(episodes) if episodes else ():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, data)
        written.add(path)
    for stale in _tables(folder):
        if stale not in written:
            stale.unlink()


def _tables(folder: Path) -> Iterator[Path]:
    """Paths of the dataset's Parquet files in the folder."""
    return (folder / "data").glob("*/*.parquet")
