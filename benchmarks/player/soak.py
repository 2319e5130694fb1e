"""Plays a randomly directed character in simulated time for long, with faults, and checks conditions that
must always hold.

    python -m benchmarks.player.soak [FILE] [--seconds 86400] [--seed 1] [--rate 20]

Orders arrive as real OSC packets, typed lines and messages of the page; trackers see persons and fall silent;
some packets are invalid; some ticks are late. In one of every `ROBOT_EVERY` segments, a simulated robot with
faults of its own follows the character (`tests.hardware.faults.soak`). The same seed gives the same orders.
The exit status is 1 if a condition was violated.
"""

import gc
import json
import math
import resource
import socket
import struct
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from limber.character.file import reading
from limber.character.file.contents import CharacterFile
from limber.character.one_thread import in_one_thread
from limber.inputs.words import WORDS
from limber.player.live import LiveOptions, LivePlay
from limber.player.page import page_state
from limber.player.paths import path_of

from .lamp import exported, layered, parser_of

SEGMENT = 600.0  # [s] duration after which the performance is compared with a new one
CALM = 30.0  # [s] duration with the same orders for both before the comparison
# states during the comparison: first one at rest, without a gaze, then one that looks
RESTING, LOOKING = "Asleep", "Idle"
ROBOT_EVERY = 24  # number of segments from one with a robot to the next
ROBOT_SECONDS = 30.0  # [s] duration with a robot
ORDERS_A_SECOND, FAULTS_A_SECOND = 1.0, 0.05  # mean numbers of random orders and faults in a second of play
LATE = (0.1, 2.0)  # [s] range of a tick's lateness
ROUNDING = 1e-9  # relative tolerance
SAME = 1e-6  # [rad, m] largest permitted difference between an old performance and a new one
GROWN = 8.0  # [MB] growth of memory after the first segment that is not taken for a leak
NOT_SENT = ("quit",)  # words that are never ordered, so that the play continues


@dataclass
class Tally:
    """Counts of events, and violated conditions.

    Attributes:
        ticks: Number of ticks; orders, faults, states: number of orders by word, of faults by kind, and of
            ticks in each state.
        drift: Largest difference [rad, m] from a new performance.
        memory: Memory [MB] after each segment; objects: number of objects that the garbage collector
            tracks, likewise.
        broken: Violated conditions as sentences; robots: those of simulated robots.
    """

    ticks: int = 0
    orders: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    drift: float = 0.0
    memory: list[float] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    robots: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


