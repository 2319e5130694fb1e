"""Reads BVH files in the dialects of programs that write them, and checks them. Independent of Blender.

The format has no standard (Meredith & Maddock 2001, "Motion capture file formats explained"). Read are: any
letter case, byte order mark, and line ends; braces on the line of a name; names with blanks; comments (# and
//); decimal commas; numbers that run into each other at a minus sign; frames that go over several lines;
joints with any channels, with other ones (scales), or without; channels of End Sites; several roots; and more
frames than the file announces.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....files.content import open_regular
from ....files.plain import shown
from ....files.reasons import reason
from ...blender.errors import RigError

SUFFIX = ".bvh"
FROM_FILE = "export the clip again from the program that captured it"
POSITIONS = ("xposition", "yposition", "zposition")
ROTATIONS = ("xrotation", "yrotation", "zrotation")
COMMENTS = ("#", "//")
MOST_DIGITS = 10  # a number of frames or channels with this many digits, or more, is refused
GLUED = re.compile(r"(?<=[0-9.])-")  # the minus sign of a number without a blank before it
MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))  # byte order marks


@dataclass
class BvhJoint:
    """A joint of a BVH file."""

    name: str
    parent: int  # index of the parent among the joints; -1: the joint is a root
    offset: list[str] = field(default_factory=lambda: ["0"] * 3)  # numbers of OFFSET, as in the file
    columns: dict[str, int] = field(default_factory=dict)  # column of each channel, in the file's order
    ends: list[list[str]] = field(default_factory=list)  # offsets of its End Sites
    channels_at: int = 0  # number of the line of its CHANNELS, from 1; 0: it has none


@dataclass
class Bvh:
    """A BVH file's joints, parents first, and its frames."""

    joints: list[BvhJoint]
    frame_time: float  # [s] time from one frame to the next
    width: int  # number of values in a frame
    words: list[str]  # numbers of all frames, as in the file


def read(path: Path) -> Bvh:
    """The content of a BVH file. Raises RigError, with the remedy, if the file cannot be read, is no BVH
    file, is truncated, or has invalid values or values that are not finite.
    """
    try:
        with open_regular(path) as file:
            text = _decoded(file.read())
    except OSError as error:
        raise RigError(
            f"it cannot be read ({reason(error)}): check the path and the access rights"
        ) from error
    if not text.strip():
        raise RigError(f"it is empty: {FROM_FILE}")
    # comments become empty lines, so that lines keep their numbers
    lines = ["" if line.startswith(COMMENTS) else line for line in map(str.strip, text.splitlines())]
    first = next(filter(None, lines), "")
    at = next((k for k, line in enumerate(lines) if line.lower().split()[:1] == ["motion"]), None)
    if at is None or not first.lower().startswith("hierarchy"):
        raise RigError(f"it is no BVH file, which has a HIERARCHY and a MOTION: {FROM_FILE}")
    joints, width = _hierarchy(lines[:at])
    if not any(joint.columns for joint in joints):
        raise RigError(f"its joints have no channels: {FROM_FILE}")
    frame_time, words = _motion([lines[at][len("motion") :], *lines[at + 1 :]], width)
    return Bvh(joints, frame_time, width, words)


def _decoded(content: bytes) -> str:
    """The text of a file: by its byte order mark, else UTF-8, else Latin-1."""
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # each byte of a name in another encoding becomes a letter


class Statement(NamedTuple):
    """A brace, or a keyword with its arguments."""

    line: int  # number of its line, from 1
    words: list[str]


class OpenBlock(NamedTuple):
    """A block in braces that is not closed yet.

    Attributes:
        joint: Index of the innermost joint around its content; -1: none.
        is_end: Whether it is an End Site of that joint.
    """

    joint: int
    is_end: bool = False


OUTSIDE = OpenBlock(-1)


def _hierarchy(lines: Iterable[str]) -> tuple[list[BvhJoint], int]:
    """The joints, and the total number of their channels, which is the number of values in a frame."""
    joints: list[BvhJoint] = []
    width = 0
    blocks = [OUTSIDE]  # open blocks, innermost last
    begun = OUTSIDE  # block whose brace comes next
    for statement in _statements(lines):
        words = statement.words
        keyword = words[0].lower()
        if keyword in ("root", "joint"):
            begun = OpenBlock(len(joints))
            joints.append(BvhJoint("_".join(words[1:]) or "Joint", blocks[-1].joint))
        elif keyword == "end":
            begun = OpenBlock(blocks[-1].joint, is_end=True)
        elif keyword == "{":
            blocks.append(begun)
        elif keyword == "}" and len(blocks) > 1:
            blocks.pop()
        elif keyword in ("offset", "channels") and blocks[-1].joint >= 0:
            joint, is_end = joints[blocks[-1].joint], blocks[-1].is_end
            if keyword == "offset":
                _take_offset(joint, is_end, words)
            else:
                width += _take_channels(joint, is_end, statement, width)
    return joints, width


