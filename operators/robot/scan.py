"""Operators that find and identify servos: scan, cancel the scan, use a result, change a servo's ID or baud
rate.
"""

from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...hardware.device import LAST_SERVO, VIRTUAL_HOBBY_PORT, VIRTUAL_PORT
from ...hardware.protocols.table import OWN, capabilities_of, is_on_network
from ...hardware.scan import SCANNED, rates_of
from ...rig.blender.errors import RigError
from ...rig.events import handlers
from ...rig.robot import background_jobs, links
from ..operator import Operator, UndoOperator
from ..subject import rig_of
from .needs import needs_disconnected, needs_ports_free

# protocols that can change servos' IDs
BUSES = tuple(name for name in SCANNED if capabilities_of(name).changes_id)
# [bit/s] baud rates of all protocols
RATES = sorted({rate for name in SCANNED for rate in capabilities_of(name).baudrates}, reverse=True)
VIRTUAL = (VIRTUAL_PORT, VIRTUAL_HOBBY_PORT)  # ports of the virtual robot
USUAL = {str(capabilities_of(name).baudrates[0]) for name in SCANNED}  # default baud rates of the protocols


def _title(protocol: str) -> str:
    """Name of a protocol for the user."""
    return "Limber's firmware" if protocol == OWN else capabilities_of(protocol).title


def _rate_text(rate: int) -> str:
    """A baud rate [bit/s] for the user, its thousands apart."""
    return f"{rate:,}".replace(",", " ")


class LIMBER_OT_scan(Operator):
    """Scan serial ports for servos and boards. Nothing moves"""

    bl_label = "Scan"

    where: EnumProperty(
        name="Ports",
        description="Ports to scan",
        items=[
            ("DEVICE", "This Port", "The port that is chosen in the panel"),
            ("ALL", "All Serial Ports", "Every serial port that is not in use by a robot of this Blender"),
        ],
    )
    protocols: EnumProperty(
        name="Protocols",
        description="Protocols to try",
        items=[(name, _title(name), f"Look for devices of {_title(name)}") for name in SCANNED],
        options={"ENUM_FLAG"},
    )
    rates: EnumProperty(
        name="Baud Rates",
        description="Baud rates to try, for each protocol those that it supports",
        items=[(str(rate), _rate_text(rate), f"{rate} bits per second") for rate in RATES],
        options={"ENUM_FLAG"},
        default=USUAL,
    )
    lowest: IntProperty(
        name="First ID", description="Lowest ID to try on a bus", default=0, min=0, max=LAST_SERVO
    )
    highest: IntProperty(
        name="Last ID", description="Highest ID to try on a bus", default=LAST_SERVO, min=0, max=LAST_SERVO
    )

    why_not = needs_ports_free

    def invoke(self, context, event):
        device = rig_of(context).limber.device
        is_serial = device.port.strip() not in {*VIRTUAL, *links.ports(), ""} and not is_on_network(
            device.protocol
        )
        self.where = "DEVICE" if is_serial else "ALL"
        if not self.properties.is_property_set("protocols"):
            self.protocols = {device.protocol} if device.protocol in SCANNED and is_serial else {OWN}
        return context.window_manager.invoke_props_dialog(self, width=360, confirm_text="Scan")

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "where", expand=True)
        layout.column().prop(self, "protocols")
        grid = layout.column()
        grid.use_property_split = False
        grid.label(text="Baud Rates (Shift: several)", translate=False)
        grid.grid_flow(columns=4, align=True, row_major=True).prop(self, "rates")
        if self.protocols & set(BUSES):
            row = layout.row(align=True)
            row.prop(self, "lowest")
            row.prop(self, "highest", text="")
        box = layout.box().column(align=True)
        box.label(text="Every device on a port receives all queries.", icon="INFO", translate=False)
        box.label(text="A Maestro takes those of others for errors and may", icon="BLANK1", translate=False)
        box.label(text="send its servos home: take their power away first.", icon="BLANK1", translate=False)

    def run(self, context):
        device = rig_of(context).limber.device
        port = device.port.strip() if self.where == "DEVICE" else None
        protocols = [name for name in SCANNED if name in self.protocols]
        rates = [int(rate) for rate in self.rates]
        problem = _why_not(port, protocols) or _why_no_rate(protocols, rates)
        if not problem and self.lowest > self.highest:
            problem = f"IDs from {self.lowest} to {self.highest} are none: exchange them"
        if problem:
            raise RigError(problem)
        background_jobs.start_scan(port, links.ports(), protocols, rates, self.lowest, self.highest)
        handlers.wake_heartbeat()
        handlers.redraw()


def _why_not(port: str | None, protocols: list[str]) -> str:
    """Why this port, or all ports if None, cannot be scanned, with the remedy; "" if they can."""
    if port == "":
        return "No port is chosen: choose one in the panel, or All Serial Ports"
    if port in links.ports():
        return f"Port {port} is in use by a robot of this Blender: press Disconnect first"
    if port in VIRTUAL:
        return "The virtual robot is on no port that could be scanned: choose All Serial Ports"
    return "" if protocols else "No protocol is ticked: tick at least one"


