"""Tests robots of the gallery in Blender: one click imports a robot that is ready to look, to be posed and to
be driven.
"""

import json
import shutil
from math import degrees

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.modal import step_by_step
from tests.hardware.moves import move
from tests.robots.robots import ARM
from tests.robots.test_gallery import MINE, ROBOTS

KINDS = ("objects", "armatures", "meshes", "materials", "actions", "collections", "texts")


def everything() -> dict[str, list[str]]:
    return {kind: sorted(thing.name for thing in getattr(bpy.data, kind)) for kind in KINDS}


def added(robot):
    assert bpy.ops.limber.add_robot(robot=str(robot)) == {"FINISHED"}
    return bpy.context.active_object


def gaze_of(rig):
    return rig.limber.chains[rig.limber.active_chain]


@pytest.fixture
def mine(tmp_path):
    folder = tmp_path / "my_arm"
    folder.mkdir()
    (folder / "arm.urdf").write_text(ARM)
    (folder / "robot.yaml").write_text(MINE)
    return folder


@pytest.mark.every_blender
@pytest.mark.parametrize("folder", ROBOTS, ids=lambda folder: folder.name)
def test_one_click_brings_a_robot_that_looks_at_its_target_in_every_posture(folder):
    from limber.hardware.servo_shortfalls import short_joints
    from limber.rig.chains import kept_posture
    from limber.rig.chains.check import check
    from limber.rig.live import live
    from limber.rig.robot.device import describe
    from limber.rig.robot.links import SLACK
    from limber.robots.gallery.description import read_description

    rig, robot = added(folder.name), read_description(folder)
    chain = gaze_of(rig)
    assert check(bpy.context, rig, chain) == []
    ranges = short_joints(describe(rig))
    short = [
        joint.name
        for joint, low, high in ranges
        if max(low - joint.limits.lower, joint.limits.upper - high) > SLACK * joint.scale
    ]
    assert short == [], "each servo can do what its joint may"
    assert [posture.name for posture in chain.postures] == list(robot.postures)
    bpy.ops.limber.live()
    for index, name in enumerate(robot.postures):
        kept_posture.choose(chain, index)
        for frame in range(1, 250, 40):
            bpy.context.scene.frame_set(frame)
            outputs = live.session(rig, chain).outputs
            assert degrees(outputs.solution.aim_error) < 0.05, f"{name}, frame {frame}"


@pytest.mark.parametrize("folder", ROBOTS, ids=lambda folder: folder.name)
def test_its_servos_go_where_its_model_goes(folder):
    from limber.rig.bones.imported_robot import pose_joints
    from limber.rig.robot.device import describe_plain, sources
    from limber.rig.robot.values import newest
    from limber.robots.gallery.description import read_description

    from tests.blender.imported import joint_values, shown_values

    rig, robot = added(folder.name), read_description(folder)
    device = describe_plain(rig)
    assert device.port == "virtual"
    assert (device.protocol, device.baudrate) == (robot.protocol, robot.baudrate)
    assert sorted(channel.servo for channel in device.channels) == sorted(
        servo.id for servo in robot.servos.values()
    )
    if rig.limber.mechanism.motors:
        return  # its motors have the model's own values
    for share in (-0.5, 0.5):
        pose_joints(
            rig,
            {
                name: share * min(0.2, abs(value) or 0.2)
                for name, value in joint_values(rig).items()
                if name in robot.servos
            },
        )
        bpy.context.view_layer.update()
        now = newest(rig, sources(rig), [0.0] * len(device.joints))
        values = dict(zip((joint.name for joint in device.joints), now, strict=True))
        for name, value in shown_values(rig, bpy.context.evaluated_depsgraph_get()).items():
            if name not in robot.servos:
                continue
            servo = robot.servos[name]
            channel = next(channel for channel in device.channels if channel.servo == servo.id)
            (own,) = channel.shares
            raw = channel.zero + channel.direction * channel.per_radian * own.gear * values[own.joint]
            expected = (
                2048.0 if servo.zero is None else servo.zero
            ) + servo.direction * servo.gear * 4096 / 6.283185307 * value
            assert raw == pytest.approx(expected, abs=0.1), name


def test_postures_that_another_robot_has_too_are_named_by_the_robot():
    for robot, suffix in (("so101", ""), ("so100", ", SO-100"), ("so101", ", SO-101.001")):
        names = [posture.name for posture in gaze_of(added(robot)).postures]
        assert names == [f"{name}{suffix}" for name in ("Attentive", "Low", "Tall")]


def test_while_its_own_program_walks_the_duck_s_head_is_driven_alone():
    from limber.rig.robot.device import describe_plain

    rig = added("open_duck_mini")
    for chain in rig.limber.chains:
        chain.sends_to_robot = chain == gaze_of(rig)
    assert sorted(channel.servo for channel in describe_plain(rig).channels) == [30, 31, 32, 33]


