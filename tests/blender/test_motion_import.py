"""Tests motion files in a real Blender: an imported motion plays, is exported again without changes, and is
imported completely or not at all.
"""

import json
import math
import signal
import wave

import bpy
import numpy as np
import pytest
from limber.hardware.motion_files import FORMATS, Settings, read
from limber.rig.blender import actions
from limber.rig.blender.sound_strips import add
from limber.rig.live import live

from tests.blender import mechanisms as those
from tests.blender.baking import state
from tests.blender.imported import joint_values
from tests.blender.modal import step_by_step
from tests.blender.rigs import looking_chain, make_active, select, target
from tests.blender.shown import go_live
from tests.hardware.moves import motion, move, move_bytes
from tests.robots.robots import ARM, SHARED, write
from tests.robots.test_work import lines_run

REACHY = SHARED / "robots" / "reachy_mini"
NEAR = 1e-6  # [rad, m] tolerance
needs_reachy = pytest.mark.skipif(not REACHY.is_dir(), reason=f"no robot in {REACHY}")


def bring(path, **options) -> set[str]:
    return bpy.ops.limber.import_motion(filepath=str(path), **options)


def refusal(path, **options) -> str:
    with pytest.raises(RuntimeError) as refused:
        bring(path, **options)
    return str(refused.value)


def arm(tmp_path, with_chain: bool = True):
    """An arm with the joints shoulder, elbow, lift and turn, imported from a URDF; its chain has servos."""
    bpy.ops.limber.import_robot(filepath=str(write(tmp_path, ARM)), with_meshes=False)
    rig = bpy.context.active_object
    if with_chain:
        select(rig, "hand")
        assert bpy.ops.limber.new_chain() == {"FINISHED"}
    return rig


def table(tmp_path, name: str = "wave.csv", rows: int = 11, fps: float = 24.0):
    lines = ["seconds,shoulder [deg],elbow [deg]"]
    lines += [f"{k / fps},{20 * math.sin(k / 3)},{10 + k}" for k in range(rows)]
    path = tmp_path / name
    path.write_text("\n".join(lines))
    return path


def sound(path):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 8000)
    return path


def reachy():
    bpy.ops.limber.import_robot(filepath=str(REACHY / "robot.urdf"), with_meshes=False)
    bpy.context.scene.render.fps = 50
    return bpy.context.active_object


def test_a_table_becomes_keys_at_frames_with_the_urdf_s_signs_and_undo_takes_it_back(tmp_path, capfd):
    rig = arm(tmp_path)
    path = table(tmp_path)
    assert bring(path, frame_start=5) == {"FINISHED"}
    assert "'wave.csv': 0.4 s of 2 joints from frame 5" in capfd.readouterr().out
    for k in range(11):
        bpy.context.scene.frame_set(5 + k)
        shown = joint_values(rig)
        assert shown["shoulder"] == pytest.approx(math.radians(20 * math.sin(k / 3)), abs=NEAR)
        assert shown["elbow"] == pytest.approx(math.radians(10 + k), abs=NEAR)
    assert rig.animation_data.action.name == "wave"


def test_the_file_s_own_times_lie_between_frames_and_later_imports_keep_the_keys_of_earlier_ones(tmp_path):
    rig = arm(tmp_path)
    bring(table(tmp_path, fps=50.0), keys="ROWS", frame_start=1)
    from limber.rig.blender import actions

    curve = next(iter(actions.fcurves(rig.animation_data.action)))
    assert [point.co.x for point in curve.keyframe_points] == pytest.approx(
        [1 + k * 24 / 50 for k in range(11)]
    )
    first = rig.animation_data.action
    bring(table(tmp_path, "again.csv"), frame_start=40)
    assert rig.animation_data.action != first
    assert first.use_fake_user
    curve = next(iter(actions.fcurves(rig.animation_data.action)))
    assert len(curve.keyframe_points) == 22


