"""Takes pictures of the panel Calibrate for an SO-101 that was calibrated with LeRobot: the check of its
zeros, with the ghost of the arm.
"""

import json
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import robot_states

from robots import ServedBus, reached

NAMES = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
MIDDLE, ELBOW_OFF = 2050, 180  # [steps] middle of every range; distance of the elbow from it


def play(stage):
    with stage.context():
        bpy.ops.limber.add_robot(robot="so101")
    rig = bpy.context.view_layer.objects.active
    path = Path(bpy.app.tempdir) / "my_arm.json"
    ranges = {"drive_mode": 0, "homing_offset": 0, "range_min": MIDDLE - 1000, "range_max": MIDDLE + 1000}
    path.write_text(json.dumps({name: {"id": number, **ranges} for number, name in enumerate(NAMES, 1)}))
    robot_states.clear_tab(stage)
    stage.maximise()
    yield 0.2
    bus = ServedBus({number: MIDDLE + (ELBOW_OFF if number == 3 else 0) for number in range(1, 7)})
    with stage.context():
        bpy.ops.limber.import_lerobot(filepath=str(path))
        bpy.ops.limber.zero_pose()
        rig.limber.device.port = bus.port
        bpy.ops.limber.connect()
    yield from reached(stage, rig, "DISARMED")
    with stage.context():
        bpy.ops.limber.let_go()
    yield from reached(stage, rig, "LIMP")
    bpy.context.window_manager.limber_view.ghost = True
    yield from robot_states.shot(stage, "lerobot", "LIMBER_PT_calibrate")
    found = {one.joint.name: one for one in stage.part("rig.robot.zero_check").differences(rig)}
    stage.facts["apart"] = [name for name, one in found.items() if abs(one.measured - one.shown) > 0.05]
    with stage.context():
        bpy.ops.limber.disconnect()
    bus.close()
