"""Operators that choose the baud rate and the user's protocol file."""

import os
from pathlib import Path

import bpy
from bpy.props import IntProperty

from ...hardware.errors import HardwareError
from ...hardware.protocols.program import read_program
from ...rig.events import handlers
from ...rig.properties.robot import OWN_FILE
from ...rig.robot import background_jobs, programs
from ..errors import reports_errors
from ..files import ReadsFile, shown_files
from ..subject import rig_of
from .polls import poll_disconnected
from .program_consent import ProgramConsent


class LIMBER_OT_choose_baudrate(bpy.types.Operator):
    """Choose among the baud rates that the protocol offers"""

    bl_idname = "limber.choose_baudrate"
    bl_label = "Choose Baud Rate"
    bl_options = {"REGISTER", "UNDO"}

    baudrate: IntProperty(name="Baud Rate", description="Baud rate to use", options={"SKIP_SAVE"})

    poll = classmethod(poll_disconnected)

    def invoke(self, context, event):
        if self.baudrate:
            return self.execute(context)
        offered = _offered(rig_of(context).limber.device)

        def draw(menu, _context):
            for number, rate in enumerate(offered):
                text = f"{rate:,}".replace(",", " ") + ("   (usual)" if number == 0 else "")
                menu.layout.operator("limber.choose_baudrate", text=text).baudrate = rate

        context.window_manager.popup_menu(draw, title="Baud Rate")
        return {"INTERFACE"}

    def execute(self, context):
        device = rig_of(context).limber.device
        if not self.baudrate:
            offered = ", ".join(map(str, _offered(device)))
            self.report({"ERROR"}, f"No baud rate is named: choose {offered}, or type one")
            return {"CANCELLED"}
        device.baudrate = self.baudrate
        return {"FINISHED"}


def _offered(device) -> tuple[int, ...]:
    described, _ = background_jobs.description(device.protocol_name)
    return described.baudrates if described else (device.baudrate,)


class LIMBER_OT_choose_protocol_file(ReadsFile, bpy.types.Operator):
    """Choose a Python file that implements the robot's protocol. It is a program, and choosing it allows it to run on this computer"""

    bl_idname = "limber.choose_protocol_file"
    bl_label = "Choose File"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: shown_files("*.py")

    poll = classmethod(poll_disconnected)

    @reports_errors
    def execute(self, context):
        path = bpy.path.abspath(self.filepath)
        if not os.path.isfile(path):
            self.report({"ERROR"}, f"There is no file {path or 'without a name'}: choose a Python file")
            return {"CANCELLED"}
        program = read_program(Path(path))
        problem = programs.allow(path, program.digest)  # choosing a file in this dialogue is consent
        if problem:
            self.report({"WARNING"}, problem)
        device = rig_of(context).limber.device
        device.protocol = OWN_FILE
        device.protocol_file = path
        return _read(self, device)


class LIMBER_OT_read_protocol_file(ProgramConsent, bpy.types.Operator):
    """Load the file in a separate process and list its capabilities"""

    bl_idname = "limber.read_protocol_file"
    bl_label = "Read File"

    poll = classmethod(poll_disconnected)

    def _program(self, context) -> str:
        return rig_of(context).limber.device.program_path

    def execute(self, context):
        self._allow()
        return _read(self, rig_of(context).limber.device)


def _read(operator, device) -> set[str]:
    try:
        background_jobs.read_file(device.protocol_name)
    except HardwareError as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    handlers.wake_heartbeat()
    return {"FINISHED"}
