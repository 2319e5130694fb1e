"""Calibration of a connected robot: zeros and ranges from its current position, or from moving it by hand.

Positions are in the protocol's unit, as in the panel, even for the virtual robot.
"""

from dataclasses import dataclass, field

import bpy

from ...hardware.device import ServoChannel
from ...hardware.safety import State
from ..blender.errors import RigError
from . import device as robot_device
from . import links, values

# [rad] smallest motion of a servo that sets its range; smaller motions count as unintended
LEAST_MOTION = 0.05
NO_ZERO = "'{}' has no zero of its own: type the positions at the ends of its range"


@dataclass
class _Recording:
    """A recording of ranges: the lowest and highest raw position of each channel, by the channel's index."""

    seen: dict[int, tuple[float, float]] = field(default_factory=dict)


_recordings: dict[int, _Recording] = {}  # running recordings, by session_uid of the rig


def positions(rig: bpy.types.Object) -> list[float | None]:
    """Raw position of each channel of the connected robot: the measured position, else the commanded
    position; None if neither is known.

    Raises:
        RigError: the robot is not connected.
    """
    link, status = links.link(rig), links.status(rig)
    if link is None or status is None:
        raise RigError("Not connected: press Connect first")
    raw_positions = []
    for index, channel in enumerate(status.channels):
        raw = channel.commanded if channel.measured is None else channel.measured
        raw_positions.append(
            None if raw is None else robot_device.panel_raw(rig, link.device.channels[index], raw)
        )
    return raw_positions


def zero(rig: bpy.types.Object, name: str, value: float) -> list[str]:
    """Sets the zeros of a joint's servos so that the current position corresponds to `value` [the joint's
    unit], and records their homing offsets; other joints that drive these servos are taken to have their
    shown values.

    Returns:
        Texts about the servos whose zero has changed.

    Raises:
        RigError: the robot is not connected, has no such joint, a position is not known, or no servo of the
            joint has a zero.
        DeviceError: the rig's properties describe no valid device.
    """
    raw, device = positions(rig), robot_device.describe(rig)
    shown = dict(zip((joint.name for joint in device.joints), _shown(rig), strict=True)) | {name: value}
    changes = []
    for index, channel in _channels_of(rig, name):
        settings = robot_device.settings_of(rig, channel.servo)
        position = raw[index]
        if position is None:
            raise RigError(f"Where servo {channel.servo} is, is not known: let it go or jog it first")
        rotation = sum(share.gear * shown[share.joint] for share in channel.shares)
        if settings is not None and settings.has_zero:
            sign = -1 if settings.reverse else 1
            settings.zero_us = position - sign * settings.us_per_radian * rotation
            settings.recorded_offset = _homing_offset(rig, index)
            changes.append(f"servo {channel.servo}: {settings.zero_us:.0f}")
    if not changes:
        raise RigError(NO_ZERO.format(name))
    return changes


def end(rig: bpy.types.Object, name: str, high: bool) -> list[str]:
    """Sets the upper (`high`) or lower end of a joint's range: its servos' limits become their current
    positions.

    Returns:
        Texts about the servos whose range has changed.

    Raises:
        RigError: as `zero`, or the lower end would be above the upper one.
    """
    raw = positions(rig)
    changes = []
    for index, channel in _channels_of(rig, name):
        settings, position = robot_device.settings_of(rig, channel.servo), raw[index]
        if position is None:
            raise RigError(f"Where servo {channel.servo} is, is not known: let it go or jog it first")
        if settings is None or not settings.has_zero:
            continue
        # a reversed servo is at its highest position when the joint is at its lowest
        upper = high != settings.reverse
        if (upper and position <= settings.min_us) or (not upper and position >= settings.max_us):
            raise RigError(
                f"Servo {channel.servo} is at {position:.0f}, and its other end is"
                f" {settings.min_us if upper else settings.max_us:.0f}: set that one first, or toggle Reverse"
            )
        setattr(settings, "max_us" if upper else "min_us", position)
        changes.append(f"servo {channel.servo}: {position:.0f}")
    if not changes:
        raise RigError(NO_ZERO.format(name))
    return changes


def start_range(rig: bpy.types.Object) -> None:
    """Starts to record the lowest and highest position of every servo while the robot is moved by hand.

    Raises:
        RigError: the robot's torque is not off.
    """
    status = links.status(rig)
    if status is None or status.state is not State.LIMP:
        raise RigError("The robot is not let go: press Release All first")
    _recordings[rig.session_uid] = _Recording()


def is_recording(rig: bpy.types.Object) -> bool:
    """Whether ranges are being recorded."""
    return rig.session_uid in _recordings


def forget() -> None:
    """Discards all recordings of ranges."""
    _recordings.clear()


def note() -> None:
    """Updates the recordings of ranges from the newest status; discards that of a robot whose torque is no
    longer off. Blender's timer calls it.
    """
    for rig in links.connected_rigs() if _recordings else ():
        recording, status = _recordings.get(rig.session_uid), links.status(rig)
        if recording is None or status is None or status.state is not State.LIMP:
            _recordings.pop(rig.session_uid, None)
            continue
        for index, position in enumerate(positions(rig)):
            if position is not None:
                low, high = recording.seen.get(index, (position, position))
                recording.seen[index] = (min(low, position), max(high, position))


def finish_range(rig: bpy.types.Object, limits: bool) -> list[str]:
    """Ends the recording, also after an error: sets the recorded range on servos with a zero that were moved
    and, if `limits`, as limits of their joints.

    Returns:
        Texts about the changes.

    Raises:
        RigError: nothing is being recorded, or no such servo was moved.
    """
    recording = _recordings.pop(rig.session_uid, None)
    link = links.link(rig)
    if recording is None or link is None:
        raise RigError("No range is being recorded: press Record Range first")
    changes = []
    for index, (low, high) in recording.seen.items():
        settings = robot_device.settings_of(rig, link.device.channels[index].servo)
        if settings is None or not settings.has_zero or high - low < LEAST_MOTION * settings.us_per_radian:
            continue
        settings.min_us, settings.max_us = low, high
        changes.append(f"servo {settings.servo}: {low:.0f} to {high:.0f}")
        if limits and settings.limits is not None:
            ends = sorted(
                (position - settings.zero_us) / (settings.us_per_radian * settings.gear)
                for position in (low, high)
            )
            # a reversed servo is at its highest position when the joint is at its lowest
            settings.lower, settings.upper = (-ends[1], -ends[0]) if settings.reverse else ends
    if not changes:
        raise RigError("No servo was moved: move each joint from end to end while the range is recorded")
    return changes


def _channels_of(rig: bpy.types.Object, name: str) -> list[tuple[int, ServoChannel]]:
    """(index, channel) of the connected robot's channels that a joint drives.

    Raises:
        RigError: there are none.
    """
    link = links.link(rig)
    channels = [
        (index, channel)
        for index, channel in enumerate(link.device.channels)
        if any(share.joint == name for share in channel.shares)
    ]
    if not channels:
        raise RigError(
            f"'{name}' is not on the robot that is connected: give it a servo, and press Reconnect"
        )
    return channels


def _homing_offset(rig: bpy.types.Object, index: int) -> float | None:
    """Homing offset [raw units] that the servo of the channel with this index reports; None if unknown."""
    status = links.status(rig)
    return None if status is None else status.channels[index].homing_offset


def _shown(rig: bpy.types.Object) -> list[float]:
    """Shown value of each of the robot's joints, in the device's order; 0 if it is not known."""
    sources = robot_device.sources(rig)
    return values.newest(rig, sources, [0.0] * len(sources))
