"""Work of an operator with progress, done in time slices."""

from collections.abc import Generator
from time import perf_counter
from typing import Generic, TypeVar

from ...robots.gallery.full_model import Progress

Result = TypeVar("Result")
Steps = Generator[Progress, None, Result]


class SlicedWork(Generic[Result]):
    """Runs a generator in time slices for an operator with progress; the generator yields its progress and
    returns the result.

    Attributes:
        total, done: 100, and the percentage done.
        says: Description of the current step, for the status bar.
        result: Result of the generator, after `run` has returned False.
    """

    total = 100

    def __init__(self, steps: Steps[Result]) -> None:
        self._steps = steps
        self.done, self.says = 0, "Beginning"
        self.result: Result | None = None

    def run(self, seconds: float) -> bool:
        """Works for about `seconds`, at least one step; returns whether there is more to do. Raises what the
        generator raises.
        """
        until = perf_counter() + seconds
        while True:
            try:
                share, self.says = next(self._steps)
            except StopIteration as ended:
                if ended.value is not None:
                    self.result = ended.value
                return False
            self.done = int(self.total * share)
            if perf_counter() >= until:
                return True

    def cancel(self) -> None:
        """Cancels the work; incomplete results are removed."""
        self._steps.close()
