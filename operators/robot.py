"""Verbs on the robot: connect, disconnect, arm, confirm its pose, disarm, stop, clear a fault."""

import bpy
from bpy.props import StringProperty

from ..hardware.errors import HardwareError
from ..hardware.ports import list_ports
from ..hardware.safety import State
from ..motion import MotionError
from ..rig import handlers, robot
from .subject import poll_rig, rig_of

SERVOS_NAMED = 6  # in a report


def _poll_state(cls, context, states: set) -> bool:
    """Whether the robot is in one of the states; else its sentence says where it is and what to do."""
    if not poll_rig(cls, context):
        return False
    status = robot.status(rig_of(context))
    if status is None or status.state not in states:
        cls.poll_message_set(status.sentence if status else "Not connected: press Connect")
        return False
    return True


class LIMBER_OT_choose_port(bpy.types.Operator):
    """Choose among the ports that the system lists"""

    bl_idname = "limber.choose_port"
    bl_label = "Choose Port"
    bl_options = {"REGISTER", "UNDO"}

    port: StringProperty(name="Port", description="The port to take", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_rig(cls, context)

    def invoke(self, context, event):
        if self.port:
            return self.execute(context)
        ports = list_ports()

        def draw(menu, _context):
            for port in ports:
                menu.layout.operator("limber.choose_port", text=port.label).port = port.name

        context.window_manager.popup_menu(draw, title="Port", icon="LINKED")
        return {"INTERFACE"}

    def execute(self, context):
        if not self.port:
            self.report({"ERROR"}, f"No port is named: choose {', '.join(port.name for port in list_ports())}, or type a path")
            return {"CANCELLED"}
        rig_of(context).limber.device.port = self.port
        return {"FINISHED"}


class LIMBER_OT_connect(bpy.types.Operator):
    """Connect to the device. Nothing moves until it is armed"""

    bl_idname = "limber.connect"
    bl_label = "Connect"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if robot.link(rig_of(context)) is not None:
            cls.poll_message_set("The robot is connected already: press Disconnect first")
            return False
        return True

    def execute(self, context):
        rig = rig_of(context)
        try:
            robot.connect(rig)
        except (HardwareError, MotionError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        handlers.wake_heartbeat()
        short = robot.short_servos(rig)
        if short:
            named = ", ".join(short[:SERVOS_NAMED]) + (" ..." if len(short) > SERVOS_NAMED else "")
            self.report(
                {"WARNING"}, f"Servos turn less far than their joints ({named}): narrow the joints' limits, or correct the servos' pulses"
            )
        self.report({"INFO"}, robot.status(rig).sentence)
        return {"FINISHED"}


class LIMBER_OT_disconnect(bpy.types.Operator):
    """Disarm the robot and close its port"""

    bl_idname = "limber.disconnect"
    bl_label = "Disconnect"

    @classmethod
    def poll(cls, context):
        if not poll_rig(cls, context):
            return False
        if robot.link(rig_of(context)) is None:
            cls.poll_message_set("Not connected: press Connect")
            return False
        return True

    def execute(self, context):
        robot.disconnect(rig_of(context))
        return {"FINISHED"}


class LIMBER_OT_arm(bpy.types.Operator):
    """Let the robot move: slowly from where it is to where the armature is, then along with it"""

    bl_idname = "limber.arm"
    bl_label = "Arm"

    @classmethod
    def poll(cls, context):
        return _poll_state(cls, context, {State.DISARMED})

    def execute(self, context):
        robot.link(rig_of(context)).arm()
        return {"FINISHED"}


class LIMBER_OT_confirm_pose(bpy.types.Operator):
    """The robot stands as the armature does: start from there. Its servos cannot tell where they are"""

    bl_idname = "limber.confirm_pose"
    bl_label = "Confirm Pose"

    @classmethod
    def poll(cls, context):
        return _poll_state(cls, context, {State.CONFIRM_POSE})

    def execute(self, context):
        robot.link(rig_of(context)).confirm_pose()
        return {"FINISHED"}


class LIMBER_OT_disarm(bpy.types.Operator):
    """Let the robot move no more"""

    bl_idname = "limber.disarm"
    bl_label = "Disarm"

    @classmethod
    def poll(cls, context):
        return _poll_state(cls, context, robot.MOVING | {State.CONFIRM_POSE})

    def execute(self, context):
        robot.link(rig_of(context)).disarm()
        return {"FINISHED"}


class LIMBER_OT_clear_fault(bpy.types.Operator):
    """Take note of the fault: the robot is disarmed and can be armed again"""

    bl_idname = "limber.clear_fault"
    bl_label = "Clear Fault"

    @classmethod
    def poll(cls, context):
        return _poll_state(cls, context, robot.LOST)

    def execute(self, context):
        try:
            robot.link(rig_of(context)).clear_fault()
        except HardwareError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        robot.look(rig_of(context))
        return {"FINISHED"}


class LIMBER_OT_stop(bpy.types.Operator):
    """Stop every robot at once"""

    bl_idname = "limber.stop"
    bl_label = "Stop"

    def execute(self, context):
        stopped = robot.stop_all()
        if not stopped:
            return {"CANCELLED", "PASS_THROUGH"}
        self.report({"WARNING"}, "Stopped: press Clear Fault when the robot may be armed again")
        return {"FINISHED"}
