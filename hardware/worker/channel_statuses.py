"""Status of each channel for the panel. Knows no Blender."""

from __future__ import annotations

from collections.abc import Sequence

from ..protocols.interface import Quantity
from ..status import ChannelStatus
from .connection import Readings


def channel_statuses(
    commanded: Sequence[float | None], measured: Sequence[float | None], errors: Sequence[float | None], readings: Sequence[Readings]
) -> tuple[ChannelStatus, ...]:
    """Status of the channels (channels,) from raw positions sent and measured, tracking errors [rad] and servos' readings."""
    return tuple(
        ChannelStatus(
            commanded=sent,
            measured=position,
            error=error,
            temperature=reading.get(Quantity.TEMPERATURE),
            voltage=reading.get(Quantity.VOLTAGE),
            load=reading.get(Quantity.LOAD),
            current=reading.get(Quantity.CURRENT),
        )
        for sent, position, error, reading in zip(commanded, measured, errors, readings, strict=True)
    )
