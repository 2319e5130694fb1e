"""Fixtures for tests in a real Blender: the process is Blender itself (the bpy module), the checkout its
extension `limber`, and each test has an empty file.

Under `make test` files of this folder share some processes; a single one is run by `.venv-4.2/bin/python -m
pytest tests/blender/test_NAME.py`. Timers never fire in a Blender without a window, so tests call the timers'
functions.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import limber
import pytest
from limber import registration
from limber.rig.blender import defects

from tests.cases import pytest_collection_modifyitems

__all__ = ["pytest_collection_modifyitems"]

EMPTY = Path(os.environ["BLENDER_USER_RESOURCES"]) / "empty.blend"  # file with which each test begins
PARTS = [
    module for module in registration.modules() if hasattr(module, "register")
]  # kinds of registered objects besides classes


def handlers() -> dict[str, list]:
    """Functions registered as Blender's handlers, by list."""
    return {
        name: list(found)
        for name in dir(bpy.app.handlers)
        if isinstance(found := getattr(bpy.app.handlers, name), list)
    }


def empty_file() -> None:
    """Loads an empty file of this Blender's version; the preferences stay. Blender's own factory file is
    older, compressed and larger, and takes half as long again.
    """
    bpy.ops.wm.read_homefile(filepath=str(EMPTY))


@pytest.fixture(scope="session", autouse=True)
def blender() -> None:
    """Blender with factory settings and the extension's classes, whose registration takes longer than many a
    test.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(EMPTY), copy=True, compress=False)
    limber.register()
    for module in reversed(PARTS):
        module.unregister()


@pytest.fixture
def unregistered() -> Iterator[None]:
    """The extension is not registered at the beginning and end of the test: for files of tests that override
    `extension`.
    """
    limber.unregister()
    yield
    limber.register()
    for module in reversed(PARTS):
        module.unregister()


@pytest.fixture(autouse=True)
def extension() -> Iterator[None]:
    """An empty file with the extension as if just enabled: its handlers, keys and overlays are registered
    again, and removed afterwards; then no handler may be left.

    The file's content is left for the next test, which begins with an empty one: emptying takes as long as
    many a test.
    """
    empty_file()
    before = handlers()
    bpy.context.preferences.addons.new().module = (
        limber.__package__
    )  # as enabling does, since preferences belong to the entry
    for module in PARTS:
        module.register()
    yield
    for module in reversed(PARTS):
        module.unregister()
    after = handlers()
    addons = bpy.context.preferences.addons
    if limber.__package__ in addons:  # a test may have read the factory settings itself
        addons.remove(addons[limber.__package__])
    assert after == before, "unregistering left handlers behind"


@pytest.fixture(autouse=True)
def defects_of_limber() -> Iterator[set[str]]:
    """Unexpected exceptions that live motion and timers have survived; a test that expects some clears the
    set.
    """
    defects.printed.clear()
    yield defects.printed
    assert not defects.printed, "\n".join(defects.printed)


@pytest.fixture
def rig(chain):
    """The armature object of the test's chain."""
    return chain.id_data


@pytest.fixture
def reopen(tmp_path: Path) -> Callable[[], Path]:
    """Saves the file and opens it again, as a user does; returns its path."""

    def save_and_open() -> Path:
        path = tmp_path / "saved.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.wm.open_mainfile(filepath=str(path))
        return path

    return save_and_open


@pytest.fixture
def undo_step() -> Callable[[str], None]:
    """Function that closes an undo step, since without a window Blender pushes none by itself. Then
    `bpy.ops.ed.undo()` works as for a user.
    """

    def push(message: str) -> None:
        bpy.ops.ed.undo_push(message=message)

    push("start")
    return push
