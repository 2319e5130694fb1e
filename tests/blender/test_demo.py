"""Tests the demo's main task in a few frames: the lamp goes live, a virtual robot follows, and the sent
values are recorded.
"""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.clips import Clip, walk

DEMO = str(Path(__file__).resolve().parents[2] / "demo")
FRAMES = 24


@pytest.fixture
def demo(monkeypatch):
    """The demo's scripts, which use this extension instead of the installed one."""
    monkeypatch.syspath_prepend(DEMO)
    installed = importlib.import_module("installed")
    monkeypatch.setattr(installed, "module", lambda name: importlib.import_module(f"limber.{name}"))
    yield importlib.import_module
    for name in [
        name for name, module in sys.modules.items() if str(getattr(module, "__file__", "")).startswith(DEMO)
    ]:
        del sys.modules[name]


def in_millimetres(clip: Clip) -> str:
    """Text of a clip with its lengths [m] in millimetres."""
    larger = replace(clip, places=[[1000.0 * number for number in place] for place in clip.places])
    lines = []
    for line in larger.text().splitlines():
        keyword, *numbers = line.split()
        is_length = keyword == "OFFSET"
        lines.append(" ".join([keyword, *(f"{1000 * float(n)}" if is_length else n for n in numbers)]))
    return "\n".join(lines) + "\n"


@pytest.mark.every_blender
def test_the_robot_follows_the_lamp_and_is_sent_what_is_shown(demo):
    rig, chain = demo("lamp").build()
    take = demo("performance").perform(rig, chain, FRAMES, lambda said: None)
    assert take.frames == list(range(1, FRAMES + 1))
    assert not take.problems
    assert np.array(take.handed) == pytest.approx(np.array(take.filtered), abs=1e-9)
    assert take.status.lost == 0
    assert take.status.sent > 0


def test_a_figure_walks_at_the_demos_frame_rate_and_at_a_persons_size_whatever_its_clips(demo, tmp_path):
    walker = demo("walker")
    clip = walk(frames=31, rate=30)
    metres = clip.write(tmp_path / "metres.bvh")
    millimetres = tmp_path / "millimetres.bvh"
    millimetres.write_text(in_millimetres(clip))
    sizes = []
    for path in (metres, millimetres):
        figure = walker.Walker(path)
        assert bpy.context.scene.render.fps == 24
        first, last = figure.rig.animation_data.action.frame_range
        assert (first, last) == pytest.approx((1.0, 1.0 + 30 * 24 / 30), abs=0.01)
        sizes.append(max(figure.rig.dimensions))
    assert sizes == pytest.approx([sizes[0], walker.GROWN_UP], rel=0.01)
    assert walker.BELIEVABLE[0] <= sizes[0] <= walker.BELIEVABLE[1]


def test_a_clip_that_is_none_is_refused_with_its_name_and_the_reason(demo, tmp_path):
    walker = demo("walker")
    path = tmp_path / "walk.bvh"
    path.write_text(walk(frames=5).text().rsplit("\n", 2)[0])
    with pytest.raises(walker.ClipError, match=r"walk\.bvh: it announces 5 frames and has 4"):
        walker.Walker(path)
