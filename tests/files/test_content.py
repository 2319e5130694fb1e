"""Tests that only files with an end are read: regular ones, and no more than their announced size."""

import os
from pathlib import Path

import pytest
from limber.files.content import content, open_regular, text


def test_a_file_s_bytes_and_its_text_are_read(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc")
    assert content(path) == b"\xef\xbb\xbfa\r\nb\rc"
    assert text(path) == "a\nb\nc"


def test_more_bytes_than_are_allowed_are_refused_before_they_are_read(tmp_path: Path):
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(3_000_000_000)  # takes no space on the disk, but would in memory
    with pytest.raises(OSError, match="it has 3000 MB, more than 1"):
        content(path, 1_000_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_a_folder_and_a_device_are_no_files(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # opening it would block until a program writes
    for place in (pipe, tmp_path, Path(os.devnull), Path("/dev/zero")):
        for read in (content, text, open_regular):
            with pytest.raises(OSError, match="it is no file"):
                read(place)


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="this system has no files without an end")
def test_a_file_that_announces_nothing_gives_nothing():
    assert content(Path("/proc/self/environ")) == b""
