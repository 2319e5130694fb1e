"""Operators of the robot: choose a port, connect, arm, confirm its pose, park, disarm, stop, clear
a fault.
"""

from bpy.props import IntProperty, StringProperty

from ...hardware.device import VIRTUAL_PORT
from ...hardware.ports import Listing
from ...hardware.safety import FOLLOWING, State
from ...hardware.servo_shortfalls import speed_problems
from ...rig.blender.counting import listing
from ...rig.blender.errors import RigError
from ...rig.events import handlers
from ...rig.robot import links, puppeteer, sending, values
from ...rig.robot import view as robot_view
from ...rig.robot.device import sources
from ..operator import Operator, UndoOperator
from ..subject import needs_rig, rig_of
from .needs import NOT_CONNECTED, in_state, needs_a_servo, needs_connected, needs_disconnected, needs_state
from .program_consent import ProgramConsent

LISTED = 0.02  # [s] time between two checks whether the list of ports is complete


class LIMBER_OT_choose_port(UndoOperator):
    """Choose among the ports that the system lists"""

    bl_label = "Choose Port"

    port: StringProperty(
        name="Port", description="Port or network address of the robot", options={"SKIP_SAVE"}
    )

    why_not = needs_rig

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
        self.offer(
            context,
            "Port or Address",
            ((port.label, {"port": port.name}) for port in self.listing.ports),
            "LINKED",
        )
        return {"CANCELLED"}  # so far only the menu is open, and there is nothing to undo

    def cancel(self, context):
        """Removes the timer. Blender calls this too when the window closes."""
        context.window_manager.event_timer_remove(self.timer)

    def run(self, context):
        if not self.port:
            raise RigError(f"No port is named: give one, such as {VIRTUAL_PORT} or /dev/ttyUSB0")
        rig_of(context).limber.device.port = self.port


class _Connects(ProgramConsent):
    """Base of operators that connect. They ask for consent if the robot's protocol is a program; the virtual
    robot needs no consent.
    """

    def _program(self, context) -> str:
        device = rig_of(context).limber.device
        return "" if device.is_virtual else device.program_path

    def run(self, context):
        self._allow()
        rig = rig_of(context)
        links.connect(rig)
        handlers.wake_heartbeat()
        robot_view.show_virtual(links.link(rig).device)
        short = links.short_servos(rig)
        if short:
            self.report(
                {"WARNING"},
                f"Servos have smaller ranges than their joints ({listing(short)}): {links.NARROW}",
            )
        self.warn(speed_problems(links.link(rig).device))
        self.report({"INFO"}, links.status(rig).sentence)


class LIMBER_OT_connect(_Connects, Operator):
    """Connect to the robot. It does not move until it is armed"""

    bl_label = "Connect"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_disconnected(context) or needs_a_servo(context)


class LIMBER_OT_reconnect(_Connects, Operator):
    """Disconnect the robot, and connect it with the current settings. It does not move"""

    bl_label = "Reconnect"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_connected(context):
            return why
        return (
            "The robot is moving: disarm it first"
            if links.status(rig_of(context)).state in links.MOVING
            else ""
        )


class LIMBER_OT_disconnect(Operator):
    """Disarm the robot and close its port"""

    bl_label = "Disconnect"

    why_not = needs_connected

    def run(self, context):
        links.disconnect(rig_of(context))


class LIMBER_OT_arm(Operator):
    """Enable motion: the robot moves slowly to the pose in Blender, then follows it. If its servos do not
    measure their positions, its pose must be confirmed before
    """

    bl_label = "Arm"

    why_not = in_state({State.DISARMED})

    def run(self, context):
        links.link(rig_of(context)).arm()


class LIMBER_OT_arm_confirmed(Operator):
    """Confirm that the robot is in the pose that Blender shows, and enable motion. Its servos cannot measure
    their positions
    """

    bl_label = "Confirm Pose and Arm"

    why_not = in_state({State.DISARMED})

    def run(self, context):
        sending.send(rig_of(context))
        links.link(rig_of(context)).arm_confirmed()


