"""Description of a robot: port, protocol, joints, and the channels that drive them.

A joint is what moves, and a channel is what receives positions: several channels may drive one joint (two
servos on one axis), and several joints one channel (a differential). `mixing` converts between the two.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from ..motion.joint import Limits
from .address import Address, address_of
from .errors import DeviceError
from .protocols.settings import DEFAULT, ProtocolSettings
from .protocols.table import OWN, is_on_network

VIRTUAL_PORT = "virtual"
"""The built-in virtual robot, whose servos measure their positions."""

VIRTUAL_HOBBY_PORT = "virtual-hobby"
"""The built-in virtual robot with hobby servos, which do not measure their positions: arming asks to confirm
the pose.
"""

VIRTUAL_PULSES = (500.0, 2500.0)  # [us] pulse range of the virtual robot's servos

# largest number of joints and of channels of a device: `RequestCodec` has 64 bits for channels
MAX_CHANNELS = 64
# highest servo id, that of a Feetech bus; each protocol refuses ids beyond its own range
LAST_SERVO = 253
# [raw units] largest end of a servo's range, in either direction: about twice the 256 revolutions of 4096
# steps of a Dynamixel
FARTHEST = 2e6
SLOWEST_BAUDRATE, FASTEST_BAUDRATE = 1200, 4_000_000  # [bit/s] bounds of a baud rate
# [s] largest latency, in either direction: ample, since sound through the slowest wireless loudspeaker is
# 0.3 s late
LONGEST_LATENCY = 2.0
# [m] travel of a prismatic joint that is equivalent to a radian: the end of a 5 cm lever moves as far
LEVER = 0.05

OnSilence = Literal["hold", "detach"]
Unit = Literal["rad", "m", "plain"]


@dataclass(frozen=True, slots=True)
class DeviceJoint:
    """A revolute joint, a prismatic joint, or an auxiliary value (a jaw, an eyelid, a lamp).

    Attributes:
        name: Unique on the device.
        limits: Range, and largest velocity, acceleration and jerk, in the joint's unit, for the motion
            filter; the limiter's are slightly wider.
        unit: Radians, metres, or a plain number.

    Raises:
        DeviceError: The name is empty, or the unit is unknown.
    """

    name: str
    limits: Limits
    unit: Unit = "rad"

    def __post_init__(self) -> None:
        if not self.name:
            raise DeviceError("A joint has no name; give it one")
        if self.unit not in ("rad", "m", "plain"):
            raise DeviceError(f"Joint '{self.name}': '{self.unit}' is not a unit; choose rad, m or plain")

    @property
    def scale(self) -> float:
        """Factor from 1 rad of a revolute joint to this joint's unit, for the speeds and distances of slow
        moves.
        """
        if self.unit == "plain":
            return (self.limits.upper - self.limits.lower) / math.pi or 1.0
        return LEVER if self.unit == "m" else 1.0

    def text(self, value: float) -> str:
        """A joint value with its unit, as text for messages."""
        if self.unit == "rad":
            return f"{math.degrees(value):z.1f} degrees"
        return f"{1000.0 * value:z.1f} mm" if self.unit == "m" else f"{value:z.3g}"


@dataclass(frozen=True, slots=True)
class Share:
    """Gear ratio between a joint and a channel: `gear` [rad of the servo per joint unit], negative for
    opposite directions.
    """

    joint: str
    gear: float = 1.0


@dataclass(frozen=True, slots=True)
class ServoChannel:
    """A servo of a device and the joints that drive it. Raw positions are pulses [us], or in the protocol's
    own unit if it has no pulses.

    Attributes:
        servo: The servo's id.
        shares: The joints that drive it, with their gear ratios; several are a mix.
        direction: +1 if the raw position grows with the joint values, -1 if it decreases.
        zero: Raw position at which all joints of the channel are at 0.
        per_radian: Raw units per radian of the servo; a hobby servo has about 637 (500 to 2500 us for 180
            degrees).
        lowest: Lowest allowed raw position.
        highest: Highest allowed raw position.
        on_silence: What the servo does when the robot is disarmed or stopped and, on a board with Limber's
            firmware, when commands stop coming: hold its last goal, or detach (no pulse or torque, limp).
        speed: The servo's maximum speed [rad/s]; None if not known.
        homing_offset: Offset in the servo with which zero and range were calibrated [raw units]; None if not
            known, and then not compared.

    Raises:
        DeviceError: A value is one that no servo can have, no joint drives the channel, a joint drives it
            twice, or a gear is 0.
    """

    servo: int
    shares: tuple[Share, ...]
    direction: int = 1
    zero: float = 1500.0
    per_radian: float = 2000.0 / math.pi
    lowest: float = 500.0
    highest: float = 2500.0
    on_silence: OnSilence = "hold"
    speed: float | None = None
    homing_offset: int | None = None

    @property
    def label(self) -> str:
        """Names of the channel's joints and its servo, as text for messages."""
        return f"'{' + '.join(share.joint for share in self.shares)}' (servo {self.servo})"

    def __post_init__(self) -> None:
        problem = self._servo_problem() or self._shares_problem()
        if problem:
            raise DeviceError(f"Channel {self.label}: {problem}")

    def _servo_problem(self) -> str:
        if self.servo < 0:
            return f"servo {self.servo} does not exist; servos count from 0"
        if self.direction not in (1, -1):
            return f"direction is {self.direction}; set +1, or -1 to reverse the servo"
        # first of the numbers' checks, since NaN and infinity pass some of the comparisons below
        if not all(math.isfinite(value) for value in (self.zero, self.per_radian, self.lowest, self.highest)):
            return "zero, range or units per radian are not a number; enter the servo's data again"
        if self.per_radian <= 0:
            return (
                f"{self.per_radian:g} units per radian; enter a positive value and reverse by the direction"
            )
        if not self.lowest < self.highest:
            return (
                f"its range goes from {self.lowest:g} to {self.highest:g}; the lowest must be below the"
                " highest"
            )
        if self.on_silence not in ("hold", "detach"):
            return f"on silence it should '{self.on_silence}'; choose hold or detach"
        if self.speed is not None and not (math.isfinite(self.speed) and self.speed > 0):
            return (
                f"a servo's speed of {self.speed} rad/s; enter a positive number, or none where it is not"
                " known"
            )
        return ""

    def _shares_problem(self) -> str:
        if not self.shares:
            return "no joint drives it; choose one"
        if len({share.joint for share in self.shares}) < len(self.shares):
            return "a joint drives it twice; give each joint one gear"
        for share in self.shares:
            if not math.isfinite(share.gear) or share.gear == 0.0:
                return f"its gear to '{share.joint}' is {share.gear:g}; enter a number other than 0"
        return ""


