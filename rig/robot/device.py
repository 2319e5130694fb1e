"""The device description of the robot of an armature or mechanism: joints, channels and values, from the
properties in the .blend.
"""

from dataclasses import dataclass
from functools import cached_property
from math import radians

import bpy

from ...hardware.device import (
    VIRTUAL_HOBBY_PORT,
    Device,
    DeviceJoint,
    ServoChannel,
    Share,
    Unit,
    auxiliary,
    on_virtual_robot,
)
from ...hardware.errors import DeviceError
from ...hardware.protocols import table
from ...hardware.protocols.interface import Capabilities, Quantity
from ...hardware.protocols.settings import ProtocolSettings
from ...hardware.protocols.table import OWN
from ...motion import Limits
from ..bones import axes
from ..bones.file_joints import SourceKey
from ..bones.limit_faults import range_faults, rate_faults
from ..live.mover import Mover
from ..live.movers import mover_of
from ..properties.servo import ServoSettings
from ..properties.servo_units import PULSES
from . import programs

# quantities on the health of servos that a protocol may report
HEALTH = frozenset((Quantity.TEMPERATURE, Quantity.VOLTAGE, Quantity.LOAD, Quantity.CURRENT))
# remedy if the bone of a joint does not exist
NO_BONE = "give the bone its name again, or set the joint's servo to -1"


@dataclass(frozen=True)
class Source:
    """The source of a device joint's value: a joint of a chain, a motor of the mechanism, or an auxiliary
    value, which follows an animatable property.
    """

    chain: str = ""  # uid of the chain or the mechanism
    bone: str = ""  # name of the joint's bone; for a motor, name of its joint
    axis: str = ""
    auxiliary: str = ""  # name of the auxiliary value; "" for joints and motors

    @cached_property
    def key(self) -> SourceKey:
        """(uid of the chain or mechanism, bone, axis) of the joint or motor; empty strings for a value."""
        return self.chain, self.bone, self.axis


def joints(rig: bpy.types.Object) -> list[tuple]:
    """All joints of a rig's chains, as (chain, joint), and all motors of its mechanism, as (mechanism,
    motor).
    """
    mechanism = rig.limber.mechanism
    of_chains = [(chain, joint) for chain in rig.limber.chains for joint in chain.joints]
    return [*of_chains, *((mechanism, motor) for motor in mechanism.motors)]


def driven(rig: bpy.types.Object) -> list[tuple]:
    """The (chain, joint) or (mechanism, motor) pairs that have a servo, of their own or shared."""
    shared = {
        share.joint
        for channel in rig.limber.device.channels
        if channel.servo >= 0
        for share in channel.shares
    }
    return [
        (chain, joint) for chain, joint in joints(rig) if has_own_servo(chain, joint) or joint.label in shared
    ]


def has_own_servo(owner: bpy.types.PropertyGroup, joint: bpy.types.PropertyGroup) -> bool:
    """Whether a joint or motor has a servo of its own that Limber drives. `owner`: settings of its chain or
    mechanism.
    """
    return joint.servo >= 0 and getattr(owner, "sends_to_robot", True)


def values_with_servo(rig: bpy.types.Object) -> list:
    """Auxiliary values that have a servo, of their own or shared."""
    shared = {
        share.joint
        for channel in rig.limber.device.channels
        if channel.servo >= 0
        for share in channel.shares
    }
    return [value for value in rig.limber.device.auxiliaries if value.servo >= 0 or value.name in shared]


def names(rig: bpy.types.Object) -> list[str]:
    """Names of all joints, motors and auxiliary values, each of which can drive a channel."""
    return [
        *(joint.label for _, joint in joints(rig)),
        *(value.name for value in rig.limber.device.auxiliaries),
    ]


def driven_names(rig: bpy.types.Object) -> list[str]:
    """Names of the joints, motors and auxiliary values that have a servo, in the device's order."""
    return [*(joint.label for _, joint in driven(rig)), *(value.name for value in values_with_servo(rig))]


def servos(rig: bpy.types.Object) -> list[int]:
    """Numbers of the servos, in the order of the device's channels."""
    device = rig.limber.device
    joint_servos = [joint.servo for owner, joint in driven(rig) if has_own_servo(owner, joint)]
    additional = [channel.servo for channel in device.channels if channel.servo >= 0]
    of_values = [value.servo for value in values_with_servo(rig) if value.servo >= 0]
    return [*joint_servos, *additional, *of_values]


