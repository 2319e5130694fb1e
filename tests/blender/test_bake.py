"""Bake: live's own motion as keys on a new action; what was there is kept, cancelling leaves nothing."""

import bpy
import numpy as np
import pytest

from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active, target

IN_KEYS = 1e-6  # [rad] keys are single precision


@pytest.fixture
def chain():
    chain = looking_chain()[1]
    keyed(chain.target, (1, 30))
    chain.frame_start, chain.frame_end = 5, 25
    return chain


@pytest.fixture
def rig(chain):
    return chain.id_data


def live_motion(rig, chains, frames) -> dict[int, list[float]]:
    """What the filter says while live plays these frames, chain after chain."""
    from limber.rig import live

    make_active(rig)
    for index, chain in enumerate(rig.limber.chains):
        if chain in chains:
            rig.limber.active_chain = index
            bpy.ops.limber.live()
    bpy.context.scene.frame_set(frames[0] + 100)  # comes from afar: the motion starts anew at the first frame
    motion = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        motion[frame] = [angle for chain in chains for angle in live.session(rig, chain).outputs.angles]
    return motion


def places(rig, chain):
    from limber.rig.skeleton import ChainReader

    return ChainReader(rig, chain).places


def played(rig, chains, frames) -> dict[int, list[float]]:
    """The channels that the keys play."""
    joints = [place for chain in chains for place in places(rig, chain)]
    motion = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        motion[frame] = [rig.pose.bones[bone].rotation_euler["XYZ".index(axis)] for bone, axis in joints]
    return motion


def apart(first, second) -> float:
    return max(np.abs(np.array(first[frame]) - np.array(second[frame])).max() for frame in first)


def curves(rig):
    from limber.rig import actions

    return actions.fcurves(*actions.playing(rig)[0])


def state(rig) -> tuple:
    """All that a cancelled bake must leave alone."""
    animation = rig.animation_data
    return (
        sorted((action.name, action.use_fake_user, action.users) for action in bpy.data.actions),
        animation.action.name if animation and animation.action else None,
        [(driver.data_path, driver.mute) for driver in animation.drivers] if animation else [],
        [chain.live for chain in rig.limber.chains],
        bpy.context.scene.frame_current_final,
        [tuple(bone.rotation_euler) for bone in rig.pose.bones],
    )


# the same motion as live


def test_keys_are_what_live_shows_for_the_same_frames(rig, chain):
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert apart(wanted, dict.fromkeys(frames, wanted[5])) > 0.05, "the chain moved"


def test_at_the_filters_output_baked_live_and_sent_angles_are_equal(rig, chain, monkeypatch):
    """What is handed to the robot's link is caught there: the link itself takes what it is given."""
    from limber.hardware.link import Link
    from limber.rig import live
    from limber.rig.bake import Bake

    sent = []
    send = Link.send
    monkeypatch.setattr(Link, "send", lambda link, angles: (sent.append(list(angles)), send(link, angles))[1])
    bpy.ops.limber.connect()
    shown = live_motion(rig, [chain], [4])
    bpy.context.scene.frame_set(120)
    for frame in range(5, 26):
        bpy.context.scene.frame_set(frame)
        shown[frame] = dict(zip(live.session(rig, chain).reader.places, live.session(rig, chain).outputs.angles.tolist(), strict=True))
        assert sent[-1] == [shown[frame][joint.bone, joint.axis] for joint in chain.joints]
    bake = Bake(bpy.context.scene, [(rig, chain)], 5, 25)
    while bake.step():
        pass
    baked = {(bone, axis): angles for _, _, bone, axis, angles in bake.channels(rig)}
    bake.cancel()
    for place, angles in baked.items():
        assert angles == pytest.approx([shown[frame][place] for frame in range(5, 26)], abs=1e-9)


def test_keys_are_the_same_whether_live_was_on_or_not(rig, chain):
    bpy.ops.limber.bake()
    first = played(rig, [chain], range(5, 26))
    rig.animation_data.action = None
    for bone in rig.pose.bones:
        bone.rotation_euler = (0, 0, 0)
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
    assert max(matrices_apart(one, matrices(rig, names, frame)) for one, frame in zip(wanted, range(5, 26), strict=True)) < 1e-5


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


# the action that was there


