"""Shared by plays with a robot: simulated servos, and waiting until the robot is in a state."""

import math
import sys
import time
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.hardware.served_bus import ServedBus

__all__ = ["HELD", "ServedBus", "reached"]

# [s] Longest waiting time; on an idle machine a second suffices. On a busy machine without a graphics card a
# redraw takes seconds, and frames are rarely as recent as the robot requires: that may need many commands.
HELD = 240.0
# [s] time after which a command without effect is repeated: an executed one is visible after two heartbeats,
# a tenth of a second
AGAIN = 2.0


def reached(stage, rig, state: str, press=None):
    """Waits until the robot is in a state, and meanwhile does the work of a user.

    A command that leads there from DISARMED (`press`) is given, and repeated if the robot refused it because
    its newest frame was too old. If Blender drew for so long that the robot was disarmed, the fault is
    cleared. Any other fault would stay until a user clears it, and so ends the play at once, with the robot's
    sentence.
    """
    robot, safety = stage.part("rig.robot.links"), stage.part("hardware.safety")
    states, faults = safety.State, safety.Fault
    pressed = -math.inf

    def remedy(status):
        if status.fault == faults.BLENDER_SILENT:
            return bpy.ops.limber.clear_fault
        if press is not None and status.state == states.CONFIRM_POSE:
            return bpy.ops.limber.confirm_pose
        return press if status.state == states.DISARMED else None

    def is_there() -> bool:
        nonlocal pressed
        status = robot.status(rig)
        if status is None or status.state == states[state]:
            return status is not None
        if status.state in robot.LOST and status.fault not in (faults.BLENDER_SILENT, faults.STOPPED):
            raise AssertionError(f"{state} cannot be reached: {status.sentence}")
        button = remedy(status)
        if button is not None and time.monotonic() > pressed + AGAIN:
            pressed = time.monotonic()
            with stage.context():
                button()
        return False

    yield from stage.until(is_there, HELD)