class Soak:
    """Directs a character at random, and checks it.

    Args:
        character, path: The character, and the path of its file.
        seed: Seed of all random choices.
        rate: Ticks per second.
    """

    def __init__(self, character: CharacterFile, path: Path, seed: int, rate: float) -> None:
        self.tally = Tally()
        self._character, self._path, self._dt = character, path, 1.0 / rate
        self._chance = Random(seed)
        self._play, self._port = self._new()
        self._sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._now, self._before = 0.0, np.empty(0)
        self._persons: dict[int, float] = {}  # number of a person -> distance [m]
        ranges = character.ranges
        self._lower, self._upper, self._velocity = (
            np.array([getattr(each, name) for each in ranges]) for name in ("lower", "upper", "velocity")
        )

    def _new(self) -> tuple[LivePlay, int]:
        options = LiveOptions(without_robot=True, osc=0, seed=1)
        play = LivePlay(self._character, self._path, options, self._note)
        assert play._inbox is not None
        play._inbox.clock = lambda: 0.0  # so that all packets are read in the tick after them
        return play, play._inbox.port

    def _note(self, line: str) -> None:
        """Ignores the sentences about orders that cannot be carried out, which are no faults."""

    @in_one_thread()
    def run(self, seconds: float) -> Tally:
        """Directs the character in segments, each with a comparison at its end, some also with a robot;
        prints a line for each, and returns the tally.
        """
        for number in range(math.ceil(seconds / SEGMENT)):
            end = min((number + 1) * SEGMENT, seconds)
            self._direct(end - CALM)
            self._compare(end)
            if number % ROBOT_EVERY == 0:
                self._with_robot(number)
            gc.collect()
            self.tally.objects.append(len(gc.get_objects()))
            self.tally.memory.append(_memory())
            print(
                f"{end / 3600.0:.2f} h, drift {self.tally.drift:.2g}, {self.tally.memory[-1]:.1f} MB,"
                f" {self.tally.objects[-1]} objects, {len(self.tally.broken)} broken",
                flush=True,
            )
        self._judge()
        return self.tally

    def _direct(self, end: float) -> None:
        while self._now < end:
            if self._chance.random() < ORDERS_A_SECOND * self._dt:
                self._order()
            if self._chance.random() < FAULTS_A_SECOND * self._dt:
                self._fault()
            self._see()
            self._tick(self._dt)

    def _tick(self, dt: float) -> None:
        """Makes one tick, and checks the conditions that must hold after each."""
        self._now += dt
        self._play._tick(self._now, dt, self._dt)
        performance, tally = self._play._performance, self.tally
        tally.ticks += 1
        tally.states[performance.state] += 1
        values = _values(self._play)
        bad = ~np.isfinite(values) | (values < self._lower - ROUNDING) | (values > self._upper + ROUNDING)
        if bad.any():
            self._broke(f"joint {int(bad.argmax())} is at {values[bad.argmax()]}")
        if len(self._before) and dt > 0.0:
            step = np.abs(values - self._before) / dt
            if (step > self._velocity * (1.0 + ROUNDING)).any():
                self._broke(f"a joint moves at {(step / self._velocity).max():.3f} of its largest velocity")
        for mover in (*self._character.chains, *self._character.mechanisms, *self._character.bodies):
            if why := performance.problem(mover):
                self._broke(why)
        self._before = values

    def _broke(self, sentence: str) -> None:
        if len(self.tally.broken) < 20:
            self.tally.broken.append(f"at {self._now:.2f} s: {sentence}")

    def _order(self) -> None:
        """Gives a random order that a person or a program may give: as a message of the page, a typed line,
        or an OSC packet.
        """
        word = self._chance.choice([word for word in WORDS if word not in NOT_SENT])
        names, numbers = self._names(word), self._numbers(word)
        self.tally.orders[word] += 1
        way = self._chance.randrange(3)
        if way == 0:
            message = {"word": word, "names": names, "numbers": numbers}
            self._play._take_from_page(message)
        elif way == 1:
            line = f"set {word}/{names} {numbers[0] if numbers else 0}" if names else word
            self._play.order(f"{word} {names}" if word in ("event", "state") else line)
        else:
            self._send(f"/limber/{word}{'/' if names else ''}{names}", *numbers)

    def _names(self, word: str) -> str:
        chance, character = self._chance, self._character
        chain = chance.choice(character.chains)
        posture = chance.choice(chain.postures).name if chain.postures else "None"
        behaviour = character.behaviour
        known = {
            "event": [*behaviour.events, "nothing"] if behaviour else ["nothing"],
            "state": [state.name for state in behaviour.states] if behaviour else ["nothing"],
            "posture": [f"{chain.name}/{posture}"],
            "weight": [f"{chain.name}/{posture}"],
            "value": [value.name for value in character.values] or ["nothing"],
            "axis": [f"{chain.name}/{axis}" for axis in "xyzq"],
            "look": ["", *(target.name for target in character.targets)],
            "seen": [character.targets[0].name, "Door"],
            "play": [""],
            "pause": [""],
            "seek": [""],
        }
        return chance.choice(known.get(word, [chain.name]))

    def _numbers(self, word: str) -> list[float]:
        chance = self._chance
        count = chance.choice(WORDS[word].counts or (0,))
        if word in ("influence", "share", "weight", "value"):
            return [chance.uniform(0.0, 1.0) for _ in range(count)]
        if word == "seek":
            return [chance.uniform(-1.0, 30.0)]
        return [chance.uniform(-1.0, 1.0) for _ in range(count)]

    def _fault(self) -> None:
        kind = self._chance.choice(("late", "garbage", "extreme", "flood", "nonsense", "leave"))
        self.tally.faults[kind] += 1
        if kind == "late":
            self._tick(self._chance.uniform(*LATE))
        elif kind == "garbage":
            for _ in range(20):
                self._sender.sendto(
                    self._chance.randbytes(self._chance.randrange(1, 200)), ("127.0.0.1", self._port)
                )
        elif kind == "extreme":
            chain = self._character.chains[0].name
            for word in ("target", "rotation", "velocity", "axis", "seen"):
                numbers = self._chance.choices(
                    (0.0, -0.0, 1e6, -1e6, 1e30, math.inf, math.nan, 1e-40), k=self._chance.randrange(1, 7)
                )
                self._send(f"/limber/{word}/{chain}", *numbers)
        elif kind == "flood":
            for number in range(300):
                self._send(f"/limber/seen/Door {number % 40}", number, 0.0, 0.0, 0.0, 3.0, 0.3)
        elif kind == "nonsense":
            self._play.order(
                self._chance.choice(("set", "set value/x y", "target '", "event", "\x00", "seek a"))
            )
        else:
            self._persons.clear()

    def _see(self) -> None:
        """Simulates a tracker that sees persons appear, move and leave, ten times a second."""
        if self._chance.random() < 0.02 * self._dt:
            self._persons[self._chance.randrange(1000)] = self._chance.uniform(0.4, 3.0)
        if self._persons and self._chance.random() < 0.03 * self._dt:
            self._persons.pop(self._chance.choice(list(self._persons)))
        if self._persons and self._chance.random() < 10.0 * self._dt:
            camera = self._character.targets[0].name
            for number, distance in self._persons.items():
                x = 0.5 * math.sin(0.3 * self._now + number)
                self._send(f"/limber/seen/{camera}", number, 0.05, x, -0.1, distance, 0.9)

    def _send(self, address: str, *numbers: float) -> None:
        self._sender.sendto(_packet(address.replace(" ", "_"), numbers), ("127.0.0.1", self._port))

    def _compare(self, end: float) -> None:
        """Compares the performance with a new one after a period with the same orders for both. Both begin to
        look from the same pose, because a chain with several solutions for a target keeps the one that it
        has.
        """
        self._persons.clear()
        new, _ = self._new()
        chain = self._character.chains[0]
        target = self._character.targets[0].name
        lines = [
            f"target {chain.name} {target}",
            f"target/{chain.name} 0.3 -0.5 0.4",
            f"rotation/{chain.name} 1 0 0 0",
            f"set influence/{chain.name} 1",
            f"set share/{chain.name} 1",
            *(f"set '{path_of('weight', chain.name, posture.name)}' 0" for posture in chain.postures),
            "pause",
            "seek 0",
        ]
        for state, until in ((RESTING, end - 0.5 * CALM), (LOOKING, end)):
            for play in (self._play, new):
                for line in (*lines, f"state {state}"):
                    play.order(line)
            while self._now < until:
                self._tick(self._dt)
                new._tick(self._now, self._dt, self._dt)
        json.dumps(page_state(self._play._director, [], list(self._play._decisions), list(self._play._said)))
        difference = float(np.abs(_values(self._play) - _values(new)).max())
        self.tally.drift = max(self.tally.drift, difference)
        new._close()

    def _with_robot(self, number: int) -> None:
        """Lets a simulated robot with faults follow the character for `ROBOT_SECONDS`; its faults and
        violations are added to the tally.
        """
        from tests.hardware.faults import soak as robots
        from tests.hardware.faults.worlds import JOINTS, WORLDS

        world = WORLDS["STS"]()
        following = robots.Soak(world, number)
        began = world.now

        def pose(seconds: float) -> tuple[float, ...]:
            while self._now - self._began < seconds - began:
                self._tick(self._dt)
            return tuple(_values(self._play)[:JOINTS].tolist())

        self._began = self._now
        following._pose = pose
        try:
            tally = following.run(ROBOT_SECONDS)
        finally:
            world.close()
        self.tally.faults.update(tally.faults)
        self.tally.robots += tally.broken

    def _judge(self) -> None:
        tally = self.tally
        if tally.drift > SAME:
            tally.broken.append(f"drift of {tally.drift:.2g}")
        if tally.memory[-1] - tally.memory[0] > GROWN:
            tally.broken.append(f"memory grew from {tally.memory[0]:.0f} to {tally.memory[-1]:.0f} MB")
        tally.broken += [f"robot: {sentence}" for sentence in tally.robots]


