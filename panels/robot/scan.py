"""Panels Find Servos and Protocol Capabilities."""

from itertools import groupby

from ...hardware.protocols.table import OWN, PROTOCOLS, capabilities_of
from ...operators.subject import rig_of
from ...rig.robot import background_jobs
from ...rig.robot.device import protocol_settings
from ..tab import RigTab, sentence


class LIMBER_PT_scan(RigTab):
    """Ports and servos that answer a scan"""

    bl_label = "Find Servos"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        scan, change = background_jobs.scan(), background_jobs.change()
        if scan is None or scan.over:
            layout.operator("limber.scan", icon="VIEWZOOM")
        else:
            column = layout.column(align=True)
            column.progress(factor=scan.share, text=f"{100 * scan.share:.0f}%")
            column.operator("limber.cancel_scan", icon="X")
            sentence(layout, scan.says, "BLANK1")
        if scan is None:
            sentence(layout, "Lists servos with their IDs, models and voltages. Nothing moves", "INFO")
            return
        _draw_found(layout, scan)
        if change is not None:
            if change.failed:
                sentence(layout, change.says, "ERROR")
            elif not change.over:
                sentence(layout, change.says, "TIME")
            elif change.found:
                new = change.found[-1]
                sentence(layout, f"Servo {change.before[2]} answers as {new.servo} at {new.baudrate} now", "CHECKMARK")


def _draw_found(layout, scan) -> None:
    for (port, protocol, rate), found in groupby(scan.found, key=lambda one: (one.port, one.protocol, one.baudrate)):
        box = layout.box().column(align=True)
        row = box.split(factor=0.72)
        row.label(text=port, icon="LINKED")
        use = row.operator("limber.use_found", text="Use")
        box.label(text=f"{_title(protocol)}, {rate} baud", icon="BLANK1")
        use.port, use.protocol, use.baudrate = port, protocol, rate
        for one in found:
            _draw_one(box, one)
    for remark in scan.remarks:
        sentence(layout, remark, "ERROR")
    if scan.failed:
        sentence(layout, scan.says, "ERROR")
    elif scan.over and not scan.found:
        sentence(layout, "Nothing answered: check power and cable, and try other baud rates and protocols", "INFO")


def _draw_one(box, one) -> None:
    row = box.split(factor=0.16)
    row.label(text="" if one.servo is None else str(one.servo))
    row = row.split(factor=0.56)
    row.label(text=f"{one.name} {one.firmware}".strip())
    row = row.row()
    row.alignment = "RIGHT"
    voltage = [f"{one.voltage:.1f} V"] if one.voltage is not None else []
    row.label(text=", ".join(voltage))
    if one.servo is not None and capabilities_of(one.protocol).changes_id:
        change = row.operator("limber.change_servo", text="", icon="GREASEPENCIL", emboss=False)
        change.port, change.protocol, change.baudrate, change.servo = one.port, one.protocol, one.baudrate, one.servo


def _title(protocol: str) -> str:
    return "Limber" if protocol == OWN else PROTOCOLS[protocol].title


class LIMBER_PT_protocol(RigTab):
    """Capabilities of the chosen protocol"""

    bl_label = "Protocol Capabilities"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        device = rig_of(context).limber.device
        described, why = background_jobs.description(device.protocol_name, protocol_settings(device))
        if described is None:
            sentence(self.layout, why, "INFO")
            return
        for text in described.sentences:
            sentence(self.layout, text, "DOT")
