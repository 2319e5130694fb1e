"""Tests that a character without a robot has no motion filter: with Influence 0 it shows its animation in the
same frame; attention smooths jumps.
"""

from itertools import pairwise
from math import degrees, radians

import bpy
import numpy as np
import pytest
from limber.rig.live import live

from tests.blender.baking import apart as angles_apart
from tests.blender.baking import begin, live_motion, played
from tests.blender.filming import film, render_all
from tests.blender.rigs import apart, build, keyed, looking_chain, matrices, target
from tests.blender.shown import choose, go_live, missed, no_handler_raises, session, settle  # noqa: F401

BONES = {"hips": None, "chest": None, "neck": None, "head": None}
FRAMES = [1, 2, 3, 4, 5, 12, 13, 3, 20, 40, 41]  # steps, and scrubs in both directions
BETWEEN = [0.75, 1.25, 1.5, 5.75, 6.25, 30.5]
SAME = 2e-6  # [rad, m] tolerance of single precision


@pytest.fixture
def animated():
    """A character that nods, rotates by more than half a turn and walks, and its chain with a target."""
    rig, chain = looking_chain(build(BONES))
    chest, head, hips = (rig.pose.bones[name] for name in ("chest", "head", "hips"))
    for k, frame in enumerate(range(1, 49, 6)):
        head.rotation_euler, chest.rotation_euler = (0.6 * (k % 2), 0.1 * k, 0.0), (0.0, 0.9 * k, 0.2)
        hips.location = (0.0, 0.0, 0.05 * (k % 2))
        for bone in (head, chest):
            bone.keyframe_insert("rotation_euler", frame=frame)
        hips.keyframe_insert("location", frame=frame)
    keyed(rig, (1, 48), end=(1.0, 0.0, 0.0))
    return rig, chain


@pytest.mark.every_blender
def test_influence_0_is_the_animation_in_every_frame_and_between_frames(animated):
    rig, chain = animated
    frames = [*FRAMES, *BETWEEN]
    keys = [matrices(rig, BONES, frame) for frame in frames]
    choose(chain, influence=0.0)
    bpy.context.scene.frame_set(1)
    go_live(rig, chain, settled=False)
    assert apart(matrices(rig, BONES, 1), keys[0]) < SAME, "as soon as live starts"
    for frame, bones in zip(frames, keys, strict=True):
        assert apart(matrices(rig, BONES, frame), bones) < SAME, frame


def test_influence_0_needs_no_target(animated):
    rig, chain = animated
    keys = matrices(rig, BONES, 13)
    choose(chain, influence=0.0)
    bpy.context.scene.frame_set(1)
    go_live(rig, chain, settled=False)
    bpy.data.objects.remove(chain.target)
    assert apart(matrices(rig, BONES, 13), keys) < SAME
    assert not session(rig, chain).problem
    choose(chain, influence=0.5)
    bpy.context.scene.frame_set(14)
    assert "has no target" in session(rig, chain).problem


def test_before_the_first_frame_of_a_motion_a_sub_frame_is_where_it_is_keyed(animated):
    rig, chain = animated
    choose(chain, influence=0.0)
    keys = matrices(rig, BONES, 19.75)
    bpy.context.scene.frame_set(20)
    go_live(rig, chain, settled=False)
    assert apart(matrices(rig, BONES, 19.75), keys) < SAME


def test_a_pose_is_shown_at_once_also_while_nothing_plays(animated):
    rig, chain = animated
    rig.animation_data_clear()
    choose(chain, influence=0.0)
    go_live(rig, chain)
    rig.pose.bones["head"].rotation_euler = (0.4, -0.3, 2.0)
    bpy.context.view_layer.update()
    live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time=0.0)
    now = session(rig, chain)
    key = now.reader.joint_keys.index
    assert [now.outputs.angles[key(("head", axis))] for axis in "XYZ"] == pytest.approx(
        [0.4, -0.3, 2.0], abs=1e-6
    )


