"""What checks outside of this project use of the program: each has a place here that stays, wherever its
module goes.
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
    """The solution of the last frame of a live chain, or None where there was none yet."""
    session = live.session(rig, chain)
    return session.outputs.solution if session is not None and session.outputs is not None else None
