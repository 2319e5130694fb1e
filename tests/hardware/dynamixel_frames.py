"""Frames of Dynamixel's Protocol 2.0: codecs, public vectors, and any instruction or status."""

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
from limber.hardware.protocols.dynamixel.series import TABLE, dynamixel
from limber.hardware.protocols.interface import Quantity

from tests.hardware.device_packets import DynamixelDevice
from tests.hardware.protocol_checks import vectors

PACKETS = DynamixelDevice()
CODEC = dynamixel()
EVERYTHING = [Quantity.POSITION, Quantity.VELOCITY, Quantity.LOAD, Quantity.VOLTAGE, Quantity.TEMPERATURE]

ID = st.integers(0, 0xFC)
BYTE = st.integers(0, 0xFF)
WORD = st.integers(0, 0xFFFF)
RISKY = st.lists(st.sampled_from((0xFF, 0xFD, 0x00, 0x55)) | BYTE, min_size=1, max_size=14).map(
    bytes
)  # payloads with many headers


@st.composite
def sync_writes(draw: st.DrawFn) -> SyncWrite:
    size = draw(st.integers(1, 8))
    items = st.tuples(ID, RISKY.map(lambda data: (data * size)[:size]))
    return SyncWrite(draw(WORD), tuple(draw(st.lists(items, min_size=1, max_size=12))))


INSTRUCTIONS = st.one_of(
    st.builds(Ping, ID | st.just(BROADCAST)),
    st.builds(Read, ID, WORD, WORD),
    st.builds(Write, ID | st.just(BROADCAST), WORD, RISKY),
    st.builds(SyncRead, WORD, WORD, st.lists(ID, min_size=1, max_size=12).map(tuple)),
    sync_writes(),
)
STATUSES = st.builds(StatusPacket, ID, BYTE, RISKY | st.just(b""))


def look(pending):
    return PACKETS.look(pending, PACKETS.longest)


def little(value: int, size: int) -> bytes:
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


UNSTUFFED = (  # published without stuffing, for the id FD, which no servo has
    "ff ff fd 00 fe 11 00 83 74 00 04 00 01 ff ff ff ff fd 00 00 00 00 dc ec"
)
ALL = vectors("p2.")
NOT_SENT = ("p2.reboot", "p2.bulk", "p2.fast")  # instructions that Limber never sends
PUBLIC = [vector for vector in ALL if "WARNING" not in vector and vector["hex"] != UNSTUFFED]


VALUES = b"".join(register.pack("x", value) for register, value in (
    (TABLE.quantities[Quantity.LOAD], -1),
    (TABLE.quantities[Quantity.VELOCITY], -3),
    (TABLE.quantities[Quantity.POSITION], 2048),
)) + bytes(8) + little(121, 2) + b"\x1e"  # fmt: skip


def answers_of(servos, data):
    return b"".join(PACKETS.encode_status(StatusPacket(servo, 0, data)) for servo in servos)
