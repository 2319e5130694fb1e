"""A figure whose body follows data of another program."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
from limber.rig.bodies import receiver

from tests.blender.figures import XSENS, figure
from tests.blender.osc_sender import free_port, sending_to


@contextmanager
def osc_figure() -> Iterator[tuple[bpy.types.Object, Callable[[bytes], None]]]:
    """A figure that listens on a free port, and a function that sends to it."""
    rig = figure(XSENS, "Body")
    retarget = rig.limber.retarget
    retarget.input, retarget.port = "OSC", free_port()
    bpy.ops.limber.listen()
    with sending_to(receiver.find(retarget.host, retarget.port)) as send:
        yield rig, send