@pytest.mark.every_blender
@pytest.mark.parametrize("robot", ["so101", "reachy_mini"])
def test_undo_takes_the_whole_robot_away_in_one_step(robot, undo_step):
    before = everything()
    added(robot)
    undo_step("Add Robot")
    bpy.ops.ed.undo()
    assert everything() == before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("feetech_sts", "feetec", "device.protocol: there is no protocol 'feetec'"),
        ("model: STS3215}", "model: STS9999}", "servos.shoulder.model: there is no servo model 'STS9999'"),
        ("root: upper", "root: left", "gaze.root: link 'hand' is not below"),
        ("name: My Arm", "", "name: it is missing"),
    ],
)
def test_an_error_is_told_and_nothing_comes(mine, old, new, told):
    before = everything()
    (mine / "robot.yaml").write_text(MINE.replace(old, new, 1))
    with pytest.raises(RuntimeError, match=told):
        added(mine)
    assert everything() == before


@pytest.fixture
def user(tmp_path, monkeypatch):
    """The user's folder."""
    from limber.rig.authoring import gallery_folders

    def folder(name: str, create: bool = True):
        path = tmp_path / "user" / name
        if create:
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError:
                return None
        return path

    monkeypatch.setattr(gallery_folders, "user_folder", folder)
    return tmp_path / "user"


@pytest.fixture
def clone(tmp_path):
    """A clone of the repository of `mine`'s maker, whose hand is a mesh."""
    folder = tmp_path / "clone"
    (folder / "urdf").mkdir(parents=True)
    (folder / "urdf" / "hand.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (folder / "urdf" / "arm.urdf").write_text(
        ARM.replace('<sphere radius="0.04"/>', '<mesh filename="hand.obj"/>')
    )
    return folder


def inside(folder) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.every_blender
def test_a_robot_from_a_folder_is_in_the_gallery_and_comes_with_the_makers_meshes_once_they_are_chosen(
    mine, user, clone
):
    from limber.rig.authoring import gallery_folders

    bpy.ops.limber.add_robot_folder(directory=str(mine))
    assert mine in [entry.folder for entry in gallery_folders.listed()]
    bpy.ops.limber.install_robot_meshes(filepath=str(clone))
    assert inside(user) == ["gallery", "gallery/paths.json"], "nothing is copied"
    shape = next(thing for thing in added("my_arm").children if thing.name.startswith("hand"))
    assert len(shape.data.polygons) == 1


def test_a_robot_whose_folder_has_moved_is_in_the_gallery_once(mine, user, tmp_path):
    from limber.rig.authoring import gallery_folders

    bpy.ops.limber.add_robot_folder(directory=str(mine))
    moved = tmp_path / "elsewhere" / "my_arm"
    moved.parent.mkdir()
    mine.rename(moved)
    assert "My Arm" not in [entry.title for entry in gallery_folders.listed()]
    with pytest.raises(RuntimeError, match=f"was in {mine}: put it back there, or add it by Add Robot from"):
        added("my_arm")
    bpy.ops.limber.add_robot_folder(directory=str(moved))
    assert [entry.folder for entry in gallery_folders.listed() if entry.title == "My Arm"] == [moved]
    assert added("my_arm").name.startswith("My Arm")


def test_copies_that_an_earlier_version_has_made_stay_in_use(mine, user, clone):
    from limber.rig.authoring import gallery_folders

    copy = shutil.copytree(mine, user / "robots" / "my_arm")
    shutil.copytree(clone / "urdf", user / "robot_models" / "my_arm")
    (user / "robot_models" / "my_arm" / "arm.urdf").rename(user / "robot_models" / "my_arm" / "robot.urdf")
    assert copy in [entry.folder for entry in gallery_folders.listed()]
    shape = next(part for part in added("my_arm").children if part.name.startswith("hand"))
    assert len(shape.data.polygons) == 1


def test_a_robot_whose_makers_meshes_are_not_there_any_more_says_so_and_has_limbers(mine, user, clone, capfd):
    bpy.ops.limber.add_robot_folder(directory=str(mine))
    bpy.ops.limber.install_robot_meshes(filepath=str(clone))
    shutil.rmtree(clone)
    shape = next(part for part in added("my_arm").children if part.name.startswith("hand"))
    assert len(shape.data.polygons) > 1
    assert f"since {clone / 'urdf' / 'arm.urdf'} is not there: put it back" in capfd.readouterr().out


