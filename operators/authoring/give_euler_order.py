import bpy
from bpy.props import EnumProperty

from ...rig.authoring import chains
from ...rig.authoring.rotation_mode import give_euler_order
from ..errors import reports_errors
from ..subject import chain_of, poll_chain, rig_of
from .euler_consent import ORDERS


class LIMBER_OT_give_euler_order(bpy.types.Operator):
    """Convert the chain's bones from quaternion or axis-angle rotation to Euler angles, with their pose and keyframes"""

    bl_idname = "limber.give_euler_order"
    bl_label = "Give Euler Order"
    bl_options = {"REGISTER", "UNDO"}

    order: EnumProperty(name="Order", description="Euler order for those bones", items=ORDERS, default="XYZ")

    poll = classmethod(poll_chain)

    @reports_errors
    def execute(self, context):
        rig, chain = rig_of(context), chain_of(context)
        names = chains.without_euler_order(rig, chain)
        give_euler_order(rig, names, self.order)
        if names:
            self.report({"INFO"}, f"Bones that rotate by {self.order} Euler now: {', '.join(names)}")
        else:
            self.report({"INFO"}, "All bones of the chain that rotate have an Euler order")
        return {"FINISHED"}
