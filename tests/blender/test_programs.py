"""Tests .blend and calibration files that name a program as the robot's protocol: it only runs if this user
has allowed it in its current version.
"""

import json
from pathlib import Path

import bpy
import pytest

from tests.blender.robots import connect, robot_rig, state, status, until

PORT = "/dev/limber-no-such-port"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch) -> Path:
    """Separate folder for consents, empty at first."""
    from limber.rig.robot import background_jobs, links, programs

    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setattr(programs, "user_folder", lambda _: folder)
    monkeypatch.setattr(programs.consents, "_allowed", None)
    yield folder
    links.disconnect_all()
    background_jobs.end_all()


@pytest.fixture
def mark(tmp_path) -> Path:
    """File that exists if the program has run."""
    return tmp_path / "it_ran"


@pytest.fixture
def program(tmp_path, mark) -> Path:
    path = tmp_path / "my_robot.py"
    path.write_text(
        f"open({str(mark)!r}, 'w').close()\n\ndef frame(positions):\n    return b''\n", encoding="utf-8"
    )
    return path


@pytest.fixture
def rig(program):
    """An armature from a foreign .blend, whose robot's protocol is a program."""
    rig, _ = robot_rig(port=PORT)
    rig.limber.device.protocol, rig.limber.device.protocol_file = "file", str(program)
    return rig


def digest(path: Path) -> str:
    from limber.hardware.protocols.program import read_program

    return read_program(path).digest


def restart(monkeypatch) -> None:
    """Simulates a restart of Blender: only data in the user's folder are known."""
    from limber.rig.robot import programs

    monkeypatch.setattr(programs.consents, "_allowed", None)


def connect_plainly(rig, **consent) -> None:
    from tests.blender.rigs import make_active

    make_active(rig)
    bpy.ops.limber.connect(**consent)


def test_connect_runs_no_program_that_was_not_allowed_and_names_its_path_and_content(rig, program, mark):
    with pytest.raises(RuntimeError, match="have not allowed on this computer") as refused:
        connect_plainly(rig)
    assert str(program) in str(refused.value)
    assert digest(program) in str(refused.value)
    with pytest.raises(RuntimeError, match="have not allowed"):
        bpy.ops.limber.read_protocol_file()
    assert state(rig) == "NONE"
    assert not mark.exists()


def test_a_program_that_is_allowed_once_runs_here_and_after_a_restart(
    rig, program, mark, monkeypatch, own_folder
):
    connect_plainly(rig, program_path=str(program), program_digest=digest(program))
    until(mark.exists, "the program runs")
    bpy.ops.limber.disconnect()
    mark.unlink()
    restart(monkeypatch)
    connect_plainly(rig)
    until(mark.exists, "the program runs")
    assert str(program) in (own_folder / "allowed.json").read_text(encoding="utf-8")
    assert str(program) not in json.dumps({key: str(value) for key, value in rig.items()})


def test_a_program_that_has_changed_asks_again(rig, program, mark):
    from limber.rig.robot import programs

    programs.allow(str(program), digest(program))
    program.write_text(program.read_text(encoding="utf-8") + "# another\n", encoding="utf-8")
    assert programs.question(str(program)).digest == digest(program)
    with pytest.raises(RuntimeError, match="have not allowed"):
        connect_plainly(rig)
    assert not mark.exists()


def test_the_same_content_at_another_place_asks_again(rig, program, tmp_path):
    from limber.rig.robot import programs

    programs.allow(str(program), digest(program))
    other = tmp_path / "other.py"
    other.write_bytes(program.read_bytes())
    assert programs.question(str(program)) is None
    assert programs.question(str(other)) is not None


def test_a_program_that_changes_after_the_question_is_refused_where_it_would_run(
    rig, program, mark, monkeypatch
):
    from limber.rig.robot import programs

    programs.allow(str(program), digest(program))
    monkeypatch.setattr(
        programs.consents, "require", lambda path: programs.allowed(path)
    )  # as if it changed just then
    program.write_text(program.read_text(encoding="utf-8") + "# another\n", encoding="utf-8")
    connect_plainly(rig)
    until(lambda: state(rig) == "FAULT", "the worker refuses it")
    assert "is not the program that you have allowed" in status(rig).sentence
    assert not mark.exists()


def test_a_program_that_is_chosen_in_the_file_browser_is_allowed(rig, program, mark):
    bpy.ops.limber.choose_protocol_file(filepath=str(program))
    until(mark.exists, "the program is read")


def test_the_virtual_robot_runs_no_program_and_asks_nothing(rig, mark):
    rig.limber.device.port = "virtual"
    connect(rig)
    assert not mark.exists()


@pytest.mark.every_blender
def test_a_calibration_brings_a_program_but_no_consent(rig, program, mark, tmp_path):
    from limber.rig.robot import calibration

    path = tmp_path / "robot.json"
    calibration.save(rig, path)
    assert digest(program) not in path.read_text(encoding="utf-8")
    calibration.load(rig, path)
    with pytest.raises(RuntimeError, match="have not allowed"):
        connect_plainly(rig)
    assert not mark.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"format": "limber-allowed-programs", "version": 1, "programs": {"a": 3, "b": []}}',
    ],
)
def test_a_damaged_list_of_consents_allows_nothing_and_takes_new_ones(
    rig, program, own_folder, monkeypatch, text
):
    from limber.rig.robot import programs

    (own_folder / "allowed.json").write_text(text, encoding="utf-8")
    assert programs.allowed(str(program)) == ""
    assert programs.allow(str(program), digest(program)) == ""
    restart(monkeypatch)
    assert programs.allowed(str(program)) == digest(program)


def test_where_consent_cannot_be_kept_it_holds_for_this_session_and_that_is_said(rig, program, monkeypatch):
    from limber.rig.robot import programs

    monkeypatch.setattr(programs, "user_folder", lambda _: None)
    assert "asks again after a restart" in programs.allow(str(program), digest(program))
    assert programs.question(str(program)) is None


def test_two_blenders_keep_each_others_consents(program, tmp_path, monkeypatch):
    from limber.rig.robot import programs

    programs.allow(str(program), digest(program))
    here = dict(programs.consents._known())
    restart(monkeypatch)
    programs.allow("/elsewhere.py", "0" * 64)
    monkeypatch.setattr(programs.consents, "_allowed", here)
    programs.allow("/third.py", "1" * 64)
    restart(monkeypatch)
    assert programs.allowed("/elsewhere.py") == "0" * 64
    assert programs.allowed(str(program)) == digest(program)


@pytest.mark.every_blender
def test_the_dialog_shows_the_whole_path_and_what_cannot_be_seen_in_it():
    from limber.operators.robot.program_consent import LETTERS, _lines

    path = "/home/" + "a" * 300 + "/\u202egnp.yp"
    lines = _lines(path)
    assert "".join(lines) == path.replace("\u202e", "\\u202e")
    assert max(map(len, lines)) <= LETTERS