@pytest.mark.every_blender
@pytest.mark.parametrize(("rate", "frames"), [(0.0, 2.0), (48.0, 1.5)])
def test_a_table_without_times_has_a_row_a_frame_or_the_rows_that_are_given(tmp_path, capfd, rate, frames):
    rig = arm(tmp_path)
    path = tmp_path / "wave.csv"
    path.write_text("shoulder_deg,elbow_deg\n0,10\n10,20\n")
    assert bring(path, keys="ROWS", frame_start=1, rate=rate) == {"FINISHED"}
    from limber.rig.blender import actions

    curve = next(iter(actions.fcurves(rig.animation_data.action)))
    assert [point.co.x for point in curve.keyframe_points] == pytest.approx([1.0, frames])
    assert f"has no column of times: its rows are taken as {rate or 24:g} a second" in capfd.readouterr().out


@pytest.mark.every_blender
def test_what_has_no_joint_is_named_and_nothing_of_a_file_for_another_robot_is_imported(tmp_path, capfd):
    rig = arm(tmp_path)
    path = tmp_path / "other.csv"
    path.write_text("t,shoulder [rad],antenna [rad]\n0,0.1,0\n1,0.2,9")
    bring(path)
    assert "'arm' has no joint for 'antenna': left out" in capfd.readouterr().out
    before = state(rig), len(bpy.data.actions)
    path.write_text("t,antenna,tail\n0,0.1,0\n1,0.2,9")
    said = refusal(path)
    assert (
        "Nothing was imported. 'other.csv' moves 'antenna', 'tail', and 'arm' has no joint of such a name or"
        " servo (it has 'shoulder'" in said
    )
    path.write_text("t,shoulder [m],elbow [rad]\n0,0.1,0\n1,0.2,1")
    assert "Joint 'shoulder' of 'arm' rotates, but 'shoulder' in the file has metres" in refusal(path)
    path.write_text("t,shoulder\n0,0.1\n0,nan")
    assert "'other.csv': row 2, column 'shoulder': expected a number, found 'nan'" in refusal(path)
    assert (state(rig), len(bpy.data.actions)) == before


def states(tmp_path, names: list[str]):
    """Two states of ROS 2, one second apart."""
    messages = [
        {"header": {"stamp": {"sec": k, "nanosec": 0}}, "name": names, "position": [k / 10, 0.2]}
        for k in (0, 1)
    ]
    path = tmp_path / "states.json"
    path.write_text(json.dumps(messages))
    return path


@pytest.mark.parametrize("mark", ["{}_joint", "joint_{}", "robot1/{}", "robot1/{}_joint"])
def test_a_namespace_and_the_word_joint_do_not_hide_a_joint_where_all_are_told(tmp_path, mark):
    rig = arm(tmp_path)
    bring(states(tmp_path, [mark.format(name) for name in ("shoulder", "elbow")]), frame_start=1)
    bpy.context.scene.frame_set(25)
    values = joint_values(rig)
    assert (values["shoulder"], values["elbow"]) == pytest.approx((0.1, 0.2), abs=1e-5)


@pytest.mark.parametrize("names", [["shoulder_joint", "wrist_1_joint"], ["left/shoulder", "right/shoulder"]])
def test_a_name_without_its_namespace_counts_only_where_that_tells_all_joints_of_the_file(tmp_path, names):
    arm(tmp_path)
    assert "has no joint of such a name" in refusal(states(tmp_path, names))


@pytest.mark.parametrize("path", [".", "/"])
def test_a_folder_that_has_no_name_is_told_as_any_other_that_has_no_motion(tmp_path, path):
    arm(tmp_path)
    assert "cannot be read" in refusal(path)


def test_a_joint_beyond_its_limits_is_told(tmp_path, capfd):
    arm(tmp_path)
    path = tmp_path / "far.csv"
    path.write_text("t,shoulder [deg]\n0,0\n1,170")
    bring(path)
    assert "Joint 'shoulder' goes from 0 to 170 degrees, and its limits are" in capfd.readouterr().out


