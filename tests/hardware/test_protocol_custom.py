"""Tests a robot with its user's own file: its functions, and that nothing in it can do harm."""

import os
import re
import subprocess
import sys
import textwrap
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.custom import Custom
from limber.hardware.protocols.interface import (
    Exchange,
    Measured,
    Problem,
    ProblemKind,
    ProtocolError,
    Quantity,
)
from limber.hardware.protocols.program import MOST_BYTES, Program, read_program
from limber.hardware.protocols.table import codec_for

from tests.hardware.protocol_checks import CHANCE, NOISE, heard, pieces

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "protocols.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```python\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)


def allowed(path: Path) -> Custom:
    """The codec of a file that the user has allowed in its current version."""
    return Custom(path, read_program(path).digest)


@pytest.fixture
def robot(tmp_path):
    """Function that creates codecs of files with the given text."""

    def make(text: str) -> Custom:
        path = tmp_path / "my_robot.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return allowed(path)

    return make


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "my_robot.py"
    path.write_text(EXAMPLE, encoding="utf-8")
    return codec_for(f"file:{path}", program=read_program(path).digest)


def test_the_documents_example_moves_disarms_and_asks(example):
    assert example.write({0: 1500, 3: 600}) == (Exchange(b"S0 1500\nS3 600\n"),)
    assert example.arm({0: 1500}) == (Exchange(b"S0 1500\n"),)
    assert example.disarm([0, 3]) == (Exchange(b"S0 off\nS3 off\n"),)
    assert example.stop({0: 1500}, [3]) == (Exchange(b"S0 1500\n"), Exchange(b"S3 off\n"))
    (asked,) = example.read([Quantity.POSITION], [0, 3])
    assert asked.data == b"?0\n?3\n"


def test_the_documents_example_says_what_it_can(example):
    can = example.capabilities
    assert (can.title, can.servos, can.measures, can.releases) == ("My robot", range(8), True, True)
    assert can.reads == {Quantity.POSITION}


@given(CHANCE)
def test_the_documents_example_reads_answers_however_they_are_cut(example, chance):
    (asked,) = example.read([Quantity.POSITION], [0, 3])
    messages = heard(example.decoder(), asked, pieces(b"hello\nP0 1498\nP3 611\n", chance, 4))
    assert messages == [Measured(0, Quantity.POSITION, 1498), Measured(3, Quantity.POSITION, 611)]


def test_an_answer_that_does_not_come_is_missing(example):
    (asked,) = example.read([Quantity.POSITION], [0, 3])
    messages = heard(example.decoder(), asked, b"P3 611\nP0 14")
    assert [message.kind for message in messages if isinstance(message, Problem)] == [
        ProblemKind.NOISE,
        ProblemKind.MISSING,
    ]
    assert messages[-1].servo == 0


@given(st.lists(NOISE | st.just(b"P0 1498\n"), max_size=5), CHANCE)
def test_no_bytes_in_any_order_raise(example, parts, chance):
    (asked,) = example.read([Quantity.POSITION], [0, 3])
    heard(example.decoder(), asked, pieces(b"".join(parts), chance))


