"""Tests that a character file played without Blender gives the motion that Blender computes."""

import zlib
from pathlib import Path

import bpy
import numpy as np
import pytest
from limber.character.file.bodies import ROOT, body_values
from limber.character.file.engine import engine_digest
from limber.files.png import png_size
from limber.files.sounds import sound_beside
from limber.player.check import check
from limber.player.performance import Performance
from limber.player.robots import FollowedValues, device_of
from limber.rig.blender import sound_strips
from limber.rig.blender.limber_version import limber_version
from limber.rig.output import character_sounds
from limber.rig.output.character_check import remarks_beforehand
from limber.rig.properties.robot import OWN_FILE
from limber.rig.robot import device

from tests.blender import at_hand
from tests.blender.baking import begin
from tests.blender.characters import character as whole_character
from tests.blender.figures import XSENS, called
from tests.blender.following import follower
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, select, target
from tests.blender.robots import robot_rig

END = 30


def exported(tmp_path: Path, **options):
    """The exported character file of the scene."""
    from limber.character.file import reading

    path = tmp_path / "Scene.limber"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, END
    assert bpy.ops.limber.export_character(filepath=str(path), **options) == {"FINISHED"}
    return reading.read(path)


def played(character) -> dict:
    """Output of the player for the file alone."""
    from limber.player.playing import play
    from limber.player.script import Script

    rate = 1.0 / character.rate.seconds_a_frame
    return play(character, Script((character.frames - 1) / rate, rate))


def baked(*chains) -> np.ndarray:
    """Values (frames, n) of the chains' joints after the filter, in a bake of the same frames."""
    chains[0].frame_start, chains[0].frame_end = 1, END
    work, rows = begin(*chains), []
    more = True
    while more:
        more = work.step()
        sessions = [work.stage.session(chain.id_data, chain) for chain in chains]
        rows.append(np.concatenate([session.outputs.angles for session in sessions]))
    work.cancel()
    return np.array(rows)


def lively():
    """A chain with keyframes of all properties: target, postures, weights, influence, attention, life."""
    rig, chain = looking_chain(at=keyed(target(), (1, END)))
    for name, angle in (("Up", 0.1), ("Down", -0.4)):
        rig.pose.bones["middle"].rotation_euler.x = angle
        bpy.ops.limber.store_posture(name=name)
    rig.pose.bones["middle"].rotation_euler.x = 0.3
    rig.pose.bones["middle"].keyframe_insert("rotation_euler", frame=1)
    rig.pose.bones["middle"].rotation_euler.x = -0.3
    rig.pose.bones["middle"].keyframe_insert("rotation_euler", frame=END)
    chain.life.amount, chain.lag, chain.dead_zone, chain.share = 1.0, 0.2, 0.02, 0.8
    chain.influence = 0.2
    chain.keyframe_insert("influence", frame=1)
    chain.influence = 1.0
    chain.keyframe_insert("influence", frame=END)
    return rig, chain


