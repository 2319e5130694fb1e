"""Panel Calibrate: zero, direction and range of the selected joint, and calibration files."""

from math import degrees

from ...hardware.errors import HardwareError
from ...hardware.safety import State
from ...operators.subject import rig_of
from ...rig.blender.errors import RigError
from ...rig.properties import servo_units
from ...rig.reading import axes
from ...rig.robot import calibrating, device, lerobot, links, servo_lists, zero_check
from ..tab import ServoTab, sentence
from .servos import draw_list, draw_trials

APART = 0.0175  # [rad] a degree from the shown pose: less no hand brings a robot to


class LIMBER_PT_calibrate(ServoTab):
    """Zeros, directions and ranges of the robot's servos"""

    bl_label = "Calibrate"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 5

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        status = links.status(rig)
        if status is None:
            sentence(layout, "Press Connect, then move joints by hand or with the buttons, and set their zeros and ranges", "INFO")
        elif any(each.all for each in servo_lists.lists(rig)):
            for each in servo_lists.lists(rig):
                joint = draw_list(layout, rig, each, "calibrate ", rows=3)
                if joint is not None:
                    _draw_joint(layout, rig, joint, status)
            _draw_range(layout, rig, status)
            _draw_zeros(layout, rig, status)
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator("limber.save_calibration", text="Save", icon="EXPORT")
        row.operator("limber.load_calibration", text="Load", icon="IMPORT")
        column.operator("limber.restore_calibration", icon="RECOVER_LAST")
        if rig.limber.device.protocol == lerobot.PROTOCOL or lerobot.model_name(rig):
            column = layout.column(align=True)
            column.label(text="LeRobot's Calibration")
            row = column.row(align=True)
            row.operator("limber.export_lerobot", text="Export", icon="EXPORT")
            row.operator("limber.import_lerobot", text="Import", icon="IMPORT")


def _draw_joint(layout, rig, joint, status) -> None:
    name = joint.label
    if status.state is State.LIMP:
        sentence(layout, "Limp: move the robot by hand", "VIEW_PAN")
    else:
        draw_trials(layout, rig, name, joint.servo)
        row = layout.row(align=True)
        row.operator("limber.let_go", text="Release Joint", icon="VIEW_PAN").joint = name
        row.operator("limber.let_go", text="Release All")
    position = _servo_position(rig, joint)
    unit = servo_units.unit_name(rig.limber.device.protocol)
    box = layout.box().column(align=True)
    row = box.split(factor=0.68)
    row.label(text=f"{name}: servo {joint.servo}")
    row.label(text="not known" if position is None else f"{position:.0f} {unit}")
    buttons = box.row(align=True)
    for end, text in (("LOW", "Min Here"), ("", "Zero Here"), ("HIGH", "Max Here")):
        if end:
            button = buttons.operator("limber.set_end", text=text)
            button.end = end
        else:
            button = buttons.operator("limber.set_zero", text=text)
        button.joint = name
    row = box.row(align=True)
    for field in ("min_us", "zero_us", "max_us"):
        row.prop(joint, field, text="")
    box.prop(joint, "reverse", text="Reverse")
    column = box.column(align=True)
    slides = axes.is_prismatic(joint.axis)
    row = column.row(align=True)
    row.prop(joint, "linear_lower" if slides else "lower")
    row.prop(joint, "linear_upper" if slides else "upper")


def _servo_position(rig, joint) -> float | None:
    index = device.channel_of_servo(links.link(rig).device, joint.servo)
    positions = calibrating.positions(rig)
    return positions[index] if index is not None and index < len(positions) else None


def _draw_range(layout, rig, status) -> None:
    if calibrating.is_recording(rig):
        sentence(layout, "Move each joint from end to end, then press End Range", "REC")
        row = layout.row()
        row.alert = True
        row.operator("limber.end_range", icon="SNAP_FACE")
    elif status.state is State.LIMP:
        layout.operator("limber.record_range", icon="REC")


def _draw_zeros(layout, rig, status) -> None:
    """Draws the check of zeros: joints whose measured values differ from the shown pose, with a button to set each zero."""
    column = layout.column(align=True)
    column.operator("limber.zero_pose", icon="ARMATURE_DATA")
    if status.state is not State.LIMP:
        sentence(column, "To check zeros: pose, press Release All, and compare", "INFO")
        return
    sentence(column, "Bring the robot to the pose that Blender shows. Hold a joint there that is listed, and press its Zero", "VIEW_PAN")
    try:
        found = zero_check.differences(rig)
    except (RigError, HardwareError) as error:
        sentence(column, str(error), "ERROR")
        return
    apart = [one for one in found if one.measured is None or abs(one.measured - one.shown) > APART * one.joint.scale]
    if not apart:
        sentence(column, "By the calibration every joint is within a degree of it", "CHECKMARK")
        return
    box = column.box().column(align=True)
    for joint, shown, measured in apart:
        name, rest = _split(box, 0.5)
        name.label(text=joint.name)
        figure, button = _split(rest, 0.55)
        figure.alignment = "RIGHT"
        figure.label(text="not known" if measured is None else _signed(joint, measured - shown))
        zero = button.operator("limber.set_zero", text="Zero")
        zero.joint, zero.angle = joint.name, shown


def _split(layout, factor: float):
    """Two columns, the first with this share of the width."""
    split = layout.split(factor=factor)
    return split.row(), split.row()


def _signed(joint, difference: float) -> str:
    """A difference with its sign and unit."""
    number, unit = (1000.0 * difference, " mm") if joint.unit == "m" else (degrees(difference), "°")
    return f"{round(number, 1) + 0.0:+.1f}{unit}"
