"""BVH files as other programs write them: each is imported to the same poses as the plain file, or the reason
is said.
"""

import re
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from limber.rig.blender.errors import RigError
from limber.rig.output.clips import bvh
from limber.rig.output.clips.scene import import_clip

from tests.blender.clips import JOINTS, Clip, walk
from tests.robots.test_work import DOUBLE, lines_run

FRAMES = 12
POSITIONS = "Xposition Yposition Zposition"
ROTATIONS = "Zrotation Xrotation Yrotation"


def clip() -> Clip:
    return walk(FRAMES)


def poses(path: Path) -> np.ndarray:
    """(frames, joints, 4, 4) of the imported bones, in their armature."""
    rig = import_clip(path)
    first, last = map(int, rig.animation_data.action.frame_range)
    found = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(bone.matrix) for bone in rig.pose.bones])
    return np.array(found)


def numbers_of(text: str, change: Callable[[list[str]], list[str]]) -> str:
    """The text with the numbers of each frame changed."""
    head, values = text.split("Frame Time:")
    seconds, *rows = values.strip().splitlines()
    return "\n".join([f"{head}Frame Time: {seconds}", *(" ".join(change(row.split())) for row in rows), ""])


def per_joint(text: str, channels: str, numbers: Callable[[str], list[str]]) -> str:
    """The text in which each joint but the root has further channels, with these numbers in all frames."""
    root, rest = text.split("JOINT", 1)
    rest = re.sub("CHANNELS 3", f"CHANNELS {3 + len(channels.split())} {channels}", rest)

    def change(row: list[str]) -> list[str]:
        below = [row[k : k + 3] for k in range(6, len(row), 3)]
        names = re.findall(r"JOINT (\S+)", text)
        added = (number for name, own in zip(names, below, strict=True) for number in [*numbers(name), *own])
        return [*row[:6], *added]

    return numbers_of(f"{root}JOINT{rest}", change)


def offset(name: str) -> list[str]:
    return [str(number) for number in JOINTS[name][1]]


def decimal_commas(text: str) -> str:
    head, values = text.split("Frames:")
    head = re.sub(r"(?<=\d)\.(?=\d)", ",", head)
    count, seconds, rows = values.split("\n", 2)
    return f"{head}Frames:{count}\n{seconds}\n" + rows.replace(".", ",")


def of_one_axis(text: str) -> str:
    """The text in which each knee has the one channel that moves."""
    names = re.findall(r"(?:JOINT|ROOT) (\S+)", text)
    for side in ("Left", "Right"):
        text = re.sub(
            rf"(JOINT {side}Knee\n{{\nOFFSET [^\n]*\n)CHANNELS 3 {ROTATIONS}", r"\1CHANNELS 1 Xrotation", text
        )
    first = {name: 6 + 3 * (k - 1) for k, name in enumerate(names)}
    knees = [first["LeftKnee"], first["RightKnee"]]
    return numbers_of(
        text, lambda row: [word for k, word in enumerate(row) if k - 2 not in knees and k not in knees]
    )


DIALECTS = {
    "byte order mark": lambda text: "\ufeff" + text,
    "Windows line ends": lambda text: text.replace("\n", "\r\n"),
    "old Macintosh line ends": lambda text: text.replace("\n", "\r"),
    "tabs and blank lines": lambda text: text.replace(" ", "\t").replace("\n", " \n\n"),
    "lower case": lambda text: (
        text.replace("HIERARCHY", "Hierarchy").replace("MOTION", "motion").replace("Frame Time", "Frame time")
    ),
    "colons apart": lambda text: text.replace("Frames: ", "Frames :\t").replace(
        "Frame Time: ", "Frame Time:"
    ),
    "braces on the line of a name": lambda text: text.replace("\n{", " {"),
    "channels on the line of an offset": lambda text: text.replace("\nCHANNELS", " CHANNELS"),
    "channels before the offset": lambda text: re.sub(r"(OFFSET .*)\n(CHANNELS .*)", r"\2\n\1", text),
    "comments": lambda text: "# from a camera\n" + text.replace("MOTION", "// the frames\nMOTION"),
    "exponents": lambda text: numbers_of(text, lambda row: [f"{float(word):.9e}" for word in row]),
    "decimal commas": decimal_commas,
    "commas between numbers": lambda text: numbers_of(text, lambda row: [word + "," for word in row]),
    "minus signs without a blank": lambda text: re.sub(r"(?<=\d) -", "-", text),
    "frames over several lines": lambda text: numbers_of(
        text, lambda row: [*row[:20], "\n", *row[20:40], "\n", *row[40:]]
    ),
    "more frames than announced": lambda text: text.replace(f"Frames: {FRAMES}", "Frames: 0"),
    "names of End Sites": lambda text: text.replace("End Site", "End Site Tip of\tit"),
    "channels of End Sites": lambda text: re.sub(r"(End Site\n{\n[^\n]*\n)", r"\1CHANNELS 0\n", text),
    "positions of all joints": lambda text: per_joint(text, POSITIONS, offset),
    "positions of all joints, all zero": lambda text: per_joint(text, POSITIONS, lambda name: ["0"] * 3),
    "one position of all joints": lambda text: per_joint(text, "Yposition", lambda name: offset(name)[1:2]),
    "scales": lambda text: per_joint(text, "Xscale Yscale Zscale", lambda name: ["1"] * 3),
    "one axis of a hinge": of_one_axis,
    "no channels of a tip": lambda text: re.sub(
        r"(End Site\n{\n[^\n]*\n}\n)", r"\1JOINT Nub\n{\nOFFSET 0 0.01 0\n}\n", text
    ),
    "a joint called like a keyword": lambda text: text.replace("Chest2", "EMOTION"),
}


