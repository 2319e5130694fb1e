"""Counts calls of the project's functions, by `sys.monitoring` if Python has it (3.12), otherwise by
`sys.setprofile`.

It needs only the standard library: the worker's wrapper loads it as a file, outside any package.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

# identifier for sys.monitoring that Python does not reserve for debuggers, coverage tools or profilers
TOOL = 4
NOT_SHIPPED = {
    "benchmarks",
    "build",
    "demo",
    "scripts",
    "tests",
}  # folders of the checkout that are not part of the extension

Function = tuple[str, str]  # (file below the checkout, qualified name)
Calls = dict[Function, int]  # number of calls of each function, in the order of the first calls


class Tracer:
    """Counts calls of the project's functions.

    Args:
        root: The checkout's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._known: dict[CodeType, Function | None] = {}
        self._calls: Calls = {}

    @contextmanager
    def on(self) -> Iterator[Calls]:
        """Context manager that counts calls: of this thread and of threads that start meanwhile, or of all
        threads (sys.monitoring).
        """
        self._calls = {}
        self._begin()
        try:
            yield self._calls
        finally:
            self._end()

    def _note(self, code: CodeType) -> bool:
        """Counts one call; returns whether the code belongs to the project."""
        try:
            function = self._known[code]
        except KeyError:
            function = self._known[code] = self._function(code)
        if function is None:
            return False
        self._calls[function] = self._calls.get(function, 0) + 1
        return True

    def _function(self, code: CodeType) -> Function | None:
        """File and function of a code object; None if it is not part of the project. A comprehension or
        lambda counts as its function.
        """
        path = Path(code.co_filename)
        if not path.is_relative_to(self._root):
            return None
        file = path.relative_to(self._root)
        if file.parts[0] in NOT_SHIPPED or file.parts[0].startswith("."):
            return None
        return file.as_posix(), code.co_qualname.split(".<locals>")[0]

    if sys.version_info >= (3, 12):

        def _begin(self) -> None:
            events = sys.monitoring.events
            sys.monitoring.use_tool_id(TOOL, "limber frame path")
            sys.monitoring.register_callback(TOOL, events.PY_START, self._started)
            sys.monitoring.set_events(TOOL, events.PY_START)
            sys.monitoring.restart_events()

        def _end(self) -> None:
            sys.monitoring.set_events(TOOL, 0)
            sys.monitoring.free_tool_id(TOOL)

        def _started(self, code: CodeType, _offset: int) -> object:
            return None if self._note(code) else sys.monitoring.DISABLE

    else:

        def _begin(self) -> None:
            threading.setprofile(self._called)
            sys.setprofile(self._called)

        def _end(self) -> None:
            sys.setprofile(None)
            threading.setprofile(None)

        def _called(self, frame: FrameType, event: str, _argument: object) -> None:
            if event == "call":
                self._note(frame.f_code)
