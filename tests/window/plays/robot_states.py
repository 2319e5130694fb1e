"""Takes pictures of the robot's panels in each state: a bus that is scanned, servos that are tried,
calibrated, armed, stopped, moved by hand.
"""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
import tabs
from hand import Hand

from robots import HELD, ServedBus, reached

GROUPS = ("LIMBER_PT_robot", "LIMBER_PT_robot_setup")


def robot_panels(stage) -> list[type]:
    """The robot's panel and its parts, in order."""
    return [
        cls
        for cls in tabs.panels(stage)
        if cls.__name__ == GROUPS[0] or getattr(cls, "bl_parent_id", "") in GROUPS
    ]


def clear_tab(stage) -> None:
    """Removes all panels from the tab."""
    tabs.empty(stage)
    for cls in robot_panels(stage):
        if getattr(cls, "bl_parent_id", "") in GROUPS:
            cls.bl_parent_id = GROUPS[0]  # so that the whole panel is visible in a picture


def show(stage, *parts: str) -> None:
    """Shows the robot's panel with these parts of it."""
    tabs.take_out(stage)
    for cls in robot_panels(stage):
        if cls.__name__ in {GROUPS[0], *parts}:
            bpy.utils.register_class(cls)


def shot(stage, name: str, *parts: str):
    """Takes a picture of the robot's panel with these parts of it."""
    show(stage, *parts)
    stage.open_tab()
    stage.redraw()
    yield 0.2
    stage.photograph(f"robot_{name}")


def open_menu_of_delay(stage) -> None:
    """Right-clicks the Delay in the robot's options, which are drawn alone; records the property that the
    menu would send to the robot.
    """
    menu = stage.part("panels.property_menu")
    full_path = menu.full_path

    def noted(context) -> str:
        stage.facts["menu"] = full_path(context)
        return stage.facts["menu"]

    menu.full_path = noted
    hand = Hand(stage)
    x, y = yield from hand.find("latency", hand.sidebar(0.65))
    for value in ("PRESS", "RELEASE"):
        stage.window.event_simulate(type="RIGHTMOUSE", value=value, x=x, y=y)


def play(stage):
    rig, chain = lamp.build(stage)
    for joint in chain.joints:
        joint.lower, joint.upper = -1.4, 1.4
    jobs = stage.part("rig.robot.background_jobs")
    bus = ServedBus({joint.servo + 1: 2048.0 for joint in chain.joints})
    view = bpy.context.window_manager.limber_view
    clear_tab(stage)
    stage.maximise()
    yield 0.2

    def do(operator, *arguments, **options):
        with stage.context():
            operator(*arguments, **options)

    yield from shot(stage, "disconnected", "LIMBER_PT_protocol", "LIMBER_PT_scan", "LIMBER_PT_robot_options")
    stage.move(stage.point(0.5, 0.5))
    yield 0.2

    # any property can be sent to the robot from its menu
    yield from shot(stage, "options", "LIMBER_PT_robot_options")
    yield from open_menu_of_delay(stage)
    yield 0.3
    stage.photograph("robot_menu")
    stage.press("ESC")
    yield 0.3

    # servos are found, and assigned to joints
    rig.limber.device.port = bus.port
    do(bpy.ops.limber.scan, "INVOKE_DEFAULT", protocols={"feetech_sts"})
    yield 0.2
    stage.photograph("robot_scan_dialog")
    stage.press("ESC")
    yield 0.2
    do(bpy.ops.limber.scan, where="DEVICE", protocols={"feetech_sts"}, rates={"1000000"}, highest=252)
    yield 0.2
    stage.photograph("robot_scanning")
    yield from stage.until(lambda: jobs.scan().over, HELD)
    while len(jobs.scan().found) < len(chain.joints):  # their process answered late: a scan waits 20 ms
        do(bpy.ops.limber.scan, where="DEVICE", protocols={"feetech_sts"}, rates={"1000000"}, highest=252)
        yield from stage.until(lambda: jobs.scan().over, HELD)
    stage.facts["found"] = [one.servo for one in jobs.scan().found]
    yield from shot(stage, "found", "LIMBER_PT_scan", "LIMBER_PT_channels")
    one = jobs.scan().found[0]
    do(
        bpy.ops.limber.change_servo,
        "INVOKE_DEFAULT",
        port=one.port,
        protocol=one.protocol,
        baudrate=one.baudrate,
        servo=one.servo,
    )
    yield 0.2
    stage.photograph("robot_change_dialog")
    stage.press("ESC")
    yield 0.2
    do(bpy.ops.limber.use_found, port=one.port, protocol=one.protocol, baudrate=one.baudrate)
    for number in range(len(chain.joints)):
        chain.active_joint = number
        do(bpy.ops.limber.assign_servo, servo=number + 1)

    # one at a time, then by hand
    do(bpy.ops.limber.connect)
    yield from reached(stage, rig, "DISARMED")
    do(bpy.ops.limber.wiggle, servo=3)
    yield from shot(stage, "servos", "LIMBER_PT_channels")
    yield from reached(stage, rig, "DISARMED")
    chain.active_joint = 2
    do(bpy.ops.limber.puppeteer)
    yield from reached(stage, rig, "LIMP")
    bus.put(3, 1700.0)
    bus.put(2, 2400.0)
    yield from stage.until(
        lambda: abs(rig.pose.bones["middle"].rotation_euler.x + (2048 - 1700) / 651.9) < 0.01, HELD
    )
    stage.facts["led"] = True
    yield from shot(stage, "calibrate", "LIMBER_PT_calibrate")
    yield from shot(stage, "puppeteer", "LIMBER_PT_puppeteer")
    do(bpy.ops.limber.record)
    for steps in (1800.0, 1900.0, 2000.0):
        bus.put(3, steps)
        yield 0.2
        yield from stage.until(
            lambda at=bpy.context.scene.frame_current: bpy.context.scene.frame_current != at, HELD
        )
    stage.photograph("robot_recording")
    do(bpy.ops.limber.end_record)
    stage.facts["playing_after_recording"] = bpy.context.screen.is_animation_playing
    actions = stage.part("rig.blender.actions")
    curve = actions.find(actions.fcurves(rig.animation_data.action), 'pose.bones["middle"].rotation_euler', 0)
    stage.facts["keys"] = len(curve.keyframe_points)
    do(bpy.ops.limber.end_puppeteer)
    yield from reached(stage, rig, "DISARMED")
    rig.animation_data_clear()

    # armed
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
    view.ghost = view.plot = True
    view.plot_joint = "middle X"
    for angle in (0.2, 0.6, -0.2):
        rig.pose.bones["middle"].rotation_euler.x = angle
        yield 0.2
    rig.pose.bones["upper"].rotation_euler.x = 0.9
    yield from shot(stage, "feedback", "LIMBER_PT_feedback")
    do(bpy.ops.limber.stop)
    yield from reached(stage, rig, "FAULT")
    view.ghost = view.plot = False
    yield from shot(stage, "stopped")
    do(bpy.ops.limber.disconnect)
    bus.close()
