"""A real Blender without a window, with a robot on the given port: it moves a bone and prints the robot's
state, until it is killed.

    python -m tests.hardware.faults.parent PORT

It prints "worker PID", and "STATE sentence" whenever the sentence changes.
"""

import math
import sys
import time

import bpy

from checkout import load_limber


def main(port: str) -> None:
    limber = load_limber()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()

    from limber.rig.robot import links, sending

    from tests.blender.rigs import make_active
    from tests.blender.robots import robot_rig

    rig, _ = robot_rig(port=port)
    make_active(rig)
    bpy.ops.limber.connect()
    print("worker", links.link(rig).worker_pid, flush=True)
    said, began = "", time.monotonic()
    while True:
        rig.pose.bones["middle"].rotation_euler.x = 0.4 * math.sin(time.monotonic() - began)
        sending.heartbeat()
        status = links.status(rig)
        if status.sentence != said:
            said = status.sentence
            print(status.state.name, said, flush=True)
        press = {"DISARMED": bpy.ops.limber.arm, "CONFIRM_POSE": bpy.ops.limber.confirm_pose}.get(
            status.state.name
        )
        if press is not None:
            press()
        time.sleep(0.02)


if __name__ == "__main__":
    main(sys.argv[1])
