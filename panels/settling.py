"""Buttons that move a motor and come in the place of another one: they can be pressed a second later, so that no click goes astray."""

from time import monotonic

import bpy

from ..rig.events import handlers

MOVES = {"limber.arm", "limber.arm_confirmed", "limber.confirm_pose"}  # operators of Next Step that let a robot move
SETTLES = 1.0  # [s] a click that was meant for the button before has been made by then

_shown: dict[int, tuple[str, float]] = {}  # by the area's address: the operator whose button was drawn last, and since when [s]


def is_settled(operator: str) -> bool:
    """Whether a button that is drawn now may be pressed: it moves no motor, or was in this place for a while. If not, Blender draws again
    when it may.
    """
    area, now = bpy.context.area, monotonic()
    key = area.as_pointer() if area else 0
    before, since = _shown.get(key, ("", now))
    if operator != before:
        since = now
        _shown[key] = operator, since
    if operator not in MOVES or now - since >= SETTLES:
        return True
    handlers.redraw_in(SETTLES - (now - since))
    return False
