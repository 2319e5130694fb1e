"""Operators on a chain's eyes: bones as eyelids, and a value of the robot that follows the eyelids."""

from bpy.props import StringProperty

from ...rig.blender.errors import RigError
from ...rig.blender.free_name import free_name
from ...rig.robot import values
from ...rig.robot.lid_values import lid_path
from ..operator import UndoOperator
from ..remove_item import RemoveItem
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_add_lid(UndoOperator):
    """Make the active bone an eyelid of the chain: it closes when the eyes blink, and follows the gaze"""

    bl_label = "Add Lid"

    bone: StringProperty(
        name="Bone",
        description="Bone that becomes an eyelid. Empty: the active bone",
        options={"SKIP_SAVE"},
    )

    why_not = needs_chain

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        active = context.active_pose_bone
        name = self.bone or (active.name if active is not None and active.id_data == rig else "")
        for other in rig.limber.chains if name else ():
            if name in {joint.bone for joint in other.joints}:
                raise RigError(
                    f"Bone '{name}' has a joint of chain '{other.name}': choose a bone that is a lid alone"
                )
            if name in {lid.bone for lid in other.eyes.lids}:
                raise RigError(f"Bone '{name}' is a lid of chain '{other.name}' already: choose another bone")
        lids = chain.eyes.lids
        names = {lid.name for lid in lids}
        lid = lids.add()
        lid.bone, lid.name = name, free_name(f"Lid {len(lids)}", names)
        chain.eyes.active_lid = len(lids) - 1
        chain.eyes.enabled = True
        rig.update_tag()


class LIMBER_OT_remove_lid(RemoveItem):
    """Remove the selected eyelid from the list. Its bone stays"""

    bl_label = "Remove Lid"
    items, active, empty = "lids", "active_lid", "There is no lid: press + first"

    needs = staticmethod(needs_chain)

    @classmethod
    def _owner(cls, context):
        return chain_of(context).eyes


class LIMBER_OT_add_lid_value(UndoOperator):
    """Add to the robot a value that follows how far the eyelids are closed, for a servo or a light"""

    bl_label = "Add Lids to Robot"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_chain(context):
            return why
        rig, path = rig_of(context), lid_path(chain_of(context))
        if any(value.owner == rig and value.path == path for value in rig.limber.device.auxiliaries):
            return "The lids are a value of the robot already: see Values under Robot"
        return ""

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        value = rig.limber.device.auxiliaries.add()
        value.owner, value.path = rig, lid_path(chain)
        values.set_up(rig.limber.device, value, 0.0)
        value.low, value.high = 0.0, 1.0
        value.velocity, value.acceleration, value.jerk = LID_RATES
        chain.eyes.enabled = True
        self.report({"INFO"}, f"Value '{value.name}' follows the lids of chain '{chain.name}'")


# [1/s, 1/s², 1/s³] limits of the velocity, acceleration and jerk of a value that is 1 when lids are closed:
# fast enough for a blink, which closes them in 0.1 s
LID_RATES = (20.0, 400.0, 16000.0)
