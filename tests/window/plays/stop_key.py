"""Presses the stop key with the mouse over one editor after the other while the virtual robot is armed."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

from robots import reached


def play(stage):
    rig, _ = lamp.build(stage)
    robot, faults = stage.part("rig.robot.links"), stage.part("hardware.safety").Fault
    stage.open_tab()
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.limber.connect()
    stage.facts["stopped_over"] = []
    editors = sorted({area.type for area in stage.window.screen.areas})
    stage.facts["editors"] = editors
    for editor in editors:
        yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
        stage.photograph("robot_armed")
        stage.press("ESC", stage.point(0.5, 0.5, area=editor), shift=True)
        yield from stage.until(lambda: robot.status(rig).fault == faults.STOPPED)
        stage.facts["stopped_over"].append(editor)
        yield 0.2
        stage.photograph("robot_stopped")
        with stage.context():
            bpy.ops.limber.clear_fault()
    with stage.context():
        bpy.ops.limber.disconnect()
