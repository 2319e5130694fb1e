"""What to press next."""

import bpy

from ..operators.subject import rig_of
from ..rig import budget, live
from ..rig.next_step import next_step
from .tab import Tab, sentence


class LIMBER_PT_next_step(Tab, bpy.types.Panel):
    """What to do next, with its button"""

    bl_label = "Next Step"
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        is_playing = live.is_playing()
        step = next_step(rig_of(context), is_playing)
        sentence(layout, step.sentence, "INFO")
        if step.verb:
            row = layout.row()
            row.scale_y = 1.4
            row.operator(step.verb, icon=step.icon)
        short = budget.playing.sentence if is_playing else budget.clock.sentence
        if short:
            sentence(layout, short, "TIME")
