"""Operator that imports a robot from its own daemon."""

import bpy
from bpy.props import StringProperty

from ...hardware.protocols.reachy_mini.capabilities import ADDRESS
from ...hardware.protocols.table import is_on_network
from ...rig.authoring.network_robot import NetworkRobot
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...robots.errors import UrdfError
from ..stepwise import Stepwise
from ..subject import rig_of
from .framing import frame


class LIMBER_OT_import_from_robot(Stepwise, bpy.types.Operator):
    """Import Reachy Mini from the robot itself: its daemon gives model and meshes. Nothing moves. Esc cancels"""

    bl_idname = "limber.import_from_robot"
    bl_label = "Import from Robot"
    bl_options = {"REGISTER", "UNDO"}

    address: StringProperty(name="Address", description="Host and port of the robot's daemon", default=ADDRESS, options={"SKIP_SAVE"})

    nothing = "Nothing was imported"
    cancelled = "The import is cancelled: nothing was imported"

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("Robots are added in Object Mode: leave the mode that Blender is in (Tab, or Ctrl Tab)")
            return False
        return True

    def invoke(self, context, event):
        if self.properties.is_property_set("address"):
            return Stepwise.invoke(self, context, event)
        rig = rig_of(context)
        if rig is not None and is_on_network(rig.limber.device.protocol) and not rig.limber.device.is_virtual:
            self.address = rig.limber.device.port
        self.is_asking = True
        return context.window_manager.invoke_props_dialog(self, width=360, confirm_text="Import")

    def execute(self, context):
        if getattr(self, "is_asking", False) and not bpy.app.background:
            # A dialogue cannot show progress: the operator is invoked again, outside of it.
            bpy.ops.limber.import_from_robot("INVOKE_DEFAULT", address=self.address)
            return {"FINISHED"}
        return Stepwise.execute(self, context)

    def _begin(self, context):
        return NetworkRobot(self.address)

    def _says(self):
        return f"Fetching {self.work.name}, {self.work.done} of {counted(self.work.total, 'file')}"

    def _finish(self, context):
        try:
            came = self.work.add(context)
        except UrdfError as error:
            raise RigError(str(error)) from error
        frame(context, came.rig.users_collection[0].objects)
        for warning in came.warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, f"{came.sentence}. To move the robot press Connect, then Arm")
        return {"FINISHED"}
