"""The benchmark of the player's ticks, and the loop beside it, measure all threads on one core."""

import os
import threading
from pathlib import Path

import pytest

from benchmarks.player import caches, ticks
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


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system restricts no thread to a core")
def test_the_loop_beside_it_is_walked_on_the_same_core(monkeypatch):
    allowed, cores = os.sched_getaffinity(0), []
    real = caches._walk
    monkeypatch.setattr(caches, "WALKS", 3)
    monkeypatch.setattr(
        caches, "_walk", lambda *arguments: (cores.append(os.sched_getaffinity(0)), real(*arguments))[1]
    )
    walked = caches.walked(0.0)
    assert min(walked) > 0.0
    assert cores == [{min(allowed)}] * 3
    assert os.sched_getaffinity(0) == allowed
