"""Faults of motion capture are told from quick motion, at the usual frame rates: pops, frozen and swapped
bones, feet in the floor, another up axis.
"""

import random
from collections.abc import Callable
from functools import cache
from math import pi, sin

import bpy
import numpy as np
import pytest
from limber.hardware.motion_files import FORMATS
from limber.rig.bodies import names
from limber.rig.output.clips import measures, pops
from limber.rig.output.clips.recorded import ClipCheck
from limber.rig.output.clips.scene import follow, import_clip
from limber.rig.output.clips.sides import sides_of
from limber.rig.output.clips.verdict import ClipVerdict, judge

from tests.blender.clips import JOINTS, Clip, walk
from tests.blender.figures import XSENS, figure

RATES = (24, 30, 60, 120)
PARENTS = {name: parent or None for name, (parent, _) in JOINTS.items()}  # parents first, as `Clip.poses`
SECONDS = 2.0


def added(clip: Clip, joint: str, axis: int, angle: Callable[[float], float]) -> Clip:
    """The clip with an angle [degrees], a function of the time [s], added to a joint."""
    for frame in range(len(clip.places)):
        clip.turn([frame], joint, axis, angle(frame / clip.rate))
    return clip


def eased(share: float) -> float:
    x = min(max(share, 0.0), 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)


def walking(rate: int) -> Clip:
    return walk(int(SECONDS * rate), rate, 0.5, 1.1, 40.0)


def waving(rate: int) -> Clip:
    clip = walk(int(SECONDS * rate), rate, 0.0, 1.2, 5.0)
    return added(clip, "RightElbow", 2, lambda time: 40.0 + 30.0 * sin(2 * pi * 2.5 * time))


def throwing(rate: int) -> Clip:
    """An arm is stretched within 0.2 s and comes back."""
    clip = walk(int(SECONDS * rate), rate, 0.3, 1.2, 15.0)
    for joint, angle in (("RightElbow", 70.0), ("RightShoulder", 45.0)):
        added(
            clip,
            joint,
            2,
            lambda time, angle=angle: angle * (eased((time - 0.7) / 0.2) - eased((time - 0.9) / 0.4)),
        )
    return clip


def clapping(rate: int) -> Clip:
    """Hands that meet: their motion is reversed from one frame to the next."""
    clip = walk(int(SECONDS * rate), rate, 0.0, 1.2, 5.0)
    for side, sign in (("Left", -1.0), ("Right", 1.0)):
        for joint, angle in (("Shoulder", 35.0), ("Elbow", 20.0)):
            added(
                clip,
                side + joint,
                2,
                lambda time, amount=sign * angle: amount * (1.0 - abs(sin(pi * 2.1 * (time + 0.13)))),
            )
    return clip


def dancing(rate: int) -> Clip:
    clip = walk(int(SECONDS * rate), rate, 0.2, 0.9, 20.0)
    for joint, axis, angle, beats in (
        ("LeftShoulder", 0, 35.0, 1.7),
        ("RightShoulder", 0, 30.0, 2.1),
        ("LeftElbow", 2, -35.0, 2.3),
        ("RightElbow", 2, 35.0, 1.9),
        ("Chest", 2, 12.0, 1.3),
        ("Head", 2, 25.0, 1.1),
    ):
        added(
            clip,
            joint,
            axis,
            lambda time, angle=angle, beats=beats: angle * sin(2 * pi * beats * time + angle),
        )
    return clip


MOTIONS = (walking, waving, throwing, clapping, dancing)


def trembling(clip: Clip, degrees: float, seed: int) -> Clip:
    """The clip with the noise of optical capture: each joint but those of the legs, in each frame."""
    draw = random.Random(seed)
    for joint in ("Hips", "Chest", "LeftShoulder", "LeftElbow", "RightShoulder", "RightElbow", "Head"):
        for axis in range(3):
            added(clip, joint, axis, lambda _: draw.gauss(0.0, degrees))
    return clip