def test_one_function_is_enough(robot):
    codec = robot("""
        def frame(positions):
            return bytes(positions)
    """)
    assert codec.write({1: 500, 2: 2500}) == (Exchange(b"\x01\x02"),)
    assert codec.disarm([1]) == ()
    assert codec.identify([1]) == ()
    can = codec.capabilities
    assert (can.title, can.baudrates, can.releases, can.measures, can.reads) == (
        "my_robot",
        (115_200,),
        False,
        False,
        frozenset(),
    )
    assert heard(codec.decoder(), Exchange(b""), b"chatter")[0].kind is ProblemKind.NOISE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def frame(positions:\n    pass", r"my_robot.py, line 1: loading it failed: SyntaxError"),
        ("NAME = 'x'\nimport no_such_module", r"line 2: loading it failed: ModuleNotFoundError"),
        ("import sys\nsys.exit(3)", r"line 2: loading it failed: SystemExit: 3"),
        ("raise KeyboardInterrupt.__new__(Exception)", r"loading it failed"),
        (
            "class Bad(Exception):\n    def __str__(self):\n        raise ValueError\nraise Bad",
            r"line 4: loading it failed: Bad; correct",
        ),
        ("NAME = 'x'", r"no function frame"),
        ("frame = 5", r"no function frame"),
        ("SERVOS = 'many'\ndef frame(p): return b''", r"SERVOS is 'many'; it must be int"),
        ("SERVOS = True\ndef frame(p): return b''", r"SERVOS is True"),
        ("SERVOS = 0\ndef frame(p): return b''", r"SERVOS is 0"),
        ("BAUDRATE = -1\ndef frame(p): return b''", r"BAUDRATE is -1"),
        ("LOWEST = 9000\ndef frame(p): return b''", r"LOWEST is 9000"),
        ("PER_TURN = float('nan')\ndef frame(p): return b''", r"PER_TURN is nan"),
        ("MEASURES = True\ndef frame(p): return b''", r"MEASURES is True, but ask"),
        ("def f(): f()\nf()", r"line 1: loading it failed: RecursionError"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_sentence_with_its_line(robot, text, words):
    with pytest.raises(ProtocolError, match=words):
        robot(text)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(ProtocolError, match=r"nowhere\.py cannot be read: No such file"):
        Custom(tmp_path / "nowhere.py", "")


def test_a_file_that_is_no_text_is_a_sentence(tmp_path):
    path = tmp_path / "my_robot.py"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(ProtocolError, match=r"my_robot\.py"):
        allowed(path)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "return 1 / 0",
            r"my_robot.py, line 3: frame\(\) failed: ZeroDivisionError: division by zero; correct the file",
        ),
        ("return 'text'", r"frame\(\) gave 'text'; it must give bytes"),
        ("return None", r"frame\(\) gave None"),
        ("return bytes(5000)", r"5000 bytes"),
        ("raise SystemExit", r"SystemExit"),
        ("return positions[7]", r"KeyError: 7"),
        ("return frame(positions)", r"RecursionError"),
    ],
)
def test_a_function_that_fails_is_a_sentence_with_its_line(robot, body, words):
    codec = robot(f"\ndef frame(positions):\n    {body}\n")
    with pytest.raises(ProtocolError, match=words):
        codec.write({1: 1500})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", "ZeroDivisionError"),
        ("return {}", "must give"),
        ("return {}, 99", "used 99 of 2 bytes"),
        ("return {}, -1", "used -1"),
        ("return {}, True", "must give"),
        ("return {0: 'far'}, 1", "'far'"),
        ("return {0: float('nan')}, 1", "nan"),
        ("return {99: 1500}, 1", "99"),
        ("return {(): 1500}, 1", "whole numbers"),
        ("return {0: 1 << 40}, 1", "whole numbers"),
    ],
)
def test_what_decode_makes_of_bytes_is_checked(robot, body, words):
    codec = robot(f"""
        def frame(positions):
            return b""

        def ask(servos):
            return b"?"

        def decode(data):
            {body}
    """)
    (asked,) = codec.read([Quantity.POSITION], [0])
    messages = heard(codec.decoder(), asked, b"ab")
    assert words in messages[0].text
    assert all(isinstance(message, Problem) for message in messages)


def test_what_the_file_changes_in_what_it_is_given_changes_nothing_else(robot):
    codec = robot("""
        def frame(positions):
            positions.clear()
            return b"x"
    """)
    goals = {1: 1500}
    codec.write(goals)
    assert goals == {1: 1500}


