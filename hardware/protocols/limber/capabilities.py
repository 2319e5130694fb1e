"""Capabilities of Limber's own protocol.

A device with Limber's firmware is one connection for all its channels. It has a session and states of its
own, so that `worker.limber_connection` drives it and not a codec.
"""

from ..interface import Capabilities, Check, Silence, Units
from .messages import MAX_CHANNELS, UNITS_PER_US

CAPABILITIES = Capabilities(
    title="Limber's firmware",
    units=Units("eighths of a microsecond", 1, 0xFFFF, microsecond=UNITS_PER_US),
    servos=range(MAX_CHANNELS),
    baudrates=(115_200,),
    commands_checked=Check.CRC16,
    on_silence=Silence.WATCHDOG,
    limits_speed=True,
    remark=(
        "Its watchdog is always on: after 250 ms of silence each channel holds or goes limp, as it was set"
    ),
)
