"""Boards with hobby servos as their makers describe them: bytes in, bytes out. Nothing here is imported from the extension."""

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
    def places(self) -> tuple[float, ...]:
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


class MaestroBoard(Board):
    """A Micro Maestro that understands the compact protocol without a CRC.

    Attributes:
        errors: Bits that it tells, and forgets, when it is asked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.errors = 0

    def obey(self) -> bytes | None:
        lengths = {0x84: 4, 0x87: 4, 0x89: 4, 0x90: 2, 0xA1: 1}
        while self._pending and self._pending[0] not in lengths:
            self.errors |= 0x10
            del self._pending[0]
        if not self._pending or len(self._pending) < lengths[self._pending[0]]:
            return None
        command = bytes(self._pending[: lengths[self._pending[0]]])
        del self._pending[: len(command)]
        if command[0] == 0x84:
            self.set(command[1], command[2] + 128 * command[3])
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
