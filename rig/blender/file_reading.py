"""Reading of files without a pause of Blender's window."""

from collections.abc import Callable, Generator
from typing import Generic, TypeVar

from ...files.reading_process import ReadingError, ReadingProcess
from .errors import RigError

Result = TypeVar("Result")
Progress = TypeVar("Progress")
WAIT = 0.02  # [s] for the process in a step


class FileReading(Generic[Result]):
    """A call of a function that reads files: in a process of its own while a user waits at a window, at once
    where a script does.

    Args:
        is_watched: Whether a user waits.
        function: The function, as `ReadingProcess` needs it.
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
        """What the function returned; None if it has not yet. Waits for a moment. Raises what the function
        raises, and RigError where the process ends without a result.
        """
        if self.process is None:
            return self._function(*self._arguments)
        try:
            return self.process.result(WAIT)
        except ReadingError as error:
            raise RigError(str(error)) from error

    def steps(self, progress: Progress) -> Generator[Progress, None, Result]:
        """Waits in steps for what the function returns, and returns it; yields `progress` meanwhile. If it is
        closed, the process ends. Raises as `result`.
        """
        try:
            while (result := self.result()) is None:
                yield progress
            return result
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Ends the process, if it still runs."""
        if self.process is not None:
            self.process.cancel()


def in_steps(
    is_watched: bool, progress: Progress, function: Callable[..., Result], *arguments: object
) -> Generator[Progress, None, Result]:
    """Calls a function that reads files, and waits for its result in steps: arguments and errors as for
    `FileReading` and its `steps`.
    """
    return (yield from FileReading(is_watched, function, *arguments).steps(progress))