@cache
def captured(motion: Callable[[int], Clip], rate: int) -> Clip:
    """A motion at a frame rate with the noise of capture, for several tests: they change copies of it."""
    return trembling(motion(rate), 0.1, rate)


def popping(clip: Clip) -> list[int]:
    """Frames, counted from 0, in which a bone or the hips pop."""
    rotations, positions = clip.poses()
    return np.flatnonzero(
        pops.rotation_pops(rotations, pops.POP).any(1) | pops.position_pops(positions[:, :1], 1.7).any(1)
    ).tolist()


def displaced(clip: Clip, frames, joint: str, angle: float) -> Clip:
    changed = clip.copy()
    changed.turn(frames, joint, 2, angle)
    return changed


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("motion", MOTIONS)
def test_quick_motion_and_the_noise_of_capture_are_no_pops(motion, rate, noise):
    assert popping(trembling(motion(rate), noise, rate)) == []


@pytest.mark.parametrize("angle", [15.0, -15.0, 45.0, -45.0, 180.0])
@pytest.mark.parametrize(
    ("motion", "rate"),
    [
        *((walking, rate) for rate in RATES),
        (waving, 60),
        (waving, 120),
        (throwing, 120),
        (clapping, 120),
        (dancing, 60),
        (dancing, 120),
    ],
)
def test_an_elbow_that_pops_for_a_frame_during_any_phase_of_a_motion_is_found(motion, rate, angle):
    clip = captured(motion, rate)
    for frame in range(3, len(clip.places) - 3, max(1, len(clip.places) // 8)):
        assert frame - 1 in popping(displaced(clip, [frame], "RightElbow", angle)), frame


@pytest.mark.parametrize("rate", [24, 30])
@pytest.mark.parametrize("motion", [waving, dancing])
def test_with_few_frames_for_a_quick_motion_a_pop_is_as_large_as_the_motion(motion, rate):
    clip = captured(motion, rate)
    for frame in range(3, len(clip.places) - 3, 2):
        assert frame - 1 in popping(displaced(clip, [frame], "RightElbow", 45.0)), frame


@pytest.mark.parametrize("stays", [2, 3, 5, 9, None])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("motion", [walking, waving, throwing, dancing])
def test_a_bone_that_is_displaced_for_some_frames_or_for_good_is_found(motion, rate, stays):
    clip = captured(motion, rate)
    count = len(clip.places)
    for frame in range(6, count - 12, max(1, count // 5)):
        frames = range(frame, frame + stays if stays else count)
        assert frame - 1 in popping(displaced(clip, frames, "LeftShoulder", 40.0)), frame


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("motion", MOTIONS)
def test_a_t_pose_in_the_first_or_the_last_frame_is_a_pop(motion, rate):
    clip = motion(rate)
    for frame in (0, len(clip.places) - 1):
        changed = clip.copy()
        changed.angles[frame] = {}
        assert popping(changed) == [max(0, frame - 1)]


@pytest.mark.parametrize("rate", RATES)
def test_a_bone_that_freezes_in_a_wave_and_then_jumps_is_a_pop_where_it_jumps(rate):
    clip = waving(rate)
    first, again = rate // 2, rate // 2 + round(0.2 * rate)  # half a wave
    for frame in range(first, again):
        clip.angles[frame]["RightElbow"] = clip.angles[first - 1]["RightElbow"]
    assert popping(clip) == [again - 1]


@pytest.mark.parametrize("rate", RATES)
def test_arms_whose_names_are_swapped_for_some_frames_pop(rate):
    clip = waving(rate)
    for frame in range(rate, rate + 5):
        angles = clip.angles[frame]
        for joint in ("Shoulder", "Elbow"):
            left, right = f"Left{joint}", f"Right{joint}"
            angles[left], angles[right] = angles[right], angles[left]
    assert {rate - 1, rate + 4} <= set(popping(clip))


def exchanging(clip: Clip) -> list[int]:
    """Frames, counted from 0, in which two limbs exchange their poses."""
    rotations, _ = clip.poses()
    rest = np.tile(np.eye(3), (len(PARENTS), 1, 1))
    sides = sides_of(names.parts(PARENTS), PARENTS, rotations, rest)
    assert len(sides.names) == 7
    return np.flatnonzero(pops.exchanges(sides.rotations, pops.POP).any(1)).tolist()


def exchanged(clip: Clip, frames, joints) -> Clip:
    """The clip with left and right joints exchanged in some frames."""
    changed = clip.copy()
    for frame in frames:
        angles = changed.angles[frame]
        for joint in joints:
            left, right = (angles.get(side + joint, (0.0, 0.0, 0.0)) for side in ("Left", "Right"))
            angles[f"Left{joint}"], angles[f"Right{joint}"] = right, left
    return changed


@pytest.mark.parametrize("stays", [1, 2, 3, 10])
@pytest.mark.parametrize("rate", RATES)
def test_legs_that_are_exchanged_while_they_walk_are_found_at_both_ends(rate, stays):
    clip = captured(walking, rate)
    hips = np.array([[angles[f"{side}Hip"][1] for side in ("Left", "Right")] for angles in clip.angles])
    apart = np.abs(np.diff(hips, axis=1))[:, 0]
    for frame in range(4, len(clip.places) - 14, max(1, len(clip.places) // 12)):
        seen = exchanging(exchanged(clip, range(frame, frame + stays), ("Hip", "Knee", "Ankle")))
        for edge in (frame, frame + stays):
            if apart[edge] > 20.0 < apart[edge - 1]:
                assert edge - 1 in seen, edge


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("motion", MOTIONS)
def test_no_limbs_are_exchanged_in_quick_motion(motion, rate, noise):
    assert exchanging(trembling(motion(rate), noise, rate)) == []


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("beats", [1.0, 2.3, 3.7])
def test_arms_and_legs_that_swing_in_turns_however_fast_are_not_exchanged(rate, beats):
    clip = walk(int(SECONDS * rate), rate, 0.0, 1.2, 5.0)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for joint in ("Shoulder", "Elbow", "Hip", "Knee"):
            added(clip, side + joint, 1, lambda time, sign=sign: sign * 40.0 * sin(2 * pi * beats * time))
    assert exchanging(clip) == []


def swinging(rate: int, beats: np.ndarray | float, angle: np.ndarray | float, phase: float) -> np.ndarray:
    """Rotations (t, n, 2, 3, 3) of n pairs of bones about X for 4 s: sinusoids of one frequency [Hz] and
    amplitude [degrees], each a number or (n,), the second bone's ahead of the first one's by a phase [rad].
    """
    times = np.arange(0, 4, 1 / rate)[:, None, None]
    beats, amplitudes = np.reshape(beats, (-1, 1)), np.radians(np.reshape(angle, (-1, 1)))
    angles = amplitudes * np.sin(2 * pi * beats * times + np.array([0.0, phase]))
    rotations = np.zeros((*angles.shape, 3, 3))
    rotations[..., 0, 0] = 1.0
    rotations[..., 1, 1] = rotations[..., 2, 2] = np.cos(angles)
    rotations[..., 2, 1] = np.sin(angles)
    rotations[..., 1, 2] = -rotations[..., 2, 1]
    return rotations


@pytest.mark.parametrize("phase", [0.0, 0.3, pi / 2, 0.75 * pi, pi])
@pytest.mark.parametrize("rate", [8, 12, 20, 24, 30])
def test_two_bones_that_swing_smoothly_do_not_exchange_their_poses(rate, phase):
    shares = np.arange(0.05, 0.4, 0.0125)  # of a swing, from frame to frame
    share, angle = map(np.ravel, np.meshgrid(shares, [20.0, 40.0, 50.0, 60.0]))
    rotations = swinging(rate, share * rate, angle, phase)
    bones = rotations.reshape(len(rotations), -1, 3, 3)
    pop = pops.rotation_pops(bones, pops.POP).any(0).reshape(-1, 2).any(1)
    wrong = pops.exchanges(rotations, pops.POP).any(0) & ~pop
    assert not wrong.any(), (share[wrong], angle[wrong])
    assert not pop.all()


@pytest.mark.parametrize("stays", [1, 2, 3, 10])
@pytest.mark.parametrize("rate", [12, 24, 30, 60])
def test_bones_that_exchange_their_poses_in_a_swing_are_found_at_both_ends(rate, stays):
    rotations = swinging(rate, 0.08 * rate, 40.0, pi)
    apart = np.abs(np.sin(2 * pi * 0.08 * np.arange(len(rotations)))) * 80.0
    frames = range(6, len(rotations) - stays - 6)
    changed = np.repeat(rotations, len(frames), axis=1)  # a pair for each frame in which it could begin
    for pair, frame in enumerate(frames):
        changed[frame : frame + stays, pair] = changed[frame : frame + stays, pair, ::-1]
    seen = pops.exchanges(changed, pops.POP)
    for pair, frame in enumerate(frames):
        edges = [frame - 1, frame + stays - 1]
        if all(min(apart[edge], apart[edge + 1]) > 40.0 for edge in edges):
            assert seen[edges, pair].all(), frame


def test_limbs_that_lie_alike_have_no_poses_to_exchange():
    rotations = swinging(12, 1.9, 40.0, np.radians(5.0))
    assert not pops.exchanges(rotations, pops.POP).any()


@pytest.mark.parametrize("stays", [1, 2, None])
@pytest.mark.parametrize("rate", RATES)
def test_a_figure_that_is_elsewhere_for_a_frame_or_for_good_pops(rate, stays):
    clip = walking(rate)
    for place in clip.places[rate : rate + stays if stays else None]:
        place[0] += 0.15
    assert popping(clip) == [rate - 1]


def test_a_clip_of_a_few_frames_has_no_frames_beside():
    assert popping(displaced(walk(5), [2], "LeftElbow", 60.0)) == []


# feet in the floor


def heights(clip: Clip) -> float:
    """Largest difference of a foot's heights at one place [leg lengths]."""
    rotations, positions = clip.poses()
    feet = [3, 7]  # the ankles
    return float(measures.two_heights(rotations, positions, feet, 0, 1.0 / clip.rate).max())


def lowering(time: float) -> float:
    """Share of a motion that has its way from 0.8 to 1.4 s, after 0.2 s, and goes back."""
    return eased((time - 0.6) / 0.2) - eased((time - 1.4) / 0.2)


def lowered(clip: Clip, depth: float) -> Clip:
    """The clip with the figure lowered [m], feet and all, in its middle."""
    for frame, place in enumerate(clip.places):
        place[1] -= depth * lowering(frame / clip.rate)
    return clip


def test_a_figure_whose_legs_have_no_length_has_no_fault_of_feet():
    """All OFFSETs of its file are zero, as of a prop with the names of a body."""
    poses = np.tile(np.eye(3), (9, 3, 1, 1)), np.zeros((9, 3, 3))
    for faults in (measures.slides, measures.two_heights):
        assert faults(*poses, [1, 2], 0, 1 / 30).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("stride", [0.0, 0.5])
@pytest.mark.parametrize("rate", RATES)
def test_feet_that_sink_into_the_floor_stand_at_two_heights(rate, stride):
    for depth in (0.12, 0.3, -0.2):
        clip = lowered(walk(int(SECONDS * rate), rate, stride), depth)
        assert heights(clip) > measures.TWO_HEIGHTS
        assert heights(clip) == pytest.approx(abs(depth) / 0.82, rel=0.1)  # thigh and shin


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("motion", MOTIONS)
def test_feet_that_walk_dance_or_stand_on_their_toes_stand_at_one_height(motion, rate):
    clip = motion(rate)
    assert heights(clip) < 0.02
    for side in ("Left", "Right"):
        added(clip, f"{side}Ankle", 1, lambda time: 45.0 * lowering(time))
    assert heights(lowered(clip, -0.1)) < measures.TWO_HEIGHTS


def test_a_foot_that_is_held_up_and_put_down_where_it_was_held_stands_at_one_height():
    clip = walk(60, 30, 0.0, 1000.0)
    for joint, share in (("Hip", -1.0), ("Knee", 2.0), ("Ankle", -1.0)):
        added(
            clip, f"Left{joint}", 1, lambda time, share=share: 40.0 * share * (1 - eased((time - 0.8) / 0.4))
        )
    _, positions = clip.poses()
    assert np.ptp(positions[:, 3, 2]) > 0.15
    assert heights(clip) < 0.02


# verdicts


def verdict(clip: Clip, folder) -> ClipVerdict:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = figure(XSENS, "Body")
    frames = follow(rig, import_clip(clip.write(folder / "clip.bvh")))
    check = ClipCheck(bpy.context.scene, rig, frames, FORMATS["lerobot"])
    while check.step():
        pass
    return judge(check.recorded())


@pytest.mark.parametrize("motion", MOTIONS)
def test_quick_motion_with_noise_is_good(motion, tmp_path):
    assert verdict(trembling(motion(30), 0.1, 1), tmp_path).findings == []


def test_an_elbow_that_pops_during_a_swing_is_named_with_its_frame(tmp_path):
    found = verdict(displaced(walking(30), [20], "RightElbow", 25.0), tmp_path).findings
    assert found[0].startswith("Frame 21: bone 'RightElbow' of the clip jumps by ")


def test_legs_that_are_exchanged_for_two_frames_are_named_whatever_axes_their_bones_have(tmp_path):
    found = verdict(exchanged(walking(30), [14, 15], ("Hip", "Knee", "Ankle")), tmp_path).findings
    assert "Frame 15: bones 'LeftHip' and 'RightHip' of the clip exchange their poses" in found
    assert "Frame 17: bones 'LeftHip' and 'RightHip' of the clip exchange their poses" in found


def test_a_t_pose_in_the_first_frame_is_named(tmp_path):
    clip = walking(30)
    clip.angles[0] = {}
    judged = verdict(clip, tmp_path)
    assert judged.findings[0].startswith("Frame 2: bone 'LeftHip' of the clip jumps by ")
    assert judged.pops == 1


def test_feet_in_the_floor_are_named_with_their_depth(tmp_path):
    judged = verdict(lowered(walk(60, 30, 0.0), 0.2), tmp_path)
    assert any("stands at one place at two heights, 0.2" in finding for finding in judged.findings)
    assert judged.standing_heights == pytest.approx(0.2 / 0.82, rel=0.1)


@pytest.mark.parametrize("angle", [90.0, -90.0, 180.0])
def test_a_figure_that_lies_from_start_to_end_has_another_up_axis(angle, tmp_path):
    clip = walk(30, 30, 0.0)
    for frame in range(30):
        clip.turn([frame], "Hips", 1, angle)
    judged = verdict(clip, tmp_path)
    assert judged.lying == 1.0
    assert judged.findings[0].endswith("from start to end: check the up axis of its file")


def test_a_figure_that_lies_down_or_bows_is_good(tmp_path):
    clip = walk(60, 30, 0.0, 1000.0)
    added(clip, "Chest", 1, lambda time: 75.0 * (eased((time - 0.3) / 0.5) - eased((time - 1.2) / 0.5)))
    judged = verdict(clip, tmp_path)
    assert 0.2 < judged.lying < 0.8
    assert judged.findings == []
