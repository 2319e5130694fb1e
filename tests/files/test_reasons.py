"""Tests that errors of the system are reported in words, without numbers of errors and signals, and without
repeating a file's path.
"""

import os
from pathlib import Path

import pytest
from limber.files.reasons import ending, reason
from limber.hardware import calibration_file
from limber.hardware.calibration_file import CalibrationError
from limber.hardware.lerobot import calibration as lerobot
from limber.hardware.lerobot.calibration import LerobotError
from limber.robots.closures import read_mechanism
from limber.robots.errors import UrdfError
from limber.robots.gallery.description import read_description

ERRORS = (CalibrationError, LerobotError, UrdfError)


def told(error_of, path: Path) -> str:
    with pytest.raises(ERRORS) as caught:
        error_of(path)
    return str(caught.value)


READERS = [
    calibration_file.load,
    lerobot.load,
    read_description,
    lambda path: read_mechanism(path / "robot.urdf", path),
]


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_not_there_is_told_in_words(tmp_path, reader):
    sentence = told(reader, tmp_path / "missing.json")
    assert "(No such file or directory): c" in sentence
    assert "Errno" not in sentence


def test_text_in_another_encoding_is_told_as_such(tmp_path):
    path = tmp_path / "robot.json"
    path.write_bytes(b"\xff\xfe{")
    assert "(it is no UTF-8 text)" in told(calibration_file.load, path)


def test_an_error_without_a_text_of_the_system_keeps_its_own():
    assert reason(OSError("the disk is gone")) == "the disk is gone"


def test_a_calibration_that_windows_has_saved_with_a_byte_order_mark_is_read_as_json(tmp_path):
    path = tmp_path / "robot.json"
    path.write_text("[]", encoding="utf-8-sig")
    assert "expected an object" in told(calibration_file.load, path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "exit status 0"),
        (3, "exit status 3"),
        (-9, "ended by SIGKILL, Killed"),
        (-24, "ended by SIGXCPU, CPU time limit exceeded"),
        (-50, "ended by signal 50"),
    ],
)
def test_a_signal_that_ended_a_process_is_told_by_its_name(code, words):
    assert ending(code) == words
