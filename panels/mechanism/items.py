"""Lists of a mechanism's joints, goals, motors and closures, and the panels around them."""

import bpy

from ...operators.mechanism.mechanisms import mechanism_owner
from ...rig.authoring.mechanism.findings import value_text
from ...rig.blender.presence import is_deleted
from ...rig.bones.axes import is_prismatic
from ...rig.live import live
from ...rig.mechanisms.closures import named_pairs
from ...rig.mechanisms.inputs import WEIGHTS
from ...rig.mechanisms.ownership import is_joint, kind_text
from ..authoring.motion_style import draw_own_style
from ..tab import List, Tab, draw_limits, draw_target_bone, listed, props, sentence
from .mechanisms import MechanismTab


class LIMBER_UL_motors(List):
    """Motors of the mechanism, with their values"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.split(factor=0.72, align=True)
        row.label(
            text=item.name,
            icon="DRIVER_ROTATIONAL_DIFFERENCE" if not is_prismatic(item.axis) else "DRIVER_DISTANCE",
            translate=False,
        )
        values = live.session(item.id_data, owner).values() if owner.live else {}
        row.label(text=value_text(item, values.get(item.key, item.value)), translate=False)


class LIMBER_UL_mechanism_goals(List):
    """Goals of the mechanism, with their kinds"""

    def draw_row(self, context, layout, owner, item, index):
        split = layout.split(factor=0.4, align=True)
        split.prop(item, "name", text="", emboss=False, icon="NONE" if item.target else "ERROR")
        split.prop(item, "does", text="", emboss=False)


class LIMBER_UL_mechanism_joints(List):
    """Joints of the mechanism, with their types"""

    def draw_row(self, context, layout, owner, item, index):
        joint_object = item.object
        row = layout.row(align=True)
        row.enabled = not owner.live
        row.prop(item, "enabled", text="")
        if joint_object is None or is_deleted(joint_object):
            row.label(text=f"{item.name} (deleted)", icon="ERROR", translate=False)
            return
        split = row.split(factor=0.6, align=True)
        split.label(
            text=joint_object.name, icon="NONE" if is_joint(joint_object) else "ERROR", translate=False
        )
        split.label(text=kind_text(joint_object), translate=False)


class LIMBER_UL_closures(List):
    """Closures between bones, with their types of joint"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "kind", text="", emboss=False)


class LIMBER_PT_mechanism_joints(MechanismTab):
    """Objects that are joints between bodies of the mechanism"""

    bl_label = "Joints"
    bl_order = 0
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        owner = mechanism_owner(context)
        return owner is not None and (
            not owner.limber.mechanism.use_bones or bool(owner.limber.mechanism.joints)
        )

    def draw(self, context):
        settings = mechanism_owner(context).limber.mechanism
        add, remove = "limber.add_mechanism_joints", "limber.remove_mechanism_joint"
        listed(
            self.layout,
            "LIMBER_UL_mechanism_joints",
            settings,
            "joints",
            "active_joint",
            add=add,
            remove=remove,
            rows=4,
        )
        self.layout.operator("limber.find_mechanism_joints", icon="VIEWZOOM")


class LIMBER_PT_mechanism_goals(MechanismTab):
    """Goals of the mechanism's bodies and of its centre of mass"""

    bl_label = "Goals"
    bl_order = 1

    @classmethod
    def poll(cls, context):
        owner = mechanism_owner(context)
        return owner is not None and owner.limber.mechanism.drive == "TARGETS"

    def draw(self, context):
        layout = self.layout
        owner = mechanism_owner(context)
        settings = owner.limber.mechanism
        add, remove = "limber.add_mechanism_goal", "limber.remove_mechanism_goal"
        goal = listed(
            layout, "LIMBER_UL_mechanism_goals", settings, "goals", "active_goal", add=add, remove=remove
        )
        if goal is not None:
            layout.use_property_split = True
            _draw_goal(layout, owner, settings, goal)
        layout.use_property_split = True
        if any(goal.does == "CENTRE" for goal in settings.goals):
            column = layout.column()
            column.enabled = not settings.live
            column.prop(settings, "density")


