"""Writing of LeRobot's datasets, version 3: episodes of one robot as Parquet tables and meta/info.json.

Source: `LeRobotDataset` of lerobot 0.6.1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...files.parquet import Column as ParquetColumn
from ...files.parquet import Texts, encode
from .lerobot_dataset import EPISODE, INFO, SO_ARM, SUFFIX, VERSION, Values, joint_name, value_unit
from .lerobot_statistics import statistics
from .motion import Motion
from .named import Named, Scale
from .recording import MotionFileError, RecordedColumn, Recording, Unit

CHUNK = 1000  # number of files in a folder of a dataset, as in LeRobot
EPISODES_FILE = "meta/episodes/chunk-000/file-000.parquet"
# pandas' description of the index of a table's columns, which has no name
PANDAS_COLUMN_INDEX = {
    "name": None,
    "field_name": None,
    "pandas_type": "unicode",
    "numpy_type": "object",
    "metadata": {"encoding": "UTF-8"},
}


@dataclass(frozen=True, slots=True)
class EpisodeRows:
    """One episode to write.

    Attributes:
        task: Description of what the robot does.
        names: Names of the n components of a row.
        rate: Rows per second.
        rows: Values (rows, n) in LeRobot's units, written as both commanded and measured ones.
    """

    task: str
    names: tuple[str, ...]
    rate: int
    rows: Sequence[Sequence[float]]


def write(motion: Motion, values: Values) -> dict[str, bytes]:
    """Files of a dataset with one episode, by their paths; `values`: unit of the arm's values.

    Raises:
        MotionFileError: A servo's range is not known.
    """
    return dict(dataset([episode_rows(motion.recording, motion.named, motion.rate, values)]))


def episode_rows(recording: Recording, names: Sequence[Named], rate: int, values: Values) -> EpisodeRows:
    """A recording as an episode; its joints are in the order of their servos.

    Args:
        recording: The recording; its title is the episode's task.
        names: Names and scales of its columns.
        rate: Its rows per second.
        values: Unit of the arm's values.

    Raises:
        MotionFileError: A servo's range is not known.
    """
    joints = sorted(zip(names, recording.columns, strict=True), key=lambda pair: pair[0].servo)
    columns = []
    for named, column in joints:
        columns.append(_in_unit(column, named.scale, value_unit(named.name, values)))
    components = tuple(f"{named.name}{SUFFIX}" for named, _ in joints)
    return EpisodeRows(recording.title, components, rate, list(zip(*columns, strict=True)))


def dataset(episodes: Sequence[EpisodeRows]) -> Iterator[tuple[str, bytes]]:
    """Files of a dataset with these episodes, numbered from 0 in this order: path in the dataset, and
    content. meta/info.json, which makes a folder a dataset, comes last.

    Raises:
        MotionFileError: Two episodes have different joints or rates; the message names their tasks.
    """
    _check_alike(episodes)
    tasks = list(dict.fromkeys(episode.task for episode in episodes))
    lengths = [len(episode.rows) for episode in episodes]
    ends = list(accumulate(lengths))
    starts = [end - length for end, length in zip(ends, lengths, strict=True)]
    columns: list[list[ParquetColumn]] = []
    for number, (episode, start) in enumerate(zip(episodes, starts, strict=True)):
        columns.append(_episode_columns(episode, number, start, tasks.index(episode.task)))
        yield _data_path(number), encode(columns[-1])
    yield "meta/stats.json", json.dumps(_dataset_statistics(columns), indent=4).encode("utf-8")
    numbers = range(len(episodes))
    episode_table: list[ParquetColumn | Texts] = [
        ParquetColumn(EPISODE, "int64", numbers),
        Texts("tasks", [episode.task for episode in episodes], is_list=True),
        ParquetColumn("length", "int64", lengths),
        ParquetColumn("dataset_to_index", "int64", ends),
        ParquetColumn("data/chunk_index", "int64", [number // CHUNK for number in numbers]),
        ParquetColumn("data/file_index", "int64", [number % CHUNK for number in numbers]),
        ParquetColumn("dataset_from_index", "int64", starts),
        ParquetColumn("meta/episodes/chunk_index", "int64", [0] * len(episodes)),
        ParquetColumn("meta/episodes/file_index", "int64", [0] * len(episodes)),
    ]
    yield EPISODES_FILE, encode(episode_table)
    task_table: list[ParquetColumn | Texts] = [
        ParquetColumn("task_index", "int64", range(len(tasks))),
        Texts("task", tasks),
    ]
    yield "meta/tasks.parquet", encode(task_table, {"pandas": _pandas_metadata()})
    yield INFO, json.dumps(_info(episodes, sum(lengths), len(tasks)), indent=4).encode("utf-8")


def _check_alike(episodes: Sequence[EpisodeRows]) -> None:
    first = episodes[0]
    for episode in episodes:
        if (episode.names, episode.rate) != (first.names, first.rate):
            raise MotionFileError(
                f"'{episode.task}' has other joints or another rate than '{first.task}': a dataset is of one"
                " robot, so write them to different folders"
            )


def _data_path(number: int) -> str:
    return f"data/chunk-{number // CHUNK:03d}/file-{number % CHUNK:03d}.parquet"


def _episode_columns(episode: EpisodeRows, number: int, start: int, task: int) -> list[ParquetColumn]:
    """Columns of the table of the episode with this number; `start` is the number of rows in the episodes
    before it, `task` the index of its task.
    """
    count = len(episode.rows)
    return [
        ParquetColumn("action", "float32", episode.rows, is_list=True),
        ParquetColumn("observation.state", "float32", episode.rows, is_list=True),
        ParquetColumn("timestamp", "float32", [row / episode.rate for row in range(count)]),
        ParquetColumn("frame_index", "int64", range(count)),
        ParquetColumn(EPISODE, "int64", [number] * count),
        ParquetColumn("index", "int64", range(start, start + count)),
        ParquetColumn("task_index", "int64", [task] * count),
    ]


def _dataset_statistics(columns: Sequence[Sequence[ParquetColumn]]) -> dict[str, dict[str, list[float]]]:
    """Statistics of each column over all episodes' tables."""
    features = {}
    for parts in zip(*columns, strict=True):
        is_list = parts[0].is_list
        rows = [row if is_list else [row] for part in parts for row in part.rows]
        features[parts[0].name] = statistics(rows)
    return features


