"""Files for blender-servo-animation's library: commands of five bytes, and a line feed after each frame.

Its player takes every byte 0A as the end of a frame and every byte 3C as the start of a command, even inside
a position. So a position whose low byte is 0A or 3C is increased by one; servos 10 and 60, and positions with
such a byte as their high byte, are impossible. Its JSON has numbers instead of bytes; servo 60 does not move
with it either.
"""

from __future__ import annotations

import json

from ..errors import ExportError
from ..protocols.interface import ProtocolError
from ..protocols.servo_animation import START, TITLE, encode
from .motion import Motion
from .pulses import check_pulses, rounded

LINE_FEED = 0x0A
BYTES_A_LINE = 12  # number of bytes of the animation in a line of the header
HIGHEST_COUNT = 32_767  # largest number of frames, and of bytes: the largest `int` of an Uno


def header(motion: Motion) -> bytes:
    """An Arduino header with FPS, FRAMES, LENGTH and ANIMATION_DATA.

    Raises:
        ExportError: As `binary`, or the motion is too long.
    """
    data = binary(motion)
    frames = len(motion.positions)
    if max(frames, len(data)) > HIGHEST_COUNT:
        raise ExportError(
            f"{TITLE} counts bytes up to {HIGHEST_COUNT}, and {motion.seconds:.1f} s are {len(data)}; choose"
            " a shorter range, a lower rate, or its .bin for a memory card"
        )
    rows = (
        "    " + " ".join(f"{byte:#04x}," for byte in data[at : at + BYTES_A_LINE])
        for at in range(0, len(data), BYTES_A_LINE)
    )
    lines = [
        f"// {motion.seconds:.1f} s for {TITLE}, made by Limber.",
        "",
        "#include <Arduino.h>",
        "",
        f"const byte FPS = {motion.rate};",
        f"const int FRAMES = {frames};",
        f"const int LENGTH = {len(data)};",
        "",
        "const byte PROGMEM ANIMATION_DATA[LENGTH] = {",
        *rows,
        "};",
    ]
    return ("\n".join(lines) + "\n").encode("ascii")


def binary(motion: Motion) -> bytes:
    """All commands of the motion as bytes, for a memory card or a stream.

    Raises:
        ExportError: The robot's positions are no pulses, or a servo's id or position cannot be encoded.
    """
    check_pulses(motion.device, TITLE)
    servos = [channel.servo for channel in motion.device.channels]
    data = bytearray()
    for row in rounded(motion, 1):
        for channel, servo, position in sorted(
            zip(motion.device.channels, servos, row, strict=True), key=lambda entry: entry[1]
        ):
            try:
                data += _command(servo, position)
            except ProtocolError as error:
                raise ExportError(f"Channel {channel.label}: {error}") from error
        data.append(LINE_FEED)
    return bytes(data)


def _command(servo: int, position: int) -> bytes:
    """The command for a position [us], increased by one if its low byte ends a frame or starts a command.
    Raises ProtocolError for an id or a high byte that does.
    """
    if servo == LINE_FEED:
        raise ProtocolError(
            f"servo {servo} never moves with {TITLE}'s files: its id is the byte that ends a frame; choose"
            " another id"
        )
    if position >> 8 == LINE_FEED:
        raise ProtocolError(
            f"pulses of {position} us cannot be had with {TITLE}'s files: 2560 to 2815 have the byte that"
            " ends a frame; narrow its range"
        )
    command = encode(servo, position)
    return encode(servo, position + 1) if command[3] == LINE_FEED else command


def document(motion: Motion) -> bytes:
    """The add-on's JSON since its version 2: a list of frames, each with the position of each servo by its
    id.

    Raises:
        ExportError: The robot's positions are no pulses, or a servo has an id that never moves.
    """
    check_pulses(motion.device, TITLE)
    servos = [str(channel.servo) for channel in motion.device.channels]
    if str(START) in servos:
        raise ExportError(
            f"Servo {START} never moves with {TITLE}: its id is the byte that starts a command; choose"
            " another id"
        )
    animation = {
        "description": "Blender Servo Animation Positions",
        "fps": motion.rate,
        "frames": len(motion.positions),
        "seconds": round(motion.seconds),
        "bones": len(servos),
        "armature": motion.title,
        "positions": [dict(zip(servos, row, strict=True)) for row in rounded(motion, 1)],
    }
    return json.dumps(animation).encode("utf-8")
