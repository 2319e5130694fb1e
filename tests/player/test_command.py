"""Tests the command `limber`: its messages for missing or invalid input, without stack traces."""

import json
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from limber.character.chain.settings import RIG
from limber.character.file.writing import write
from limber.files.json_fields import JsonFields
from limber.hardware.device import VIRTUAL_PORT
from limber.player.command import main, parser
from limber.player.errors import PlayerError
from limber.player.pacing import FASTEST
from limber.player.script import Event, Script, remarks, script_of

from tests.character.samples import chain, character
from tests.player.test_live import robot

ROOT = Path(__file__).resolve().parents[2]
RUN = (
    sys.executable,
    "-c",
    "from checkout import load_limber; load_limber(); import sys; from limber.player.entry import main;"
    " sys.exit(main())",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "sample.limber", replace(character(chain(base=RIG)), robots=(robot(VIRTUAL_PORT),)))
    return tmp_path / "sample.limber"


def test_it_says_which_robot_is_in_a_file(path: Path, capsys: pytest.CaptureFixture):
    assert main(["info", str(path)]) == 0
    assert "Robot of 'Rig': limber on virtual" in capsys.readouterr().out
    assert main(["info", "--json", str(path)]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["robots"]
    assert (listed["protocol"], listed["port"]) == ("limber", VIRTUAL_PORT)


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ({"format": 5}, "format: expected a text, found 5"),
        ({"joints": {}}, "joints: expected a list, found {}"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_robots_damaged_calibration_is_named_with_its_field(
    tmp_path: Path, damage: dict, problem: str, options: list[str], capsys: pytest.CaptureFixture
):
    whole = robot(VIRTUAL_PORT)
    calibration = json.dumps(json.loads(whole.calibration) | damage)
    damaged = replace(whole, calibration=calibration)
    write(tmp_path / "sample.limber", replace(character(chain(base=RIG)), robots=(damaged,)))
    assert main(["info", *options, str(tmp_path / "sample.limber")]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"limber: The calibration of 'Rig', {problem}\n"


def test_a_script_that_names_what_is_not_there_is_remarked_upon(path: Path):
    script = Script(1.0, 24.0, 0, (("Bell", None), ("Ball", None)), (Event(0.5, event="arive"),))
    assert remarks(script, character(chain(base=RIG))) == [
        "there is no target 'Bell': there is 'Ball', 'Lamp/Shade'",
        "there is no event 'arive': there is none",
    ]


@pytest.mark.parametrize(
    ("option", "text"), [("--page", "abc"), ("--rate", "fast"), ("--osc", "70000"), ("--seconds", "nan")]
)
def test_a_number_out_of_its_bounds_is_told_them(option: str, text: str, capsys: pytest.CaptureFixture):
    with pytest.raises(SystemExit):
        parser().parse_args(["play", "a.limber", option, text])
    assert f"{text}: give a " in capsys.readouterr().err


@pytest.mark.parametrize(("rate", "is_allowed"), [(FASTEST, True), (1.01 * FASTEST, False)])
def test_a_script_may_have_the_rates_that_the_command_may_have(rate: float, is_allowed: bool):
    plain = JsonFields("script", {"seconds": 0.0, "rate": rate}, PlayerError)
    for use in (
        lambda: parser().parse_args(["play", "a.limber", "--rate", str(rate)]),
        lambda: script_of(plain),
    ):
        with nullcontext() if is_allowed else pytest.raises((SystemExit, PlayerError)):
            assert use().rate == rate


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--page-host 0.0.0.0", "--page-host does nothing without --page"),
        ("--page-token token", "--page-token does nothing without --page"),
        ("--osc-host 0.0.0.0", "--osc-host does nothing without --osc"),
        ("--no-robot --arm", "--arm is about a robot, and --no-robot connects none"),
        ("--no-robot --port virtual", "--port is about a robot, and --no-robot connects none"),
        ("--script a.json --out a.npz --page", "--page is for real time"),
        ("--script a.json --out a.npz --seed 4", "--seed is for real time"),
    ],
)
def test_options_that_do_nothing_beside_the_others_are_refused(
    path: Path, options: str, sentence: str, capsys: pytest.CaptureFixture
):
    assert main(["play", str(path), *options.split()]) == 1
    assert sentence in capsys.readouterr().err


def test_an_address_that_cannot_be_served_is_said_with_the_option_that_mends_it(path: Path, capsys):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["play", str(path), "--no-robot", "--page", str(port)]) == 1
    said = capsys.readouterr().err
    assert (
        f"on port {port} of 127.0.0.1: Address already in use; choose another port with --page PORT" in said
    )
    for host in ("raspberrypi", "192.0.2.1"):
        assert main(["play", str(path), "--no-robot", "--page", "0", "--page-host", host]) == 1
        assert f"'{host}', which is no address of this computer: give --page-host" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"root:x:0:0", b"\xff\xfe\x00 no text"])
def test_a_file_that_is_no_token_is_said_to_be_none_and_is_left_alone(
    path: Path, tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture
):
    other = tmp_path / "other"
    other.write_bytes(content)
    assert main(["play", str(path), "--no-robot", "--page", "0", "--page-token", str(other)]) == 1
    assert f"{other} has no token: name a file that is not there" in capsys.readouterr().err
    assert other.read_bytes() == content


def test_a_folder_that_is_missing_is_said_of_the_file_that_was_chosen(path: Path, tmp_path: Path, capsys):
    script, out = tmp_path / "script.json", tmp_path / "nowhere" / "out.npz"
    script.write_text('{"seconds": 0, "rate": 24}')
    assert main(["play", str(path), "--script", str(script), "--out", str(out)]) == 1
    assert f"{out}: No such file" in capsys.readouterr().err


def run(*words: str, **options: object) -> subprocess.CompletedProcess:
    return subprocess.run([*RUN, *words], cwd=ROOT, capture_output=True, text=True, check=False, **options)


def test_a_start_that_nobody_has_permitted_says_so(path: Path, tmp_path: Path):
    settings = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "settings")}
    ended = run("play", str(path), "--no-robot", "--seconds", "0", "--at-start", env=settings)
    assert ended.returncode == 0, ended.stderr
    assert f"nobody has permitted it for {path} as it is now" in ended.stdout


def test_a_missing_library_is_named(path: Path, tmp_path: Path):
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')")
    ended = run("info", str(path), env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert "this Python has no numpy" in ended.stderr


def test_ctrl_c_while_it_begins_is_no_stack_trace(tmp_path: Path):
    (tmp_path / "numpy.py").write_text("raise KeyboardInterrupt")
    ended = run("info", "a.limber", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGINT, "")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_reader_who_has_had_enough_is_no_error(path: Path):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        ended = subprocess.run(
            [*RUN, "info", str(path)], cwd=ROOT, stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_it_says_its_version(capsys: pytest.CaptureFixture):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("limber ")
