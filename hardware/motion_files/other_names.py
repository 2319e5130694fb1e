"""Names that a column's joint may have besides the heading: a robot's own names decide which one counts.

In "FR_0_actual" and "Joint 1 Angle" a word says that the column has positions; in "knee_angle" it may belong
to the joint's name. A table alone does not show that, a robot with a joint "FR_0" or "knee_angle" does.
"""

from __future__ import annotations

from typing import NamedTuple

from .headings import OTHERS, SHORT_OTHERS, SHORT_POSITIONS, words_of

MEASURED = {  # words of headings of positions
    *SHORT_POSITIONS,
    *("position", "positions", "angle", "angles", "dof", "actual", "measured", "present", "feedback"),
}
COMMANDED = {  # words of headings of positions that were commanded, not measured
    *("target", "desired", "goal", "command", "commanded", "cmd", "setpoint", "ref", "reference"),
}
NO_POSITION = {*OTHERS, *SHORT_OTHERS, "error", "err", "offset", "speed", "load"}


class OtherName(NamedTuple):
    """A joint's name without what says that the column has positions.

    Attributes:
        name: The name, its words separated by "_"; "" where the heading has no other name.
        is_commanded: Whether the heading says that the positions were commanded.
    """

    name: str = ""
    is_commanded: bool = False


def other_name(name: str) -> OtherName:
    """The other name of a joint that a heading calls `name`."""
    words = words_of(name).split()
    if NO_POSITION.intersection(words):
        return OtherName()
    marks = MEASURED | COMMANDED
    first = next((k for k, word in enumerate(words) if word not in marks), len(words))
    last = next((k for k in range(len(words), first, -1) if words[k - 1] not in marks), first)
    rest, taken = words[first:last], {*words[:first], *words[last:]}
    if not taken or all(word.isdecimal() for word in rest):
        return OtherName()
    return OtherName("_".join(rest), bool(taken & COMMANDED))
