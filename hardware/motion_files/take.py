"""Baked motion, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..device import Device
from ..errors import ExportError
from .named import Named
from .recording import Pose

Values = tuple[float, ...]

# number of copies of an end frame that are added there, so that the curve is at rest: each of its segments
# depends on four frames
STANDING = 3


@dataclass(frozen=True, slots=True)
class Take:
    """Baked frames of a robot's joints.

    Attributes:
        device: The robot.
        first: Number of the first frame.
        rate: Frames per second [1/s].
        frames: Values of the joints (frames, joints), in the order and unit of `device.joints`.
        last: Number of the range's last frame; later frames were added to come to rest and to return.
        named: Names, signs and units of the joints in files of the robot's maker; () for the device's names.
        poses: Poses of links (frames,) in the base's frame, by name, for formats that have them.
        stride: Number of scene frames from one frame of the take to the next.

    Raises:
        ExportError: There is no frame, or a value of a joint is missing in a frame.
    """

    device: Device
    first: int
    rate: float
    frames: tuple[Values, ...]
    last: int
    named: tuple[Named, ...] = ()
    poses: Mapping[str, tuple[Pose, ...]] = field(default_factory=dict)
    stride: float = 1.0

    def __post_init__(self) -> None:
        if not self.frames:
            raise ExportError("There is no frame to export; choose a range with at least one")
        for index, values in enumerate(self.frames):
            if len(values) != len(self.device.joints):
                raise ExportError(
                    f"{self.name(index)} has {len(values)} values for {len(self.device.joints)} joints; give"
                    " one for each"
                )

    def name(self, index: int) -> str:
        """Name of the frame at `index` for messages; the index may be before the first or after the last
        frame.
        """
        frame = self.first + int(max(index, 0) * self.stride)
        return f"frame {frame}" if frame <= self.last else f"the {frame - self.last}. frame after {self.last}"

    def standing(self) -> tuple[Values, ...]:
        """The frames with `STANDING` copies of the first one before them and of the last one after them,
        since the robot is at rest there.
        """
        return (self.frames[0],) * STANDING + self.frames + (self.frames[-1],) * STANDING

    def joints(self) -> Iterator[tuple[float, ...]]:
        """For each joint, its values over the frames of `standing`."""
        return zip(*self.standing(), strict=True)

    def followed_by(self, frames: tuple[Values, ...]) -> Take:
        """The take with further frames appended at the end."""
        return replace(self, frames=self.frames + frames)
