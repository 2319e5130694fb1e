"""Loads and unloads the solvers' compiled library with the extension."""

from ...solvers.kernel import library


def register() -> None:
    """Does nothing: a solver loads the library when it first needs it."""


def unregister() -> None:
    library.unload()
