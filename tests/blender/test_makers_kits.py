"""Tests that characters of makers' kits get their chains: heads of several segments, controls named as a bone
of the body, legs in the air, eyes with bones of their own.
"""

import bpy
import pytest
from limber.rig.authoring import chain_root

from tests.blender.makers_rigs import both, line
from tests.blender.rigs import select
from tests.blender.test_front import armature

WINGED = {
    **line("", ("Root", 0, 0, 0), ("BodyRoot", 0, 0, 1.2), ("Body", 0, 0, 1.5), tip=(0, -0.1, 1.9)),
    **line("Body", ("Neck", 0, -0.3, 2.4), ("Head", 0, -0.3, 2.7), tip=(0, -0.4, 3.0)),
    **both(line("Body", ("Wing1.L", 0.3, 0.1, 1.8), ("Wing2.L", 0.6, 0.6, 2.4), tip=(1.0, 2.2, 2.5))),
    **both(line("BodyRoot", ("UpperLeg.L", 0.5, 0.1, 1.2), ("Feet.L", 0.5, 0.3, 0.8), tip=(0.5, 0.2, 0.6))),
}


def spans(rig) -> dict[str, tuple[str, str]]:
    bpy.ops.limber.eyes_head_torso()
    return {chain.name: (chain.root, chain.end) for chain in rig.limber.chains}


def test_a_head_of_numbered_segments_looks_with_all_of_them():
    segments = line("", ("Head", 0, 0, 0.5), ("Head2", 0, 0, 1.0), ("Head3", 0, 0, 1.4), tip=(0, 0, 1.8))
    rig = armature({"Body": ("", (0, 0, 0), (0, 0, 0.5)), **segments})
    assert spans(rig) == {"Head": ("Head", "Head3")}


@pytest.mark.parametrize("name", ["Head.001", "Head7"], ids=["a copy", "another number"])
def test_a_bone_below_a_head_that_does_not_go_on_counting_is_no_segment(name: str):
    segments = line("", ("Neck", 0, 0, 0.5), ("Head", 0, 0, 1.0), (name, 0, 0, 1.4), tip=(0, 0, 1.8))
    assert spans(armature(segments))["Head"][1] == "Head"


@pytest.mark.every_blender
def test_segments_are_found_behind_a_common_first_word_and_beside_another_numbered_bone():
    upright = line(
        "",
        *(
            (f"Rob_{name}", 0, 0, 0.3 * k)
            for k, name in enumerate(("Hips", "Spine", "Neck", "Head", "Head2"))
        ),
        tip=(0, 0, 1.5),
    )
    others = {f"Rob_{name}": ("Rob_Head", (0, 0, 1.2), (0, 0.3, 1.2)) for name in ("Head_9", "Hat", "Jaw")}
    assert spans(armature(upright | others))["Head"][1] == "Rob_Head2"


def test_a_head_that_is_held_in_a_hand_is_not_the_figures():
    trunk = line("", ("hips", 0, 0, 0.9), ("spine", 0, 0, 1.1), ("neck", 0, 0, 1.5), tip=(0, 0, 1.6))
    arm = line("spine", ("arm.L", 0.2, 0, 1.4), ("hand.L", 0.5, 0, 1.2), tip=(0.6, 0, 1.2))
    doll = line("hand.L", ("doll", 0.6, 0, 1.2), ("Head", 0.6, 0, 1.4), tip=(0.6, 0, 1.5))
    rig = armature({**trunk, "head": ("neck", (0, 0, 1.6), (0, 0, 1.8)), **arm, **doll})
    assert spans(rig)["Head"][1] == "head"


def test_a_head_on_a_neck_comes_before_a_control_of_the_same_name():
    rig = armature(
        {
            **line("", ("hip", 0, 0, 0.6), ("chest", 0, 0, 1.0), ("neck", 0, 0, 1.4), tip=(0, 0, 1.5)),
            "head": ("neck", (0, 0, 1.5), (0, 0, 1.8)),
            "HEAD": ("hip", (0, -1.7, 1.7), (0, -1.7, 1.3)),
        }
    )
    assert spans(rig)["Head"][1] == "head"


@pytest.mark.every_blender
def test_legs_in_the_air_stay_by_their_names():
    rig = armature(WINGED)
    assert spans(rig)["Torso"] == ("Body", "Body")
    rig.limber.chains.clear()
    select(rig, "Head")
    bpy.ops.limber.new_chain()
    assert rig.limber.chains[0].root == "Body"


def test_legs_in_the_air_are_not_said_to_stand(capfd):
    select(armature(WINGED), "Head")
    bpy.ops.limber.new_chain()
    assert "; legs hang from 'BodyRoot';" in capfd.readouterr().out


def test_only_feet_that_end_a_leg_in_the_air_count():
    toes = both(line("Feet.L", ("Feet2.L", 0.5, 0.2, 0.6), tip=(0.5, 0, 0.6)))
    rig = armature({**WINGED, **both({"Foot.L": ("Body", (0.5, 0.3, 0.8), (0.5, 0.6, 0.8))}), **toes})
    assert spans(rig)["Torso"] == ("Body", "Body")
    upward = ["Head", "Neck", "Body", "BodyRoot", "Root"]
    assert chain_root.line(rig, upward) == (upward[:3], "legs hang from 'BodyRoot'")
    for bone in ("Feet.R", "Feet2.R", "Foot.R"):
        rig.data.bones[bone].name = bone.replace("Fe", "E").replace("Fo", "O")
    assert chain_root.line(rig, upward).why == "a leg hangs from 'BodyRoot'"


@pytest.mark.parametrize("end", ["UpperLeg.L", "Feet.L"])
def test_a_chain_of_a_leg_in_the_air_has_the_whole_leg(end: str):
    rig = armature(WINGED)
    select(rig, end)
    bpy.ops.limber.new_chain()
    assert (rig.limber.chains[0].root, rig.limber.chains[0].end) == ("UpperLeg.L", end)


def test_a_lower_body_that_carries_no_legs_is_part_of_the_torso():
    trunk = line(
        "body_IK", ("body_lower", 0, 0, 0.4), ("body_upper", 0, 0, 0.6), ("head", 0, 0, 0.8), tip=(0, 0, 1)
    )
    legs = both(line("body_IK", ("leg_upper.L", 0.1, 0, 0.35), ("leg_lower.L", 0.1, 0, 0.2), tip=(0.1, 0, 0)))
    rig = armature({"body_IK": ("", (0, 0, 0.4), (0, 0.2, 0.4)), **trunk, **legs})
    assert spans(rig)["Torso"] == ("body_lower", "body_upper")


@pytest.mark.every_blender
def test_eyes_by_name_may_carry_bones_and_are_left_and_right_by_name():
    eyes = both(
        {
            "eye.L": ("sight", (0.3, -0.9, 1.0), (0.3, -0.9, 1.2)),
            "pupil.L": ("eye.L", (0.3, -0.9, 1.0), (0.3, -0.9, 0.8)),
        }
    )
    rig = armature(
        {
            **line("", ("hull", 0, 0, 0), tip=(0, 0, 0.9)),
            "sight": ("hull", (0, 0, 0.9), (0, -1, 0.9)),
            **eyes,
            **both({"hook.L": ("hull", (0.8, 0, 0.9), (0.8, 0.4, 0.9))}),
        }
    )
    found = spans(rig)
    assert (found["Left Eye"][1], found["Right Eye"][1]) == ("eye.L", "eye.R")
