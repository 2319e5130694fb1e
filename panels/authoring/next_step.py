"""Panel Next Step: the suggested next action and its button."""

from ...operators.subject import rig_of
from ...rig.authoring.next_step import next_step
from ...rig.live import budget, live
from ..tab import Tab, sentence

LINES = 4  # reserved for the sentence, so that what is below does not move when the sentence changes


class LIMBER_PT_next_step(Tab):
    """Suggested next step, with its button"""

    bl_label = "Next Step"
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        is_playing = live.is_playing()
        rig = rig_of(context)
        step = next_step(rig, is_playing)
        row = layout.row()  # above the sentence, so that the button stays in one position from step to step
        row.scale_y = 1.4
        row.operator(step.operator, text=step.text, icon=step.icon)
        if step.menu:
            layout.menu(step.menu, icon="ARMATURE_DATA")
        sentence(layout, step.sentence, "INFO", least=LINES)
        short = budget.playing.sentence if is_playing else budget.clock.sentence
        if short:
            sentence(layout, short, "TIME")