class LIMBER_OT_confirm_pose(Operator):
    """Confirm that the robot is in the pose that Blender shows. Its servos cannot measure their positions"""

    bl_label = "Confirm Pose"

    why_not = in_state({State.CONFIRM_POSE})

    def run(self, context):
        sending.send(rig_of(context))
        links.link(rig_of(context)).confirm_pose()


class LIMBER_OT_confirm_joint(Operator):
    """Confirm that the robot's joint is in the pose that Blender shows. Arming continues when all joints are
    confirmed
    """

    bl_label = "Confirm Joint"

    joint: IntProperty(
        name="Joint",
        description="Index of the joint in the robot's list of joints, from 0",
        options={"SKIP_SAVE"},
    )

    why_not = in_state({State.CONFIRM_POSE})

    def run(self, context):
        link = links.link(rig_of(context))
        if not 0 <= self.joint < len(link.device.joints):
            raise RigError(
                f"There is no joint {self.joint}; the robot has {len(link.device.joints)}, counted from 0"
            )
        sending.send(rig_of(context))
        link.confirm_joint(self.joint)


class LIMBER_OT_park(Operator):
    """Move slowly to the park pose, then disarm"""

    bl_label = "Park"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_state(context, {*FOLLOWING, State.DISARMED}):
            return why
        if rig_of(context).limber.device.park is None:
            return (
                "There is no park pose: press Store Park Pose under Set Up > Options, or choose a posture"
                " there"
            )
        return ""

    def run(self, context):
        rig = rig_of(context)
        links.link(rig).park(links.park_values(rig))


class LIMBER_OT_store_park_pose(UndoOperator):
    """Store the current values of the joints and motors with servos as the park pose"""

    bl_label = "Store Park Pose"

    why_not = needs_a_servo

    def run(self, context):
        rig = rig_of(context)
        rig.limber.device.park = values.store_posture(rig, sources(rig), f"{rig.name} Park")
        self.report({"INFO"}, f"'{rig.limber.device.park.name}' is the park pose of '{rig.name}'")


class LIMBER_OT_disarm(Operator):
    """Stop the robot from following the armature or mechanism. It does not move again until it is armed"""

    bl_label = "Disarm"

    why_not = in_state(links.MOVING | {State.CONFIRM_POSE, State.LIMP})

    def run(self, context):
        puppeteer.leave(rig_of(context))
        sending.disarm(rig_of(context))


class LIMBER_OT_clear_fault(Operator):
    """Acknowledge the fault. The robot is disarmed and can be armed again"""

    bl_label = "Clear Fault"

    why_not = in_state(links.LOST)

    def run(self, context):
        links.link(rig_of(context)).clear_fault()
        links.look(rig_of(context))


class LIMBER_OT_stop(Operator):
    """Stop the motion of all connected robots immediately"""

    bl_label = "Stop"

    def run(self, context):
        stopped = links.stop_all()
        if not stopped:
            return {"CANCELLED", "PASS_THROUGH"}
        self.report({"WARNING"}, "Stopped: press Clear Fault when the robot may be armed again")
        return {"FINISHED"}


class LIMBER_OT_go_to_robot(Operator):
    """Show the scene that has the connected robot's armature or mechanism"""

    bl_label = "Go to Robot"

    @classmethod
    def why_not(cls, context) -> str:
        rigs = links.connected_rigs()
        if not rigs:
            return NOT_CONNECTED
        return (
            "The robot's armature or mechanism is in this scene"
            if all(rig.name in context.scene.objects for rig in rigs)
            else ""
        )

    def run(self, context):
        rig = next(rig for rig in links.connected_rigs() if rig.name not in context.scene.objects)
        context.window.scene = rig.users_scene[0]
        self.report({"INFO"}, f"'{rig.name}' is in this scene")
