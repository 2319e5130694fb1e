"""Panels Robot, Set Up and Options: the device, its state, and the buttons that move it."""

from ...hardware.checklists import checks
from ...hardware.protocols.table import is_on_network, settings_of
from ...hardware.safety import FOLLOWING, State
from ...operators.subject import rig_of
from ...rig.live.movers import live_of, movers_of
from ...rig.properties.robot import OWN_FILE
from ...rig.robot import links, programs, puppeteer
from ..tab import RigTab, Tab, sentence

ALARMS = {State.FAULT: "ERROR", State.WORKER_LOST: "ERROR", State.CONFIRM_POSE: "QUESTION"}


class LIMBER_PT_robot(Tab):
    """The robot that the armature moves"""

    bl_label = "Robot"
    bl_order = 5

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and (links.link(rig) is not None or any(mover.has_servos for mover in movers_of(rig)))

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        connected = links.link(rig) is not None
        column = layout.column()
        column.enabled = not connected
        _draw_device(column, rig.limber.device)
        if not connected:
            row = layout.row()
            row.scale_y = 1.4
            row.operator("limber.connect", icon="LINKED")
            sentence(layout, "Not connected: press Connect. Nothing moves before the robot is armed", "UNLINKED")
            return
        _draw_state(layout, rig, links.status(rig))
        if links.changed_since_connect(rig):
            sentence(layout, "The robot's settings have changed: press Reconnect to use them", "INFO")
            layout.operator("limber.reconnect", icon="FILE_REFRESH")
        layout.operator("limber.disconnect", icon="UNLINKED")


def _draw_device(layout, device) -> None:
    layout.prop(device, "protocol", text="")
    if device.protocol == OWN_FILE:
        row = layout.row(align=True)
        row.prop(device, "protocol_file", text="", icon="FILE_SCRIPT")
        row.operator("limber.choose_protocol_file", text="", icon="FILEBROWSER")
        row.operator("limber.read_protocol_file", text="", icon="FILE_REFRESH")
        if device.program_path and not programs.allowed(device.program_path):
            sentence(layout, "You have not allowed this program on this computer: Connect asks before it runs it", "INFO")
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


def _draw_state(layout, rig, status) -> None:
    state = status.state if status else State.CONNECTING
    if state is State.DISARMED and status and status.needs_confirmation:  # above the sentences, so that it does not move
        _draw_asking(layout)
    else:
        _draw_buttons(layout, rig, state)
    if status:
        text = "The armature follows the robot: move it by hand; press Disarm when done" if puppeteer.leads(rig) else status.sentence
        sentence(layout, text, ALARMS.get(state, "INFO"))
        _draw_checks(layout, status, rig.limber.device.protocol)
        for warning in status.warnings:
            sentence(layout, warning, "ERROR")
    if state is State.CONFIRM_POSE:
        _draw_confirming(layout, rig, status)


def _draw_checks(layout, status, protocol: str) -> None:
    if status.state not in links.LOST:
        return
    box = layout.box().column(align=True)
    for question in checks(status.fault, protocol):
        sentence(box, question, "DOT")


def _draw_confirming(layout, rig, status) -> None:
    """Draws a Confirm button for each joint that is not confirmed yet."""
    joints = links.link(rig).device.joints
    box = layout.box().column(align=True)
    for index, joint in enumerate(joints):
        row = box.row()
        done = index < len(status.confirmed) and status.confirmed[index]
        row.label(text=joint.name, icon="CHECKBOX_HLT" if done else "CHECKBOX_DEHLT")
        if not done:
            row.operator("limber.confirm_joint", text="Confirm").joint = index


def _draw_asking(layout) -> None:
    """Draws the two buttons that arm a robot whose servos cannot measure their positions."""
    column = layout.column(align=True)
    column.scale_y = 1.4
    column.operator("limber.arm_confirmed", icon="CHECKMARK")
    column.operator("limber.arm", text="Confirm Joint by Joint", icon="ARMATURE_DATA")


def _draw_buttons(layout, rig, state) -> None:
    row = layout.row(align=True)
    row.scale_y = 1.4
    if state is State.CONFIRM_POSE:
        row.operator("limber.confirm_pose", icon="CHECKMARK")
        row.operator("limber.disarm", icon="CANCEL")
    elif state in links.LOST:
        row.operator("limber.clear_fault", icon="FILE_REFRESH")
    elif state in FOLLOWING:
        if rig.limber.device.park is not None:
            row.operator("limber.park", icon="HOME")
        row.operator("limber.disarm", icon="CANCEL")
    elif state in links.MOVING or state is State.LIMP:
        row.operator("limber.disarm", icon="CANCEL")
    else:
        row.operator("limber.arm", icon="ARMATURE_DATA")


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
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 9

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
        status = links.status(rig)
        if status and status.sent:
            box = layout.box().column(align=True)
            box.label(text=f"Frames: {status.sent} sent, {status.acknowledged} acknowledged, {status.lost} lost")
            box.label(text=f"Latency: {status.late_ms_p50:.2f} ms median, {status.late_ms_p99:.2f} ms 99th percentile")