@dataclass(frozen=True, slots=True)
class Device:
    """A robot on a port.

    Attributes:
        port: VIRTUAL_PORT, VIRTUAL_HOBBY_PORT, a serial port's name or path, or the address of a robot on a
            network.
        joints: The joints, in the order of the values for `WorkerLink.send`.
        channels: The servos, in any order.
        baudrate: Baud rate of the serial port [bit/s].
        protocol: Name of the protocol: one of `protocols.table.BUILT_IN`, or `file:` and the path of a user's
            file.
        latency: Delay of all motion [s], for synchronisation with sound; if negative, the values are sent
            earlier by that time.
        settings: Settings of the protocol.
        program: SHA-256 of the user's protocol file, if the protocol is one; no other content is run.

    Raises:
        DeviceError: The port is empty, the address is invalid, there is no channel, there are more than
            `MAX_CHANNELS` joints or channels, the baud rate is not above 0, the latency is beyond
            `LONGEST_LATENCY`, two channels have the same servo, two joints the same name, a joint has no
            channel, or a channel names a joint that is not in `joints`.
    """

    port: str
    joints: tuple[DeviceJoint, ...]
    channels: tuple[ServoChannel, ...]
    baudrate: int = 115200
    protocol: str = "limber"
    latency: float = 0.0
    settings: ProtocolSettings = DEFAULT
    program: str = ""

    @property
    def address(self) -> Address | None:
        """Network address of the robot; None if it is on a serial port or virtual. Raises DeviceError for an
        invalid address.
        """
        return address_of(self.port) if is_on_network(self.protocol) and not self.is_virtual else None

    @property
    def line(self) -> str:
        """The serial port's name, or host and port of a network address in one spelling, to find devices that
        use the same one.
        """
        return self.port if self.address is None else self.address.authority.lower()

    def __post_init__(self) -> None:
        if not self.port.strip():
            raise DeviceError("The device has no port; choose one from the list or type its path")
        _ = self.address  # raises the error of an invalid address
        if not self.channels:
            raise DeviceError("The device has no channels; give at least one joint a servo")
        if max(len(self.channels), len(self.joints)) > MAX_CHANNELS:
            raise DeviceError(
                f"The device has {len(self.joints)} joints and {len(self.channels)} channels;"
                f" at most {MAX_CHANNELS} fit on one link, use a second device"
            )
        if self.baudrate <= 0:
            raise DeviceError(f"A baud rate of {self.baudrate} cannot work; 115200 is the firmware's own")
        if not -LONGEST_LATENCY <= self.latency <= LONGEST_LATENCY:
            raise DeviceError(
                f"A latency of {self.latency:g} s; enter {-LONGEST_LATENCY:g} to {LONGEST_LATENCY:g} s"
            )
        self._check_names()

    def _check_names(self) -> None:
        owners: dict[int, str] = {}
        for channel in self.channels:
            if channel.servo in owners:
                raise DeviceError(
                    f"Channels {owners[channel.servo]} and {channel.label} both use servo {channel.servo};"
                    " give each its own"
                )
            owners[channel.servo] = channel.label
        names = [joint.name for joint in self.joints]
        for name in names:
            if names.count(name) > 1:
                raise DeviceError(f"{names.count(name)} joints have the name '{name}'; give each its own")
        for channel in self.channels:
            for share in channel.shares:
                if share.joint not in names:
                    raise DeviceError(
                        f"Channel {channel.label} is driven by '{share.joint}', which is no joint; the joints"
                        f" are {_listed(names)}"
                    )
        driving = {share.joint for channel in self.channels for share in channel.shares}
        for name in names:
            if name not in driving:
                raise DeviceError(f"Joint '{name}' has no channel; give it a servo, or leave the joint out")

    @property
    def is_virtual(self) -> bool:
        """Whether the port is that of a built-in virtual robot."""
        return self.port in (VIRTUAL_PORT, VIRTUAL_HOBBY_PORT)


