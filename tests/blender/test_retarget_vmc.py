"""Tests a performer with the VMC protocol: packets built by another library, against products of matrices,
and a body that follows.
"""

import random
from itertools import count, pairwise
from math import cos, degrees, radians, sin

import bpy
import numpy as np
import pytest
from limber.character.body import humanoid
from limber.rig.bodies import pairing, receiver
from limber.rig.live import live
from mathutils import Vector
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder

from tests.blender.figures import XSENS, called, figure, way
from tests.blender.osc_sender import free_port, sending_to

STILL = (0.0, 0.0, 0.0, 1.0)  # a quaternion (x, y, z, w)
NO_ROTATION = (0.0, 0.0, 0.0, 0.0)  # what senders give for what they do not track
MIRROR = np.array(
    [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
)  # Unity's axes -> Blender's, for a figure that looks along -Y
UNITY = {  # positions [m] in the parent's frame, as sent by a performer of 1.6 m, in Unity's axes
    "Hips": (0.0, 0.9, 0.0),
    "Spine": (0.0, 0.1, 0.0),
    "Chest": (0.0, 0.15, 0.0),
    "Neck": (0.0, 0.25, 0.0),
    "Head": (0.0, 0.1, 0.0),
    "LeftShoulder": (-0.03, 0.2, 0.0),
    "LeftUpperArm": (-0.1, 0.0, 0.0),
    "LeftLowerArm": (-0.25, 0.0, 0.0),
    "LeftHand": (-0.24, 0.0, 0.0),
    "LeftUpperLeg": (-0.08, -0.05, 0.0),
    "LeftLowerLeg": (0.0, -0.38, 0.0),
    "LeftFoot": (0.0, -0.38, 0.0),
    "LeftToes": (0.0, -0.07, 0.12),
}
UNITY |= {name.replace("Left", "Right"): (-x, y, z) for name, (x, y, z) in UNITY.items()}
ABOVE = {name: None if name == "Hips" else humanoid.PARENTS[name] for name in UNITY}
ABOVE |= {"Neck": "Chest", "LeftShoulder": "Chest", "RightShoulder": "Chest"}  # an upper chest is not sent
ARM_DOWN = {
    side: (0.0, 0.0, sin(sign * radians(40)), cos(radians(40)))
    for side, sign in (("Left", 1.0), ("Right", -1.0))
}  # by 80 degrees


def message(address: str, *arguments):
    built = OscMessageBuilder(address)
    for argument in arguments:
        built.add_arg(argument)
    return built.build()


def frame(turns: dict, places: dict = UNITY, root=((0.0, 0.0, 0.0), STILL)) -> bytes:
    """Packet of a performer's program for a frame, including data that Limber does not need."""
    built = OscBundleBuilder(IMMEDIATELY)
    built.add_content(message("/VMC/Ext/OK", 1, 3, 1, 0))
    built.add_content(message("/VMC/Ext/T", 12.5))
    built.add_content(message("/VMC/Ext/Root/Pos", "root", *root[0], *root[1], 1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    for name, place in places.items():
        built.add_content(message("/VMC/Ext/Bone/Pos", name, *place, *turns.get(name, STILL)))
    built.add_content(message("/VMC/Ext/Blend/Val", "Joy", 0.5))
    built.add_content(message("/VMC/Ext/Blend/Apply"))
    built.add_content(message("/VMC/Ext/Con/Pos", "serial", *(7 * (0.5,))))
    return built.build().dgram


def matrix(quaternion) -> np.ndarray:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def in_unity(name: str, turns: dict, root) -> np.ndarray:
    """Matrix (4, 4) of a bone in Unity's world, a product of the matrices from the root on."""

    def frame_of(place, turn) -> np.ndarray:
        made = np.eye(4)
        made[:3, :3], made[:3, 3] = matrix(turn), place
        return made

    above = in_unity(ABOVE[name], turns, root) if ABOVE[name] else frame_of(*root)
    return above @ frame_of(UNITY[name], turns.get(name, STILL))


def any_turn(chance: random.Random) -> tuple:
    found = np.array([chance.gauss(0, 1) for _ in range(4)])
    return tuple((found / np.linalg.norm(found)).tolist())


@pytest.fixture
def heard():
    """A receiver on a free port of this computer, and a function that sends to it."""
    found = receiver.Receiver("127.0.0.1", 0)
    with sending_to(found) as send:
        yield found, send
    found.close()


def bone(name: str) -> bytes:
    return message("/VMC/Ext/Bone/Pos", name, 0.0, 0.0, 0.0, *STILL).dgram


def said(time: float) -> bytes:
    return message("/VMC/Ext/T", time).dgram


def test_a_frames_time_is_that_of_its_bones_whatever_packets_they_come_in(heard):
    found, send = heard
    for data in (bone("Hips"), said(2.25), bone("Hips"), bone("Head"), said(2.5), bone("Head")):
        send(data)
        found.look()
    assert found.poses.samples(["Hips", "Head"]).times[:2].tolist() == [2.25, 2.5]
    send(frame({}))
    found.look()
    assert found.poses.samples(["Hips"]).times.tolist() == [12.5, 12.5], "T comes in the same bundle"


def test_the_time_of_vmc_is_not_that_of_other_messages(heard):
    found, send = heard
    send(said(2.25))
    send(message("/limber/link/Hips", 1.0, 0.0, 0.0, 0.0).dgram)
    found.look()
    assert np.isnan(found.poses.samples(["Hips"]).times[0])


@pytest.mark.parametrize("seed", range(5))
def test_bones_are_where_matrices_of_unitys_world_say(heard, seed: int):
    found, send = heard
    chance = random.Random(seed)
    turns = {name: any_turn(chance) for name in UNITY}
    root = tuple(chance.uniform(-2, 2) for _ in range(3)), any_turn(chance)
    send(frame(turns, root=root))
    found.look()
    assert found.problem == ""
    assert set(found.poses.links) == set(UNITY)
    names = list(UNITY)
    rotations, places = found.poses.posed(names)
    for name, rotation, place in zip(names, rotations, places, strict=True):
        there = in_unity(name, turns, root)
        assert rotation == pytest.approx(MIRROR @ there[:3, :3] @ MIRROR.T, abs=1e-5), name
        assert place == pytest.approx(MIRROR @ there[:3, 3], abs=1e-5), name


def test_all_bones_of_unity_and_the_thumbs_of_vrm_1_hang_on_one_that_comes_before():
    assert len(humanoid.PARENTS) == 55 + 2
    seen = set()
    for name, parent in humanoid.PARENTS.items():
        assert parent in seen or name == "Hips"
        seen.add(name)


@pytest.mark.parametrize(
    "joints", [("Proximal", "Intermediate", "Distal"), ("Metacarpal", "Proximal", "Distal")]
)
def test_the_joints_of_a_thumb_hang_on_each_other_under_the_names_of_either_version_of_vrm(heard, joints):
    found, send = heard
    thumb = [f"LeftThumb{joint}" for joint in joints]
    bent = (0.0, 0.0, sin(radians(10)), cos(radians(10)))
    send(frame(dict.fromkeys(thumb, bent), UNITY | dict.fromkeys(thumb, (-0.03, 0.0, 0.0))))
    found.look()
    assert set(thumb) <= set(found.poses.links)
    rotations, places = found.poses.posed(["LeftHand", *thumb])
    for above, below in pairwise(rotations):
        assert np.degrees(np.arccos((np.trace(above.T @ below) - 1.0) / 2.0)) == pytest.approx(20.0, abs=0.01)
    assert np.linalg.norm(np.diff(places, axis=0), axis=1) == pytest.approx([0.03] * 3, abs=1e-6)


def test_a_bone_that_is_lost_loses_what_hangs_on_it_and_places_that_are_not_sent_are_not_made_up(heard):
    found, send = heard
    send(frame({}))
    found.look()
    send(frame({"Chest": NO_ROTATION}, UNITY | {"LeftFoot": (0.0, 0.0, 0.0)}))
    found.look()
    turns, places = found.poses.posed(["Spine", "Chest", "Head", "LeftFoot", "LeftEye"])
    assert np.isfinite(turns).all((1, 2)).tolist() == [True, False, False, True, False]
    assert np.isfinite(places[3]).all() == np.False_


def test_what_a_sender_has_never_tracked_loses_nothing(heard):
    """Some senders fill the bones that they do not know, and the root, with zeros."""
    found, send = heard
    send(frame({"Chest": NO_ROTATION, "LeftToes": NO_ROTATION}, root=((1.0, 0.0, 0.0), NO_ROTATION)))
    found.look()
    assert {"Chest", "LeftToes"}.isdisjoint(found.poses.links)
    turns, places = found.poses.posed(["Hips", "Head", "LeftFoot"])
    assert turns == pytest.approx(np.array(3 * [np.eye(3)]), abs=1e-6)
    assert places[0] == pytest.approx((-1.0, 0.0, 0.9), abs=1e-6), "the root's position counts"


def test_names_of_vrm_and_bones_in_any_order_are_those_of_unity(heard):
    found, send = heard
    names = random.Random(0).sample(sorted(UNITY), len(UNITY))
    small = {name: name[0].lower() + name[1:] for name in names}
    turns = {small["LeftUpperArm"]: ARM_DOWN["Left"]}
    send(frame(turns, {small[name]: UNITY[name] for name in names}))
    found.look()
    assert set(found.poses.links) == set(UNITY)
    for name, rotation in zip(names, found.poses.posed(names)[0], strict=True):
        there = in_unity(name, {"LeftUpperArm": ARM_DOWN["Left"]}, ((0.0, 0.0, 0.0), STILL))
        assert rotation == pytest.approx(MIRROR @ there[:3, :3] @ MIRROR.T, abs=1e-6), name


def test_names_that_are_not_unitys_are_said_where_no_other_comes(heard):
    found, send = heard
    send(bone("MOVIN:Hips"))
    found.look()
    assert (
        found.problem
        == "bone 'MOVIN:Hips' is none of Unity's humanoid bones, such as 'LeftUpperArm': map its names"
    )
    send(bone("Hips"))
    found.look()
    send(bone("Tail"))
    found.look()
    assert found.problem == ""


def test_a_sender_that_starts_again_is_followed_though_its_clock_is_at_zero(heard):
    found, send = heard
    for time, turn in ((500.0, STILL), (0.1, ARM_DOWN["Left"])):
        send(said(time))
        send(message("/VMC/Ext/Bone/Pos", "Hips", 0.0, 1.0, 0.0, *turn).dgram)
        found.look()
    assert found.poses.posed(["Hips"])[0][0] == pytest.approx(
        MIRROR @ matrix(ARM_DOWN["Left"]) @ MIRROR.T, abs=1e-6
    )


def test_what_is_no_message_of_the_protocol_is_said(heard):
    found, send = heard
    send(message("/VMC/Ext/Bone/Pos", "Hips", 1.0).dgram)
    found.look()
    assert found.problem == "'/VMC/Ext/Bone/Pos' has 1 names and 1 numbers, and a name and 7 were expected"
    send(frame({}))
    found.look()
    assert found.problem == ""


@pytest.mark.parametrize("number", [1.1e6, -3e38, float("inf"), float("nan")])
def test_a_position_that_nothing_can_have_is_lost_until_the_next(heard, number):
    found, send = heard
    for data, there in (
        (frame({}, UNITY | {"Spine": (0.0, number, 0.0)}), [True, False, False, True]),
        (frame({}, root=((0.0, number, 0.0), STILL)), [False] * 4),
        (frame({}), [True] * 4),
    ):
        send(data)
        found.look()
        places = found.poses.posed(["Hips", "Spine", "Head", "LeftFoot"])[1]
        assert np.isfinite(places).all(1).tolist() == there


@pytest.mark.parametrize("address", ["position", "velocity"])
def test_what_is_sent_of_single_links_has_the_same_bounds(heard, address):
    found, send = heard
    send(message("/limber/position/Hips", 1.0, 2.0, 3.0).dgram)
    send(message(f"/limber/{address}/Hips", 1e30, 2.0, 3.0).dgram)
    found.look()
    samples = found.poses.samples(["Hips"])
    seen = samples.values if address == "position" else samples.velocities
    assert np.isnan(seen[1, 0])


@pytest.mark.parametrize("time", [float("inf"), float("-inf")])
def test_a_clock_beyond_all_numbers_gives_no_time(heard, time):
    found, send = heard
    send(said(time))
    send(bone("Hips"))
    found.look()
    assert np.isnan(found.poses.samples(["Hips"]).times[0])


@pytest.mark.parametrize("name", ["x" * 60_000, "\u202e\x1b[2J\nHips", "\U0001f600" * 10_000])
def test_a_name_of_any_length_and_letters_is_quoted_in_a_sentence_that_can_be_shown(heard, name):
    found, send = heard
    send(bone(name))
    found.look()
    assert found.problem.startswith("bone '")
    assert found.problem.endswith("such as 'LeftUpperArm': map its names")
    assert len(found.problem) < 200
    assert found.problem.isprintable()


@pytest.fixture
def performed():
    """A figure with its arms down, which follows a performer, and a function that sends to it."""
    rig = figure(XSENS, "Body", size=1.5)
    retarget = rig.limber.retarget
    retarget.input = "VMC"
    assert retarget.port == humanoid.PORT
    retarget.port = free_port()
    bpy.ops.limber.listen()
    with sending_to(receiver.find(retarget.host, retarget.port)) as send:
        yield rig, send


TIME = count(1000)  # steps of the clock, without end


def settled(rig) -> None:
    for _ in range(40):
        live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), 0.05 * next(TIME))


def aims(rig, part: str, below: str, direction) -> float:
    """Angle [degrees] between a shown limb and a direction."""
    return degrees(way(rig, XSENS, part, below).angle(Vector(direction)))


def test_a_body_follows_a_performer_who_stands_in_a_t_pose_and_then_lowers_an_arm(performed):
    rig, send = performed
    send(frame({}))
    bpy.ops.limber.pair_bones()
    pairs = {pair.target: pair.source for pair in rig.limber.retarget.pairs}
    assert pairs["Pelvis"] == "Hips"
    assert pairs[called(XSENS, "left forearm")] == "LeftLowerArm"
    assert len(pairs) == 21
    bpy.ops.limber.live()
    settled(rig)
    assert aims(rig, "left upper_arm", "left forearm", (1, 0, 0)) < 0.5, (
        "it rests with its arms down and stands in a T pose"
    )
    assert aims(rig, "right forearm", "right hand", (-1, 0, 0)) < 0.5
    send(frame({"LeftUpperArm": ARM_DOWN["Left"]}))
    settled(rig)
    assert aims(rig, "left upper_arm", "left forearm", (cos(radians(80)), 0, -sin(radians(80)))) < 0.5
    assert aims(rig, "right upper_arm", "right forearm", (-1, 0, 0)) < 0.5


def test_a_performers_steps_are_those_of_the_body_in_its_size_and_it_stands_on_the_floor(performed):
    rig, send = performed
    send(frame({}))
    bpy.ops.limber.pair_bones()
    retarget = rig.limber.retarget
    assert retarget.scale == pytest.approx(1.5 * (1.0 - 0.1) / (0.05 + 0.38 + 0.38), rel=1e-4)
    bpy.ops.limber.live()
    settled(rig)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    feet = [shown.pose.bones[called(XSENS, f"{side} foot")] for side in ("left", "right")]
    assert [foot.head.z for foot in feet] == pytest.approx([0.15, 0.15], abs=2e-3)
    for pair in retarget.pairs:
        pair.plant = False
    before = shown.pose.bones["Pelvis"].head.copy()
    send(frame({}, root=((0.1, 0.0, 0.2), STILL)))
    settled(rig)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    step = shown.pose.bones["Pelvis"].head - before
    assert tuple(step) == pytest.approx((-0.1 * retarget.scale, -0.2 * retarget.scale, 0.0), abs=2e-3)


@pytest.mark.parametrize("hips", [(0.0, 0.0, 0.0), (0.0, 0.9, 0.0)])
def test_a_body_stands_on_the_floor_where_only_rotations_come(performed, hips):
    """Libraries and scripts that send positions of 0; some give the root the place of the hips."""
    rig, send = performed
    send(frame({}, dict.fromkeys(UNITY, (0.0, 0.0, 0.0)), root=(hips, STILL)))
    bpy.ops.limber.pair_bones()
    bpy.ops.limber.live()
    settled(rig)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    feet = [shown.pose.bones[called(XSENS, f"{side} foot")] for side in ("left", "right")]
    assert [foot.head.z for foot in feet] == pytest.approx([0.15, 0.15], abs=2e-3)


@pytest.mark.every_blender
def test_a_performer_is_understood_where_osc_is_chosen_and_listening_says_what_is_to_be_sent(performed):
    rig, send = performed
    with pytest.raises(
        RuntimeError,
        match=r"Nothing has come to port \d+ yet: send bones by the VMC protocol \(/VMC/Ext/Bone/Pos\)",
    ):
        bpy.ops.limber.pair_bones()
    rig.limber.retarget.input = "OSC"
    send(frame({}))
    bpy.ops.limber.pair_bones()
    assert pairing.stream_of(rig.limber.retarget).links[:2] == ["Hips", "Spine"]
