"""What a robot is to Limber: a port, a protocol and its channels. Knows no Blender."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ..motion.limits import Limits
from .errors import DeviceError

VIRTUAL_PORT = "virtual"
"""The built-in virtual robot, whose servos tell where they are."""

VIRTUAL_HOBBY_PORT = "virtual-hobby"
"""The built-in virtual robot with hobby servos, which cannot tell where they are: arming asks to confirm the pose."""

MAX_CHANNELS = 64  # as many as anyone puts on one serial line; bounds the memory map

OnSilence = Literal["hold", "detach"]


@dataclass(frozen=True, slots=True)
class Channel:
    """A joint's place on a device.

    Attributes:
        name: The joint's name, for messages.
        servo: Index of the servo on the device, from 0.
        direction: +1 where a larger angle means a longer pulse, -1 where it means a shorter one.
        zero_us: Pulse at joint angle 0 [us].
        us_per_rad: Pulse length for one radian [us/rad]; a hobby servo has about 637 (500 to 2500 us for 180 degrees).
        min_us: Shortest pulse that the servo may get [us].
        max_us: Longest pulse that the servo may get [us].
        limits: The joint's limits [rad, rad/s, rad/s2, rad/s3]: the filter's own, the limiter widens them.
        on_silence: What the device does with the servo when the link goes silent: hold its last pulse, or detach (no pulse, limp).

    Raises:
        DeviceError: A value that no servo can have.
    """

    name: str
    servo: int
    limits: Limits
    direction: int = 1
    zero_us: float = 1500.0
    us_per_rad: float = 2000.0 / math.pi
    min_us: float = 500.0
    max_us: float = 2500.0
    on_silence: OnSilence = "hold"

    def __post_init__(self) -> None:
        if self.servo < 0:
            raise DeviceError(f"Channel '{self.name}': servo {self.servo} does not exist; servos count from 0")
        if self.direction not in (1, -1):
            raise DeviceError(f"Channel '{self.name}': direction is {self.direction}; set +1, or -1 to reverse the servo")
        if not all(math.isfinite(value) for value in (self.zero_us, self.us_per_rad, self.min_us, self.max_us)):
            raise DeviceError(f"Channel '{self.name}': a pulse length is not a number; enter the servo's data again")
        if self.us_per_rad <= 0:
            raise DeviceError(
                f"Channel '{self.name}': {self.us_per_rad:g} us per radian; enter a positive value and reverse by the direction"
            )
        if not 0 < self.min_us < self.max_us:
            raise DeviceError(
                f"Channel '{self.name}': pulses from {self.min_us:g} to {self.max_us:g} us; the shortest must be below the longest"
            )
        if self.on_silence not in ("hold", "detach"):
            raise DeviceError(f"Channel '{self.name}': '{self.on_silence}' is not a way to be silent; choose hold or detach")


@dataclass(frozen=True, slots=True)
class Device:
    """A robot on a port.

    Attributes:
        port: VIRTUAL_PORT, VIRTUAL_HOBBY_PORT, or a serial port's name or path.
        channels: In the order in which `Link.send` takes the angles.
        baudrate: Of the serial port [bit/s].
        protocol: Its name: "limber", or one that `protocols.table` knows.

    Raises:
        DeviceError: No port, no channel, or two channels on one servo.
    """

    port: str
    channels: tuple[Channel, ...]
    baudrate: int = 115200
    protocol: str = "limber"

    def __post_init__(self) -> None:
        if not self.port.strip():
            raise DeviceError("The device has no port; choose one from the list or type its path")
        if not self.channels:
            raise DeviceError("The device has no channels; give at least one joint a servo")
        if len(self.channels) > MAX_CHANNELS:
            raise DeviceError(f"The device has {len(self.channels)} channels; at most {MAX_CHANNELS} fit on one link, use a second device")
        if self.baudrate <= 0:
            raise DeviceError(f"A baud rate of {self.baudrate} cannot work; 115200 is the firmware's own")
        owners: dict[int, str] = {}
        for channel in self.channels:
            if channel.servo in owners:
                raise DeviceError(
                    f"Channels '{owners[channel.servo]}' and '{channel.name}' both use servo {channel.servo}; give each its own"
                )
            owners[channel.servo] = channel.name

    @property
    def is_virtual(self) -> bool:
        """Whether the port is one of the built-in robot's."""
        return self.port in (VIRTUAL_PORT, VIRTUAL_HOBBY_PORT)


def to_plain(device: Device) -> dict[str, Any]:
    """The device as what JSON can hold: the worker reads it from the memory map."""
    return asdict(device)


def from_plain(plain: dict[str, Any]) -> Device:
    """The device that `to_plain` wrote."""
    channels = tuple(Channel(**{**channel, "limits": Limits(**channel["limits"])}) for channel in plain["channels"])
    return Device(**{**plain, "channels": channels})
