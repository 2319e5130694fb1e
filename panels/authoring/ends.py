"""Panel Additional Goals: further end effectors of a chain, each with a goal of its own."""

from ...operators.subject import chain_of
from ..tab import ChainTab, listed, sentence
from .gaze import draw_orientation, draw_task


class LIMBER_PT_ends(ChainTab):
    """Additional end effectors, each with its own goal, solved together with the last bone of the chain"""

    bl_label = "Additional Goals"
    bl_parent_id = "LIMBER_PT_gaze_settings"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        chain = chain_of(context)
        end = listed(
            layout,
            "LIMBER_UL_ends",
            chain,
            "ends",
            "active_end",
            add="limber.add_end",
            remove="limber.remove_end",
        )
        if end is None:
            sentence(layout, "A hand beside the head: make its bone active in Pose Mode and press +", "INFO")
            return
        layout.use_property_split = True
        column = layout.column()
        column.active = end.enabled
        draw_task(column, end)
        draw_orientation(column, end)
        layout.separator(factor=0.5)
        layout.label(text="Weights, where not all can be met:", translate=False)
        layout.prop(end, "weight", text=end.bone)
        layout.prop(chain, "weight", text=chain.end)