def _statements(lines: Iterable[str]) -> Iterator[Statement]:
    """The statements of the hierarchy."""
    for number, line in enumerate(lines, 1):
        for words in map(str.split, line.replace("{", "\n{\n").replace("}", "\n}\n").splitlines()):
            if not words:
                continue
            until = len(words)
            if words[0].lower() == "offset":  # CHANNELS may be on the same line
                until = next((k for k, word in enumerate(words) if word.lower() == "channels"), until)
            yield from (Statement(number, part) for part in (words[:until], words[until:]) if part)


def _take_offset(joint: BvhJoint, is_end: bool, words: list[str]) -> None:
    """Adds an OFFSET to its joint, or to one of the joint's End Sites. Raises RigError if it does not begin
    with three finite numbers.
    """
    numbers = _plain_numbers(" ".join(words[1:])).split()[:3]
    if len(numbers) < 3 or not all(_is_number(word) and isfinite(float(word)) for word in numbers):
        raise RigError(f"joint {shown(joint.name)} has an OFFSET without three numbers: {FROM_FILE}")
    if is_end:
        joint.ends.append(numbers)
    else:
        joint.offset = numbers


def _take_channels(joint: BvhJoint, is_end: bool, statement: Statement, first: int) -> int:
    """Adds CHANNELS, which begin at the column `first`, to their joint; those of an End Site move nothing.
    Returns their number. Raises RigError if names are missing, or a joint has CHANNELS or a channel twice.
    """
    words = statement.words
    count = _count(words[1]) if len(words) > 1 else -1
    names = [word.lower() for word in words[2 : 2 + max(count, 0)]]
    if len(names) != count:
        raise RigError(f"joint {shown(joint.name)} has CHANNELS without their number and names: {FROM_FILE}")
    known = [name for name in names if name in POSITIONS + ROTATIONS]
    if len(set(known)) < len(known):
        raise RigError(f"joint {shown(joint.name)} has a channel twice: {FROM_FILE}")
    if not is_end:
        if joint.channels_at:
            raise RigError(
                f"joint '{joint.name}' has CHANNELS in line {joint.channels_at} and again in line"
                f" {statement.line}, so it is open which of its values count: {FROM_FILE}"
            )
        joint.channels_at = statement.line
        joint.columns = {name: first + k for k, name in enumerate(names) if name in known}
    return count


def _motion(lines: list[str], width: int) -> tuple[float, list[str]]:
    """Frame time [s] and the numbers of all frames, from the lines after MOTION: "Frames:" and their number,
    "Frame Time:" and seconds, then the values. Raises RigError if a part is missing or invalid.
    """
    words = _plain_numbers("\n".join(lines)).replace(":", " ").split()
    head, values = words[:5], words[5:]
    keywords = [head[k].lower() for k in (0, 2, 3)] if len(head) == 5 else []
    if keywords != ["frames", "frame", "time"] or _count(head[1]) < 0 or not _is_number(head[4]):
        raise RigError(f"after MOTION it has no 'Frames:' and 'Frame Time:': {FROM_FILE}")
    announced, frame_time = _count(head[1]), float(head[4])
    if not 0.0 < frame_time < np.inf:
        raise RigError(f"its frame time is {head[4]} s: give it the time between two frames")
    numbers = _numbers(values, width)
    if len(numbers) < announced * width or len(numbers) % width:
        rows = f"{len(numbers) / width:.5g} frames of {width} values"
        raise RigError(f"it announces {announced} frames and has {rows}: {FROM_FILE}")
    if not len(numbers):
        raise RigError(f"it has no frame: {FROM_FILE}")
    # 'nan' and 'inf' pass as numbers above, but no bone can be posed by them
    broken = np.flatnonzero(~np.isfinite(numbers).reshape(-1, width).all(1))
    if len(broken):
        raise RigError(f"frame {broken[0] + 1} has a value that is not a number: mend or remove that frame")
    return frame_time, values


def _numbers(words: list[str], width: int) -> np.ndarray:
    """The words as numbers (n,). Raises RigError, with the frame, if one is no number; `width`: number of
    values in a frame.
    """
    try:
        return np.array(words, float)
    except ValueError:
        k = next(k for k, word in enumerate(words) if not _is_number(word))
        raise RigError(
            f"frame {k // width + 1} has {shown(words[k])} instead of a number: {FROM_FILE}"
        ) from None


def _plain_numbers(text: str) -> str:
    """The text with decimal points instead of decimal commas, and a blank between numbers that run into each
    other at a minus sign.
    """
    return GLUED.sub(" -", " ".join(map(_plain_word, text.split())) if "," in text else text)


def _plain_word(word: str) -> str:
    """A word whose commas are replaced: by decimal points, or by blanks if the word has a point, since its
    commas then separate numbers.
    """
    return word.strip(",").replace(",", " " if "." in word else ".")


def _count(word: str) -> int:
    """The count in a word, such as a number of frames; -1 if it is no whole number or too long."""
    return int(word) if word.isdecimal() and len(word) < MOST_DIGITS else -1


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
