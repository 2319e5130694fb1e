"""The robot, its state and its servos."""

import bpy

from ..hardware.safety import State
from ..operators.subject import rig_of
from ..rig import chains, robot
from .tab import ChainTab, Tab, sentence


class LIMBER_PT_robot(Tab, bpy.types.Panel):
    """The robot that the armature moves"""

    bl_label = "Robot"
    bl_order = 5

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and (len(rig.limber.chains) > 0 or robot.link(rig) is not None)

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


class LIMBER_PT_channels(ChainTab, bpy.types.Panel):
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
