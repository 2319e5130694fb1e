"""Runs Reachy Mini's own daemon and kinematics in .venv-makers without a robot: simulated by the daemon
itself, or with simulated servos.
"""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

from limber.hardware.protocols.reachy_mini.capabilities import LIMITS

from tests.hardware.processes import let_go_first
from tests.hardware.served_bus import ServedBus

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-makers" / "bin" / "python"
IS_THERE = (ROOT / ".venv-makers" / "ready").exists()
MISSING = "no .venv-makers here: scripts/makers.sh makes it, with Reachy Mini's daemon"
BODY = next(
    ROOT.glob(".venv-makers/lib/python*/site-packages/reachy_mini/descriptions/reachy_mini/mjcf/scene.xml"),
    None,
)  # joints in MuJoCo
OFFSETS = (
    0,
    1024,
    -1024,
    1024,
    -1024,
    1024,
    -1024,
    0,
    0,
)  # [steps] homing offsets that the daemon writes into the servos from id 10 on
ACTUATORS = (
    "yaw_body",
    *(f"stewart_{leg}" for leg in range(1, 7)),
    "right_antenna",
    "left_antenna",
)  # joints of BODY
HORNS = tuple(
    f"{10 + k}:{name}:{-1 if k > 6 else 1}:{2048 - offset}"
    for k, (name, offset) in enumerate(zip(ACTUATORS, OFFSETS, strict=True))
)  # the servos' horns in BODY: antennas rotate in the other direction
DELAY, MODE, OFFSET, HIGHEST, LOWEST, SHUTDOWN = 9, 11, 20, 48, 52, 63  # registers that the daemon sets up
ABSENT = Path(__file__).resolve().parent / "absent"
START = 120.0  # [s] longest time of its start; an idle machine takes 8 to 12
LAUNCH = """
import os, runpy, sys, threading

def end_with_the_parent():
    sys.stdin.buffer.read()
    os._exit(0)

threading.Thread(target=end_with_the_parent, daemon=True).start()
runpy.run_module("reachy_mini.daemon.app.main", run_name="__main__", alter_sys=True)
"""
OPTIONS = ("--no-media", "--dataset-update-interval", "0")


def environment(home: Path) -> dict[str, str]:
    """Environment variables that isolate the maker's software: no telemetry, no downloads, settings in
    `home`.
    """
    private = {"DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1", "HOME": str(home), "PYTHONPATH": str(ABSENT)}
    return {**os.environ, **private}


def set_up(bus: ServedBus) -> None:
    """Sets servos up as a daemon has left them after an earlier run: on a busy machine it would find their
    answers too late.

    They restart, since a goal from before the homing offset was stored is a quarter of a revolution away: a
    motor that rests beyond its limits refuses the daemon's own first goal, and would rotate to the old goal
    when its torque is switched on.
    """
    for (servo, (lowest, highest)), offset in zip(LIMITS.items(), OFFSETS, strict=True):
        for register, value, size in (
            (DELAY, 0, 1),
            (MODE, 3, 1),
            (OFFSET, offset, 4),
            (HIGHEST, highest, 4),
            (LOWEST, lowest, 4),
            (SHUTDOWN, 52, 1),
        ):
            bus.store(servo, register, value.to_bytes(size, "little", signed=size == 4))
        bus.restart(servo)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class MakersDaemon:
    """A daemon in a separate process, which must be closed.

    Args:
        home: Folder for its settings.
        options: Options of its command line: ("--mockup-sim",), or ("-p", PORT) for servos on a serial port.

    Attributes:
        address: HOST:PORT.
    """

    def __init__(self, home: Path, *options: str) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self._log = (home / "daemon.log").open("wb")
        port = self.address.rpartition(":")[2]
        self._command = [str(PYTHON), "-c", LAUNCH, "--fastapi-port", port, *OPTIONS, *options]
        self._home = home
        self.process = self._started()
        until = time.perf_counter() + START
        while (state := self._state()) != "running":
            log = Path(self._log.name).read_text(errors="replace")[-2000:]
            assert time.perf_counter() < until, log
            if (
                state == "error" or self.process.poll() is not None
            ):  # the daemon counts servos that answer late, on a busy machine, as missing
                self.process.kill()
                self.process.wait()
                self.process = self._started()
            time.sleep(0.5)

    def get(self, path: str) -> Any:
        """Answer to a GET request."""
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=10.0) as answer:
            return json.load(answer)

    def post(self, path: str, **fields: Any) -> Any:
        """Answer to a POST request."""
        request = urllib.request.Request(
            f"http://{self.address}{path}",
            json.dumps(fields).encode(),
            {"Content-Type": "application/json"},
            method="POST",
        )
        with urllib.request.urlopen(request, timeout=10.0) as answer:
            return json.load(answer)

    def pause(self) -> None:
        """Stops the daemon: the connection stays open, but no data arrive."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self.go_on()
        self.process.kill()
        self.process.wait()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            self._command,
            cwd=self._home,
            env=environment(self._home),
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
        )
        let_go_first(process.pid)
        return process

    def _state(self) -> str:
        """The daemon's state; empty while it does not answer."""
        try:
            return str(self.get("/api/daemon/status")["state"])
        except OSError:
            return ""