@pytest.mark.every_blender
@pytest.mark.parametrize("base", ["RIG", "POSTURE", "BLEND"])
def test_the_player_moves_as_blender_does_to_the_last_bit(base: str, tmp_path):
    _, chain = lively()
    chain.base = base
    chain.postures[0].weight = 0.3
    chain.postures[0].keyframe_insert("weight", frame=1)
    chain.postures[0].weight = 0.9
    chain.postures[0].keyframe_insert("weight", frame=END)
    chain.posture = "1"
    chain.keyframe_insert("posture", frame=1)
    chain.posture = "2"
    chain.keyframe_insert("posture", frame=END // 2)
    recording, expected = played(exported(tmp_path)), baked(chain)
    assert np.array_equal(recording["commanded"], expected)
    assert np.ptp(expected, axis=0).max() > 0.1, "it moved"


@pytest.mark.parametrize("filter_name", ["none", "nutty"])
def test_also_without_a_filter_and_with_the_papers(filter_name: str, tmp_path):
    _, chain = lively()
    chain.filter = filter_name
    assert np.array_equal(played(exported(tmp_path))["commanded"], baked(chain))


def test_a_change_of_target_is_the_same_in_both(tmp_path):
    _, chain = lively()
    other = chain.targets.add()
    other.target = target((0.4, 0.5, 0.2), "Other")
    chain.change = 0.5
    chain.keyframe_insert("watch", frame=1)
    chain.watch = 1
    chain.keyframe_insert("watch", frame=10)
    recording = played(exported(tmp_path))
    assert np.array_equal(recording["commanded"], baked(chain))
    assert recording["target_position"][-1, 0] == pytest.approx((0.4, 0.5, 0.2))


def test_joints_are_named_as_limber_shows_them(tmp_path):
    _, chain = lively()
    file = exported(tmp_path)
    assert file.joint_names == tuple(f"Rig/{joint.label}" for joint in chain.joints)
    assert [posture.name for posture in file.chains[0].postures] == ["Up", "Down"]


def test_the_self_test_proves_the_player(tmp_path):
    from limber.player.check import check

    lively()
    file = exported(tmp_path)
    verdict = check(file)
    assert (verdict.frames, verdict.largest, verdict.frame) == (END, 0.0, None)
    assert (file.engine, file.made_by.split(" for ")[0]) == (engine_digest(), f"Limber {limber_version()}")


def test_what_the_scene_shows_is_as_before(tmp_path):
    rig, _ = lively()
    bpy.context.scene.frame_set(7)
    rig.pose.bones["upper"].rotation_euler.x = 0.25  # without a keyframe
    exported(tmp_path)
    assert bpy.context.scene.frame_current == 7
    assert rig.pose.bones["upper"].rotation_euler.x == 0.25


def test_a_scene_without_a_chain_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(RuntimeError, match="no chain with a target: make a chain"):
        bpy.ops.limber.export_character(filepath=str(tmp_path / "a.limber"))


def test_two_rigs_are_one_character(tmp_path):
    chains = []
    for name in ("First", "Second"):
        rig = build(UPRIGHT, name)
        select(rig, "head")
        chains.append(looking_chain(rig, at=target((0.4, -0.5, 0.4), f"Target of {name}"))[1])
    file = exported(tmp_path)
    assert [chain.name for chain in file.chains] == [
        f"{name}/{chains[0].name}" for name in ("First", "Second")
    ]
    assert np.array_equal(played(file)["commanded"], baked(*chains))


def test_chains_that_hang_on_one_another_move_as_in_blender(tmp_path):
    rig = whole_character()
    guest = target((0.4, -2.0, 1.6), "Guest")
    bpy.ops.limber.eyes_head_torso()
    for chain in rig.limber.chains:
        chain.target = guest
    keyed(guest, (1, END), end=(-0.8, -1.5, 1.2))
    file = exported(tmp_path)
    chains = [rig.limber.chains[entry.name] for entry in file.chains]
    assert len(chains) == 4
    assert np.abs(played(file)["commanded"] - baked(*chains)).max() < 1e-9


def test_a_ready_behaviour_goes_along_and_runs(tmp_path):
    from limber.player.playing import play
    from limber.player.script import Event, Script

    lively()
    file = exported(tmp_path, behaviour="ATTENTIVE")
    events = (Event(0.2, event="arrive"), Event(2.0, event="leave"))
    states = list(dict.fromkeys(play(file, Script(6.0, 24.0, events=events))["state"].tolist()))
    assert states == ["Idle", "Noticing", "Attending", "Searching"]


def test_a_target_on_another_chains_bone_moves_with_it(tmp_path):
    rig, leader = lively()
    lamp = target((0.0, 0.0, 0.0), "Carried")
    lamp.parent, lamp.parent_type, lamp.parent_bone = rig, "BONE", "head"
    other = build(UPRIGHT, "Watcher")
    other.location = (0.8, 0.3, 0.0)
    select(other, "head")
    follower = looking_chain(other, at=lamp)[1]
    file = exported(tmp_path)
    assert {entry.name: entry.anchor.link for entry in file.targets}["Carried"] is not None
    assert np.array_equal(played(file)["commanded"], baked(leader, follower))


@pytest.mark.parametrize("robot", ["so101", "reachy_mini"])
def test_robots_of_the_gallery_move_as_in_blender(robot: str, tmp_path):
    from limber.rig.live.movers import movers_of

    bpy.ops.limber.add_robot(robot=robot)
    rig = bpy.context.active_object
    gaze = next(chain.target for chain in rig.limber.chains if chain.target)
    gaze.animation_data_clear()
    x, y, z = gaze.location
    keyed(gaze, (1, END), end=(x - 0.1, y + 0.05, z + 0.05))
    file = exported(tmp_path)
    recording = played(file)
    assert np.abs(recording["commanded"] - file_self_test(file)).max() < 1e-9
    movers = [mover for mover in movers_of(rig) if mover.joints() and mover.has_goal]
    assert len(file.joint_names) == sum(len(mover.joints()) for mover in movers)
    assert np.ptp(recording["commanded"], axis=0).max() > 0.02, "it moved"


def file_self_test(file) -> np.ndarray:
    """Values computed by Blender for the file's self-test."""
    return file.self_test.commanded


def test_a_chain_leads_a_mechanism_in_the_file_too(tmp_path):
    bpy.ops.limber.add_mechanism(kind="neck")
    owner = bpy.context.active_object
    aim = owner.limber.mechanism.goals[0].target
    rig, _ = looking_chain(at=keyed(target(), (1, END)))
    aim.parent, aim.parent_type, aim.parent_bone = rig, "BONE", "head"
    bpy.context.view_layer.update()
    file = exported(tmp_path)
    assert {entry.name: entry.anchor.link for entry in file.targets}[aim.name] is not None
    recording = played(file)
    motors = [name.startswith(f"{owner.name}/") for name in recording["joint_names"]]
    assert sum(motors) == len(owner.limber.mechanism.motors)
    assert np.ptp(recording["commanded"][:, motors], axis=0).max() > 0.01, "the motors moved"
    assert np.abs(recording["commanded"] - file_self_test(file)).max() < 1e-9


def test_a_mechanism_that_depends_on_itself_is_told_before_the_export(tmp_path):
    """A gaze follows what the mechanism carries, and the mechanism follows the gaze."""
    bpy.ops.limber.add_mechanism(kind="neck")
    owner = bpy.context.active_object
    goal = owner.limber.mechanism.goals[0]
    rig, chain = looking_chain(at=target())
    goal.target.parent, goal.target.parent_type, goal.target.parent_bone = rig, "BONE", "head"
    bpy.context.view_layer.update()
    assert remarks_beforehand(bpy.context.scene, "NONE") == []
    chain.target.parent = goal.body
    bpy.context.view_layer.update()
    (remark,) = remarks_beforehand(bpy.context.scene, "NONE")
    assert remark.startswith(f"Mechanism '{owner.name}' depends on itself through chain '{chain.name}'")


def walking(has_floor: bool):
    """A body that follows a walking figure, with or without feet on the floor."""
    rig, _ = follower()
    retarget = rig.limber.retarget
    retarget.on_floor = has_floor
    if has_floor:
        for pair in retarget.pairs:
            pair.plant = "Foot" in pair.target
    return rig, retarget


def baked_body(rig, retarget) -> np.ndarray:
    """Values (frames, n + 6) of the body's joints and root in a bake of the same frames."""
    retarget.frame_start, retarget.frame_end = 1, END
    work, rows, more = begin(retarget), [], True
    while more:
        more = work.step()
        rows.append(body_values(work.stage.session(rig, retarget).outputs.state))
    work.cancel()
    return np.array(rows)


@pytest.mark.every_blender
@pytest.mark.parametrize("has_floor", [True, False])
@pytest.mark.parametrize("filter_name", ["none", "default"])
def test_a_body_that_follows_a_clip_plays_as_in_a_bake(filter_name: str, has_floor: bool, tmp_path):
    rig, retarget = walking(has_floor)
    retarget.filter, retarget.gain, retarget.posture_gain = filter_name, 15.0, 1.0
    retarget.acceleration = 40.0
    file = exported(tmp_path)
    recording = played(file)
    assert recording["joint_names"].tolist()[-6:] == [f"{rig.name}/{name}" for name in ROOT]
    assert bool(file.bodies[0].feet) == has_floor
    assert np.array_equal(recording["commanded"], baked_body(rig, retarget))
    assert np.ptp(recording["commanded"], axis=0).max() > 0.5, "it moved"
    assert check(file).largest == 0.0


def test_a_chain_on_a_body_plays_as_in_a_bake_and_has_its_joints_alone(tmp_path):
    rig, retarget = walking(False)
    _, chain = looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((1.0, -2.0, 1.0)))
    at_hand.live(retarget)
    bpy.ops.limber.live()
    file = exported(tmp_path)
    recording = played(file)
    names = recording["joint_names"].tolist()
    assert len(set(names)) == len(names)
    retarget.frame_start, retarget.frame_end = 1, END
    work, rows, more = begin(retarget, chain), [], True
    while more:
        more = work.step()
        rows.append(work.stage.session(rig, chain).outputs.angles)
    work.cancel()
    assert np.array_equal(recording["commanded"][:, : len(chain.joints)], np.array(rows))
    assert check(file).largest == 0.0


