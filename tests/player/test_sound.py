"""Tests the sound of a character: played from the beginning of the clip, after Sound Delay, by a program of
the system.
"""

import math
import os
import stat
from pathlib import Path

import pytest
from limber.character.file.media import PackedSound
from limber.files import sound_player
from limber.files.sound_player import SoundError
from limber.inputs.speech import BEGINS, ENDS, Speech
from limber.player.playhead import Playhead
from limber.player.sound import ClipSoundPlayer

from tests.hardware.patience import wait_until

DELAY = 0.25  # [s] Sound Delay
REMEDY = "check this computer's sound output, or install ffplay or mpv"


@pytest.fixture
def plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """File with a line for each sound that the only installed sound program has begun."""
    log = tmp_path / "plays"
    install(tmp_path, "aplay", f'echo "$2" >> "{log}"\nexec sleep 600')
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}/bin")
    # however late this machine starts a program
    monkeypatch.setattr(sound_player, "FAILS_WITHIN", math.inf)
    return log


def install(folder: Path, name: str, script: str) -> None:
    """Installs a sound program."""
    program = folder / "programs" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)


def sound(tmp_path: Path, suffix: str = ".wav") -> tuple[ClipSoundPlayer, list[str]]:
    """The sound of a character, and what it has said."""
    (tmp_path / f"lamp{suffix}").write_bytes(b"sound")
    said: list[str] = []
    return ClipSoundPlayer(tmp_path / "lamp.limber", (), DELAY, said.append), said


def begun(plays: Path) -> int:
    return len(plays.read_text().splitlines()) if plays.exists() else 0


def test_it_begins_after_its_delay_and_ends_where_the_clip_jumps_or_is_held(tmp_path: Path, plays: Path):
    clip, said = sound(tmp_path)
    assert said == ["lamp.wav is played by aplay, 0.25 s after the clip's begin"]
    playhead = Playhead(2.0)
    clip.follow(playhead)
    playhead.advance(0.2)
    clip.follow(playhead)
    assert not clip._sounds[0].player.plays
    playhead.advance(0.1)
    clip.follow(playhead)
    wait_until(lambda: begun(plays) == 1)
    playhead.pause()
    clip.follow(playhead)
    assert not clip._sounds[0].player.plays, "it was ended"
    playhead.play()
    playhead.advance(0.1)
    clip.follow(playhead)
    assert begun(plays) == 1, "from its middle on it is silent"
    playhead.seek(0.0)
    for _ in range(20):
        playhead.advance(0.1)
        clip.follow(playhead)
    wait_until(lambda: begun(plays) == 2)
    assert not playhead.plays
    assert clip._sounds[0].player.plays, "it goes on after the clip's end"
    clip.close()


@pytest.mark.parametrize(("suffix", "word"), [(".m4a", "ffplay"), (".mp3", "pw-play")])
def test_a_line_says_that_nothing_here_plays_it(tmp_path: Path, plays: Path, suffix: str, word: str):
    clip, said = sound(tmp_path, suffix)
    assert said[0].startswith(f"lamp{suffix} is not heard: this computer has none of ")
    assert word in said[0]
    playhead = Playhead(2.0)
    playhead.advance(1.0)
    clip.follow(playhead)
    assert begun(plays) == 0


def test_without_a_sound_there_is_nothing_to_say(tmp_path: Path, plays: Path):
    said: list[str] = []
    ClipSoundPlayer(tmp_path / "lamp.limber", (), DELAY, said.append).follow(Playhead(2.0))
    assert said == []


