"""Panel Remote Control: targets, influence and weights set by other programs."""

from ...operators.subject import rig_of
from ...rig.live.movers import chosen_of
from ...rig.robot import remote
from ..tab import MoverTab, address, message, props


class LIMBER_PT_remote(MoverTab):
    """Control of targets, influence and weights by other programs, with OSC over UDP"""

    bl_label = "Remote Control"
    bl_order = 12
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        rig = rig_of(context)
        heard = remote.heard(rig)
        column = layout.column()
        column.enabled = heard is None
        props(column, rig.limber.remote, "host", "port")
        layout.prop(rig.limber.remote, "allow_arm")
        if heard is None:
            layout.operator("limber.remote", icon="PLAY")
        else:
            layout.operator("limber.end_remote", icon="PAUSE", depress=True)
        problem, listens = (heard.problem, "Listening") if heard is not None else ("", "")
        message(layout, [(problem or listens, "ERROR" if problem else "INFO")], 3)
        column = layout.box().column(align=True)
        for each in remote.addresses(chosen_of(rig)):
            address(column, each)
