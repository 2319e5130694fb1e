"""Tests the pairing of fingers by names and hierarchy: joint by joint, whatever the bones' order, whichever
joints are missing, and however fingers are numbered.
"""

import random

import bpy
import pytest
from limber.rig.bodies import receiver
from limber.rig.bodies.names import pairs

from tests.blender.osc_sender import free_port, packet, sending_to
from tests.blender.rigs import build
from tests.blender.test_retarget_names import THUMBS, body, paired

HUMAN = ["LeftHand"] + [f"LeftHand{finger}{k}" for finger in ("Thumb", "Index", "Middle") for k in "123"]
CONVENTIONS = {name: [*thumb, *index, *others] for name, (thumb, index, others) in THUMBS.items()}


def chains(*lines: str) -> dict[str, str | None]:
    """Bones of a hand: each line a chain of bones, the first of them on the hand."""
    parents: dict[str, str | None] = {"hand.L": None}
    for line in lines:
        above = "hand.L"
        for bone in line.split():
            parents[bone] = above
            above = bone
    return parents


def followed(target: dict[str, str | None], source: list[str] = HUMAN, **controls) -> dict[str, str]:
    return {pair.target: pair.source for pair in pairs(dict.fromkeys(source), target, **controls)}


@pytest.mark.parametrize("target", CONVENTIONS)
@pytest.mark.parametrize("source", CONVENTIONS)
def test_fingers_of_a_stream_are_paired_alike_whatever_the_order_in_which_they_arrive(
    source: str, target: str
):
    expected = followed(dict.fromkeys(CONVENTIONS[target]), CONVENTIONS[source])
    arrived = CONVENTIONS[source][:]
    for seed in range(3):
        random.Random(seed).shuffle(arrived)
        assert followed(dict.fromkeys(CONVENTIONS[target]), arrived) == expected


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_body_s_own_names_are_paired_with_themselves_whichever_joints_either_lacks(convention: str):
    thumb, index, _ = THUMBS[convention]
    for left_out in (0, 1, 2):
        for lacked in (0, 1, 2, None):
            source = [joint for finger in (thumb, index) for k, joint in enumerate(finger) if k != left_out]
            target = [joint for finger in (thumb, index) for k, joint in enumerate(finger) if k != lacked]
            assert followed(dict.fromkeys(target), source) == {
                joint: joint for joint in target if joint in source
            }


def test_a_spine_s_own_names_are_paired_with_themselves_in_whatever_order_they_arrive():
    spine = "Hips Spine Chest UpperChest Neck Neck1 Head"
    assert paired(" ".join(sorted(spine.split())), spine) == {bone: bone for bone in spine.split()}


def test_joints_are_known_by_their_hierarchy_where_they_are_numbered_from_the_tip():
    assert followed(chains("index_3.L index_2.L index_1.L")) == {
        f"index_{4 - k}.L": f"LeftHandIndex{k}" for k in (1, 2, 3)
    } | {"hand.L": "LeftHand"}


def test_a_joint_that_is_not_below_the_one_before_is_none_of_its_finger():
    assert followed(chains("index_1.L index_2.L", "index_3.L")) == {
        "hand.L": "LeftHand",
        "index_1.L": "LeftHandIndex1",
        "index_2.L": "LeftHandIndex2",
    }


@pytest.mark.parametrize("is_stream", [False, True])
def test_numbers_that_blender_adds_count_joints_and_no_fingers(is_stream: bool):
    hand = chains(
        "thumb.L thumb.L.001 thumb.L.002",
        "finger_01.L finger_01.L.001",
        "finger_02.L finger_02.L.001",
    )
    found = followed(dict.fromkeys(sorted(hand)) if is_stream else hand)
    assert found == {
        "hand.L": "LeftHand",
        "thumb.L": "LeftHandThumb1",
        "thumb.L.001": "LeftHandThumb2",
        "thumb.L.002": "LeftHandThumb3",
        "finger_01.L": "LeftHandIndex1",
        "finger_01.L.001": "LeftHandIndex2",
        "finger_02.L": "LeftHandMiddle1",
        "finger_02.L.001": "LeftHandMiddle2",
    }