def test_sounds_of_the_file_begin_where_the_clip_reaches_them_and_the_one_beside_is_not_played(
    tmp_path: Path, plays: Path
):
    (tmp_path / "lamp.wav").write_bytes(b"sound")
    said: list[str] = []
    packed = (PackedSound("Hello.wav", 0.0, b"first"), PackedSound("bell.wav", 1.0, b"second"))
    clip = ClipSoundPlayer(tmp_path / "lamp.limber", packed, DELAY, said.append)
    assert said == [
        "Hello.wav is played by aplay, 0.25 s after the clip's begin",
        "bell.wav is played by aplay, 1.25 s after the clip's begin",
    ]
    playhead = Playhead(2.0)

    def go_on(seconds: float) -> None:
        playhead.advance(seconds)
        clip.follow(playhead)

    playhead.pause()
    clip.follow(playhead)
    playhead.play()
    go_on(0.3)
    go_on(0.8)
    wait_until(lambda: begun(plays) == 1)
    playhead.seek(1.5)
    go_on(0.1)
    assert not any(sound.player.plays for sound in clip._sounds), "what the clip jumps over is silent"
    playhead.seek(1.2)
    go_on(0.1)
    wait_until(lambda: begun(plays) == 2)
    first, second = (Path(line) for line in plays.read_text().splitlines())
    assert (first.read_bytes(), second.read_bytes()) == (b"first", b"second")
    clip.close()
    assert not first.parent.exists(), "nothing stays behind"


def test_speech_begins_and_ends_with_events_and_one_sound_takes_the_place_of_another(
    tmp_path: Path, plays: Path
):
    for name in ("Good morning.wav", "bye.wav", "notes.txt"):
        (tmp_path / name).write_bytes(b"sound")
    speech = Speech()
    speech.say(tmp_path, "Good_morning")
    assert speech.events() == [BEGINS]
    wait_until(lambda: begun(plays) == 1)
    for _ in range(5):
        speech.say(tmp_path, "bye.wav")
    assert speech.events() == [ENDS, BEGINS]
    wait_until(lambda: begun(plays) == 2)
    assert speech.events() == []
    speech._sound.close()  # as when the player ends
    assert speech.events() == [ENDS]
    speech.note(True)
    speech.note(False)
    assert speech.events() == [BEGINS, ENDS]
    for name in ("notes", "notes.txt", "../bye", str(tmp_path / "bye.wav"), ""):
        with pytest.raises(SoundError, match=r"there is 'Good morning\.wav', 'bye\.wav'"):
            speech.say(tmp_path, name)
    assert begun(plays) == 2


def test_a_program_that_cannot_play_here_is_replaced_by_the_next_and_that_is_said(
    tmp_path: Path, plays: Path
):
    install(tmp_path, "pw-play", "exit 1")  # as in a service, which no sound server of a desktop serves
    clip, said = sound(tmp_path)
    assert said.pop() == "lamp.wav is played by pw-play, 0.25 s after the clip's begin"
    playhead = Playhead(2.0)
    clip.follow(playhead)
    playhead.advance(0.3)

    def heard() -> bool:
        clip.follow(playhead)
        return begun(plays) == 1

    wait_until(heard)
    assert said == ["pw-play cannot play lamp.wav here: aplay plays it"]
    playhead.seek(0.0)
    playhead.advance(0.3)
    clip.follow(playhead)
    wait_until(lambda: begun(plays) == 2)
    assert len(said) == 1, "the program that can is the first from then on"
    clip.close()


def test_a_program_that_does_not_start_is_passed_over(tmp_path: Path, plays: Path):
    install(tmp_path, "pw-play", "")
    (tmp_path / "programs" / "pw-play").write_bytes(b"no program")
    clip, said = sound(tmp_path)
    playhead = Playhead(2.0)
    clip.follow(playhead)
    playhead.advance(0.3)
    clip.follow(playhead)
    wait_until(lambda: begun(plays) == 1)
    assert not any("does not start" in line for line in said)
    clip.close()


