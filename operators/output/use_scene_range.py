import bpy
from bpy.props import EnumProperty

from ...rig.authoring import chains
from ...rig.properties.frame_range import follow_scene, has_own_range
from ..mechanism.mechanisms import mechanism_owner, poll_mechanism
from ..subject import poll_rig, rig_of

OWNERS = [
    ("CHAIN", "Chain", "The active chain"),
    ("RETARGET", "Retarget", "The armature's retarget"),
    ("MECHANISM", "Mechanism", "The mechanism at hand"),
]


class LIMBER_OT_use_scene_range(bpy.types.Operator):
    """Bake the scene's frame range, and follow its changes"""

    bl_idname = "limber.use_scene_range"
    bl_label = "Use Scene Range"
    bl_options = {"REGISTER", "UNDO"}

    owner: EnumProperty(name="Of", description="What is baked", items=OWNERS, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_mechanism(cls, context) if mechanism_owner(context) is not None else poll_rig(cls, context)

    def execute(self, context):
        settings = self._settings(context)
        if settings is None or not has_own_range(settings):
            self.report({"WARNING"}, "The scene's range is baked already")
            return {"CANCELLED"}
        follow_scene(settings)
        return {"FINISHED"}

    def _settings(self, context):
        if self.owner == "MECHANISM":
            owner = mechanism_owner(context)
            return owner and owner.limber.mechanism
        rig = rig_of(context)
        if rig is None:
            return None
        return rig.limber.retarget if self.owner == "RETARGET" else chains.active(rig)
