"""Operators for a body's coupled limits: add and remove limits and their joints."""

from ...rig.blender.errors import RigError
from ...rig.blender.free_name import free_name
from ...rig.blender.selection import selected
from ...rig.bones.joint_axes import joint_axes
from ..operator import UndoOperator
from ..remove_item import RemoveItem
from ..subject import needs_armature, rig_of


def limit_of(context):
    """The selected coupled limit of the body of the armature in use; None if there is none."""
    retarget = rig_of(context).limber.retarget
    return selected(retarget.coupled_limits, retarget.active_coupled_limit)


def needs_limit(context) -> str:
    """Why there is no coupled limit to change, with the remedy; "" if there is one."""
    return needs_armature(context) or (
        "" if limit_of(context) is not None else "There is no coupled limit: add one with + above"
    )


class LIMBER_OT_add_coupled_limit(UndoOperator):
    """Add bounds for a weighted sum of joint angles. Then add the joints to the sum"""

    bl_label = "Add Coupled Limit"

    why_not = needs_armature

    def run(self, context):
        retarget = rig_of(context).limber.retarget
        name = free_name("Coupled Limit", {limit.name for limit in retarget.coupled_limits})
        retarget.coupled_limits.add().name = name
        retarget.active_coupled_limit = len(retarget.coupled_limits) - 1


class LIMBER_OT_remove_coupled_limit(RemoveItem):
    """Remove the selected coupled limit"""

    bl_label = "Remove Coupled Limit"

    items, active = "coupled_limits", "active_coupled_limit"

    @classmethod
    def _owner(cls, context):
        return rig_of(context).limber.retarget


class LIMBER_OT_add_coupled_joint(UndoOperator):
    """Add a joint of the active bone to the coupled limit: its first unlocked axis that is not in the limit
    yet
    """

    bl_label = "Add Coupled Joint"

    why_not = needs_limit

    def run(self, context):
        rig, limit = rig_of(context), limit_of(context)
        bone = rig.data.bones.active
        if bone is None:
            raise RigError("No bone is active: select the bone of the joint in Pose Mode")
        listed = {joint.axis for joint in limit.joints if joint.bone == bone.name}
        free = [axis for axis in joint_axes(rig.pose.bones[bone.name]) if axis not in listed]
        if not free:
            raise RigError(
                f"Bone '{bone.name}' has no further unlocked axis: select another bone, or unlock one"
            )
        joint = limit.joints.add()
        joint.name = joint.bone = bone.name
        joint.axis = free[0]
        limit.active_joint = len(limit.joints) - 1


class LIMBER_OT_remove_coupled_joint(RemoveItem):
    """Remove the selected joint from the coupled limit"""

    bl_label = "Remove Coupled Joint"

    items, active = "joints", "active_joint"
    needs = staticmethod(needs_limit)

    @classmethod
    def _owner(cls, context):
        return limit_of(context)
