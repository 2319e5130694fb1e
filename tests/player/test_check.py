"""Tests the self-test of a character: it passes on computers whose numpy rounds differently, and names frame
and joint of a differing motion.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from limber.character.chain.settings import RIG
from limber.character.file import engine, writing
from limber.character.file.contents import CharacterFile, SelfTest
from limber.character.file.engine import engine_digest
from limber.player import check as self_test
from limber.player.check import SAME, check
from limber.player.command import OTHER_SOLVERS, main
from limber.player.playing import play
from limber.player.script import Script

from tests.character.samples import FRAMES, chain
from tests.character.samples import character as sample
from tests.character.test_character_file import GOLDEN


def character() -> CharacterFile:
    """A character whose joints move."""
    return sample(chain(base=RIG))


def recorded() -> dict[str, np.ndarray]:
    rate = character().rate.seconds_a_frame
    return play(character(), Script((FRAMES - 1) * rate, 1.0 / rate))


def test_what_was_recorded_here_is_the_same_here():
    motion = recorded()
    result = check(replace(character(), self_test=SelfTest(motion["commanded"], motion["desired"])))
    assert (result.frame, result.largest) == (None, 0.0)


def test_a_filter_that_makes_more_of_rounding_is_no_difference():
    motion = recorded()
    elsewhere = motion["desired"] + 0.9 * SAME * np.resize([1.0, -1.0], FRAMES)[:, None]
    filtered = self_test._filtered(character(), elsewhere)
    assert np.abs(filtered - motion["commanded"]).max() > SAME
    assert check(replace(character(), self_test=SelfTest(filtered, elsewhere))).frame is None


def test_another_filter_and_another_solution_are_named():
    motion = recorded()
    for name in ("commanded", "desired"):
        rows = {each: motion[each].copy() for each in SelfTest._fields}
        rows[name][7:, 1] += 3.0 * SAME
        result = check(replace(character(), self_test=SelfTest(**rows)))
        first = character().first_frame + 7
        assert (result.frame, result.joint) == (first, "Rig/Link1 X"), name


def moving_otherwise(path: Path, engine: str) -> Path:
    """A file whose self-test was computed by this engine, and is not met here."""
    motion = recorded()
    test = SelfTest(motion["commanded"] + 0.1, motion["desired"] + 0.1)
    writing.write(path, replace(character(), engine=engine, self_test=test))
    return path


def test_a_self_test_of_other_solvers_is_no_fault_of_this_computer(tmp_path: Path, capsys):
    older = moving_otherwise(tmp_path / "older.limber", "0123456789abcdef")
    assert main(["check", str(older)]) == OTHER_SOLVERS
    said = capsys.readouterr()
    assert "Sample was made by tests, whose solvers were others than those here" in said.out
    assert said.err == ""
    assert main(["check", str(moving_otherwise(tmp_path / "own.limber", engine_digest()))]) == 1
    assert "does not move here as in Blender" in capsys.readouterr().err


def test_a_file_that_names_no_solvers_is_not_said_to_have_others(tmp_path: Path, capsys):
    assert main(["check", str(moving_otherwise(tmp_path / "oldest.limber", ""))]) == OTHER_SOLVERS
    said = capsys.readouterr().out
    assert "Sample was made by tests, and the file does not say with which solvers." in said
    assert "were others" not in said


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.limber")), ids=lambda path: path.stem)
def test_files_of_every_version_pass_or_are_said_to_be_of_other_solvers(path: Path):
    assert main(["check", str(path)]) in (0, OTHER_SOLVERS)


def test_the_engines_digest_tells_other_sources_and_no_other_line_ends(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(engine, "ROOT", tmp_path)
    digests = []
    for source in (b"x = 1\n", b"x = 1\r\n", b"x = 2\n"):
        (tmp_path / "solvers").mkdir(exist_ok=True)
        (tmp_path / "solvers/law.py").write_bytes(source)
        digests.append(engine_digest.__wrapped__())
    assert digests[0] == digests[1] != digests[2]