def test_influence_0_bakes_the_animation(animated):
    rig, chain = animated
    frames = range(1, 25)
    keys = played(rig, [chain], frames)
    choose(chain, influence=0.0)
    chain.frame_start, chain.frame_end = frames[0], frames[-1]
    work = begin(chain)
    while work.step():
        pass
    work.finish()
    assert angles_apart(keys, played(rig, [chain], frames)) < SAME


def test_influence_0_renders_the_animation_with_motion_blur(animated, tmp_path):
    rig, chain = animated
    data = bpy.data.meshes.new("block")
    corners = [(x, y, z) for x in (-0.03, 0.03) for y in (-0.1, 0) for z in (-0.03, 0.03)]
    data.from_pydata(corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1)])
    block = bpy.data.objects.new("block", data)
    bpy.context.scene.collection.objects.link(block)
    block.parent, block.parent_type, block.parent_bone = rig, "BONE", "head"
    film((2, 0, 0.25), (np.pi / 2, 0, np.pi / 2), range(1, 5))
    bpy.context.scene.render.use_motion_blur = True
    keys = render_all(tmp_path / "keys")
    choose(chain, influence=0.0)
    go_live(rig, chain, settled=False)
    assert keys.max() > 0.2, "something is to be seen"
    assert np.abs(np.diff(keys, axis=0)).max() > 0.1, "it moves"
    assert np.abs(render_all(tmp_path / "live") - keys).max() < 0.02


@pytest.mark.every_blender
def test_keyed_influence_is_that_share_of_the_way_in_the_same_frame(animated):
    rig, chain = animated
    for frame, value in ((1, 0.0), (10, 0.0), (30, 1.0), (40, 0.3)):
        chain.influence = value
        chain.keyframe_insert("influence", frame=frame)
    keys = played(rig, [chain], range(1, 49))
    go_live(rig, chain, settled=False)
    for frame in range(1, 49):
        bpy.context.scene.frame_set(frame)
        now = session(rig, chain)
        solved = now.outputs.solution.angles
        posture = np.array(
            [keys[frame][chain.joints.find(f"{bone} {axis}")] for bone, axis in now.reader.joint_keys]
        )
        assert now.outputs.angles == pytest.approx(
            posture + chain.influence * (solved - posture), abs=1e-6
        ), frame


def test_what_is_authored_beyond_a_joints_limits_is_shown_as_the_bones_own_constraints_leave_it(animated):
    rig, chain = animated
    rig.animation_data_clear()
    rig.pose.bones["neck"].rotation_euler = rig.pose.bones["head"].rotation_euler = (0.8, 0.0, 0.0)
    held = rig.pose.bones["neck"].constraints.new("LIMIT_ROTATION")
    held.owner_space, held.use_limit_x, held.min_x, held.max_x = "LOCAL", True, -0.5, 0.5
    for joint in chain.joints:
        joint.lower, joint.upper = -0.5, 0.5
    keys = matrices(rig, BONES, 1)
    held.mute = True
    without_constraint = matrices(rig, BONES, 1)
    held.mute = False
    choose(chain, influence=0.0)
    go_live(rig, chain)
    assert apart(matrices(rig, BONES, 1), keys) < SAME
    held.mute = True
    assert apart(matrices(rig, BONES, 1), without_constraint) < SAME, "what is authored has not changed"


@pytest.fixture
def postures(animated):
    """The chain keeps one of two stored postures of the neck; the other bones are animated. Frame 10 has a
    keyframe of the second posture.
    """
    rig, chain = animated
    chain.influence, chain.transition = 0.0, 0.5
    for name, angle in (("One", -0.5), ("Other", 0.5)):
        rig.pose.bones["neck"].rotation_euler = (angle, 0, 0)
        bpy.ops.limber.store_posture(name=name)
        action = bpy.data.actions[name]
        curves = _curves(action)
        for curve in [each for each in curves if '"neck"' not in each.data_path]:
            curves.remove(curve)
    chain.base = "POSTURE"
    for frame, number in ((1, 0), (10, 1)):
        chain.shown_posture = number
        chain.keyframe_insert("posture", frame=frame)
    return rig, chain