def test_without_an_action_a_new_one_holds_the_chains_channels_alone(rig):
    bpy.ops.limber.bake()
    action = rig.animation_data.action
    assert action.name == "Rig Baked"
    assert len(curves(rig)) == 6
    assert {len(curve.keyframe_points) for curve in curves(rig)} == {21}
    if hasattr(action, "slots"):
        assert rig.animation_data.action_slot is not None


def walk(rig, *frames):
    """Keys on a joint, on a bone off the chain and on the object."""
    for frame in frames or (1, 30):
        rig.pose.bones["middle"].rotation_euler.x = 0.02 * frame
        rig.pose.bones["middle"].keyframe_insert("rotation_euler", frame=frame, group="middle")
        rig.pose.bones["middle"].location.x = 0.001 * frame
        rig.pose.bones["middle"].keyframe_insert("location", frame=frame, group="middle")
        rig.location.y = 0.1 * frame
        rig.keyframe_insert("location", frame=frame)
    rig.animation_data.action.name = "Walk"
    return rig.animation_data.action


def test_the_action_that_was_there_is_kept_and_its_other_channels_go_along(rig):
    old = walk(rig)
    before = {(curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points] for curve in curves(rig)}
    bpy.ops.limber.bake()
    assert rig.animation_data.action.name == "Walk Baked"
    assert old.use_fake_user
    baked = {(curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points] for curve in curves(rig)}
    for place, keys in before.items():
        if "rotation" not in place[0]:
            assert baked[place] == keys
    rig.animation_data.action = old
    assert {(curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points] for curve in curves(rig)} == before


def test_keys_outside_of_the_range_stay(rig, chain):
    walk(rig, 1, 10, 20, 30)
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    curve = next(curve for curve in curves(rig) if "middle" in curve.data_path and "rotation" in curve.data_path and curve.array_index == 0)
    assert [point.co.x for point in curve.keyframe_points] == [1, *frames, 30]
    bpy.context.scene.frame_set(30)
    assert rig.pose.bones["middle"].rotation_euler.x == pytest.approx(0.6)


def test_curve_modifiers_and_mutes_do_not_change_what_was_baked(rig, chain):
    walk(rig)
    for curve in curves(rig):
        if "rotation" in curve.data_path:
            curve.modifiers.new("NOISE").strength = 3
            curve.mute = curve.array_index == 0
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS


def test_muted_curves_play_once_baked(rig, chain):
    walk(rig)
    for curve in curves(rig):
        curve.mute = True
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS


def test_curves_of_muted_groups_play_once_baked(rig, chain):
    walk(rig)
    rig.pose.bones["middle"].keyframe_insert("scale", frame=1, group="middle")
    for curve in curves(rig):
        if "middle" in curve.data_path:
            curve.group.mute = True
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert {curve.mute for curve in curves(rig) if curve.data_path.endswith("scale")} == {True}, "what was silent stays silent"


def test_a_second_bake_makes_a_second_action_and_keeps_the_first(rig):
    bpy.ops.limber.bake()
    bpy.ops.limber.bake()
    assert sorted(action.name for action in bpy.data.actions if action.name.startswith("Rig")) == ["Rig Baked", "Rig Baked.001"]
    assert bpy.data.actions["Rig Baked"].use_fake_user


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="slots came with Blender 4.4")
def test_an_action_that_moves_several_objects_goes_on_moving_them(rig, chain):
    other = target(name="Ball")
    keyed(other, (1, 30))
    action = other.animation_data.action
    rig.animation_data_create().action = action
    rig.animation_data.action_slot = action.slots.new("OBJECT", "Rig")
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert rig.animation_data.action_slot.identifier == "OBRig"
    assert other.animation_data.action == action
    assert len(curves(rig)) == 6, "the ball's channels are not the rig's"


# NLA and drivers


def test_nla_strips_below_play_on_under_the_keys(rig, chain):
    old = walk(rig)
    animation = rig.animation_data
    strip = animation.nla_tracks.new().strips.new("walk", 1, old)
    animation.action = None
    assert strip.action == old
    frames = range(5, 26)
    wanted = live_motion(rig, [chain], frames)
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], frames)) < IN_KEYS
    assert animation.nla_tracks[0].strips[0].action == old
    bpy.context.scene.frame_set(20)
    assert rig.pose.bones["middle"].location.x > 0.01, "what was not baked still plays from the strip"


