"""Every way in which motion can be ended, with every protocol: what the robot does then, and how soon."""

from collections.abc import Callable
from dataclasses import dataclass

from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.loop import SHUTDOWN_TIMEOUT

from tests.hardware.faults.observing import Ending, ending
from tests.hardware.faults.rows import DYNAMIXEL, STS, UNO, Robot
from tests.hardware.faults.worlds import BOARDS, WORLDS, World
from tests.hardware.simulation import waving

MAESTRO, SERVO_ANIMATION = BOARDS
ROBOTS = {**WORLDS, **BOARDS}


def stop(world: World) -> None:
    world.stop()
    world.run(1.0, waving)


def disarm(world: World) -> None:
    world.click("Disarm", waving)
    world.run(1.0, waving)


def leave(world: World) -> None:
    """The worker is told to end: it slows the robot down, disarms it, and waits a little to hear so."""
    until = world.now + SHUTDOWN_TIMEOUT
    while not world.worker.shut_down(world.now) and world.now < until:
        world.alone(PERIOD)
    world.worker.close(world.now)
    world.alone(1.0)


def vanish(world: World) -> None:
    """The worker is gone without a word, and the computer with it."""
    world.alone(1.0)


@dataclass(frozen=True)
class Way:
    """A way to end motion.

    Attributes:
        what: For the table.
        end: Ends it, and lets a second pass.
        robots: What each robot does.
        within: At rest, at the latest [s]: a promise.
    """

    what: str
    end: Callable[[World], None]
    robots: dict[str, Robot]
    within: float


OBEYS = {
    UNO: Robot.RESTS,
    STS: Robot.RESTS,
    DYNAMIXEL: Robot.RESTS,
    MAESTRO: Robot.RESTS,
    SERVO_ANIMATION: Robot.STANDS,
}
ALONE = {
    UNO: Robot.RESTS,
    STS: Robot.STANDS,
    DYNAMIXEL: Robot.STANDS,
    MAESTRO: Robot.STANDS,
    SERVO_ANIMATION: Robot.STANDS,
}

WAYS = (
    Way("Stop: the button, the key", stop, OBEYS, 0.1),
    Way("Disarm; live motion ends", disarm, OBEYS, 0.4),
    Way(
        "Disconnect; another file is loaded; the extension is disabled; Blender ends or is killed",
        leave,
        OBEYS,
        0.4,
    ),
    Way("The worker is killed; the computer fails or loses its power", vanish, ALONE, 0.4),
)


def played(way: Way, name: str) -> Ending:
    """Motion that is ended so; AssertionError where the robot does not do as it should."""
    world = ROBOTS[name]()
    try:
        world.arm(waving)
        world.run(0.3, waving)
        since = world.now
        way.end(world)
        end = ending(world, since)
    finally:
        world.close()
    assert end.rests_as_set if way.robots[name] is Robot.RESTS else end.stands, end
    assert end.rest_after <= way.within, end
    return end
