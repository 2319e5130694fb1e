"""Tests that a bake writes live motion as keyframes, for one chain or for all that depend on each other."""

import bpy
import numpy as np
import pytest

from tests.blender.baking import (
    IN_KEYS,
    apart,
    begin,
    curves,
    drop_keys,
    live_motion,
    moving_chain,
    played,
    positions,
)
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active, target

pytestmark = pytest.mark.every_blender


@pytest.fixture
def chain():
    return moving_chain()


# The same motion as live.


def test_keys_are_what_live_shows_for_the_same_frames(rig, chain):
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert apart(wanted, dict.fromkeys(frames, wanted[5])) > 0.05, "the chain moved"


def test_at_the_filters_output_baked_live_and_sent_angles_are_equal(rig, chain, monkeypatch):
    """Values handed to the robot's link are recorded there; the link itself sends them unchanged."""
    from limber.hardware.link import WorkerLink
    from limber.rig.live import live

    sent = []
    send = WorkerLink.send
    monkeypatch.setattr(
        WorkerLink,
        "send",
        lambda link, angles, **timing: (sent.append(positions(angles)), send(link, angles, **timing))[1],
    )
    bpy.ops.limber.connect()
    shown = live_motion(rig, [chain], [4])
    bpy.context.scene.frame_set(120)
    for frame in range(5, 26):
        bpy.context.scene.frame_set(frame)
        shown[frame] = dict(
            zip(
                live.session(rig, chain).reader.joint_keys,
                live.session(rig, chain).outputs.angles.tolist(),
                strict=True,
            )
        )
        assert sent[-1] == [shown[frame][joint.bone, joint.axis] for joint in chain.joints]
    bake = begin(chain)
    while bake.step():
        pass
    baked = {
        place: [values[place] for values in bake.values[rig.session_uid, chain.uid]] for place in shown[5]
    }
    bake.cancel()
    for place, angles in baked.items():
        assert angles == pytest.approx([shown[frame][place] for frame in range(5, 26)], abs=1e-9)


def test_keys_are_the_same_whether_live_was_on_or_not(rig, chain):
    bpy.ops.limber.bake()
    first = played(rig, [chain], range(5, 26))
    drop_keys(rig)
    bpy.ops.limber.live()
    bpy.ops.limber.bake()
    assert apart(first, played(rig, [chain], range(5, 26))) == 0


def test_baked_frames_are_shown_as_live_showed_them(rig, chain):
    from tests.blender.rigs import apart as matrices_apart
    from tests.blender.rigs import matrices

    chain.filter, chain.sigma = "default", 0.0
    names = [bone.name for bone in rig.pose.bones]
    live_motion(rig, [chain], [4])
    bpy.context.scene.frame_set(120)
    wanted = [matrices(rig, names, frame) for frame in range(5, 26)]
    bpy.ops.limber.bake()
    assert (
        max(
            matrices_apart(one, matrices(rig, names, frame))
            for one, frame in zip(wanted, range(5, 26), strict=True)
        )
        < 1e-5
    )


@pytest.mark.parametrize("fps", [(24, 1.0), (30, 1.001), (60, 1.0)])
def test_the_filter_goes_by_the_scenes_frame_rate(rig, chain, fps):
    render = bpy.context.scene.render
    render.fps, render.fps_base = fps
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS


def test_live_ends_for_the_chain_that_was_baked(rig, chain):
    bpy.ops.limber.live()
    bpy.ops.limber.bake()
    assert not chain.live
    assert not any(bone.constraints for bone in rig.pose.bones)
    assert len(bpy.data.objects) == 2


def test_the_frame_stays_where_it_was(rig):
    for frame, subframe in ((17, 0.25), (-3, 0.5)):
        bpy.context.scene.frame_set(frame, subframe=subframe)
        bpy.ops.limber.bake()
        assert bpy.context.scene.frame_current_final == frame + subframe


def test_negative_frames_and_a_single_frame_can_be_baked(rig, chain):
    chain.frame_start = chain.frame_end = -7
    bpy.ops.limber.bake()
    assert {tuple(point.co.x for point in curve.keyframe_points) for curve in curves(rig)} == {(-7.0,)}