@pytest.mark.every_blender
def test_cancelling_leaves_everything_as_it_was(tmp_path, monkeypatch):
    from limber.operators.output.import_motion import LIMBER_OT_import_motion

    rig = arm(tmp_path)
    before = state(rig), len(bpy.data.actions)
    asked = {
        "filepath": str(table(tmp_path)),
        "format": "auto",
        "frame_start": 1,
        "keys": "FRAMES",
        "with_sound": True,
    }
    asked |= {"episode": 0, "part": "action", "lerobot_values": "degrees", "allow_large": False}
    asked |= {"rate": 0.0, "angles": "RADIANS"}
    window = step_by_step(monkeypatch, LIMBER_OT_import_motion, **asked)
    window.start()
    assert window.send("TIMER") == {"RUNNING_MODAL"}
    assert window.send("ESC") == {"CANCELLED"}
    assert window.reports == [("WARNING", "The import is cancelled: nothing has changed")]
    assert (state(rig), len(bpy.data.actions)) == before


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system stops no process")
def test_a_file_that_takes_long_to_read_leaves_the_interface_alive_and_can_be_cancelled(
    tmp_path, monkeypatch
):
    from limber.operators.output.import_motion import LIMBER_OT_import_motion

    rig = arm(tmp_path)
    before = state(rig), len(bpy.data.actions)
    asked = {
        "filepath": str(table(tmp_path)),
        "format": "auto",
        "frame_start": 1,
        "keys": "FRAMES",
        "with_sound": True,
    }
    asked |= {"episode": 0, "part": "action", "lerobot_values": "degrees", "allow_large": False}
    asked |= {"rate": 0.0, "angles": "RADIANS"}
    window = step_by_step(monkeypatch, LIMBER_OT_import_motion, **asked)
    window.start()
    process = window.work.reading.process._process
    process.send_signal(signal.SIGSTOP)  # as if reading took long
    for _ in range(3):
        assert window.send("TIMER") == {"RUNNING_MODAL"}
        assert (window.work.done, window.work.at_work) == (0, "wave.csv")
    assert window.send("ESC") == {"CANCELLED"}
    assert process.wait() == -signal.SIGKILL
    assert (state(rig), len(bpy.data.actions)) == before


@needs_reachy
@pytest.mark.parametrize("has_action", [False, True])
def test_whenever_it_is_cancelled_nothing_is_left(tmp_path, monkeypatch, has_action):
    from limber.operators.output.import_motion import LIMBER_OT_import_motion
    from limber.rig.authoring import motion_import

    monkeypatch.setattr(motion_import, "SOME", 5)
    rig = reachy()
    if has_action:
        rig.keyframe_insert("location", frame=1)
        rig.animation_data.action.use_fake_user = False
    (tmp_path / "move.json").write_bytes(move_bytes())

    def everything():
        animation = rig.animation_data
        goals = [(goal.name, goal.target) for goal in rig.limber.mechanism.goals]
        return (
            state(rig),
            list(bpy.data.actions),
            list(bpy.data.objects),
            goals,
            animation and animation.action,
            not animation or has_action,
        )

    before, users = everything(), [action.use_fake_user for action in bpy.data.actions]
    asked = {
        "filepath": str(tmp_path / "move.json"),
        "format": "auto",
        "frame_start": 1,
        "keys": "FRAMES",
        "with_sound": True,
    }
    asked |= {"episode": 0, "part": "action", "lerobot_values": "degrees", "allow_large": False}
    asked |= {"rate": 0.0, "angles": "RADIANS"}
    seen = set()
    for length in range(1, 10_000, 7):
        window = step_by_step(monkeypatch, LIMBER_OT_import_motion, **asked)
        window.start()
        while window.work.at_work == "move.json" and window.send("TIMER") == {"RUNNING_MODAL"}:
            pass  # until the file is read
        steps = [window.send("TIMER") == {"RUNNING_MODAL"} for _ in range(length)]
        seen.add(window.work.at_work.partition(" ")[0])
        if not steps[-1]:
            break
        assert window.send("ESC") == {"CANCELLED"}
        assert everything() == before
        assert [action.use_fake_user for action in bpy.data.actions] == users
    assert {"yaw_body", "head", "keys"} <= seen
    assert everything() != before


