"""What the worker knows of each channel, for the panel. Knows no Blender."""

from __future__ import annotations

from collections.abc import Sequence

from ..protocols.interface import Quantity
from ..status import ChannelStatus
from .connection import Readings


def channel_statuses(
    commanded: Sequence[float | None], measured: Sequence[float | None], errors: Sequence[float | None], readings: Sequence[Readings]
) -> tuple[ChannelStatus, ...]:
    """The channels at this moment (channels,): raw positions sent and measured, how far behind [rad], and what their servos say."""
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