def _values(play: LivePlay) -> np.ndarray:
    """Current values of the character's joints [rad, m]."""
    motion = play._performance.motion()
    return np.array([motion[name].position for name in play._performance.character.joint_names])


def _memory() -> float:
    """Memory of this process [MB]: the current one if the system reports that, otherwise the peak."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def _packet(address: str, numbers: tuple[float, ...]) -> bytes:
    """Bytes of an OSC message with float arguments."""
    texts = (address, "," + "f" * len(numbers))
    data = [text.encode() + bytes(4 - len(text.encode()) % 4) for text in texts]
    with np.errstate(over="ignore"):
        return b"".join(data) + struct.pack(f">{len(numbers)}f", *np.array(numbers, np.float32).tolist())


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=86400.0, help="simulated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=20.0, help="ticks a second")
    parsed = parser.parse_args()
    path = exported(parsed.file)
    began = time.process_time()
    soak = Soak(layered(reading.read(path)), path, parsed.seed, parsed.rate)
    tally = soak.run(parsed.seconds)
    print(
        f"{parsed.seconds / 3600.0:.1f} h simulated, {tally.ticks} ticks, {time.process_time() - began:.0f} s"
    )
    for name in ("orders", "faults", "states"):
        print(f"{name}: {', '.join(f'{key} {count}' for key, count in sorted(getattr(tally, name).items()))}")
    print(f"drift {tally.drift:.2g}; memory {tally.memory[0]:.1f} to {tally.memory[-1]:.1f} MB")
    print(f"objects of Python {tally.objects[0]} to {tally.objects[-1]}")
    print("\n".join(tally.broken or ["all held"]))
    sys.exit(bool(tally.broken))


if __name__ == "__main__":
    main()
