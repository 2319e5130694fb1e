"""Panel Coupled Limits: bounds of weighted sums of joint angles, which a body's motion keeps."""

from ...operators.subject import rig_of
from ...rig.bones.axes import label
from ..tab import ArmatureTab, List, listed, props


class LIMBER_UL_coupled_limits(List):
    """Coupled limits of a body"""

    def draw_row(self, context, layout, owner, item, index):
        layout.prop(item, "name", text="", emboss=False)


class LIMBER_UL_coupled_joints(List):
    """Joints of a coupled limit, each with its factor"""

    def draw_row(self, context, layout, owner, item, index):
        layout.use_property_split = False  # a split row, which the panel has set, leaves no room for names
        row = layout.row()
        row.label(text=label(item.bone or "?", item.axis), translate=False)
        row.prop(item, "factor", text="")


class LIMBER_PT_coupled_limits(ArmatureTab):
    """Limits of weighted sums of joint angles, as in a shoulder whose cables cross several joints"""

    bl_label = "Coupled Limits"
    bl_parent_id = "LIMBER_PT_retarget"
    bl_order = 0
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        retarget = rig_of(context).limber.retarget
        layout.use_property_split = True
        layout.use_property_decorate = False
        limit = listed(
            layout,
            "LIMBER_UL_coupled_limits",
            retarget,
            "coupled_limits",
            "active_coupled_limit",
            add="limber.add_coupled_limit",
            remove="limber.remove_coupled_limit",
        )
        if limit is None:
            return
        props(layout.column(align=True), limit, "lower", "upper")
        joint = listed(
            layout,
            "LIMBER_UL_coupled_joints",
            limit,
            "joints",
            "active_joint",
            add="limber.add_coupled_joint",
            remove="limber.remove_coupled_joint",
            rows=3,
        )
        if joint is not None:
            layout.prop_search(joint, "bone", rig_of(context).data, "bones")
            layout.prop(joint, "axis")
