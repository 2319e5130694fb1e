"""A long stream with random faults and a random user, in simulated time, with conditions that must always
hold.

    python -m tests.hardware.faults.soak [--seconds 600] [--seed 1] [--world Uno]

The same seed gives the same run. The exit status is 1 if a condition was violated.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from checkout import load_limber

load_limber()  # also if this file is run as a program

from limber.hardware.safety import DRIVEN, State  # noqa: E402
from limber.hardware.worker.core import PERIOD  # noqa: E402
from limber.motion.limiter import HEADROOM as LIMITER_HEADROOM  # noqa: E402

from tests.hardware.faults import causes  # noqa: E402
from tests.hardware.faults.observing import HEADROOM, beyond_ranges, fastest, uncommanded  # noqa: E402
from tests.hardware.faults.worlds import JOINTS, WORLDS, BusWorld, Pose, UnoWorld, World  # noqa: E402
from tests.hardware.simulation import LIMITS  # noqa: E402

# [s] largest age of a command that the robot follows: moves are lost, and a full port sends old ones later
OLDEST = 1.5
ROUNDING = 1.001  # tolerance of speeds computed from differences of angles
PATIENCE = 30.0  # [s] longest time until a user who does everything right is armed again

Cause = Callable[[World], None]

ANYWHERE: dict[str, Cause] = {
    "unplugged": causes.unplug,
    "cut line": causes.cut_line,
    "deaf": causes.deafen,
    "mute": causes.mute,
    "full buffer": causes.full,
    "garbage out": causes.garbage_out,
    "garbage in": causes.garbage_in,
    "truncated": causes.truncated,
    "flipped": causes.flipped,
    "late by 40 ms": causes.late(0.04),
    "late by 1 s": causes.late(1.0),
    "stop": causes.stop,
    "worker hangs": lambda world: world.alone(0.6),
}
ON_THE_UNO: dict[str, Cause] = {"freeze": causes.freeze, "reset": causes.reset}
ON_A_BUS: dict[str, Cause] = {
    "silent servo": causes.silent_servo,
    "hot servo": causes.hot_servo,
    "supply dips": causes.dip,
}
POSES: dict[str, Pose | None] = {
    "not a number": causes.not_a_number,
    "infinite": causes.infinite,
    "out of range": causes.out_of_range,
    "leap": causes.leaping,
    "silence": None,
}


@dataclass
class Tally:
    """Counts of events, and violated conditions."""

    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    latched: Counter[str] = field(default_factory=Counter)
    armings: int = 0
    pulses: int = 0
    driven: float = 0.0  # [s] time with torque or pulses
    fastest_seen: float = 0.0  # [rad/s] largest observed speed
    fastest_told: float = 0.0
    hardest_told: float = 0.0  # [rad/s2] largest commanded acceleration
    broken: list[str] = field(default_factory=list)

    def text(self) -> str:
        share = 100.0 * self.driven / max(self.seconds, 1e-9)
        return "\n".join(
            (
                (
                    f"{self.seconds:.0f} s simulated, driven {share:.0f}% of it, armed {self.armings} times,"
                    f" {self.pulses} sights"
                ),
                (
                    "faults caused:"
                    f" {', '.join(f'{name} {count}' for name, count in sorted(self.faults.items()))}"
                ),
                f"latched: {', '.join(f'{name} {count}' for name, count in sorted(self.latched.items()))}",
                (
                    f"fastest seen {self.fastest_seen:.2f} of {HEADROOM * LIMITS.velocity:.2f} rad/s,"
                    f" commanded {self.fastest_told:.2f} of {LIMITER_HEADROOM_SPEED:.2f} rad/s, hardest"
                    f" {self.hardest_told:.1f} of {LIMITER_HEADROOM_FORCE:.1f} rad/s2"
                ),
                *(self.broken or ("all held",)),
            )
        )


LIMITER_HEADROOM_SPEED = (1.0 + LIMITER_HEADROOM) * LIMITS.velocity
LIMITER_HEADROOM_FORCE = (1.0 + LIMITER_HEADROOM) * LIMITS.acceleration


class Soak:
    """A world with random faults and a random user.

    Args:
        world: A new world.
        seed: Seed of all random choices.
    """

    def __init__(self, world: World, seed: int) -> None:
        self.tally = Tally()
        self._world = world
        self._chance = Random(seed)
        self._may_move = False  # whether the user has pressed Arm, and nothing has disarmed the robot since
        self._state = State.CONNECTING
        special = ON_THE_UNO if isinstance(world, UnoWorld) else ON_A_BUS
        self._causes = {**ANYWHERE, **special}
        self._phases = [self._chance.uniform(0.0, math.tau) for _ in range(JOINTS)]

    def run(self, seconds: float) -> Tally:
        """Alternates faults and the user's reactions; then checks conditions on the whole run. Returns the
        tally.
        """
        began = self._world.now
        while self._world.now < began + seconds:
            self._live(self._chance.uniform(0.3, 1.5), self._pose)
            self._trouble()
            self._mend()
            self._user()
        self._settle()
        self.tally.seconds = self._world.now - began
        self._judge()
        return self.tally

    def _pose(self, time: float) -> tuple[float, ...]:
        """Target pose in Blender: at times faster than a joint can move, and farther."""
        return tuple(
            0.9 * math.sin(0.7 * time + phase) + 0.7 * math.sin(2.3 * time + 2.0 * phase)
            for phase in self._phases
        )

    def _live(self, seconds: float, pose: Pose | None) -> None:
        end = self._world.now + seconds
        while self._world.now < end - 1e-9:
            self._world.run(PERIOD, pose)
            self._look()

    def _look(self) -> None:
        state = self._world.state
        if state is State.FAULT and self._state is not State.FAULT:
            self.tally.latched[self._world.report.fault.name] += 1
        if state in DRIVEN:
            self.tally.driven += PERIOD
            if not self._may_move:
                self.tally.broken.append(f"at {self._world.now:.2f} s: {state.name} without the user's Arm")
                self._may_move = True  # set only once
        elif state not in (State.DISARMED, State.CONFIRM_POSE):
            self._may_move = False
        self._state = state

    def _trouble(self) -> None:
        names = [*self._causes, *POSES]
        name = self._chance.choice(names)
        self.tally.faults[name] += 1
        pose: Pose | None = POSES.get(name, self._pose)
        if name in self._causes:
            self._causes[name](self._world)
        self._live(self._chance.uniform(0.05, 1.5), pose)
        if self._chance.random() < 0.3:  # a user who presses a button before the fault is repaired
            self._user()
            self._live(self._chance.uniform(0.05, 1.0), pose)

    def _mend(self) -> None:
        world = self._world
        if world.line.unplugged:
            world.plug_in()
        world.line.mend()
        if isinstance(world, UnoWorld):
            world.uno.thaw()
        elif isinstance(world, BusWorld):
            causes.heard_servo(world)
            causes.cool_servo(world)

    def _user(self) -> None:
        """Presses a button, most of the time the right one."""
        if self._chance.random() < 0.2:
            return
        if self._world.state is State.FAULT:
            self._press("Clear Fault")
            self._live(self._chance.uniform(0.1, 2.0), self._pose)
        if self._world.state is State.DISARMED and self._chance.random() < 0.9:
            self._press("Arm")
        if self._world.state is State.CONFIRM_POSE:  # Blender showed no pose at that moment
            self._press("Confirm Pose")
        if self._world.state in DRIVEN and self._chance.random() < 0.1:
            self._press("Disarm")

    def _press(self, button: str) -> None:
        """Presses a button; the cycles of the click are checked in the following ones, since states last
        longer.
        """
        if button == "Arm":
            self._may_move = True
            self.tally.armings += 1
        elif button == "Disarm":
            self._may_move = False
        self._world.click(button, self._pose)
        self._look()

    def _settle(self) -> None:
        """Checks that at the end a user who does everything right is armed, so that no fault is permanent."""
        end = self._world.now + PATIENCE
        while self._world.state is not State.ARMED and self._world.now < end:
            if self._world.state is State.FAULT:
                self._press("Clear Fault")
            elif self._world.state is State.DISARMED:
                self._press("Arm")
            elif self._world.state is State.CONFIRM_POSE:
                self._press("Confirm Pose")
            self._live(0.5, self._pose)
        if self._world.state is not State.ARMED:
            self.tally.broken.append(f"not armed again: {self._world.sentence}")

    def _judge(self) -> None:
        world, tally = self._world, self.tally
        tally.pulses = len(world.seen)
        tally.broken += [f"out of range: {one}" for one in beyond_ranges(world)[:3]]
        tally.broken += [f"not commanded: {one}" for one in uncommanded(world, OLDEST)[:3]]
        tally.fastest_seen = fastest(world, world.seen)
        if tally.fastest_seen > HEADROOM * LIMITS.velocity:
            tally.broken.append(f"seen at {tally.fastest_seen:.2f} rad/s")
        speeds: list[tuple[float, list[float]]] = []
        for (before, a), (after, b) in pairwise(world.told):
            if after - before < 1.5 * PERIOD:
                speeds.append((after, [(y - x) / PERIOD for x, y in zip(a, b, strict=True)]))
        tally.fastest_told = max((abs(value) for _, row in speeds for value in row), default=0.0)
        for (before, a), (after, b) in pairwise(speeds):
            if after - before < 1.5 * PERIOD:
                tally.hardest_told = max(
                    tally.hardest_told, *(abs(y - x) / PERIOD for x, y in zip(a, b, strict=True))
                )
        for value, most, unit in (
            (tally.fastest_told, LIMITER_HEADROOM_SPEED, "rad/s"),
            (tally.hardest_told, LIMITER_HEADROOM_FORCE, "rad/s2"),
        ):
            if value > most * ROUNDING:
                tally.broken.append(f"commanded {value:.2f} of {most:.2f} {unit}")


def soak(name: str, seconds: float, seed: int) -> Tally:
    """Runs in the world of that name; returns the tally."""
    world = WORLDS[name]()
    try:
        return Soak(world, seed).run(seconds)
    finally:
        world.close()


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--seconds", type=float, default=600.0, help="simulated, for each robot")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument(
        "--world", choices=WORLDS, action="append", help="robot; all of them where none is named"
    )
    asked = ask.parse_args()
    broken = False
    for name in asked.world or WORLDS:
        tally = soak(name, asked.seconds, asked.seed)
        print(f"{name}: {tally.text()}", flush=True)
        broken |= bool(tally.broken)
    sys.exit(broken)


if __name__ == "__main__":
    main()
