"""Tests the wheel in an empty virtual environment: the command plays a character without Blender."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from limber.character.chain.settings import RIG
from limber.character.file.contents import SelfTest
from limber.character.file.writing import write
from limber.player.playing import play
from limber.player.script import Script
from limber.solvers.kernel.library import NATIVE

from tests.character.samples import FRAMES, chain, character

ROOT = Path(__file__).resolve().parents[2]
LAMP = ROOT / "tests" / "character" / "golden" / "v1_0.limber"
PATIENCE = 600  # [s] longest time for pip, which downloads numpy


def ran(*command: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=PATIENCE, env=env
    )


def pip(environment: Path, *words: object) -> subprocess.CompletedProcess:
    """Runs this Python's pip for another environment without its own pip, whose installation would take
    longer than all other steps.
    """
    return ran(sys.executable, "-m", "pip", "--python", environment, *words)


@pytest.fixture(scope="module")
def commands(tmp_path_factory) -> Path:
    """Folder of the commands of an environment in which only the wheel was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    sys.path.insert(0, str(ROOT / "scripts"))
    import wheel

    try:
        built = wheel.build(folder)
    except wheel.WheelError as error:
        if "Could not find a version" in str(error) or "No matching distribution" in str(error):
            pytest.skip("pip reaches no package index here: the wheel's build tool cannot be had")
        raise
    environment = folder / "environment"
    assert ran(sys.executable, "-m", "venv", "--without-pip", environment).returncode == 0
    # Python compiles the modules that it imports; pip would compile all of numpy
    installed = pip(environment, "install", "--quiet", "--no-compile", built)
    assert installed.returncode == 0, installed.stderr
    return environment / ("Scripts" if sys.platform == "win32" else "bin")


def test_it_has_no_blender_and_all_that_it_imports(commands: Path):
    listed = pip(commands.parent, "list", "--format", "json")
    names = {package["name"] for package in json.loads(listed.stdout)}
    assert names == {"limber", "numpy", "pyserial", "ruamel.yaml", "threadpoolctl", "wsproto", "h11"}
    for module in (
        "player.command",
        "hardware.link",
        "inputs.inbox",
        "character.file.reading",
        "robots.urdf",
    ):
        imported = ran(commands / "python", "-c", f"import limber.{module}")
        assert imported.returncode == 0, imported.stderr


def test_it_says_what_is_in_a_file(commands: Path):
    said = ran(commands / "limber", "info", LAMP, "--json")
    content = json.loads(said.stdout)
    assert content["joints"][0].startswith("Lamp/")
    assert [chain["postures"] for chain in content["chains"]] == [["Proud", "Curious", "Sad"]]


def test_it_plays_a_script(commands: Path, tmp_path: Path):
    script, out = tmp_path / "script.json", tmp_path / "out.npz"
    ball = {"times": [0.0, 1.0], "positions": [[0.5, -0.5, 0.3], [-0.5, -0.5, 0.5]]}
    script.write_text(json.dumps({"seconds": 1.0, "rate": 24, "seed": 1, "targets": {"Ball": ball}}))
    done = ran(commands / "limber", "play", LAMP, "--script", script, "--out", out)
    assert done.returncode == 0, done.stderr
    with np.load(out) as recording:
        assert recording["commanded"].shape == (25, 5)
        assert np.ptp(recording["commanded"], axis=0).max() > 0.3, "it followed the ball"


@pytest.fixture
def tested(tmp_path: Path) -> Path:
    """A character file whose self-test was computed by this checkout."""
    sample = character(chain(base=RIG))
    recording = play(sample, Script((FRAMES - 1) / 24.0, 24.0))
    path = tmp_path / "sample.limber"
    write(path, replace(sample, self_test=SelfTest(recording["commanded"], recording["desired"])))
    return path


def test_without_a_kernel_it_says_so_and_moves_as_in_blender_all_the_same(commands: Path, tested: Path):
    assert "not here: solvers are slower" in ran(commands / "limber", "info", tested).stdout
    checked = ran(commands / "limber", "check", tested)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.skipif(not NATIVE.exists(), reason="the kernel is not compiled here: make kernel")
def test_with_the_kernel_it_uses_that(commands: Path, tested: Path):
    folder = commands.parent / "with_kernel" / "limber_kernel"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    shutil.copy(NATIVE, folder)
    environment = os.environ | {"PYTHONPATH": str(folder.parent)}
    for command, words in (("info", "Kernel: compiled code"), ("check", "moves here as in Blender")):
        said = ran(commands / "limber", command, tested, env=environment)
        assert words in said.stdout, said.stderr


def test_what_cannot_be_read_ends_with_a_sentence(commands: Path, tmp_path: Path):
    (tmp_path / "no.limber").write_text("no zip")
    failed = ran(commands / "limber", "check", tmp_path / "no.limber")
    assert failed.returncode == 1
    assert failed.stderr == "limber: 'no.limber' is no character file, or is cut off: export it again\n"
    missing = ran(commands / "limber", "info", tmp_path / "missing.limber")
    assert "No such file" in missing.stderr
