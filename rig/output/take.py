"""One recorded pass over the frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..blender.counting import counted
from ..bones.channels import Channel


@dataclass
class RecordedTake:
    """One forward pass over the frames: the value [rad or m] of every keyed channel in each frame.

    Attributes:
        frames: The recorded frames.
        rows: Values of the channels in each of them.
        before: Newest value of each channel before the last frame.
        gaps: Label of a mover that a defect stopped -> the frames without its values.
    """

    frames: list[int] = field(default_factory=list)
    rows: list[dict[Channel, float]] = field(default_factory=list)
    before: dict[Channel, float] = field(default_factory=dict)
    gaps: dict[str, list[int]] = field(default_factory=dict)

    @property
    def last_frame(self) -> int | None:
        """The last frame, with or without values; None: there is none yet."""
        return max((frames[-1] for frames in [self.frames, *self.gaps.values()] if frames), default=None)

    def values_before(self, frame: int) -> dict[Channel, float]:
        """Newest value of each channel before `frame`, which is the last recorded frame or a later one;
        without channels that have no earlier value.
        """
        is_new = bool(self.rows) and frame > self.frames[-1]
        return self.before | self.rows[-1] if is_new else self.before

    def add(self, frame: int, values: Mapping[Channel, float]) -> None:
        """Adds values of channels in `frame`, which is the last recorded frame or a later one."""
        if not self.frames or frame > self.frames[-1]:
            self.before = self.values_before(frame)
            self.frames.append(frame)
            self.rows.append({})
        self.rows[-1] |= values

    @property
    def existing(self) -> "RecordedTake":
        """The take without channels that no longer exist, and without frames that then have no value."""
        rows = [{channel: value for channel, value in row.items() if channel.is_there} for row in self.rows]
        frames = [frame for frame, row in zip(self.frames, rows, strict=True) if row]
        return replace(self, frames=frames, rows=[row for row in rows if row])

    def note_gap(self, label: str, frame: int) -> None:
        """Notes that a defect stopped a mover in a frame."""
        frames = self.gaps.setdefault(label, [])
        if not frames or frame > frames[-1]:
            frames.append(frame)

    def gap_sentences(self, name: str) -> list[str]:
        """A sentence on each mover that a defect stopped: in which frames it has no keys. `name`: the take's
        name in a sentence.
        """
        return [
            f"{label} was stopped by a defect of Limber, so it has no keys in {_span(frames)} of {name}: please"
            " report what the system console shows"
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


def _span(frames: Sequence[int]) -> str:
    """Frames in a sentence: "frame 5" or "2 frames from 5 to 7"."""
    if len(frames) == 1:
        return f"frame {frames[0]}"
    return f"{counted(len(frames), 'frame')} from {frames[0]} to {frames[-1]}"