def test_an_action_that_only_adds_is_refused_with_what_to_do(rig):
    old = walk(rig)
    animation = rig.animation_data
    animation.nla_tracks.new().strips.new("walk", 1, old)
    animation.action_blend_type = "ADD"
    with pytest.raises(RuntimeError, match="set its blending to Replace"):
        bpy.ops.limber.bake()
    animation.action = None
    bpy.ops.limber.bake()
    assert animation.action_blend_type == "REPLACE"


def test_a_solo_track_and_a_tweaked_strip_are_refused(rig):
    old = walk(rig)
    animation = rig.animation_data
    track = animation.nla_tracks.new()
    track.strips.new("walk", 1, old)
    animation.action = None
    track.is_solo = True
    with pytest.raises(RuntimeError, match="end its solo"):
        bpy.ops.limber.bake()
    track.is_solo = False
    for strip in track.strips:
        strip.select = True
    animation.nla_tracks.active = track
    animation.use_tweak_mode = True
    with pytest.raises(RuntimeError, match="leave tweak mode"):
        bpy.ops.limber.bake()


def test_drivers_of_baked_channels_are_muted_named_and_back_after_undo(undo_step, capfd):
    rig, chain = looking_chain()
    chain.frame_end = 10
    rig.pose.bones["upper"].driver_add("rotation_euler", 0).driver.expression = "0.02 * frame"
    rig.pose.bones["upper"].driver_add("location", 0).driver.expression = "0.0"
    undo_step("driver")
    wanted = live_motion(rig, [chain], range(1, 11))
    assert wanted[10] != wanted[1]
    bpy.ops.limber.bake()
    undo_step("Bake")
    said = capfd.readouterr().out
    assert "Drivers of upper X are muted" in said
    assert apart(wanted, played(rig, [chain], range(1, 11))) < IN_KEYS
    assert [driver.mute for driver in rig.animation_data.drivers] == [True, False]
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert [driver.mute for driver in rig.animation_data.drivers] == [False, False]
    assert rig.animation_data.action is None


# several chains


@pytest.fixture
def two(chain):
    """A neck and, on it, eyes that look at another target."""
    rig = build(UPRIGHT, name="Bird")
    _, neck = looking_chain(rig, "base", "middle", at=chain.target)
    _, eyes = looking_chain(rig, "upper", "head", at=keyed(target((-0.4, -0.5, 0.6), "Fly"), (1, 30), end=(0.4, -0.5, 0.6)))
    neck, eyes = rig.limber.chains
    for each in (neck, eyes):
        each.frame_start, each.frame_end = 5, 25
    return rig, neck, eyes


def test_chains_that_hang_on_each_other_are_baked_together(two):
    rig, neck, eyes = two
    frames = range(5, 26)
    wanted = live_motion(rig, [neck, eyes], frames)
    bpy.ops.limber.bake(all_chains=True)
    assert apart(wanted, played(rig, [neck, eyes], frames)) < IN_KEYS
    assert not neck.live
    assert not eyes.live
    assert rig.animation_data.action.name == "Bird Baked"


def test_a_chain_that_hangs_on_a_live_one_is_not_baked_alone(two):
    rig, neck, eyes = two
    live_motion(rig, [neck, eyes], [5])
    rig.limber.active_chain = 1
    with pytest.raises(RuntimeError, match=r"'head' hangs on chain 'middle'.*All Chains"):
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
    with pytest.raises(RuntimeError, match="'Lamp' hangs on 'Bird'"):
        bpy.ops.limber.bake()


def test_all_chains_leaves_out_chains_without_a_target(two):
    rig, neck, eyes = two
    eyes.target = None
    rig.limber.active_chain = 0
    bpy.ops.limber.bake(all_chains=True)
    assert len(curves(rig)) == len(neck.joints)


def test_other_chains_stay_live_and_go_on(two):
    from limber.rig import live

    rig, neck, eyes = two
    live_motion(rig, [neck, eyes], [5])
    rig.limber.active_chain = 0
    bpy.ops.limber.bake()
    bpy.context.scene.frame_set(15)
    bpy.context.scene.frame_set(16)
    assert live.session(rig, eyes).problem == ""
    assert live.session(rig, eyes).outputs.solution.aim_error < 0.002
