"""Recordings of a robot's whole state, in which the joints' positions are one array beside others.

Sources: Universal Robots' Real-Time Data Exchange (RTDE), whose recorder writes "actual_q_0"; libfranka's
RobotState, "q[0]".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

POSITIONS = re.compile(r"(?:.*[/.])?(?:(?P<state>actual|target)_q_(?P<number>\d+)|q\[(?P<index>\d+)\])")
MEASURED, COMMANDED, PLAIN = "actual", "target", ""  # the array that counts is the first that is there
UNIVERSAL_ROBOTS = (  # joints in RTDE's order, by the names of the maker's model
    *("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"),
    *("wrist_1_joint", "wrist_2_joint", "wrist_3_joint"),
)


def joints_of(headings: Iterable[str]) -> dict[str, str]:
    """Joints' names by the headings of their positions [rad], in a recording of a robot's state; else
    nothing.
    """
    arrays: dict[str, dict[int, str]] = {}
    for heading in headings:
        if match := POSITIONS.fullmatch(heading.strip()):
            number = int(match["number"] or match["index"])
            arrays.setdefault(match["state"] or PLAIN, {})[number] = heading
    for state in (MEASURED, COMMANDED, PLAIN):
        array = arrays.get(state, {})
        if len(array) > 1:
            names = UNIVERSAL_ROBOTS if state and len(array) == len(UNIVERSAL_ROBOTS) else ()
            return {
                heading: names[k] if names else f"joint_{k + 1}"
                for k, (_, heading) in enumerate(sorted(array.items()))
            }
    return {}
