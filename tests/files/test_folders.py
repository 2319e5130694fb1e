"""Tests atomic writing of folders: the complete old folder exists, or the complete new one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from limber.files import atomic
from limber.files.folders import FolderWriter, write_folder

OLD, NEW = {"robot.yaml": b"old", "meshes/a.stl": b"old a"}, {"robot.yaml": b"new", "meshes/b.stl": b"new b"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_folder(tmp_path / "robot", OLD)
    return tmp_path / "robot"


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def written(path: Path, files: dict[str, bytes]) -> FolderWriter:
    writer = FolderWriter(path)
    for name, data in files.items():
        writer.write(name, data)
    return writer


def fail_after(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates a full disk after `count` files."""
    write, done = atomic.write, []

    def writes(path: Path, data: bytes) -> None:
        if len(done) == count:
            raise OSError("the disk is full")
        done.append(path)
        write(path, data)

    monkeypatch.setattr(atomic, "write", writes)


def test_a_new_folder_is_there_with_all_of_its_files_or_not_at_all(
    place: Path, monkeypatch: pytest.MonkeyPatch
):
    assert content(place) == OLD
    with pytest.raises(FileExistsError):
        write_folder(place, NEW)
    fail_after(1, monkeypatch)
    with pytest.raises(OSError, match="full"):
        write_folder(place.with_name("half"), NEW)
    assert [path.name for path in place.parent.iterdir()] == ["robot"]
    assert content(place) == OLD


def test_a_folder_is_replaced_at_commit_and_nothing_of_the_old_one_is_left(place: Path):
    writer = written(place, NEW)
    assert content(place) == OLD
    writer.commit()
    writer.discard()
    assert content(place) == NEW
    assert [path.name for path in place.parent.iterdir()] == ["robot"]


def test_what_is_discarded_leaves_the_old_folder(place: Path):
    written(place, NEW).discard()
    assert content(place) == OLD
    assert [path.name for path in place.parent.iterdir()] == ["robot"]


def test_a_folder_that_cannot_take_its_place_leaves_the_old_one(place: Path, monkeypatch: pytest.MonkeyPatch):
    writer = written(place, NEW)
    rename, calls = os.rename, []

    def fails_once(source, to):
        calls.append(to)
        if len(calls) == 2:
            raise OSError("a file in it is open")
        rename(source, to)

    monkeypatch.setattr(os, "rename", fails_once)
    with pytest.raises(OSError, match="open"):
        writer.commit()
    writer.discard()
    assert content(place) == OLD
    assert [path.name for path in place.parent.iterdir()] == ["robot"]


def test_what_a_killed_process_left_is_cleaned_up_and_an_old_folder_returns_to_its_empty_place(place: Path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = written(place, NEW)
    stays = written(place.with_name("robot.2"), NEW)  # belongs to a process that is running: this one
    hidden = left._new.with_name(left._new.name.replace(str(os.getpid()), str(ended.pid)))
    left._new.rename(hidden)
    away = left._old.with_name(left._old.name.replace(str(os.getpid()), str(ended.pid)))
    place.rename(away)
    writer = written(place, NEW)
    assert content(place) == OLD
    assert not hidden.exists()
    assert not away.exists()
    writer.discard()
    stays.commit()
    assert content(place.with_name("robot.2")) == NEW


def test_names_as_long_as_a_system_allows_can_be_written(tmp_path: Path):
    one, other = tmp_path / ("a" * 250 + "1"), tmp_path / ("a" * 250 + "2")
    first, second = written(one, OLD), written(other, NEW)
    first.commit()
    second.commit()
    assert (content(one), content(other)) == (OLD, NEW)


def test_an_old_folder_that_could_not_be_deleted_is_deleted_by_the_next_writer_of_the_same_process(
    place: Path, monkeypatch
):
    from limber.files import folders

    with monkeypatch.context() as stuck:
        stuck.setattr(
            folders.shutil, "rmtree", lambda *args, **kwargs: None
        )  # as if another program had a file open
        writer = written(place, NEW)
        writer.commit()
        writer.discard()
    assert len(list(place.parent.iterdir())) == 2
    other = written(place.with_name("robot"), OLD)
    other.commit()
    other.discard()
    assert [path.name for path in place.parent.iterdir()] == ["robot"]
    assert content(place) == OLD
