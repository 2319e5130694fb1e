"""Photographs the robot's panels in each state: a bus that is scanned, servos that are tried, calibrated, armed, stopped, led by hand."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

TALL = ("LIMBER_PT_rig", "LIMBER_PT_postures", "LIMBER_PT_gaze", "LIMBER_PT_motion", "LIMBER_PT_bake", "LIMBER_PT_compare")


def show_only(stage, *children: str) -> None:
    """The robot's panel, with these parts of it open; the other panels of the tab are gone."""
    registry = stage.part("panels.registry")
    for cls in registry.CLASSES:
        if not issubclass(cls, bpy.types.Panel):
            continue
        top = getattr(cls, "bl_parent_id", "") or cls.__name__
        wanted = cls.__name__ in {"LIMBER_PT_robot", "LIMBER_PT_stop"} or (top == "LIMBER_PT_robot" and cls.__name__ in children)
        if hasattr(bpy.types, cls.__name__):
            bpy.utils.unregister_class(cls)
        if wanted:
            cls.bl_options = (getattr(cls, "bl_options", None) or set()) - {"DEFAULT_CLOSED"}
            bpy.utils.register_class(cls)


def play(stage):
    rig, chain = lamp.build(stage)
    for joint in chain.joints:
        joint.lower, joint.upper = -1.4, 1.4
    robot, states = stage.part("rig.robot"), stage.part("hardware.safety").State
    stage.maximise()
    yield 0.5
    stage.open_tab()
    yield 0.5

    def shot(name, *children):
        show_only(stage, *children)
        stage.open_tab()
        stage.redraw()
        yield 0.7
        stage.photograph(f"robot_{name}")

    def is_in(state):
        return lambda: robot.status(rig) is not None and robot.status(rig).state == states[state]

    yield from shot("disconnected", "LIMBER_PT_protocol", "LIMBER_PT_scan", "LIMBER_PT_channels")
    with stage.context():
        bpy.ops.limber.connect()
    yield from stage.until(is_in("DISARMED"))
    yield from shot("servos", "LIMBER_PT_channels")
    yield from shot("calibrate", "LIMBER_PT_calibrate")
    with stage.context():
        bpy.ops.limber.arm()
    yield from stage.until(is_in("ARMED"))
    bpy.context.window_manager.limber_view.ghost = True
    bpy.context.window_manager.limber_view.plot = True
    bpy.context.window_manager.limber_view.plot_joint = "upper X"
    rig.pose.bones["upper"].rotation_euler.x = 0.2
    yield 1.0
    rig.pose.bones["upper"].rotation_euler.x = 1.0
    yield 1.2
    yield from shot("feedback", "LIMBER_PT_feedback")
    with stage.context():
        bpy.ops.limber.stop()
    yield from stage.until(is_in("FAULT"))
    yield from shot("stopped")
    with stage.context():
        bpy.ops.limber.clear_fault()
    yield from stage.until(is_in("DISARMED"))
    with stage.context():
        bpy.ops.limber.puppeteer()
    yield from stage.until(is_in("LIMP"))
    yield from shot("puppeteer", "LIMBER_PT_puppeteer", "LIMBER_PT_feedback")
    with stage.context():
        bpy.ops.limber.disconnect()
