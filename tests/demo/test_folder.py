"""Tests the demo's folder: files of an earlier run are deleted, other files are kept."""

import folder
import pytest


def fill(path, *names):
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("x")


def test_what_an_earlier_run_left_goes_and_other_folders_stay(tmp_path):
    fill(
        tmp_path,
        *folder.OWN,
        "lamp.blend",
        "lamp.blend1",
        "visitor.json",
        "frames/proud_0024.png",
        "profile/a.json",
        "clip/report.json",
    )
    folder.prepare(tmp_path, "lamp.blend", "visitor.json")
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["clip/report.json", "profile/a.json"]
    assert (tmp_path / "frames").is_dir()


def test_a_new_folder_is_made(tmp_path):
    folder.prepare(tmp_path / "a" / "b", "lamp.blend")
    assert list((tmp_path / "a" / "b" / "frames").iterdir()) == []


@pytest.mark.parametrize("name", ["thesis.docx", "film.blend", "no_dot", "frames/holiday.png"])
def test_a_folder_of_somebody_elses_is_refused_and_nothing_is_deleted(tmp_path, name):
    fill(tmp_path, name, "report.json")
    with pytest.raises(folder.FolderError, match=r"--out"):
        folder.prepare(tmp_path, "lamp.blend")
    assert (tmp_path / name).exists()
    assert (tmp_path / "report.json").exists()


def test_a_file_in_the_folders_place_is_refused(tmp_path):
    fill(tmp_path, "out")
    with pytest.raises(folder.FolderError, match=r"--out"):
        folder.prepare(tmp_path / "out", "lamp.blend")
