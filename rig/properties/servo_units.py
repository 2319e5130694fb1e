"""Units of servo positions in each protocol, and the default calibration of a servo."""

from math import pi

import bpy

from ...hardware.presets import Preset
from ...hardware.protocols.table import BUILT_IN, OWN, PROTOCOLS, capabilities_of

FIELDS = ("zero_us", "us_per_radian", "min_us", "max_us")
# hobby servo: zero [us], [us/rad], lowest and highest position [us]
PULSES = (1500.0, 2000.0 / pi, 500.0, 2500.0)
# numbers count as equal within this difference, relative to numbers above 1: properties have single precision
NEAR = 1e-3
# short names of units; positions of Limber's own firmware are stored in microseconds
ABBREVIATED = {"microseconds": "us", "quarter microseconds": "1/4 us", "eighths of a microsecond": "us"}


def usual_servo(protocol: str) -> tuple[float, float, float, float]:
    """(zero, units per radian, lowest, highest position) of a servo that is not calibrated yet; those of a
    hobby servo if the protocol's are not known.

    If the protocol has positions in steps, zero is the middle of their range, and the range is their full
    range.
    """
    if protocol == OWN or protocol not in BUILT_IN:
        return PULSES
    units = capabilities_of(protocol).units
    if units.microsecond is not None:
        zero, per_radian, low, high = (units.microsecond * pulse for pulse in PULSES)
        return zero, per_radian, low, high
    if units.per_revolution is None:
        return PULSES
    return (
        (units.lowest + units.highest + 1) / 2,
        units.per_revolution / (2 * pi),
        float(units.lowest),
        float(units.highest),
    )


def unit_name(protocol: str) -> str:
    """Short name of a protocol's position unit; "" for a user's own file."""
    if protocol not in BUILT_IN:
        return ""
    name = capabilities_of(protocol).units.name
    return ABBREVIATED.get(name, name)


def is_usual(servo: bpy.types.PropertyGroup) -> bool:
    """Whether a servo is not calibrated yet: it has the default calibration of some protocol."""
    stored = [getattr(servo, field) for field in FIELDS]
    usual = (usual_servo(protocol) for protocol in BUILT_IN)
    return any(
        all(abs(a - b) <= NEAR * max(1.0, abs(b)) for a, b in zip(stored, usual_values, strict=True))
        for usual_values in usual
    )


def make_usual(servo: bpy.types.PropertyGroup, protocol: str) -> None:
    """Sets a servo to the default calibration of a protocol."""
    for field, value in zip(FIELDS, usual_servo(protocol), strict=True):
        setattr(servo, field, value)


def use_preset(servo: bpy.types.PropertyGroup, preset: Preset, protocol: str, speeds: bool) -> None:
    """Sets a servo to the calibration of a known model.

    Args:
        servo: A joint, or an additional servo.
        preset: `hardware.presets.Preset`; presets of hobby servos are in microseconds.
        protocol: Protocol of the device.
        speeds: Whether to set a joint's velocity, acceleration and jerk limits to the limits of the model
            too.
    """
    unit = capabilities_of(protocol).units.microsecond if protocol in PROTOCOLS else None
    scale = unit or 1.0
    servo.zero_us, servo.us_per_radian = scale * preset.zero, scale * preset.per_radian
    servo.min_us, servo.max_us = scale * preset.lowest, scale * preset.highest
    servo.servo_speed = preset.speed or 0.0
    if speeds and servo.limits and servo.gear:
        limits = preset.limits(*servo.limits, servo.gear)
        servo.velocity, servo.acceleration, servo.jerk = limits.velocity, limits.acceleration, limits.jerk


def protocol_changed(device: bpy.types.PropertyGroup) -> None:
    """Sets the default baud rate of the new protocol, unless the user has set another one that it offers, and
    its default calibration on servos that are not calibrated yet.
    """
    if offered := capabilities_of(device.protocol).baudrates if device.protocol in BUILT_IN else ():
        usual = {capabilities_of(protocol).baudrates[0] for protocol in (OWN, *PROTOCOLS)}
        if device.baudrate in usual or device.baudrate not in offered:
            device.baudrate = offered[0]
    limber = device.id_data.limber
    servos = (
        [joint for chain in limber.chains for joint in chain.joints]
        + list(limber.mechanism.motors)
        + list(device.channels)
    )
    for servo in servos:
        if is_usual(servo):
            make_usual(servo, device.protocol)
