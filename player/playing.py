"""Plays a script in simulated time, and records the character's motion. Independent of devices and clocks."""

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..character.file.bodies import body_values
from ..character.file.contents import ChainEntry, CharacterFile
from ..character.file.tracks import Array
from ..character.one_thread import in_one_thread
from ..files import atomic
from ..inputs.words import Order
from .directing import Director
from .errors import PlayerError
from .paths import checked_order, path_of, set_order
from .performance import Performance
from .playhead import Playhead
from .script import SAME_TIME, Event, Script, TargetPath

SAME_RATE = 1e-6  # relative difference up to which a rate counts as the clip's
# arrays of a recording that have a row for each tick
ROWS = ("commanded", "desired", "target_position", "aim_error_desired", "aim_error", "state", "values")
LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
IDENTITY = np.eye(4).tolist()


@in_one_thread()
def play(character: CharacterFile, script: Script) -> dict[str, Array]:
    """Plays a script; returns the arrays of the recording by their names.

    The arrays, for t ticks, n joints, c chains and v values; row 0 is the first frame, at rest:
        time (t,) [s]; joint_names (n,); commanded, desired (t, n) [rad, m]; lower, upper, velocity,
        acceleration, jerk (n,); chain_names (c,); target_position (t, c, 3) [m]; aim_error_desired,
        aim_error (t, c) [rad]; state (t,); value_names (v,); values (t, v); decisions (k,), lines of JSON.

    Raises:
        PlayerError: The script names something that the character does not have, or a chain, mechanism or
            body cannot be solved in the first frame.
    """
    paths = dict(script.targets)
    performance = Performance(character, tuple(paths), script.seed)
    director = Director(performance, Playhead(script.seconds))
    rows: dict[str, list[Any]] = {name: [] for name in ROWS}
    decisions: list[dict[str, Any]] = []
    remaining_events = deque(script.events)
    times = np.arange(round(script.seconds * script.rate) + 1) / script.rate
    for number, time in enumerate(times.tolist()):
        while remaining_events and remaining_events[0].at <= time + SAME_TIME:
            decisions += _apply(director, remaining_events.popleft())
        frame, dt = _step(character, script.rate, number)
        events, director.events = director.events, []
        performance.advance(frame, dt if number else 0.0, _targets(character, paths, time, frame), events)
        for name, row in _row(performance).items():
            rows[name].append(row)
    if performance.performer is not None:
        decisions += [each._asdict() for each in performance.performer.decisions]
    return {"time": times, **_recording(character, rows), "decisions": _lines(decisions)}


def _recording(character: CharacterFile, rows: dict[str, list[Any]]) -> dict[str, Array]:
    """Arrays of the recording (by name; most have a row for each tick), from lists of these rows."""
    return {
        "joint_names": np.array(character.joint_names),
        **{name: np.array(row) for name, row in rows.items()},
        "state": np.array(rows["state"], dtype=str),
        "values": np.array(rows["values"]).reshape(len(rows["values"]), len(character.values)),
        **{name: np.array([getattr(each, name) for each in character.ranges]) for name in LIMITS},
        "chain_names": np.array([chain.name for chain in character.chains]),
        "value_names": np.array([value.name for value in character.values], dtype=str),
    }


def _lines(decisions: list[dict[str, Any]]) -> Array:
    """Decisions (k,) as lines of JSON, ordered by time."""
    ordered = sorted(decisions, key=lambda decision: round(float(decision["time"]), 6))
    return np.array([json.dumps(decision) for decision in ordered], dtype=str)


def write(path: Path, recording: dict[str, Array]) -> None:
    """Writes a recording as a numpy archive; raises OSError."""
    with atomic.replacing(path) as temporary, temporary.open("xb") as stream:
        np.savez_compressed(stream, **recording)


def _step(character: CharacterFile, rate: float, number: int) -> tuple[float, float]:
    """(frame of the clip at tick `number`, seconds between two ticks) at `rate` ticks per second. If that is
    the clip's rate up to rounding, each tick is exactly one frame of the clip.
    """
    clip = character.rate
    ticks_per_frame = rate * clip.seconds_a_frame
    if abs(ticks_per_frame - 1.0) < SAME_RATE:
        return float(number), clip.seconds_a_frame
    return number / ticks_per_frame, 1.0 / rate


def _targets(
    character: CharacterFile, paths: dict[str, TargetPath], time: float, frame: float
) -> dict[str, list[list[float]]]:
    """World matrices of the script's targets at a time [s], which corresponds to `frame` of the clip."""
    authored = {target.name: target.anchor.frame for target in character.targets}
    return {
        name: path.at(time, authored[name].at(frame).tolist() if name in authored else IDENTITY)
        for name, path in paths.items()
    }


def _apply(director: Director, event: Event) -> list[dict[str, Any]]:
    """Executes an event; returns what it has set, as lines for the log of decisions. Empty for a state, whose
    entry the behaviour logs itself.
    """
    decision: dict[str, Any] = {"time": event.at, "cause": "script"}
    if event.target is not None:
        chain, target = event.target
        director.obey(checked_order(path_of("target", chain), target), "script")
        return [decision | {"chain": event.target[0], "target": event.target[1]}]
    if event.values:
        for path, value in event.values:
            director.obey(set_order(path, value), "script")
        return [decision | {"set": dict(event.values)}]
    if event.state:
        director.obey(Order("state", event.state), "script")
        return []
    director.events.append(event.event)  # events unknown to the character have no effect
    return [decision | {"event": event.event}]


def _row(performance: Performance) -> dict[str, Any]:
    """Row of the recording for a tick, by the arrays' names. Raises PlayerError if a mover could not be
    solved.
    """
    commanded, desired, positions, desired_aim_errors, aim_errors = [], [], [], [], []
    for chain, outputs in _outputs(performance):
        commanded += outputs.angles.tolist()
        desired += outputs.desired.tolist()
        positions.append(performance.target_position(chain))
        desired_aim_errors.append(outputs.solution.aim_error)
        aim_errors.append(outputs.filtered_aim_error)
    for mechanism in performance.character.mechanisms:
        moved = performance.mechanism_outputs(mechanism)
        if moved is None:
            raise PlayerError(performance.problem(mechanism))
        commanded += moved.values
        desired += moved.desired
    for body in performance.character.bodies:
        posed = performance.body_outputs(body)
        if posed is None:
            raise PlayerError(performance.problem(body))
        columns = performance.character.columns(body)
        commanded += body_values(posed.state)[columns].tolist()
        desired += body_values(posed.desired)[columns].tolist()
    return {
        "commanded": commanded,
        "desired": desired,
        "target_position": positions,
        "aim_error_desired": desired_aim_errors,
        "aim_error": aim_errors,
        "state": performance.state,
        "values": performance.values(),
    }


def _outputs(performance: Performance) -> Iterator[tuple[ChainEntry, Any]]:
    """The chains with their outputs; raises PlayerError if one could not be solved."""
    for chain in performance.character.chains:
        outputs = performance.outputs(chain)
        if outputs is None:
            raise PlayerError(performance.problem(chain))
        yield chain, outputs
