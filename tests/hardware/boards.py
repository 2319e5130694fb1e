"""Boards with hobby servos as their makers describe them: bytes in, bytes out. Nothing here is imported from
the extension.
"""

import re


class Board:
    """A board.

    Attributes:
        pulses: What each servo is being sent, in the protocol's unit; 0 or missing: nothing.
        history: All pulses that were ever sent, (servo, pulse).
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
        """What the board answers to `data`."""
        self._pending += data
        said = b""
        while (answer := self.obey()) is not None:
            said += answer
        return said

    def obey(self) -> bytes | None:
        """Take one command off the pending bytes, obey it and answer; None where none is whole."""
        raise NotImplementedError


def pololu_crc(command: bytes) -> int:
    """CRC-7 of Pololu's controllers: what remains of the bits, the lowest of each byte first, divided by x^7
    + x^3 + 1.
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
        channels: That it has; the Micro Maestro's 6 know no multiple targets.
        crc: Whether *Enable CRC* is set in its Control Center.

    Attributes:
        errors: Bits that it tells, and forgets, when it is asked.
        homecomings: How often an error sent all channels home.
    """

    def __init__(self, channels: int = 6, crc: bool = False) -> None:
        super().__init__()
        self.errors = self.homecomings = 0
        self._channels, self._crc = channels, crc

    def _fail(self, bit: int) -> None:
        self.errors |= bit
        self.homecomings += 1

    def _length(self) -> int | None:
        """Bytes of the pending command; None where too few are there to know."""
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
    """blender-servo-animation's live mode: every start byte starts anew."""

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
    """The board of the documents' example: lines of text."""

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
