"""The table of export formats. Knows no Blender."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from . import firmware_header, plain, servo_animation
from .boards import BOARDS
from .motion import Motion


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of single formats: the board that plays the motion, and the pin of its start button."""

    board: str = "uno"
    start_pin: int = firmware_header.NO_PIN


@dataclass(frozen=True, slots=True)
class Format:
    """An export format.

    Attributes:
        label: Name for the user.
        description: Its purpose, for the tooltip.
        suffix: File name suffix.
        usual_name: Default file name; "": the armature's name.
        needs_board: Whether the user chooses a board.
        make: Encodes a motion as the file's bytes; raises ExportError.
    """

    label: str
    description: str
    suffix: str
    make: Callable[[Motion, Settings], bytes]
    usual_name: str = ""
    needs_board: bool = False


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "firmware": Format(
            "Limber's Firmware",
            "A header with the motion in flash: Limber's firmware plays it without a computer",
            ".h",
            lambda motion, settings: firmware_header.header(motion, BOARDS[settings.board], settings.start_pin),
            usual_name="limber_motion",
            needs_board=True,
        ),
        "csv": Format("CSV", "A table: time, joints, servos' positions", ".csv", lambda motion, _: plain.table(motion)),
        "json": Format(
            "JSON", "Joints with their limits, servos, and all rows in full precision", ".json", lambda motion, _: plain.document(motion)
        ),
        "servo_animation_h": Format(
            "blender-servo-animation, Arduino",
            "The header that blender-servo-animation's Arduino library plays",
            ".h",
            lambda motion, _: servo_animation.header(motion),
        ),
        "servo_animation_bin": Format(
            "blender-servo-animation, Binary",
            "The same commands as bytes, for a memory card",
            ".bin",
            lambda motion, _: servo_animation.binary(motion),
        ),
        "servo_animation_json": Format(
            "blender-servo-animation, JSON",
            "Its JSON: a list of positions for each servo",
            ".json",
            lambda motion, _: servo_animation.document(motion),
        ),
    }
)
