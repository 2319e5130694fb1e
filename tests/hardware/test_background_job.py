"""Tests a background job's process: its events arrive through a pipe, and its cancellation, death, hanging or
failed start is reported.
"""

import os
import signal

import pytest
from limber.hardware.background_job import BackgroundJob
from limber.hardware.errors import WorkerError
from limber.hardware.job_events import (
    Described,
    Ended,
    Found,
    JobEvent,
    JobProgress,
    Remark,
    from_line,
    to_line,
)

from tests.hardware.background_jobs import served
from tests.hardware.patience import PATIENCE, wait_until
from tests.hardware.servo_bus import StsBus


def long_scan(port: str, patience: float = PATIENCE) -> BackgroundJob:
    """A scan for every id, which takes far longer than the test."""
    return BackgroundJob(
        "scan",
        {
            "ports": [port],
            "protocols": ["feetech_sts"],
            "baudrates": [1_000_000],
            "lowest": 0,
            "highest": 252,
        },
        patience,
    )


def test_every_kind_of_news_comes_through_a_line_as_it_was():
    for news in (
        JobProgress(1, 2, "at it"),
        Found("COM3", "dynamixel", 57600, 4, "XL330", "46", 12.1, None),
        Described("limber", "Limber", ("It can.", "It cannot."), (115200,), "microseconds"),
        Remark("so"),
        Ended("", "no"),
    ):
        assert from_line(to_line(news)) == news


@pytest.mark.parametrize(
    "line", ["", "{}", "[]", '["Nothing", {}]', '["Remark", {"no": 1}]', '["Remark", 3]', "null"]
)
def test_a_line_that_is_no_news_is_told_from_news(line):
    with pytest.raises(ValueError, match="no event"):
        from_line(line)


def test_a_cancelled_scan_ends_at_once_and_its_process_with_it():
    with served(StsBus({})) as robot:
        job = long_scan(robot.port)
        wait_until(lambda: bool(job.events()))
        job.cancel()
        assert [item for item in job.events() if isinstance(item, Ended)] == [Ended("Cancelled")]
        assert job.over
        wait_until(lambda: job._process.poll() is not None)


def test_an_errand_whose_process_dies_says_so():
    with served(StsBus({})) as robot:
        job = long_scan(robot.port)
        os.kill(job._process.pid, signal.SIGKILL)
        news: list[JobEvent] = []
        wait_until(lambda: news.extend(job.events()) or job.over)
    assert isinstance(news[-1], Ended)
    assert "ended by SIGKILL, Killed" in news[-1].failed


def test_an_errand_that_hangs_is_ended():
    with served(StsBus({})) as robot:
        job = long_scan(robot.port, 0.2)
        os.kill(job._process.pid, signal.SIGSTOP)
        news: list[JobEvent] = []
        wait_until(lambda: news.extend(job.events()) or job.over)
    assert "Nothing was heard" in news[-1].failed


def test_an_interpreter_that_is_not_there_is_named_with_the_remedy():
    with pytest.raises(WorkerError, match=r"cannot be started with /nowhere/python .*; reinstall Blender"):
        BackgroundJob("scan", {}, PATIENCE, python="/nowhere/python")
