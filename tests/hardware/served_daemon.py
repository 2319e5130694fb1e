"""Reachy Mini's simulated daemon behind a port of this computer, in a separate process.

`ServedDaemon` starts the process; its command is `python -m tests.hardware.served_daemon ANGLE ...`, which
prints its address, executes words from standard input and ends when that is closed.
"""

import json
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from checkout import load_limber

load_limber()  # also if this file is run as a program

from tests.hardware.processes import let_go_first  # noqa: E402
from tests.hardware.reachy_daemon import ReachyDaemon  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LISTEN = 0.002  # [s] interval between two readings
SILENT = "silent"  # command after which it sends no more messages about its motors
MOTORS = "motors"  # command to print the mode of its motors and their angles


class ServedDaemon:
    """A daemon in a separate process, which must be closed.

    Args:
        angles: Angles (9,) [rad] of its motors: body, head, right and left antenna.

    Attributes:
        address: HOST:PORT.
    """

    def __init__(self, angles) -> None:
        command = [sys.executable, "-m", "tests.hardware.served_daemon", *map(str, angles)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError(f"the process of the simulated daemon ended with {self._process.wait()}")

    def fall_silent(self) -> None:
        """Disconnects its motors; the connection stays open."""
        self._order(SILENT)

    def motors(self) -> tuple[str, list[float]]:
        """The mode of its motors, "enabled" or "disabled", and their angles (9,) [rad]."""
        self._order(MOTORS)
        assert self._process.stdout
        mode, angles = json.loads(self._process.stdout.readline())
        return mode, angles

    def _order(self, word: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(angles: list[float]) -> None:
    """Serves one client after another, until standard input ends."""
    let_go_first(os.getpid())
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(f"127.0.0.1:{server.getsockname()[1]}", flush=True)
        client: socket.socket | None = None
        daemon = ReachyDaemon(time.perf_counter(), angles)
        while True:
            listening = [sys.stdin.fileno(), server, *([client] if client else [])]
            ready, _, _ = select.select(listening, [], [], LISTEN)
            if sys.stdin.fileno() in ready:
                word = os.read(sys.stdin.fileno(), 100).decode().strip()
                if not word:
                    return
                daemon.silent = daemon.silent or word == SILENT
                if word == MOTORS:
                    print(json.dumps([daemon.motors, daemon.angles]), flush=True)
            if server in ready:
                client, _ = server.accept()
                daemon = ReachyDaemon(time.perf_counter(), daemon.angles, daemon.motors)
            if client is None:
                continue
            try:
                data = client.recv(65536) if client in ready else b""
                if client in ready and not data:
                    client = None
                elif said := daemon.hear(data, time.perf_counter()):
                    client.sendall(said)
            except OSError:  # the client was killed
                client = None


if __name__ == "__main__":
    serve([float(word) for word in sys.argv[1:]])
