"""Tests atomic writing of files: the complete old file exists, or the complete new one."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from limber.files import atomic

ROOT = Path(__file__).resolve().parents[2]
OLD, NEW = b"what was there", b"what is new"
KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from checkout import load_limber
load_limber()
from limber.files import atomic
with atomic.replacing(Path({path!r})) as temporary:
    temporary.write_bytes(b"half of wh")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "heavy.limber-character.json"
    path.write_bytes(OLD)
    return path


def alone(path: Path) -> bool:
    """Whether the folder contains no other file."""
    return [other.name for other in path.parent.iterdir()] == [path.name]


def test_a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it(path: Path):
    atomic.write(path, NEW)
    assert path.read_bytes() == NEW
    assert alone(path)


def test_a_new_file_gets_the_usual_access_rights_and_an_old_one_keeps_its_own(path: Path):
    usual = path.with_name("usual")
    usual.touch()
    new = path.with_name("new.json")
    atomic.write(new, NEW)
    assert new.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    atomic.write(path, NEW)
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_where_the_disk_is_full_the_old_file_stays(path: Path):
    def fill() -> None:
        with atomic.replacing(path) as temporary, open("/dev/full", "wb") as disk:
            temporary.write_bytes(NEW[:3])
            disk.write(NEW)
            disk.flush()

    with pytest.raises(OSError, match="No space"):
        fill()
    assert path.read_bytes() == OLD
    assert alone(path)


@pytest.mark.parametrize("call", ["fsync", "chmod", "replace"])
def test_where_the_system_refuses_any_step_the_old_file_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str
):
    def refuse(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(OSError, match="No space"):
        atomic.write(path, NEW)
    monkeypatch.undo()
    assert path.read_bytes() == OLD
    assert alone(path)


def test_what_a_writer_raises_goes_on_and_the_old_file_stays(path: Path):
    def give_up() -> None:
        with atomic.replacing(path) as temporary:
            temporary.write_bytes(NEW)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        give_up()
    assert path.read_bytes() == OLD
    assert alone(path)


def test_an_error_names_the_file_that_the_user_chose_not_the_temporary_one(path: Path):
    with pytest.raises(OSError, match="Read-only") as caught, atomic.replacing(path) as temporary:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(temporary))
    assert caught.value.filename == str(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_writer_that_is_killed_loses_nothing_and_the_next_deletes_what_it_left(path: Path):
    done = subprocess.run([sys.executable, "-c", KILLED.format(root=str(ROOT), path=str(path))], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == OLD
    assert not alone(path)
    atomic.write(path, NEW)
    assert path.read_bytes() == NEW
    assert alone(path)


def test_what_others_are_writing_now_is_left_alone_and_what_is_very_old_goes(path: Path):
    others = [path.with_name(f".{path.stem}.{os.getppid()}-{number}.part.json") for number in (1, 2)]
    for other in others:
        other.write_bytes(b"")
    os.utime(others[1], (0.0, 0.0))
    named_alike = path.with_name(f".{path.stem}.notes.part.json")
    named_alike.write_bytes(b"")
    atomic.write(path, NEW)
    assert [other.exists() for other in (*others, named_alike)] == [True, False, True]


def test_a_symbolic_link_stays_one(path: Path):
    link = path.with_name("link.json")
    link.symlink_to(path)
    atomic.write(link, NEW)
    assert link.is_symlink()
    assert path.read_bytes() == NEW


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path):
    path = tmp_path / ("é" * 125 + ".json")
    atomic.write(path, NEW)
    assert path.read_bytes() == NEW


def test_what_is_no_regular_file_is_written_to(tmp_path: Path):
    atomic.write(Path(os.devnull), NEW)
    assert not Path(os.devnull).is_file()


def test_a_missing_folder_is_an_error(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        atomic.write(tmp_path / "nowhere" / "file.json", NEW)


def test_lines_are_added_and_one_that_was_cut_off_is_ended_first(tmp_path: Path):
    path = tmp_path / "journal.jsonl"
    atomic.append_lines(path, ["one", "two"])
    with path.open("a", encoding="utf-8") as file:
        file.write("thr")
    atomic.append_lines(path, ["four"], flush_to_disk=False)
    atomic.append_lines(path, [])
    assert path.read_text(encoding="utf-8") == "one\ntwo\nthr\nfour\n"


def test_a_file_that_nobody_chose_replaces_nothing(tmp_path: Path):
    path = tmp_path / "beside.wav"
    atomic.write_new(path, b"sound")
    atomic.write_new(path, b"sound")  # the file exists already
    with pytest.raises(FileExistsError):
        atomic.write_new(path, b"other")
    assert path.read_bytes() == b"sound"
    (tmp_path / "folder.wav").mkdir()
    with pytest.raises(FileExistsError):
        atomic.write_new(tmp_path / "folder.wav", b"sound")


@pytest.mark.skipif(os.name == "nt", reason="Windows lets only administrators make symbolic links")
def test_a_file_that_nobody_chose_is_not_written_through_a_link(tmp_path: Path):
    (tmp_path / "link.wav").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        atomic.write_new(tmp_path / "link.wav", b"sound")
    assert not (tmp_path / "elsewhere").exists()
