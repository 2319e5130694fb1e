"""A property that is computed at its first use. Knows no Blender."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class computed_once(Generic[Value]):  # noqa: N801 (used as a decorator, like `property`)
    """A property whose value is computed at its first use and then stored in the object, which may be frozen.

    Same as `functools.cached_property`, which before Python 3.12 takes a lock at each first use: with a new
    goal in every frame that is several locks a frame.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.name, self.__doc__ = compute, "", compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> "Self | Value":
        if instance is None:
            return self
        value = vars(instance)[self.name] = self.compute(instance)
        return value
