"""Recordings of a robot's whole state, in which joint positions are one of several arrays.

Sources: Universal Robots' Real-Time Data Exchange (RTDE), whose recorder writes "actual_q_0"; libfranka's
logToCSV, "state.q[0]", whose time is in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

POSITIONS = re.compile(
    r"(?:(?P<owner>.*)[/.])?(?:(?P<state>actual|target)_q_(?P<number>\d+)|q\[(?P<index>\d+)\])"
)
# prefixes of arrays of positions; the first that exists is used
MEASURED, COMMANDED, PLAIN = "actual", "target", ""
UNIVERSAL_ROBOTS = (  # joints in RTDE's order, by the names of the maker's model
    *("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"),
    *("wrist_1_joint", "wrist_2_joint", "wrist_3_joint"),
)
LIBFRANKA = ["time", "success_rate"]  # first headings of libfranka's log
FRANKA = "state"  # prefix of libfranka's arrays
FRANKAS = ("panda", "fr3", "fer", "fp3")  # robots' names before "_joint1" in the maker's models


class StateJoint(NamedTuple):
    """A joint of a recorded state: its name, and other names in the maker's models."""

    name: str
    others: tuple[str, ...] = ()


def with_clock(rows: list[list[str]]) -> list[list[str]]:
    """Rows of a table in which the time of a libfranka log is given its unit; other tables unchanged."""
    heading = [cell.strip() for cell in rows[0]]
    if heading[: len(LIBFRANKA)] != LIBFRANKA:
        return rows
    return [[f"{heading[0]} [ms]", *heading[1:]], *rows[1:]]


def joints_of(headings: Iterable[str]) -> dict[str, StateJoint]:
    """Joints by the headings of their positions [rad], for a recording of a robot's state; else empty."""
    # array -> joint's number -> (heading, whether it is from libfranka)
    arrays: dict[str, dict[int, tuple[str, bool]]] = {}
    for heading in headings:
        if match := POSITIONS.fullmatch(heading.strip()):
            array = arrays.setdefault(match["state"] or PLAIN, {})
            array[int(match["number"] or match["index"])] = heading, match["owner"] == FRANKA
    for state in (MEASURED, COMMANDED, PLAIN):
        array = arrays.get(state, {})
        if len(array) > 1:
            if state and len(array) == len(UNIVERSAL_ROBOTS):
                ordered = (heading for _, (heading, _) in sorted(array.items()))
                return {
                    heading: StateJoint(name) for heading, name in zip(ordered, UNIVERSAL_ROBOTS, strict=True)
                }
            first_number = 0 if 0 in array else 1
            return {
                heading: _joint(number + 1 - first_number, is_franka)
                for number, (heading, is_franka) in sorted(array.items())
            }
    return {}


def _joint(number: int, is_franka: bool) -> StateJoint:
    """Joint of a recorded state, given its number, which counts from 1. With `is_franka` libfranka recorded
    the state, and the joint also has the names of Franka's models.
    """
    others = tuple(f"{robot}_joint{number}" for robot in FRANKAS) if is_franka else ()
    return StateJoint(f"joint_{number}", others)
