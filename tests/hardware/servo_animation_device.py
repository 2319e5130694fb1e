"""What blender-servo-animation's Arduino library makes of bytes: its parser, in Python."""

from limber.hardware.protocols.interface import ProblemKind
from limber.hardware.protocols.servo_animation import END, LENGTH, START
from limber.hardware.protocols.stream import Broken, Skip, Wait, Whole


def look(pending: bytearray) -> Wait | Skip | Whole | Broken:
    """What the first bytes are to the library's own parser, which starts anew at every start byte."""
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
    """Servo and position of a whole command."""
    return frame[1], frame[2] << 8 | frame[3]
