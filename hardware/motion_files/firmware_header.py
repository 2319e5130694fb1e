"""C header with a motion as a table in flash, which Limber's firmware plays without a computer."""

from __future__ import annotations

from ..errors import ExportError
from ..protocols.limber import UNITS_PER_US, OnSilence
from ..worker.configuration import configurations
from .boards import Board
from .motion import Motion
from .pulses import check_pulses, rounded
from .table import HEAD, TRACK, MotionTable, Track, encode

TITLE = "Limber's firmware"
PULSE_RATE = 50  # [1/s] pulse rate of all boards
LOWEST_US, HIGHEST_US = 500.0, 2500.0  # [us] range of pulses that the boards send
BYTES_A_LINE = 20  # number of bytes of the table in a line of the header
NO_PIN = -1  # number instead of a button's pin: the motion starts by itself


def header(motion: Motion, board: Board, start_pin: int = NO_PIN) -> bytes:
    """The content of the file `limber_motion.h`.

    Args:
        motion: The motion; its rate must divide the pulse rate, 50 Hz.
        board: The board that will play the motion.
        start_pin: Pin of a button to ground that starts the motion; NO_PIN: the motion starts two seconds
            after power-on.

    Raises:
        ExportError: The board cannot play the motion, because of its servos, pulses, rate, pin or memory; the
            message says what the board has.
    """
    data = encode(_table(motion, board, start_pin))
    if len(data) > board.room:
        raise ExportError(
            f"{motion.seconds:.1f} s of this motion are {_kilobytes(len(data))}, and {board.label} has room"
            f" for {_kilobytes(board.room)}: {_seconds_that_fit(motion, data, board):.1f} s of it fit. Choose"
            " a shorter range, a lower rate, or a larger board"
        )
    return _text(motion, board, start_pin, data).encode("ascii")


def _table(motion: Motion, board: Board, start_pin: int) -> MotionTable:
    check_pulses(motion.device, TITLE)
    if PULSE_RATE % motion.rate:
        raise ExportError(
            f"The firmware sends {PULSE_RATE} pulses a second, which {motion.rate} Hz do not divide: choose"
            " one that does, such as 50, 25 or 10"
        )
    if start_pin != NO_PIN and board.button_pins is not None and start_pin not in board.button_pins:
        raise ExportError(
            f"Pin {start_pin} of {board.label} cannot have a button: choose one of"
            f" {', '.join(map(str, board.button_pins))}, or {NO_PIN}"
        )
    tracks = []
    for channel, configuration, positions in zip(
        motion.device.channels,
        configurations(motion.device),
        zip(*rounded(motion, UNITS_PER_US), strict=True),
        strict=True,
    ):
        if channel.servo >= board.servos:
            raise ExportError(
                f"Channel {channel.label}: {board.label} has {board.servos} servos, counted from 0; give it"
                " one of these"
            )
        if channel.lowest < LOWEST_US or channel.highest > HIGHEST_US:
            raise ExportError(
                f"Channel {channel.label}: its pulses go from {channel.lowest:g} to {channel.highest:g} us;"
                f" expected {LOWEST_US:g} to {HIGHEST_US:g}. Narrow its range"
            )
        lowest, highest = (
            round(configuration.lower_us * UNITS_PER_US),
            round(configuration.upper_us * UNITS_PER_US),
        )
        tracks.append(
            Track(
                channel.servo,
                configuration.on_silence is OnSilence.DETACH,
                lowest,
                highest,
                configuration.speed_us_per_s,
                tuple(positions),
            )
        )
    return MotionTable(tuple(tracks), PULSE_RATE // motion.rate, motion.loops)


def _seconds_that_fit(motion: Motion, data: bytes, board: Board) -> float:
    """Duration of similar motion for which the board has memory [s]."""
    head = HEAD.size + TRACK.size * len(motion.device.channels)
    return (board.room - head) / ((len(data) - head) / motion.seconds)


def _text(motion: Motion, board: Board, start_pin: int, data: bytes) -> str:
    channels = motion.device.channels
    repetition = "over and over" if motion.loops else "once"
    when = "two seconds after power" if start_pin == NO_PIN else f"when pin {start_pin} is joined to ground"
    lines = [
        (
            f"// A motion of '{_plain(motion.title)}', made by Limber: put it beside limber_firmware.ino and"
            " flash that."
        ),
        (
            f"// {motion.seconds:.1f} s, {len(motion.positions)} rows at {motion.rate} Hz, {len(channels)}"
            f" servos: {_kilobytes(len(data))}."
        ),
        (
            f"// {board.label} has room for {_kilobytes(board.room)} beside the firmware: about"
            f" {_seconds_that_fit(motion, data, board):.0f} s of motion like this."
        ),
        f"// It is played {repetition}, {when}. Servos begin at the first row:",
        *(
            f"//   servo {channel.servo}: {positions / UNITS_PER_US:g} us"
            f" ({_plain(' + '.join(share.joint for share in channel.shares))})"
            for channel, positions in zip(channels, rounded(motion, UNITS_PER_US)[0], strict=True)
        ),
        "#ifndef LIMBER_MOTION_H",
        "#define LIMBER_MOTION_H",
        "",
        '#include "src/device.h"',
        '#include "src/flash.h"',
        "",
        f"#if LIMBER_CHANNELS <= {max(channel.servo for channel in channels)}",
        '#error "the motion has more servos than this board"',
        "#endif",
        "",
        f"#define LIMBER_MOTION_START_PIN {start_pin}  // {NO_PIN}: none",
        "",
        f"static const uint8_t limber_motion[{len(data)}] LIMBER_FLASH = {{",
        *(
            "    " + " ".join(f"{byte}," for byte in data[at : at + BYTES_A_LINE])
            for at in range(0, len(data), BYTES_A_LINE)
        ),
        "};",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _kilobytes(count: int) -> str:
    return f"{count / 1024:.1f} kB"


def _plain(name: str) -> str:
    """A name with "?" for characters that are not printable ASCII, and for "\\", which would continue a
    comment in C.
    """
    return "".join(
        letter if letter.isascii() and letter.isprintable() and letter != "\\" else "?" for letter in name
    )
