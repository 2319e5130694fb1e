"""Episodes of LeRobot's datasets, versions 2 and 3: a folder with Parquet tables and meta/info.json.

Values of an arm are degrees from LeRobot's zero, or shares of the servos' ranges in older datasets; no file
says which. The gripper's are always shares.

Source: `LeRobotDataset` of lerobot 0.6.1.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...files.content import open_regular
from ...files.json_fields import JsonFields
from ...files.parquet import Column as ParquetColumn
from ...files.parquet import ParquetError, ParquetTable, Texts, encode
from ..lerobot import GRIPPER
from .json_files import document
from .lerobot_statistics import statistics
from .motion import Motion
from .named import Scale
from .recording import (
    ASKED_NUMBERS,
    MOST_NUMBERS,
    NUMBER_BYTES,
    LargeMotionError,
    MotionFileError,
    RecordedColumn,
    Recording,
    Unit,
)

Values = Literal["degrees", "range_m100_100", "plain"]
Part = Literal["action", "observation.state"]

INFO = "meta/info.json"
VERSION = "codebase_version"
EPISODE = "episode_index"
SUFFIX = ".pos"
SO_ARM = (
    "shoulder_pan",
    "shoulder_lift",
    "elbow_flex",
    "wrist_flex",
    "wrist_roll",
    GRIPPER,
)  # in the order of their servos
BEFORE_2025 = "main_"  # prefix of the SO-100's joints
MOST_FILES = 10_000  # largest number of files of a dataset
MOST_ROWS = 20_000_000  # largest number of rows that are looked at: four days at 50 Hz
DATA_FILE = "chunk-000/file-000.parquet"
NOTHING = {
    "name": None,
    "field_name": None,
    "pandas_type": "unicode",
    "numpy_type": "object",
    "metadata": {"encoding": "UTF-8"},
}


@dataclass(frozen=True, slots=True)
class Episode:
    """Which episode of a dataset is read, and which of its values.

    Attributes:
        number: Number of the episode.
        part: Feature: what was commanded, or what was measured.
        values: Unit of the arm's values; "plain": the joints' own units.
    """

    number: int = 0
    part: Part = "action"
    values: Values = "degrees"


def is_info(json_value: object) -> bool:
    """Whether a JSON value is a dataset's meta/info.json."""
    return isinstance(json_value, Mapping) and VERSION in json_value and "features" in json_value


