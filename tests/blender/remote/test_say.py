"""Tests speech by OSC while a behaviour is rehearsed."""

import os
from pathlib import Path

import bpy
import pytest
from limber.files import sound_player
from limber.rig.live import rehearsal

from tests.blender.behaviours import add_states, add_transition
from tests.blender.drawing import drawn
from tests.blender.osc_sender import packet, words
from tests.blender.remote.remote_control import problem, sending
from tests.blender.rigs import looking_chain, target
from tests.blender.shown import go_live
from tests.hardware.patience import wait_until


@pytest.fixture
def rehearsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A character that is rehearsed with a sound; a script stands for the only sound program."""
    rig, chain = looking_chain(at=target())
    add_states("Idle", "Speaking")
    for begin, end, event in (("Idle", "Speaking", "speak"), ("Speaking", "Idle", "spoken")):
        add_transition(begin, end, event=event)
    (tmp_path / "hello.wav").write_bytes(b"sound")
    program = tmp_path / "programs" / "aplay"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nuntil [ -e "{tmp_path}/over" ]; do sleep 0.01; done\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/bin")
    go_live(rig, chain)
    assert bpy.ops.limber.rehearse() == {"FINISHED"}
    yield rig
    rehearsal.end(bpy.context.scene)


def passed(frames: int = 2) -> str:
    """The state after some frames."""
    scene = bpy.context.scene
    for _ in range(frames):
        scene.frame_set(scene.frame_current + 1)
    return rehearsal.state(scene)


def test_a_program_that_speaks_by_itself_says_when_it_begins_and_ends(rehearsed):
    with sending(rehearsed) as send:
        send(packet("/limber/say", 1.0))
        assert passed() == "Speaking"
        send(packet("/limber/say", 0.0))
        assert passed() == "Idle"


def test_a_sound_beside_the_file_is_speech_from_its_begin_to_its_end(rehearsed, tmp_path: Path):
    with sending(rehearsed) as send:
        send(words("/limber/say", "hello"))
        assert "save it first" in problem(rehearsed)
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
        send(words("/limber/say", "bye"))
        assert "there is 'hello.wav'" in problem(rehearsed)
        send(words("/limber/say", "hello"))
        assert passed() == "Speaking"
        assert passed(5) == "Speaking"
        (tmp_path / "over").touch()
        wait_until(lambda: passed() == "Idle")


def test_a_sound_program_that_fails_is_named_in_the_panel(rehearsed, tmp_path: Path, monkeypatch):
    from limber.panels.authoring.behaviour import LIMBER_PT_behaviour

    monkeypatch.setattr(sound_player, "FAILS_WITHIN", -1.0)  # however soon it is noticed
    (tmp_path / "programs" / "aplay").write_text("#!/bin/sh\nexit 3\n")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    with sending(rehearsed) as send:
        send(words("/limber/say", "hello"))
        wait_until(lambda: (passed(), rehearsal.speech_problem(bpy.context.scene))[1])
        assert "hello.wav is no longer heard: aplay has failed" in drawn(LIMBER_PT_behaviour).said
