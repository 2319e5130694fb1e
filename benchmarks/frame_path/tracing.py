"""Counts which of the project's functions run, and how they cross between a host and the engine, by
`sys.monitoring` where Python has it (3.12), else by `sys.setprofile`.

It needs only the standard library: the worker's wrapper loads it as a file, outside any package.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

# identifier for sys.monitoring that Python does not reserve for debuggers, coverage tools or profilers
TOOL = 4
# folders of the checkout that are not part of the extension
NOT_SHIPPED = {"benchmarks", "build", "demo", "scripts", "tests"}

HOSTS = {"rig", "operators", "panels", "player"}  # packages that call the engine
ENGINE = {"character", "solvers", "motion"}  # packages that call no host

Function = tuple[str, str]  # file below the checkout, qualified name
Calls = dict[Function, int]  # how often each was called, in the order of the first calls


class Tracer:
    """Counts calls of the project's functions.

    Args:
        root: The checkout's folder.

    Attributes:
        crossings: How often one call stack leads from a host into the engine, at most. 1: the engine calls no
            host.
        calls_back: Calls of a host's function by one of the engine: (caller, function).
    """

    def __init__(self, root: Path) -> None:
        self.crossings = 0
        self.calls_back: dict[tuple[Function, Function], None] = {}
        self._root = root.resolve()
        self._known: dict[CodeType, Function | None] = {}
        self._calls: Calls = {}

    @contextmanager
    def on(self) -> Iterator[Calls]:
        """Context manager that counts calls: from Python 3.12 on those of all threads (sys.monitoring), in
        older versions those of this thread and of threads that start meanwhile.
        """
        self._calls, self.crossings, self.calls_back = {}, 0, {}
        self._begin()
        try:
            yield self._calls
        finally:
            self._end()

    def _note(self, frame: FrameType) -> bool:
        """Counts one call, which has begun; returns whether the code belongs to the project."""
        function = self._of(frame.f_code)
        if function is None:
            return False
        self._calls[function] = self._calls.get(function, 0) + 1
        stack = list(self._stack(frame))
        is_host = [_package(each) in HOSTS for each in stack]
        crossings = sum(caller and not called for called, caller in pairwise(is_host))
        self.crossings = max(self.crossings, crossings)
        if is_host[:2] == [True, False]:
            self.calls_back[stack[1], stack[0]] = None
        return True

    def _stack(self, frame: FrameType | None) -> Iterator[Function]:
        """Functions of hosts and of the engine that are being called, the last one first."""
        while frame is not None:
            function = self._of(frame.f_code)
            if function is not None and _package(function) in HOSTS | ENGINE:
                yield function
            frame = frame.f_back

    def _of(self, code: CodeType) -> Function | None:
        """As `_function`, which is called once for each code object."""
        try:
            return self._known[code]
        except KeyError:
            return self._known.setdefault(code, self._function(code))

    def _function(self, code: CodeType) -> Function | None:
        """File and function of a code object; None if it is not part of the project. What is
        defined in a function, such as a lambda, counts as that function.
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
            return None if self._note(sys._getframe(1)) else sys.monitoring.DISABLE

    else:

        def _begin(self) -> None:
            threading.setprofile(self._called)
            sys.setprofile(self._called)

        def _end(self) -> None:
            sys.setprofile(None)
            threading.setprofile(None)

        def _called(self, frame: FrameType, event: str, _argument: object) -> None:
            if event == "call":
                self._note(frame)


def _package(function: Function) -> str:
    """The package of the checkout that a function belongs to."""
    return function[0].partition("/")[0]
