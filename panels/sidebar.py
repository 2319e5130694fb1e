"""The Limber tab: rig, postures, gaze, motion, robot, bake, in the order of the work."""

from math import degrees

import bpy

from ..hardware.safety import State
from ..operators.subject import rig_of
from ..rig import chains, live, robot
from ..rig.keymap import STOP_KEY

WIDE = 46  # characters of a sentence that fit a sidebar of usual width


def sentence(layout, text: str, icon: str = "NONE") -> None:
    """A sentence over as many lines as it needs."""
    column = layout.column(align=True)
    line, lines = "", []
    for word in text.split():
        if line and len(line) + 1 + len(word) > WIDE:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    for number, words in enumerate([*lines, line]):
        column.label(text=words, icon=icon if number == 0 else "BLANK1" if icon != "NONE" else "NONE")


class _Tab:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Limber"


class _ChainTab(_Tab):
    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and chains.active(rig) is not None


class LIMBER_UL_chains(bpy.types.UIList):
    """Chains of the armature, with a light for those that are live"""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        layout.prop(item, "name", text="", emboss=False, icon="CON_ROTLIMIT")
        layout.label(text="", icon="RADIOBUT_ON" if item.live else "RADIOBUT_OFF")


class LIMBER_UL_joints(bpy.types.UIList):
    """Joints of the chain with their limits"""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        row = layout.row(align=True)
        row.label(text=f"{item.bone} {item.axis}")
        row.prop(item, "lower", text="", emboss=False)
        row.prop(item, "upper", text="", emboss=False)


class LIMBER_UL_postures(bpy.types.UIList):
    """Stored postures; double-click to rename"""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        if item.action:
            layout.prop(item.action, "name", text="", emboss=False, icon="POSE_HLT")
        else:
            layout.label(text="Its pose asset was deleted", icon="ERROR")


class LIMBER_PT_rig(_Tab, bpy.types.Panel):
    """Chains of the active armature"""

    bl_label = "Rig"
    bl_idname = "LIMBER_PT_rig"

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        if rig is None:
            sentence(layout, "No armature is active: click the robot's armature", "INFO")
            return
        row = layout.row()
        row.template_list("LIMBER_UL_chains", "", rig.limber, "chains", rig.limber, "active_chain", rows=2)
        column = row.column(align=True)
        column.operator("limber.remove_chain", text="", icon="REMOVE")
        if rig.mode != "POSE" and not rig.limber.chains:
            sentence(layout, "Switch to Pose Mode and select the end bone, or root and end", "INFO")
        layout.operator("limber.new_chain", icon="ADD")
        if rig.limber.chains:
            layout.operator("limber.check_chain", icon="CHECKMARK")


class LIMBER_PT_joints(_ChainTab, bpy.types.Panel):
    """Limits of the chain's joints"""

    bl_label = "Joints"
    bl_parent_id = "LIMBER_PT_rig"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        layout.template_list("LIMBER_UL_joints", "", chain, "joints", chain, "active_joint", rows=4)
        layout.operator("limber.match_joints", icon="FILE_REFRESH")
        if not chain.joints:
            return
        joint = chain.joints[min(chain.active_joint, len(chain.joints) - 1)]
        layout.use_property_split = True
        column = layout.column(align=True)
        column.prop(joint, "lower")
        column.prop(joint, "upper")
        column = layout.column(align=True)
        column.prop(joint, "velocity")
        column.prop(joint, "acceleration")
        column.prop(joint, "jerk")


class LIMBER_PT_postures(_ChainTab, bpy.types.Panel):
    """Postures that the chain can keep while it looks"""

    bl_label = "Postures"

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        row = layout.row()
        row.template_list("LIMBER_UL_postures", "", chain, "postures", chain, "active_posture", rows=3)
        column = row.column(align=True)
        column.operator("limber.store_posture", text="", icon="ADD")
        column.operator("limber.remove_posture", text="", icon="REMOVE")
        row = layout.row(align=True)
        row.operator("limber.store_posture", icon="POSE_HLT")
        row.operator("limber.apply_posture", text="Apply", icon="PASTEDOWN")


class LIMBER_PT_gaze(_ChainTab, bpy.types.Panel):
    """What the end looks at, and how"""

    bl_label = "Gaze"

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        chain = chains.active(rig)
        layout.use_property_split = True
        layout.prop(chain, "target")
        layout.prop(chain, "base")
        row = layout.row(align=True)
        row.prop(chain, "look")
        if chain.roll == "UPRIGHT":
            layout.prop(chain, "up")
        layout.prop(chain, "roll", expand=True)
        layout.prop(chain, "eye", slider=True)
        layout.prop(chain, "solver")
        row = layout.row()
        row.scale_y = 1.4
        if chain.live:
            row.operator("limber.end_live", icon="PAUSE", depress=True)
        else:
            row.operator("limber.live", icon="PLAY")
        _draw_outcome(layout, live.session(rig, chain) if chain.live else None)