def read(data: bytes, path: Path, episode: Episode, allow_large: bool = False) -> Recording:
    """Recording of one episode of a dataset.

    Args:
        data: Content of the dataset's meta/info.json.
        path: Path of meta/info.json.
        episode: Which episode, and which of its values.
        allow_large: Whether tables may announce more than 50 MB of numbers.

    Raises:
        LargeMotionError: The tables announce more.
        MotionFileError: The dataset is damaged, or lacks the episode; the message names the file in the
            dataset, expected and found value.
    """
    info = document(data)
    rate, total = info.number("fps"), info.whole("total_episodes", 0, 10**9)
    if not 0.0 < rate <= 1e4:
        info.wrong("fps", "rows per second")
    if not 0 <= episode.number < total:
        raise MotionFileError(
            f"there is no episode {episode.number}: the dataset has {total}, counted from 0"
        )
    names = _names(info, episode.part)
    decoding = _Decoding(episode, len(names), allow_large)
    numbers = array("d")
    for file in _files(path.parent.parent, episode.number):
        numbers += decoding.numbers(file)
    if not numbers:
        raise MotionFileError(
            f"its tables in data/ have no row of episode {episode.number}: fetch the dataset whole"
        )
    size = len(names)
    columns = (
        RecordedColumn(_joint(name), tuple(numbers[k::size]), _unit(_joint(name), episode.values))
        for k, name in enumerate(names)
    )
    return Recording(
        tuple(k / rate for k in range(len(numbers) // size)), tuple(columns), title=path.parent.parent.name
    )


def _names(info: JsonFields, part: str) -> list[str]:
    """Names of a feature's components: the joints."""
    features = info.child("features")
    if not features.has(part):
        features.wrong(part, "the arm's values")
    feature = features.child(part)
    names = feature.get("names", object)
    if isinstance(names, Mapping):  # {"motors": [...]}, in datasets of version 2
        names = next(iter(names.values()), None)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        feature.wrong("names", "a list of the joints' names")
    return names


def _joint(name: str) -> str:
    return name.removesuffix(SUFFIX).removeprefix(BEFORE_2025)


def _unit(joint: str, values: Values) -> Unit:
    return "range_0_100" if joint == GRIPPER and values != "plain" else values


def _files(root: Path, episode: int) -> list[Path]:
    """Tables that may have an episode: the file named after it (version 2), else all tables (version 3)."""
    files = sorted((root / "data").glob("*/*.parquet"))[:MOST_FILES]
    return [file for file in files if file.stem == f"episode_{episode:06d}"] or files


class _Decoding:
    """Decodes an episode's numbers from a dataset's tables, and limits how many numbers are decoded
    in all.
    """

    def __init__(self, episode: Episode, size: int, allow_large: bool) -> None:
        self.episode, self.size, self.allow_large = episode, size, allow_large
        self.rows = self.count = 0  # rows that were looked at; numbers of these and of the episode

    def numbers(self, file: Path) -> array[float]:
        """Numbers of the episode's rows in a table, in their order, `size` in each."""
        try:
            with open_regular(file) as opened:
                table = ParquetTable(opened)
                row_numbers = array("d")
                for group in range(len(table.groups)):
                    row_numbers += self._of_group(table, group)
                return row_numbers
        except ParquetError as error:
            raise MotionFileError(f"its table {file.parent.name}/{file.name}: {error}") from error
        except OSError as error:
            raise MotionFileError(
                f"its table '{file}' cannot be read ({error.strerror}): fetch the dataset whole"
            ) from error

    def _of_group(self, table: ParquetTable, group: int) -> array[float]:
        number, part, count = self.episode.number, self.episode.part, table.groups[group]
        bounds = table.bounds(group, EPISODE)
        if bounds is not None and not bounds[0] <= number <= bounds[1]:
            return array("d")
        self.rows += count
        if self.rows > MOST_ROWS:
            raise ParquetError(
                f"with it there are {self.rows} rows, more than {MOST_ROWS}: split the dataset"
            )
        self._announce(count)
        episodes = table.column(group, EPISODE)
        episode_rows = episodes.count(number)
        if not episode_rows:
            return array("d")
        first = episodes.index(number)
        if episodes[first : first + episode_rows].count(number) != episode_rows:
            raise ParquetError(f"rows of episode {number} lie between those of others: it is damaged")
        if (width := table.width(group, part)) != self.size:
            raise ParquetError(
                f"'{part}' has {width} numbers in a row, and {INFO} names {self.size}: one of them is damaged"
            )
        self._announce(episode_rows * self.size)
        return array("d", table.column(group, part, first, first + episode_rows))

    def _announce(self, count: int) -> None:
        """Adds numbers that will be decoded; raises LargeMotionError, or ParquetError, where these become too
        many.
        """
        self.count += count
        if self.count > ASKED_NUMBERS and not self.allow_large:
            raise LargeMotionError(
                f"it announces {self.count} numbers, {self.count * NUMBER_BYTES / 1e6:.0f} MB"
            )
        if self.count > MOST_ROWS + MOST_NUMBERS:
            raise ParquetError(f"with it there are {self.count} numbers: split the dataset")


def write(motion: Motion, values: Values) -> dict[str, bytes]:
    """Files of a version 3 dataset with one episode, by their paths; both its commanded and its measured
    values are the motion's.

    Raises:
        MotionFileError: A servo's range is not known.
    """
    joints = sorted(zip(motion.named, motion.recording.columns, strict=True), key=lambda pair: pair[0].servo)
    columns = []
    for named, column in joints:
        columns.append(_in_unit(column, named.scale, _unit(named.name, values)))
    rows, count = list(zip(*columns, strict=True)), len(motion.values)
    names = [f"{named.name}{SUFFIX}" for named, _ in joints]
    task = motion.title
    data = [
        ParquetColumn("action", "float32", rows, is_list=True),
        ParquetColumn("observation.state", "float32", rows, is_list=True),
        ParquetColumn("timestamp", "float32", motion.times),
        ParquetColumn("frame_index", "int64", range(count)),
        ParquetColumn(EPISODE, "int64", [0] * count),
        ParquetColumn("index", "int64", range(count)),
        ParquetColumn("task_index", "int64", [0] * count),
    ]
    places = (
        "data/chunk_index",
        "data/file_index",
        "dataset_from_index",
        "meta/episodes/chunk_index",
        "meta/episodes/file_index",
    )
    episodes: list[ParquetColumn | Texts] = [
        ParquetColumn(EPISODE, "int64", [0]),
        Texts("tasks", [task], is_list=True),
        ParquetColumn("length", "int64", [count]),
        ParquetColumn("dataset_to_index", "int64", [count]),
        *(ParquetColumn(name, "int64", [0]) for name in places),
    ]
    tasks: list[ParquetColumn | Texts] = [ParquetColumn("task_index", "int64", [0]), Texts("task", [task])]
    stats = {
        column.name: statistics(column.rows if column.is_list else [[number] for number in column.rows])
        for column in data
    }
    return {
        INFO: json.dumps(_info(motion.rate, names, count), indent=4).encode("utf-8"),
        "meta/stats.json": json.dumps(stats, indent=4).encode("utf-8"),
        "meta/tasks.parquet": encode(tasks, {"pandas": _pandas()}),
        f"meta/episodes/{DATA_FILE}": encode(episodes),
        f"data/{DATA_FILE}": encode(data),
    }


def _in_unit(column: RecordedColumn, scale: Scale, unit: Unit) -> list[float]:
    if column.unit == "plain" or unit == "plain" or unit == "rad" or unit == "m":
        return list(column.values)
    return [scale.value(value, unit) for value in column.values]


def _info(rate: int, names: list[str], count: int) -> dict[str, object]:
    arm = {"dtype": "float32", "shape": [len(names)], "names": names}
    row_features = {
        "timestamp": "float32",
        "frame_index": "int64",
        EPISODE: "int64",
        "index": "int64",
        "task_index": "int64",
    }
    features = {"action": arm, "observation.state": arm}
    return {
        VERSION: "v3.0",
        "fps": rate,
        "features": (
            features
            | {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in row_features.items()}
        ),
        "total_episodes": 1,
        "total_frames": count,
        "total_tasks": 1,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": None,
        "robot_type": "so_follower" if [_joint(name) for name in names] == [*SO_ARM] else None,
        "splits": {"train": "0:1"},
    }


def _pandas() -> str:
    """Metadata by which pandas makes the column "task" the table's index."""
    columns = [("task_index", "int64", "int64"), ("task", "unicode", "object")]
    described = [
        {"name": n, "field_name": n, "pandas_type": p, "numpy_type": t, "metadata": None}
        for n, p, t in columns
    ]
    return json.dumps(
        {
            "index_columns": ["task"],
            "column_indexes": [NOTHING],
            "columns": described,
            "pandas_version": "2.3.3",
        }
    )
