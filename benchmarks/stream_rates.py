"""Measures how smoothly a stream without times of its sender is shown: at a constant rate, and when the rate
changes.

    python -m benchmarks.stream_rates [--clocks 60 24] [--seeds 6] [--cells 30:45 ...]

A sine of 0.35 Hz is sent at one rate for four seconds, and then at another for eight, through networks that
delay, bunch and lose packets, and is shown at a clock's ticks. The figures of each cell are the worst of all
seeds, from two seconds after the change on: the number of ticks at which the shown value stands still, and
the largest acceleration relative to the motion's own; then, over all networks, the mean delay, and the
largest speed after the change relative to the motion's own. The bound is no tick at rest, and an acceleration
of at most 1.5 (other cells are marked "!").
"""

import argparse
import itertools
from collections.abc import Callable, Sequence
from math import pi
from typing import NamedTuple

import numpy as np
from limber.character import stream
from limber.character.stream import Samples

BAR = 1.5  # largest acceleration of the shown value, relative to the motion's own
MOTION = 2 * pi * 0.35  # [rad/s] angular frequency of the sine
# [s] times of the rate's change, of the first evaluated tick, and of the end
CHANGE, SETTLED, END = 4.0, 6.0, 12.0
STEADY = (10, 15, 24, 25, 29.7, 30, 45, 50, 60, 90, 120)  # [1/s] rates that do not change
PAIRS = (
    *((30, 20), (45, 30), (45, 20), (30, 15), (20, 90), (60, 30), (30, 25), (30, 45), (30, 60), (30, 10)),
    *((60, 45), (60, 50), (90, 60), (25, 30), (10, 30), (60, 120), (15, 20), (120, 30), (90, 24), (60, 15)),
)
Rates = tuple[float, float]


class Network(NamedTuple):
    """Transmission of packets that are sent at times (n,) [s]."""

    # function that returns the packets' delays (n,) [s]
    delays: Callable[[np.random.Generator, np.ndarray], np.ndarray]
    loss: float = 0.0  # share of lost packets


def none(_chance: np.random.Generator, times: np.ndarray) -> np.ndarray:
    """Delays (m,) [s] of packets that were sent at `times` (m,) [s], without a network: 0. The functions
    below are other networks, with the same arguments.
    """
    return np.zeros(len(times))


def uneven(chance: np.random.Generator, times: np.ndarray) -> np.ndarray:
    """Delays [s] of a program with an uneven loop, on the same computer."""
    return chance.uniform(0.0, 0.004, len(times))


def wireless(chance: np.random.Generator, times: np.ndarray) -> np.ndarray:
    """Delays [s] with the absolute values of a normal distribution with a standard deviation of 10 ms."""
    return np.abs(chance.normal(0.0, 0.01, len(times)))


def bunched(chance: np.random.Generator, times: np.ndarray) -> np.ndarray:
    """Delays [s] of packets that wait until the network sends all of them on, once in 20 ms."""
    begin = chance.uniform(0.0, 0.02)
    return np.ceil((times + begin) / 0.02) * 0.02 - begin - times


NETWORKS = {
    "steady": Network(none),
    "uneven": Network(uneven),
    "wireless": Network(wireless),
    "bunched": Network(bunched),
    "5 % lost": Network(uneven, 0.05),
    "10 % lost": Network(uneven, 0.1),
}