def _draw_goal(
    layout: bpy.types.UILayout,
    owner: bpy.types.Object,
    settings: bpy.types.PropertyGroup,
    goal: bpy.types.PropertyGroup,
) -> None:
    """Draws a goal of a mechanism: of a body, or of the centre of mass, which has no body of its own."""
    is_centre = goal.does == "CENTRE"
    if not is_centre:
        if settings.use_bones and owner.type == "ARMATURE":
            layout.prop_search(goal, "bone", owner.data, "bones")
        # a mechanism of bones may have joints between objects too, whose bodies are objects
        if not settings.use_bones or settings.joints:
            layout.prop(goal, "body")
    layout.prop(goal, "target")
    draw_target_bone(layout, goal)
    if not is_centre:
        row = layout.row(align=True)
        row.operator("limber.keep_goal_offset", icon="PINNED")
        row.operator("limber.keep_goal_offset", text="", icon="X").is_cleared = True
    if "direction_weight" in WEIGHTS[goal.does]:
        layout.row().prop(goal, "axis", expand=True)
    for weight in WEIGHTS[goal.does]:
        layout.prop(goal, weight)
    if is_centre:
        row = layout.row(align=True)
        row.operator("limber.key_support", text="Stand on This", icon="KEYFRAME").carries = "THIS"
        row.operator("limber.key_support", text="Stand on All", icon="KEYFRAME").carries = "ALL"


class LIMBER_PT_mechanism_regularisation(Tab):
    """Weights that keep bodies from moving far or fast"""

    bl_label = "Regularisation"
    bl_parent_id = "LIMBER_PT_mechanism_goals"
    bl_order = 0
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        settings = mechanism_owner(context).limber.mechanism
        props(layout, settings, "steady", "velocity_weight")
        row = layout.row()
        row.enabled = settings.velocity_weight > 0.0
        row.prop(settings, "velocity_threshold")


class LIMBER_PT_mechanism_motors(MechanismTab):
    """Motors of the mechanism: the degrees of freedom that they move, and their limits"""

    bl_label = "Motors"
    bl_order = 2

    def draw(self, context):
        layout = self.layout
        settings = mechanism_owner(context).limber.mechanism
        add, remove = "limber.add_motors", "limber.remove_motor"
        motor = listed(
            layout, "LIMBER_UL_motors", settings, "motors", "active_motor", add=add, remove=remove, rows=3
        )
        layout.use_property_split = True
        if motor is not None:
            unit = "linear_" if is_prismatic(motor.axis) else ""
            if settings.drive == "TARGETS":
                layout.prop(motor, "keeps_value")
            if settings.drive == "MOTORS" or motor.keeps_value:
                layout.prop(motor, unit + "value")
            draw_limits(layout, motor)
            draw_own_style(layout, motor, settings.filter)


class LIMBER_PT_mechanism_closures(MechanismTab):
    """Additional joints that hold two bones together and close loops"""

    bl_label = "Closures"
    bl_order = 4

    @classmethod
    def poll(cls, context):
        owner = mechanism_owner(context)
        return owner is not None and owner.type == "ARMATURE" and owner.limber.mechanism.use_bones

    def draw(self, context):
        layout = self.layout
        settings = mechanism_owner(context).limber.mechanism
        if settings.closures_file:
            sentence(layout, "The robot's own file has the closures", "INFO")
            return
        add, remove = "limber.add_closure", "limber.remove_closure"
        closure = listed(
            layout, "LIMBER_UL_closures", settings, "closures", "active_closure", add=add, remove=remove
        )
        owner = mechanism_owner(context)
        if named_pairs(owner):
            layout.operator("limber.close_named_loops", icon="LINKED")
        if closure is not None:
            layout.use_property_split = True
            layout.prop_search(closure, "first", owner.data, "bones")
            layout.prop(closure, "first_point")
            layout.prop_search(closure, "second", owner.data, "bones")
            props(layout, closure, "second_point", "kind", "axis")