def test_dataclasses_and_prints_work_in_the_file(robot, capsys):
    codec = robot("""
        from __future__ import annotations
        import sys
        from dataclasses import dataclass

        @dataclass
        class Servo:
            number: int

        def frame(positions):
            print("moving", file=sys.stderr)
            print("moving")
            return bytes(Servo(number).number for number in positions)
    """)
    assert codec.write({3: 1500}) == (Exchange(b"\x03"),)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("servo", "position", "words"), [(16, 1500, "Servo 16"), (0, 499, "499"), (0, 2501, "2501")]
)
def test_positions_out_of_range_never_reach_the_file(robot, servo, position, words):
    codec = robot("""
        def frame(positions):
            raise AssertionError("reached")
    """)
    with pytest.raises(ProtocolError, match=words):
        codec.write({servo: position})


def test_a_file_that_hangs_or_crashes_takes_its_own_process_alone(tmp_path):
    path = tmp_path / "my_robot.py"
    path.write_text("import os\n\ndef frame(positions):\n    os.abort()\n")
    root = Path(__file__).resolve().parents[2]
    program = (
        f"import sys; sys.path.insert(0, {str(root)!r}); from checkout import load_limber; load_limber();"
        "from limber.hardware.protocols.table import codec_for;"
        f"codec_for('file:{path}', program={read_program(path).digest!r}).write({{1: 1500}})"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode not in (0, 1)


def test_a_protocol_that_does_not_exist_names_those_that_do():
    with pytest.raises(ProtocolError, match=r"'firmata'.*feetech_sts.*file:"):
        codec_for("firmata")


# --- what the user has not allowed
def marking(tmp_path: Path) -> tuple[Path, Path]:
    """A program that creates a file when it runs, and that file."""
    path, mark = tmp_path / "my_robot.py", tmp_path / "it_ran"
    path.write_text(
        f"open({str(mark)!r}, 'w').close()\n\ndef frame(positions):\n    return b''\n", encoding="utf-8"
    )
    return path, mark


@pytest.mark.parametrize("digest", ["", "0" * 64])
def test_a_program_that_was_not_allowed_does_not_run(tmp_path, digest):
    path, mark = marking(tmp_path)
    with pytest.raises(
        ProtocolError, match=r"my_robot\.py is not the program that you have allowed on this computer"
    ):
        codec_for(f"file:{path}", program=digest)
    assert not mark.exists()


def test_a_program_that_has_changed_since_it_was_allowed_does_not_run(tmp_path):
    path, mark = marking(tmp_path)
    digest = read_program(path).digest
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(ProtocolError, match="not the program"):
        codec_for(f"file:{path}", program=digest)
    assert not mark.exists()


def test_what_was_compared_is_what_runs_though_the_file_changes_at_that_moment(tmp_path, monkeypatch):
    path, mark = marking(tmp_path)
    changed = path.read_bytes()
    path.write_text("def frame(positions):\n    return b'as allowed'\n", encoding="utf-8")
    digest = read_program(path).digest

    def compared(program):
        found = sha256(program.source).hexdigest()
        path.write_bytes(changed)  # between the comparison and the run
        return found

    monkeypatch.setattr(Program, "digest", property(compared))
    codec = Custom(path, digest)
    assert path.read_bytes() == changed
    assert codec.write({0: 1500})[0].data == b"as allowed"
    assert not mark.exists()


def test_what_is_no_file_or_too_large_is_no_program(tmp_path):
    with pytest.raises(ProtocolError, match=f"^The robot's file {tmp_path} is no file: choose"):
        read_program(tmp_path)
    with pytest.raises(ProtocolError, match="cannot be read: File name too long"):
        read_program(tmp_path / ("x" * 300))
    os.mkfifo(tmp_path / "pipe")  # reading it would block
    with pytest.raises(ProtocolError, match="is no file"):
        read_program(tmp_path / "pipe")
    (tmp_path / "large.py").write_bytes(bytes(MOST_BYTES + 1))
    with pytest.raises(ProtocolError, match="more than 1048576 bytes"):
        read_program(tmp_path / "large.py")
    with pytest.raises(ProtocolError, match="cannot be read"):
        read_program(Path("null\0byte.py"))
