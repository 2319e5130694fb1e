"""Tests Eyes, Head and Torso on robots: heads with names of other makers, trunks without motors, heads
without known names.
"""

import bpy
import pytest
from limber.rig.authoring import gaze_bones

from .test_forward import write

MOVES = '<axis xyz="0 {y} {z}"/><limit lower="-1" upper="1" velocity="3" effort="1"/>'

# a head without a motor, above a waist with one
STILL_HEAD = (
    ("waist_yaw_link", "base_link", "z", "0 0 .2"),
    ("head_link", "waist_yaw_link", "", "0 0 .4"),
)


def robot(tmp_path, *links: tuple[str, str, str, str]):
    """A robot of links: each with its parent's name, the axis of its joint ("y", "z" or "" for none), and its
    position "x y z" [m] in the parent's frame.
    """
    names = ["base_link", *(name for name, *_ in links)]
    text = "".join(f'<link name="{name}"/>' for name in names)
    for name, parent, axis, place in links:
        joint = MOVES.format(y=int(axis == "y"), z=int(axis == "z")) if axis else ""
        kind = "revolute" if axis else "fixed"
        ends = f'<parent link="{parent}"/><child link="{name}"/><origin xyz="{place}"/>'
        text += f'<joint name="{name} joint" type="{kind}">{ends}{joint}</joint>'
    bpy.ops.limber.import_robot(filepath=str(write(tmp_path, f'<robot name="r">{text}</robot>')))
    return bpy.context.object


def spans(rig) -> dict[str, tuple[str, str]]:
    bpy.ops.limber.eyes_head_torso()
    return {chain.name: (chain.root, chain.end) for chain in rig.limber.chains}


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("head_yaw_link", "head_pitch_link"),
        ("head_1_link", "head_2_link"),
        ("head_pan_link", "head_tilt_link"),
        ("neck_link", "head_link"),
        ("HEAD_JOINT0_LINK", "HEAD_JOINT1_LINK"),
        ("zhead_1_link", "zhead_2_link"),
        ("HeadYaw", "HeadPitch"),
    ],
)
@pytest.mark.parametrize("trunk_moves", [True, False])
def test_the_head_is_the_last_of_its_hinges_and_begins_above_the_trunk(
    tmp_path, first: str, last: str, trunk_moves: bool
):
    rig = robot(
        tmp_path,
        ("torso_link", "base_link", "z" * trunk_moves, "0 0 .2"),
        (first, "torso_link", "z", "0 0 .2"),
        (last, first, "y", "0 0 .05"),
    )
    assert spans(rig) == {"Head": (first, last)} | (
        {"Torso": ("torso_link", "torso_link")} if trunk_moves else {}
    )


def test_a_head_without_a_motor_looks_by_the_trunk_s(tmp_path):
    rig = robot(
        tmp_path,
        ("waist_yaw_link", "base_link", "z", "0 0 .2"),
        ("torso_link", "waist_yaw_link", "y", "0 0 .1"),
        ("head_link", "torso_link", "", "0 0 .4"),
    )
    assert spans(rig) == {"Head": ("waist_yaw_link", "head_link")}


def test_eyes_that_share_a_hinge_have_it_once(tmp_path):
    eyes = [
        (f"{side}_eye_pan_link", "eyes_tilt_link", "z", f".05 {y} 0")
        for side, y in (("left", 0.03), ("right", -0.03))
    ]
    rig = robot(
        tmp_path,
        ("head_link", "base_link", "z", "0 0 .3"),
        ("eyes_tilt_link", "head_link", "y", ".05 0 .1"),
        *eyes,
    )
    chains = spans(rig)
    assert chains["Left Eye"] == ("eyes_tilt_link", "left_eye_pan_link")
    assert chains["Right Eye"] == ("right_eye_pan_link",) * 2


