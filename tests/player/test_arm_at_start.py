"""Tests arming without a press: once after the computer was switched on, if its installer has enabled it."""

import json
import os
from pathlib import Path

import pytest
from limber.character.file.writing import write
from limber.hardware.device import VIRTUAL_HOBBY_PORT
from limber.player import arm_at_start
from limber.player.arm_at_start import allow, permission_for, permission_path
from limber.player.errors import PlayerError

from tests.player.test_live import playing, unattended, with_robot

pytestmark = pytest.mark.skipif(not arm_at_start.BOOT.exists(), reason="only Linux says when it was started")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Creates separate folders of settings and states for the test; returns that of the states."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "states"))
    return tmp_path / "states" / "limber"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "sample.limber", with_robot())
    return tmp_path / "sample.limber"


def test_nothing_is_armed_without_the_installers_file(path: Path):
    assert permission_for(path) is None
    with playing(path, "--at-start", "--status") as player:
        player.until("3 s, Idle")
        assert "Arm" not in player.text.replace("type 'arm'", "")


def test_it_is_armed_once_and_not_again_when_the_player_restarts(path: Path):
    allow(path)
    with playing(path, "--at-start") as player:
        player.until("Armed once it is connected: ")
        player.until("Armed: the robot follows")
    with playing(path, "--at-start", "--status") as player:
        player.until(
            "Not armed at the start: it is permitted once after this computer was switched on, and that was used"
        )
        player.until("3 s, Idle")
        assert "Arming" not in player.text


@pytest.mark.parametrize("has_page", [False, True])
def test_a_service_says_whether_anybody_can_stop_it(path: Path, has_page: bool):
    allow(path)
    options = ["--page", "0"] if has_page else []
    service = unattended("play", str(path), "--at-start", "--seconds", "3", *options)
    assert service.returncode == 0, service.stderr
    begun = next(line for line in service.stdout.splitlines() if "Armed once it is connected" in line)
    assert begun.endswith("Stop is always ready") == has_page
    assert ("so end Limber, or switch off the robot's power, to stop it" in begun) != has_page
    assert ("Stop is always ready" in service.stdout) == has_page


def test_a_player_that_a_person_starts_by_hand_is_not_armed_by_that_file(path: Path):
    allow(path)
    with playing(path, "--status") as player:
        player.until("3 s, Idle")
        assert "Arming" not in player.text


def test_it_counts_again_after_the_computer_was_started_again(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    allow(path)
    permission = permission_for(path)
    assert permission.claim() == ""
    assert permission.claim().startswith("it is permitted once")
    monkeypatch.setattr(arm_at_start, "BOOT", tmp_path / "boot")
    assert "No such file" in permission.claim(), "where nobody says when it was started nothing is armed"
    (tmp_path / "boot").write_text("another\n")
    assert permission.claim() == ""


def test_another_file_in_its_place_arms_nothing(path: Path):
    allow(path)
    assert permission_for(path) is not None
    path.write_bytes(path.read_bytes() + b"\0")
    assert permission_for(path) is None


def test_after_a_fault_nothing_is_armed_until_a_person_has_cleared_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    allow(path)
    with playing(path, "--at-start") as player:
        player.until("Armed: the robot follows")
        player.type("stop")
        player.until("Stopped: make sure")
    monkeypatch.setattr(arm_at_start, "BOOT", tmp_path / "boot")
    (tmp_path / "boot").write_text("another\n")
    permission = permission_for(path)
    assert permission.claim() == "after a fault a person clears or arms first"
    permission.note_person()
    assert permission.claim() == ""


def test_a_robot_that_is_not_there_at_the_start_stays_disarmed_when_it_comes(path: Path, tmp_path: Path):
    allow(path)
    with playing(path, "--at-start", "--port", str(tmp_path / "none"), "--status") as player:
        player.until("does not exist: plug the robot in")
        player.until("3 s, Idle")
    assert permission_for(path).claim() == "after a fault a person clears or arms first"


def test_servos_that_do_not_measure_wait_for_a_person(tmp_path: Path):
    write(tmp_path / "hobby.limber", with_robot(VIRTUAL_HOBBY_PORT))
    allow(tmp_path / "hobby.limber")
    with playing(tmp_path / "hobby.limber", "--at-start", "--status") as player:
        player.until("does not measure where it is, so a person confirms its pose")
        player.until("3 s, Idle")
        assert "Arming" not in player.text


def test_a_file_that_others_may_write_or_that_is_damaged_is_not_followed(path: Path):
    allow(path)
    assert permission_path().stat().st_mode & 0o077 == 0
    os.chmod(permission_path(), 0o622)
    with pytest.raises(PlayerError, match="others may write it"):
        permission_for(path)
    os.chmod(permission_path(), 0o600)
    for content, words in (("{", "is no JSON"), (json.dumps({"version": 2}), "is not of this version")):
        permission_path().write_text(content)
        with pytest.raises(PlayerError, match=words):
            permission_for(path)


def test_where_it_cannot_be_kept_that_it_was_used_up_nothing_is_armed(path: Path, folders: Path):
    allow(path)
    folders.parent.mkdir()
    folders.write_text("a file in the place of the folder")
    assert permission_for(path).claim() != ""