@pytest.mark.every_blender
def test_what_would_be_much_is_told_and_asked_in_a_window_and_refused_to_a_script(tmp_path, monkeypatch):
    from limber.operators.output.import_motion import LIMBER_OT_import_motion

    rig = arm(tmp_path)
    bpy.context.scene.render.fps = 120
    long, many = tmp_path / "long.csv", tmp_path / "many.csv"
    long.write_text("seconds,shoulder\n0,0\n17000,0.1\n")
    many.write_text("seconds,shoulder,elbow\n0,0,0\n3590,0.1,0\n")
    before = state(rig), len(bpy.data.actions)
    for path, words in (
        (long, "'long.csv': it has 4.7 hours of motion in 2 rows: are its times in milliseconds?"),
        (many, "'many.csv' would give 861602 keyframes in 430801 frames (60 minutes)"),
    ):
        assert words in refusal(path)
        assert "Tick Large File" in refusal(path)
        asked = {
            "filepath": str(path),
            "format": "auto",
            "frame_start": 1,
            "keys": "FRAMES",
            "with_sound": True,
            "allow_large": False,
            "rate": 0.0,
            "angles": "RADIANS",
        }
        window = step_by_step(
            monkeypatch, LIMBER_OT_import_motion, **asked, episode=0, part="action", lerobot_values="degrees"
        )
        questions = []
        window._again = lambda found=questions, **more: found.append(more)
        window.start()
        while window.send("TIMER") == {"RUNNING_MODAL"}:
            pass
        assert [list(more) for more in questions] == [["question"]]
        assert words in questions[0]["question"]
        assert (state(rig), len(bpy.data.actions)) == before
    assert bring(many, allow_large=True) == {"FINISHED"}


def test_a_file_of_many_joints_takes_work_for_each_and_not_for_each_pair(tmp_path):
    from limber.rig.bones.file_joints import file_joints, match

    joints = file_joints(arm(tmp_path))

    def work(size: int) -> int:
        return lines_run(lambda: match([(f"k{k}", k) for k in range(size)], joints * 10))

    assert work(400) - work(200) < 8_000  # lines of Python for 200 names, for any number of joints


def test_no_step_that_writes_keys_runs_python_for_each_key():
    curves = actions.writable_fcurves(bpy.data.actions.new("Hour"), target())
    frames = list(range(20_000))
    steps = actions.baking_keys(curves, "location", 0, "Object Transforms", frames, frames)
    lines = []
    while steps.gi_frame is not None:  # until the last step is done
        lines.append(lines_run(lambda: next(steps, None)))
    assert max(lines) < 1_000
    assert len(curves[0].keyframe_points) == len(frames)


def test_the_end_of_an_import_looks_at_no_value_of_each_frame_and_mutes_what_is_in_the_way(tmp_path):
    from limber.rig.authoring.motion_import import MotionImport

    rig = arm(tmp_path)
    bone = rig.pose.bones[2]
    bone.constraints.new("COPY_ROTATION").name = "Copied"
    work = MotionImport(bpy.context.scene, rig, table(tmp_path), "auto", 1, True)
    while work.step():
        pass
    assert {len(values) for values in work.spans.values()} == {2}
    work.keys.clear()
    assert any("'Copied'" in warning for warning in work.finish().warnings)