class Cell(NamedTuple):
    """One sender: its rates, and its network."""

    rates: Rates  # [Hz] rates before and after the change
    network: str
    seed: int

    def samples(self, clock: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each tick: the number (ticks,) of samples that have arrived; and of the newest sample the time
        (ticks,) [s] at which it was taken, and its age (ticks,) at the tick, in ticks, at most 1.
        """
        chance = np.random.default_rng([self.seed, *(int(10 * rate) for rate in self.rates)])
        network, (before, after) = NETWORKS[self.network], self.rates
        taken = np.concatenate(
            (np.arange(0.0, CHANGE, 1.0 / before), np.arange(CHANGE, END + 1.0, 1.0 / after))
        )
        taken = taken + chance.uniform(0.0, 1.0 / clock)
        arrivals = np.maximum.accumulate(taken + network.delays(chance, taken))
        is_lost = chance.uniform(size=len(taken)) < network.loss
        is_lost[1:] &= ~is_lost[:-1]  # longer gaps are not tested here
        has_come = ~is_lost | (taken == taken[0])
        taken, arrivals = taken[has_come], arrivals[has_come]
        ticks = np.arange(int(END * clock)) / clock
        numbers = np.searchsorted(arrivals, ticks, side="right")
        newest = np.maximum(numbers - 1, 0)
        return numbers, taken[newest], np.minimum((ticks - arrivals[newest]) * clock, 1.0)


class Figures(NamedTuple):
    """Figures of the shown values of m senders."""

    standing: np.ndarray  # (m,) number of ticks at which the shown value stands still
    acceleration: np.ndarray  # (m,) largest acceleration, relative to the motion's own
    delay: np.ndarray  # (m,) [s] delay at which the shown values fit the motion best
    jump: np.ndarray  # (m,) largest speed after the change, relative to the motion's own


def shown(cells: Sequence[Cell], clock: float) -> np.ndarray:
    """Shown values (ticks, m) at each tick of the clock [Hz]."""
    numbers, times, ages = (
        np.array(part) for part in zip(*(cell.samples(clock) for cell in cells), strict=True)
    )
    silent = np.full(len(cells), np.nan)
    state, values = None, []
    for tick in range(numbers.shape[1]):
        sample = np.sin(MOTION * times[:, tick])[:, None]
        samples = Samples(sample, numbers[:, tick], silent[:, None], silent, ages[:, tick])
        value, state = stream.advance(state, samples, 1.0 / clock if tick else 0.0)
        values.append(value[:, 0])
    return np.array(values)


def figures(values: np.ndarray, clock: float) -> Figures:
    """Figures of shown values (ticks, m) at the ticks of a clock [Hz]."""
    late = values[int(SETTLED * clock) :]
    times = np.arange(int(SETTLED * clock), len(values))[:, None] / clock
    delays = np.arange(0.0, 0.4, 0.002)
    errors = [((late - np.sin(MOTION * (times - delay))) ** 2).sum(0) for delay in delays]
    return Figures(
        (np.abs(np.diff(late, axis=0)) < 1e-12).sum(0),
        np.abs(np.diff(late, 2, axis=0)).max(0) * clock**2 / MOTION**2,
        delays[np.argmin(errors, 0)],
        np.abs(np.diff(values[int(CHANGE * clock) :], axis=0)).max(0) * clock / MOTION,
    )


def cell_text(rows: Figures, choice: np.ndarray) -> str:
    """Worst figures of one cell of the table, as text; `choice`: mask (m,) of its senders."""
    standing, acceleration = rows.standing[choice].max(), rows.acceleration[choice].max()
    missed = "!" if standing or acceleration > BAR else " "
    return f"{standing:4d}/{acceleration:5.1f}{missed}"


def print_table(pairs: Sequence[Rates], clock: float, seeds: int) -> None:
    """Prints a row of cells for each pair of rates, and the number of cells within the bound."""
    cells = [Cell(*cell) for cell in itertools.product(pairs, NETWORKS, range(seeds))]
    rows = figures(shown(cells, clock), clock)
    keys = np.array([f"{cell.rates} {cell.network}" for cell in cells])
    print(f"\nclock {clock:g}".ljust(15), *(f"{name:>11}" for name in NETWORKS), "   delay  speed")
    count_met = 0
    for rates in pairs:
        texts = [cell_text(rows, keys == f"{rates} {network}") for network in NETWORKS]
        count_met += sum("!" not in text for text in texts)
        row = np.array([cell.rates == rates for cell in cells])
        delay, jump = 1000.0 * rows.delay[row].mean(), rows.jump[row].max()
        print(f"{rates[0]:>5} -> {rates[1]:>5}", *texts, f"{delay:5.0f} ms {jump:6.1f}")
    print(
        f"{count_met} of {len(pairs) * len(NETWORKS)} cells hold;"
        f" mean delay {1000.0 * rows.delay.mean():.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clocks", nargs="+", type=float, default=[60, 24])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--cells", nargs="+", help="rates before and after, as 30:45")
    options = parser.parse_args()
    pairs = [tuple(map(float, cell.split(":"))) for cell in options.cells or ()]
    for clock in options.clocks:
        for group in (pairs,) if pairs else ([(rate, rate) for rate in STEADY], PAIRS):
            print_table(group, clock, options.seeds)


if __name__ == "__main__":
    main()
