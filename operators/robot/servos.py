"""Operators that assign servos to joints: assign, use a preset, additional servos and the joints that drive
them.
"""

from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...hardware.device import LAST_SERVO
from ...hardware.presets import PRESETS
from ...rig.blender.errors import RigError
from ...rig.blender.selection import selected
from ...rig.bones import axes
from ...rig.properties import servo_units
from ...rig.robot import device as robot_device
from ...rig.robot import servo_lists
from ..operator import UndoOperator
from ..remove_item import RemoveItem
from ..subject import needs_rig, needs_servos, rig_of

NO_CHANNEL = "There is no further servo: press Add Servo"


def _of_motors():
    """Property for whether the operator acts on the list of motors."""
    return BoolProperty(
        name="Motors",
        description="Act on the mechanism's motors instead of the chain's joints",
        options={"SKIP_SAVE", "HIDDEN"},
    )


class LIMBER_OT_assign_servo(UndoOperator):
    """Assign this servo to the selected joint or motor. If another joint has the servo, that joint gets the
    servo of the selected joint in exchange
    """

    bl_label = "Assign Servo"

    servo: IntProperty(
        name="Servo",
        description="Number of the servo; -1: none",
        default=-1,
        min=-1,
        max=LAST_SERVO,
        options={"SKIP_SAVE"},
    )
    motors: _of_motors()

    why_not = needs_servos

    def run(self, context):
        rig = rig_of(context)
        listed = servo_lists.chosen(rig, self.motors)
        joint = listed.selected
        if joint is None:
            raise RigError(f"Chain '{listed.owner.name}' has no joint: press Match Joints")
        self.report({"INFO"}, robot_device.give_servo(rig, joint, self.servo))


def _presets(_operator, context) -> list[tuple[str, str, str]]:
    """Items of an enumeration: the servo models that the robot's protocol can drive; one item without a key
    if none is known.
    """
    rig = rig_of(context)
    protocol = rig.limber.device.protocol if rig else ""
    fitting = [
        (key, preset.label, preset.source) for key, preset in PRESETS.items() if protocol in preset.protocols
    ]
    _items[:] = fitting or [("", "No servo is known for this protocol", "Type its range")]
    return _items


_items: list[tuple[str, str, str]] = []  # Blender keeps no reference to the items of a dynamic enumeration


class LIMBER_OT_use_preset(UndoOperator):
    """Fill in range, units and speed of a known servo model; zero becomes the middle of its range"""

    bl_label = "Servo Model"

    preset: EnumProperty(
        name="Model", description="Servo model whose range, units and speed are used", items=_presets
    )
    which: EnumProperty(
        name="Apply To",
        description="Servos to set up",
        items=[
            ("JOINT", "This One", "The servo of the joint, or motor, that is selected"),
            (
                "CHAIN",
                "All of the List",
                "The servos of all joints of the chain, or of all motors of the mechanism",
            ),
        ],
    )
    motors: _of_motors()
    speeds: BoolProperty(
        name="Set Joint Speeds",
        description="Set the limits of the velocity, acceleration and jerk of revolute joints to the servo's",
        default=True,
    )

    why_not = needs_servos

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self, confirm_text="Use")

    def run(self, context):
        preset = PRESETS.get(self.preset)
        if preset is None:
            raise RigError("No servo is known for this protocol: type its range")
        listed = servo_lists.chosen(rig_of(context), self.motors)
        index = listed.selected_index
        joints = listed.all if self.which == "CHAIN" else listed.all[index : index + 1]
        protocol = rig_of(context).limber.device.protocol
        for joint in joints:
            servo_units.use_preset(joint, preset, protocol, self.speeds and not axes.is_prismatic(joint.axis))


class LIMBER_OT_add_channel(UndoOperator):
    """Add a servo: a second servo for the selected joint or motor, or a servo that several joints drive"""

    bl_label = "Add Servo"

    why_not = needs_rig

    def run(self, context):
        rig = rig_of(context)
        device = rig.limber.device
        channel = device.channels.add()
        servo_units.make_usual(channel, device.protocol)
        joint = next((servo_list.selected for servo_list in servo_lists.lists(rig) if servo_list.all), None)
        if joint is not None:
            channel.shares.add().joint = joint.label
            channel.name = f"{joint.label} too"
        channel.servo = robot_device.free_servo(rig)
        device.active_channel = len(device.channels) - 1


def _needs_channel(context) -> str:
    return needs_rig(context) or ("" if rig_of(context).limber.device.channels else NO_CHANNEL)


def _channel(context):
    """The selected additional servo of the robot in use; None if it has none."""
    device = rig_of(context).limber.device
    return selected(device.channels, device.active_channel)


class LIMBER_OT_remove_channel(RemoveItem):
    """Remove the selected additional servo"""

    bl_label = "Remove Servo"

    items, active, empty = "channels", "active_channel", NO_CHANNEL

    @classmethod
    def _owner(cls, context):
        return rig_of(context).limber.device


class LIMBER_OT_add_share(UndoOperator):
    """Add a joint that the servo follows too, as in a differential"""

    bl_label = "Add Joint"

    why_not = _needs_channel

    def run(self, context):
        rig, channel = rig_of(context), _channel(context)
        taken = {share.joint for share in channel.shares}
        names = [name for name in robot_device.names(rig) if name not in taken]
        if not names:
            raise RigError("Every joint drives this servo already")
        channel.shares.add().joint = names[0]


class LIMBER_OT_remove_share(UndoOperator):
    """Remove this joint from the joints that the servo follows"""

    bl_label = "Remove Joint"

    index: IntProperty(
        name="Index",
        description="Index of the joint among the joints that the servo follows, from 0",
        min=0,
        options={"SKIP_SAVE"},
    )

    why_not = _needs_channel

    def run(self, context):
        channel = _channel(context)
        if self.index >= len(channel.shares):
            return {"CANCELLED"}
        channel.shares.remove(self.index)
        return {"FINISHED"}


class LIMBER_OT_choose_share(UndoOperator):
    """Choose a joint that the servo follows"""

    bl_label = "Choose Joint"

    index: IntProperty(
        name="Index",
        description="Index of the joint among the joints that the servo follows, from 0",
        min=0,
        options={"SKIP_SAVE"},
    )
    joint: StringProperty(name="Joint", description="Joint that the servo follows", options={"SKIP_SAVE"})

    why_not = _needs_channel

    def invoke(self, context, event):
        if self.joint:
            return self.execute(context)
        names = robot_device.names(rig_of(context))
        return self.offer(context, "Joint", ((name, {"joint": name, "index": self.index}) for name in names))

    def run(self, context):
        channel, names = _channel(context), robot_device.names(rig_of(context))
        if self.joint not in names or self.index >= len(channel.shares):
            raise RigError(f"'{self.joint}' is no joint of this robot: choose one of {', '.join(names)}")
        channel.shares[self.index].joint = self.joint
