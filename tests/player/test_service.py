"""Tests a player as a service of systemd: the messages that it sends, and that it needs no terminal."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from limber.character.file.writing import write
from limber.player.command import parser
from limber.player.service import ServiceManager

from tests.player.test_live import PATIENCE, PROGRAM, ROOT, with_robot

LINUX = sys.platform == "linux"  # only Linux has abstract addresses
PAGE = ROOT / "docs" / "raspberry_pi.md"

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")


def test_it_says_that_it_plays_lives_and_ends(tmp_path: Path):
    write(tmp_path / "sample.limber", with_robot())
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE)
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "play", str(tmp_path / "sample.limber"), "--seconds", "60"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "100000"},
        )
        try:
            assert manager.recv(4096) == b"READY=1"
            signs = [""]
            while len(signs) < 4 or "Disarmed: start limber play" not in signs[-1]:
                signs.append(manager.recv(4096).decode())
                assert signs[-1].startswith("WATCHDOG=1\nSTATUS=")
                assert "\n" not in signs[-1].partition("STATUS=")[2]
            process.send_signal(signal.SIGTERM)
            while manager.recv(4096) != b"STOPPING=1":
                pass
            assert "Ended: robots are at rest and disarmed" in process.communicate(timeout=PATIENCE)[0]
            assert process.returncode == 0
        finally:
            process.kill()


# permitted values of sd_notify(3), besides the text of STATUS
VALUES = {"READY": "1", "WATCHDOG": "1", "STOPPING": "1"}


def fields(datagram: bytes) -> dict[str, str]:
    """The variables of a datagram, which must have the protocol's format."""
    lines = datagram.decode("utf-8").split("\n")
    pairs = [line.partition("=")[::2] for line in lines]
    assert all(value == VALUES.get(name, value) for name, value in pairs)
    assert {name for name, _ in pairs} <= {*VALUES, "STATUS"}
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


@pytest.fixture(params=["path", *(["abstract"] if LINUX else [])])
def manager(request, tmp_path: Path, monkeypatch) -> Iterator[socket.socket]:
    """A service manager's socket, in the file system or in Linux' abstract name space."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        name = str(tmp_path / "notify") if request.param == "path" else f"@limber {os.getpid()}"
        listener.bind(name.replace("@", "\0") if name.startswith("@") else name)
        listener.settimeout(PATIENCE)
        monkeypatch.setenv("NOTIFY_SOCKET", name)
        yield listener


def test_every_message_is_of_the_protocol_whatever_a_state_is_called(manager, monkeypatch):
    monkeypatch.setenv("WATCHDOG_USEC", "0")
    service = ServiceManager()
    service.ready()
    assert fields(manager.recv(4096)) == {"READY": "1"}
    service.alive(lambda: "1 s, Idle\nMAINPID=1; no robot")
    sign = fields(manager.recv(4096))
    assert sign["WATCHDOG"] == "1"
    assert "MAINPID=1; no robot" in sign["STATUS"]
    service.stopping()
    assert fields(manager.recv(4096)) == {"STOPPING": "1"}


def test_signs_of_life_come_in_half_of_the_time_if_they_are_asked_of_this_process(manager, monkeypatch):
    now = 100.0
    monkeypatch.setattr("limber.player.service.time.monotonic", lambda: now)
    monkeypatch.setenv("WATCHDOG_USEC", "5000000")
    for watched, period in ((os.getpid(), 2.5), (os.getpid() + 1, 1.0)):
        monkeypatch.setenv("WATCHDOG_PID", str(watched))
        service, begin = ServiceManager(), now
        for late in (0.0, 0.99 * period, period):
            now = begin + late
            service.alive(f"{late:g}".format)
        assert [fields(manager.recv(4096))["STATUS"] for _ in range(2)] == ["0", f"{period:g}"]


def unit_text() -> str:
    """Text of the unit in the documents."""
    text = re.search(r"    \[Unit\]\n(?:    .*\n|\n)*", PAGE.read_text(encoding="utf-8"))[0]
    return "".join(f"{line.strip()}\n" for line in text.splitlines())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_itself_finds_nothing_wrong_with_the_unit_of_the_documents(tmp_path: Path):
    text = re.sub(r"^ExecStart=\S+", f"ExecStart={sys.executable}", unit_text(), flags=re.MULTILINE)
    (tmp_path / "limber.service").write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / "limber.service")]
    verdict = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "limber.service:" not in verdict.stderr, "it names what it does not know"
    assert verdict.returncode == 0, verdict.stderr


def unit() -> dict[str, str]:
    """Settings of the unit in the documents."""
    text = unit_text()
    return dict(line.strip().split("=", 1) for line in text.splitlines() if "=" in line)


def test_the_unit_of_the_documents_starts_the_player_with_options_that_it_has():
    settings = unit()
    assert settings["Type"] == "notify"
    program, *words = settings["ExecStart"].split()
    assert program.endswith("/bin/limber")
    parsed = parser().parse_args(words)
    assert str(parsed.file).endswith(".limber")
    assert parsed.page is not None
    assert not parsed.arm
    assert float(settings["TimeoutStopSec"]) > 6.0, "a robot comes to rest before it is ended"
    assert "dialout" in settings["SupplementaryGroups"]