def test_another_robot_in_a_folder_of_the_same_name_does_not_replace_the_one_in_the_gallery(
    mine, user, tmp_path, capfd
):
    from limber.rig.authoring import gallery_folders

    bpy.ops.limber.add_robot_folder(directory=str(mine))
    other = shutil.copytree(mine, tmp_path / "elsewhere" / "my_arm")
    (other / "robot.yaml").write_text(MINE.replace("My Arm", "Other Arm"))
    bpy.ops.limber.add_robot_folder(directory=str(other))
    assert "Your gallery has 'My Arm' in a folder called 'my_arm': rename" in capfd.readouterr().out
    assert [entry.folder for entry in gallery_folders.listed() if entry.folder.name == "my_arm"] == [mine]


def test_a_robot_that_a_window_adds_from_a_folder_is_added_and_kept(mine, user, monkeypatch):
    from limber.operators.authoring.gallery import LIMBER_OT_add_robot_folder
    from limber.rig.authoring import gallery_folders

    window = step_by_step(monkeypatch, LIMBER_OT_add_robot_folder, directory=str(mine), keep=True)
    assert finish(window) == {"FINISHED"}
    assert [kind for kind, _ in window.reports] == ["INFO"]
    assert bpy.context.active_object.name == "My Arm"
    assert "My Arm" in [entry.title for entry in gallery_folders.listed()]


def test_a_search_for_meshes_says_what_it_does_and_when_cancelled_leaves_those_that_were_chosen(
    mine, user, clone, monkeypatch
):
    from limber.operators.authoring.gallery import LIMBER_OT_install_robot_meshes

    bpy.ops.limber.add_robot_folder(directory=str(mine))
    bpy.ops.limber.install_robot_meshes(filepath=str(clone))
    before = (user / "gallery" / "paths.json").read_text()
    other = shutil.copytree(clone, clone.with_name("other"))
    window = step_by_step(monkeypatch, LIMBER_OT_install_robot_meshes, filepath=str(other), path=other)
    window.start()
    says = []
    while "arm.urdf" not in window._says():
        assert window.send("TIMER") == {"RUNNING_MODAL"}
        says.append(window._says())
    assert list(dict.fromkeys(says)) == [
        f"Looking in {other}, URDF files so far: 0",
        f"Looking in {other / 'urdf'}, URDF files so far: 1",
        "Reading arm.urdf, URDF file 1 of 1",
    ]
    assert window.send("ESC") == {"CANCELLED"}
    assert window.reports == [("WARNING", "Cancelled: the meshes of the gallery's robots are as before")]
    assert (user / "gallery" / "paths.json").read_text() == before


@pytest.fixture
def reads_elsewhere(monkeypatch):
    """Makes reading of robots' files in Blender's own process fail."""
    from limber.robots import robot_files
    from limber.robots.gallery import full_model

    def refuse(*_, **__):
        raise AssertionError("read in Blender's own process")

    monkeypatch.setattr(robot_files, "read", refuse)
    monkeypatch.setattr(full_model, "read", refuse)


def finish(window):
    window.start()
    while (answer := window.send("TIMER")) == {"RUNNING_MODAL"}:
        pass
    return answer


def test_a_window_reads_no_robot_s_file_in_blender_s_own_process(
    mine, user, clone, monkeypatch, reads_elsewhere
):
    from limber.operators.authoring.gallery import LIMBER_OT_add_robot_folder, LIMBER_OT_install_robot_meshes

    assert finish(step_by_step(monkeypatch, LIMBER_OT_add_robot_folder, directory=str(mine), keep=True)) == {
        "FINISHED"
    }
    installs = step_by_step(monkeypatch, LIMBER_OT_install_robot_meshes, filepath=str(clone), path=clone)
    assert finish(installs) == {"FINISHED"}
    assert installs.reports == [
        ("INFO", f"My Arm: 1 mesh of {clone / 'urdf' / 'arm.urdf'}. Add the robot again to see them")
    ]


def test_a_robot_from_a_folder_is_built_in_steps_and_when_cancelled_amid_them_leaves_nothing(
    mine, user, monkeypatch
):
    from limber.operators.authoring.gallery import LIMBER_OT_add_robot_folder

    before = everything()
    window = step_by_step(monkeypatch, LIMBER_OT_add_robot_folder, directory=str(mine), keep=True)
    window.start()
    while window._says() != "Making joints":
        assert window.send("TIMER") == {"RUNNING_MODAL"}
    assert bpy.data.armatures
    assert window.send("ESC") == {"CANCELLED"}
    assert everything() == before
    assert not user.exists()


def test_a_robot_that_cannot_be_kept_in_the_gallery_is_added_all_the_same(mine, user, capfd):
    user.mkdir()
    (user / "gallery").write_text("no folder")
    assert bpy.ops.limber.add_robot_folder(directory=str(mine)) == {"FINISHED"}
    assert "not kept in the gallery. " in capfd.readouterr().out
    assert bpy.context.active_object.name == "My Arm"


