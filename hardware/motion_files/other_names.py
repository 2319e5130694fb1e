"""Further names that a column's joint may have; the robot's joint names decide which one is used.

In "FR_0_actual" and "Joint 1 Angle" a word marks positions; in "knee_angle" it may belong to the joint's
name. Only a robot with a joint "FR_0" or "knee_angle" decides this. Of a path, "observation.state.elbow", the
last part is the joint's name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .headings import OTHERS, SHORT_OTHERS, SHORT_POSITIONS, words_of

MEASURED = {  # words in headings of positions
    *SHORT_POSITIONS,
    *("position", "positions", "angle", "angles", "dof", "actual", "measured", "present", "feedback"),
}
COMMANDED = {  # words in headings of commanded positions
    *("action", "target", "desired", "goal", "command", "commanded", "cmd", "setpoint", "ref", "reference"),
}
# words in headings of columns without positions
NO_POSITION = {*OTHERS, *SHORT_OTHERS, "error", "err", "offset", "speed", "load"}


class OtherName(NamedTuple):
    """A joint's name without the words that mark positions.

    Attributes:
        name: The name, its words separated by "_"; "" if the heading has no other name.
        is_commanded: Whether the heading says that the positions were commanded.
    """

    name: str = ""
    is_commanded: bool = False


def other_name(name: str) -> OtherName:
    """The other name of a joint whose column has the heading `name`."""
    words = words_of(name).split()
    if NO_POSITION.intersection(words):
        return OtherName()
    parts = [_without_marks(words_of(part).split()) for part in re.split(r"[/.]", name)]
    rest = next((part for part in reversed(parts) if part), [])
    if rest == words or all(word.isdecimal() for word in rest):
        return OtherName()
    return OtherName("_".join(rest), bool(COMMANDED.intersection(words)))


def _without_marks(words: list[str]) -> list[str]:
    """Words without those at both ends that mark positions."""
    kept = [k for k, word in enumerate(words) if word not in MEASURED | COMMANDED]
    return words[kept[0] : kept[-1] + 1] if kept else []
