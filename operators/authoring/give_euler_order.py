from bpy.props import EnumProperty

from ...rig.authoring import chains
from ...rig.authoring.rotation_mode import give_euler_order
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of
from .euler_consent import ORDERS


class LIMBER_OT_give_euler_order(UndoOperator):
    """Convert the chain's bones from quaternion or axis-angle rotation to Euler angles, with their pose and keyframes"""

    bl_label = "Give Euler Order"

    order: EnumProperty(name="Order", description="Euler order for those bones", items=ORDERS, default="XYZ")

    why_not = needs_chain

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        names = chains.without_euler_order(rig, chain)
        give_euler_order(rig, names, self.order)
        if names:
            self.report({"INFO"}, f"Bones that rotate by {self.order} Euler now: {', '.join(names)}")
        else:
            self.report({"INFO"}, "All bones of the chain that rotate have an Euler order")
