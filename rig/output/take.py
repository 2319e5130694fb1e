"""A pass over the frames that is recorded."""

from dataclasses import dataclass, field

from ..reading.body.columns import Column


@dataclass
class Take:
    """One pass over the frames, forward: what every channel that is keyed was [rad, slides and places m] in each."""

    frames: list[int] = field(default_factory=list)
    rows: list[dict[Column, float]] = field(default_factory=list)
