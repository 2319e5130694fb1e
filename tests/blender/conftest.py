"""How a test runs in a real Blender: the process is one (the bpy module), the checkout its extension
`limber`, each test has an empty file.

Under `make test` files here share some processes; by hand: `.venv-4.2/bin/python -m pytest
tests/blender/test_NAME.py`. Timers never fire in a Blender without a window: tests call what a timer would
call.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import limber
import pytest
from limber import registration

from tests.cases import pytest_collection_modifyitems

__all__ = ["pytest_collection_modifyitems"]

EMPTY = Path(os.environ["BLENDER_USER_RESOURCES"]) / "empty.blend"  # what a new Blender begins with
PARTS = [
    module for module in registration.modules() if hasattr(module, "register")
]  # what is registered besides classes


def handlers() -> dict[str, list]:
    """What is registered with Blender's handlers, by list."""
    return {
        name: list(found)
        for name in dir(bpy.app.handlers)
        if isinstance(found := getattr(bpy.app.handlers, name), list)
    }


def empty_file() -> None:
    """What a new Blender begins with, but for the user's preferences: the file of its own version takes two
    thirds of the time of the one in Blender, which is older, packed, and has more in it.
    """
    bpy.ops.wm.read_homefile(filepath=str(EMPTY))


@pytest.fixture(scope="session", autouse=True)
def blender() -> None:
    """As it is for somebody who has just unpacked it, with the extension's classes registered, which takes
    longer than many a test.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(EMPTY), copy=True, compress=False)
    limber.register()
    for module in reversed(PARTS):
        module.unregister()


@pytest.fixture
def unregistered() -> Iterator[None]:
    """The extension is not registered when the test begins, and the test leaves it so: for files of tests
    that override `extension`.
    """
    limber.unregister()
    yield
    limber.register()
    for module in reversed(PARTS):
        module.unregister()


@pytest.fixture(autouse=True)
def extension() -> Iterator[None]:
    """An empty file with the extension as when it was just enabled: its handlers, keys and overlays are
    registered anew, and taken away afterwards, when no handler may be left.

    What is in the file is left to the next test, which begins with an empty one: emptying takes as long as
    many a test.
    """
    empty_file()
    before = handlers()
    bpy.context.preferences.addons.new().module = (
        limber.__package__
    )  # what enabling does: preferences have a home
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
    """Closes an undo step: without a window Blender pushes none by itself. Then `bpy.ops.ed.undo()` works as
    a user's does.
    """

    def push(message: str) -> None:
        bpy.ops.ed.undo_push(message=message)

    push("start")
    return push
