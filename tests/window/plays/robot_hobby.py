"""Takes pictures of the robot's panel with servos that do not measure, without a worker, at a silent port;
and of the list of ports.
"""

import os
import signal
import sys
import tty
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
from robot_states import clear_tab, shot

from robots import HELD, reached


def play(stage):
    rig, chain = lamp.build(stage)
    for joint in chain.joints:
        joint.lower, joint.upper = -1.4, 1.4
    robot = stage.part("rig.robot.links")
    clear_tab(stage)
    stage.maximise()
    yield 0.2

    def do(operator, *arguments, **options):
        with stage.context():
            operator(*arguments, **options)

    # more servos, values; the pose is confirmed joint by joint, or at once
    rig.limber.device.port = "virtual-hobby"
    do(bpy.ops.limber.add_channel)
    rig["jaw"] = 0.25
    do(bpy.ops.limber.add_auxiliary, path=f'bpy.data.objects["{rig.name}"]["jaw"]')
    rig.limber.device.auxiliaries[0].filter = "default"
    do(bpy.ops.limber.connect)
    yield from stage.until(lambda: robot.status(rig).needs_confirmation, HELD)
    yield from shot(stage, "more", "LIMBER_PT_more_servos", "LIMBER_PT_values")
    yield from shot(stage, "asks")
    yield from reached(stage, rig, "CONFIRM_POSE", bpy.ops.limber.arm)
    yield from shot(stage, "confirm", "LIMBER_PT_confirm")
    do(bpy.ops.limber.disarm)
    yield from reached(stage, rig, "DISARMED")
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm_confirmed)
    stage.facts["armed"] = True
    yield from shot(stage, "armed")
    os.kill(robot.link(rig).worker_pid, signal.SIGKILL)
    yield from reached(stage, rig, "WORKER_LOST")
    yield from shot(stage, "worker_lost")
    do(bpy.ops.limber.disconnect)

    # a port without a device
    silent, slave = os.openpty()
    tty.setraw(slave)
    rig.limber.device.port = os.ttyname(slave)
    do(bpy.ops.limber.connect)
    yield from shot(stage, "connecting")
    yield from reached(stage, rig, "FAULT")
    yield from shot(stage, "silent")
    do(bpy.ops.limber.disconnect)
    os.close(silent)

    # the available ports, listed by the user's button
    steps = len(bpy.context.window_manager.operators)
    do(bpy.ops.limber.choose_port, "INVOKE_DEFAULT")
    yield 0.2
    stage.photograph("robot_ports")
    stage.press("ESC")
    yield 0.3
    stage.facts["undone"] = len(bpy.context.window_manager.operators) - steps