def test_a_body_that_follows_a_stream_stays_in_blender_and_the_file_says_so(tmp_path):
    rig, retarget = walking(False)
    looking_chain()
    retarget.input = "OSC"
    file = exported(tmp_path)
    assert not file.bodies
    assert any(
        remark.startswith(f"Body of '{rig.name}' is not in the file: A live stream")
        for remark in file.remarks
    )


def test_a_robot_travels_with_its_servos_its_calibration_and_what_its_joints_follow(tmp_path):
    rig, chain = robot_rig()
    value = rig.limber.device.auxiliaries.add()
    value.name, value.owner, value.path, value.servo, value.filter = "Jaw", rig, '["jaw"]', 7, "default"
    rig["jaw"] = 0.25
    rig.keyframe_insert('["jaw"]', frame=1)
    rig["jaw"] = 0.75
    rig.keyframe_insert('["jaw"]', frame=END)
    file = exported(tmp_path)
    (entry,) = file.robots
    described = device.describe_plain(rig)
    assert device_of(entry, tmp_path / "Scene.limber", described.port) == device.describe(rig)
    assert [joint.joint for joint in entry.joints[:-1]] == list(file.joint_names[: len(chain.joints)])
    assert entry.joints[-1].value == "Jaw"
    performance, followed = Performance(file), FollowedValues(entry, file)
    dt = file.rate.seconds_a_frame
    for frame in range(END):
        performance.advance(float(frame), dt if frame else 0.0, {})
        sent = followed.at(performance, dt)
    angles = performance.outputs(file.chains[0]).angles
    assert [each.position for each in sent[:-1]] == angles.tolist()
    assert 0.5 < sent[-1].position < 0.75, "the filter is behind the value"
    assert sent[-1].velocity > 0.0


