"""Panels Chain and Joints."""

import bpy

from ...operators.subject import rig_of
from ...rig.authoring import chains, gallery_robot
from ...rig.authoring.next_step import CHAIN, next_step
from ...rig.blender.selection import selected
from ...rig.chains.chain import filter_in_use
from ..tab import ChainTab, Tab, draw_limits, listed, sentence
from .motion_style import draw_own_style


class LIMBER_MT_chains(bpy.types.Menu):
    """Operators that add chains and have no button in the panel"""

    bl_label = "Chain Specials"

    def draw(self, context):
        layout = self.layout
        layout.operator("limber.eyes_head_torso", icon="HIDE_OFF")
        layout.operator("limber.import_robot", icon="IMPORT")


class LIMBER_PT_rig(Tab):
    """Chains of the armature in use"""

    bl_label = "Chain"
    bl_order = 1
    bl_idname = "LIMBER_PT_rig"

    def draw_header_preset(self, context):
        rig = rig_of(context)
        if rig is not None and rig.type == "ARMATURE":
            self.layout.label(text=rig.name, translate=False)

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        if rig is None or rig.type != "ARMATURE":
            sentence(layout, "No armature is active: click the armature of a character or robot", "INFO")
            column = layout.column(align=True)
            column.operator("limber.import_robot", icon="IMPORT")
            column.operator("limber.import_from_robot", icon="URL")
            if rig is not None:  # otherwise the panel Next Step has the button for the demo lamp
                column.operator("limber.add_demo_lamp", icon="LIGHT")
            return
        if not rig.limber.chains:
            column = layout.column(align=True)
            # otherwise the panel Next Step has the button for a new chain
            if next_step(rig, False) is not CHAIN:
                column.operator("limber.new_chain", icon="ADD")
            column.operator("limber.eyes_head_torso", icon="HIDE_OFF")
            return
        names = ("LIMBER_UL_chains", rig.limber, "chains", "active_chain")
        listed(
            layout,
            *names,
            add="limber.new_chain",
            remove="limber.remove_chain",
            menu=LIMBER_MT_chains.__name__,
        )
        layout.operator("limber.check_chain", icon="CHECKMARK")
        if gallery_robot.KEY in rig.data:
            layout.operator("limber.about_robot", icon="INFO")


class LIMBER_PT_joints(ChainTab):
    """Limits of the chain's joints"""

    bl_label = "Joints"
    bl_order = 0
    bl_parent_id = "LIMBER_PT_rig"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        layout.template_list("LIMBER_UL_joints", "", chain, "joints", chain, "active_joint", rows=4)
        layout.operator("limber.match_joints", icon="FILE_REFRESH")
        layout.operator("limber.import_joint_limits", icon="IMPORT")
        joint = selected(chain.joints, chain.active_joint)
        if joint is None:
            return
        layout.use_property_split = True
        draw_limits(layout, joint)
        draw_own_style(layout, joint, filter_in_use(rig_of(context), chain))
