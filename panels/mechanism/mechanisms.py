"""Panels of a mechanism: its settings and its state while live, the active body or joint, motion, bake."""

import bpy

from ...operators.mechanism.mechanisms import mechanism_owner
from ...operators.subject import rig_of
from ...rig.authoring.mechanism.finding import is_unlisted
from ...rig.live import live
from ...rig.mechanisms.closures import named_pairs
from ...rig.mechanisms.ownership import NONE, is_joint, owner_of
from ...rig.mechanisms.rest_pose import difference_now
from ..authoring.motion_style import MotionStyleMenu, draw_motion_style
from ..live.live import draw_start, hidden
from ..output.bake import draw_recording
from ..output.export import draw_export
from ..tab import Tab, draw_range, message, props, sentence

LINES = 4  # number of lines for the mechanism's state in the Mechanism panel


class MechanismTab(Tab):
    """Base of panels that need a mechanism in use."""

    bl_parent_id = "LIMBER_PT_mechanism"

    @classmethod
    def poll(cls, context):
        return mechanism_owner(context) is not None


class LIMBER_PT_mechanism(Tab):
    """Mechanism of bodies, joints and motors, also with closed loops"""

    bl_label = "Mechanism"
    bl_order = 11
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        owner = mechanism_owner(context)
        if owner is None:
            _draw_begin(self.layout, context)
        else:
            _draw_settings(self.layout, owner)
            _draw_active(self.layout, context, owner)


def _draw_begin(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draws the buttons that make a mechanism, for when none is in use."""
    sentence(
        layout,
        "Push rods, linkages and platforms: add one from the gallery, or make one of joints in the scene",
        "INFO",
    )
    layout.operator_menu_enum("limber.add_mechanism", "kind", icon="ADD")
    layout.operator("limber.new_mechanism", icon="CON_SIZELIKE")
    if (rig := rig_of(context)) is not None and rig.type == "ARMATURE" and named_pairs(rig):
        layout.operator("limber.close_named_loops", icon="LINKED")
    layout.operator("limber.import_closures", icon="IMPORT")
    _draw_part(layout, context.active_object)


def _draw_settings(layout: bpy.types.UILayout, owner: bpy.types.Object) -> None:
    """Draws the settings of the mechanism in use, its buttons (check, assemble, rest pose, live), and its
    state.
    """
    settings = owner.limber.mechanism
    row = layout.row()
    row.label(text=owner.name, icon="MOD_ARMATURE", translate=False)
    row.operator_menu_enum("limber.add_mechanism", "kind", text="", icon="ADD")
    if owner.type == "ARMATURE" or settings.use_bones:
        row = layout.row()
        row.enabled = not settings.live
        row.prop(settings, "use_bones")
        if settings.use_bones:
            row.prop(settings, "floating_base")
    row = layout.split(factor=0.3, align=True)
    row.label(text="Driven By", translate=False)
    row.row(align=True).prop(settings, "drive", expand=True)
    row = layout.row(align=True)
    row.operator("limber.check_mechanism", text="Check", icon="CHECKMARK")
    row.operator("limber.assemble_mechanism", icon="MOD_BUILD")
    if settings.joints:
        row = layout.row(align=True)
        row.operator("limber.set_rest_pose", icon="PINNED")
        row.operator("limber.go_to_rest_pose", icon="LOOP_BACK")
    draw_start(layout, settings)
    message(layout, _states(owner, settings), LINES)


def _draw_active(layout: bpy.types.UILayout, context: bpy.types.Context, owner: bpy.types.Object) -> None:
    """Draws the settings of the active object or bone as a body or joint of the mechanism in use, and New
    Mechanism if the object is connected to joints of none.
    """
    active, bone = context.active_object, context.active_pose_bone
    if active is not None and owner_of(active, context.scene) is None and is_unlisted(active, context.scene):
        layout.operator("limber.new_mechanism", icon="CON_SIZELIKE")
    if active is not owner:
        _draw_part(layout, active)
        if active is not None and is_joint(active):
            layout.operator("limber.align_joint", icon="ORIENTATION_GIMBAL")
    elif owner.limber.mechanism.use_bones and bone is not None:
        _draw_bone(layout, owner, bone)


def _states(owner, settings) -> list[tuple[str, str]]:
    """(sentence, icon) for the Mechanism panel: how far bodies are from their rest pose or, while the
    mechanism is live, its state.
    """
    if not settings.live:
        return [(difference_now(owner) if settings.joints else "", "ERROR")]
    session = live.session(owner, settings)
    states = hidden(settings)
    if session.problem:
        return [*states, (session.problem, "ERROR")]
    if session.remark:
        return [*states, (session.remark, "INFO")]
    if session.outputs is None:
        return states
    lag = max(
        (abs(a - b) for a, b in zip(session.outputs.values, session.outputs.desired, strict=True)),
        default=0.0,
    )
    arrived_text = (
        "The motors have reached their targets"
        if settings.drive == "TARGETS"
        else "The motors have their commanded values"
    )
    return [*states, (arrived_text if lag < 1e-6 else "The motors are moving to their targets", "CHECKMARK")]


def _draw_part(layout, obj) -> None:
    """Draws the settings of the active object: of an empty as a joint, of others as a body. A rigid body
    constraint has no settings here; for an armature or None nothing is drawn.
    """
    if obj is None or obj.type == "ARMATURE":
        return
    part = obj.limber.part
    box = layout.box()
    box.use_property_split = True
    box.label(text=obj.name, icon="OBJECT_DATA", translate=False)
    if obj.rigid_body_constraint is None and obj.type == "EMPTY":
        box.prop(part, "kind")
        if part.kind != NONE:
            props(box, part, "first", "second", "meets")
    elif obj.rigid_body_constraint is None:
        box.prop(part, "role")
        _draw_mass(box, part)


def _draw_bone(layout, owner, bone) -> None:
    """Draws the settings of the active bone as a body."""
    box = layout.box()
    box.use_property_split = True
    box.enabled = not owner.limber.mechanism.live
    box.label(text=bone.name, icon="BONE_DATA", translate=False)
    _draw_mass(box, bone.limber_body)


def _draw_mass(layout, body) -> None:
    """Draws where a body's mass comes from and, if it is the user's own value, the mass."""
    layout.prop(body, "mass_from")
    if body.mass_from == "OWN":
        layout.prop(body, "mass")


class LIMBER_MT_mechanism_motion_styles(MotionStyleMenu, bpy.types.Menu):
    """Motion styles for the mechanism: built-in ones, and those of chains, bodies and other mechanisms"""

    def settings(self, context):
        return mechanism_owner(context).limber.mechanism


class LIMBER_PT_mechanism_motion(MechanismTab):
    """Filter and limits of the motors' motion"""

    bl_label = "Motion"
    bl_order = 5
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_motion_style(
            self.layout, mechanism_owner(context).limber.mechanism, LIMBER_MT_mechanism_motion_styles.__name__
        )


class LIMBER_PT_mechanism_bake(MechanismTab):
    """Bake of the motion to keyframes, and its export to files"""

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