@pytest.mark.every_blender
@pytest.mark.parametrize("name", DIALECTS)
def test_a_clip_of_another_dialect_has_the_same_poses(tmp_path, name):
    plain = poses(clip().write(tmp_path / "plain.bvh"))
    path = tmp_path / "dialect.bvh"
    path.write_bytes(DIALECTS[name](clip().text()).encode())
    found = poses(path)
    bones = [bone.name for bone in bpy.context.object.pose.bones]
    kept = [k for k, bone in enumerate(bones) if not bone.startswith("Nub")]
    assert len(plain) == FRAMES
    # a bone's rotation depends on where its joint ends, which the tip without channels moves
    columns = slice(3, 4) if "Nub" in bones else slice(0, 4)
    assert found[:, kept][..., columns] == pytest.approx(plain[..., columns], abs=2e-5)
    assert bpy.context.object.name == "dialect"
    assert bpy.context.scene.render.fps / bpy.context.scene.render.fps_base == pytest.approx(30.0, rel=1e-4)


@pytest.mark.every_blender
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_names_with_colons_blanks_and_letters_of_any_language_are_read(tmp_path, encoding):
    other = clip()
    other.names = {"Hips": "mixamorig:Hips", "Head": "Bip01 Head", "Neck": "Hüfte", "Chest": "Hüfte"}
    path = tmp_path / "names.bvh"
    path.write_bytes(other.text().encode(encoding))
    bones = {bone.name for bone in import_clip(path).data.bones}
    assert {"mixamorig:Hips", "Bip01_Head", "Hüfte", "Hüfte.001"} <= bones


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("found", "becomes", "sentence"),
    [
        (r"Frame Time: \S+", "Frame Time: 0", "its frame time is 0 s: give it the time between two frames"),
        (r"Frame Time: \S+", "Frame Time: 1e-300", r"cannot import it \(ValueError: .*fps"),
        (r"Frames: \d+", "Frames: 40", "it announces 40 frames and has 12 frames of 66 values"),
        (r"\S+\n$", "-nan(ind)\n", r"frame 12 has '-nan\(ind\)' instead of a number"),
        (r"Frames: \d+", "Frames: " + "9" * 5000, "it has no 'Frames:' and 'Frame Time:'"),
        (r"MOTION", "MOVES", "it is no BVH file"),
        (r"OFFSET \S+", "OFFSET", "joint 'Hips' has an OFFSET without three numbers"),
        (r"OFFSET \S+", "OFFSET inf", "joint 'Hips' has an OFFSET without three numbers"),
        (r"CHANNELS 3 Zrotation", "CHANNELS 3 Yrotation", "joint 'LeftHip' has a channel twice"),
        (
            r"(CHANNELS 3.*)\n",
            r"\1\n\n\1\n",
            "joint 'LeftHip' has CHANNELS in line 9 and again in line 11, .*: export the clip again",
        ),
        (r"CHANNELS 6", "CHANNELS", "joint 'Hips' has CHANNELS without their number and names"),
    ],
)
def test_what_is_wrong_with_a_clip_is_said(tmp_path, found, becomes, sentence):
    path = tmp_path / "wrong.bvh"
    path.write_text(re.sub(found, becomes, clip().text(), count=1))
    with pytest.raises(RigError, match=sentence):
        import_clip(path)


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("found", "becomes"),
    [(r"\S+\n$", "x" * 5000 + "\n"), (r"ROOT (?s:.*?)OFFSET", f"ROOT {'x' * 5000}\n{{\nOFFSET x")],
)
def test_a_long_word_of_a_clip_is_quoted_shortened(tmp_path, found, becomes):
    path = tmp_path / "wrong.bvh"
    path.write_text(re.sub(found, becomes, clip().text(), count=1))
    with pytest.raises(RigError) as refused:
        import_clip(path)
    assert "'xxx" in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_file_of_twice_the_nested_blocks_takes_twice_the_work(tmp_path):
    """End Sites within each other, as no program writes them, must not stop Blender's window."""

    def work(count: int) -> int:
        path = tmp_path / "nested.bvh"
        end = "End Site\n{\nOFFSET 0 0 1\n"
        path.write_text(clip().text().replace("End Site", end * count + "}\n" * count + "End Site", 1))
        return lines_run(lambda: bvh.read(path))

    assert work(800) - work(400) < DOUBLE * (work(400) - work(200))


def test_two_persons_in_a_file_are_both_imported(tmp_path):
    """A second ROOT, whose channels follow those of the first."""
    skeleton, motion = clip().text().split("MOTION")
    second = re.sub(r"(ROOT|JOINT) ", r"\1 B_", skeleton.removeprefix("HIERARCHY\n"))
    doubled = numbers_of(f"{skeleton}{second}MOTION{motion}", lambda row: row + row)
    path = tmp_path / "two.bvh"
    path.write_text(doubled)
    rig = import_clip(path)
    bpy.context.scene.frame_set(5)
    for name in ("Head", "LeftToe"):
        assert np.array(rig.pose.bones[f"B_{name}"].matrix) == pytest.approx(
            np.array(rig.pose.bones[name].matrix), abs=1e-6
        )
