"""Long computations that read nothing of Blender's, in a thread of their own: Blender's interface stays
responsive.
"""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from ..blender.outcomes import record

Returned = TypeVar("Returned")


def in_own_thread(function: Callable[[], Returned]) -> Future[Returned]:
    """Calls a function in a thread of its own, which does not keep Blender from quitting. The future gets
    what it returns or raises.
    """
    outcome: Future[Returned] = Future()
    Thread(target=record, args=(outcome, function), daemon=True).start()
    return outcome