@pytest.mark.every_blender
@pytest.mark.parametrize("fps", [50, 24])
@pytest.mark.parametrize("name", ["joints_csv", "ros2_yaml", "ros2_json"])
def test_a_round_trip_is_exact_whatever_the_scene_s_frame_rate(tmp_path, name, fps):
    arm(tmp_path)
    bpy.context.scene.render.fps = fps
    there, back = tmp_path / "there.json", tmp_path / f"back{FORMATS[name].suffix}"
    found = motion(("shoulder", "elbow"), rows=49)
    there.write_bytes(FORMATS["ros2_json"].make(found, Settings()))
    bring(there, frame_start=1, keys="FRAMES" if fps == 50 else "ROWS")
    end = 1 + round(48 / 50 * fps + 0.49)
    assert bpy.ops.limber.export_motion(
        filepath=str(back), format=name, rate=50, frame_start=1, frame_end=end
    ) == {"FINISHED"}
    columns = {column.name: np.array(column.values) for column in read(back).columns}
    for column in found.recording.columns:
        assert np.abs(columns[column.name][:49] - column.values).max() < NEAR


@pytest.mark.every_blender
@needs_reachy
def test_a_reachy_move_drives_the_head_s_target_antennas_and_body_and_goes_out_as_it_came(tmp_path, capfd):
    rig = reachy()
    path = tmp_path / "nod.json"
    path.write_bytes((REACHY / "move_example.json").read_bytes())
    sound(tmp_path / "nod.wav")
    assert bring(path, frame_start=1) == {"FINISHED"}
    said = capfd.readouterr().out
    has_sound = bpy.app.build_options.audaspace  # some Blenders are built without
    assert (
        "'nod.json': 2.0 s of 3 joints and the pose of 'head' from frame 1"
        + ", with sound 'nod.wav'" * has_sound
        in said
    )
    assert has_sound or "This Blender is built without sound, so the motion has none" in said
    kept, expected = rig.limber.mechanism, read(path)
    assert [motor.bone for motor in kept.motors if motor.keeps_value] == [
        "yaw_body",
        "right_antenna",
        "left_antenna",
    ]
    (tmp_path / "out").mkdir()
    back = tmp_path / "out" / "back.json"
    bpy.ops.limber.export_motion(
        filepath=str(back), format="reachy_mini", rate=50, frame_start=1, frame_end=101
    )
    assert (tmp_path / "out" / "back.wav").is_file() == has_sound
    found = read(back)
    assert found.times == pytest.approx(expected.times)
    assert (
        np.abs(np.array(found.poses["head"]) - expected.poses["head"]).max() < 3e-6
    )  # the file's six decimals are no exact rotation
    for one, other in zip(found.columns, expected.columns, strict=True):
        assert one.values == pytest.approx(other.values, abs=NEAR)


@needs_reachy
@pytest.mark.skipif(not bpy.app.build_options.audaspace, reason="this Blender is built without sound")
def test_a_move_takes_along_only_a_sound_and_replaces_no_file_but_its_own(tmp_path, capfd):
    reachy()
    scene = bpy.context.scene
    strip = add(scene, sound(tmp_path / "sound.wav"), 1)
    out = tmp_path / "out"
    out.mkdir()
    (out / "wave.blend").write_text("a project")
    (out / "wave.wav").write_text("a recording")

    def files_after(export_of: str) -> dict[str, str]:
        strip.sound.filepath = str(tmp_path / export_of)
        bpy.ops.limber.export_motion(
            filepath=str(out / "wave.json"), format="reachy_mini", rate=50, frame_start=1, frame_end=3
        )
        return {
            path.name: path.read_bytes().decode("latin-1")
            for path in out.iterdir()
            if path.name != "wave.json"
        }

    others = {"wave.blend": "a project", "wave.wav": "a recording"}
    for name in ("id_rsa", "token.json", "other.blend", "key.wav"):
        (tmp_path / name).write_text("a secret")
        assert files_after(name) == others
        assert f"{name}' is no sound" in capfd.readouterr().out
    assert files_after("sound.wav") == others
    assert "wave.wav' is there already and is not sound" in capfd.readouterr().out
    (out / "wave.wav").unlink()
    assert files_after("sound.wav").keys() == others.keys()
    said = capfd.readouterr().out
    assert "its sound in 'wave.wav'" in said
    assert "volume" not in said
    strip.volume = 0.5
    (out / "wave.wav").unlink()
    files_after("sound.wav")
    assert "which leaves out the strip's volume 0.5" in capfd.readouterr().out


