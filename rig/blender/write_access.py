"""Write access for timers and handlers while Blender refuses scripts' writes to a file's data, as it does
while it draws panels.

Blender 4.3 and some later versions may still refuse after drawing, until Blender is restarted: a
render engine's Python in another thread can interrupt the drawing, and each thread then restores the state
that it found. A property's update function may always write, so timers and handlers run inside such a
function while writes are refused.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import wraps
from threading import current_thread, main_thread
from typing import ParamSpec, TypeVar

import bpy

from .outcomes import record

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

_waiting: list[Callable[[], None]] = []  # calls to make in the property's update function


def is_refused() -> bool:
    """Whether Blender refuses writes now."""
    try:
        # assigning a value of a wrong type changes nothing: Blender checks write access before the type
        bpy.data.scenes[0].frame_start = None
    except AttributeError:
        return True
    except TypeError:
        return False
    raise AssertionError("a scene's first frame was no number")


def granted(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Decorator: a function of a timer or handler that may write although Blender refuses scripts' writes.

    As long as Blender refuses them, each call also makes it redraw its windows. On other threads the function
    is called directly.
    """

    @wraps(function)
    def run(*arguments: Given.args, **named: Given.kwargs) -> Returned:
        if current_thread() is not main_thread() or not is_refused():
            return function(*arguments, **named)
        outcome: Future[Returned] = Future()
        _waiting.append(lambda: record(outcome, lambda: function(*arguments, **named)))
        bpy.data.window_managers[0].limber_granted = True
        return outcome.result(0.0)  # the update has run, so the result is there: waiting would freeze Blender

    return run


def _updated(_manager: bpy.types.WindowManager, _context: bpy.types.Context) -> None:
    _waiting.pop()()


PROPERTIES = {
    (bpy.types.WindowManager, "limber_granted"): bpy.props.BoolProperty(
        options={"HIDDEN", "SKIP_SAVE"}, update=_updated
    )
}
