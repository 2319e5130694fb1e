"""Properties of a robot: its device, servos, the joints that drive them, and auxiliary values.

A joint has its own servo if its `servo` is not -1. All other servos are channels of the device: a second
servo on an axis, or the servos of a differential. Servo positions are raw, in the protocol's own unit:
microseconds for pulses. Names of properties contain "us" even if positions are not in microseconds.
"""

import bpy
from bpy.types import ID, Action, PropertyGroup

from ...hardware.device import (
    FASTEST_BAUDRATE,
    SLOWEST_BAUDRATE,
    VIRTUAL_HOBBY_PORT,
    VIRTUAL_PORT,
)
from ...hardware.protocols.maestro import MODELS
from ...hardware.protocols.table import FILE, OWN, PROTOCOLS, WITHOUT_CODEC
from ...motion import FILTERS
from . import servo_units
from .enum_items import choice, item, keyed_enum
from .motion_style import LimberSmoothness
from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from .servo import MAX_US, MIN_US, LimberServo, ServoSettings

DIRECT = "direct"  # filter of an auxiliary value that has no motion filter
OWN_FILE = "file"  # value of `protocol` for the user's own file

PROTOCOL_ITEMS = [
    item(OWN, "Limber", "A board with Limber's own firmware"),
    *(
        item(key, can.title, f"{can.title}, driven through its maker's daemon")
        for key, can in WITHOUT_CODEC.items()
        if key != OWN
    ),
    *(
        item(key, entry.title, f"Devices that use the protocol of {entry.title}")
        for key, entry in PROTOCOLS.items()
    ),
    item(OWN_FILE, "Custom File", "A Python file that implements the robot's protocol"),
]


class LimberShare(PropertyGroup):
    """A joint, motor or auxiliary value that drives an additional servo."""

    joint: StringProperty(name="Joint", description="Name of the joint, motor or value, as in its list")
    gear: FloatProperty(
        name="Gear",
        description=(
            "Gear ratio: rotation of the servo per rotation of the joint; radians per metre for prismatic"
            " joints; negative: opposite direction"
        ),
        default=1.0,
        soft_min=-100.0,
        soft_max=100.0,
    )


class LimberChannel(LimberServo, PropertyGroup):
    """An additional servo: a second servo on a joint, or a servo that several joints drive, as in a
    differential.
    """

    name: StringProperty(name="Name", description="Name of the additional servo", default="Channel")
    shares: CollectionProperty(
        name="Joints", description="Joints that the servo follows, each with its gear ratio", type=LimberShare
    )


class LimberAuxiliary(LimberSmoothness, ServoSettings, PropertyGroup):
    """An auxiliary value of a robot: an animatable property that a servo, or a lamp, follows."""

    name: StringProperty(name="Name", description="Name of the value", default="Value")
    owner: PointerProperty(
        name="Of",
        description="Data-block that has the property, such as an object, a material or shape keys",
        type=ID,
    )
    path: StringProperty(
        name="Property",
        description='Path of the property in its data-block: location[2], key_blocks["Jaw"].value, ["blink"]',
    )
    low: FloatProperty(
        name="Min",
        description=(
            "Value of the property at which the servo is at Servo at Min, and below which it stays there;"
            " angles in radians"
        ),
        default=0.0,
    )
    high: FloatProperty(
        name="Max",
        description=(
            "Value of the property at which the servo is at Servo at Max, and above which it stays there;"
            " angles in radians"
        ),
        default=1.0,
    )
    at_low: FloatProperty(
        name="Servo at Min",
        description=("Position of the servo, in the protocol's unit, at the smallest value"),
        default=MIN_US,
    )
    at_high: FloatProperty(
        name="Servo at Max",
        description=("Position of the servo, in the protocol's unit, at the largest value"),
        default=MAX_US,
    )
    velocity: FloatProperty(
        name="Velocity", description="Largest change of the value per second", default=4.0, min=1e-4
    )
    acceleration: FloatProperty(
        name="Acceleration",
        description="Largest acceleration of the value, per second squared",
        default=40.0,
        min=1e-4,
    )
    jerk: FloatProperty(
        name="Jerk",
        description=(
            "Largest jerk (change of the acceleration) of the value, per second cubed; lower is softer"
        ),
        default=400.0,
        min=1e-4,
    )
    filter: keyed_enum(
        "filter",
        name="Filter",
        description="Motion filter, which smooths the value's motion and keeps it within its limits",
        items=[
            (
                DIRECT,
                "None",
                "Send the property's value as it is; only the robot keeps to the limits",
                "NONE",
                0,
            ),
            *(choice(key, info) for key, info in FILTERS.items()),
        ],
        default=DIRECT,
    )

    @property
    def limits(self) -> tuple[float, float]:
        return self.low, self.high

    @property
    def raw_range(self) -> tuple[float, float]:
        low, high = sorted((self.at_low, self.at_high))
        return low, high

    @property
    def value_at_ends(self) -> tuple[float, float]:
        return (self.low, self.high) if self.at_low < self.at_high else (self.high, self.low)


