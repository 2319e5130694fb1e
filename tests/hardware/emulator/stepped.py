"""The firmware in simulated time, step by step: for tests whose host reacts to the device's answers. Without
a clock, so that every run is the same.
"""

import subprocess
from types import TracebackType
from typing import Self

from . import build
from .timeline import Pulse, pulse_from

STARTED_US = 20_000.0  # [us] time by which the program has started


class SteppedUno:
    """An Arduino Uno with Limber's firmware whose time only advances in `hear`.

    Its power can be switched off and its processor stopped; times of its pulses are the caller's, not its
    own.

    Args:
        now: The caller's time [s] at which the program has just started.
    """

    def __init__(self, now: float) -> None:
        command = [str(build.host("timeline")), str(build.firmware())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._new: list[Pulse] = []
        self._origin_us = now * 1e6 - STARTED_US  # start of its own time in the caller's
        self._now_us = now * 1e6
        self._stopped = False
        self._advance(b"", STARTED_US)

    def hear(self, data: bytes, now: float) -> bytes:
        """Advances the time to `now` [s] with `data` on the line; returns the bytes that the device has sent.
        A stopped device receives nothing.
        """
        now_us = now * 1e6
        if self._stopped:
            self._origin_us += now_us - self._now_us
            data = b""
        self._now_us = max(now_us, self._now_us)
        return b"" if self._stopped else self._advance(data, self._now_us - self._origin_us)

    def new_pulses(self) -> list[Pulse]:
        """The pulses that have ended since the last call, with the caller's times."""
        new, self._new = self._new, []
        return new

    def freeze(self) -> None:
        """Stops the processor and its timers; bytes that are sent to it are lost."""
        self._stopped = True

    def thaw(self) -> None:
        self._stopped = False

    def reset(self) -> None:
        """Resets the board, as its button does, and as opening the port of a real Uno does."""
        self._tell(f"{self._now_us - self._origin_us:.3f} reset")

    def power_off(self) -> None:
        """Switches the power off: no pulses, and the memory is lost."""
        self._stopped = True

    def power_on(self) -> None:
        self._stopped = False
        self.reset()

    def close(self) -> None:
        if self._process.stdin and self._process.stdout:
            self._process.stdin.close()  # the host ends when its input is closed
            self._process.wait()
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tell(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")

    def _advance(self, data: bytes, until_us: float) -> bytes:
        assert self._process.stdin
        assert self._process.stdout
        if data:
            self._tell(f"0 bytes {data.hex()}")
        self._tell(f"{until_us:.3f} sync")
        self._process.stdin.flush()
        said = bytearray()
        for line in self._process.stdout:
            words = line.split()
            if words[0] == "S":
                break
            if words[0] == "P":
                pulse = pulse_from(words)
                self._new.append(Pulse(pulse.channel, pulse.rise_us + self._origin_us, pulse.width_us))
            elif words[0] == "B":
                said += bytes.fromhex(words[2])
        else:
            raise RuntimeError("the emulated Uno ended")
        return bytes(said)
