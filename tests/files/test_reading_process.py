"""Tests reading of files in a separate process: it gives the same results and errors, and can be ended at any
time.
"""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from limber.files.content import text
from limber.files.reading_process import ReadingError, ReadingProcess
from limber.hardware.motion_files import MotionFileError
from limber.hardware.motion_files.reading import read as read_motion
from limber.robots.errors import MalformedError
from limber.robots.reading import read as read_robot

from tests.hardware.processes import is_running

ROOT = Path(__file__).resolve().parents[2]
IMPORT = "from limber.files.reading_process import ReadingProcess"
LONG = 60.0  # [s] far more than a process needs


def test_results_come_as_if_they_were_read_here(tmp_path: Path):
    motion, robot = tmp_path / "a.csv", tmp_path / "a.urdf"
    motion.write_text("seconds,pan\n0,1\n1,2\n")
    robot.write_text('<robot name="r"><link name="a"/></robot>')
    assert ReadingProcess(read_motion, motion).result(LONG) == read_motion(motion)
    assert ReadingProcess(read_robot, str(robot)).result(LONG) == read_robot(str(robot))


def test_errors_come_with_their_class_and_their_fields(tmp_path: Path):
    with pytest.raises(MotionFileError, match=r"none\.csv' cannot be read"):
        ReadingProcess(read_motion, tmp_path / "none.csv").result(LONG)
    (tmp_path / "a.urdf").write_text("<robot>\n<")
    with pytest.raises(MalformedError) as refused:
        ReadingProcess(read_robot, str(tmp_path / "a.urdf")).result(LONG)
    assert refused.value.line == 2
    with pytest.raises(FileNotFoundError):
        ReadingProcess(text, tmp_path / "none").result(LONG)


def test_a_process_that_cannot_go_on_says_why():
    with pytest.raises(ReadingError, match=r"the process that reads it ended \(AttributeError"):
        ReadingProcess(text, 1).result(LONG)


def test_a_process_that_the_system_ends_says_by_what():
    reading = ReadingProcess(time.sleep, 1e6)
    reading._process.kill()  # as the system does without free memory
    with pytest.raises(ReadingError, match=r"ended \(ended by SIGKILL, Killed\)"):
        reading.result(LONG)


def test_a_call_that_has_no_end_is_waited_for_as_long_as_one_likes_and_ended():
    reading = ReadingProcess(time.sleep, 1e6)
    assert reading.result(0.0) is None
    reading.cancel()
    with pytest.raises(ReadingError, match="cancelled"):
        reading.result(LONG)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="this system does not list its processes in /proc")
def test_it_ends_when_blender_ends():
    blender = (
        "reading = ReadingProcess(time.sleep, 1e6); print(reading._process.pid, flush=True); os._exit(1)"
    )
    lines = "import os, time", "from checkout import load_limber", "load_limber()", IMPORT, blender
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    until = time.monotonic() + LONG
    while is_running(int(done.stdout)) and time.monotonic() < until:
        pass
    assert not is_running(int(done.stdout))


def test_it_works_under_the_name_that_blender_gives_the_extension(tmp_path: Path):
    (tmp_path / "a.csv").write_text("seconds,pan\n0,1\n1,2\n")
    name = "bl_ext.user_default.limber"
    lines = (
        "import runpy, sys",
        f"entry = runpy.run_path({str(ROOT / 'files' / 'reading_process_entry.py')!r})",
        f"entry['load_package']({name!r}, entry['Path']({str(ROOT)!r}))",
        f"from {name}.files.reading_process import ReadingProcess",
        f"from {name}.hardware.motion_files.reading import read",
        f"recording = ReadingProcess(read, entry['Path']({str(tmp_path / 'a.csv')!r})).result(60.0)",
        "print(type(recording).__module__, recording.times)",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == f"{name}.hardware.motion_files.recording (0.0, 1.0)\n", done.stderr
