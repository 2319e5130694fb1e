"""Operator that imports a robot from its own daemon."""

from bpy.props import StringProperty

from ...hardware.protocols.reachy_mini.capabilities import ADDRESS
from ...hardware.protocols.table import is_on_network
from ...rig.authoring.network_robot import NetworkRobot
from ..framing import frame
from ..operator import UndoOperator
from ..stepwise import Stepwise
from ..subject import needs_object_mode, rig_of


class LIMBER_OT_import_from_robot(Stepwise, UndoOperator):
    """Import Reachy Mini from the robot itself: its control program (the daemon) sends the model and the
    meshes over the network. The robot does not move. Esc cancels
    """

    bl_label = "Import from Robot"

    address: StringProperty(
        name="Address",
        description="Network address and port of the robot's control program (the daemon), as ADDRESS:PORT",
        default=ADDRESS,
        options={"SKIP_SAVE"},
    )

    settings = ("address",)
    nothing = "Nothing was imported"
    cancelled = "The import is cancelled: nothing was imported"

    why_not = needs_object_mode

    def _ask(self, context):
        rig = rig_of(context)
        if rig is not None and is_on_network(rig.limber.device.protocol) and not rig.limber.device.is_virtual:
            self.address = rig.limber.device.port
        return context.window_manager.invoke_props_dialog(self, width=360, confirm_text="Import")

    def _begin(self, context):
        return NetworkRobot(context, self.address, self.is_watched)

    def _finish(self, context):
        imported = self.work.result
        frame(context, imported.rig.users_collection[0].objects)
        self.warn(imported.warnings)
        self.report({"INFO"}, f"{imported.sentence}. To move the robot press Connect, then Arm")
