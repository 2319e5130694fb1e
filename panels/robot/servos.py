"""Panels Servos, Additional Servos and Values: which servo moves which joint or property."""

import bpy

from ...operators.subject import rig_of
from ...rig.bones import axes
from ...rig.properties import servo_units
from ...rig.properties.robot import DIRECT
from ...rig.robot import background_jobs, links, servo_lists, values
from ...rig.robot import device as robot_device
from ..tab import List, RigTab, ServoTab, listed, message, props, sentence

JOGS = {  # joint's unit -> (amount for `limber.jog`, text) of each button
    "rad": ((-5.0, "-5°"), (-1.0, "-1°"), (1.0, "+1°"), (5.0, "+5°")),
    "m": ((-5.0, "-5 mm"), (-1.0, "-1"), (1.0, "+1"), (5.0, "+5 mm")),
    "plain": ((-18.0, "-10%"), (-1.8, "-1%"), (1.8, "+1%"), (18.0, "+10%")),
}


class LIMBER_UL_servos(List):
    """Joints of the chain, or motors of the mechanism, with their servos"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.split(factor=0.62)
        row.label(text=item.label, translate=False)
        row.prop(item, "servo", text="", emboss=False)


class LIMBER_UL_channels(List):
    """Additional servos and their numbers"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.split(factor=0.62)
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "servo", text="", emboss=False)


