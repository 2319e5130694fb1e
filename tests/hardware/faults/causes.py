"""What makes each fault of the table happen, and what Blender shows that is one by itself."""

import math
from collections.abc import Callable
from random import Random

from limber.hardware.protocols.limber import VERSION, WrongVersion, encode
from limber.hardware.safety import Fault

from tests.hardware.faults.line import resampled
from tests.hardware.faults.worlds import BusWorld, UnoWorld, World


def unplug(world: World) -> None:
    world.pull_cable()


def plug(world: World) -> None:
    world.plug_in()


def freeze(world: UnoWorld) -> None:
    world.uno.freeze()


def thaw(world: UnoWorld) -> None:
    world.uno.thaw()


def cut_line(world: World) -> None:
    world.line.deaf = world.line.mute = True


def deafen(world: World) -> None:
    world.line.deaf = True


def mute(world: World) -> None:
    world.line.mute = True


def reset(world: UnoWorld) -> None:
    world.uno.reset()


def dip(world: BusWorld) -> None:
    """The supply of a servo dips: it restarts, without torque."""
    world.bus.servos[2].table[world.bus.TORQUE] = 0


def block(world: BusWorld) -> None:
    world.bus.servos[2].stuck = True


def unblock(world: BusWorld) -> None:
    world.bus.servos[2].stuck = False


def garbage_out(world: World) -> None:
    chance = Random(3)
    world.line.outward = lambda data: data + chance.randbytes(chance.randrange(6)) if data else chance.randbytes(chance.randrange(3))


def garbage_in(world: World) -> None:
    chance = Random(4)
    world.line.inward = lambda data: chance.randbytes(chance.randrange(4)) + data


def truncated(world: World) -> None:
    chance = Random(5)
    world.line.outward = lambda data: data[: chance.randrange(len(data))] if data and chance.random() < 0.1 else data


def flipped(world: World) -> None:
    chance = Random(6)

    def flip(data: bytes) -> bytes:
        if not data or chance.random() > 0.05:
            return data
        damaged = bytearray(data)
        bit = chance.randrange(8 * len(data))
        damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged)

    world.line.outward = world.line.inward = flip


def late(seconds: float) -> Callable[[World], None]:
    def cause(world: World) -> None:
        world.line.late = seconds

    return cause


def full(world: World) -> None:
    world.line.full = True


def free(world: World) -> None:
    """The port lets go of all that it kept."""
    world.line.full = False


def impostor(world: BusWorld) -> None:
    """Servo 7 answers where servo 2 was asked."""
    bus = world.bus
    answer, shared = bus._answer, getattr(bus, "_shared", None)

    def renamed(say: Callable[..., bytes], *what) -> bytes:
        bus.servos[7] = bus.servos[2]
        try:
            return say(*what)
        finally:
            del bus.servos[7]

    bus._answer = lambda number, *rest: renamed(answer, 7 if number == 2 else number, *rest)
    bus._shared = lambda numbers, *rest: renamed(shared, bytes(7 if number == 2 else number for number in numbers), *rest)


def no_impostor(world: BusWorld) -> None:
    del world.bus._answer, world.bus._shared


def silent_servo(world: BusWorld) -> None:
    world.bus.servos[2].silent = True


def heard_servo(world: BusWorld) -> None:
    world.bus.servos[2].silent = False


def hot_servo(world: BusWorld) -> None:
    world.bus.servos[2].error = 0x04


def cool_servo(world: BusWorld) -> None:
    world.bus.servos[2].error = 0


def wrong_baud(world: World) -> None:
    mine, its = world.device.baudrate, world.device.baudrate // 2
    world.line.outward = lambda data: resampled(data, mine, its)
    world.line.inward = lambda data: resampled(data, its, mine)


def newer(world: World) -> None:
    world.line.inward = lambda data: encode(WrongVersion(VERSION + 1, (2, 0))) if data else b""


def missing(world: World) -> None:
    world.missing = Fault.PORT_MISSING


def appears(world: World) -> None:
    world.missing = None


def busy(world: World) -> None:
    world.missing = Fault.PORT_BUSY


def stop(world: World) -> None:
    world.stop()


def stop_while_full(world: World) -> None:
    world.line.full = True
    world.stop()


def hang(world: World) -> None:
    """The worker is dead, or stopped, for a second."""
    world.alone(1.0)


def nothing(world: World) -> None:
    """What Blender shows is the fault."""


# --- poses


def not_a_number(time: float) -> tuple[float, ...]:
    return (0.0, math.nan, 0.0)


def infinite(time: float) -> tuple[float, ...]:
    return (0.0, math.inf, 0.0)


def out_of_range(time: float) -> tuple[float, ...]:
    return (1e9, -1e300, 0.2)


def leaping(time: float) -> tuple[float, ...]:
    return (0.8, -0.8, 0.8)
