"""Restricts numpy's linear algebra to one thread while Limber computes.

Limber's matrices are small. BLAS shares them among threads that wait for one another without sleeping: on a
computer whose cores are busy, a frame of a millisecond then takes a second.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy  # noqa: F401  its BLAS must be there before it is looked for

try:
    from threadpoolctl import ThreadpoolController
except ImportError:  # the wheel was not unpacked: results are right, but slower on a busy computer
    _libraries = []
else:
    _libraries = ThreadpoolController().select(user_api="blas").lib_controllers

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def in_one_thread(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Decorator: BLAS uses one thread while the function runs."""
    if not _libraries:
        return function

    @wraps(function)
    def alone(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        # This does what `ThreadpoolController.wrap` does, whose own work would take a tenth of a live frame.
        before = [(library, number) for library in _libraries if (number := library.get_num_threads()) != 1]
        for library, _ in before:
            library.set_num_threads(1)
        try:
            return function(*args, **options)
        finally:
            for library, number in before:
                library.set_num_threads(number)

    return alone
