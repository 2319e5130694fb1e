"""Tests that a path of any text is a file, a folder or neither, and never an error."""

from pathlib import Path

import pytest
from limber.files.presence import is_file, is_folder


def test_a_file_and_a_folder_are_told_apart(tmp_path: Path):
    file = tmp_path / "file"
    file.touch()
    assert (is_file(file), is_folder(file)) == (True, False)
    assert (is_file(tmp_path), is_folder(tmp_path)) == (False, True)


@pytest.mark.parametrize("name", ["missing", "x" * 300, "a\0b", "\udcff", "file/inside"])
def test_a_name_that_no_path_has_is_neither(tmp_path: Path, name: str):
    (tmp_path / "file").touch()
    assert (is_file(tmp_path / name), is_folder(tmp_path / name)) == (False, False)
