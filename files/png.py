"""PNG pictures: written from bytes, and recognised."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = 4  # number of channels: red, green, blue, alpha
BITS, COLOURS_WITH_ALPHA = 8, 6  # bits of a channel; PNG's colour type for these channels
HEADER = struct.Struct(">4sIIBBBBB")  # type of the first chunk, width, height, and how its rows are stored


def png(width: int, height: int, pixels: bytes) -> bytes:
    """The file of a picture, given its pixels: a byte for each channel, top row first."""
    row = CHANNELS * width
    rows = b"".join(b"\x00" + pixels[row * k : row * (k + 1)] for k in range(height))  # 0: not filtered
    header = HEADER.pack(b"IHDR", width, height, BITS, COLOURS_WITH_ALPHA, 0, 0, 0)
    return SIGNATURE + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in (header, b"IDAT" + zlib.compress(rows), b"IEND")
    )


def png_size(data: bytes) -> tuple[int, int] | None:
    """Width and height [pixels] of a PNG file; None if the data does not begin as one."""
    start = len(SIGNATURE) + 4
    if not data.startswith(SIGNATURE) or len(data) < start + HEADER.size:
        return None
    kind, width, height, *_ = HEADER.unpack_from(data, start)
    return (width, height) if kind == b"IHDR" and width and height else None
