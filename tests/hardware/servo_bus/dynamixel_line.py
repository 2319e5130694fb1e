"""Frames of Dynamixel's protocol 2.0, implemented from its description."""


def _crc_of_byte(byte: int) -> int:
    crc = 0
    for bit in range(7, -1, -1):
        high = crc >> 15 & 1 ^ byte >> bit & 1
        crc = crc << 1 & 0xFFFF ^ (0x8005 if high else 0)
    return crc


_CRC = [_crc_of_byte(byte) for byte in range(256)]


def crc(data: bytes) -> int:
    value = 0
    for byte in data:
        value = value << 8 & 0xFFFF ^ _CRC[value >> 8 ^ byte]
    return value


def frame_of(number: int, body: bytes) -> bytes:
    """The frame of a servo, whose body is stuffed."""
    frame = b"\xff\xff\xfd\x00" + bytes((number,)) + (len(body) + 2).to_bytes(2, "little") + body
    return frame + crc(frame).to_bytes(2, "little")


def stuffed(body: bytes) -> bytes:
    out = bytearray()
    for byte in body:
        out.append(byte)
        if out[-3:] == b"\xff\xff\xfd":
            out.append(0xFD)
    return bytes(out)


def unstuffed(body: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(body):
        out.append(body[at])
        at += 2 if out[-3:] == b"\xff\xff\xfd" and body[at + 1 : at + 2] == b"\xfd" else 1
    return bytes(out)
