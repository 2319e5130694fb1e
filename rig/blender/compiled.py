"""The solvers' compiled library while Limber is switched on."""

from ...solvers.kernel import library


def register() -> None:
    """The library is loaded when a solver first needs it."""


def unregister() -> None:
    library.unload()
