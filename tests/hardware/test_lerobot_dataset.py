"""Tests episodes of LeRobot's datasets: other versions are read, and missing parts are named."""

import json
import os

import pytest
from limber.files.parquet import Column, encode
from limber.hardware.motion_files import (
    FORMATS,
    EpisodeChoice,
    LargeMotionError,
    MotionFileError,
    Settings,
    read,
    write,
)

from tests.hardware.moves import arm, motion

NAMES = ["main_shoulder_pan", "main_gripper"]


def dataset(root, episodes: dict[int, int], names=NAMES, version: int = 2, **changed):
    """A dataset of `episodes` {number: rows}, whose values are ten times the episode's number plus the row;
    in version 2 with a table for each episode.
    """
    feature = {"dtype": "float32", "shape": [len(NAMES)], "names": names}
    info = {
        "codebase_version": f"v{version}.1",
        "fps": 50,
        "total_episodes": len(episodes),
        "features": {"action": feature},
    }
    files = {"meta/info.json": json.dumps(info | changed).encode()}
    rows = [(number, k) for number, count in episodes.items() for k in range(count)]
    for number in episodes:
        own = [row for row in rows if version == 3 or row[0] == number]
        actions = [[10.0 * number + k, 50.0] for number, k in own]
        path = (
            "data/chunk-000/file-000.parquet"
            if version == 3
            else f"data/chunk-000/episode_{number:06d}.parquet"
        )
        files[path] = encode(
            [
                Column("action", "float32", actions, is_list=True),
                Column("episode_index", "int64", [n for n, _ in own]),
            ]
        )
    write(root, files)
    return root


def episode(root, number: int = 0, part: str = "action", values: str = "degrees"):
    return read(root, settings=Settings(episode=EpisodeChoice(number, part, values)))


@pytest.mark.parametrize("version", [2, 3])
def test_an_episode_of_several_is_read(tmp_path, version):
    found = episode(dataset(tmp_path / "set", {0: 3, 1: 4}, version=version), 1)
    assert found.times == pytest.approx((0.0, 0.02, 0.04, 0.06))
    assert [(column.name, column.unit) for column in found.columns] == [
        ("shoulder_pan", "degrees"),
        ("gripper", "range_0_100"),
    ]
    assert found.columns[0].values == (10.0, 11.0, 12.0, 13.0)
    assert episode(tmp_path / "set", 0).columns[0].values == (0.0, 1.0, 2.0)


def test_an_episode_with_its_own_file_is_read_however_many_there_are(tmp_path, monkeypatch):
    monkeypatch.setattr("limber.hardware.motion_files.lerobot_dataset.MOST_FILES", 2)
    root = dataset(tmp_path / "set", dict.fromkeys(range(5), 2))
    assert episode(root, 4).columns[0].values == (40.0, 41.0)


def test_names_may_be_in_a_group(tmp_path):
    assert [
        column.name for column in episode(dataset(tmp_path / "set", {0: 2}, {"motors": NAMES})).columns
    ] == ["shoulder_pan", "gripper"]


@pytest.mark.parametrize(
    ("values", "units"),
    [("range_m100_100", ("range_m100_100", "range_0_100")), ("plain", ("plain", "plain")), ("degrees", None)],
)
def test_the_unit_is_the_one_that_is_asked_for_and_the_gripper_s_a_share(tmp_path, values, units):
    found = episode(dataset(tmp_path / "set", {0: 2}), values=values)
    assert tuple(column.unit for column in found.columns) == (units or ("degrees", "range_0_100"))


def test_the_file_is_found_by_its_folder_and_by_its_info(tmp_path):
    write(tmp_path / "wave", FORMATS["lerobot"].make(arm(5), Settings()))
    assert read(tmp_path / "wave") == read(tmp_path / "wave" / "meta" / "info.json")
    measured = episode(tmp_path / "wave", part="observation.state")
    assert measured.columns == read(tmp_path / "wave").columns


def test_a_dataset_names_the_robot_only_where_it_is_lerobot_s_own():
    for found, kind in ((arm(3), "so_follower"), (motion(rows=3), None)):
        info = json.loads(FORMATS["lerobot"].make(found, Settings())["meta/info.json"])
        assert info["robot_type"] == kind


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"fps": 0}, "fps: expected rows per second"),
        ({"fps": "x"}, "fps: expected a finite number"),
        ({"total_episodes": -1}, "total_episodes: expected a whole number"),
        ({"features": {}}, "features, action: expected the arm's values, found nothing"),
        ({"features": {"action": {"names": None}}}, "names: expected a list of the joints' names"),
        (
            {"features": {"action": {"names": ["a", "b", "c"]}}},
            "'action' has 2 numbers in a row, and meta/info.json names 3",
        ),
    ],
)
def test_an_info_that_cannot_be_used_is_named_with_the_field(tmp_path, changed, sentence):
    with pytest.raises(MotionFileError, match=f"'info.json': .*{sentence}"):
        episode(dataset(tmp_path / "set", {0: 2}, **changed))


def test_an_episode_that_is_not_there_is_told_with_how_many_there_are(tmp_path):
    root = dataset(tmp_path / "set", {0: 2, 1: 2}, version=3)
    with pytest.raises(MotionFileError, match="there is no episode 2: the dataset has 2, counted from 0"):
        episode(root, 2)
    (root / "data" / "chunk-000" / "file-000.parquet").write_bytes(
        b"version https://git-lfs.github.com/spec/v1"
    )
    with pytest.raises(MotionFileError, match=r"its table chunk-000/file-000\.parquet: .*Git LFS"):
        episode(root)
    (root / "data" / "chunk-000" / "file-000.parquet").unlink()
    with pytest.raises(MotionFileError, match="have no row of episode 0: fetch the dataset whole"):
        episode(root)


def test_tables_that_announce_much_are_read_only_where_that_is_allowed(tmp_path, monkeypatch):
    root = dataset(tmp_path / "set", {0: 30, 1: 30}, version=3)
    monkeypatch.setattr("limber.hardware.motion_files.lerobot_dataset.ASKED_NUMBERS", 100)
    with pytest.raises(LargeMotionError, match="it announces 120 numbers, 0 MB: Tick Large File"):
        episode(root)  # 60 numbers of episodes, and two of each of its 30 rows
    assert len(read(root, settings=Settings(allow_large=True)).times) == 30
    monkeypatch.setattr("limber.hardware.motion_files.lerobot_dataset.ASKED_NUMBERS", 120)
    assert len(episode(root).times) == 30


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_place_of_a_table_is_none(tmp_path):
    root = dataset(tmp_path / "set", {0: 3}, version=3)
    table = root / "data" / "chunk-000" / "file-000.parquet"
    table.unlink()
    os.mkfifo(table)
    with pytest.raises(MotionFileError, match=r"cannot be read .*it is no file"):
        episode(root)
