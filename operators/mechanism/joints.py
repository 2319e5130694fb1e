"""Operators on the list of a mechanism's joints: add selected joints, find missing joints, remove a joint."""

from ...rig.authoring.mechanism.finding import missing_joints
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.live.live import as_authored
from ...rig.mechanisms.ownership import add_joint, deleted_joints, is_joint, owner_of
from ...rig.mechanisms.rest_pose import set_rest_pose
from ..operator import UndoOperator
from .items import RemovePart
from .mechanisms import needs_authoring, taken_up


def _add_joints(operator, context, owner, joint_objects: list) -> None:
    """Adds joints to the mechanism, sets the current pose as its rest pose, and reports the number."""
    for joint_object in joint_objects:
        add_joint(owner, joint_object)
    with as_authored() as depsgraph:
        set_rest_pose(owner, depsgraph)
    frame = context.scene.frame_current
    operator.report(
        {"INFO"},
        f"'{owner.name}' has {counted(len(joint_objects), 'joint')} more; its rest pose is that of frame"
        f" {frame}",
    )


class LIMBER_OT_add_mechanism_joints(UndoOperator):
    """Add the selected rigid body constraints and joint empties to the mechanism. The pose of this frame
    becomes its rest pose
    """

    bl_label = "Add Joints"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_authoring(context):
            return why
        if not any(
            is_joint(obj) and owner_of(obj, context.scene) is None for obj in context.selected_objects
        ):
            return (
                "No joint without a mechanism is selected: select rigid body constraints, or empties with a"
                " Joint of Limber's"
            )
        return ""

    def run(self, context):
        owner = taken_up(context)
        chosen = [obj for obj in context.selected_objects if is_joint(obj)]
        taken = next((obj for obj in chosen if owner_of(obj, context.scene) not in (None, owner)), None)
        if taken is not None:
            other = owner_of(taken, context.scene).name
            raise RigError(
                f"Joint '{taken.name}' is one of mechanism '{other}': remove it there first, or deselect it"
            )
        _add_joints(self, context, owner, [obj for obj in chosen if owner_of(obj, context.scene) is None])


class LIMBER_OT_find_mechanism_joints(UndoOperator):
    """Add all joints that are connected to the mechanism or are in its collection, and remove joints whose
    objects were deleted
    """

    bl_label = "Find Joints"

    why_not = needs_authoring

    def run(self, context):
        owner = taken_up(context)
        listed, deleted = owner.limber.mechanism.joints, deleted_joints(owner)
        for k in reversed(range(len(listed))):
            if listed[k].name in deleted:
                listed.remove(k)
        if deleted:
            self.report({"INFO"}, f"{counted(len(deleted), 'deleted joint')} removed from '{owner.name}'")
        missing = missing_joints(owner, context.scene)
        if missing:
            _add_joints(self, context, owner, missing)
        elif not deleted:
            self.report({"INFO"}, f"'{owner.name}' has all joints that are connected with it")


class LIMBER_OT_remove_mechanism_joint(RemovePart):
    """Remove the selected joint from the mechanism. Its object stays"""

    bl_label = "Remove Mechanism Joint"
    items, active = "joints", "active_joint"
