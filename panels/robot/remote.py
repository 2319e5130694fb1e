"""Panel Remote Control: targets, influence and weights set by other programs, and the page for browsers."""

from ...operators.subject import rig_of
from ...rig.live.movers import chosen_of
from ...rig.robot import page, remote
from ..tab import MoverTab, address, message, props


class LIMBER_PT_remote(MoverTab):
    """Control of the armature or mechanism, and of its robot, by other programs (OSC over UDP) and
    a page in a browser
    """

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
        _draw_page(layout, rig)
        column = layout.box().column(align=True)
        for each in remote.addresses(chosen_of(rig)):
            address(column, each)


def _draw_page(layout, rig) -> None:
    """Draws the page's port, the button that serves or ends the page, its address, and a button that opens
    it.
    """
    location = page.address(rig)
    column = layout.column()
    row = column.row()
    row.enabled = not location
    row.prop(rig.limber.remote, "page_port")
    if location:
        column.operator("limber.end_page", icon="PAUSE", depress=True)
    else:
        column.operator("limber.page", icon="URL")
    row = column.row()
    row.enabled = bool(location)
    row.operator("wm.url_open", text="Open Page", icon="WINDOW").url = location
    message(layout, [(location, "INFO")], 3)
