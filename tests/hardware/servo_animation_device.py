"""The parser of blender-servo-animation's Arduino library, in Python."""

from limber.hardware.protocols.interface import ProblemKind
from limber.hardware.protocols.servo_animation import END, LENGTH, START
from limber.hardware.protocols.stream import Broken, Skip, Wait, Whole


def look(pending: bytearray) -> Wait | Skip | Whole | Broken:
    """Classifies the first bytes as the library's own parser does, which begins a new command at every start
    byte.
    """
    if pending[0] != START:
        return Skip(1)
    again = pending.find(START, 1, LENGTH)
    if again > 0:
        return Broken(
            again, ProblemKind.MALFORMED, f"A command of {again} bytes that another one interrupted"
        )
    if len(pending) < LENGTH:
        return Wait()
    return (
        Whole(LENGTH)
        if pending[LENGTH - 1] == END
        else Broken(LENGTH, ProblemKind.MALFORMED, "A command without its end")
    )


def decode(frame: bytes) -> tuple[int, int]:
    """Servo and position of a complete command."""
    return frame[1], frame[2] << 8 | frame[3]
