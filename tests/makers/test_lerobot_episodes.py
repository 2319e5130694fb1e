"""Tests a LeRobot dataset of several episodes written by Limber: pyarrow and LeRobot read the written
values.
"""

import json
import math
from itertools import accumulate

import numpy as np
import pytest
from limber.hardware.motion_files import write
from limber.hardware.motion_files.lerobot_writing import EpisodeRows, dataset

from tests.makers.python import MISSING, has, run

NAMES = ("neck_yaw.pos", "neck_pitch.pos", "antenna.pos")
RATE = 30  # [1/s] rows per second
LENGTHS = {"walk": 40, "day/walk": 7, "Verbeugung, höflich": 23}  # task -> number of rows of its episode
CHOSEN = 1  # index of an episode with others before and after it

pytestmark = pytest.mark.skipif(
    not (has("lerobot") and has("datasets") and has("pyarrow")),
    reason=MISSING.format("LeRobot and the libraries of its datasets"),
)


def episodes() -> list[EpisodeRows]:
    """Waves that differ in each episode, row and component."""
    return [
        EpisodeRows(
            task,
            NAMES,
            RATE,
            [[90.0 * math.sin(k / 9 + j + 2 * number) for j in range(len(NAMES))] for k in range(length)],
        )
        for number, (task, length) in enumerate(LENGTHS.items())
    ]


def expected_items() -> list[dict]:
    """Each row of the dataset as both libraries read it: numbers in single precision, and the task's text."""
    items = [
        {
            "action": np.float32(row).tolist(),
            "observation.state": np.float32(row).tolist(),
            "timestamp": np.float32(k / RATE).item(),
            "frame_index": k,
            "episode_index": number,
            "task_index": number,
            "task": episode.task,
        }
        for number, episode in enumerate(episodes())
        for k, row in enumerate(episode.rows)
    ]
    return [item | {"index": index} for index, item in enumerate(items)]


@pytest.fixture
def root(tmp_path):
    write(tmp_path / "set", dict(dataset(episodes())))
    return tmp_path / "set"


def test_pyarrow_reads_the_episodes_with_their_lengths_indices_times_and_tasks(root):
    tables = json.loads(run("dataset_tables", root))
    tasks, described = (
        tables.pop(name) for name in ("meta/tasks.parquet", "meta/episodes/chunk-000/file-000.parquet")
    )
    assert tasks == {"task_index": [0, 1, 2], "task": [*LENGTHS]}
    ends = [*accumulate(LENGTHS.values())]
    assert described["episode_index"] == [0, 1, 2]
    assert described["tasks"] == [[task] for task in LENGTHS]
    assert described["length"] == [*LENGTHS.values()]
    assert described["dataset_from_index"] == [0, *ends[:-1]]
    assert described["dataset_to_index"] == ends
    columns = [
        tables.pop(f"data/chunk-{chunk:03d}/file-{file:03d}.parquet")
        for chunk, file in zip(described["data/chunk_index"], described["data/file_index"], strict=True)
    ]
    assert not tables
    assert [len(column["index"]) for column in columns] == [*LENGTHS.values()]
    expected = expected_items()
    for name in columns[0]:
        assert [value for column in columns for value in column[name]] == [item[name] for item in expected]
    assert {*columns[0], "task"} == {*expected[0]}


def test_lerobot_reads_every_item_of_the_dataset_and_of_a_chosen_episode(root, tmp_path):
    cache = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    loaded = json.loads(run("lerobot_items", root, CHOSEN, **cache).splitlines()[-1])
    expected = expected_items()
    chosen = [item for item in expected if item["episode_index"] == CHOSEN]
    assert loaded["whole"] == {"episodes": 3, "frames": len(expected), "fps": RATE, "items": expected}
    assert loaded["chosen"] == {"episodes": 1, "frames": len(chosen), "fps": RATE, "items": chosen}
