"""Restricts numpy's linear algebra to one thread while Limber computes.

Limber's matrices are small, and BLAS splits their products among threads that busy-wait for each other. On a
computer with busy cores, a frame of a millisecond then takes a second.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy  # noqa: F401  its BLAS must be loaded before the search for libraries

try:
    from threadpoolctl import ThreadpoolController
except ImportError:  # the wheel was not unpacked; results are right, but slower on a busy computer
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
        # the same as `ThreadpoolController.wrap`, which would take a tenth of a live frame
        before = [(library, number) for library in _libraries if (number := library.get_num_threads()) != 1]
        for library, _ in before:
            library.set_num_threads(1)
        try:
            return function(*args, **options)
        finally:
            for library, number in before:
                library.set_num_threads(number)

    return alone