def test_a_makers_model_may_have_another_encoding_than_utf_8(mine, user, clone):
    bpy.ops.limber.add_robot_folder(directory=str(mine))
    path = clone / "urdf" / "arm.urdf"
    path.write_bytes(
        f'<?xml version="1.0" encoding="latin-1"?>\n<!-- \xe9 -->\n{path.read_text()}'.encode("latin-1")
    )
    bpy.ops.limber.install_robot_meshes(filepath=str(clone))
    shape = next(part for part in added("my_arm").children if part.name.startswith("hand"))
    assert len(shape.data.polygons) == 1


def test_a_robot_says_who_made_it_and_what_is_not_proven():
    from limber.rig.authoring import gallery_robot

    rig = added(ROBOTS[0].name)
    told = " ".join(gallery_robot.about(rig))
    assert "Licence: " in told
    assert "Source: https://" in told
    assert bpy.ops.limber.about_robot() == {"FINISHED"}
    for changed in ("{", "[" * 100_000, 5, '{"name": 1, "maker": 2, "licence": 3, "source": 4}'):
        rig.data[gallery_robot.KEY] = changed
        with pytest.raises(RuntimeError, match="was changed: add the robot again"):
            bpy.ops.limber.about_robot()
    rig.data[gallery_robot.KEY] = '{"name": 1, "maker": 2, "licence": 3, "source": 4, "notes": [5]}'
    assert bpy.ops.limber.about_robot() == {"FINISHED"}


def test_in_another_mode_it_says_where_it_can_be_added(mine):
    added(mine)
    bpy.ops.object.mode_set(mode="POSE")
    with pytest.raises(RuntimeError, match="added in Object Mode"):
        added(mine)


def test_a_head_that_closed_loops_move_looks_in_every_posture_and_its_antennas_keep_their_values():
    from limber.rig.chains import kept_posture
    from limber.rig.live import live
    from limber.rig.live.movers import movers_of

    rig = added("reachy_mini")
    chain, mechanism = gaze_of(rig), list(movers_of(rig))[-1]
    next(motor for motor in rig.limber.mechanism.motors if motor.bone == "left_antenna").value = 0.3
    bpy.ops.limber.live_all()
    head = next(goal for goal in rig.limber.mechanism.goals if goal.target_bone == chain.end)
    for index in range(len(chain.postures)):
        kept_posture.choose(chain, index)
        for frame in range(1, 250, 40):  # a jump each time, so that the motion filters begin in the solution
            bpy.context.scene.frame_set(frame)
            bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
            control = rig.matrix_world @ bones[head.bone].matrix @ head.offset.inverted()
            eye = control @ Vector((0.0, rig.data.bones[chain.end].length, 0.0))
            looks, aim = control.to_3x3().col[1], chain.target.matrix_world.translation - eye
            assert degrees(looks.angle(aim)) < 0.5, f"posture {index}, frame {frame}"
            report = live.session(*mechanism).outputs.report
            assert report.assembled
            assert not report.at_limits
    values = dict(
        zip(
            [motor.name for motor in rig.limber.mechanism.motors],
            live.session(*mechanism).outputs.values,
            strict=True,
        )
    )
    assert values["left_antenna X"] == pytest.approx(0.3, abs=1e-3)
    assert values["right_antenna X"] == pytest.approx(0.0, abs=1e-3)


def test_a_move_of_reachy_mini_drives_the_head_s_control_and_plays_under_the_gaze(tmp_path):
    from limber.hardware.motion_files import read
    from limber.rig.live import live
    from limber.rig.live.movers import movers_of

    path = tmp_path / "nod.json"
    path.write_text(json.dumps(move(49)))
    expected = read(path)
    rig = added("reachy_mini")
    chain, mechanism = gaze_of(rig), list(movers_of(rig))[-1]
    bpy.context.scene.render.fps = 50
    assert bpy.ops.limber.import_motion(filepath=str(path), frame_start=1) == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    with bpy.context.temp_override(limber_mover=rig.limber.mechanism):
        bpy.ops.limber.live()
    for k in range(0, 49, 4):
        bpy.context.scene.frame_set(1 + k)
        session = live.session(*mechanism)
        head = session.solver.poses(session.state.desired)[session.reading.mechanism.body_index["head"]]
        assert np.abs(head - np.array(expected.poses["head"][k]).reshape(4, 4)).max() < 1e-4
    chain.base = "RIG"
    bpy.ops.limber.live_all()
    for k in range(0, 49, 4):
        bpy.context.scene.frame_set(1 + k)
        assert degrees(live.session(rig, chain).outputs.solution.aim_error) < 0.05
        assert live.session(*mechanism).problem == ""
