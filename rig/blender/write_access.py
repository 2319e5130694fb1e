"""Blender's lock on writes: scripts may not change a file's data while panels are drawn.

Blender 4.3 and some later versions may keep the lock after the drawing: if the Python of a render engine takes over amid it, in a thread of
its own, each thread restores what it found, and every timer and handler that writes fails until Blender is started again. The update of a
property may always write: timers and handlers run in one as long as the lock holds.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import wraps
from threading import current_thread, main_thread
from typing import ParamSpec, TypeVar

import bpy

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

_waiting: list[Callable[[], None]] = []  # calls for the property's update


def is_refused() -> bool:
    """Whether Blender refuses writes now."""
    try:
        bpy.data.scenes[0].frame_start = None  # changes nothing either way: the lock is looked at before the type
    except AttributeError:
        return True
    except TypeError:
        return False
    raise AssertionError("a scene's first frame was no number")


def granted(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """A function of a timer or handler that may write although Blender's lock has been kept.

    Where it has been, Blender draws its windows anew after each call. Off the main thread the function runs as it is.
    """

    @wraps(function)
    def run(*arguments: Given.args, **named: Given.kwargs) -> Returned:
        if current_thread() is not main_thread() or not is_refused():
            return function(*arguments, **named)
        outcome: Future[Returned] = Future()

        def call() -> None:
            try:
                outcome.set_result(function(*arguments, **named))
            except BaseException as error:  # an update would only print it
                outcome.set_exception(error)

        _waiting.append(call)
        bpy.data.window_managers[0].limber_granted = True
        return outcome.result(0.0)  # the update has run: never wait, which would freeze Blender

    return run


def _updated(_manager, _context) -> None:
    _waiting.pop()()


PROPERTIES = {(bpy.types.WindowManager, "limber_granted"): bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"}, update=_updated)}
