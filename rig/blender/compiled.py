"""Unloads the solvers' compiled library with the extension; a solver loads it when it first needs it."""

from ...solvers.kernel import library


def register() -> None:
    """Does nothing: a solver loads the library when it first needs it."""


def unregister() -> None:
    library.unload()
