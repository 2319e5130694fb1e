"""One recorded pass over the frames."""

from dataclasses import dataclass, field

from ..bones.channels import Channel


@dataclass
class RecordedTake:
    """One forward pass over the frames: the value [rad or m] of every keyed channel in each frame."""

    frames: list[int] = field(default_factory=list)
    rows: list[dict[Channel, float]] = field(default_factory=list)

    @property
    def keys(self) -> dict[Channel, list[float]]:
        """Values of each channel, in the frames where the channel has a value."""
        channels = dict.fromkeys(channel for row in self.rows for channel in row)
        return {channel: [row[channel] for row in self.rows if channel in row] for channel in channels}

    def frames_of(self, channel: Channel) -> list[int]:
        """The frames in which a channel has a value."""
        return [frame for frame, row in zip(self.frames, self.rows, strict=True) if channel in row]
