"""Decompression of a Parquet file's pages: snappy, gzip, zstandard.

Source: google/snappy, format_description.txt.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

from .compact import CompactReader
from .errors import ParquetError

PLAIN, SNAPPY, GZIP, ZSTANDARD = 0, 1, 2, 6  # values of the format's enumeration CompressionCodec
NAMES = {3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4"}


def decompressed(codec: int, data: bytes, size: int) -> bytes:
    """The content of a compressed page.

    Args:
        codec: Number of the compression.
        data: The compressed bytes.
        size: Size of the decompressed content [bytes].

    Raises:
        ParquetError: The page is damaged, or its compression is one that this Python cannot read.
    """
    if codec not in CODECS:
        raise ParquetError(
            f"it is compressed by {NAMES.get(codec, f'method {codec}')}: write it with snappy, gzip or zstd"
        )
    content = CODECS[codec](data, size)
    if len(content) != size:
        raise ParquetError(f"a page has {len(content)} bytes, and {size} are announced: it is damaged")
    return content


def _snappy(data: bytes, size: int) -> bytes:
    """Content of a page compressed by snappy: literal bytes, and copies of earlier output."""
    reader = CompactReader(data)
    if reader.varint() != size:
        raise ParquetError(
            "a page compressed by snappy announces another size than its header: it is damaged"
        )
    content = bytearray()
    while reader.at < len(data) and len(content) <= size:
        tag = reader.take(1)[0]
        if not tag & 3:
            length = tag >> 2
            if length >= 60:
                length = int.from_bytes(reader.take(length - 59), "little")
            content += reader.take(length + 1)
            continue
        length, offset = _copy(reader, tag)
        if not 0 < offset <= len(content):
            raise ParquetError("a page compressed by snappy copies from before its start: it is damaged")
        piece = content[len(content) - offset : len(content) - offset + length]
        # the copied range may overlap its own output
        content += (piece * (length // len(piece) + 1))[:length]
    return bytes(content)


def _copy(reader: CompactReader, tag: int) -> tuple[int, int]:
    """Length and backward offset [bytes] of a snappy element that copies earlier output; `tag` is its first
    byte.
    """
    if tag & 3 == 1:
        return (tag >> 2 & 7) + 4, (tag >> 5) << 8 | reader.take(1)[0]
    return (tag >> 2) + 1, int.from_bytes(reader.take(2 if tag & 3 == 2 else 4), "little")


def _gzip(data: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, size + 1)
    except zlib.error as error:
        raise ParquetError(f"a page compressed by gzip cannot be read ({error}): it is damaged") from error


def _zstandard(data: bytes, size: int) -> bytes:
    try:
        import zstandard  # zstandard comes with Blender, but not with every Python
    except ImportError as error:
        raise ParquetError(
            "it is compressed by zstd, which this Python cannot read: write it with snappy"
        ) from error
    try:
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(data) as stream:
            return bytes(stream.read(size + 1))
    except zstandard.ZstdError as error:
        raise ParquetError(f"a page compressed by zstd cannot be read ({error}): it is damaged") from error


CODECS: Mapping[int, Callable[[bytes, int], bytes]] = {
    PLAIN: lambda data, _: data,
    SNAPPY: _snappy,
    GZIP: _gzip,
    ZSTANDARD: _zstandard,
}