def all_settings(rig: bpy.types.Object) -> list[ServoSettings]:
    """Settings of everything that can have a servo: joints, motors, additional servos and auxiliary
    values.
    """
    device = rig.limber.device
    return [*(joint for _, joint in joints(rig)), *device.channels, *device.auxiliaries]


def free_servo(rig: bpy.types.Object) -> int:
    """Lowest servo number that is not used in the rig."""
    taken = {settings.servo for settings in all_settings(rig)}
    return next(number for number in range(len(taken) + 1) if number not in taken)


def next_servo(rig: bpy.types.Object) -> int:
    """Highest servo number in the rig plus one: new joints and motors get it, so that they are numbered in
    the order of creation.
    """
    return max((settings.servo for settings in all_settings(rig)), default=-1) + 1


def give_servo(rig: bpy.types.Object, joint: ServoSettings, servo: int) -> str:
    """Sets the servo number of a joint or value; another joint or value that had this number gets the old
    number in exchange. Returns a text on the change.
    """
    had = joint.servo
    other = settings_of(rig, servo) if servo >= 0 else None
    if other is not None and other != joint:
        other.servo = had
    joint.servo = servo
    change = f"{joint.label} has servo {servo}" if servo >= 0 else f"{joint.label} has no servo"
    if other is None or other == joint:
        return change
    return f"{change}; {other.label}, which had it, has {f'servo {had}' if had >= 0 else 'none'}"


def sources(rig: bpy.types.Object) -> tuple[Source, ...]:
    """The joint, motor or value that each joint of the device follows, in the device's order."""
    of_joints = [Source(chain.uid, joint.bone, joint.axis) for chain, joint in driven(rig)]
    return (*of_joints, *(Source(auxiliary=value.name) for value in values_with_servo(rig)))


def describe(rig: bpy.types.Object) -> Device:
    """Device description for the link, from the rig's properties; in the virtual robot's unit if the port is
    virtual.

    Raises:
        DeviceError: a joint, limit or channel is invalid; the message names it and the remedy.
    """
    described = describe_plain(rig)
    return on_virtual_robot(described) if described.is_virtual else described


def describe_plain(rig: bpy.types.Object) -> Device:
    """Device description with positions in the protocol's own unit, even if the port is virtual.

    Raises:
        DeviceError: as `describe`.
    """
    device = rig.limber.device
    device_joints, channels = [], []
    for settings, joint in driven(rig):
        device_joints.append(_joint(mover_of(rig, settings), joint))
        if has_own_servo(settings, joint):
            channels.append(_channel(joint, (Share(joint.label, joint.gear),)))
    channels += [_additional(rig, channel) for channel in device.channels if channel.servo >= 0]
    for value in values_with_servo(rig):
        joint, channel = _auxiliary(value)
        device_joints.append(joint)
        if value.servo >= 0:
            channels.append(channel)
    return Device(
        port=device.port.strip(),
        joints=tuple(device_joints),
        channels=tuple(channels),
        baudrate=device.baudrate,
        protocol=device.protocol_name,
        latency=device.latency,
        settings=protocol_settings(device),
        program=programs.allowed(device.program_path) if device.program_path else "",
    )


def protocol_settings(device: bpy.types.PropertyGroup) -> ProtocolSettings:
    """Protocol settings of the device; settings that its protocol does not use have their defaults."""
    chosen = {"multi_turn": device.multi_turn, "channel_count": int(device.channel_count), "crc": device.crc}
    used = table.settings_of(device.protocol)
    return ProtocolSettings(**{name: value for name, value in chosen.items() if name in used})


def _joint(mover: Mover, joint: bpy.types.PropertyGroup) -> DeviceJoint:
    name = joint.label
    if not mover.keys_of({joint.key: 0.0}):
        raise DeviceError(f"Joint {name}: its bone is missing: {NO_BONE}")
    unit: Unit = "m" if axes.is_prismatic(joint.axis) else "rad"
    return DeviceJoint(name, _limits(f"Joint {name}", joint.lower, joint.upper, joint), unit)


