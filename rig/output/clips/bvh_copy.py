"""Writes a BVH file's motion in the form that Blender's importer reads correctly.

The importer needs each brace, OFFSET and CHANNELS on a line of its own, a frame on one line, and all three
rotations of a joint that has one. If a joint has some position channels, it takes the missing ones as 0
instead of the OFFSET.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from locale import getpreferredencoding
from pathlib import Path

from ....files import atomic
from .bvh import POSITIONS, ROTATIONS, Bvh, BvhJoint, read

NAMES = {name: name.capitalize() for name in POSITIONS + ROTATIONS}
Column = int | str  # a column of the file, or a number that is the same in all frames


@contextmanager
def importable_copy(path: Path) -> Iterator[Path]:
    """Path of a copy of a BVH file that Blender's importer reads, with the same name, for as long as it is
    needed. Raises as `bvh.read`, and OSError if the copy cannot be written.
    """
    clip = read(path)
    with tempfile.TemporaryDirectory(prefix="limber-bvh-") as folder:
        copy = Path(folder) / path.name
        text = "\n".join([*lines(clip), ""])
        # the importer opens files with the default encoding
        atomic.write(copy, text.encode(getpreferredencoding(do_setlocale=False), "replace"))
        yield copy


def lines(clip: Bvh) -> Iterator[str]:
    """Lines of a BVH file that Blender's importer reads correctly, with the motion of `clip`."""
    columns = [_columns(clip, joint) for joint in clip.joints]
    yield "HIERARCHY"
    open_joints: list[int] = []
    for k, joint in enumerate(clip.joints):
        while open_joints and open_joints[-1] != joint.parent:
            open_joints.pop()
            yield "}"
        open_joints.append(k)
        yield from _opened(joint, list(columns[k]))
    yield from "}" * len(open_joints)
    yield from ("MOTION", f"Frames: {len(clip.words) // clip.width}", f"Frame Time: {clip.frame_time!r}")
    order = [column for channels in columns for column in channels.values()]
    for start in range(0, len(clip.words), clip.width):
        row = clip.words[start : start + clip.width]
        yield " ".join(row[column] if isinstance(column, int) else column for column in order)


def _opened(joint: BvhJoint, channels: list[str]) -> Iterator[str]:
    """A joint's lines up to the first joint below it."""
    yield from (f"{'JOINT' if joint.parent >= 0 else 'ROOT'} {joint.name}", "{")
    yield f"OFFSET {' '.join(joint.offset)}"
    yield " ".join(["CHANNELS", str(len(channels)), *map(NAMES.__getitem__, channels)])
    for end in joint.ends:
        yield from ("End Site", "{", f"OFFSET {' '.join(end)}", "}")


def _columns(clip: Bvh, joint: BvhJoint) -> dict[str, Column]:
    """Columns of a joint's channels: all three positions or none, all three rotations or none."""
    channels: dict[str, Column] = {}
    if not _stays(clip, joint):
        missing = dict(zip(POSITIONS, joint.offset, strict=True))
        channels |= _completed(joint, POSITIONS, missing)
    return channels | _completed(joint, ROTATIONS, dict.fromkeys(ROTATIONS, "0"))


def _completed(joint: BvhJoint, kind: tuple[str, ...], missing: dict[str, str]) -> dict[str, Column]:
    """Columns of a joint's channels of one kind, completed by the numbers `missing`; empty if it has none."""
    named: dict[str, Column] = {name: column for name, column in joint.columns.items() if name in kind}
    return named | {name: missing[name] for name in kind if name not in named} if named else {}


def _stays(clip: Bvh, joint: BvhJoint) -> bool:
    """Whether a joint's positions are 0 in all frames though its OFFSET is not: a program that gives every
    joint six channels means that it stays there, not that all bones shrink to a point.
    """
    positions = [joint.columns[name] for name in POSITIONS if name in joint.columns]
    return (
        joint.parent >= 0
        and any(map(float, joint.offset))
        and not any(float(word) for column in positions for word in clip.words[column :: clip.width])
    )
