"""A player as a service of systemd: what it says to it, and that nobody at a terminal is needed."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from limber.character.file.writing import write
from limber.player.command import parser

from tests.player.test_live import PATIENCE, PROGRAM, ROOT, with_robot

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
            for _ in range(3):
                sign = manager.recv(4096).decode()
                assert sign.startswith("WATCHDOG=1\nSTATUS=")
                assert "\n" not in sign.partition("STATUS=")[2]
            process.send_signal(signal.SIGTERM)
            while manager.recv(4096) != b"STOPPING=1":
                pass
            assert "Ended: robots are at rest and disarmed" in process.communicate(timeout=PATIENCE)[0]
            assert process.returncode == 0
        finally:
            process.kill()


def unit() -> dict[str, str]:
    """The settings of the unit in the documents."""
    text = re.search(r"    \[Unit\]\n((?:    .*\n|\n)*)", PAGE.read_text(encoding="utf-8"))[1]
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
