"""Panel Next Step: Stop, and the suggested next action and its button."""

from ...operators.subject import rig_of
from ...rig.authoring.next_step import next_step
from ...rig.events.keymap import STOP_KEY
from ...rig.live import budget, live
from ...rig.robot import links
from ..settling import settled
from ..tab import Tab, message

LINES = 4  # number of lines for the suggestion


class LIMBER_PT_next_step(Tab):
    """Suggested next step, with its button, and Stop for every robot"""

    bl_label = "Next Step"
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        _draw_stop(layout, context.preferences.themes[0].user_interface.wcol_tool)
        is_playing = live.is_playing()
        rig = rig_of(context)
        step = next_step(rig, is_playing)
        row = layout.row()  # above the sentence, so that the button is at the same position in every step
        row.scale_y = 1.4
        row.operator(settled(step.operator), text=step.text, icon=step.icon)
        if step.menu:
            layout.menu(step.menu, icon="ARMATURE_DATA")
        message(layout, [(step.sentence, "INFO")], LINES)
        message(layout, [(budget.playing.sentence if is_playing else budget.clock.sentence, "TIME")], 1)


def _draw_stop(layout, colours) -> None:
    """Draws the button Stop, in red while a robot is connected, else dimmed. It is part of this panel, since
    Blender would show the Limber tab above its own tabs if Stop had a panel without a header.

    Args:
        layout: Layout to draw into.
        colours: Theme's colours of buttons. If their text is dark, Stop is drawn pressed, since the text of
            pressed buttons is bright.
    """
    row = layout.row()
    row.scale_y = 1.8
    # only dimmed: a button that becomes enabled under the mouse ignores the next click
    row.active = row.alert = links.is_any_connected()
    is_dark = sum(colours.text) < 0.5 * len(colours.text)
    row.operator("limber.stop", text=f"STOP   ({STOP_KEY})", icon="X", depress=row.alert and is_dark)
