from ...rig.properties.frame_range import follow_scene, has_own_range
from ..movers import mover_at_hand, needs_mover
from ..operator import UndoOperator


class LIMBER_OT_use_scene_range(UndoOperator):
    """Use the scene's frame range for the bake, also when that range is changed later"""

    bl_label = "Use Scene Range"

    why_not = needs_mover

    def run(self, context):
        settings = mover_at_hand(context).settings
        if not has_own_range(settings):
            self.report({"WARNING"}, "The scene's range is baked already")
            return {"CANCELLED"}
        follow_scene(settings)
        return {"FINISHED"}
