"""Panel Life: idle motion that is added to the posture."""

from ...operators.subject import chain_of
from ..tab import ChainTab, props


class LIMBER_PT_life(ChainTab):
    """Breathing, sway and glances on top of the posture, while frames play"""

    bl_label = "Life"
    bl_parent_id = "LIMBER_PT_motion"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        life = chain_of(context).life
        layout.use_property_split = True
        layout.prop(life, "amount", slider=True)
        column = layout.column(align=True)
        column.active = life.amount > 0.0
        props(column, life, "breathing", "sway", "glances", "seed")