@needs_reachy
def test_the_live_mechanism_follows_an_imported_move_in_every_frame(tmp_path):
    rig = reachy()
    bring(REACHY / "move_example.json", frame_start=1)
    expected = read(REACHY / "move_example.json")
    scene, motors = bpy.context.scene, [motor.bone for motor in rig.limber.mechanism.motors]
    scene.frame_set(1)
    bpy.ops.limber.live()
    for k in range(0, 101):
        scene.frame_set(1 + k)
        session = those.session(rig)
        head = session.solver.poses(session.state.desired)[session.reading.mechanism.body_index["head"]]
        assert session.problem == ""
        assert np.abs(head - np.array(expected.poses["head"][k]).reshape(4, 4)).max() < 5e-6
        for column in expected.columns:
            assert session.outputs.desired[motors.index(column.name)] == pytest.approx(
                column.values[k], abs=1e-5
            )


@needs_reachy
def test_a_move_that_leaves_the_workspace_gives_way_and_comes_back_where_it_should(tmp_path):
    rig = reachy()
    rows = move(101)["set_target_data"]
    for k, row in enumerate(rows):
        away = math.sin(math.pi * k / 100) ** 2
        row["head"] = [[1, 0, 0, 0.15 * away], [0, 1, 0, 0], [0, 0, 1, 0.08 * away], [0, 0, 0, 1]]
    path = tmp_path / "far.json"
    path.write_bytes(move_bytes(time=[k / 50 for k in range(101)], set_target_data=rows))
    bring(path, frame_start=1)
    scene = bpy.context.scene
    scene.frame_set(1)
    bpy.ops.limber.live()
    last, farthest, told = None, 0.0, 0
    for frame in range(1, 102):
        scene.frame_set(frame)
        session = those.session(rig)
        assert session.problem == ""
        assert session.outputs.is_closed
        told += "the targets" in session.remark.lower()
        values = np.array(session.outputs.values)
        farthest = max(farthest, 0.0 if last is None else np.abs(values - last).max())
        last = values
    assert told > 20
    assert farthest < 0.3  # [rad] per frame: the motors' own speed
    those.settle(rig)
    assert those.session(rig).outputs.report.goal_error < 1e-5


@pytest.mark.parametrize("moved", [False, True])
def test_a_chain_keeps_its_aim_in_all_frames_of_a_foreign_motion(tmp_path, moved):
    rig, chain = looking_chain(at=target((0.4, -0.7, 0.6)))
    path = tmp_path / "wave.csv"
    lines = ["time,base Y [rad],lower X,middle X [deg],upper X [deg]"]
    lines += [
        f"{k / 24},{0.4 * math.sin(k / 3)},{0.3 * math.sin(k / 2)},{10 + k},{-15 * math.cos(k / 4)}"
        for k in range(36)
    ]
    path.write_text("\n".join(lines))
    if moved:
        rig.rotation_euler.z, rig.location.x = 0.7, 0.2
    bring(path, frame_start=1)
    scene = bpy.context.scene
    scene.frame_set(1)
    go_live(rig, chain)
    values = []
    for frame in range(1, 37):
        scene.frame_set(frame)
        session = live.session(rig, chain)
        assert session.outputs.solution.converged, frame
        assert session.outputs.solution.aim_error < 1e-4, frame  # [rad]
        values.append(session.outputs.desired)
    assert np.ptp(np.array(values), axis=0).max() > 0.1  # the motion is still there


def test_a_linked_or_edited_robot_says_what_to_do(tmp_path):
    rig = arm(tmp_path)
    path = table(tmp_path)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Leave Edit Mode first" in refusal(path)
    bpy.ops.object.mode_set(mode="OBJECT")
    make_active(rig)