def _in_unit(column: RecordedColumn, scale: Scale, unit: Unit) -> list[float]:
    """Values of a column in `unit`; unchanged if the unit is the joints' own, and for an auxiliary value.
    Raises MotionFileError if the servo's range is needed and not known.
    """
    if column.unit == "plain" or unit == "plain" or unit == "rad" or unit == "m":
        return list(column.values)
    return [scale.value(value, unit) for value in column.values]


def _info(episodes: Sequence[EpisodeRows], rows: int, tasks: int) -> dict[str, object]:
    names = list(episodes[0].names)
    joint_feature = {"dtype": "float32", "shape": [len(names)], "names": names}
    row_features = {
        "timestamp": "float32",
        "frame_index": "int64",
        EPISODE: "int64",
        "index": "int64",
        "task_index": "int64",
    }
    features = {"action": joint_feature, "observation.state": joint_feature}
    return {
        VERSION: "v3.0",
        "fps": episodes[0].rate,
        "features": features
        | {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in row_features.items()},
        "total_episodes": len(episodes),
        "total_frames": rows,
        "total_tasks": tasks,
        "chunks_size": CHUNK,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": None,
        "robot_type": "so_follower" if [joint_name(name) for name in names] == [*SO_ARM] else None,
        "splits": {"train": f"0:{len(episodes)}"},
    }


def _pandas_metadata() -> str:
    """Metadata with which pandas makes the column "task" the table's index."""
    columns = [("task_index", "int64", "int64"), ("task", "unicode", "object")]
    described = [
        {"name": n, "field_name": n, "pandas_type": p, "numpy_type": t, "metadata": None}
        for n, p, t in columns
    ]
    return json.dumps(
        {
            "index_columns": ["task"],
            "column_indexes": [PANDAS_COLUMN_INDEX],
            "columns": described,
            "pandas_version": "2.3.3",
        }
    )
