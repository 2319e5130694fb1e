"""Every way to end motion, with every protocol: the robot's reaction, and how soon it happens."""

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
    """The worker is told to end: it slows the robot down, disarms it, and waits briefly for its
    confirmation.
    """
    until = world.now + SHUTDOWN_TIMEOUT
    while not world.worker.shut_down(world.now) and world.now < until:
        world.alone(PERIOD)
    world.worker.close(world.now)
    world.alone(1.0)


def vanish(world: World) -> None:
    """The worker ends without a message, and so does the computer."""
    world.alone(1.0)


@dataclass(frozen=True)
class Way:
    """A way to end motion.

    Attributes:
        what: Description in the table.
        end: Ends the motion, and lets a second pass.
        robots: Reaction of each robot.
        within: Time [s] within which the robot is at rest.
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
    """Plays a motion that is ended in this way; raises AssertionError if the robot's reaction differs."""
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
