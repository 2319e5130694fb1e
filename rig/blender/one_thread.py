"""Numpy's linear algebra in one thread while Limber computes.

Limber's matrices are small. BLAS shares them among threads that wait for one another without sleeping: on a computer whose cores are taken
a frame of a millisecond then takes a second.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy  # noqa: F401  its BLAS must be there before it is looked for

try:
    from threadpoolctl import ThreadpoolController
except ImportError:  # the wheel was not unpacked: slower on a busy computer, and right
    _controller = None
else:
    _controller = ThreadpoolController()

Function = TypeVar("Function", bound=Callable[..., object])


def in_one_thread(function: Function) -> Function:
    """Decorates a function: BLAS uses one thread while it runs."""
    return _controller.wrap(limits=1, user_api="blas")(function) if _controller else function