def _curves(action):
    from limber.rig.blender import actions

    return actions.fcurves(action)


def test_another_stored_posture_comes_gradually_and_what_is_keyed_beneath_has_no_lag(postures):
    rig, chain = postures
    frames = range(1, 31)
    keys = played(rig, [chain], frames)
    go_live(rig, chain, settled=False)
    order = [(joint.bone, joint.axis) for joint in chain.joints]
    neck = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        now = session(rig, chain)
        shown = dict(zip(now.reader.joint_keys, now.outputs.angles, strict=True))
        neck.append(shown["neck", "X"])
        for joint, angle in zip(order, keys[frame], strict=True):
            if joint[0] != "neck":
                assert shown[joint] == pytest.approx(angle, abs=1e-6), (frame, joint)
    assert neck[:10] == pytest.approx([-0.5] * 10)
    assert neck[9 + 6] == pytest.approx(0.0, abs=1e-3), "half of the transition"
    assert neck[9 + 12 :] == pytest.approx([0.5] * (len(neck) - 21))
    assert np.diff(neck).min() >= 0.0


def _jumping(chain, frame: int, place) -> None:
    """Makes the chain's target jump to a position at a frame."""
    at = chain.target
    at.keyframe_insert("location", frame=1)
    at.keyframe_insert("location", frame=frame - 1)
    at.location = place
    at.keyframe_insert("location", frame=frame)


def _look(rig, chain) -> np.ndarray:
    scene = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array((scene.matrix_world @ scene.pose.bones[chain.end].matrix).to_3x3().col[1])


@pytest.mark.every_blender
def test_a_gaze_whose_target_jumps_goes_there_in_the_time_of_change():
    rig, chain = looking_chain(build(BONES), at=target((0.0, -1.0, 1.5)))
    chain.change = 0.5
    _jumping(chain, 10, (1.2, -1.0, 0.9))
    go_live(rig, chain, settled=False)
    looks, errors = [], []
    for frame in range(1, 31):
        bpy.context.scene.frame_set(frame)
        looks.append(_look(rig, chain))
        errors.append(missed(rig, chain))
    steps = [degrees(np.arccos(min(1.0, one @ two))) for one, two in pairwise(looks)]
    whole = sum(steps)
    assert whole > 30
    assert steps[8] < 1.0, "in the frame of the jump it still looks to where the target was"
    assert max(steps) < 0.25 * whole
    assert errors[9 + 12] < 0.1, "12 frames are half a second"


def test_a_target_that_moves_is_followed_in_the_same_frame():
    rig, chain = looking_chain(build(BONES), at=target((0.0, -1.0, 1.5)))
    keyed(chain.target, (1, 12), end=(1.2, -1.0, 0.9))
    go_live(rig, chain, settled=False)
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        assert session(rig, chain).attention.seen is session(rig, chain).attention.target


def test_another_target_is_changed_to_although_there_is_no_list_of_targets():
    rig, chain = looking_chain(build(BONES), at=target((0.0, -1.0, 1.5)))
    go_live(rig, chain)
    before = _look(rig, chain)
    choose(chain, target=target((1.2, -1.0, 0.9), name="Other"))
    bpy.context.view_layer.update()
    live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time=0.0)
    assert _look(rig, chain) @ before > np.cos(radians(1.0))
    settle()
    assert missed(rig, chain) < 0.1


def test_with_a_filter_a_jump_is_left_to_the_filter():
    rig, chain = looking_chain(build(BONES), at=target((0.0, -1.0, 1.5)))
    chain.filter = "default"
    _jumping(chain, 10, (1.2, -1.0, 0.9))
    live_motion(rig, [chain], range(1, 12))
    assert session(rig, chain).attention is None