@pytest.mark.parametrize(
    "mitten", ["finger.L finger.L.001", "finger1.L finger2.L", "finger01.L finger02.L finger03.L"]
)
def test_a_mitten_s_bones_are_those_of_no_finger_that_is_known(mitten: str):
    assert followed(chains(mitten)) == {"hand.L": "LeftHand"}


def test_beside_a_thumb_numbered_bones_that_hang_on_each_other_are_one_finger_s_joints():
    assert followed(chains("thumb.L", "finger01.L finger02.L finger03.L")) == {
        "hand.L": "LeftHand",
        "thumb.L": "LeftHandThumb1",
        **{f"finger0{k}.L": f"LeftHandIndex{k}" for k in (1, 2, 3)},
    }


@pytest.mark.parametrize("zeros", ["", "0"])
def test_numbered_bones_side_by_side_are_the_first_joints_of_as_many_fingers(zeros: str):
    three = [f"finger{zeros}{k}.L" for k in (1, 2, 3)]
    fingers = ("Thumb", "Index", "Middle")
    expected = {bone: f"LeftHand{finger}1" for bone, finger in zip(three, fingers, strict=True)}
    assert followed(chains(*three)) == {"hand.L": "LeftHand", **expected}
    assert followed(chains("thumb.L", *three[:2])) == {
        "hand.L": "LeftHand",
        "thumb.L": "LeftHandThumb1",
        three[0]: "LeftHandIndex1",
        three[1]: "LeftHandMiddle1",
    }


def test_numbers_of_fingers_count_from_the_thumb_also_where_no_thumb_is_sent():
    sent = [f"LeftFinger{finger}{joint}" for finger in "23" for joint in ("Proximal", "Medial", "Distal")]
    target = HUMAN[1:]
    assert set(followed(dict.fromkeys(target), sent)) == {bone for bone in target if "Thumb" not in bone}


def test_two_bones_of_one_joint_are_paired_where_they_are_called_alike():
    doubled = chains("c_thumb1.L c_thumb2.L", "thumb1.L thumb2.L")
    assert followed(doubled, ["LeftHandThumb1", "LeftHandThumb2"]) == {}
    assert followed(doubled, ["thumb1.L", "thumb2.L"]) == {"thumb1.L": "thumb1.L", "thumb2.L": "thumb2.L"}


def test_a_control_that_several_joints_share_follows_the_first():
    bones = "hand_l index_01_l index_02_l index_03_l middle_01_l curl_l"
    controls = dict.fromkeys(bones.split()[1:5], "curl_l")
    assert followed(body(bones), controls=controls) == {"curl_l": "LeftHandIndex1"}


def test_a_joint_without_a_control_leaves_the_others_their_positions():
    bones = "index_01_l index_02_l index_03_l"
    controls = {"index_01_l": "index_01_l", "index_03_l": "index_03_l"}
    assert followed(body(bones), controls=controls) == {
        "index_01_l": "LeftHandIndex1",
        "index_03_l": "LeftHandIndex3",
    }


def test_a_rig_s_own_names_that_a_program_sends_by_alphabet_are_paired_with_themselves():
    names = ["Hips", "LeftHand"] + [
        f"Left{finger}{joint}"
        for finger in ("Thumb", "Index")
        for joint in ("Proximal", "Intermediate", "Distal")
    ]
    rig = build(dict.fromkeys(names))
    retarget = rig.limber.retarget
    retarget.input, retarget.port = "OSC", free_port()
    bpy.ops.limber.listen()
    with sending_to(receiver.find(retarget.host, retarget.port)) as send:
        for name in sorted(names):
            send(packet(f"/limber/link/{name}", 1.0, 0.0, 0.0, 0.0))
        bpy.ops.limber.pair_bones()
    assert {pair.target: pair.source for pair in retarget.pairs} == {name: name for name in names}
