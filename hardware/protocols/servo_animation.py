"""Protocol of the live mode of blender-servo-animation's Arduino library, for robots that already run it.

    3C servo position(2, high byte first) 3E

A position is a pulse in microseconds, or ticks of a PCA9685, as its sketch decides. There is no checksum, no
answer, no torque-off and no watchdog: the robot holds its last pose. The library starts a new command at
every 3C, even if it is data, so that a position with such a byte never arrives. So such positions are
increased by one, and servo 60 cannot be used.
"""

from __future__ import annotations

from collections.abc import Mapping

from .interface import Capabilities, Codec, Exchange, Message, Problem, ProtocolError, Silence, Units
from .stream import Skip, Stream

START, END = 0x3C, 0x3E
LENGTH = 5
HIGHEST = (START << 8) - 1  # largest position: the high byte of 15360 and above would be the start byte
HIGHEST_SERVO = 0xFF  # all ids but 60 can be used

TITLE = "blender-servo-animation"


class SilentDecoder:
    """Decoder for devices that never answer: whatever arrives is noise."""

    def __init__(self) -> None:
        self._stream = Stream(lambda pending: Skip(len(pending)))

    @property
    def waiting(self) -> bool:
        return False

    def expect(self, exchange: Exchange) -> None:
        """No effect, since no answer comes."""

    def feed(self, data: bytes) -> list[Message]:
        """Returns no message; the bytes are reported as noise at the next timeout."""
        self._stream.feed(data)
        return []

    def give_up(self) -> list[Message]:
        return [item for item in self._stream.give_up() if isinstance(item, Problem)]


class ServoAnimation(Codec):
    """The codec of blender-servo-animation's live mode."""

    capabilities = Capabilities(
        title=TITLE,
        units=Units("microseconds", 0, HIGHEST, microsecond=1.0),
        servos=range(HIGHEST_SERVO + 1),
        baudrates=(115_200, 9_600, 19_200, 38_400, 57_600),
        releases=False,
        on_silence=Silence.HOLD,
        remark="A missing robot is not noticed, since it never answers",
    )

    def decoder(self) -> SilentDecoder:
        return SilentDecoder()

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """One message with the commands that set goals of servos, five bytes for each servo; empty without
        goals.
        """
        data = b"".join(encode(servo, position) for servo, position in goals.items())
        return (Exchange(data),) if data else ()


def encode(servo: int, position: int) -> bytes:
    """One command; a position that contains the start byte is increased by one.

    Raises:
        ProtocolError: A field does not fit, or the servo is 60.
    """
    if servo == START:
        raise ProtocolError(
            f"Servo {START} never moves with {TITLE}: its id is the byte that starts a command; give the"
            " servo another id"
        )
    if not 0 <= servo <= HIGHEST_SERVO:
        raise ProtocolError(f"Servo {servo} does not exist; ids go from 0 to {HIGHEST_SERVO}")
    if not 0 <= position <= HIGHEST:
        raise ProtocolError(f"Servo {servo}: position {position}; the wire carries 0 to {HIGHEST}")
    if position & 0xFF == START:
        position += 1
    return bytes((START, servo, position >> 8, position & 0xFF, END))