def _draw_outcome(layout, session) -> None:
    if session is None:
        return
    if session.problem:
        sentence(layout, session.problem, "ERROR")
    outputs = session.outputs
    if outputs is None:
        return
    solution = outputs.solution
    rows = (
        ("Aim error", f"{degrees(solution.aim_error):.3f}°"),
        ("Aim error after the filter", f"{degrees(outputs.filtered_aim_error):.2f}°"),
        ("The filter holds back", f"{degrees(outputs.lag):.1f}°"),
        ("Shape deviation", f"{degrees(solution.shape_deviation):.1f}°"),
        ("Posture error (ERIK)", f"{solution.posture_error:.4f}"),
        ("Iterations", str(solution.iterations)),
        ("Limits hit", ", ".join(" ".join(session.reader.places[k]) for k in solution.limits_hit) or "none"),
        ("Time", f"{1e3 * outputs.seconds:.2f} ms"),
    )
    box = layout.box().column(align=True)
    for name, value in rows:
        row = box.split(factor=0.6)
        row.label(text=name)
        row.label(text=value)
    if not solution.converged:
        sentence(layout, "The target cannot be looked at within the limits: this is as near as they allow", "INFO")


class LIMBER_PT_motion(_ChainTab, bpy.types.Panel):
    """What makes the angles into movement"""

    bl_label = "Motion"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        layout.use_property_split = True
        layout.prop(chain, "filter")
        layout.prop(chain, "sigma", slider=True)
        layout.prop(chain, "rho", slider=True)


class LIMBER_PT_robot(_Tab, bpy.types.Panel):
    """The robot that the armature moves"""

    bl_label = "Robot"

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and len(rig.limber.chains) > 0

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        status = robot.status(rig)
        connected = robot.link(rig) is not None
        row = layout.row(align=True)
        row.enabled = not connected
        row.prop(rig.limber.device, "port")
        row.operator("limber.choose_port", text="", icon="DOWNARROW_HLT")
        row = layout.row()
        row.enabled = not connected
        row.prop(rig.limber.device, "baudrate")
        if not connected:
            sentence(layout, "Not connected: press Connect. Nothing moves before the robot is armed", "UNLINKED")
            layout.operator("limber.connect", icon="LINKED")
            return
        if status:
            sentence(layout, status.sentence, "ERROR" if status.state in {State.FAULT, State.WORKER_LOST} else "INFO")
        _draw_buttons(layout, status)
        if robot.changed_since_connect(rig):
            sentence(layout, "Port or channels have changed: disconnect and connect again to use them", "INFO")
        if status and status.sent:
            box = layout.box().column(align=True)
            box.label(text=f"Frames: {status.sent} sent, {status.acknowledged} acknowledged, {status.lost} lost")
            box.label(text=f"Lateness: {status.late_ms_p50:.2f} ms, 1 in 100 over {status.late_ms_p99:.2f} ms")
        layout.operator("limber.disconnect", icon="UNLINKED")


def _draw_buttons(layout, status) -> None:
    state = status.state if status else State.CONNECTING
    row = layout.row(align=True)
    row.scale_y = 1.4
    if state == State.CONFIRM_POSE:
        row.operator("limber.confirm_pose", icon="CHECKMARK")
        row.operator("limber.disarm", icon="CANCEL")
    elif state in {State.FAULT, State.WORKER_LOST}:
        row.operator("limber.clear_fault", icon="FILE_REFRESH")
    elif state in robot.MOVING:
        row.operator("limber.disarm", icon="CANCEL")
    else:
        row.operator("limber.arm", icon="ARMATURE_DATA")
    stop = layout.row()
    stop.scale_y = 2.2
    stop.alert = True
    stop.operator("limber.stop", text=f"STOP   ({STOP_KEY})", icon="X")


class LIMBER_PT_channels(_ChainTab, bpy.types.Panel):
    """Servo of the joint selected in the table of joints"""

    bl_label = "Servos"
    bl_parent_id = "LIMBER_PT_robot"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        layout.template_list("LIMBER_UL_joints", "servos", chain, "joints", chain, "active_joint", rows=3)
        if not chain.joints:
            return
        joint = chain.joints[min(chain.active_joint, len(chain.joints) - 1)]
        layout.use_property_split = True
        for name in ("servo", "reverse", "zero_us", "us_per_radian", "min_us", "max_us", "on_silence"):
            layout.prop(joint, name)


class LIMBER_PT_bake(_ChainTab, bpy.types.Panel):
    """Motion to keys"""

    bl_label = "Bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        row = layout.row(align=True)
        row.prop(chain, "frame_start")
        row.prop(chain, "frame_end")
        layout.operator("limber.bake", icon="KEYFRAME")


CLASSES = (
    LIMBER_UL_chains,
    LIMBER_UL_joints,
    LIMBER_UL_postures,
    LIMBER_PT_rig,
    LIMBER_PT_joints,
    LIMBER_PT_postures,
    LIMBER_PT_gaze,
    LIMBER_PT_motion,
    LIMBER_PT_robot,
    LIMBER_PT_channels,
    LIMBER_PT_bake,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
