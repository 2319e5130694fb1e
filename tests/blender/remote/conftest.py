"""Fixtures with a robot's armature that other programs control over a real socket."""

from collections.abc import Callable, Iterator

import pytest

from tests.blender.remote.remote_control import sending
from tests.blender.robots import robot_rig


@pytest.fixture
def rig():
    """The armature object of a rig with a robot."""
    return robot_rig()[0]


@pytest.fixture
def send(rig) -> Iterator[Callable[..., None]]:
    """Sends packets to the rig's Remote Control and waits until they are executed."""
    with sending(rig) as send:
        yield send
