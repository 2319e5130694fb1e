"""Panels Robot, Set Up and Options: the device, its state, and the buttons that move it."""

from ...hardware.checklists import checks
from ...hardware.protocols.table import is_on_network, settings_of
from ...hardware.safety import State
from ...operators.subject import rig_of
from ...rig.live.movers import live_of
from ...rig.properties.robot import OWN_FILE
from ...rig.robot import links, programs, puppeteer
from ...rig.robot.device import may_ask_for_pose
from ..tab import RigTab, RobotTab, message, sentence

LINES = 6  # number of lines of the panel's message: a fault, and what to check after it
ALARMS = {State.FAULT: "ERROR", State.WORKER_LOST: "ERROR", State.CONFIRM_POSE: "QUESTION"}


class LIMBER_PT_robot(RobotTab):
    """The robot that the armature or mechanism moves: its connection, state and motion"""

    bl_label = "Robot"
    bl_order = 5

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        column = layout.column()
        column.enabled = links.link(rig) is None
        _draw_device(column, rig.limber.device)
        _draw_buttons(layout, rig)
        message(layout, _sentences(rig), LINES)


def _draw_device(layout, device) -> None:
    """Draws protocol, port or address, baud rate, and the protocol's own settings."""
    layout.prop(device, "protocol", text="")
    if device.protocol == OWN_FILE:
        row = layout.row(align=True)
        row.prop(device, "protocol_file", text="", icon="FILE_SCRIPT")
        row.operator("limber.choose_protocol_file", text="", icon="FILEBROWSER")
        row.operator("limber.read_protocol_file", text="", icon="FILE_REFRESH")
        if device.program_path and not programs.allowed(device.program_path):
            sentence(
                layout,
                "You have not allowed this program on this computer: Connect asks before it runs it",
                "INFO",
            )
    row = layout.row(align=True)
    on_network = is_on_network(device.protocol)
    row.prop(device, "port", text="Address" if on_network else "Port")
    row.operator("limber.choose_port", text="", icon="DOWNARROW_HLT")
    if not on_network:
        row = layout.row(align=True)
        row.prop(device, "baudrate")
        row.operator("limber.choose_baudrate", text="", icon="DOWNARROW_HLT")
    for setting in sorted(settings_of(device.protocol)):
        layout.prop(device, setting)


def _sentences(rig) -> list[tuple[str, str]]:
    """Sentences of the Robot panel, with icons: the robot's state, what to check after a fault, and
    warnings.
    """
    status = links.status(rig)
    if status is None:
        return [("Not connected: press Connect. Nothing moves before the robot is armed", "UNLINKED")]
    leads = puppeteer.leads(rig)
    state = (
        "The armature or mechanism follows the robot: move it by hand; press Disarm when done"
        if leads
        else status.sentence
    )
    sentences = [(state, ALARMS.get(status.state, "INFO"))]
    if status.state in links.LOST:
        sentences += [(question, "DOT") for question in checks(status.fault, rig.limber.device.protocol)]
    sentences += [
        (warning, "ERROR") for warning in (links.beyond_servos(rig), *links.off_axis(rig), *status.warnings)
    ]
    if links.changed_since_connect(rig):
        sentences.append(("The robot's settings have changed: press Reconnect to use them", "INFO"))
    return sentences


def _draw_buttons(layout, rig) -> None:
    """Draws the buttons of all states, each at a fixed position; those that cannot be used now are greyed
    out.
    """
    column = layout.column(align=True)
    row = column.row(align=True)
    row.scale_y = 1.4
    row.operator("limber.connect", icon="LINKED")
    row.operator("limber.disconnect", icon="UNLINKED")
    if may_ask_for_pose(rig):
        _draw_asking(column, links.status(rig))
    else:
        row = column.row(align=True)
        row.scale_y = 1.4
        row.operator("limber.arm", icon="ARMATURE_DATA")
        row.operator("limber.disarm", icon="CANCEL")
    row = column.row(align=True)
    row.operator("limber.clear_fault", icon="FILE_REFRESH")
    row.operator("limber.park", icon="HOME")
    row = column.row(align=True)
    row.enabled = links.changed_since_connect(rig)
    row.operator("limber.reconnect", icon="FILE_REFRESH")


def _draw_asking(layout, status) -> None:
    """Draws the buttons that arm a robot whose servos do not measure their positions: with them the user
    confirms that the robot is in the shown pose. Also draws Disarm.
    """
    asks = status is not None and status.needs_confirmation
    column = layout.column(align=True)
    column.scale_y = 1.4
    row = column.row(align=True)
    row.enabled = asks
    row.operator("limber.arm_confirmed", icon="CHECKMARK")
    column.operator("limber.arm", text="Confirm Joint by Joint" if asks else None, icon="ARMATURE_DATA")
    row = column.row(align=True)
    row.operator("limber.confirm_pose", icon="CHECKMARK")
    row.operator("limber.disarm", icon="CANCEL")


class LIMBER_PT_confirm(RobotTab):
    """Joints of a robot whose servos do not measure their positions: each is confirmed on its own, while the
    robot waits for a confirmation of its pose
    """

    bl_label = "Confirm Joints"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = -1

    @classmethod
    def poll(cls, context):
        return super().poll(context) and may_ask_for_pose(rig_of(context))

    def draw(self, context):
        rig = rig_of(context)
        status = links.status(rig)
        is_confirming = status is not None and status.state is State.CONFIRM_POSE
        box = self.layout.box().column(align=True)
        for index, name in enumerate(links.joint_names(rig)):
            row = box.row()
            done = is_confirming and index < len(status.confirmed) and status.confirmed[index]
            row.label(text=name, icon="CHECKBOX_HLT" if done else "CHECKBOX_DEHLT", translate=False)
            button = row.row()
            button.enabled = is_confirming and not done
            button.operator("limber.confirm_joint", text="Confirm").joint = index


class LIMBER_PT_robot_setup(RigTab):
    """Servos of the robot: how to find them, which joints they move, and their calibration"""

    bl_label = "Set Up"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        """Draws nothing: the panel has sub-panels only."""


class LIMBER_PT_robot_options(RigTab):
    """Park pose, delay and statistics of the connection"""

    bl_label = "Options"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 6

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        device = rig.limber.device
        layout.use_property_split = True
        layout.prop(device, "park")
        layout.operator("limber.store_park_pose", icon="HOME")
        layout.prop(device, "latency")
        if device.latency < 0.0 and live_of(rig):
            sentence(layout, "Live motion cannot be early: bake it", "INFO")
        box = layout.box().column(align=True)
        for text in _statistics(links.status(rig)):
            box.label(text=text, translate=False)


def _statistics(status) -> tuple[str, str]:
    """The connection's statistics as two lines of text, (frames, latency); `status` is None if there is no
    connection.
    """
    if status is None:
        return "Frames: -", "Latency: -"
    return (
        f"Frames: {status.sent} sent, {status.acknowledged} acknowledged, {status.lost} lost",
        f"Latency: {status.late_ms_p50:.2f} ms median, {status.late_ms_p99:.2f} ms 99th percentile",
    )