class LIMBER_UL_auxiliaries(List):
    """Values that servos follow, with their servo numbers"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.split(factor=0.62)
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "servo", text="", emboss=False)


class LIMBER_PT_channels(ServoTab):
    """Servo of the joint or motor that is selected in the list"""

    bl_label = "Servos"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 2

    def draw(self, context):
        rig = rig_of(context)
        for each in servo_lists.lists(rig):
            layout = self.layout.column()
            joint = draw_list(layout, rig, each)
            if joint is None:
                continue
            draw_trials(layout, rig, joint.label, joint.servo, joint_unit(joint))
            _draw_found(layout, each.is_motors)
            layout.operator("limber.use_preset", icon="PRESET").motors = each.is_motors
            draw_servo(layout, rig.limber.device, joint)


def draw_list(layout, rig, shown: servo_lists.ServoList, name: str = "", rows: int = 4):
    """Draws the list of joints or motors with their servo numbers; returns the selected item, or None.

    It has a heading if the robot has joints and motors, and the switch that sends the chain's joints to the
    robot if there are several chains.

    Args:
        layout: Layout to draw into.
        rig: Object that has the robot.
        shown: The list.
        name: Prefix of the list's identifier, different in each panel.
        rows: Height [lines].
    """
    if len(servo_lists.lists(rig)) > 1:
        layout.label(
            text="Motors of the Mechanism" if shown.is_motors else f"Joints of {shown.owner.name}",
            translate=False,
        )
    if not shown.is_motors and len(rig.limber.chains) > 1:
        layout.prop(shown.owner, "sends_to_robot", text=f"Send {shown.owner.name} to Robot")
    layout.template_list(
        "LIMBER_UL_servos", name + shown.items, shown.owner, shown.items, shown.owner, shown.active, rows=rows
    )
    return shown.selected


def draw_trials(layout, rig, name: str, servo: int, unit: str = "", usable: bool = True) -> None:
    """Draws the buttons that move one servo or joint of the robot; they are greyed out while they cannot be
    used.

    Args:
        layout: Layout to draw into.
        rig: Object that has the robot.
        name: Name of the joint, motor or value; "": the servo has none of its own.
        servo: Number of the servo.
        unit: Unit of the joint, a key of `JOGS`; "" if `name` is "".
        usable: False greys the buttons out in every state of the robot.
    """
    link, status = links.link(rig), links.status(rig)
    is_known = link is not None and (not name or any(joint.name == name for joint in link.device.joints))
    column = layout.column(align=True)
    column.enabled = usable and is_known and status is not None and status.state in links.QUIET
    row = column.row(align=True)
    # a wiggle needs only a servo, so a servo can be identified before it is assigned to a joint
    wiggle = row.row(align=True)
    wiggle.enabled = link is not None and robot_device.channel_of_servo(link.device, servo) is not None
    wiggle.operator("limber.wiggle", text="Wiggle", icon="FORCE_HARMONIC").servo = servo
    if name:
        wiggle.operator("limber.which_joint", text="", icon="QUESTION").servo = servo
        row.operator("limber.test_joint", text="Test", icon="ARROW_LEFTRIGHT").joint = name
        row = column.row(align=True)
        for amount, text in JOGS[unit]:
            jog = row.operator("limber.jog", text=text)
            jog.joint, jog.amount = name, amount
    missing = (
        "Press Connect to try servos one by one"
        if link is None
        else "Not on the robot that is connected: press Reconnect to try it"
    )
    message(layout, [("" if is_known else missing, "INFO")], 2)


def joint_unit(joint) -> str:
    """Unit of a joint or motor, a key of `JOGS`."""
    return "m" if axes.is_prismatic(joint.axis) else "rad"


class FoundMenu:
    """Base of the menus that assign a servo of the scan to the selected joint or motor."""

    bl_label = "Assign Found Servo"
    is_for_motor: bool  # whether the menu assigns to the selected motor, not to the joint

    def draw(self, context):
        listed = servo_lists.chosen(rig_of(context), self.is_for_motor)
        for found_servo in _found():
            is_its_own = listed.selected is not None and listed.selected.servo == found_servo.servo
            text = f"{found_servo.servo}   {found_servo.name}"
            button = self.layout.operator(
                "limber.assign_servo", text=text, icon="CHECKMARK" if is_its_own else "BLANK1"
            )
            button.servo, button.motors = found_servo.servo, self.is_for_motor


class LIMBER_MT_found_for_joint(FoundMenu, bpy.types.Menu):
    """Servos that the scan has found, for the selected joint"""

    is_for_motor = False


class LIMBER_MT_found_for_motor(FoundMenu, bpy.types.Menu):
    """Servos that the scan has found, for the selected motor"""

    is_for_motor = True


def _found() -> list:
    """Servos with a number that the newest scan has found."""
    scan = background_jobs.scan()
    return [found_servo for found_servo in scan.found if found_servo.servo is not None] if scan else []


def _draw_found(layout, is_for_motor: bool) -> None:
    """Draws the menu that assigns a servo of the scan to the selected motor (`is_for_motor`) or joint; it is
    greyed out if the scan has found none.
    """
    row = layout.row()
    row.enabled = bool(_found())
    row.menu(
        (LIMBER_MT_found_for_motor if is_for_motor else LIMBER_MT_found_for_joint).__name__, icon="VIEWZOOM"
    )


def draw_servo(layout, device, servo, gear: bool = True) -> None:
    """Draws the settings of a servo; `gear`: whether its gear ratio is drawn too."""
    layout.use_property_split = True
    unit = servo_units.unit_name(device.protocol)
    column = layout.column(align=True)
    props(column, servo, "servo", "reverse")
    if gear:
        column.prop(servo, "gear")
    column = layout.column(align=True)
    suffix = f" ({unit})" if unit else ""
    column.prop(servo, "zero_us", text=f"Zero{suffix}")
    column.prop(servo, "min_us", text="Lowest")
    column.prop(servo, "max_us", text="Highest")
    column.prop(servo, "per_degree", text="Per Degree")
    column = layout.column(align=True)
    column.prop(servo, "servo_speed", text="Top Speed (/s)")
    column.prop(servo, "on_silence")


class LIMBER_PT_more_servos(RigTab):
    """Second servos of joints, and servos that follow several joints, as in a differential"""

    bl_label = "Additional Servos"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 3

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        device = rig.limber.device
        add, remove = "limber.add_channel", "limber.remove_channel"
        channel = listed(
            layout, "LIMBER_UL_channels", device, "channels", "active_channel", add=add, remove=remove
        )
        if channel is None:
            sentence(layout, "For a second servo on a joint, or one that follows several joints", "INFO")
            return
        box = layout.box().column(align=True)
        names = [joint.label for _, joint in robot_device.joints(rig)]
        for index, share in enumerate(channel.shares):
            row = box.row(align=True)
            known = share.joint in names or share.joint in device.auxiliaries
            row.operator(
                "limber.choose_share", text=share.joint or "Choose a joint", icon="NONE" if known else "ERROR"
            ).index = index
            row.prop(share, "gear", text="")
            row.operator("limber.remove_share", text="", icon="X").index = index
        box.operator("limber.add_share", icon="ADD")
        draw_trials(layout, rig, "", channel.servo)
        draw_servo(layout, device, channel, gear=False)


class LIMBER_PT_values(RigTab):
    """Animatable properties that drive a servo: a jaw, an eyelid, a lamp"""

    bl_label = "Values"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 4

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        device = rig.limber.device
        add, remove = "limber.add_auxiliary", "limber.remove_auxiliary"
        value = listed(
            layout, "LIMBER_UL_auxiliaries", device, "auxiliaries", "active_auxiliary", add=add, remove=remove
        )
        if value is None:
            sentence(layout, "Right-click an animatable property and choose Send to Robot", "INFO")
            return
        _draw_value(layout, rig, device, value)


def _draw_value(layout, rig, device, value) -> None:
    """Draws a value's test buttons, property, servo, range, limits and filter, and what its servo does
    without commands.
    """
    current = values.value_of(value)
    draw_trials(layout, rig, value.name, value.servo, "plain")
    layout.use_property_split = True
    column = layout.column(align=True)
    column.label(
        text=f"{value.owner.name if value.owner else 'nothing'}: {value.path or 'no path'}",
        icon="RNA",
        translate=False,
    )
    column.prop(value, "path")
    lost = "The property does not exist: correct its path, or remove it and add it again"
    message(layout, [(lost, "ERROR") if current is None else (f"Current: {current:z.3f}", "BLANK1")], 3)
    column = layout.column(align=True)
    if unit := servo_units.unit_name(device.protocol):
        column.label(text=f"Servo positions in {unit}", translate=False)
    props(column, value, "servo", "low", "at_low", "high", "at_high")
    column = layout.column(align=True)
    props(column, value, "velocity", "acceleration", "jerk")
    column = layout.column(align=True)
    column.prop(value, "filter")
    if value.filter != DIRECT:
        column.prop(value, "sigma", slider=True)
        column.prop(value, "rho", slider=True)
    column.prop(value, "on_silence")
