"""Panel Stop: a button above all panels while a robot is connected."""

from ...rig.events.keymap import STOP_KEY
from ...rig.robot import links
from ..tab import Tab


class LIMBER_PT_stop(Tab):
    """Stop every robot"""

    bl_label = "Stop"
    bl_options = {"HIDE_HEADER"}
    bl_order = -1

    @classmethod
    def poll(cls, context):
        return links.is_any_connected()

    def draw(self, context):
        row = self.layout.row()
        row.scale_y = 2.2
        row.alert = True
        row.operator("limber.stop", text=f"STOP   ({STOP_KEY})", icon="X")