def _limits(name: str, lower: float, upper: float, rates: bpy.types.PropertyGroup) -> Limits:
    """Limits of the joint or value `name`; velocity, acceleration and jerk are those of `rates`. Raises
    DeviceError if they are invalid.
    """
    if fault := next(range_faults(lower, upper, "value"), ""):
        raise DeviceError(f"{name}: {fault}")
    if lower > upper:
        raise DeviceError(f"{name}: its smallest value is above its largest: exchange Min and Max")
    if fault := next(rate_faults(rates), ""):
        raise DeviceError(f"{name}: {fault}")
    return Limits(lower, upper, rates.velocity, rates.acceleration, rates.jerk)


def _channel(servo: bpy.types.PropertyGroup, shares: tuple[Share, ...]) -> ServoChannel:
    return ServoChannel(
        servo.servo,
        shares,
        direction=-1 if servo.reverse else 1,
        zero=servo.zero_us,
        per_radian=servo.us_per_radian,
        lowest=servo.min_us,
        highest=servo.max_us,
        on_silence=servo.on_silence,
        speed=servo.servo_speed or None,
        homing_offset=servo.recorded_offset,
    )


def _additional(rig: bpy.types.Object, channel: bpy.types.PropertyGroup) -> ServoChannel:
    """Channel of an additional servo; raises DeviceError if a joint that drives it does not exist."""
    known = names(rig)
    for share in channel.shares:
        if share.joint not in known:
            raise DeviceError(
                f"Servo {channel.servo} ({channel.name}) is driven by '{share.joint}', which is no joint of a"
                " chain: choose another joint"
            )
    return _channel(channel, tuple(Share(share.joint, share.gear) for share in channel.shares))


def _auxiliary(value: bpy.types.PropertyGroup) -> tuple[DeviceJoint, ServoChannel]:
    """Joint and channel of an auxiliary value, which the device treats as a joint."""
    limits = _limits(f"Value {value.name}", value.low, value.high, value)
    ends = value.at_low, value.at_high
    return auxiliary(
        value.name,
        max(value.servo, 0),
        limits,
        *ends,
        on_silence=value.on_silence,
        homing_offset=value.recorded_offset,
    )


def may_ask_for_pose(rig: bpy.types.Object) -> bool:
    """Whether arming the rig's robot may ask the user to confirm its pose, since its protocol does not
    guarantee measured positions. It is known before the robot is connected, and does not change while the
    robot is connected.
    """
    device = rig.limber.device
    if device.is_virtual:
        return device.port.strip() == VIRTUAL_HOBBY_PORT
    known = _capabilities(device)
    return known is None or not known.measures


def reports_health(rig: bpy.types.Object) -> bool:
    """Whether the rig's robot, connected or not, has a built-in protocol whose servos report temperature,
    voltage, load or current; False for the virtual robot.
    """
    device = rig.limber.device
    known = None if device.is_virtual else _capabilities(device)
    return known is not None and not HEALTH.isdisjoint(known.reads)


def _capabilities(device: bpy.types.PropertyGroup) -> Capabilities | None:
    """Capabilities of the device's protocol; None for a user's program, which is not run only to learn
    them.
    """
    name = device.protocol_name
    return table.capabilities_of(name, protocol_settings(device)) if name in table.BUILT_IN else None


def channel_of_servo(device: Device, servo: int) -> int | None:
    """Index of the channel with a servo number; None if there is none."""
    return next((index for index, channel in enumerate(device.channels) if channel.servo == servo), None)


def amount(joint: DeviceJoint, number: float) -> float:
    """Size of a jog in the joint's unit. `number` is in degrees; for prismatic joints in millimetres, for
    auxiliary values in 180ths of the range.
    """
    if joint.unit == "rad":
        return radians(number)
    if joint.unit == "m":
        return number / 1000.0
    return number / 180.0 * (joint.limits.upper - joint.limits.lower)


def settings_of(rig: bpy.types.Object, servo: int) -> ServoSettings | None:
    """The settings of a servo by its number; None if there are none."""
    return next((settings for settings in all_settings(rig) if settings.servo == servo), None)


def panel_raw(rig: bpy.types.Object, channel: ServoChannel, raw: float) -> float:
    """A raw position of the connected device, converted to the protocol's unit, which the panel shows. The
    virtual robot itself uses pulses.
    """
    device, settings = rig.limber.device, settings_of(rig, channel.servo)
    if not device.is_virtual or device.protocol == OWN or settings is None:
        return raw
    low, high = settings.raw_range
    _, _, lowest, highest = PULSES
    return low + (raw - lowest) * (high - low) / (highest - lowest)
