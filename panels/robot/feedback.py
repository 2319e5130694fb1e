"""Panels Feedback and Puppeteer: measured positions and health of the servos; moving the robot by hand."""

from math import degrees

from ...hardware.safety import State
from ...hardware.status import ChannelStatus
from ...operators.subject import rig_of
from ...rig.robot import device as robot_device
from ...rig.robot import links, puppeteer
from ..tab import RobotTab, message, sidebar_width

# heading and relative width of the column of names, and of the columns of figures
NAME = ("Joint", 2.4)
POSITIONS = (("Commanded", 2.2), ("Measured", 2.0), ("Error", 1.5))
# [pixels at an interface scale of 1] sidebar width from which names are drawn beside their figures, else
# above them
WIDE = 340
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
        message(layout, [_state(link, status)], 2)
        _draw_positions(layout, links.joint_names(rig), link, status, sidebar_width() >= WIDE)
        if robot_device.reports_health(rig):
            _draw_health(layout, links.servos(rig), status)


def _state(link, status) -> tuple[str, str]:
    """(sentence, icon) above the figures: why there are no measured positions; "" if there are some, or while
    the robot connects.
    """
    if link is None:
        return "Not connected: press Connect", "UNLINKED"
    if status.state is not State.CONNECTING and not any(
        position is not None for position in status.positions
    ):
        return "These servos do not measure their positions", "INFO"
    return "", "NONE"


def _draw_positions(layout, names, link, status, is_wide: bool) -> None:
    """Draws commanded value, measured value and error of each joint; `is_wide`: with the name in the same
    row, else above it.
    """
    box = layout.box().column(align=True)
    columns = (NAME, *POSITIONS) if is_wide else POSITIONS
    _draw_row(box, columns, [heading for heading, _ in columns], names=is_wide)
    for index, name in enumerate(names):
        figures = (
            ["-"] * len(POSITIONS) if link is None else _figures(link.device.joints[index], status, index)
        )
        if not is_wide:
            box.label(text=name, translate=False)
        _draw_row(box, columns, [name, *figures] if is_wide else figures, names=is_wide)


def _figures(joint, status, index: int) -> list[str]:
    """Commanded value, measured value and error of a joint as text."""
    commanded = status.commanded[index] if status.commanded is not None else None
    measured = status.positions[index] if index < len(status.positions) else None
    error = None if commanded is None or measured is None else measured - commanded
    return [_text(joint, value) for value in (commanded, measured, error)]


def _draw_health(layout, servos, status) -> None:
    """Draws temperature, voltage, load and current of each servo."""
    box = layout.box().column(align=True)
    _draw_row(box, HEALTH, [heading for heading, _ in HEALTH])
    channels = status.channels if status is not None and status.channels else [ChannelStatus()] * len(servos)
    for servo, channel in zip(servos, channels, strict=False):
        share = "-" if channel.load is None else f"{100 * channel.load:.0f}%"
        _draw_row(
            box,
            HEALTH,
            [
                str(servo),
                _number(channel.temperature, 0),
                _number(channel.voltage, 1),
                share,
                _number(channel.current, 2),
            ],
        )


def _draw_row(layout, columns, cells, names: bool = True) -> None:
    """Draws the cells of a table row, with column widths in proportion; `names`: the first cell is a name,
    aligned left.
    """
    left, rest = layout, sum(width for _, width in columns)
    for number, (text, (_, width)) in enumerate(zip(cells, columns, strict=True)):
        split = left.split(factor=width / rest, align=True) if number < len(cells) - 1 else left
        cell = split.row()
        cell.alignment = "LEFT" if number == 0 and names else "RIGHT"
        cell.label(text=text, translate=False)
        left, rest = split, rest - width


def _text(joint, value: float | None) -> str:
    """A joint's value [rad, m or the value's own unit] as text with its unit; "-" for None."""
    if value is None:
        return "-"
    if joint.unit == "rad":
        return f"{_rounded(degrees(value), 1):.1f}°"
    return f"{_rounded(1000 * value, 1):.1f} mm" if joint.unit == "m" else f"{_rounded(value, 2):.2f}"


def _rounded(value: float, digits: int) -> float:
    return round(value, digits) + 0.0  # -0.0 becomes 0.0


def _number(value: float | None, digits: int) -> str:
    """A number as text with this number of decimals; "-" for None."""
    return "-" if value is None else f"{value:.{digits}f}"


class LIMBER_PT_puppeteer(RobotTab):
    """Move the robot by hand; the armature or mechanism follows"""

    bl_label = "Puppeteer"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 7

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        layout.operator("limber.puppeteer", icon="VIEW_PAN")
        recording = puppeteer.is_recording(rig)
        row = layout.row()
        row.alert = recording
        row.operator(
            "limber.end_record" if recording else "limber.record", icon="SNAP_FACE" if recording else "REC"
        )
        row = layout.row(align=True)
        row.enabled = puppeteer.leads(rig)
        row.operator("limber.key_pose", icon="KEYINGSET")
        row.operator("limber.store_posture", text="Store Posture", icon="POSE_HLT")
        layout.operator("limber.end_puppeteer", icon="CHECKMARK")
        message(layout, [_puppeteer_state(rig, links.status(rig))], 3)


def _puppeteer_state(rig, status) -> tuple[str, str]:
    """(sentence, icon) of the Puppeteer panel: why it cannot begin, what it would do, or what it is doing."""
    if not puppeteer.leads(rig):
        return (
            puppeteer.why_not(rig)
            or "The servos go limp, you move the robot, and the armature or mechanism follows",
            "INFO",
        )
    if status is None or status.state is not State.LIMP:
        return "The servos are going limp", "TIME"
    return "The armature or mechanism follows the robot", "INFO"
