"""Plays the data that Blender sent to a robot in a window to the worker again, in simulated time, and returns
the commands cycle by cycle.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from limber.hardware.device import from_plain
from limber.hardware.messages import Report
from limber.hardware.safety import Command, Fault, State
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.shown_ranges import stopping
from limber.motion import Kinematic
from limber.motion.limiter import HEADROOM

from tests.hardware.simulation import Simulation, still

REST = 5.0  # [s] time until the robot is at the newest frame from any pose
ROUNDING = 1e-6


def replay(
    facts: dict, look: Callable[[tuple[Kinematic, ...], float, Report], None] = lambda *_: None
) -> tuple[list[tuple[float, ...]], list[float]]:
    """The robot's commands at each cycle (cycles, joints), and the newest values that Blender sent (joints,),
    for a play's `facts`.

    A robot that was disarmed because Blender was silent for too long, as on a busy machine, is armed again.
    `look` is called in each cycle with the newest frame, the unit of time of its velocities [s], and the
    robot's report.
    """
    simulation = Simulation(from_plain(facts["device"]))
    frames = [
        (time, plays, states and tuple(Kinematic(*state) for state in states), due)
        for time, plays, states, due in facts["frames"]
    ]
    newest = next(states for _, _, states, _ in frames if states)
    simulation.arm(still(*(one.position for one in newest)))
    begun = simulation.now - frames[0][0]
    for time, plays, states, due in frames:
        while simulation.now < begun + time - PERIOD:
            look(newest, simulation.velocity_unit, simulation.run(PERIOD))
        fresh = states is not None and (plays or states != newest)
        newest = states or newest
        if states is None:
            simulation.send_again()
        else:
            simulation.send(newest, begun + time if fresh else None, plays, due)
        report = simulation.report
        if report.state is State.FAULT:
            assert report.fault is Fault.BLENDER_SILENT
            simulation.command(Command.CLEAR_FAULT)
        elif report.state is State.DISARMED:
            simulation.command(Command.ARM)
    rest = [one.position for one in newest]
    simulation.run(REST, still(*rest))
    assert simulation.state is State.ARMED
    simulation.close()
    return simulation.commands, rest


def replay_beyond(facts: dict) -> tuple[list[tuple[float, ...]], list[float], float]:
    """As `replay`, and the largest distance by which a joint is commanded beyond all poses shown so far, each
    with its stopping distance.
    """
    limits = [joint.limits for joint in from_plain(facts["device"]).joints]
    lowest, highest, far = [math.inf] * len(limits), [-math.inf] * len(limits), [0.0]

    def look(newest: tuple[Kinematic, ...], step: float, report: Report) -> None:
        unit = step or math.inf
        for k, (joint, limit) in enumerate(zip(newest, limits, strict=True)):
            low, high = stopping(
                Kinematic(joint.position, joint.velocity / unit, joint.acceleration / unit**2), limit
            )
            lowest[k], highest[k] = min(lowest[k], low), max(highest[k], high)
        if report.state is State.ARMED and report.commanded is not None:
            far.extend(
                max(low - value, value - high)
                for value, low, high in zip(report.commanded, lowest, highest, strict=True)
            )

    return *replay(facts, look), max(far)


def assert_within_limits(commands: Sequence[Sequence[float]], facts: dict) -> None:
    """Asserts that each joint keeps its range, and its velocity, acceleration and jerk limits with the
    limiter's headroom.
    """
    for number, joint in enumerate(from_plain(facts["device"]).joints):
        values, limits = [command[number] for command in commands], joint.limits
        assert limits.lower - ROUNDING <= min(values) <= max(values) <= limits.upper + ROUNDING
        for rate in (limits.velocity, limits.acceleration, limits.jerk):
            values = [(b - a) / PERIOD for a, b in pairwise(values)]
            assert max(map(abs, values)) <= (1.0 + HEADROOM) * rate * (1.0 + 1e-3)
