"""Plays a row of the fault table: causes the fault, observes the robot, and recovers in the way that the row
describes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from _pytest.mark import ParameterSet
from limber.hardware.safety import State
from limber.hardware.worker.core import PERIOD

from tests.hardware.emulator import require_emulator
from tests.hardware.faults.observing import (
    HEADROOM,
    Ending,
    beyond_ranges,
    ending,
    fastest,
    of_joint,
    uncommanded,
)
from tests.hardware.faults.rows import UNO, Robot, Row
from tests.hardware.faults.worlds import BODIES, LIMP, WORLDS, World
from tests.hardware.simulation import LIMITS, largest, speeds, still, waving

REST_POSE = still(0.3, -0.2, 0.1)
FOLLOWING = 0.12  # [rad] largest distance from the command: at 1 rad/s, with one of ten moves lost
WATCH = 0.4  # [s] interval in which a fault must not end by itself
RAMP = 0.4  # [rad/s] speed given on the page about safety: 23 degrees per second
CONNECTS_WITHIN = 8.0  # [s] longest time of connecting


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a row.

    Attributes:
        what: The fault.
        where: The world in which it was played.
        robot: The robot's reaction.
        sentence: Sentence that Blender showed.
        told_after: Time [s, simulated] after which the state was that of the row; None if it did not change.
        ending: State of the robot at the end.
        back: Buttons that were pressed, with the questions that were asked.
        back_after: Time [s, simulated] from the first press, or from the repair, until the robot followed
            again.
    """

    what: str
    where: str
    robot: Robot
    sentence: str
    told_after: float | None
    ending: Ending
    back: tuple[str, ...]
    back_after: float


def play(row: Row, name: str) -> Outcome:
    """Plays the row in the world called `name`; raises AssertionError if any result differs from the row."""
    world = (WORLDS | BODIES)[name]()
    try:
        return _played(row, world)
    finally:
        world.close()


def _played(row: Row, world: World) -> Outcome:
    if row.armed:
        world.arm(waving)
        world.run(0.3, waving)
    began, states, told_after = world.now, set(), None
    row.cause(world)
    due, aside = row.later, ""
    while world.now < began + row.seconds - 1e-9:
        if due is not None and world.now >= began + due[0]:
            due[1](world)
            due = None
        report = world.run(PERIOD, row.pose)
        states.add(report.state)
        if row.robot is Robot.ASIDE and not aside and report.state is State.HOLDING:
            aside, told_after = world.sentence, world.now - began
        if (
            told_after is None
            and (report.state, report.fault) == (row.state, row.fault)
            and row.state is not State.ARMED
        ):
            told_after = world.now - began
    sentence, end = world.sentence, ending(world, began)
    assert (world.state, world.report.fault) == (row.state, row.fault), sentence
    assert all(word in sentence for word in row.words), sentence
    _check_robot(row, world, end, states)
    if row.promise is not None:
        assert told_after is not None
        assert told_after <= row.promise, told_after
        assert end.rest_after <= row.promise, end
    if row.state is State.FAULT:
        _check_latched(row, world)
    row.mend(world)
    world.seen = [one for one in world.seen if one.joint != row.astray]
    if row.state is State.FAULT:
        _check_latched(row, world)
    pressed = world.now
    asked = _go_back(row, world)
    assert not beyond_ranges(world)
    assert not uncommanded(world, row.within)
    assert fastest(world, world.seen) <= HEADROOM * LIMITS.velocity
    return Outcome(
        row.what, world.name, row.robot, aside or sentence, told_after, end, asked, world.now - pressed
    )


def _check_robot(row: Row, world: World, end: Ending, states: set[State]) -> None:
    match row.robot:
        case Robot.NEVER:
            assert not world.seen
        case Robot.LEFT:
            assert all(
                abs(one.angle - of_joint(world.seen, one.joint)[0].angle) <= world.step for one in world.seen
            )
        case Robot.LET_GO:
            assert end.limp == {LIMP, row.astray}, end
            assert not end.moving, end
        case Robot.DARK:
            assert end.is_dark, end
        case Robot.RESTS:
            assert end.rests_as_set, end
        case Robot.STANDS:
            assert end.stands, end
        case Robot.FOLLOWS | Robot.ASIDE:
            assert (State.HOLDING in states) is (row.robot is Robot.ASIDE), states
            _check_follows(world)


def _check_follows(world: World) -> None:
    for joint, angle in enumerate(world.told[-1][1]):
        assert abs(of_joint(world.seen, joint)[-1].angle - angle) <= FOLLOWING, (joint, world.seen[-1], angle)


def _check_latched(row: Row, world: World) -> None:
    """Checks that only the user ends the fault, whatever pose Blender shows."""
    world.run(WATCH, REST_POSE)
    assert (world.state, world.report.fault) == (row.state, row.fault), world.sentence


def _go_back(row: Row, world: World) -> tuple[str, ...]:
    """Presses the row's buttons, and checks that the robot follows; returns the pressed buttons."""
    began, asked = len(world.told), []
    pressed = world.now
    for button in row.back:
        if button == "Arm":
            seen = len(world.seen)
            world.run(CONNECTS_WITHIN, REST_POSE, until=State.DISARMED)
            assert world.state is State.DISARMED, world.sentence
            for joint in range(len(world.device.channels)):  # connecting moved nothing
                still_there = [one.angle for one in of_joint(world.seen[seen:], joint)]
                assert not still_there or max(still_there) - min(still_there) <= 2 * world.step
        asked += world.click(button, REST_POSE)
    world.run(20.0, REST_POSE, until=State.ARMED)
    assert world.state is State.ARMED, world.sentence
    if row.back:
        approach = [angles for time, angles in world.told[began:] if time >= pressed]
        assert largest(speeds(approach)) <= 1.15 * RAMP
    world.run(0.5, REST_POSE)
    _check_follows(world)
    return tuple(asked)


def cases(rows: Iterable[Row]) -> list[ParameterSet]:
    """Every row in each of its worlds, as a test's parameters."""
    return [pytest.param(row, world, id=f"{row.key}-{world}") for row in rows for world in row.worlds]


def check(row: Row, world: str) -> None:
    """Plays the row in that world, if this machine supports it."""
    if world == UNO:
        require_emulator()
    assert len(play(row, world).back) <= 2  # clicks
