"""Encoding of an episode of a LeRobot dataset, for transfer from the process that makes it to the one that
numbers all episodes.
"""

from __future__ import annotations

from pathlib import Path

from ..files.content import open_regular
from ..files.parquet import Column, ParquetTable, encode
from ..hardware.motion_files.lerobot_writing import EpisodeRows

ACTION = "action"


def encode_episode(episode: EpisodeRows) -> bytes:
    """The rows of an episode as a Parquet file."""
    return encode([Column(ACTION, "float32", episode.rows, is_list=True)])


def read_episode(path: Path, task: str, names: list[str], rate: int) -> EpisodeRows:
    """The episode in a file of `encode_episode`.

    Args:
        path: The file.
        task, names, rate: As in `EpisodeRows`.

    Raises:
        OSError, ParquetError: the file cannot be read.
    """
    with open_regular(path) as file:
        table = ParquetTable(file)
        numbers = [
            number for group in range(len(table.groups)) for number in table.column(group, ACTION).tolist()
        ]
    size = len(names)
    rows = [tuple(numbers[start : start + size]) for start in range(0, len(numbers), size)]
    return EpisodeRows(task, tuple(names), rate, rows)
