"""Reading of a file in a separate process that can be ended, so that no file can block Blender's window.

The process receives a function with its arguments, and returns its result or its error, all pickled. It runs
only this package, in the Python that runs Blender, and ends when Blender does.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from .reasons import ending

PACKAGE = Path(__file__).resolve().parents[1]
# name of the package, in Blender bl_ext.<repository>.limber
NAME = __name__.removesuffix(".files.reading_process")
ENTRY = Path(__file__).resolve().parent / "reading_process_entry.py"
CREATION = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # flag for no console window on Windows; 0 elsewhere

Result = TypeVar("Result")


class ReadingError(ValueError):
    """The process cannot be started, or ended without a result; the message says why."""


class ReadingProcess(Generic[Result]):
    """A call of a function that reads files, in a separate process.

    Args:
        function: A function at the top level of one of this package's modules that know no Blender. It raises
            errors of named classes.
        arguments: Its arguments; they and the result can be pickled.

    Raises:
        ReadingError: The process cannot be started.
    """

    def __init__(self, function: Callable[..., Result], *arguments: Any) -> None:
        # (whether the function returned, its result or its error); None while it runs
        self._answer: tuple[bool, Any] | None = None
        self._is_cancelled = False
        call = pickle.dumps((function, arguments))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(ENTRY), NAME, str(PACKAGE), *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=CREATION,
            )
        except OSError as error:
            raise ReadingError(
                f"the process that reads it cannot be started with {sys.executable} ({error}): reinstall"
                " Blender"
            ) from error
        self._thread = threading.Thread(target=self._talk, args=(call,), daemon=True)
        self._thread.start()

    def result(self, wait: float) -> Result | None:
        """Result of the function; None if it is not finished after `wait` [s].

        Raises:
            ReadingError: The process ended without a result, or was cancelled.
            Exception: Error raised by the function.
        """
        self._thread.join(wait)
        if self._thread.is_alive():
            return None
        assert self._answer is not None
        is_result, answer = self._answer
        if not is_result:
            raise answer
        return answer  # type: ignore[no-any-return]

    def cancel(self) -> None:
        """Ends the process, if it is running."""
        self._is_cancelled = True
        with contextlib.suppress(OSError):
            self._process.kill()

    def _talk(self, call: bytes) -> None:
        """Work of the thread: sends the pickled call, and stores the answer, or the error if the process
        ended without one.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        error_output = bytearray()
        listening = threading.Thread(
            target=lambda stream: error_output.extend(stream.read()),
            args=(self._process.stderr,),
            daemon=True,
        )
        listening.start()
        with contextlib.suppress(OSError):
            self._process.stdin.write(call)
            self._process.stdin.flush()
        answer = self._process.stdout.read()
        status = self._process.wait()
        listening.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        if status == 0 and not self._is_cancelled:
            self._answer = pickle.loads(answer)
            return
        lines = error_output.decode("utf-8", "replace").strip().splitlines()
        why = "cancelled" if self._is_cancelled else lines[-1] if lines else ending(status)
        self._answer = (False, ReadingError(f"the process that reads it ended ({why}): choose another file"))


def called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    """The pickled answer of a call: whether the function returned, and its result, or its error if that is a
    ValueError or OSError; other errors are raised.
    """
    try:
        return pickle.dumps((True, function(*arguments)), pickle.HIGHEST_PROTOCOL)
    except (ValueError, OSError) as error:
        return pickle.dumps((False, _Portable(error)), pickle.HIGHEST_PROTOCOL)


class _Portable:
    """An error in a form that `pickle` accepts: the constructors of most errors take other arguments than
    those stored.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self.error), self.error.args, vars(self.error))


def _restored(kind: type[Exception], arguments: tuple[Any, ...], fields: dict[str, Any]) -> Exception:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    vars(error).update(fields)
    return error
