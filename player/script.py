"""Scripts of a performance in simulated time: paths of targets, and timed events."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..character.chain.inputs import Matrix
from ..character.file.contents import CharacterFile
from ..character.file.tracks import Array
from ..files.content import content
from ..files.json_fields import JsonFields
from ..files.plain import json_of
from ..solvers.kinematics import rotations
from .errors import PlayerError
from .pacing import FASTEST

SAME_TIME = 1e-9  # [s] difference up to which two times count as equal, for rounding
LONGEST = 1_000_000.0  # [s] longest performance, and latest event
# largest number of ticks, five hours at 60 a second: the recording keeps all of them in memory
MOST_TICKS = 1_000_000
MOST_SEED = 2**63 - 1  # largest seed
KINDS = ("event", "state", "set", "target")  # fields of events, of which each event has exactly one


class Event(NamedTuple):
    """An event of a script; besides `at`, exactly one field is given.

    Attributes:
        at: Time [s] from the start.
        event, state: Name of an event, or of a state to enter.
        values: Values to set, by path.
        target: Name of a chain, and name of the target that the chain follows from this time on.
    """

    at: float
    event: str = ""
    state: str = ""
    values: tuple[tuple[str, float | str], ...] = ()
    target: tuple[str, str] | None = None


@dataclass(frozen=True)
class TargetPath:
    """Path of a target: linear between the times, constant outside of them.

    Attributes:
        times: (k,) [s], ascending.
        positions: (k, 3) [m] in Blender's world.
        rotations: (k, 4) unit quaternions (w, x, y, z); None for those of the clip.
    """

    times: Array
    positions: Array
    rotations: Array | None

    def at(self, time: float, authored: Matrix) -> Matrix:
        """World matrix at a time [s]; `authored`: that of the clip."""
        index, share = self._segment(time)
        last = min(index + 1, len(self.times) - 1)
        position = self.positions[index] + share * (self.positions[last] - self.positions[index])
        rows = [row[:3] for row in authored[:3]]
        if self.rotations is not None:
            begin, end = (tuple(self.rotations[k].tolist()) for k in (index, last))
            rows = [list(row) for row in rotations.to_matrix(_between(begin, end, share))]
        return moved_to(position, rows)

    def _segment(self, time: float) -> tuple[int, float]:
        """Index of the last time up to `time`, 0 before the first; and the share of the way to the next
        one.
        """
        index = int(np.searchsorted(self.times, time + SAME_TIME, side="right")) - 1
        if index < 0 or index == len(self.times) - 1:
            return max(index, 0), 0.0
        past = time - float(self.times[index])
        return index, 0.0 if past <= SAME_TIME else past / float(self.times[index + 1] - self.times[index])


def moved_to(position: Sequence[float] | Array, rows: Sequence[Sequence[float]]) -> Matrix:
    """World matrix (4, 4), as rows, of a target at `position` (3,) [m, world], with the rotation and scale of
    the matrix (3 or 4, 3 or 4) that has the given `rows`.
    """
    # rounded to single precision, as in Blender's world, so that the same target gives the same motion in
    # both hosts
    coordinates = array("f", position)
    moved_rows = [[*row[:3], number] for row, number in zip(rows, coordinates, strict=False)]
    return [*moved_rows, [0.0, 0.0, 0.0, 1.0]]


@dataclass(frozen=True)
class Script:
    """A performance: its length [s], ticks per second, seed, targets by name, and events by time."""

    seconds: float
    rate: float
    seed: int = 0
    targets: tuple[tuple[str, TargetPath], ...] = ()
    events: tuple[Event, ...] = ()


def read(path: Path) -> Script:
    """The script in a JSON file.

    Raises:
        PlayerError: The file is no valid script; the message names the field and what is expected.
        OSError: The file cannot be read.
    """
    try:
        plain = json_of(content(path).decode("utf-8-sig"))
    except ValueError as error:
        raise PlayerError(f"'{path.name}' is no JSON: {error}") from error
    return script_of(JsonFields(path.name, plain, PlayerError))


def remarks(script: Script, character: CharacterFile) -> list[str]:
    """Sentences on targets and events in a script that the character does not have; they have no effect."""
    targets = [target.name for target in character.targets]
    events = character.behaviour.events if character.behaviour is not None else ()
    unknown = [
        *(("target", name, targets) for name, _ in script.targets if name not in targets),
        *(("event", each.event, events) for each in script.events if each.event and each.event not in events),
    ]
    return [
        f"there is no {kind} '{name}': there is {', '.join(map(repr, known)) or 'none'}"
        for kind, name, known in dict.fromkeys((kind, name, tuple(known)) for kind, name, known in unknown)
    ]


def script_of(plain: JsonFields) -> Script:
    """The script of a JSON object; raises PlayerError as `read`."""
    seconds, rate = plain.number("seconds", LONGEST), plain.number("rate", FASTEST)
    if seconds < 0.0:
        plain.wrong("seconds", "a number from 0 up")
    if rate <= 0.0:
        plain.wrong("rate", "a number above 0")
    if seconds * rate > MOST_TICKS:
        plain.wrong("rate", f"at most {MOST_TICKS} ticks in {seconds:g} s")
    paths = plain.child("targets").members("target") if plain.is_given("targets") else ()
    events = plain.children("events", "event") if plain.is_given("events") else []
    return Script(
        seconds,
        rate,
        plain.whole("seed", 0, MOST_SEED) if plain.is_given("seed") else 0,
        tuple((name, _path(target)) for name, target in paths),
        tuple(sorted(map(_event, events), key=lambda event: event.at)),
    )


def _path(plain: JsonFields) -> TargetPath:
    """The path of a target, from its object; raises PlayerError as `read`."""
    times = np.array(plain.numbers("times"))
    if not len(times) or (np.diff(times) <= 0.0).any():
        plain.wrong("times", "ascending times, at least one")
    rotations_wxyz = (
        _rows(plain, "rotations_wxyz", len(times), 4) if plain.is_given("rotations_wxyz") else None
    )
    if rotations_wxyz is not None:
        lengths = np.linalg.norm(rotations_wxyz, axis=1, keepdims=True)
        if not (lengths > 0.0).all():
            plain.wrong("rotations_wxyz", "quaternions with a length above 0")
        rotations_wxyz = rotations_wxyz / lengths
    return TargetPath(times, _rows(plain, "positions", len(times), 3), rotations_wxyz)


def _rows(plain: JsonFields, name: str, count: int, width: int) -> Array:
    """The array (count, width) in a field with `count` rows of `width` numbers."""
    rows = plain.get(name, list)
    if len(rows) != count or any(not isinstance(row, list) or len(row) != width for row in rows):
        plain.wrong(name, f"{count} rows of {width} numbers, one for each time")
    flat = plain.numbers(name, values=[number for row in rows for number in row])
    return np.array(flat).reshape(count, width)


def _event(plain: JsonFields) -> Event:
    """An event, from its object; raises PlayerError as `read`."""
    at = plain.number("at", LONGEST)
    kinds = [kind for kind in KINDS if plain.is_given(kind)]
    if len(kinds) != 1:
        plain.wrong("at", f"beside the time exactly one of {', '.join(KINDS)}")
    (kind,) = kinds
    if kind == "event":
        return Event(at, event=plain.get("event", str))
    if kind == "state":
        return Event(at, state=plain.get("state", str))
    if kind == "target":
        follows = plain.child("target")
        return Event(at, target=(follows.get("chain", str), follows.get("to", str)))
    return Event(at, values=_values(plain))


def _values(plain: JsonFields) -> tuple[tuple[str, float | str], ...]:
    """Values to set in an event: for each path a number or a text."""
    stored, paths = plain.child("set"), plain.get("set", dict)
    return tuple(
        (path, stored.get(path, str) if isinstance(value, str) else stored.number(path))
        for path, value in paths.items()
    )


def _between(begin: rotations.Quaternion, end: rotations.Quaternion, share: float) -> rotations.Quaternion:
    """The orientation at `share` (0 to 1) of the shortest rotation from `begin` to `end`."""
    if not share:
        return begin
    rotation = rotations.logarithm(rotations.multiply(end, rotations.conjugate(begin)))
    part = rotations.exponential(rotations.scale(rotation, share))
    return rotations.normalized(rotations.multiply(part, begin))
