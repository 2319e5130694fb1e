"""Access to parts of the program for checks outside this project: names that stay here wherever a module is
moved.
"""

from checkout import load_limber

load_limber()

from limber.hardware.device import DeviceJoint, ServoChannel  # noqa: E402
from limber.hardware.link import WorkerLink  # noqa: E402
from limber.rig.bodies.names import pairs  # noqa: E402
from limber.rig.live import live  # noqa: E402
from limber.rig.robot.sending import heartbeat  # noqa: E402
from limber.robots.reading import read  # noqa: E402

__all__ = ["DeviceJoint", "ServoChannel", "WorkerLink", "heartbeat", "pairs", "read", "solution"]


def solution(rig, chain):
    """The solution of the last frame of a live chain; None before the first one."""
    session = live.session(rig, chain)
    return session.outputs.solution if session is not None and session.outputs is not None else None
