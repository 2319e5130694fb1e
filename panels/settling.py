"""Buttons that move a motor and appear instead of another button: they appear one second late, so that a
click meant for the former button does not start a motion.
"""

from time import monotonic

import bpy

from ..operators.wait import WAIT
from ..rig.events import handlers

# operators of Next Step that let a robot move
MOVES = {"limber.arm", "limber.arm_confirmed", "limber.confirm_pose"}
SETTLES = 1.0  # [s] delay of the button; a click meant for the former button has been made by then

# area's address -> (operator that last passed for this area, time [s] since when)
_shown: dict[int, tuple[str, float]] = {}


def settled(operator: str) -> str:
    """Operator of the button to draw for `operator`: `operator` itself if it moves no motor, or if it has
    been passed for this area for `SETTLES` seconds; else `WAIT`, and Blender redraws after the delay.

    The greyed-out button is of another operator, since Blender does not notice when a button under the mouse
    gets enabled.
    """
    area, time = bpy.context.area, monotonic()
    key = area.as_pointer() if area else 0
    before, since = _shown.get(key, ("", time))
    if operator != before:
        since = since if before == WAIT else time
        _shown[key] = operator, since
    if operator not in MOVES or time - since >= SETTLES:
        return operator
    handlers.redraw_in(SETTLES - (time - since))
    return WAIT
