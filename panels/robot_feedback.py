"""What the robot says of itself: where each joint is, how warm its servos are; and leading the armature by hand."""

from math import degrees

import bpy

from ..hardware.safety import State
from ..operators.subject import rig_of
from ..rig import puppeteer, robot
from .tab import Tab, sentence

COLUMNS = ("Joint", "Told", "Is", "Off", "°C", "V")
WIDTHS = (3.2, 1.5, 1.5, 1.3, 0.9, 1.1)


class LIMBER_PT_feedback(Tab, bpy.types.Panel):
    """Where the robot is, against what it was told"""

    bl_label = "Feedback"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 6

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and robot.link(rig) is not None

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        status, link = robot.status(rig), robot.link(rig)
        view = context.window_manager.limber_view
        row = layout.row(align=True)
        row.prop(view, "ghost", toggle=True, icon="GHOST_ENABLED")
        row.prop(view, "plot", toggle=True, icon="GRAPH")
        if view.plot:
            layout.prop(view, "plot_joint")
        if not any(place is not None for place in status.places):
            sentence(layout, "These servos do not tell where they are", "INFO")
        _draw_table(layout, link.device, status)


def _draw_table(layout, device, status) -> None:
    box = layout.box().column(align=True)
    _draw_row(box, COLUMNS)
    for index, joint in enumerate(device.joints):
        told = status.commanded[index] if status.commanded is not None else None
        place = status.places[index] if index < len(status.places) else None
        off = None if told is None or place is None else place - told
        heat, volts = _worst(device, status, joint.name)
        cells = (joint.name, _text(joint, told), _text(joint, place), _text(joint, off), _number(heat, 0), _number(volts, 1))
        _draw_row(box, cells)


def _draw_row(layout, cells) -> None:
    """Cells of a table, in columns of fixed shares of the width."""
    left = layout
    rest = sum(WIDTHS)
    for number, (text, width) in enumerate(zip(cells, WIDTHS, strict=True)):
        split = left.split(factor=width / rest) if number < len(cells) - 1 else left
        cell = split.row()
        cell.alignment = "LEFT" if number == 0 else "RIGHT"
        cell.label(text=text)
        left, rest = split, rest - width


def _worst(device, status, name: str) -> tuple[float | None, float | None]:
    """The highest temperature and the lowest voltage of a joint's servos."""
    mine = [
        one for channel, one in zip(device.channels, status.channels, strict=False) if any(share.joint == name for share in channel.shares)
    ]
    heat = [one.temperature for one in mine if one.temperature is not None]
    volts = [one.voltage for one in mine if one.voltage is not None]
    return max(heat, default=None), min(volts, default=None)


def _text(joint, value: float | None) -> str:
    if value is None:
        return "-"
    if joint.unit == "rad":
        return f"{degrees(value):.1f}°"
    return f"{1000 * value:.1f} mm" if joint.unit == "m" else f"{value:.2f}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


class LIMBER_PT_puppeteer(Tab, bpy.types.Panel):
    """Move the robot by hand; the armature follows"""

    bl_label = "Puppeteer"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 7

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and robot.link(rig) is not None

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        if not puppeteer.leads(rig):
            sentence(layout, "The servos go limp, you move the robot, and the armature follows", "INFO")
            layout.operator("limber.puppeteer", icon="VIEW_PAN")
            return
        if robot.status(rig).state is not State.LIMP:
            sentence(layout, "The robot is letting go", "TIME")
            return
        if puppeteer.is_recording(rig):
            row = layout.row()
            row.alert = True
            row.operator("limber.end_record", icon="SNAP_FACE")
        else:
            layout.operator("limber.record", icon="REC")
        row = layout.row(align=True)
        row.operator("limber.key_pose", icon="KEYINGSET")
        row.operator("limber.store_posture", text="Store Posture", icon="POSE_HLT")
        layout.operator("limber.end_puppeteer", icon="CHECKMARK")
