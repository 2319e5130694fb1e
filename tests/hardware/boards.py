"""Boards with hobby servos, simulated from their makers' descriptions: bytes in, bytes out. Nothing is
imported from the extension.
"""

import re


class Board:
    """A simulated board.

    Attributes:
        pulses: Current pulse of each servo, in the protocol's unit; 0 or missing: none.
        history: All pulses sent so far, (servo, pulse).
    """

    def __init__(self) -> None:
        self.pulses: dict[int, int] = {}
        self.history: list[tuple[int, int]] = []
        self._pending = bytearray()

    @property
    def positions(self) -> tuple[float, ...]:
        return tuple(float(self.pulses.get(servo, 0)) for servo in range(3))

    def set(self, servo: int, pulse: int) -> None:
        self.pulses[servo] = pulse
        self.history.append((servo, pulse))

    def hear(self, data: bytes, now: float) -> bytes:
        """The board's answer to `data`."""
        self._pending += data
        said = b""
        while (answer := self.obey()) is not None:
            said += answer
        return said

    def obey(self) -> bytes | None:
        """Removes one command from the pending bytes, executes it and returns the answer; None if no command
        is complete.
        """
        raise NotImplementedError


def pololu_crc(command: bytes) -> int:
    """CRC-7 of Pololu's controllers: remainder of the bits, the lowest of each byte first, divided by x^7 +
    x^3 + 1.
    """
    bits = [byte >> bit & 1 for byte in (*command, 0) for bit in range(8)][: 8 * len(command) + 7]
    for at in range(8 * len(command)):
        if bits[at]:
            for power in (0, 4, 7):
                bits[at + power] ^= 1
    return sum(value << bit for bit, value in enumerate(bits[-7:]))


class MaestroBoard(Board):
    """A Maestro that understands the compact protocol.

    Args:
        channels: Number of channels; with 6, as a Micro Maestro, it has no command for multiple targets.
        crc: Whether *Enable CRC* is set in its Control Center.

    Attributes:
        errors: Error bits, which are cleared when they are read.
        homecomings: Number of times that an error sent all channels home.
    """

    def __init__(self, channels: int = 6, crc: bool = False) -> None:
        super().__init__()
        self.errors = self.homecomings = 0
        self._channels, self._crc = channels, crc

    def _fail(self, bit: int) -> None:
        self.errors |= bit
        self.homecomings += 1

    def _length(self) -> int | None:
        """Number of bytes of the pending command; None if it is not known yet."""
        lengths = {0x84: 4, 0x87: 4, 0x89: 4, 0x90: 2, 0xA1: 1}
        if self._pending[0] != 0x9F:
            return lengths[self._pending[0]] + self._crc
        return 3 + 2 * self._pending[1] + self._crc if len(self._pending) > 1 else None

    def obey(self) -> bytes | None:  # noqa: C901 (a case for each command of the board)
        known = {0x84, 0x87, 0x89, 0x90, 0xA1} | ({0x9F} if self._channels > 6 else set())
        while self._pending and self._pending[0] not in known:
            self._fail(0x10)
            del self._pending[0]
        if not self._pending or (length := self._length()) is None:
            return None
        interrupted = next((at for at, byte in enumerate(self._pending[1:length], 1) if byte >= 0x80), None)
        if interrupted is not None:
            self._fail(0x10)
            del self._pending[:interrupted]
            return b""
        if len(self._pending) < length:
            return None
        command = bytes(self._pending[:length])
        del self._pending[:length]
        if self._crc:
            command, check = command[:-1], command[-1]
            if check != pololu_crc(command):
                self._fail(0x08)
                return b""
        if command[0] == 0x84:
            self.set(command[1], command[2] + 128 * command[3])
        elif command[0] == 0x9F:
            for at in range(command[1]):
                self.set(command[2] + at, command[3 + 2 * at] + 128 * command[4 + 2 * at])
        elif command[0] == 0x90:
            return self.pulses.get(command[1], 0).to_bytes(2, "little")
        elif command[0] == 0xA1:
            told, self.errors = self.errors, 0
            return told.to_bytes(2, "little")
        return b""


class ServoAnimationBoard(Board):
    """blender-servo-animation's live mode: every start byte begins a new command."""

    def obey(self) -> bytes | None:
        while self._pending:
            start = self._pending.rfind(b"<", 0, 5)
            del self._pending[: max(start, 0) if start >= 0 else len(self._pending)]
            if len(self._pending) < 5:
                return None
            if b"<" not in self._pending[1:5]:
                command = bytes(self._pending[:5])
                del self._pending[:5]
                if command[4] == ord(">"):
                    self.set(command[1], 256 * command[2] + command[3])
                return b""
        return None


class LineBoard(Board):
    """The board of the example in the documents: lines of text."""

    def obey(self) -> bytes | None:
        line, end, rest = bytes(self._pending).partition(b"\n")
        if not end:
            return None
        self._pending = bytearray(rest)
        if order := re.fullmatch(rb"S(\d+) (\d+|off)", line):
            self.set(int(order[1]), 0 if order[2] == b"off" else int(order[2]))
        elif asked := re.fullmatch(rb"\?(\d+)", line):
            return b"P%d %d\n" % (int(asked[1]), self.pulses.get(int(asked[1]), 1500) or 1500)
        return b""
