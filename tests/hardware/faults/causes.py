"""Functions that cause each fault of the table, and the poses of Blender that are a fault themselves."""

import math
from collections.abc import Callable
from random import Random

from limber.hardware.protocols.limber import VERSION, WrongVersion, encode
from limber.hardware.safety import Command, Fault, State
from limber.hardware.worker.core import PERIOD

from tests.hardware.faults.line import resampled
from tests.hardware.faults.worlds import BusWorld, UnoWorld, World
from tests.hardware.simulation import waving


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
    """The supply of a servo drops briefly: it restarts without torque, and has lost all settings in RAM."""
    world.bus.restart(2)


def dip_at_rest(world: BusWorld) -> None:
    """The supply of all servos drops briefly while the robot is disarmed; it is armed again, and moves are
    lost on the way.
    """
    world.click("Disarm", waving)
    world.run(1.2, waving)
    for number in world.bus.servos:
        world.bus.restart(number)
    world.click("Arm", waving)
    world.run(20.0, waving, until=State.ARMED)
    world.run(0.3, waving)
    world.line.deaf = True


def wheel_mode(world: BusWorld) -> None:
    """A servo was left in the mode of continuous rotation; it has torque, and stands still."""
    servo = world.bus.servos[1]
    servo.table[world.MODE] = 1
    servo.table[world.bus.TORQUE] = 1


def step_mode(world: BusWorld) -> None:
    """A servo was left in step mode; it continues by its goal as soon as its speed is written."""
    wheel_mode(world)
    world.bus.servos[1].table[world.MODE] = 3
    world.bus.put(world.bus.servos[1], 42, 500)


def turns_on(world: BusWorld) -> None:
    """A moving servo is set to continuous rotation, and rotates; then Stop is pressed."""
    wheel_mode(world)
    world.bus.put(world.bus.servos[1], *world.SPIN)
    world.stop()


def another_mode(world: BusWorld) -> None:
    """Another program sets a moving servo to continuous rotation, and it rotates."""
    wheel_mode(world)
    world.bus.put(world.bus.servos[1], *world.SPIN)


def position_mode(world: BusWorld) -> None:
    servo = world.bus.servos[1]
    servo.table[world.bus.TORQUE] = 0
    servo.table[world.MODE] = world.POSITION_MODE
    servo.position, servo.counted_from = 1900.0, 0.0


def _armed_with(change: Callable[[BusWorld], None]) -> Callable[[BusWorld], None]:
    """Arm is pressed while a servo has other settings than it had."""

    def cause(world: BusWorld) -> None:
        world.run(8.0, waving, until=State.DISARMED)
        change(world)
        world.run(0.1, waving)
        world.click("Arm", waving)

    return cause


@_armed_with
def another_turn(world: BusWorld) -> None:
    """A servo was rotated by hand into another revolution, and counts revolutions."""
    world.bus.servos[1].table[18] |= 0x10  # in an STS, this is set in its phase; a Dynamixel ignores it
    world.bus.servos[1].position = 4400.0


@_armed_with
def own_limits(world: BusWorld) -> None:
    """A servo stands outside the limits that it enforces itself."""
    world.bus.put(world.bus.servos[1], *world.LOWEST)


@_armed_with
def recounts(world: BusWorld) -> None:
    """A Dynamixel was rotated by hand into another revolution, and has an offset: it reports a position in
    its first revolution, which changes with torque.
    """
    world.bus.put(world.bus.servos[1], 20, -1000, 4)
    world.bus.servos[1].position = 4100.0


def as_before(world: BusWorld) -> None:
    """The servo keeps the settings that it had."""
    servo = world.bus.servos[1]
    servo.table[: world.bus.EEPROM] = bytes(world.bus.EEPROM)
    world.bus.factory(servo)
    servo.table[world.bus.TORQUE] = 0
    position_mode(world)


def block(world: BusWorld) -> None:
    """Holds a joint at the end of its swing, where Blender's pose is soon far from it for over a second."""
    while abs(waving(world.now)[1]) < 0.49:
        world.run(PERIOD, waving)
    world.bus.servos[2].stuck = True


def unblock(world: BusWorld) -> None:
    world.bus.servos[2].stuck = False


def garbage_out(world: World) -> None:
    chance = Random(3)
    world.line.outward = lambda data: (
        data + chance.randbytes(chance.randrange(6)) if data else chance.randbytes(chance.randrange(3))
    )


def garbage_in(world: World) -> None:
    chance = Random(4)
    world.line.inward = lambda data: chance.randbytes(chance.randrange(4)) + data


def truncated(world: World) -> None:
    chance = Random(5)
    world.line.outward = lambda data: (
        data[: chance.randrange(len(data))] if data and chance.random() < 0.1 else data
    )


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
    """The port sends all bytes that it has kept."""
    world.line.full = False


def impostor(world: BusWorld) -> None:
    """Servo 7 answers instead of servo 2."""
    bus = world.bus
    answer, shared = bus._answer, getattr(bus, "_shared", None)

    def renamed(say: Callable[..., bytes], *what) -> bytes:
        bus.servos[7] = bus.servos[2]
        try:
            return say(*what)
        finally:
            del bus.servos[7]

    bus._answer = lambda number, *rest: renamed(answer, 7 if number == 2 else number, *rest)
    bus._shared = lambda numbers, *rest: renamed(
        shared, bytes(7 if number == 2 else number for number in numbers), *rest
    )


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


def stop_behind_noise(world: World) -> None:
    """The line receives noise like the head of a frame of 60 bytes just before the Stop."""
    noise = [bytes((0xA5, 60, 60 ^ 0xFF, 4, 0))]
    world.line.outward = lambda data: noise.pop() + data if data and noise else data
    world.stop()


def hang(world: World) -> None:
    """The worker is dead, or stopped, for a second."""
    world.alone(1.0)


def held_up(world: World) -> None:
    """The worker is suspended for 3 s, as on a computer that swaps."""
    world.alone(3.0)


def sleep(world: World) -> None:
    """The computer sleeps for a minute, but not the robot."""
    world.alone(60.0)


def disarm_and_arm(world: World) -> None:
    """Two commands in the same cycle of the worker, as from a script."""
    world.command(Command.DISARM)
    world.command(Command.ARM)


def nothing(world: World) -> None:
    """The pose that Blender shows is the fault itself."""


# --- poses


def not_a_number(time: float) -> tuple[float, ...]:
    return (0.0, math.nan, 0.0)


def infinite(time: float) -> tuple[float, ...]:
    return (0.0, math.inf, 0.0)


def out_of_range(time: float) -> tuple[float, ...]:
    return (1e9, -1e300, 0.2)


def leaping(time: float) -> tuple[float, ...]:
    return (0.8, -0.8, 0.8)
