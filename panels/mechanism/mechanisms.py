"""Mechanisms: joints, goals, motors and closures, state while live, motion, baking."""

import bpy

from ...operators.mechanism.mechanisms import mechanism_owner
from ...operators.subject import rig_of
from ...rig.authoring.mechanism.finding import is_unlisted
from ...rig.authoring.mechanism.findings import value_text
from ...rig.blender.presence import is_deleted
from ...rig.live import live
from ...rig.reading.axes import is_prismatic
from ...rig.reading.mechanism.closures import named_pairs
from ...rig.reading.mechanism.inputs import WEIGHTS
from ...rig.reading.mechanism.ownership import NONE, is_joint, kind_text, owner_of
from ...rig.reading.mechanism.rest_pose import difference_now
from ..authoring.character import CharacterMenu, draw_character
from ..live.live import draw_start
from ..output.bake import draw_recording
from ..output.export import draw_export
from ..tab import List, Tab, draw_limits, draw_range, listed, props, sentence


class MechanismTab(Tab):
    """Base of panels that need a mechanism in use."""

    bl_parent_id = "LIMBER_PT_mechanism"

    @classmethod
    def poll(cls, context):
        return mechanism_owner(context) is not None


class LIMBER_UL_motors(List):
    """Motors of the mechanism, with their values"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.split(factor=0.72, align=True)
        row.label(text=item.name, icon="DRIVER_ROTATIONAL_DIFFERENCE" if not is_prismatic(item.axis) else "DRIVER_DISTANCE")
        values = live.session(item.id_data, owner).values() if owner.live else {}
        row.label(text=value_text(item, values.get(item.key, item.value)))


class LIMBER_UL_mechanism_goals(List):
    """Goals of the mechanism"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False, icon="NONE" if item.target else "ERROR")
        row.prop(item, "does", text="", emboss=False)


class LIMBER_UL_mechanism_joints(List):
    """Joints of the mechanism"""

    def draw_row(self, context, layout, owner, item, index):
        thing = item.object
        row = layout.row(align=True)
        row.enabled = not owner.live
        row.prop(item, "enabled", text="")
        if thing is None or is_deleted(thing):
            row.label(text=f"{item.name} (deleted)", icon="ERROR")
            return
        split = row.split(factor=0.6, align=True)
        split.label(text=thing.name, icon="EMPTY_AXIS" if is_joint(thing) else "ERROR")
        split.label(text=kind_text(thing))


