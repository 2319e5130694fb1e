"""Operators of the robot: choose a port, connect, arm, confirm its pose, park, disarm, stop, clear a fault."""

import bpy
from bpy.props import IntProperty, StringProperty

from ...hardware.device import VIRTUAL_PORT
from ...hardware.errors import HardwareError
from ...hardware.mixing import speed_problems
from ...hardware.ports import Listing
from ...hardware.safety import FOLLOWING, State
from ...motion import MotionError
from ...rig.events import handlers
from ...rig.robot import links, puppeteer, values
from ...rig.robot import view as robot_view
from ...rig.robot.device import sources
from ..errors import reports_errors
from ..subject import poll_rig, poll_servos, rig_of
from .polls import in_state, poll_connected, poll_disconnected, poll_state
from .program_consent import ProgramConsent

SERVOS_NAMED = 6  # largest number of servos that a report names
LISTED = 0.02  # [s] between two checks whether the system has listed its ports


class LIMBER_OT_choose_port(bpy.types.Operator):
    """Choose among the ports that the system lists"""

    bl_idname = "limber.choose_port"
    bl_label = "Choose Port"
    bl_options = {"REGISTER", "UNDO"}

    port: StringProperty(name="Port", description="Port to use", options={"SKIP_SAVE"})

    poll = classmethod(poll_rig)

    def invoke(self, context, event):
        if self.port:
            return self.execute(context)
        self.listing = Listing(rig_of(context).limber.device.protocol)
        manager = context.window_manager
        self.timer = manager.event_timer_add(LISTED, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER" or self.listing.ports is None:
            return {"PASS_THROUGH"}
        self.cancel(context)
        ports = self.listing.ports

        def draw(menu, _context):
            for port in ports:
                menu.layout.operator("limber.choose_port", text=port.label).port = port.name

        context.window_manager.popup_menu(draw, title="Port or Address", icon="LINKED")
        return {"CANCELLED"}  # only the menu is open: there is nothing to undo

    def cancel(self, context):
        """Removes the timer. Blender calls this too when the window closes."""
        context.window_manager.event_timer_remove(self.timer)

    def execute(self, context):
        if not self.port:
            self.report({"ERROR"}, f"No port is named: give one, such as {VIRTUAL_PORT} or /dev/ttyUSB0")
            return {"CANCELLED"}
        rig_of(context).limber.device.port = self.port
        return {"FINISHED"}


class _Connects(ProgramConsent):
    """Operator that connects. It asks for consent if the robot's protocol is a program; the virtual robot needs none."""

    def _program(self, context) -> str:
        device = rig_of(context).limber.device
        return "" if device.is_virtual else device.program_path

    def execute(self, context):
        self._allow()
        return _connect(self, rig_of(context))


class LIMBER_OT_connect(_Connects, bpy.types.Operator):
    """Connect to the device. Nothing moves until it is armed"""

    bl_idname = "limber.connect"
    bl_label = "Connect"

    poll = classmethod(poll_disconnected)


def _connect(operator, rig) -> set[str]:
    try:
        links.connect(rig)
    except (HardwareError, MotionError) as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    handlers.wake_heartbeat()
    robot_view.show_virtual(links.link(rig).device)
    short = links.short_servos(rig)
    if short:
        named = ", ".join(short[:SERVOS_NAMED]) + (" ..." if len(short) > SERVOS_NAMED else "")
        operator.report(
            {"WARNING"}, f"Servos have smaller ranges than their joints ({named}): narrow the joints' limits, or correct the servos' ranges"
        )
    for problem in speed_problems(links.link(rig).device)[:SERVOS_NAMED]:
        operator.report({"WARNING"}, problem)
    operator.report({"INFO"}, links.status(rig).sentence)
    return {"FINISHED"}


class LIMBER_OT_reconnect(_Connects, bpy.types.Operator):
    """Disconnect, and connect with the current settings. Nothing moves"""

    bl_idname = "limber.reconnect"
    bl_label = "Reconnect"

    @classmethod
    def poll(cls, context):
        if not poll_connected(cls, context):
            return False
        if links.status(rig_of(context)).state in links.MOVING:
            cls.poll_message_set("The robot is moving: disarm it first")
            return False
        return True


class LIMBER_OT_disconnect(bpy.types.Operator):
    """Disarm the robot and close its port"""

    bl_idname = "limber.disconnect"
    bl_label = "Disconnect"

    poll = classmethod(poll_connected)

    def execute(self, context):
        links.disconnect(rig_of(context))
        return {"FINISHED"}


class LIMBER_OT_arm(bpy.types.Operator):
    """Enable motion: the robot moves slowly to the armature's pose, then follows it"""

    bl_idname = "limber.arm"
    bl_label = "Arm"

    poll = in_state({State.DISARMED})

    def execute(self, context):
        links.link(rig_of(context)).arm()
        return {"FINISHED"}


class LIMBER_OT_arm_confirmed(bpy.types.Operator):
    """Confirm that the robot is in the armature's pose, and enable motion. Its servos cannot measure their positions"""

    bl_idname = "limber.arm_confirmed"
    bl_label = "Confirm Pose and Arm"

    poll = in_state({State.DISARMED})

    def execute(self, context):
        links.send(rig_of(context))
        links.link(rig_of(context)).arm_confirmed()
        return {"FINISHED"}


class LIMBER_OT_confirm_pose(bpy.types.Operator):
    """Confirm that the robot is in the armature's pose. Its servos cannot measure their positions"""

    bl_idname = "limber.confirm_pose"
    bl_label = "Confirm Pose"

    poll = in_state({State.CONFIRM_POSE})

    def execute(self, context):
        links.send(rig_of(context))
        links.link(rig_of(context)).confirm_pose()
        return {"FINISHED"}


class LIMBER_OT_confirm_joint(bpy.types.Operator):
    """Confirm that this joint is as in the armature's pose. Arming continues when all joints are confirmed"""

    bl_idname = "limber.confirm_joint"
    bl_label = "Confirm Joint"

    joint: IntProperty(name="Joint", description="Number of the joint on the device", options={"SKIP_SAVE"})

    poll = in_state({State.CONFIRM_POSE})

    def execute(self, context):
        link = links.link(rig_of(context))
        if not 0 <= self.joint < len(link.device.joints):
            self.report({"ERROR"}, f"There is no joint {self.joint}; the robot has {len(link.device.joints)}, counted from 0")
            return {"CANCELLED"}
        links.send(rig_of(context))
        link.confirm_joint(self.joint)
        return {"FINISHED"}


class LIMBER_OT_park(bpy.types.Operator):
    """Move slowly to the park pose, then disarm"""

    bl_idname = "limber.park"
    bl_label = "Park"

    @classmethod
    def poll(cls, context):
        if not poll_state(cls, context, {*FOLLOWING, State.DISARMED}):
            return False
        if rig_of(context).limber.device.park is None:
            cls.poll_message_set("There is no park pose: press Store Park Pose under Options, or choose a posture there")
            return False
        return True

    @reports_errors
    def execute(self, context):
        rig = rig_of(context)
        links.link(rig).park(links.park_values(rig))
        return {"FINISHED"}


class LIMBER_OT_store_park_pose(bpy.types.Operator):
    """Store what the joints and motors with servos are now as the park pose"""

    bl_idname = "limber.store_park_pose"
    bl_label = "Store Park Pose"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(poll_servos)

    def execute(self, context):
        rig = rig_of(context)
        found = sources(rig)
        if not found:
            self.report({"ERROR"}, f"No joint or motor of '{rig.name}' has a servo: give one its servo under Robot > Set Up")
            return {"CANCELLED"}
        rig.limber.device.park = values.store_posture(rig, found, f"{rig.name} Park")
        self.report({"INFO"}, f"'{rig.limber.device.park.name}' is the park pose of '{rig.name}'")
        return {"FINISHED"}


class LIMBER_OT_disarm(bpy.types.Operator):
    """Disable motion of the robot"""

    bl_idname = "limber.disarm"
    bl_label = "Disarm"

    poll = in_state(links.MOVING | {State.CONFIRM_POSE, State.LIMP})

    def execute(self, context):
        puppeteer.leave(rig_of(context))
        links.link(rig_of(context)).disarm()
        return {"FINISHED"}


class LIMBER_OT_clear_fault(bpy.types.Operator):
    """Acknowledge the fault. The robot is disarmed and can be armed again"""

    bl_idname = "limber.clear_fault"
    bl_label = "Clear Fault"

    poll = in_state(links.LOST)

    @reports_errors
    def execute(self, context):
        links.link(rig_of(context)).clear_fault()
        links.look(rig_of(context))
        return {"FINISHED"}


class LIMBER_OT_stop(bpy.types.Operator):
    """Stop every robot at once"""

    bl_idname = "limber.stop"
    bl_label = "Stop"

    def execute(self, context):
        stopped = links.stop_all()
        if not stopped:
            return {"CANCELLED", "PASS_THROUGH"}
        self.report({"WARNING"}, "Stopped: press Clear Fault when the robot may be armed again")
        return {"FINISHED"}
