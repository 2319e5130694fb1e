"""Another program that sends commands over a real socket."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
from limber.rig.robot import remote

from tests.blender.osc_sender import free_port

PATIENCE = 60.0  # [s] longest waiting time; on an idle machine microseconds suffice


@contextmanager
def sending(rig) -> Iterator[Callable[..., None]]:
    """Starts Remote Control of the rig; yields a function that sends packets and waits until they are
    executed.
    """
    rig.limber.remote.port = free_port()
    bpy.ops.limber.remote()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:

        def sent(*packets: bytes) -> None:
            for each in packets:
                sender.sendto(each, ("127.0.0.1", rig.limber.remote.port))
            give_up = time.monotonic() + PATIENCE
            while not remote.look():
                assert time.monotonic() < give_up, "nothing came"

        yield sent


def problem(rig) -> str:
    """Problem that Remote Control reports."""
    return remote.heard(rig).problem
