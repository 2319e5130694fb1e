"""Restricts numpy's linear algebra to one thread while Limber computes.

Limber's matrices are small, and BLAS splits their products among threads that busy-wait for each other. On a
computer with busy cores, a frame of a millisecond can then take a second.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy  # noqa: F401  its BLAS must be loaded before the search for libraries

try:
    from threadpoolctl import ThreadpoolController
except ImportError:  # the wheel was not unpacked; results are the same, but slower on a busy computer
    _libraries = []
else:
    _libraries = ThreadpoolController().select(user_api="blas").lib_controllers


@contextmanager
def in_one_thread() -> Iterator[None]:
    """Context manager, also used as a decorator: BLAS uses one thread meanwhile."""
    # same effect as `ThreadpoolController.limit`, which would take a tenth of a live frame's time
    before = [(library, number) for library in _libraries if (number := library.get_num_threads()) != 1]
    for library, _ in before:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, number in before:
            library.set_num_threads(number)