def two_with_a_jaw() -> list:
    """Two robots' armatures, each with its own value 'Jaw'."""
    rigs = []
    for number, name in enumerate(("First", "Second"), 1):
        rig, _ = robot_rig(build(UPRIGHT, name))
        value = rig.limber.device.auxiliaries.add()
        value.name, value.owner, value.path, value.servo = "Jaw", rig, '["jaw"]', 7
        rig["jaw"] = 0.25 * number
        rigs.append(rig)
    return rigs


def test_values_of_one_name_on_two_armatures_are_two_values(tmp_path):
    two_with_a_jaw()
    file = exported(tmp_path)
    performance = Performance(file)
    performance.advance(0.0, 0.0, {})
    assert {value.name: number for value, number in zip(file.values, performance.values(), strict=True)} == {
        "First/Jaw": 0.25,
        "Second/Jaw": 0.5,
    }
    performance.controls.set_value("Second/Jaw", 0.75)
    for robot, number in zip(file.robots, (0.25, 0.75), strict=True):
        assert FollowedValues(robot, file).at(performance, 0.1)[-1].position == number
    assert sum("since another object has one of that name" in remark for remark in file.remarks) == 2


def test_two_values_of_one_name_on_one_armature_are_refused_with_the_remedy(tmp_path):
    rig = two_with_a_jaw()[0]
    rig.limber.device.auxiliaries.add()
    rig.limber.device.auxiliaries[-1].name = "Jaw"
    with pytest.raises(RuntimeError, match="Two values of 'First' are called 'Jaw': rename one"):
        bpy.ops.limber.export_character(filepath=str(tmp_path / "a.limber"))


