"""Operators that choose the baud rate and the user's protocol file, and list what such a file can do."""

from bpy.props import IntProperty

from ...files.presence import is_file
from ...hardware.protocols.program import read_program
from ...hardware.protocols.table import is_on_network
from ...rig.blender.errors import RigError
from ...rig.events import handlers
from ...rig.properties.robot import OWN_FILE
from ...rig.robot import background_jobs, programs
from ..files import ReadsFile, shown_files
from ..operator import Operator, UndoOperator
from ..subject import rig_of
from .needs import needs_disconnected
from .program_consent import ProgramConsent


class LIMBER_OT_choose_baudrate(UndoOperator):
    """Choose among the baud rates that the protocol offers"""

    bl_label = "Choose Baud Rate"

    baudrate: IntProperty(
        name="Baud Rate", description="Speed of the serial line, in bits per second", options={"SKIP_SAVE"}
    )

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_disconnected(context):
            return why
        is_serial = not is_on_network(rig_of(context).limber.device.protocol)
        return (
            ""
            if is_serial
            else "A robot on a network has no baud rate: choose a protocol of a serial port first"
        )

    def invoke(self, context, event):
        if self.baudrate:
            return self.execute(context)
        usual, *other_rates = _offered(rig_of(context).limber.device)
        choices = [
            (f"{_spaced(usual)}   (usual)", {"baudrate": usual}),
            *((_spaced(rate), {"baudrate": rate}) for rate in other_rates),
        ]
        return self.offer(context, "Baud Rate", choices)

    def run(self, context):
        device = rig_of(context).limber.device
        if not self.baudrate:
            offered = ", ".join(map(str, _offered(device)))
            raise RigError(f"No baud rate is named: choose {offered}, or type one")
        device.baudrate = self.baudrate


def _spaced(rate: int) -> str:
    """A rate as text, with spaces between thousands."""
    return f"{rate:,}".replace(",", " ")


def _offered(device) -> tuple[int, ...]:
    """Baud rates [bit/s] of the device's protocol, the default first; if they are unknown, its current
    one.
    """
    described, _ = background_jobs.description(device.protocol_name)
    return described.baudrates if described else (device.baudrate,)


class LIMBER_OT_choose_protocol_file(ReadsFile, UndoOperator):
    """Choose a Python file that implements the robot's protocol. It is a program, and choosing it allows it
    to run on this computer
    """

    bl_label = "Choose File"

    filter_glob: shown_files("*.py")

    why_not = needs_disconnected

    def run(self, context):
        path = self.path
        if not is_file(path):
            raise RigError(f"There is no file {path}: choose a Python file")
        # choosing a file in this dialog is consent to run it
        problem = programs.allow(str(path), read_program(path).digest)
        if problem:
            self.report({"WARNING"}, problem)
        device = rig_of(context).limber.device
        device.protocol = OWN_FILE
        device.protocol_file = str(path)
        _start_reading(device)


class LIMBER_OT_read_protocol_file(ProgramConsent, Operator):
    """Load the file in a separate process and list its capabilities"""

    bl_label = "Read File"

    why_not = needs_disconnected

    def _program(self, context) -> str:
        return rig_of(context).limber.device.program_path

    def run(self, context):
        self._allow()
        _start_reading(rig_of(context).limber.device)


def _start_reading(device) -> None:
    """Starts to read the device's protocol file in a process of its own."""
    background_jobs.read_file(device.protocol_name)
    handlers.wake_heartbeat()
