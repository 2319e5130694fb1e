"""Buttons that move a motor and come in the place of another one: they come a second later, so that no click
goes astray.
"""

from time import monotonic

import bpy

from ..operators.wait import WAIT
from ..rig.events import handlers

MOVES = {
    "limber.arm",
    "limber.arm_confirmed",
    "limber.confirm_pose",
}  # operators of Next Step that let a robot move
SETTLES = 1.0  # [s] a click that was meant for the button before has been made by then

_shown: dict[
    int, tuple[str, float]
] = {}  # by the area's address: the operator that was due there last, and since when [s]


def settled(operator: str) -> str:
    """The operator of the button that is to be drawn now where `operator` is due: that one if it moves no
    motor, or if for a while no other could be pressed in this place; else `WAIT`, and Blender draws again
    when it has settled.

    While the mouse is over a button Blender does not take up that it is greyed out no more, so it must be
    another one.
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