def test_a_head_that_is_not_called_so_is_found_by_its_place(tmp_path):
    limbs = []
    for side, y in (("A", 0.1), ("B", -0.1)):
        limbs += [
            (f"leg{side}1", "base_link", "y", f"0 {y} 0"),
            (f"leg{side}2", f"leg{side}1", "y", "0 0 -.3"),
        ]
        limbs += [
            (f"leg{side}3", f"leg{side}2", "y", "0 0 -.3"),
            (f"part{side}", "C1", "y", f"0 {y} .1"),
            (f"more{side}", f"part{side}", "y", "0 0 -.3"),
        ]
    rig = robot(
        tmp_path,
        ("C1", "base_link", "z", "0 0 .3"),
        *limbs,
        ("C2", "C1", "z", "0 0 .2"),
        ("C3", "C2", "y", "0 0 .1"),
    )
    assert spans(rig) == {"Torso": ("C1", "C1"), "Head": ("C2", "C3")}


@pytest.mark.parametrize(("neck", "head"), [("neck_link", "screen_link"), ("own_neck", "own_head")])
def test_a_head_far_above_the_trunk_is_found_on_a_robot_without_legs(tmp_path, neck: str, head: str):
    arms = [
        (f"{side}_arm_{link}", parent, "y", place)
        for side, y in (("left", 0.2), ("right", -0.2))
        for link, parent, place in (("1", "torso_link", f"0 {y} .3"), ("2", f"{side}_arm_1", "0 0 -.3"))
    ]
    rig = robot(
        tmp_path,
        ("torso_link", "base_link", "z", "0 0 .2"),
        *arms,
        (neck, "torso_link", "z", "0 0 .4"),
        (head, neck, "y", "0 0 .05"),
    )
    assert spans(rig) == {"Torso": ("torso_link", "torso_link"), "Head": (neck, head)}


@pytest.mark.parametrize(("first", "second"), [("left_head_link", "right_head_link"), ("head1", "head2")])
def test_of_two_heads_beside_one_another_the_first_looks_and_that_is_said(
    tmp_path, capfd, first: str, second: str
):
    rig = robot(
        tmp_path,
        ("torso_link", "base_link", "z", "0 0 .2"),
        (first, "torso_link", "z", "0 .1 .3"),
        (second, "torso_link", "z", "0 -.1 .3"),
    )
    assert spans(rig)["Head"] == (first, first)
    assert f"Of several heads '{first}' looks; '{second}' does not" in capfd.readouterr().out


@pytest.mark.parametrize("parts", [("head.L", "head.R"), ("head_1", "head_2"), ("head.001", "head.002")])
def test_what_hangs_on_a_head_and_is_called_so_is_no_second_head(parts):
    bones = {"spine": None, "head": "spine", **dict.fromkeys(parts, "head")}
    assert gaze_bones.heads(bones, "head") == []
    beside = {"spine": None, **dict.fromkeys(parts, "spine")}
    assert gaze_bones.heads(beside, "") == list(parts)


def arms(trunk: str) -> list[tuple[str, str, str, str]]:
    """Links of two arms that branch from a trunk."""
    return [
        link
        for side, y in (("l", 0.2), ("r", -0.2))
        for link in (
            (f"{side}_limb_a", trunk, "y", f"0 {y} .2"),
            (f"{side}_limb_b", f"{side}_limb_a", "y", "0 0 -.2"),
        )
    ]


@pytest.mark.parametrize(
    ("trunk", "neck", "head"),
    [
        ("rump", "HEAD_UNIT_LINK1", "HEAD_UNIT_LINK2"),
        ("mid_part", "head_yaw_link", "head_pitch_link"),
        ("torso", "neck_base", "neck_top"),
        ("torso", "lowerNeckPitchLink", "upperNeckPitchLink"),
    ],
)
def test_a_trunk_or_head_that_no_name_tells_is_found_where_arms_branch_and_on_top(
    tmp_path, trunk: str, neck: str, head: str
):
    rig = robot(
        tmp_path,
        (trunk, "base_link", "z", "0 0 .6"),
        *arms(trunk),
        (neck, trunk, "z", "0 0 .3"),
        (head, neck, "y", "0 0 .05"),
    )
    assert spans(rig) == {"Torso": (trunk, trunk), "Head": (neck, head)}


