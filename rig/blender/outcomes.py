"""Calls whose result another function needs: a future gets what a call returns or raises."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Returned = TypeVar("Returned")


def record(outcome: Future[Returned], function: Callable[[], Returned]) -> None:
    """Calls a function; `outcome` gets what it returns or raises, to be raised again by `result`."""
    try:
        outcome.set_result(function())
    # passed on to whoever reads the result, since nobody would see it here
    except BaseException as error:
        outcome.set_exception(error)
