"""Tests that a Blender module is imported while its process may use one processor, and that the process may
use all of them afterwards.
"""

import os
import sys
from types import SimpleNamespace

import pytest

from tests import threads


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no bounds of processors")
def test_blender_sees_one_processor_and_the_tests_all(monkeypatch: pytest.MonkeyPatch):
    seen = []
    wm = SimpleNamespace(read_factory_settings=lambda use_empty: seen.append(os.sched_getaffinity(0)))
    monkeypatch.setitem(sys.modules, "bpy", SimpleNamespace(ops=SimpleNamespace(wm=wm)))
    processors = os.sched_getaffinity(0)
    threads.import_blender_with_one_thread()
    assert [len(usable) for usable in seen] == [1]
    assert os.sched_getaffinity(0) == processors
