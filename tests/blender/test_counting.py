"""Tests that sentences about several items state their common part once."""

import bpy
import pytest
from limber.rig.blender.counting import merged

from tests.blender.rigs import UPRIGHT, build, make_active, select


def test_sentences_that_differ_in_names_and_numbers_alone_are_one():
    of_meshes = [
        f"mesh '{name}.stl' of link '{name}' was not found; a placeholder is shown instead"
        for name in ("base", "arm", "head")
    ]
    assert merged([of_meshes[0], "Nothing else", *of_meshes[1:]]) == [
        f"{of_meshes[0]} (and 2 more: 'arm.stl', 'head.stl')",
        "Nothing else",
    ]
    of_servos = [
        f"'neck' (servo {servo}) needs {speed} degrees a second" for servo, speed in ((1, 200), (2, 210.5))
    ]
    assert merged(of_servos) == [f"{of_servos[0]} (and 1 more)"]


def test_sentences_of_other_causes_and_single_ones_stay_and_repeated_ones_are_one():
    sentences = ["Bone 'a' is scaled", "Bone 'a' is hidden", "LeRobot's zero of 'a' is the range's middle"]
    assert merged([*sentences, sentences[0]]) == sentences


def test_of_many_names_the_first_are_listed():
    (sentence,) = merged(f"Joint '{number}' is fast" for number in "abcdefghij")
    assert sentence == "Joint 'a' is fast (and 9 more: 'b', 'c', 'd', 'e', 'f', 'g' ...)"


@pytest.mark.every_blender
def test_check_says_once_what_is_wrong_with_several_joints(capfd):
    rig = build(UPRIGHT)
    select(rig, *UPRIGHT)
    bpy.ops.limber.new_chain()
    make_active(rig)
    for joint in rig.limber.chains[0].joints:
        joint.velocity = 0.0
    capfd.readouterr()
    bpy.ops.limber.check_chain()
    said = [line for line in capfd.readouterr().out.splitlines() if "velocity" in line]
    assert len(said) == 1
    assert f"(and {len(rig.limber.chains[0].joints) - 1} more" in said[0]
