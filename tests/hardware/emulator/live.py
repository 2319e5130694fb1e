"""The firmware in real time behind a serial port that pyserial can open, with faults on command."""

import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.hardware.processes import let_go_first

from . import build
from .timeline import Pulse, pulse_from

PATIENCE = 30.0  # [s] longest waiting time for an answer of the emulator on a very busy machine


class EmulatorError(RuntimeError):
    """The emulator has ended, or does not answer."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Progress of the emulator: simulated time [us], number of bytes that the device has received and sent.

    `slipped_us` is simulated time that was skipped because the machine was busy.
    """

    now_us: float
    bytes_in: int
    bytes_out: int
    slipped_us: float


class EmulatedUno:
    """An Arduino Uno with Limber's firmware, which runs until the end of the `with` block.

    Args:
        reset_on_open: Whether it restarts when a program opens its port, as a real Uno does.
        boot_ms: Time [ms] after a restart (also by `reset` and `plug`) in which it receives nothing: 1000 to
            2000 in a real Uno's bootloader.

    Attributes:
        port: Path of the port; the same after `unplug` and `plug`.
    """

    def __init__(self, reset_on_open: bool = True, boot_ms: int = 0) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="limber-uno-")
        self.port = str(Path(self._folder.name) / "ttyUno")
        command = [str(build.host("live")), str(build.firmware()), self.port, "boot", str(boot_ms)]
        self._process = subprocess.Popen(
            command + ["reset-on-open"] * reset_on_open,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        let_go_first(self._process.pid)
        self._changed = threading.Condition()
        self._pulses: list[Pulse] = []
        self._done: list[tuple[str, Stats]] = []
        self._ready = self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._wait(lambda: self._ready, PATIENCE)

    def pulses(self, channel: int | None = None) -> list[Pulse]:
        """The pulses so far, of one channel or of all."""
        with self._changed:
            return [pulse for pulse in self._pulses if channel in (None, pulse.channel)]

    def forget_pulses(self) -> None:
        with self._changed:
            self._pulses.clear()

    def wait_for_pulses(
        self, enough: Callable[[list[Pulse]], bool], seconds: float = PATIENCE
    ) -> list[Pulse]:
        """The pulses, as soon as `enough` returns True for them.

        Raises:
            EmulatorError: `enough` never returned True.
        """
        self._wait(lambda: enough(self._pulses), seconds)
        return self.pulses()

    def stats(self) -> Stats:
        return self._command("stats")

    def reset(self) -> None:
        """Resets the board, as its button does."""
        self._command("reset")

    def freeze(self) -> None:
        """Stops the processor and its timers; bytes that are sent to it are lost."""
        self._command("freeze")

    def thaw(self) -> None:
        self._command("thaw")

    def mute(self) -> None:
        """Discards the device's frames until `speak`."""
        self._command("mute")

    def speak(self) -> None:
        self._command("speak")

    def noise(self, data: bytes) -> None:
        """Sends bytes to the device that no program sent."""
        self._command(f"noise {data.hex()}")

    def unplug(self) -> None:
        """Removes the port and switches off the board's power."""
        self._command("unplug")

    def plug(self) -> None:
        self._command("plug")

    def close(self) -> None:
        if self._process.stdin and not self._ended:
            self._process.stdin.close()  # the host ends when its input is closed
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        if self._process.stdout:
            self._process.stdout.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _command(self, command: str) -> Stats:
        before = len(self._done)
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        self._wait(lambda: len(self._done) > before, PATIENCE)
        return self._done[before][1]

    def _wait(self, ready: Callable[[], bool], seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: ready() or self._ended, seconds)
            if not ready():
                raise EmulatorError(
                    "the emulated Uno ended"
                    if self._ended
                    else f"the emulated Uno did not do it in {seconds} s"
                )

    def _read(self) -> None:
        for line in self._process.stdout:
            words = line.split()
            with self._changed:
                if words[0] == "READY":
                    self._ready = True
                elif words[0] == "P":
                    self._pulses.append(pulse_from(words))
                elif words[0] == "DONE":
                    self._done.append(
                        (words[1], Stats(float(words[2]), int(words[3]), int(words[4]), float(words[5])))
                    )
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()
