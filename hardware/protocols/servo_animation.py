"""The live mode of blender-servo-animation's Arduino library, for robots that already run it. Knows no Blender.

    3C servo position(2, high byte first) 3E

A position is a pulse in microseconds, or ticks of a PCA9685, as its sketch decides. There is no checksum, no answer, no way to make a servo
limp and no watchdog: it holds its last pose for ever. The library starts a command anew at every 3C, also where it is data: a position
with such a byte never arrives. So positions step around it by one, and servo 60 cannot be had.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .interface import (
    Capabilities,
    Check,
    Exchange,
    Message,
    Problem,
    ProtocolError,
    Quantity,
    Silence,
    Trouble,
    Units,
    WithoutRegisters,
)
from .stream import Broken, Skip, Stream, Wait, Whole

START, END = 0x3C, 0x3E
LENGTH = 5
HIGHEST = (START << 8) - 1  # position: from 15360 on the high byte is the start byte
HIGHEST_SERVO = 0xFF

TITLE = "blender-servo-animation"


class SilentDecoder:
    """For devices that never say a thing: what comes all the same is noise."""

    def __init__(self) -> None:
        self._stream = Stream(lambda pending: Skip(len(pending)))

    @property
    def waiting(self) -> bool:
        """Never."""
        return False

    def expect(self, exchange: Exchange) -> None:
        """No answer comes."""

    def feed(self, data: bytes) -> list[Message]:
        """Nothing: noise is told when the line is silent."""
        self._stream.feed(data)
        return []

    def give_up(self) -> list[Message]:
        """The noise."""
        return [item for item in self._stream.give_up() if isinstance(item, Problem)]


class ServoAnimation(WithoutRegisters):
    """The codec."""

    capabilities = Capabilities(
        title=TITLE,
        units=Units("microseconds", 0, HIGHEST, microsecond=1.0),
        servos=range(HIGHEST_SERVO + 1),
        max_channels=HIGHEST_SERVO,  # all but servo 60
        baudrates=(115_200, 9_600, 19_200, 38_400, 57_600),
        reads=frozenset(),
        measures=False,
        worth={},
        commands_checked=Check.NONE,
        answers_checked=Check.NONE,
        acknowledges=False,
        one_at_a_time=False,
        releases=False,
        watchdog=None,
        on_silence=Silence.HOLD,
        limits_speed=False,
        limits_acceleration=False,
        remark="Nobody notices when the robot is not there: it says nothing back",
    )

    def decoder(self) -> SilentDecoder:
        """A fresh decoder for one connection."""
        return SilentDecoder()

    def identify(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Nobody can be asked."""
        return ()

    def limit(self, servo: int, speed: float, acceleration: float | None = None) -> tuple[Exchange, ...]:
        """The device knows no limits."""
        raise ProtocolError(f"{TITLE} knows no speed limit on the device; Limber's own limiter is the only one")

    def arm(self, at: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Pulses begin, at `at`: a servo that is elsewhere goes there at its own full speed."""
        return self.write(at)

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Nothing can be said: servos hold their last position."""
        return ()

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Give servos their goals, five bytes each."""
        data = b"".join(encode(servo, position) for servo, position in goals.items())
        return (Exchange(data),) if data else ()

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Nothing can be read."""
        for quantity in quantities:
            raise ProtocolError(f"{TITLE} cannot tell a servo's {quantity.value}; it only listens")
        return ()

    def check(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Nobody would say."""
        return ()

    def stop(self, hold: Mapping[int, int], release: Collection[int]) -> tuple[Exchange, ...]:
        """Send the goals at which to hold; none can be released."""
        return self.write(hold)

    def watchdog(self, servos: Collection[int], seconds: float | None) -> tuple[Exchange, ...]:
        """There is none."""
        raise ProtocolError(f"{TITLE} has no watchdog: when the line goes silent it holds the last pose for ever")


def encode(servo: int, position: int) -> bytes:
    """One command; a position with the start byte in it becomes its neighbour.

    Raises:
        ProtocolError: A field does not fit, or the servo is 60.
    """
    if servo == START:
        raise ProtocolError(f"Servo {START} never moves with {TITLE}: its id is the byte that starts a command; give the servo another id")
    if not 0 <= servo <= HIGHEST_SERVO:
        raise ProtocolError(f"Servo {servo} does not exist; ids go from 0 to {HIGHEST_SERVO}")
    if not 0 <= position <= HIGHEST:
        raise ProtocolError(f"Servo {servo}: position {position}; the wire carries 0 to {HIGHEST}")
    if position & 0xFF == START:
        position += 1
    return bytes((START, servo, position >> 8, position & 0xFF, END))


def look(pending: bytearray) -> Wait | Skip | Whole | Broken:
    """What the first bytes are to the library's own parser, which starts anew at every start byte."""
    if pending[0] != START:
        return Skip(1)
    again = pending.find(START, 1, LENGTH)
    if again > 0:
        return Broken(again, Trouble.MALFORMED, f"A command of {again} bytes that another one interrupted")
    if len(pending) < LENGTH:
        return Wait()
    return Whole(LENGTH) if pending[LENGTH - 1] == END else Broken(LENGTH, Trouble.MALFORMED, "A command without its end")


def decode(frame: bytes) -> tuple[int, int]:
    """Servo and position of a whole command."""
    return frame[1], frame[2] << 8 | frame[3]