def _why_no_rate(protocols: list[str], rates: list[int]) -> str:
    """Why a protocol cannot be scanned at these baud rates [bit/s], with those that it has; "" if each one
    can.
    """
    for name in protocols:
        if not rates_of(name, rates):
            choices = ", ".join(_rate_text(rate) for rate in capabilities_of(name).baudrates)
            return f"No baud rate of {_title(name)} is ticked: tick at least one of {choices}, or untick {_title(name)}"
    return ""


class LIMBER_OT_cancel_scan(Operator):
    """Cancel the scan. The list keeps what was found so far"""

    bl_label = "Cancel"

    @classmethod
    def why_not(cls, context) -> str:
        scan = background_jobs.scan()
        return "No scan is going on" if scan is None or scan.over else ""

    def run(self, context):
        background_jobs.cancel()


class LIMBER_OT_use_found(UndoOperator):
    """Use the port, protocol and baud rate of this result"""

    bl_label = "Use"

    port: StringProperty(
        name="Port", description="Serial port where the servo was found", options={"SKIP_SAVE"}
    )
    protocol: StringProperty(
        name="Protocol", description="Protocol in which the servo answered", options={"SKIP_SAVE"}
    )
    baudrate: IntProperty(
        name="Baud Rate",
        description="Baud rate at which the servo answered, in bits per second",
        options={"SKIP_SAVE"},
    )

    why_not = needs_disconnected

    def run(self, context):
        device = rig_of(context).limber.device
        if self.protocol not in SCANNED or not self.port:
            raise RigError(
                f"Protocol '{self.protocol}' on port '{self.port}' is nothing that a scan finds: take a row"
                " of its list"
            )
        device.protocol = self.protocol
        device.port, device.baudrate = self.port, self.baudrate


def _rates_known(operator, context) -> list[tuple[str, str, str]]:
    """Items of an enumeration: the baud rates of the operator's protocol."""
    _rates[:] = [(str(rate), _rate_text(rate), "") for rate in capabilities_of(operator.protocol).baudrates]
    return _rates


_rates: list[tuple[str, str, str]] = []  # Blender keeps no reference to the items of a dynamic enumeration


class LIMBER_OT_change_servo(Operator):
    """Change the ID or baud rate of a servo whose ID is unique on its bus. The change is verified by reading
    it back
    """

    bl_label = "Change Servo"

    port: StringProperty(
        name="Port", description="Serial port where the servo was found", options={"SKIP_SAVE"}
    )
    protocol: EnumProperty(
        name="Protocol",
        description="Protocol in which the servo answered",
        items=[(name, _title(name), "") for name in BUSES],
        options={"SKIP_SAVE"},
    )
    baudrate: IntProperty(
        name="Baud Rate",
        description="Baud rate at which the servo answered, in bits per second",
        options={"SKIP_SAVE"},
    )
    servo: IntProperty(
        name="Servo", description="Current ID of the servo", min=0, max=LAST_SERVO, options={"SKIP_SAVE"}
    )
    what: EnumProperty(
        name="Change",
        description="Setting to change",
        items=[
            ("ID", "ID", "Number of the servo on its bus"),
            ("RATE", "Baud Rate", "Speed of the serial line; all servos of a bus need the same speed"),
        ],
    )
    new_servo: IntProperty(
        name="New ID",
        description="New ID of the servo, which no other servo on the bus has",
        min=0,
        max=LAST_SERVO,
    )
    new_baudrate: EnumProperty(
        name="New Baud Rate",
        description="New baud rate of the servo; all servos of a bus need the same rate",
        items=_rates_known,
    )
    alone: BoolProperty(
        name="ID Is Unique",
        description="Confirm that no other servo on the bus has this ID. Another one would be changed too",
        options={"SKIP_SAVE"},
    )

    why_not = needs_ports_free

    def invoke(self, context, event):
        if str(self.baudrate) not in (rate for rate, *_ in _rates_known(self, context)):
            return self.refuse("No servo is named: press Scan, then Change Servo beside one that was found")
        self.new_servo = min(self.servo + 1, LAST_SERVO)
        self.new_baudrate = str(self.baudrate)
        return context.window_manager.invoke_props_dialog(self, width=360, confirm_text="Change")

    def draw(self, context):
        layout = self.layout
        layout.label(text=f"Servo {self.servo} on {self.port} at {self.baudrate}", translate=False)
        layout.use_property_split = True
        layout.row().prop(self, "what", expand=True)
        layout.prop(self, "new_servo" if self.what == "ID" else "new_baudrate")
        layout.prop(self, "alone")
        layout.label(
            text="It becomes limp, and keeps the change without power.", icon="INFO", translate=False
        )

    def run(self, context):
        if self.port in links.ports():
            raise RigError(f"Port {self.port} is in use by a robot of this Blender: press Disconnect first")
        if not self.alone:
            raise RigError(
                f"Servos that share id {self.servo} would all be changed: make sure that it is one, and tick"
                " that"
            )
        new = {"new_servo": self.new_servo} if self.what == "ID" else {"new_baudrate": int(self.new_baudrate)}
        background_jobs.start_change(self.port, self.protocol, self.baudrate, self.servo, **new)
        handlers.wake_heartbeat()
        handlers.redraw()
