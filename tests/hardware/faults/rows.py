"""The fault table: what can go wrong, what the robot does then, what Blender says, and how to get back.

The tests are made of these rows (test_faults.py), and so is the table in docs/faults.md (`python -m tests.hardware.faults.table`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from random import Random

from limber.hardware.protocols.limber import VERSION, WrongVersion, encode
from limber.hardware.safety import Fault, State

from tests.hardware.faults.line import resampled
from tests.hardware.faults.worlds import ANY_PORT, BusWorld, Pose, UnoWorld, World
from tests.hardware.simulation import waving

UNO, STS, DYNAMIXEL = "Uno", "STS", "Dynamixel"
BUSES = (STS, DYNAMIXEL)
EVERYWHERE = (UNO, *BUSES)
BACK = ("Clear Fault", "Arm")
NAN = math.nan


class Robot(Enum):
    """What the robot does, as the table says it."""

    RESTS = "comes to rest: holds, or goes limp where its servo is set to"
    STANDS = "stands, with torque, also where it is set to go limp"
    DARK = "no pulses"
    FOLLOWS = "follows on"
    ASIDE = "slows down, stands, then goes on by a ramp"
    NEVER = "never moved"


@dataclass(frozen=True)
class Row:
    """A fault, in the middle of motion unless `armed` is False.

    Attributes:
        key: For the test's name.
        what: For the table.
        cause: Makes it happen.
        robot: What the robot does.
        state: What Blender shows in the end.
        fault: And why.
        words: That its sentence has.
        worlds: Where it is tried.
        seconds: Until the look at the end.
        mend: What the user does at the robot.
        back: And in Blender.
        armed: Whether the robot is armed when it happens.
        pose: What Blender shows meanwhile; None: Blender is silent.
        within: The oldest command that may still be seen [s]: more where commands get lost.
        later: What happens meanwhile, so long after it [s].
        promise: The robot is at rest, and Blender says so, within this time [s]; None: it goes on.
    """

    key: str
    what: str
    cause: Callable[[World], None]
    robot: Robot
    state: State = State.FAULT
    fault: Fault = Fault.NONE
    words: tuple[str, ...] = ()
    worlds: tuple[str, ...] = EVERYWHERE
    seconds: float = 1.2
    mend: Callable[[World], None] = lambda world: world.line.mend()
    back: tuple[str, ...] = BACK
    armed: bool = True
    pose: Pose | None = waving
    within: float = 0.15
    later: tuple[float, Callable[[World], None]] | None = None
    promise: float | None = None


# --- causes


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
    return (0.0, NAN, 0.0)


def infinite(time: float) -> tuple[float, ...]:
    return (0.0, math.inf, 0.0)


def out_of_range(time: float) -> tuple[float, ...]:
    return (1e9, -1e300, 0.2)


def leaping(time: float) -> tuple[float, ...]:
    return (0.8, -0.8, 0.8)


# fmt: off
LINE = (
    Row("unplugged", "The cable is pulled; it was also the servos' supply", unplug, Robot.DARK,
        fault=Fault.UNPLUGGED, words=("unplugged", "plug it in"), worlds=(UNO,), mend=plug, promise=0.1),
    Row("unplugged", "The cable is pulled; the servos have another supply", unplug, Robot.STANDS,
        fault=Fault.UNPLUGGED, words=("unplugged", "plug it in"), worlds=BUSES, mend=plug, promise=0.4),
    Row("replugged", "The cable is pulled and plugged in again at once", unplug, Robot.DARK,
        fault=Fault.UNPLUGGED, words=("unplugged",), worlds=(UNO,), later=(0.3, plug), promise=0.1),
    Row("replugged", "The cable is pulled and plugged in again at once", unplug, Robot.STANDS,
        fault=Fault.UNPLUGGED, words=("unplugged",), worlds=BUSES, later=(0.3, plug), promise=0.4),
    Row("cut_line", "Nothing arrives any more, either way", cut_line, Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), worlds=(UNO,), promise=0.7),
    Row("cut_line", "Nothing arrives any more, either way", cut_line, Robot.STANDS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, promise=0.7),
    Row("deaf", "The robot hears nothing, and still speaks", deafen, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO,), promise=0.4),
    Row("deaf", "The robot hears nothing", deafen, Robot.STANDS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, promise=0.7),
    Row("mute", "The robot's answers are lost", mute, Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), promise=0.7),
    Row("full_buffer", "The port takes no more bytes (full output buffer)", full, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO,), within=1.0, promise=0.4),
    Row("full_buffer", "The port takes no more bytes (full output buffer)", full, Robot.STANDS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, within=1.0, promise=0.7),
    Row("burst", "The port takes nothing for a second, then lets go of all it kept", full, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO,), later=(1.0, free), within=1.0, seconds=2.0),
    Row("burst", "The port takes nothing for a second, then lets go of all it kept", full, Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, later=(1.0, free), within=1.0, seconds=2.0),
)
NOISE = (
    Row("garbage_out", "Garbage between the bytes to the robot", garbage_out, Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("garbage_in", "Garbage between the robot's answers", garbage_in, Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("truncated", "Every tenth message to the robot loses its end", truncated, Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("flipped", "A bit of every twentieth message is flipped, either way", flipped, Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("late_little", "Answers come 40 ms too late", late(0.04), Robot.FOLLOWS, State.ARMED, back=(), within=0.6),
    Row("late", "Answers come a second too late", late(1.0), Robot.RESTS,
        fault=Fault.SILENT, words=("does not answer",), promise=0.8),
    Row("baud", "The baud rate is wrong", wrong_baud, Robot.NEVER,
        fault=Fault.OTHER_PROTOCOL, words=("does not speak",), worlds=(UNO,), armed=False, seconds=7.0),
    Row("baud", "The baud rate is wrong", wrong_baud, Robot.NEVER,
        fault=Fault.SILENT, words=("does not answer",), worlds=BUSES, armed=False, seconds=7.0),
)
DEVICE = (
    Row("freeze", "The device freezes", freeze, Robot.DARK,
        fault=Fault.SILENT, words=("does not answer",), worlds=(UNO,), mend=thaw, promise=0.7),
    Row("reset", "The device restarts in motion", reset, Robot.DARK,
        fault=Fault.DEVICE_RESET, words=("restarted",), worlds=(UNO,), promise=0.3),
    Row("newer", "The device speaks a newer version", newer, Robot.NEVER,
        fault=Fault.OTHER_VERSION, words=("version 2",), worlds=(UNO,), armed=False),
    Row("silent_servo", "One servo of the bus falls silent: hears nothing, says nothing", silent_servo, Robot.STANDS,
        fault=Fault.DEVICE_REFUSED, words=("joint 1", "does not answer"), worlds=BUSES, mend=heard_servo, within=1.0, promise=0.8),
    Row("impostor", "Another id answers than was asked", impostor, Robot.RESTS,
        fault=Fault.DEVICE_REFUSED, words=("joint 1",), worlds=BUSES, mend=no_impostor, promise=0.8),
    Row("dip", "A servo restarts without torque (its supply dips)", dip, Robot.RESTS,
        fault=Fault.BLOCKED, words=("joint 1", "degrees"), worlds=BUSES, seconds=3.0, within=5.0),
    Row("blocked", "Something holds a joint", block, Robot.RESTS,
        fault=Fault.BLOCKED, words=("joint 1", "degrees"), worlds=BUSES, seconds=3.0, within=5.0, mend=unblock),
    Row("hot_servo", "A servo reports that it is too hot", hot_servo, Robot.RESTS,
        fault=Fault.DEVICE_REFUSED, words=("joint 1",), worlds=BUSES, mend=cool_servo, promise=0.5),
)
PORT = (
    Row("missing", "The port is not there yet, and appears later", missing, Robot.NEVER,
        fault=Fault.PORT_MISSING, words=(ANY_PORT, "does not exist"), armed=False, mend=appears),
    Row("busy", "Another program has the port", busy, Robot.NEVER,
        fault=Fault.PORT_BUSY, words=(ANY_PORT, "busy"), armed=False, mend=appears),
)
BLENDER = (
    Row("silence", "Blender hands over no angles (a dialog, a save)", nothing, Robot.STANDS, State.HOLDING,
        words=("Holding still",), back=(), pose=None, promise=0.6),
    Row("long_silence", "Blender is silent for more than 5 s", nothing, Robot.RESTS,
        fault=Fault.BLENDER_SILENT, words=("silent",), seconds=5.5, pose=None),
    Row("nan", "An angle is not a number", nothing, Robot.STANDS, State.HOLDING,
        words=("joint 1", "not a number"), back=(), pose=not_a_number, promise=0.6),
    Row("infinite", "An angle is infinite", nothing, Robot.STANDS, State.HOLDING,
        words=("joint 1", "not a number"), back=(), pose=infinite, promise=0.6),
    Row("out_of_range", "Angles are far out of range", nothing, Robot.ASIDE, State.ARMED,
        back=(), pose=out_of_range, seconds=6.5),
    Row("leap", "The pose jumps (undo, End Live, a scrub)", nothing, Robot.ASIDE, State.ARMED, back=(), pose=leaping, seconds=5.5),
    Row("stop", "Stop is pressed", stop, Robot.RESTS, fault=Fault.STOPPED, words=("Stopped",), promise=0.1),
    Row("stop_full", "Stop is pressed while the port takes no bytes", stop_while_full, Robot.RESTS,
        fault=Fault.STOPPED, words=("Stopped",), worlds=(UNO,), promise=0.4),
    Row("stop_full", "Stop is pressed while the port takes no bytes", stop_while_full, Robot.STANDS,
        fault=Fault.STOPPED, words=("Stopped",), worlds=BUSES, promise=0.4),
    Row("hang", "The worker is stopped or dead for a second", hang, Robot.RESTS,
        fault=Fault.DEVICE_WATCHDOG, words=("heard nothing",), worlds=(UNO, DYNAMIXEL), seconds=2.0),
    Row("hang", "The worker is stopped for a second; the servos have no watchdog", hang, Robot.ASIDE, State.ARMED,
        back=(), worlds=(STS,), seconds=8.0),
)
# fmt: on

TABLE = {"line": LINE, "noise": NOISE, "robot": DEVICE, "port": PORT, "user": BLENDER}