@pytest.mark.parametrize(
    ("first", "last"),
    [("link_head_pan", "link_head_tilt"), ("pan_link", "tilt_link"), ("neck_yaw", "neck_pitch")],
)
def test_a_head_that_no_motor_moves_carries_the_one_that_looks(tmp_path, first: str, last: str):
    rig = robot(
        tmp_path,
        ("link_mast", "base_link", "", "0 0 .2"),
        ("link_lift", "link_mast", "y", "0 0 .2"),
        ("link_head", "link_mast", "", "0 0 1"),
        (first, "link_head", "z", "0 0 .1"),
        (last, first, "y", "0 0 .05"),
        ("camera_link", last, "", ".05 0 0"),
    )
    assert spans(rig)["Head"][1] == last


def test_eyes_and_ears_on_a_head_without_a_motor_are_no_head(tmp_path):
    beside = [
        (f"{side}_{part}_link", "head_link", "z", f".05 {y} 0")
        for part in ("eye_pan", "ear")
        for side, y in (("left", 0.03), ("right", -0.03))
    ]
    rig = robot(
        tmp_path,
        *STILL_HEAD,
        *beside,
    )
    assert spans(rig)["Head"] == ("waist_yaw_link", "head_link")


def test_a_head_that_no_motor_moves_carries_the_one_that_looks_above_a_waist_too(tmp_path):
    rig = robot(
        tmp_path,
        *STILL_HEAD,
        ("head_pan_link", "head_link", "z", "0 0 .1"),
        ("head_tilt_link", "head_pan_link", "y", "0 0 .05"),
    )
    assert spans(rig)["Head"][1] == "head_tilt_link"


@pytest.mark.parametrize("part", ["jaw_pitch_link", "lidar_tilt_link", "antenna_roll"])
def test_what_else_a_motor_moves_on_a_head_without_a_motor_is_no_head(tmp_path, part: str):
    rig = robot(
        tmp_path,
        *STILL_HEAD,
        (part, "head_link", "y", ".05 0 0"),
    )
    assert spans(rig)["Head"] == ("waist_yaw_link", "head_link")


def test_links_at_the_same_place_lie_in_the_plane_of_symmetry(tmp_path):
    rig = robot(
        tmp_path,
        ("pelvis", "base_link", "", "0 0 .6"),
        ("waist_yaw_link", "pelvis", "z", "0 0 0"),
        ("torso_link", "waist_yaw_link", "y", "0 0 .1"),
        *arms("torso_link"),
        ("imu_link", "torso_link", "", "0 0 .3"),
    )
    assert spans(rig) == {"Head": ("waist_yaw_link", "imu_link")}


def test_where_no_motor_moves_the_head_the_way_out_is_told(tmp_path):
    rig = robot(
        tmp_path,
        ("head_link", "base_link", "", "0 0 .4"),
        ("left_arm_link", "base_link", "y", "0 .2 .2"),
        ("right_arm_link", "base_link", "y", "0 -.2 .2"),
    )
    with pytest.raises(RuntimeError, match=r"No motor moves 'head_link'.* press New Chain"):
        bpy.ops.limber.eyes_head_torso()
    assert not rig.limber.chains


def test_a_link_of_an_arm_is_no_head(tmp_path):
    line, above = [], "base_link"
    for number in range(1, 8):
        name = f"arm_left_{number}_link"
        line.append((name, above, "zy"[number % 2], "0 0 .1"))
        above = name
    fingers = [(f"finger_{side}", above, "z", f"0 {y} .05") for side, y in (("a", 0.03), ("b", -0.03))]
    rig = robot(tmp_path, *line, *fingers)
    with pytest.raises(RuntimeError, match="No head was found"):
        bpy.ops.limber.eyes_head_torso()
    assert not rig.limber.chains
