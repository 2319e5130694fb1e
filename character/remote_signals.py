"""Values that other programs send repeatedly, such as a target's position, at each tick of live motion."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..solvers.kinematics.se3 import Array
from . import stream
from .sample_times import is_outdated

WIDEST = 4  # largest number of components of an address: four for a quaternion


class RemoteSignals:
    """Continuous values by address, computed from received numbers; see `character.stream`. A signal ends if
    nothing is sent for `stream.PAUSE`; the next number then takes effect at once.
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}  # address -> index of its row in the arrays of the stream
        self._sizes: dict[str, int] = {}  # number of components of each address
        # [s] time at which each signal began, as `since` in `stream.StreamState`
        self._since: dict[str, float] = {}
        self._begun: set[str] = set()  # addresses whose first numbers have arrived since the last tick
        self._state: stream.StreamState | None = None
        self._samples = stream.Samples(
            np.zeros((0, WIDEST)), np.zeros(0, np.int64), np.zeros((0, WIDEST)), np.zeros(0), np.zeros(0)
        )

    def __contains__(self, address: str) -> bool:
        return address in self._rows

    @property
    def is_active(self) -> bool:
        """Whether there is any signal."""
        return bool(self._rows)

    def lasting(self) -> list[str]:
        """Addresses of the signals whose numbers have come for longer than `stream.PAUSE`, so that they are
        streams and not single commands.
        """
        if self._state is None:
            return []
        newest = self._state.timing.stamps
        return [
            address
            for address, row in self._rows.items()
            if newest[row] - self._since[address] > stream.PAUSE
        ]

    def begin(self, address: str, numbers: Sequence[float], time: float, age: float = np.nan) -> None:
        """Begins or restarts a signal at rest; `numbers`, `time` and `age` as for `receive`."""
        self.end(address)
        row = stream.begin(
            stream.Samples(
                _padded(numbers)[None],
                np.ones(1, np.int64),
                np.full((1, WIDEST), np.nan),
                np.array([time]),
                np.array([age]),
            ),
            is_timed=True,
        )
        before = self._state or row.only([])
        self._rows[address], self._sizes[address] = len(self._rows), len(numbers)
        self._since[address] = before.time
        self._begun.add(address)
        self._state = before.with_row(row)
        self._samples = self._state.samples

    def receive(
        self,
        address: str,
        numbers: Sequence[float],
        count: int,
        velocity: Sequence[float] | None,
        time: float,
        age: float = np.nan,
    ) -> None:
        """Takes the newest numbers of a signal; ignores them if newer ones have overtaken them in the
        network.

        Args:
            address: Its address; KeyError if no signal has begun there.
            numbers: Its newest numbers.
            count: Number of messages that arrived for the address since the last call.
            velocity: Rates of change [1/s] of the numbers; None if not sent.
            time: Time [s] of the numbers by the sender's clock; NaN if not given.
            age: Time since the numbers arrived, as a share of the time since the last call of `advance`; NaN
                if unknown.
        """
        row = self._rows[address]
        if is_outdated(time, self._samples.times[row]):
            return
        before = self._samples
        values, velocities, times = before.values.copy(), before.velocities.copy(), before.times.copy()
        counts, ages = before.numbers.copy(), before.ages.copy()
        values[row], velocities[row] = _padded(numbers), np.nan if velocity is None else _padded(velocity)
        counts[row] += count
        times[row], ages[row] = time, age
        self._samples = stream.Samples(values, counts, velocities, times, ages)

    def value(self, address: str) -> list[float]:
        """The last numbers received for an address; KeyError if it has no signal."""
        numbers: list[float] = self._samples.values[self._rows[address], : self._sizes[address]].tolist()
        return numbers

    def advance(self, dt: float) -> Iterator[tuple[str, list[float]]]:
        """Advances the signals by `dt` [s], and ends those for which nothing was received for `stream.PAUSE`.
        Yields (address, current numbers) for each address that has received numbers or whose numbers change.
        """
        if self._state is None or dt <= 0.0:
            return
        before = self._state.values
        fresh = self._samples.numbers != self._state.samples.numbers
        values, self._state = stream.advance(self._state, self._samples, dt, rejoin=0.0)
        self._state = self._state.with_samples_now(
            [self._rows[address] for address in self._begun & self._rows.keys()], dt
        )
        self._begun.clear()
        changed = fresh | (values != before).any(1)
        ended = self._state.time - self._state.timing.stamps > stream.PAUSE + self._state.timing.delays
        # a copy, since the caller can begin and end signals between two of the yielded values
        for address, row in list(self._rows.items()):
            if changed[row]:
                yield address, values[row, : self._sizes[address]].tolist()
        for address in [address for address, row in self._rows.items() if ended[row] and not changed[row]]:
            self.end(address)

    def end(self, address: str) -> None:
        """Removes the signal of an address, if there is one."""
        row = self._rows.pop(address, None)
        if row is None or self._state is None:
            return
        del self._sizes[address], self._since[address]
        other_rows = [other for other in range(len(self._samples.numbers)) if other != row]
        self._state, before = self._state.only(other_rows), self._samples
        self._samples = stream.Samples(
            before.values[other_rows],
            before.numbers[other_rows],
            before.velocities[other_rows],
            before.times[other_rows],
            before.ages[other_rows],
        )
        self._rows = {name: other - (other > row) for name, other in self._rows.items()}


def _padded(numbers: Sequence[float]) -> Array:
    """Numbers as (`WIDEST`,), with zeros after the last."""
    return np.array((*numbers, *(0.0,) * (WIDEST - len(numbers))))