def auxiliary(
    name: str, servo: int, limits: Limits, at_lower: float, at_upper: float, **settings: Any
) -> tuple[DeviceJoint, ServoChannel]:
    """(joint, channel) of an auxiliary value.

    Args:
        name: The joint's name.
        servo: The servo's id.
        limits: The value's range, and largest velocity, acceleration and jerk.
        at_lower: Raw position at the lower end of the value's range.
        at_upper: Raw position at the upper end.
        settings: Further attributes of the `ServoChannel`.

    Raises:
        DeviceError: The range of values or of raw positions is empty.
    """
    span = limits.upper - limits.lower
    if span <= 0.0 or at_lower == at_upper:
        raise DeviceError(
            f"Auxiliary '{name}': values from {limits.lower:g} to {limits.upper:g} at positions from"
            f" {at_lower:g} to {at_upper:g}; neither may be empty"
        )
    per_radian = float(settings.pop("per_radian", ServoChannel.__dataclass_fields__["per_radian"].default))
    direction = 1 if at_upper > at_lower else -1
    per_value = abs(at_upper - at_lower) / span
    zero = at_lower - direction * per_value * limits.lower
    ends = {"lowest": min(at_lower, at_upper), "highest": max(at_lower, at_upper), **settings}
    shares = (Share(name, per_value / per_radian),)
    return DeviceJoint(name, limits, "plain"), ServoChannel(
        servo, shares, direction, zero, per_radian, **ends
    )


def on_virtual_robot(device: Device) -> Device:
    """The device with raw positions that the virtual robot takes: pulses [us], the range of each channel
    being mapped to that of a hobby servo. A device with Limber's protocol is unchanged.
    """
    if device.protocol == OWN:
        return device
    low, high = VIRTUAL_PULSES
    channels = []
    for channel in device.channels:
        pulse = (high - low) / (channel.highest - channel.lowest)
        zero = low + (channel.zero - channel.lowest) * pulse
        channels.append(
            replace(channel, zero=zero, per_radian=channel.per_radian * pulse, lowest=low, highest=high)
        )
    return replace(device, channels=tuple(channels), protocol=OWN, settings=DEFAULT, program="")


def to_plain(device: Device) -> dict[str, Any]:
    """The device as a dict for JSON, which the worker reads from the shared memory."""
    return asdict(device)


def from_plain(plain: dict[str, Any]) -> Device:
    """The device from a dict of `to_plain`."""
    joints = tuple(DeviceJoint(**{**joint, "limits": Limits(**joint["limits"])}) for joint in plain["joints"])
    channels = tuple(
        ServoChannel(**{**channel, "shares": tuple(Share(**share) for share in channel["shares"])})
        for channel in plain["channels"]
    )
    return Device(
        **{**plain, "joints": joints, "channels": channels, "settings": ProtocolSettings(**plain["settings"])}
    )


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"
