"""The benchmark of the player's ticks measures all threads on one core."""

import os
import threading
from pathlib import Path

import pytest

from benchmarks.player import ticks
from tests.character.samples import character


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system restricts no thread to a core")
def test_the_threads_of_the_page_run_on_the_core_that_is_measured(tmp_path: Path, monkeypatch):
    before, cores = set(threading.enumerate()), []

    def measure(play, *_):
        threads = set(threading.enumerate()) - before
        cores.extend(os.sched_getaffinity(thread.native_id) for thread in threads)
        play._close()

    monkeypatch.setattr(ticks._Measured, "measure", measure)
    allowed = os.sched_getaffinity(0)
    ticks.measured(character(), tmp_path / "sample.limber", 1.0, has_page=True, is_simulated=True)
    assert cores
    assert all(each == {min(allowed)} for each in cores)
    assert os.sched_getaffinity(0) == allowed
