"""Photographs a virtual screen: Xvfb keeps its pixels in a file (option -fbdir), in the XWD format of the X
tools.

python scripts/screen.py SCREEN_FILE PICTURE.png
"""

import struct
import sys
import zlib
from pathlib import Path

HEADER = struct.Struct(">25I")  # X11/XWDFile.h: 25 words, followed by the window's name and the colour map
# indices of words in the header
HEADER_SIZE, WIDTH, HEIGHT, BYTE_ORDER, BITS_PER_PIXEL, BYTES_PER_LINE, COLOURS = (0, 4, 5, 7, 11, 12, 19)
COLOUR_SIZE = 12  # [bytes] size of an entry of the colour map
LEAST_SIGNIFICANT_FIRST = 0


def photograph(screen: Path, picture: Path) -> None:
    """Writes the current content of the screen to a PNG file."""
    data = screen.read_bytes()
    words = HEADER.unpack_from(data)
    if words[BITS_PER_PIXEL] != 32 or words[BYTE_ORDER] != LEAST_SIGNIFICANT_FIRST:
        raise ValueError(
            f"{screen}: a screen with 24 bit colours was expected (Xvfb -screen 0 WIDTHxHEIGHTx24)"
        )
    first, line = words[HEADER_SIZE] + words[COLOURS] * COLOUR_SIZE, words[BYTES_PER_LINE]
    rows = bytearray()
    for row in range(words[HEIGHT]):
        blue_green_red_x = data[first + row * line : first + row * line + 4 * words[WIDTH]]
        colours = bytearray(3 * words[WIDTH])
        for channel in range(3):
            colours[channel::3] = blue_green_red_x[2 - channel :: 4]
        rows += b"\0" + colours  # PNG filter 0: unfiltered
    picture.write_bytes(png(words[WIDTH], words[HEIGHT], bytes(rows)))


def png(width: int, height: int, rows: bytes) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits per channel, RGB, not interlaced
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


if __name__ == "__main__":
    photograph(Path(sys.argv[1]), Path(sys.argv[2]))
