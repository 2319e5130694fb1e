"""Tests the demo's main task in a few frames: the lamp goes live, a virtual robot follows, and the sent
values are recorded.
"""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

DEMO = str(Path(__file__).resolve().parents[2] / "demo")
FRAMES = 24


@pytest.fixture
def demo(monkeypatch):
    """The demo's scripts, which use this extension in place of the installed one."""
    monkeypatch.syspath_prepend(DEMO)
    installed = importlib.import_module("installed")
    monkeypatch.setattr(installed, "module", lambda name: importlib.import_module(f"limber.{name}"))
    yield importlib.import_module
    for name in [
        name for name, module in sys.modules.items() if str(getattr(module, "__file__", "")).startswith(DEMO)
    ]:
        del sys.modules[name]


@pytest.mark.every_blender
def test_the_robot_follows_the_lamp_and_is_sent_what_is_shown(demo):
    rig, chain = demo("lamp").build()
    take = demo("performance").perform(rig, chain, FRAMES, lambda said: None)
    assert take.frames == list(range(1, FRAMES + 1))
    assert not take.problems
    assert np.array(take.handed) == pytest.approx(np.array(take.filtered), abs=1e-9)
    assert take.status.lost == 0
    assert take.status.sent > 0
