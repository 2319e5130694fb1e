"""Panels Motion Check and No-Go Zones."""

from ...operators.mechanism.mechanisms import mechanism_owner
from ...operators.movers import names_mover
from ...operators.subject import rig_of
from ...rig.output.motion_check import marks, view, zones
from ...rig.output.motion_check.check import result
from ...rig.output.motion_check.findings import KINDS
from ..mechanism.mechanisms import MechanismTab
from ..tab import ArmatureTab, ChainTab, List, listed, props, sentence


class LIMBER_UL_findings(List):
    """Findings of Motion Check; click one to jump to its frame"""

    def draw_row(self, context, layout, owner, item, index):
        layout.label(text=view.label(item), icon=KINDS[item.kind].icon, translate=False)


def draw_check(layout, context, owner) -> None:
    """Draws the buttons of Motion Check for an object's movers, and its findings."""
    shown = context.window_manager.limber_motion_check
    column = layout.column(align=True)
    props(column, shown, "lost_beyond", "changed_beyond")
    layout.operator("limber.check_motion", icon="VIEWZOOM")
    check_result = result(owner)
    if check_result is None:
        return
    if not check_result.findings:
        sentence(
            layout,
            f"Frames {check_result.frames[0]} to {check_result.frames[-1]}: nothing was found",
            "CHECKMARK",
        )
    elif shown.findings:
        layout.template_list("LIMBER_UL_findings", "", shown, "findings", shown, "active", rows=5)
        if 0 <= shown.active < len(shown.findings):
            sentence(layout, shown.findings[shown.active].name, KINDS[shown.findings[shown.active].kind].icon)
    row = layout.row(align=True)
    row.operator("limber.mark_findings", icon="MARKER_HLT")
    if marks.are_there(context.scene):
        row.operator("limber.clear_marks", text="", icon="X")
    row = layout.row(align=True)
    row.operator("limber.save_findings", icon="FILE_TEXT")
    row.operator("limber.save_motion_picture", icon="IMAGE_DATA")


class LIMBER_PT_motion_check(ChainTab):
    """Exceeded joint limits, discontinuities and lost targets in the scene's frames"""

    bl_label = "Motion Check"
    bl_parent_id = "LIMBER_PT_motion"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 2

    def draw(self, context):
        draw_check(self.layout, context, rig_of(context))


class LIMBER_PT_retarget_check(ArmatureTab):
    """Exceeded joint limits, discontinuities and lost sources in the scene's frames"""

    bl_label = "Motion Check"
    bl_parent_id = "LIMBER_PT_retarget"
    bl_order = 1
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        names_mover(self.layout, rig_of(context).limber.retarget)
        draw_check(self.layout, context, rig_of(context))


class LIMBER_PT_mechanism_check(MechanismTab):
    """Exceeded motor limits, discontinuities and targets that cannot be met in the scene's frames"""

    bl_label = "Motion Check"
    bl_order = 7
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        owner = mechanism_owner(context)
        names_mover(self.layout, owner.limber.mechanism)
        draw_check(self.layout, context, owner)


class LIMBER_UL_zones(List):
    """No-go zones; those that cannot be checked are marked"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        trouble = zones.trouble(context, item)
        if trouble and item.name:
            row.label(text=item.name, icon="ERROR", translate=False)
        row.prop(item, "zone", text="", icon="CUBE")


class LIMBER_PT_zones(ChainTab):
    """Objects that links of the chains must not enter"""

    bl_label = "No-Go Zones"
    bl_order = 0
    bl_parent_id = "LIMBER_PT_motion_check"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        limber = rig_of(context).limber
        add, remove = "limber.add_zone", "limber.remove_zone"
        zone = listed(layout, "LIMBER_UL_zones", limber, "zones", "active_zone", add=add, remove=remove)
        if zone is None:
            sentence(
                layout,
                "What the robot must not touch: select empties or meshes around it and press +",
                "INFO",
            )
            return
        if trouble := zones.trouble(context, zone):
            sentence(layout, trouble, "ERROR")
        else:
            sentence(layout, zones.counts_as(zone.zone), "INFO")
        column = layout.column()
        column.use_property_split = True
        column.prop(limber, "link_radius")
        column.prop(context.window_manager.limber_view, "entered", text="Show Where")
