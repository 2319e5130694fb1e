"""Tests robots of other makers: imported, with a chain to their head or otherwise their longest arm, and
live, without an exception.

Files: the public robots beside the checkout, and all URDF files below the folders in LIMBER_ROBOTS (separated
as in PATH).
"""

import os
from pathlib import Path

import bpy
import pytest
from limber.rig.authoring import forward
from limber.rig.bones.joint_axes import joint_axes
from limber.rig.live import live
from limber.robots.errors import UrdfError
from limber.robots.reading import read

from tests.blender.rigs import select, target
from tests.robots.robots import NO_PUBLIC, PUBLIC, SHARED

GIVEN = [
    path
    for folder in os.environ.get("LIMBER_ROBOTS", "").split(os.pathsep)
    if folder
    for path in sorted(Path(folder).rglob("*.urdf"))
]
FILES = list(dict.fromkeys([*PUBLIC, *sorted(SHARED.glob("robots/*/*.urdf")), *GIVEN]))
CASES = FILES or [pytest.param(None, marks=pytest.mark.skip(reason=NO_PUBLIC))]
AWAY = 2.0  # [robot's sizes] distance of the target


def ends(rig) -> list[str]:
    """Bones that could look, best first: heads, then those with the most joints above them."""
    moving = {bone.name for bone in rig.pose.bones if joint_axes(bone)}
    count = {
        bone.name: sum(above.name in moving for above in (bone, *bone.parent_recursive))
        for bone in rig.data.bones
    }
    heads = [
        name for name, joints in count.items() if joints and {"head", "camera"} & set(forward.words(name))
    ]
    return [
        *sorted(heads, key=count.__getitem__, reverse=True),
        *sorted(count, key=count.__getitem__, reverse=True),
    ]


def reported(operator, **options) -> str:
    """Error that an operator reports; "" if it finishes."""
    said = ""
    try:
        operator(**options)
    except RuntimeError as error:
        said = str(error)
    assert "Traceback" not in said
    return said


def refusal(path) -> str:
    """Reason why a file cannot be used; "" if it can be."""
    try:
        read(path)
    except UrdfError as error:
        return f"Error: {error}\n"
    return ""


@pytest.mark.parametrize("path", CASES, ids=lambda path: str(path)[-45:])
def test_a_foreign_robot_comes_in_and_looks_or_says_why_not(path, capfd):
    why = refusal(path)
    assert reported(bpy.ops.limber.import_robot, filepath=str(path), with_meshes=False) == why
    if why:
        return
    rig = bpy.context.active_object
    size = max(rig.dimensions.length, 0.1)
    for end in ends(rig):
        select(rig, end)
        if not (why := reported(bpy.ops.limber.new_chain)):
            break
        assert "'" in why, "the message names a bone"
    if not rig.limber.chains:
        return  # each refusal was a sentence: no joint that can look
    chain = rig.limber.chains[0]
    at = rig.matrix_world @ rig.pose.bones[chain.end].head
    chain.target = target((at.x + AWAY * size, at.y + 0.3 * size, at.z))
    if not reported(bpy.ops.limber.live):
        for frame in range(1, 6):
            bpy.context.scene.frame_set(frame)
        session = live.session(rig, chain)
        assert session.problem == ""
        assert session.outputs is not None
    assert "Traceback" not in capfd.readouterr().err