def test_a_sound_that_nothing_can_play_here_is_told_once_each_time(tmp_path: Path, plays: Path):
    install(tmp_path, "aplay", "exit 1")  # as without a sound card
    clip, said = sound(tmp_path)
    playhead = Playhead(2.0)
    for times in (2, 3):
        playhead.seek(0.0)
        playhead.advance(0.3)

        def told(times: int = times) -> bool:
            clip.follow(playhead)
            return len(said) == times

        wait_until(told)
    assert said[1:] == [f"lamp.wav is not heard: aplay cannot play it here; {REMEDY}"] * 2
    speech = Speech()
    speech.say(tmp_path, "lamp")
    assert speech.events() == [BEGINS]
    wait_until(lambda: speech.events() == [ENDS])
    assert speech.problem == f"lamp.wav is not heard: aplay cannot play it here; {REMEDY}"
    install(tmp_path, "aplay", "exit 0")
    speech.say(tmp_path, "lamp")
    assert speech.events() == [BEGINS]
    wait_until(lambda: speech.events() == [ENDS])
    assert speech.problem == ""


def test_a_program_that_fails_while_it_plays_is_named_and_the_next_one_plays_the_sound_next_time(
    tmp_path: Path, plays: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sound_player, "FAILS_WITHIN", -1.0)  # however soon it is noticed
    install(tmp_path, "pw-play", "exit 3")
    clip, said = sound(tmp_path)
    playhead = Playhead(2.0)
    playhead.advance(0.3)

    def told() -> bool:
        clip.follow(playhead)
        return len(said) == 2

    wait_until(told)
    assert (
        said[1] == "lamp.wav is no longer heard: pw-play has failed (exit status 3); aplay plays it next time"
    )
    assert begun(plays) == 0, "in the middle of the clip it would come too late"
    playhead.seek(0.0)
    playhead.advance(0.3)
    clip.follow(playhead)
    wait_until(lambda: begun(plays) == 1)
    clip.close()


def test_speech_of_which_the_only_program_fails_while_it_plays_ends_with_the_reason(
    tmp_path: Path, plays: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sound_player, "FAILS_WITHIN", -1.0)
    install(tmp_path, "aplay", "exit 3")
    (tmp_path / "bye.wav").write_bytes(b"sound")
    speech = Speech()
    speech.say(tmp_path, "bye")
    assert speech.events() == [BEGINS]
    wait_until(lambda: speech.events() == [ENDS])
    assert speech.problem == f"bye.wav is no longer heard: aplay has failed (exit status 3); {REMEDY}"


def test_a_failure_of_speech_is_noticed_whenever_it_comes(
    tmp_path: Path, plays: Path, monkeypatch: pytest.MonkeyPatch
):
    codes = [None, 1]  # it fails right after it was looked at

    class Process:
        def __init__(self, *_: object, **__: object) -> None:
            self.poll = lambda: codes.pop(0) if codes else 1

    monkeypatch.setattr(sound_player.subprocess, "Popen", Process)
    (tmp_path / "bye.wav").write_bytes(b"sound")
    speech = Speech()
    speech.say(tmp_path, "bye")
    assert [speech.events() for _ in range(3)] == [[BEGINS], [], [ENDS]]
    assert speech.problem == f"bye.wav is not heard: aplay cannot play it here; {REMEDY}"


def test_speech_says_which_program_plays_it_in_place_of_another_and_begins_with_that_one_next_time(
    tmp_path: Path, plays: Path
):
    install(tmp_path, "pw-play", "exit 1")
    for name in ("hello.wav", "bye.wav"):
        (tmp_path / name).write_bytes(b"sound")
    speech = Speech()
    speech.say(tmp_path, "hello")
    assert speech.events() == [BEGINS]
    wait_until(lambda: not speech.events() and begun(plays) == 1)
    assert speech.problem == "pw-play cannot play hello.wav here: aplay plays it"
    install(tmp_path, "aplay", f'echo "$2" >> "{plays}"')
    speech.say(tmp_path, "bye")
    assert speech.events() == [ENDS, BEGINS]
    wait_until(lambda: speech.events() == [ENDS])
    assert begun(plays) == 2
    assert speech.problem == ""
