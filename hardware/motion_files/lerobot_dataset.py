"""Episodes of LeRobot's datasets, versions 2 and 3: a folder with Parquet tables and meta/info.json.

Values of an arm are degrees from LeRobot's zero, or shares of the servos' ranges in older datasets; a dataset
does not say which. The gripper's are always shares.

Source: `LeRobotDataset` of lerobot 0.6.1.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...files.content import open_regular
from ...files.json_fields import JsonFields
from ...files.parquet import ParquetError, ParquetTable
from ..lerobot.calibration import GRIPPER
from .json_files import document
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
# joints of the SO-100 and SO-101 in the order of their servos
SO_ARM = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", GRIPPER)
BEFORE_2025 = "main_"  # prefix of the SO-100's joints in older datasets
MOST_FILES = 10_000  # number of a dataset's tables that are searched for an episode; others are ignored
MOST_ROWS = 20_000_000  # largest number of rows that are searched, four days at 50 Hz; more are refused


@dataclass(frozen=True, slots=True)
class EpisodeChoice:
    """The episode of a dataset to read, and which of its values.

    Attributes:
        number: Number of the episode.
        part: Feature to read: commanded or measured values.
        values: Unit of the arm's values; "plain": the joints' own units.
    """

    number: int = 0
    part: Part = "action"
    values: Values = "degrees"


def is_info(json_value: object) -> bool:
    """Whether a JSON value is a dataset's meta/info.json."""
    return isinstance(json_value, Mapping) and VERSION in json_value and "features" in json_value


def read(data: bytes, path: Path, episode: EpisodeChoice, allow_large: bool = False) -> Recording:
    """Recording of one episode of a dataset.

    Args:
        data: Content of the dataset's meta/info.json.
        path: Path of meta/info.json.
        episode: The episode, and the values to read.
        allow_large: Whether tables may announce more than 50 MB of numbers.

    Raises:
        LargeMotionError: The tables announce more than that.
        MotionFileError: The dataset is damaged, or lacks the episode or the feature.
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
        RecordedColumn(
            joint_name(name), tuple(numbers[k::size]), value_unit(joint_name(name), episode.values)
        )
        for k, name in enumerate(names)
    )
    return Recording(
        tuple(k / rate for k in range(len(numbers) // size)), tuple(columns), title=path.parent.parent.name
    )


def _names(info: JsonFields, part: str) -> list[str]:
    """Names of the components of the feature `part`, one for each of the arm's joints."""
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


def joint_name(name: str) -> str:
    """Name of the joint of a dataset's component: "main_elbow_flex.pos" is "elbow_flex"."""
    return name.removesuffix(SUFFIX).removeprefix(BEFORE_2025)


def value_unit(joint: str, values: Values) -> Unit:
    """Unit of a joint's values in a dataset whose arm has the unit `values`: the gripper has shares of its
    range, 0 to 100, unless the unit is "plain".
    """
    return "range_0_100" if joint == GRIPPER and values != "plain" else values


def _files(root: Path, episode: int) -> list[Path]:
    """Tables that may contain an episode: the file named after it (version 2), else all tables, at most
    MOST_FILES (version 3).
    """
    files = sorted((root / "data").glob("*/*.parquet"))
    return [file for file in files if file.stem == f"episode_{episode:06d}"] or files[:MOST_FILES]


class _Decoding:
    """Decodes an episode's numbers from a dataset's tables, and limits how many numbers are decoded
    in all.
    """

    def __init__(self, episode: EpisodeChoice, size: int, allow_large: bool) -> None:
        self.episode, self.size, self.allow_large = episode, size, allow_large
        self.rows = self.count = 0  # rows searched so far; numbers decoded in the search and in the episode

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
        """Count numbers that will be decoded; raises LargeMotionError or ParquetError if they become too
        many.
        """
        self.count += count
        if self.count > ASKED_NUMBERS and not self.allow_large:
            raise LargeMotionError(
                f"it announces {self.count} numbers, {self.count * NUMBER_BYTES / 1e6:.0f} MB"
            )
        if self.count > MOST_ROWS + MOST_NUMBERS:
            raise ParquetError(f"with it there are {self.count} numbers: split the dataset")
