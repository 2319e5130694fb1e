"""Reading of files without blocking Blender's window."""

from collections.abc import Callable, Generator
from typing import Generic, TypeVar

from ...files.reading_process import ReadingError, ReadingProcess
from .errors import RigError

Result = TypeVar("Result")
Progress = TypeVar("Progress")
WAIT = 0.02  # [s] longest time for which a step waits for the process


class FileReading(Generic[Result]):
    """A call of a function that reads files: in a separate process if a user waits at a window, at once in
    this process for a script.

    Args:
        is_watched: Whether a user waits.
        function: The function, which must meet the conditions of `ReadingProcess`.
        arguments: Its arguments.

    Raises:
        RigError: The process cannot be started.
    """

    def __init__(self, is_watched: bool, function: Callable[..., Result], *arguments: object) -> None:
        self._function, self._arguments = function, arguments
        try:
            self.process = ReadingProcess(function, *arguments) if is_watched else None
        except ReadingError as error:
            raise RigError(str(error)) from error

    def result(self) -> Result | None:
        """Result of the function after a short wait; None while it is not finished. Raises the function's
        errors, and RigError if the process ends without a result.
        """
        if self.process is None:
            return self._function(*self._arguments)
        try:
            return self.process.result(WAIT)
        except ReadingError as error:
            raise RigError(str(error)) from error

    def steps(self, progress: Progress) -> Generator[Progress, None, Result]:
        """Waits for the function's result in steps, which yield `progress`, and returns the result. Closing
        the generator ends the process. Raises as `result`.
        """
        try:
            while (result := self.result()) is None:
                yield progress
            return result
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Ends the process if it is still running."""
        if self.process is not None:
            self.process.cancel()


def in_steps(
    is_watched: bool, progress: Progress, function: Callable[..., Result], *arguments: object
) -> Generator[Progress, None, Result]:
    """Calls a function that reads files, and waits for its result in steps: arguments and errors as for
    `FileReading` and its `steps`.
    """
    return (yield from FileReading(is_watched, function, *arguments).steps(progress))