class LimberDevice(PropertyGroup):
    """Properties of the robot that follows an object's joints and motors."""

    port: StringProperty(
        name="Port",
        description=(
            "Serial port of the robot, or a path; host and port of a robot on a network; 'virtual' is a"
            " built-in, simulated robot"
        ),
        default=VIRTUAL_PORT,
    )
    baudrate: IntProperty(
        name="Baud Rate",
        description="Speed of the serial line, in bits per second",
        default=115200,
        min=SLOWEST_BAUDRATE,
        max=FASTEST_BAUDRATE,
    )
    protocol: keyed_enum(
        "protocol",
        name="Protocol",
        description=(
            "Language that the robot's controller or servos understand: the protocol of their maker, or of"
            " Limber's firmware"
        ),
        items=PROTOCOL_ITEMS,
        default=OWN,
        update=lambda device, _context: servo_units.protocol_changed(device),
    )
    protocol_file: StringProperty(
        name="File",
        description=(
            "Python file that implements the robot's protocol. It is a program, and Limber asks before it"
            " runs a program that you have not allowed"
        ),
    )
    multi_turn: BoolProperty(
        name="Multi-Turn",
        description=("Use positions beyond one revolution, for which the servos must be configured"),
    )
    channel_count: EnumProperty(
        name="Channels",
        description="Number of servo channels of the controller",
        items=[
            (str(count), str(count), f"A Maestro with {count} channels, 0 to {count - 1}") for count in MODELS
        ],
    )
    crc: BoolProperty(
        name="Enable CRC",
        description=(
            "Protect each command with a CRC. Must be the same as Enable CRC in the Maestro Control "
            "Center: with different settings Limber does not connect"
        ),
    )
    latency: FloatProperty(
        name="Delay",
        description=(
            "Delay of the robot's motion, to match sound that comes late. Negative: the robot moves"
            " earlier, while keyframes play"
        ),
        subtype="TIME_ABSOLUTE",
        default=0.0,
        min=-2.0,
        max=2.0,
        precision=3,
    )
    channels: CollectionProperty(
        name="Additional Servos",
        description="Second servos of joints, and servos that follow several joints",
        type=LimberChannel,
    )
    active_channel: IntProperty(name="Channel", description="Selected additional servo")
    auxiliaries: CollectionProperty(
        name="Values",
        description=("Animatable properties, each of which drives a servo: a jaw, an eyelid, a lamp"),
        type=LimberAuxiliary,
    )
    active_auxiliary: IntProperty(name="Value", description="Selected value")
    was_connected: BoolProperty(
        name="Was Connected",
        description="The device has been connected before, so the armature belongs to a robot",
        options={"HIDDEN"},
    )
    park: PointerProperty(
        name="Park Pose",
        description="Pose asset to which the robot moves slowly before it is disarmed",
        type=Action,
    )

    @property
    def protocol_name(self) -> str:
        """The protocol's name for `hardware.device.Device`."""
        return f"{FILE}{self.program_path}" if self.protocol == OWN_FILE else self.protocol

    @property
    def program_path(self) -> str:
        """Path of the user's program that is the protocol; "" for built-in protocols."""
        return bpy.path.abspath(self.protocol_file) if self.protocol == OWN_FILE else ""

    @property
    def is_virtual(self) -> bool:
        """Whether the port is one of the virtual robot's."""
        return self.port.strip() in (VIRTUAL_PORT, VIRTUAL_HOBBY_PORT)
