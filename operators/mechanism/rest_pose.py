"""Operators on the rest pose of a mechanism, in which its motors are at zero: set the rest pose, move the
bodies to it.
"""

from ...rig.live.live import as_authored
from ...rig.mechanisms import pose_channels, rest_pose
from ...rig.mechanisms.authored_mechanism import read
from ...rig.mechanisms.conflicts import refuse_held
from ...rig.mechanisms.starts import note_rest
from ..operator import UndoOperator
from .mechanisms import mechanism_owner, needs_authoring, taken_up


class RestPoseOperator(UndoOperator):
    """Base of operators on the rest pose of a mechanism whose bodies are objects.

    Subclasses implement `_change(owner, depsgraph)`, which does the work while movers show their authored
    poses, and `_says(owner, scene)`, the report.
    """

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_authoring(context):
            return why
        if mechanism_owner(context).limber.mechanism.joints:
            return ""
        return (
            "Bones have the armature's own rest pose: clear the pose (Alt G, Alt R in Pose Mode), or change"
            " the rest pose in Edit Mode"
        )

    def run(self, context):
        owner = taken_up(context)
        with as_authored() as depsgraph:
            self._change(owner, depsgraph)
        self.report({"INFO"}, self._says(owner, context.scene))


class LIMBER_OT_set_rest_pose(RestPoseOperator):
    """Set the pose of bodies and joints at this frame as the mechanism's rest pose, in which its motors are
    at zero
    """

    bl_label = "Set Rest Pose"

    def _change(self, owner, depsgraph):
        reading = read(owner, depsgraph, is_rest=True)
        rest_pose.set_rest_pose(owner, depsgraph)
        note_rest(owner, reading.mechanism)

    def _says(self, owner, scene):
        return f"Motors of '{owner.name}' are at zero where its bodies are at frame {scene.frame_current}"


class LIMBER_OT_go_to_rest_pose(RestPoseOperator):
    """Move bodies and joints back to the mechanism's rest pose, relative to the current pose of its base"""

    bl_label = "Go to Rest Pose"

    def _change(self, owner, depsgraph):
        reading = read(owner, depsgraph)
        refuse_held([part for part, _ in reading.rest])
        base = reading.base_now(owner)
        pose_channels.write([(part, base @ pose) for part, pose in reading.rest], depsgraph)
        depsgraph.update()
        note_rest(owner, read(owner, depsgraph).mechanism)

    def _says(self, owner, scene):
        return f"Bodies and joints of '{owner.name}' are in its rest pose"
