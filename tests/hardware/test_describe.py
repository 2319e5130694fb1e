"""Tests the description of a protocol for users, and of a user's own file, which another process reads."""

import pytest
from limber.hardware.describe import describe
from limber.hardware.job_events import Ended
from limber.hardware.protocols.program import read_program
from limber.hardware.protocols.table import BUILT_IN, is_on_network


@pytest.mark.parametrize("protocol", BUILT_IN)
def test_every_protocol_says_whether_it_can_tell_where_it_is_and_what_happens_when_the_cable_breaks(protocol):
    described = describe(protocol)
    text = " ".join(described.sentences)
    assert "easures servo positions" in text or "not measure servo positions" in text
    assert "cable breaks" in text
    assert bool(described.baudrates) is not is_on_network(protocol)
    assert all("  " not in sentence and not sentence.endswith(".") for sentence in described.sentences)


def test_a_users_file_is_described_by_another_process(sent, tmp_path):
    path = tmp_path / "my_robot.py"
    path.write_text(
        "NAME = 'Owl'\nBAUDRATE = 9600\nREMARK = 'It hoots'\n\ndef frame(positions):\n    return b''\n"
    )
    described, ended = sent("describe", protocol=f"file:{path}", program=read_program(path).digest)
    assert (described.title, described.baudrates) == ("Owl", (9600,))
    assert "It hoots" in described.sentences
    assert ended == Ended()


@pytest.mark.parametrize(
    ("source", "words"), [("def frame(", "line 1"), ("import os\nos._exit(3)\n", "exit status 3")]
)
def test_a_users_file_that_cannot_be_used_is_a_sentence(sent, tmp_path, source, words):
    path = tmp_path / "my_robot.py"
    path.write_text(source)
    assert words in sent("describe", protocol=f"file:{path}", program=read_program(path).digest)[-1].failed


def test_a_users_file_that_was_not_allowed_is_not_run(sent, tmp_path):
    path = tmp_path / "my_robot.py"
    path.write_text(f"open({str(tmp_path / 'it_ran')!r}, 'w')\n")
    assert (
        "not the program that you have allowed"
        in sent("describe", protocol=f"file:{path}", program="")[-1].failed
    )
    assert not (tmp_path / "it_ran").exists()
