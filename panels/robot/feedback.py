"""Panels Feedback and Puppeteer: measured positions and health of the servos; moving the robot by hand."""

from math import degrees

from ...hardware.safety import State
from ...operators.subject import rig_of
from ...rig.robot import links, puppeteer
from ..tab import RobotTab, sentence, sidebar_width

NAME = ("Joint", 2.4)  # heading, and share of the width
POSITIONS = (("Commanded", 2.2), ("Measured", 2.0), ("Error", 1.5))
WIDE = 340  # [pixels at a scale of 1] sidebar width from which names are beside their figures, not above
HEALTH = (("Servo", 2.4), ("°C", 1.4), ("V", 1.4), ("Load", 1.6), ("A", 1.2))


class LIMBER_PT_feedback(RobotTab):
    """Measured state of the robot, compared with its commands"""

    bl_label = "Feedback"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 6

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        status, link = links.status(rig), links.link(rig)
        view = context.window_manager.limber_view
        row = layout.row(align=True)
        ghost = row.row(align=True)
        ghost.enabled = rig.pose is not None
        ghost.prop(view, "ghost", toggle=True, icon="GHOST_ENABLED")
        row.prop(view, "plot", toggle=True, icon="GRAPH")
        if view.plot:
            layout.prop(view, "plot_joint")
        if not any(position is not None for position in status.positions):
            sentence(layout, "These servos do not measure their positions", "INFO")
        _draw_positions(layout, link.device, status, sidebar_width() >= WIDE)
        _draw_health(layout, link.device, status)


def _draw_positions(layout, device, status, is_wide: bool) -> None:
    box = layout.box().column(align=True)
    columns = (NAME, *POSITIONS) if is_wide else POSITIONS
    _draw_row(box, columns, [heading for heading, _ in columns], names=is_wide)
    for index, joint in enumerate(device.joints):
        commanded = status.commanded[index] if status.commanded is not None else None
        measured = status.positions[index] if index < len(status.positions) else None
        error = None if commanded is None or measured is None else measured - commanded
        figures = [_text(joint, value) for value in (commanded, measured, error)]
        if not is_wide:
            box.label(text=joint.name)
        _draw_row(box, columns, [joint.name, *figures] if is_wide else figures, names=is_wide)


def _draw_health(layout, device, status) -> None:
    """Draws temperature, voltage, load and current of each servo, where any servo reports them."""
    health = [(one.temperature, one.voltage, one.load, one.current) for one in status.channels]
    if not any(value is not None for values in health for value in values):
        return
    box = layout.box().column(align=True)
    _draw_row(box, HEALTH, [heading for heading, _ in HEALTH])
    for channel, (heat, volts, load, current) in zip(device.channels, health, strict=False):
        share = "-" if load is None else f"{100 * load:.0f}%"
        _draw_row(box, HEALTH, [str(channel.servo), _number(heat, 0), _number(volts, 1), share, _number(current, 2)])


def _draw_row(layout, columns, cells, names: bool = True) -> None:
    """Draws the cells of a table row, with column widths in proportion; `names`: the first cell is a name, aligned left."""
    left, rest = layout, sum(width for _, width in columns)
    for number, (text, (_, width)) in enumerate(zip(cells, columns, strict=True)):
        split = left.split(factor=width / rest, align=True) if number < len(cells) - 1 else left
        cell = split.row()
        cell.alignment = "LEFT" if number == 0 and names else "RIGHT"
        cell.label(text=text)
        left, rest = split, rest - width


def _text(joint, value: float | None) -> str:
    if value is None:
        return "-"
    if joint.unit == "rad":
        return f"{_rounded(degrees(value), 1):.1f}°"
    return f"{_rounded(1000 * value, 1):.1f} mm" if joint.unit == "m" else f"{_rounded(value, 2):.2f}"


def _rounded(value: float, digits: int) -> float:
    return round(value, digits) + 0.0  # -0.0 becomes 0.0


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


class LIMBER_PT_puppeteer(RobotTab):
    """Move the robot by hand; the armature follows"""

    bl_label = "Puppeteer"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 7

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        if not puppeteer.leads(rig):
            sentence(layout, puppeteer.why_not(rig) or "The servos go limp, you move the robot, and the armature follows", "INFO")
            layout.operator("limber.puppeteer", icon="VIEW_PAN")
            return
        if links.status(rig).state is not State.LIMP:
            sentence(layout, "The servos are going limp", "TIME")
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
