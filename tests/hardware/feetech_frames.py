"""Frames of Feetech's protocol: the codec, public vectors, and any instruction or status."""

from hypothesis import strategies as st
from limber.hardware.protocols.bus.instructions import (
    BROADCAST,
    Ping,
    Read,
    StatusPacket,
    SyncRead,
    SyncWrite,
    Write,
)
from limber.hardware.protocols.feetech.series import feetech, table_of
from limber.hardware.protocols.interface import Quantity

from tests.hardware.device_packets import FeetechDevice
from tests.hardware.protocol_checks import vectors

PACKETS = FeetechDevice()
TABLE = table_of("sts")
STS, SCS = feetech("sts"), feetech("scs")
EVERYTHING = [Quantity.POSITION, Quantity.LOAD, Quantity.VOLTAGE, Quantity.TEMPERATURE]

ID = st.integers(0, 0xFD)
BYTE = st.integers(0, 0xFF)
SOME = st.binary(min_size=1, max_size=8)


@st.composite
def sync_writes(draw: st.DrawFn) -> SyncWrite:
    size = draw(st.integers(1, 8))
    items = st.tuples(ID, st.binary(min_size=size, max_size=size))
    return SyncWrite(draw(BYTE), tuple(draw(st.lists(items, min_size=1, max_size=12))))


INSTRUCTIONS = st.one_of(
    st.builds(Ping, ID),
    st.builds(Read, ID, BYTE, BYTE),
    st.builds(Write, ID | st.just(BROADCAST), BYTE, SOME),
    st.builds(SyncRead, BYTE, BYTE, st.lists(ID, min_size=1, max_size=12).map(tuple)),
    sync_writes(),
)
STATUSES = st.builds(StatusPacket, ID, BYTE, st.binary(max_size=20))


def look(pending):
    return PACKETS.look(pending, PACKETS.longest)


def little(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


PUBLIC = [vector for vector in vectors("sts.", "p1.") if "WARNING" not in vector]
