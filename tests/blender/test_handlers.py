"""Tests handlers and timers: registered with the extension, removed with it, also while a mover is live."""

import subprocess
import sys
from pathlib import Path

import bpy
import limber
import pytest
from limber.rig.events import handlers
from limber.rig.live import live
from limber.rig.robot import remote, sending

from tests.blender.rigs import looking_chain
from tests.blender.shown import (
    authored,
    farthest,
    go_live,
    missed,
    no_handler_raises,  # noqa: F401
    pose,
    settle,
    traces,
)

pytestmark = pytest.mark.every_blender

ROOT = Path(__file__).resolve().parents[2]


def registered() -> list[str]:
    return [name for name, handler in handlers.HANDLERS if handler in getattr(bpy.app.handlers, name)]


def test_every_handler_is_registered_once_and_survives_a_new_file(reopen):
    def count():
        return [getattr(bpy.app.handlers, name).count(handler) for name, handler in handlers.HANDLERS]

    assert set(count()) == {1}
    reopen()
    assert set(count()) == {1}
    bpy.ops.wm.read_homefile(use_empty=True)
    assert set(count()) == {1}


def test_unregistering_while_live_shows_what_is_authored_and_leaves_nothing():
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.3
    before, bones = pose(rig), authored(rig)
    go_live(rig, chain)
    assert farthest(before, pose(rig)) > 1e-3
    limber.unregister()
    assert traces() == []
    assert registered() == []
    assert not any(
        bpy.app.timers.is_registered(timer)
        for timer in (handlers._clock, handlers._heartbeat, handlers._after_enable)
    )
    assert farthest(before, pose(rig)) == 0.0
    bpy.context.scene.frame_set(7)
    assert authored(rig) == bones
    limber.register()


def test_registering_in_a_file_with_live_chains_goes_on_live():
    rig, chain = looking_chain()
    go_live(rig, chain)
    shown = pose(rig)
    limber.unregister()
    limber.register()
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    assert chain.live
    bpy.context.view_layer.update()
    assert farthest(shown, pose(rig)) < 1e-4
    assert missed(rig, chain) < 0.1
    chain.target.location.x -= 1
    settle()
    assert missed(rig, chain) < 0.1


def test_loading_another_file_forgets_what_was_live(reopen, tmp_path):
    rig, chain = looking_chain()
    go_live(rig, chain)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert live.live_chains() == []
    bpy.context.scene.frame_set(5)
    assert traces() == []


def test_a_file_that_cannot_be_loaded_leaves_live_as_it_was(tmp_path):
    rig, chain = looking_chain()
    go_live(rig, chain)
    broken = tmp_path / "broken.blend"
    broken.write_bytes(b"BLENDER-v999 is no file")
    for path in (broken, tmp_path / "none.blend"):
        with pytest.raises(RuntimeError):
            bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["Rig"]
    chain = rig.limber.chains[0]
    chain.target.location.x -= 1
    settle()
    assert missed(rig, chain) < 0.1


def test_no_one_but_this_module_registers_handlers_and_timers():
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in ("rig", "operators", "panels")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "bpy.app.timers.register" in (text := path.read_text(encoding="utf-8"))
        or "bpy.app.handlers" in text
    ]
    assert found == ["rig/events/handlers.py"]


START = """
import sys
sys.path.insert(0, {root!r})
from checkout import load_limber
import bpy
limber = load_limber()
bpy.ops.wm.open_mainfile(filepath={path!r})
limber.register()
from limber.rig.live import live
from limber.rig.robot import links, remote
rig = bpy.data.objects["Rig"]
print("LIVE", [(chain.name, live.session(rig, chain).problem) for _, chain in live.live_chains()])
bpy.context.view_layer.update()
head = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["head"].matrix
print("HEAD", *[round(number, 4) for row in head for number in row])
limber.unregister()
print("LEFT", [thing.name for thing in bpy.data.objects])
sys.stdout.flush()
import os
os._exit(0)
"""


def test_a_fresh_blender_that_enables_limber_in_a_live_file_is_live(tmp_path):
    rig, chain = looking_chain()
    go_live(rig, chain)
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    done = subprocess.run(
        [sys.executable, "-c", START.format(root=str(ROOT), path=path)],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    said = dict(
        line.split(" ", 1)
        for line in done.stdout.splitlines()
        if line.split(" ")[0] in {"LIVE", "HEAD", "LEFT"}
    )
    assert said["LIVE"] == "[('head', '')]"
    assert said["LEFT"] == "['Rig', 'Target']"
    head = [number for row in pose(rig)[-1] for number in row]
    assert [float(number) for number in said["HEAD"].split()] == pytest.approx(head, abs=1e-3)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("wake", "timer", "part", "work", "every"),
    [
        (handlers.wake_heartbeat, handlers._heartbeat, sending, "heartbeat", sending.HEARTBEAT),
        (handlers.wake_remote, handlers._remote, remote, "look", remote.EVERY),
    ],
)
def test_an_error_does_not_end_a_timer_on_which_robots_depend_and_is_reported_once(
    wake, timer, part, work, every, monkeypatch, capsys, defects_of_limber
):
    def fail(*_) -> bool:
        raise ValueError("a defect")

    wake()
    assert bpy.app.timers.is_registered(timer), "what Blender calls is what is tried here"
    monkeypatch.setattr(part, work, fail)
    assert [timer(), timer()] == [every, every]
    assert capsys.readouterr().err.count("ValueError: a defect") == 1
    defects_of_limber.clear()
    monkeypatch.undo()
    assert timer() is None, "nothing is connected and nothing listens"


def test_an_error_does_not_end_the_clock(monkeypatch, capsys, defects_of_limber):
    def fail() -> bool:
        raise ValueError("a defect")

    monkeypatch.setattr(live, "is_playing", fail)
    assert [handlers._clock(), handlers._clock()] == [handlers.IDLE, handlers.IDLE]
    assert capsys.readouterr().err.count("ValueError: a defect") == 1
    defects_of_limber.clear()