def test_a_robot_that_a_program_drives_stays_in_blender_and_the_file_says_so(tmp_path):
    without_its_program(tmp_path)
    file = exported(tmp_path)
    assert not file.robots
    assert any("no program travels in a file" in remark for remark in file.remarks)


def scene_with_sounds(folder: Path, *begins: int) -> list:
    """A lively scene with a sound strip of a second at each of these frames."""
    import wave

    with wave.open(str(folder / "voice.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\x00\x10" * 8000)
    lively()
    return [sound_strips.add(bpy.context.scene, folder / "voice.wav", frame) for frame in begins]


has_sound = pytest.mark.skipif(
    not bpy.app.build_options.audaspace, reason="this Blender is built without sound"
)


@has_sound
def test_the_scenes_sounds_travel_in_the_file_and_what_cannot_is_said(tmp_path):
    _, later, muted, cut, early, short, last = scene_with_sounds(tmp_path, 1, 13, 13, 10, -3, 20, END + 1)
    muted.mute = True
    cut.frame_offset_start = 4
    short.frame_offset_end = 10
    file = exported(tmp_path)
    rate = file.rate.seconds_a_frame
    begins = [0.0, (later.frame_final_start - 1) * rate, (short.frame_final_start - 1) * rate]
    assert [(sound.name, sound.begin) for sound in file.sounds] == [("voice.wav", each) for each in begins]
    assert file.sounds[0].data == (tmp_path / "voice.wav").read_bytes()
    about = [remark for remark in file.remarks if remark.startswith("Sound ")]
    assert sum("does not begin with its file's begin" in remark for remark in about) == 2
    assert f"Sound '{short.name}' is cut at its end: without Blender it plays to its file's end" in about
    assert len(about) == 3
    assert early.name != last.name
    assert sound_beside(tmp_path / "Scene.limber") is None


@has_sound
def test_sounds_in_meta_strips_travel_where_they_are_heard(tmp_path):
    scene_with_sounds(tmp_path)
    editor = bpy.context.scene.sequence_editor_create()
    outer = sound_strips.strips_of(editor).new_meta("Outer", 1, 1)
    inner = sound_strips.strips_of(outer).new_meta("Inner", 1, 1)
    whole, cut = (
        sound_strips.strips_of(inner).new_sound(name, str(tmp_path / "voice.wav"), channel, begin)
        for name, channel, begin in (("Whole", 1, 13), ("Cut", 2, 3))
    )
    for meta in (outer, inner):
        meta.frame_final_end = 30
    inner.frame_final_start = 5
    file = exported(tmp_path)
    (sound,) = file.sounds
    assert sound.begin == (whole.frame_final_start - 1) * file.rate.seconds_a_frame
    about = [remark for remark in file.remarks if remark.startswith("Sound ")]
    assert about[0].startswith(f"Sound '{cut.name}' is not in the file: it does not begin with its file's")
    assert about[1] == f"Sound '{whole.name}' is cut at its end: without Blender it plays to its file's end"
    assert len(about) == 2

    outer.mute = True
    assert not exported(tmp_path).sounds
    outer.mute = False
    outer.channels[inner.channel].mute = True
    assert not exported(tmp_path).sounds


@has_sound
def test_volume_and_pan_of_a_strip_stay_in_blender_and_the_file_says_so(tmp_path):
    quiet, faded, silent = scene_with_sounds(tmp_path, 1, 5, 9)
    quiet.volume, quiet.pan, silent.volume = 0.5, -1.0, 0.0
    for frame, volume in ((5, 0.0), (9, 1.0)):
        faded.volume = volume
        faded.keyframe_insert("volume", frame=frame)
    file = exported(tmp_path)
    assert len(file.sounds) == 2, "the silent one is left out"
    for name, words in ((quiet.name, "volume 0.5 and pan -1"), (faded.name, "animated volume")):
        assert (
            f"Sound '{name}' plays as in its file without Blender, which leaves out the strip's {words}:"
            " change the sound file itself"
        ) in file.remarks
    assert not any(silent.name in remark for remark in file.remarks)


@has_sound
def test_a_sound_that_is_too_large_for_the_file_travels_beside_it(tmp_path, monkeypatch):
    scene_with_sounds(tmp_path, 1)
    monkeypatch.setattr(character_sounds, "MOST_SOUND_BYTES", 1000)
    file = exported(tmp_path)
    assert not file.sounds
    assert any("MB together" in remark for remark in file.remarks)
    beside = sound_beside(tmp_path / "Scene.limber")
    assert beside.name == "Scene.wav"
    assert beside.read_bytes() == (tmp_path / "voice.wav").read_bytes()


def pixels_of(data: bytes) -> np.ndarray:
    """Alpha (height, width) of a PNG that Limber made."""
    width, height = png_size(data)
    body = data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8]
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + 4 * width)
    return rows[:, 1:].reshape(height, width, 4)[..., 3]


