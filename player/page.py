"""State of a playing character for the control page in a browser, and why the page cannot be served."""

import errno
import os
from collections.abc import Sequence
from typing import Any

from .directing import Director


def why_not_served(host: str, port: int, error: OSError | ValueError) -> str:
    """Why the page cannot be served at an address, and the remedy, as a sentence."""
    if isinstance(error, ValueError) or error.errno == errno.EADDRNOTAVAIL:
        return (
            f"The page cannot be served on '{host}', which is no address of this computer: give --page-host one"
            " in numbers, 127.0.0.1 for this computer alone, 0.0.0.0 for its networks, too"
        )
    why = os.strerror(error.errno) if error.errno else str(error)
    return f"The page cannot be served on port {port} of {host}: {why}; choose another port with --page PORT"


def page_state(
    director: Director,
    robots: Sequence[dict[str, Any]],
    decisions: Sequence[dict[str, Any]],
    sentences: Sequence[str],
) -> dict[str, Any]:
    """State of the control page, as a dict for JSON: the character, its chains, values and clip, and the
    given states of robots, last decisions and sentences.
    """
    performance, playhead = director.performance, director.playhead
    character = performance.character
    behaviour = character.behaviour
    limits = {
        joint.value: joint.limits for robot in character.robots for joint in robot.joints if joint.value
    }
    values = []
    for entry, value in zip(character.values, performance.values(), strict=True):
        # a slider needs a range, and only values of robots' joints have limits
        known = limits.get(entry.name)
        lower, upper = (known.lower, known.upper) if known is not None else (0.0, 1.0)
        values.append({"name": entry.name, "value": value, "lower": lower, "upper": upper})
    return {
        "character": character.name,
        "robots": list(robots),
        "state": performance.state,
        "states": [state.name for state in behaviour.states] if behaviour is not None else [],
        "events": list(behaviour.events) if behaviour is not None else [],
        "cameras": performance.target_names if behaviour is not None else [],
        "chains": [_chain(director, number) for number in range(len(character.chains))],
        "values": values,
        "clip": {"seconds": playhead.seconds, "length": playhead.length, "plays": playhead.plays},
        "decisions": [decision_line(decision) for decision in decisions],
        "said": list(sentences),
    }


def _chain(director: Director, number: int) -> dict[str, Any]:
    """State of a chain for the page."""
    performance = director.performance
    entry = performance.character.chains[number]
    requested = performance.kept(entry)
    return {
        "name": entry.name,
        "target": performance.target_name(entry.name),
        "targets": [target.name for target in performance.character.targets],
        "position": performance.target_position(entry),
        "postures": [
            {"name": posture.name, "weight": requested.weights[posture.name]} for posture in entry.postures
        ],
        "influence": requested.influence,
        "share": requested.share,
        "set_by": performance.set_by(entry),
    }


def decision_line(decision: dict[str, Any]) -> str:
    """A decision of the behaviour as a line of text: its time; what was ordered, which gesture began or how
    the state changed; and the cause.
    """
    begin = f"{decision['time']:.1f} s: "
    if "order" in decision:
        return f"{begin}{decision['order']} ({decision['cause']})"
    if decision["gesture"]:
        return f"{begin}gesture {decision['gesture']} ({decision['cause']})"
    return f"{begin}{decision['before']} → {decision['state']} ({decision['cause']})"