def test_a_stored_posture_is_baked_where_it_is_the_base(rig, chain):
    rig.pose.bones["middle"].rotation_euler.x = 0.9
    bpy.ops.limber.store_posture(name="Lean")
    rig.pose.bones["middle"].rotation_euler.x = 0
    chain.base = "POSTURE"
    wanted = live_motion(rig, [chain], range(5, 26))
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], range(5, 26))) < IN_KEYS


# Several chains.


@pytest.fixture
def two(chain):
    """A neck and, on it, eyes that look at another target."""
    rig = build(UPRIGHT, name="Bird")
    _, neck = looking_chain(rig, "base", "middle", at=chain.target)
    _, eyes = looking_chain(
        rig, "upper", "head", at=keyed(target((-0.4, -0.5, 0.6), "Fly"), (1, 30), end=(0.4, -0.5, 0.6))
    )
    neck, eyes = rig.limber.chains
    for each in (neck, eyes):
        each.frame_start, each.frame_end = 5, 25
    return rig, neck, eyes


def test_chains_that_hang_on_each_other_are_baked_together(two):
    rig, neck, eyes = two
    frames = range(5, 26)
    wanted = live_motion(rig, [neck, eyes], frames)
    bpy.ops.limber.bake(everything=True)
    assert apart(wanted, played(rig, [neck, eyes], frames)) < IN_KEYS
    assert not neck.live
    assert not eyes.live
    assert rig.animation_data.action.name == "Bird Baked"


def test_a_chain_that_hangs_on_a_live_one_is_not_baked_alone(two):
    rig, neck, eyes = two
    live_motion(rig, [neck, eyes], [5])
    rig.limber.active_chain = 1
    with pytest.raises(RuntimeError, match=r"'head' depends on chain 'middle'.*All Chains"):
        bpy.ops.limber.bake()
    rig.limber.active_chain = 0
    bpy.ops.limber.bake()
    assert [neck.live, eyes.live] == [False, True]


def test_an_armature_that_hangs_on_a_live_one_is_not_baked_alone(two):
    rig, neck, eyes = two
    other = build({"mast": "Z", "lamp": "X"}, name="Lamp")
    other.parent, other.parent_type, other.parent_bone = rig, "BONE", "head"
    looking_chain(other, "lamp", at=neck.target)
    live_motion(rig, [neck, eyes], [5])
    make_active(other)
    with pytest.raises(RuntimeError, match="'Lamp' depends on 'Bird'"):
        bpy.ops.limber.bake()


def test_all_chains_leaves_out_chains_without_a_target(two):
    rig, neck, eyes = two
    eyes.target = None
    rig.limber.active_chain = 0
    bpy.ops.limber.bake(everything=True)
    assert len(curves(rig)) == len(neck.joints)


def test_other_chains_stay_live_and_go_on(two):
    from limber.rig.live import live

    rig, neck, eyes = two
    live_motion(rig, [neck, eyes], [5])
    rig.limber.active_chain = 0
    bpy.ops.limber.bake()
    bpy.context.scene.frame_set(15)
    before = live.session(rig, eyes).outputs.solution
    assert before.aim_error < 0.002
    bpy.context.scene.frame_set(16)  # the target flies past faster than joints follow
    assert live.session(rig, eyes).problem == ""
    assert np.abs(live.session(rig, eyes).outputs.solution.angles - before.angles).max() > 0.01
    for frame in range(17, 46):
        bpy.context.scene.frame_set(frame)
    assert live.session(rig, eyes).outputs.solution.aim_error < 0.002


ODD = ('he"ad', "a]b", "c\\d", "Kopf ü", "e.001")


def test_bones_with_odd_names_go_the_whole_way():
    rig, chain = looking_chain(
        build(dict(zip(ODD, ("Y", "X", "X", "X", "XY"), strict=True))), at=keyed(target(), (1, 30))
    )
    assert [joint.bone for joint in chain.joints] == [*ODD, ODD[-1]]
    chain.frame_start, chain.frame_end = 5, 25
    rig.pose.bones["a]b"].rotation_euler.x = 0.4
    bpy.ops.limber.store_posture(name="Lean")
    rig.pose.bones["a]b"].rotation_euler.x = 0.0
    bpy.ops.limber.apply_posture()
    assert rig.pose.bones["a]b"].rotation_euler.x == pytest.approx(0.4)
    wanted = live_motion(rig, [chain], range(5, 26))
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], range(5, 26))) < IN_KEYS