def test_the_picture_shows_the_character_in_its_first_frame(tmp_path):
    lively()
    first = exported(tmp_path).thumbnail
    alpha = pixels_of(first)
    assert alpha.shape == (256, 256)
    assert 0.01 < (alpha > 0).mean() < 0.9
    rows = np.flatnonzero((alpha > 0).any(axis=1))
    assert rows[0] > 3, "a margin is above it"
    assert rows[-1] < 252
    assert exported(tmp_path).thumbnail == first, "the same scene gives the same picture"
    bpy.context.scene.objects["Target"].animation_data_clear()
    bpy.context.scene.objects["Target"].location = (-0.6, 0.5, 0.2)
    assert exported(tmp_path).thumbnail != first, "it looks elsewhere"


def test_a_mechanism_without_bones_has_a_picture_too(tmp_path):
    bpy.ops.limber.add_mechanism(kind="neck")
    assert 0.01 < (pixels_of(exported(tmp_path).thumbnail) > 0).mean() < 0.9


def without_its_program(folder: Path):
    """A robot that a program of the user's drives, which a character file cannot contain."""
    rig, _ = robot_rig()
    rig.limber.device.protocol = OWN_FILE
    rig.limber.device.protocol_file = str(folder / "mine.py")
    return rig


def test_what_cannot_travel_is_said_before_the_export_and_nothing_changes(tmp_path):
    without_its_program(tmp_path)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, END
    scene.frame_set(5)
    beforehand = remarks_beforehand(scene, "SCENE")
    assert any("no program travels in a file" in remark for remark in beforehand)
    assert scene.frame_current == 5
    assert beforehand == list(exported(tmp_path).remarks)


def test_check_names_also_what_later_frames_have(capfd):
    rig, _ = lively()
    bone = rig.pose.bones["middle"]
    bone.keyframe_insert("scale", frame=1)
    bone.scale = (1.2, 1.2, 1.2)
    bone.keyframe_insert("scale", frame=END // 2)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, END
    assert remarks_beforehand(scene, "SCENE") == []
    assert bpy.ops.limber.check_character() == {"FINISHED"}
    assert "locked axes or scales are animated" in capfd.readouterr().out


def test_a_scene_with_nothing_to_export_says_so_beforehand():
    (sentence,) = remarks_beforehand(bpy.context.scene, "SCENE")
    assert sentence.startswith("Nothing can be exported: The scene has no chain with a target")


def test_the_proposed_name_is_the_armatures_where_the_scene_was_not_saved():
    from limber.operators.output.export_character import LIMBER_OT_export_character as export

    assert export._usual_path(None, bpy.context) == Path("Scene.limber")
    rig, _ = looking_chain()
    rig.name = "Desk Lamp"
    bpy.context.view_layer.objects.active = target()
    assert export._usual_path(None, bpy.context) == Path("Desk_Lamp.limber")
