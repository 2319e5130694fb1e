"""One recorded pass over the frames."""

from dataclasses import dataclass, field

from ..blender.counting import counted
from ..bones.channels import Channel


@dataclass
class RecordedTake:
    """One forward pass over the frames: the value [rad or m] of every keyed channel in each frame.

    Attributes:
        frames: The recorded frames.
        rows: Values of the channels in each of them.
        before: Values of all channels before the last frame, so that no rotation jumps.
        gaps: By the labels of movers that a defect stopped: the frames without their values.
    """

    frames: list[int] = field(default_factory=list)
    rows: list[dict[Channel, float]] = field(default_factory=list)
    before: dict[Channel, float] = field(default_factory=dict)
    gaps: dict[str, list[int]] = field(default_factory=dict)

    def begin(self, frame: int) -> None:
        """Begins a row for a frame, unless it is the last one again."""
        if self.frames and frame <= self.frames[-1]:
            return
        if self.rows:
            self.before |= self.rows[-1]
        self.frames.append(frame)
        self.rows.append({})

    def note_gap(self, label: str, frame: int) -> None:
        """Notes that a defect stopped a mover in a frame."""
        frames = self.gaps.setdefault(label, [])
        if not frames or frame > frames[-1]:
            frames.append(frame)

    @property
    def gap_sentences(self) -> list[str]:
        """A sentence on each mover that a defect stopped: in which frames it has no keys."""
        return [
            f"{label} was stopped by a defect of Limber, so it has no keys in"
            f" {counted(len(frames), 'frame')} from {frames[0]} to {frames[-1]}: please report what the system"
            " console shows"
            for label, frames in self.gaps.items()
        ]

    @property
    def keys(self) -> dict[Channel, list[float]]:
        """Values of each channel, in the frames where the channel has a value."""
        channels = dict.fromkeys(channel for row in self.rows for channel in row)
        return {channel: [row[channel] for row in self.rows if channel in row] for channel in channels}

    def frames_of(self, channel: Channel) -> list[int]:
        """The frames in which a channel has a value."""
        return [frame for frame, row in zip(self.frames, self.rows, strict=True) if channel in row]