class LIMBER_UL_closures(List):
    """Closures between bones"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "kind", text="", emboss=False)


class LIMBER_PT_mechanism(Tab):
    """Bodies and joints with closed loops"""

    bl_label = "Mechanism"
    bl_order = 10
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        owner = mechanism_owner(context)
        if owner is None:
            sentence(layout, "Push rods, linkages and platforms: add one from the gallery, or make one of joints in the scene", "INFO")
            layout.operator_menu_enum("limber.add_mechanism", "kind", icon="ADD")
            layout.operator("limber.new_mechanism", icon="CON_SIZELIKE")
            if (rig := rig_of(context)) is not None and rig.type == "ARMATURE" and named_pairs(rig):
                layout.operator("limber.close_named_loops", icon="LINKED")
            layout.operator("limber.import_closures", icon="IMPORT")
            _draw_part(layout, context.active_object)
            return
        settings = owner.limber.mechanism
        row = layout.row()
        row.label(text=owner.name, icon="MOD_ARMATURE")
        row.operator_menu_enum("limber.add_mechanism", "kind", text="", icon="ADD")
        if owner.type == "ARMATURE" or settings.use_bones:
            row = layout.row()
            row.enabled = not settings.live
            row.prop(settings, "use_bones")
        row = layout.split(factor=0.3, align=True)
        row.label(text="Driven By")
        row.row(align=True).prop(settings, "drive", expand=True)
        row = layout.row(align=True)
        row.operator("limber.check_mechanism", text="Check", icon="CHECKMARK")
        row.operator("limber.assemble_mechanism", icon="MOD_BUILD")
        if settings.joints:
            row = layout.row(align=True)
            row.operator("limber.set_rest_pose", icon="PINNED")
            row.operator("limber.go_to_rest_pose", icon="LOOP_BACK")
            if not settings.live and (difference := difference_now(owner)):
                sentence(layout, difference, "ERROR")
        draw_start(layout, settings)
        if settings.live:
            _draw_outcome(layout, settings, live.session(owner, settings))
        active = context.active_object
        if active is not None and owner_of(active, context.scene) is None and is_unlisted(active, context.scene):
            layout.operator("limber.new_mechanism", icon="CON_SIZELIKE")
        bone = context.active_pose_bone
        if active is owner and settings.use_bones and bone is not None:
            _draw_bone(layout, owner, bone)
        elif active is not owner:
            _draw_part(layout, active)
            if active is not None and is_joint(active):
                layout.operator("limber.align_joint", icon="ORIENTATION_GIMBAL")


def _draw_outcome(layout, settings, session) -> None:
    if session.problem:
        sentence(layout, session.problem, "ERROR")
    elif session.remark:
        sentence(layout, session.remark, "INFO")
    elif session.outputs is not None:
        lag = max((abs(a - b) for a, b in zip(session.outputs.values, session.outputs.desired, strict=True)), default=0.0)
        there = "The motors have reached their targets" if settings.drive == "TARGETS" else "The motors have their commanded values"
        sentence(layout, there if lag < 1e-6 else "The motors are moving to their targets", "CHECKMARK")


def _draw_part(layout, thing) -> None:
    """Draws the settings of the active object as a body or joint."""
    if thing is None or thing.type == "ARMATURE":
        return
    part = thing.limber.part
    box = layout.box()
    box.use_property_split = True
    box.label(text=thing.name, icon="OBJECT_DATA")
    if thing.rigid_body_constraint is None and thing.type == "EMPTY":
        box.prop(part, "kind")
        if part.kind != NONE:
            props(box, part, "first", "second", "meets")
    elif thing.rigid_body_constraint is None:
        box.prop(part, "role")
        _draw_mass(box, part)


def _draw_bone(layout, owner, bone) -> None:
    """Draws the settings of the active bone as a body."""
    box = layout.box()
    box.use_property_split = True
    box.enabled = not owner.limber.mechanism.live
    box.label(text=bone.name, icon="BONE_DATA")
    _draw_mass(box, bone.limber_body)


def _draw_mass(layout, body) -> None:
    layout.prop(body, "mass_from")
    if body.mass_from == "OWN":
        layout.prop(body, "mass")


class LIMBER_PT_mechanism_joints(MechanismTab):
    """Joints between objects"""

    bl_label = "Joints"
    bl_order = 0
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        owner = mechanism_owner(context)
        return owner is not None and (not owner.limber.mechanism.use_bones or bool(owner.limber.mechanism.joints))

    def draw(self, context):
        settings = mechanism_owner(context).limber.mechanism
        add, remove = "limber.add_mechanism_joints", "limber.remove_mechanism_joint"
        listed(self.layout, "LIMBER_UL_mechanism_joints", settings, "joints", "active_joint", add=add, remove=remove, rows=4)
        self.layout.operator("limber.find_mechanism_joints", icon="VIEWZOOM")


class LIMBER_PT_mechanism_goals(MechanismTab):
    """Goals of bodies"""

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
        goal = listed(layout, "LIMBER_UL_mechanism_goals", settings, "goals", "active_goal", add=add, remove=remove)
        if goal is not None:
            layout.use_property_split = True
            if goal.does != "CENTRE":
                if settings.use_bones and owner.type == "ARMATURE":
                    layout.prop_search(goal, "bone", owner.data, "bones")
                if not settings.use_bones or settings.joints:
                    layout.prop(goal, "body")
            layout.prop(goal, "target")
            if goal.target is not None and goal.target.type == "ARMATURE":
                layout.prop_search(goal, "target_bone", goal.target.data, "bones")
            if goal.does != "CENTRE":
                row = layout.row(align=True)
                row.operator("limber.keep_goal_offset", icon="PINNED")
                row.operator("limber.keep_goal_offset", text="", icon="X").is_cleared = True
            if "direction_weight" in WEIGHTS[goal.does]:
                layout.row().prop(goal, "axis", expand=True)
            for weight in WEIGHTS[goal.does]:
                layout.prop(goal, weight)
        layout.use_property_split = True
        if any(goal.does == "CENTRE" for goal in settings.goals):
            column = layout.column()
            column.enabled = not settings.live
            column.prop(settings, "density")


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
    """Degrees of freedom that motors move"""

    bl_label = "Motors"
    bl_order = 2

    def draw(self, context):
        layout = self.layout
        settings = mechanism_owner(context).limber.mechanism
        add, remove = "limber.add_motors", "limber.remove_motor"
        motor = listed(layout, "LIMBER_UL_motors", settings, "motors", "active_motor", add=add, remove=remove, rows=3)
        layout.use_property_split = True
        if motor is not None:
            unit = "linear_" if is_prismatic(motor.axis) else ""
            if settings.drive == "TARGETS":
                layout.prop(motor, "keeps_value")
            if settings.drive == "MOTORS" or motor.keeps_value:
                layout.prop(motor, unit + "value")
            draw_limits(layout, motor)


class LIMBER_PT_mechanism_closures(MechanismTab):
    """Bones that are held together"""

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
        closure = listed(layout, "LIMBER_UL_closures", settings, "closures", "active_closure", add=add, remove=remove)
        owner = mechanism_owner(context)
        if named_pairs(owner):
            layout.operator("limber.close_named_loops", icon="LINKED")
        if closure is not None:
            layout.use_property_split = True
            layout.prop_search(closure, "first", owner.data, "bones")
            layout.prop(closure, "first_point")
            layout.prop_search(closure, "second", owner.data, "bones")
            props(layout, closure, "second_point", "kind", "axis")


class LIMBER_MT_mechanism_characters(CharacterMenu, bpy.types.Menu):
    """Characters for the mechanism, built in and your own"""

    def settings(self, context):
        return mechanism_owner(context).limber.mechanism


class LIMBER_PT_mechanism_motion(MechanismTab):
    """Filter and limits of the motors' motion"""

    bl_label = "Motion"
    bl_order = 5
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_character(self.layout, mechanism_owner(context).limber.mechanism, LIMBER_MT_mechanism_characters.__name__)


class LIMBER_PT_mechanism_bake(MechanismTab):
    """Motion to keyframes and to files"""

    bl_label = "Bake and Export"
    bl_order = 6
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        settings = mechanism_owner(context).limber.mechanism
        draw_range(layout, settings)
        layout.operator("limber.bake", icon="KEYFRAME")
        draw_recording(layout, mechanism_owner(context))
        draw_export(layout, mechanism_owner(context))
