"""Panels Find Servos and Protocol Capabilities."""

from collections.abc import Callable
from functools import partial
from itertools import groupby

from ...hardware.protocols.table import OWN, PROTOCOLS, capabilities_of
from ...operators.subject import rig_of
from ...rig.robot import background_jobs
from ...rig.robot.device import protocol_settings
from ..tab import RigTab, message, sentence

LINES = 3  # number of lines of the panel's message
ROWS = 8  # number of rows of the list of results: enough for a port with six servos


class LIMBER_PT_scan(RigTab):
    """Ports and servos that answer a scan"""

    bl_label = "Find Servos"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        scan = background_jobs.scan()
        row = layout.row(align=True)
        row.operator("limber.scan", icon="VIEWZOOM")
        row.operator("limber.cancel_scan", icon="X")
        share = 0.0 if scan is None or scan.over else scan.share
        layout.progress(factor=share, text=f"{100 * share:.0f}%" if share else "")
        message(layout, _sentences(scan, background_jobs.change()), LINES)
        _draw_page(layout, _rows(scan), context.window_manager.limber_view)


def _sentences(scan, change) -> list[tuple[str, str]]:
    """(sentence, icon) on the newest scan, and on the newest change of a servo's ID or baud rate; before the
    first scan, what a scan does.
    """
    if scan is None:
        return [("Lists servos with their IDs, models and voltages. Nothing moves", "INFO")]
    sentences = _of_change(change) if change is not None else []
    if not scan.over:
        sentences.append((scan.says, "BLANK1"))
    elif scan.failed:
        sentences.append((scan.says, "ERROR"))
    elif not scan.found:
        sentences.append(
            ("Nothing answered: check power and cable, and try other baud rates and protocols", "INFO")
        )
    return sentences + [(remark, "ERROR") for remark in scan.remarks]


def _of_change(change) -> list[tuple[str, str]]:
    """(sentence, icon) on a change of a servo's ID or baud rate; empty if it ended without a result."""
    if change.failed:
        return [(change.says, "ERROR")]
    if not change.over:
        return [(change.says, "TIME")]
    if not change.found:
        return []
    new = change.found[-1]
    return [(f"Servo {change.before[2]} answers as {new.servo} at {new.baudrate} now", "CHECKMARK")]


def _rows(scan) -> list[Callable]:
    """Functions that draw the rows of the scan's results: for each port two rows, then one for each servo."""
    rows: list[Callable] = []
    for (port, protocol, rate), servos in groupby(
        scan.found if scan else (),
        key=lambda found_servo: (found_servo.port, found_servo.protocol, found_servo.baudrate),
    ):
        rows.append(partial(_draw_port, port=port, protocol=protocol, rate=rate))
        rows.append(partial(_draw_protocol, protocol=protocol, rate=rate))
        rows.extend(partial(_draw_one, found_servo=found_servo) for found_servo in servos)
    return rows


def _draw_page(layout, rows: list[Callable], view) -> None:
    """Draws a page of the results, in a height that does not depend on their number, and the choice of the
    page.
    """
    pages = max(1, -(-len(rows) // ROWS))
    first = ROWS * (min(view.found_page, pages) - 1)
    box = layout.box().column(align=True)
    shown = rows[first : first + ROWS]
    for draw in shown:
        draw(box)
    for _ in range(ROWS - len(shown)):
        box.label(text="")
    row = layout.row()
    row.enabled = pages > 1
    row.prop(view, "found_page", text=f"Page of {pages}")


def _draw_port(box, port: str, protocol: str, rate: int) -> None:
    """Draws a port's name, and the button that uses the port with this protocol and rate [bit/s]."""
    row = box.split(factor=0.72)
    row.label(text=port, icon="LINKED", translate=False)
    use = row.operator("limber.use_found", text="Use")
    use.port, use.protocol, use.baudrate = port, protocol, rate


def _draw_protocol(box, protocol: str, rate: int) -> None:
    box.label(text=f"{_title(protocol)}, {rate} baud", icon="BLANK1", translate=False)


def _draw_one(box, found_servo) -> None:
    """Draws a servo's number, model and voltage, and the button that changes its ID or baud rate."""
    row = box.split(factor=0.16)
    row.label(text="" if found_servo.servo is None else str(found_servo.servo), translate=False)
    row = row.split(factor=0.56)
    row.label(text=f"{found_servo.name} {found_servo.firmware}".strip(), translate=False)
    row = row.row()
    row.alignment = "RIGHT"
    voltage = [f"{found_servo.voltage:.1f} V"] if found_servo.voltage is not None else []
    row.label(text=", ".join(voltage), translate=False)
    if found_servo.servo is not None and capabilities_of(found_servo.protocol).changes_id:
        change = row.operator("limber.change_servo", text="", icon="GREASEPENCIL", emboss=False)
        change.port, change.protocol, change.baudrate, change.servo = (
            found_servo.port,
            found_servo.protocol,
            found_servo.baudrate,
            found_servo.servo,
        )


def _title(protocol: str) -> str:
    """Name of a protocol for the user."""
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
