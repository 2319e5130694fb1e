"""Tests exporting a robot's motion: the file contains the motion shown live, motion beyond limits is refused,
and no incomplete file remains.
"""

import csv
import json
import os
from itertools import pairwise
from pathlib import Path
from threading import Event

import bpy
import numpy as np
import pytest

from tests.blender.baking import curves, live_motion, played, state
from tests.blender.modal import Window
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active
from tests.blender.robots import robot_rig

FRAMES = range(5, 26)


@pytest.fixture
def chain():
    """A chain of six joints with servos 0 to 5, whose target moves in frames 5 to 25 and then rests."""
    _, chain = robot_rig()
    for servo, joint in enumerate(chain.joints):
        joint.servo = servo
    keyed(chain.target, FRAMES, end=(-0.3, -0.5, 0.9))
    chain.solver = "erik_exact"  # fast, and its solution for a position does not depend on the earlier motion
    chain.frame_start, chain.frame_end = FRAMES[0], FRAMES[-1]
    return chain


@pytest.mark.every_blender
@pytest.mark.parametrize("path", ["/", "/home/someone/", "/home/someone/."])
def test_while_its_name_field_is_empty_the_file_browser_stays_in_its_folder(path):
    from limber.operators.output.export_motion import LIMBER_OT_export_motion

    window = Window(LIMBER_OT_export_motion, filepath=path, format="csv", rate_format="csv", rate=50)
    assert window.check(bpy.context) is False
    window.format = "json"
    assert window.check(bpy.context) is True
    assert window.filepath == path
    window.filepath = "/home/someone/wave.csv"
    assert window.check(bpy.context) is True
    assert window.filepath == str(Path("/home/someone/wave.json"))


@pytest.mark.every_blender
def test_a_name_without_a_suffix_gets_it_in_the_file_browser_which_then_asks_before_a_file_is_replaced():
    from limber.operators.robot.calibrate import LIMBER_OT_save_calibration

    window = Window(LIMBER_OT_save_calibration, filepath="/home/someone/arm")
    assert window.check(bpy.context) is True
    assert window.filepath == "/home/someone/arm.json"
    assert window.check(bpy.context) is False
    window.filepath = "/home/someone/"
    assert window.check(bpy.context) is False


def export(path, form: str = "json", **settings) -> set[str]:
    return bpy.ops.limber.export_motion(filepath=str(path), format=form, **settings)


def refusal(path, form: str = "json", **settings) -> str:
    with pytest.raises(RuntimeError) as refused:
        export(path, form, **settings)
    return str(refused.value)


def test_the_file_has_what_live_shows_frame_by_frame(rig, chain, tmp_path):
    live = live_motion(rig, [chain], FRAMES)
    path = tmp_path / "motion.json"
    assert export(path, rate=24) == {"FINISHED"}
    document = json.loads(path.read_text())
    assert [joint["name"] for joint in document["joints"]] == [
        f"{joint.bone} {joint.axis}" for joint in chain.joints
    ]
    # the first row is at rest, one frame earlier; the last frame is followed by settling
    values = np.array(document["values"])[1 : 1 + len(FRAMES)]
    assert values == pytest.approx(np.array(list(live.values())), abs=1e-9)


def without_goal(rig, first: int, last: int) -> None:
    """Keys that scale a rig to nothing in some frames, in which its chain can follow no goal."""
    for frame, size in ((1, 1), (first, 0), (last + 1, 1)):
        rig.scale = (size, size, size)
        rig.keyframe_insert("scale", frame=frame)
    for each in curves(rig):
        for point in each.keyframe_points:
            point.interpolation = "CONSTANT"


@pytest.mark.every_blender
def test_frames_without_a_goal_are_told(rig, chain, tmp_path, capfd):
    without_goal(rig, 10, 12)
    bpy.ops.limber.live()
    export(tmp_path / "motion.json", rate=24)
    assert (
        "In 3 frames (10, 11, 12) a goal could not be followed. The rig of chain 'head' is scaled to nothing"
        in capfd.readouterr().out
    )


def test_frames_without_a_goal_have_the_scene_s_numbers_where_a_row_is_read_every_second_frame(rig, chain):
    from limber.hardware.motion_files import FORMATS
    from limber.rig.live import live
    from limber.rig.live.stage import SceneStage
    from limber.rig.output.robot_frames import RobotFrames

    without_goal(rig, 10, 12)
    bpy.ops.limber.live()
    scene, movers, stage = bpy.context.scene, live.movers_of_scene(bpy.context.scene), SceneStage()
    rows = RobotFrames(scene, rig, 6, 16, FORMATS["json"], 2.0)
    for frame in range(6, 17, 2):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        stage.advance(movers, depsgraph, 2 / 24)
        rows.read(stage, movers, depsgraph, 2 / 24)
    assert list(rows.held) == [10, 12]


def test_after_the_last_frame_the_chain_comes_to_rest_where_it_was_going(rig, chain, tmp_path):
    bpy.ops.limber.live()
    path = tmp_path / "motion.json"
    export(path, rate=24)
    values = json.loads(path.read_text())["values"]
    assert len(values) > len(FRAMES) + 2
    assert values[-1] == pytest.approx(values[-2], abs=1e-3)
    bpy.context.scene.frame_set(FRAMES[-1])
    from limber.rig.live import live

    for _ in range(600):
        live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time=_tick())
    assert (
        np.abs(np.array(values[-1]) - live.session(rig, chain).outputs.angles).max() < 0.02
    )  # the same target in that frame


_now = [1000.0]


def _tick() -> float:
    _now[0] += 1 / 60
    return _now[0]


def test_a_player_that_limits_motion_itself_gets_the_frames_of_a_bake_that_ends_under_way_without_a_warning(
    rig, chain, tmp_path, capfd
):
    chain.frame_end = FRAMES[-1] - 8
    bpy.ops.limber.bake()
    capfd.readouterr()
    assert export(tmp_path / "baked.yaml", "ros2_yaml", rate=24) == {"FINISHED"}
    assert "Warning" not in capfd.readouterr().out
    assert (tmp_path / "baked.yaml").read_text().count("time_from_start") == chain.frame_end - FRAMES[0] + 1


def test_the_report_says_what_was_live_animated_and_posed(rig, chain, tmp_path, capfd):
    bpy.ops.limber.live()
    export(tmp_path / "live.json")
    bpy.ops.limber.bake()
    export(tmp_path / "baked.json")
    rig.animation_data_clear()
    export(tmp_path / "posed.json")
    said = capfd.readouterr().out
    assert "(Chain 'head' live, the rest as posed or animated) are in 'live.json'" in said
    assert "(as animated: nothing is live) are in 'baked.json'" in said
    assert "(as posed: nothing is live) are in 'posed.json'" in said


def test_baked_motion_that_ends_under_way_comes_to_rest_after_its_last_frame(rig, chain, tmp_path):
    chain.frame_end = FRAMES[-1] - 8
    bpy.ops.limber.bake()
    assert not chain.live
    assert export(tmp_path / "baked.json", rate=24) == {"FINISHED"}
    values = np.array(json.loads((tmp_path / "baked.json").read_text())["values"])
    keys = played(rig, [chain], range(FRAMES[0], chain.frame_end + 1))
    assert np.abs(np.array(keys[chain.frame_end]) - np.array(keys[chain.frame_end - 1])).max() > 0.02, (
        "the keys end in motion"
    )
    assert np.abs(values[1 : len(keys)] - np.array(list(keys.values()))[:-1]).max() < 1e-6, (
        "until there it is as it plays"
    )
    assert len(keys) + 2 < len(values) < len(keys) + 24, "and it brakes in less than a second"
    assert values[-1] == pytest.approx(values[-2], abs=1e-3)


def test_baked_motion_is_exported_as_it_plays_and_equals_the_live_one_s(rig, chain, tmp_path):
    bpy.ops.limber.live()
    export(tmp_path / "live.json", rate=24)
    chain.frame_end = FRAMES[-1] + 40  # until it rests
    bpy.ops.limber.bake()
    assert not chain.live
    export(tmp_path / "baked.json", rate=24)
    live, baked = (
        np.array(json.loads((tmp_path / name).read_text())["values"]) for name in ("live.json", "baked.json")
    )
    assert (
        np.abs(live[: len(FRAMES) - 1] - baked[: len(FRAMES) - 1]).max() < 1e-6
    )  # keyframes have single precision
    keys = played(rig, [chain], range(FRAMES[0], chain.frame_end + 1))
    assert np.abs(baked[1 : 1 + len(keys)] - np.array(list(keys.values()))).max() < 1e-6


def test_everything_is_left_as_it_was(rig, chain, tmp_path):
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(12)
    rig.pose.bones["middle"].rotation_euler.x = 0.123
    chain.target.location.x = 0.3  # this axis has a keyframe, and the frame has none
    before = state(rig), tuple(chain.target.location)
    export(tmp_path / "motion.csv", "csv")
    assert (state(rig), tuple(chain.target.location)) == before
    assert os.listdir(tmp_path) == ["motion.csv"]


def test_the_chain_s_range_is_exported_unless_another_is_asked_for(rig, chain, tmp_path):
    seconds = []
    for settings in ({}, {"frame_end": 15}):
        export(tmp_path / "motion.csv", "csv", rate=24, **settings)
        seconds.append(len(list(csv.reader((tmp_path / "motion.csv").read_text().splitlines()))))
    assert seconds == [1 + len(FRAMES) + 2, 1 + 11 + 2]  # a heading, and rest before and after


@pytest.mark.every_blender
def test_a_pose_that_leaps_is_refused_with_joint_and_frame_and_no_file_is_left(tmp_path):
    rig, chain = robot_rig()
    for servo, joint in enumerate(chain.joints):
        joint.servo = servo
    bone = rig.pose.bones["upper"]
    for frame, angle in ((1, 0.0), (9, 0.0), (10, 0.5), (20, 0.5)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    chain.frame_start, chain.frame_end = 1, 20
    said = refusal(tmp_path / "motion.h", "firmware")
    assert "Nothing was exported. Joint 'upper X', frame 10: velocity" in said
    assert "expected at most" in said
    assert os.listdir(tmp_path) == []
    assert bpy.context.scene.frame_current == 1


def test_a_file_that_was_there_stays_where_the_motion_is_refused(rig, chain, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text("mine")
    chain.joints[0].min_us, chain.joints[0].max_us = 1400, 1500
    chain.joints[0].zero_us = 1000
    assert "Joint" in refusal(path, "csv") or "Channel" in refusal(path, "csv")
    assert path.read_text() == "mine"


@pytest.mark.every_blender
@pytest.mark.parametrize(("start", "end", "words"), [(20, 10, "exchange the two")])
def test_an_empty_range_is_refused(rig, chain, tmp_path, start, end, words):
    assert words in refusal(tmp_path / "motion.csv", "csv", frame_start=start, frame_end=end)


@pytest.mark.every_blender
def test_without_a_servo_the_menu_says_what_is_missing(tmp_path):
    _, chain = looking_chain()
    for joint in chain.joints:
        joint.servo = -1
    assert not bpy.ops.limber.export_motion.poll()
    assert "give one its servo" in refusal(tmp_path / "motion.csv", "csv")


def test_a_folder_that_is_not_there_is_named(rig, chain, tmp_path):
    assert "cannot be written (No such file or directory)" in refusal(
        tmp_path / "nowhere" / "motion.csv", "csv"
    )


def test_the_header_is_for_the_board_that_was_chosen(rig, chain, tmp_path):
    bpy.ops.limber.live()
    path = tmp_path / "limber_motion.h"
    export(path, "firmware", board="nano", start_pin=15, loops=True)
    text = path.read_text()
    assert "Arduino Nano has room for" in text
    assert "over and over, when pin 15" in text
    assert "Pin 7 of Arduino Uno cannot have a button" in refusal(path, "firmware", start_pin=7)
    assert path.read_text() == text


@pytest.mark.every_blender
def test_every_format_has_a_file(rig, chain, tmp_path):
    from limber.hardware.motion_files import FORMATS

    bpy.ops.limber.live()
    for name, form in FORMATS.items():
        assert export(tmp_path / (name + form.suffix), name) == {"FINISHED"}
        for variant, file in form.variants.items():
            assert export(tmp_path / f"{variant}_of{file.suffix}", variant) == {"FINISHED"}
    assert len(os.listdir(tmp_path)) == len(FORMATS) + sum(len(form.variants) for form in FORMATS.values())
    assert min(file.stat().st_size for file in tmp_path.iterdir()) > 100


def test_the_menu_of_formats_sets_the_usual_variant_and_leaves_one_that_is_chosen():
    for operator in ("export_motion", "import_motion"):
        options = bpy.context.window_manager.operator_properties_last(f"limber.{operator}")
        options.format_menu = "ros2"
        assert options.format == "ros2_yaml"
        options.format = "ros2_json"
        options.format_menu = "ros2"
        assert options.format == "ros2_json"
        options.format_menu = "csv"
        assert (options.format, options.format_menu) == ("csv", "csv")
        options.format = "joints_csv"
        assert options.format_menu == "csv"
        options.format_menu = "json"
        assert options.format == "json"


def test_two_armatures_each_export_their_own(rig, chain, tmp_path):
    other, second = robot_rig(build(UPRIGHT, name="Other"))
    for servo, joint in enumerate(second.joints):
        joint.servo = servo
    second.frame_start, second.frame_end = 1, 4
    for thing in (rig, other):
        make_active(thing)
        export(tmp_path / f"{thing.name}.json", rate=24)
    titles = [json.loads((tmp_path / f"{thing.name}.json").read_text())["title"] for thing in (rig, other)]
    assert titles == [rig.name, other.name]


# --- under the mouse pointer
class _Asked:
    """Records the arguments with which an operator was called."""

    def __init__(self, **asked) -> None:
        self._asked = asked

    def is_property_set(self, name: str) -> bool:
        return name in self._asked


def begun(path, form: str = "csv", **settings) -> Window:
    from limber.operators.output.export_motion import LIMBER_OT_export_motion as operator

    asked = {
        "frame_start": 0,
        "frame_end": 0,
        "rate": 50,
        "loops": False,
        "board": "uno",
        "start_pin": -1,
        "lerobot_values": "degrees",
        **settings,
    }
    window = Window(operator, filepath=str(path), format=form, properties=_Asked(**settings), **asked)
    window._range = operator._range.__get__(window)
    window.start()
    return window


@pytest.mark.every_blender
def test_escape_cancels_and_leaves_no_file_and_everything_as_it_was(rig, chain, tmp_path):
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(12)
    before = state(rig)
    window = begun(tmp_path / "motion.csv")
    assert window.work.step()
    assert window.work.step()
    assert window._says() == "Reading frame 6 of 25"
    assert window.send("ESC") == {"CANCELLED"}
    assert window.reports == [("WARNING", "The export is cancelled: nothing was written")]
    assert os.listdir(tmp_path) == []
    assert state(rig) == before


def test_while_the_file_is_computed_blender_answers_and_escape_cancels(rig, chain, tmp_path, monkeypatch):
    from limber.rig.output.robot_frames import RobotFrames

    motion, goes_on = RobotFrames.motion, Event()

    def held_up(*given):
        assert goes_on.wait(60.0)
        return motion(*given)

    monkeypatch.setattr(RobotFrames, "motion", held_up)
    window = begun(tmp_path / "motion.csv")
    while window._says() != "Computing the file":
        assert window.send("TIMER") == {"RUNNING_MODAL"}
    assert window.send("TIMER") == {"RUNNING_MODAL"}
    assert window.send("ESC") == {"CANCELLED"}
    goes_on.set()
    assert os.listdir(tmp_path) == []


def test_the_timer_takes_it_to_its_end(rig, chain, tmp_path):
    bpy.ops.limber.live()
    window = begun(tmp_path / "motion.csv")
    for _ in range(10_000):
        if window.send("TIMER") != {"RUNNING_MODAL"}:
            break
    kind, sentence = window.reports[-1]
    assert kind == "INFO"
    assert "s of 6 servos (Chain 'head' live" in sentence
    assert os.listdir(tmp_path) == ["motion.csv"]


@pytest.mark.every_blender
def test_live_stands_still_meanwhile(rig, chain, tmp_path):
    from limber.rig.live import live

    bpy.ops.limber.live()
    before = live.session(rig, chain).outputs
    window = begun(tmp_path / "motion.csv")
    for _ in range(5):
        window.work.step()
        assert live.session(rig, chain).outputs is before
    window.send("ESC")


def test_the_export_menu_has_it_and_loses_it_when_the_extension_goes(chain):
    import limber
    from limber.operators.output.export_motion import MENU_ENTRIES

    ((menu, entry),) = MENU_ENTRIES.items()

    def drawn() -> list:
        return getattr(bpy.types, menu).draw._draw_funcs

    assert menu == "TOPBAR_MT_file_export"
    assert drawn().count(entry) == 1
    limber.unregister()
    assert entry not in drawn()
    limber.register()


def test_a_value_beside_the_joints_goes_along(rig, chain, tmp_path):
    auxiliary = rig.limber.device.auxiliaries.add()
    auxiliary.name, auxiliary.owner, auxiliary.path, auxiliary.servo = "Jaw", rig, '["jaw"]', 7
    auxiliary.low, auxiliary.high, auxiliary.at_low, auxiliary.at_high = 0.0, 1.0, 1000.0, 2000.0
    rig["jaw"] = 0.25
    export(tmp_path / "motion.json", rate=24)
    document = json.loads((tmp_path / "motion.json").read_text())
    assert document["joints"][-1]["name"] == "Jaw"
    assert {
        (row[-1], positions[-1])
        for row, positions in zip(document["values"], document["positions"], strict=True)
    } == {(0.25, 1250.0)}


@pytest.mark.every_blender
def test_a_value_with_a_filter_of_its_own_is_exported_as_that_makes_it_until_it_rests(rig, chain, tmp_path):
    auxiliary = rig.limber.device.auxiliaries.add()
    auxiliary.name, auxiliary.owner, auxiliary.path, auxiliary.servo = "Jaw", rig, '["jaw"]', 7
    auxiliary.low, auxiliary.high, auxiliary.filter = 0.0, 1.0, "default"
    rig["jaw"] = 0.0
    rig.keyframe_insert('["jaw"]', frame=chain.frame_start)
    rig["jaw"] = 1.0
    rig.keyframe_insert('["jaw"]', frame=chain.frame_end)
    for curve in curves(rig):
        if curve.data_path == '["jaw"]':
            curve.keyframe_points[0].interpolation = "CONSTANT"
    export(tmp_path / "motion.json", rate=24)
    jaw = [row[-1] for row in json.loads((tmp_path / "motion.json").read_text())["values"]]
    assert jaw[0] == 0.0
    assert jaw[-1] == pytest.approx(1.0, abs=1e-3)
    assert max(abs(b - a) * 24 for a, b in pairwise(jaw)) <= auxiliary.velocity * 1.001


def test_bus_servos_go_out_in_their_own_steps_also_while_the_virtual_robot_stands_in_for_them(
    rig, chain, tmp_path
):
    rig.limber.device.protocol = "feetech_sts"
    for joint in chain.joints:
        joint.zero_us, joint.us_per_radian, joint.min_us, joint.max_us = 2048.0, 651.9, 100.0, 4000.0
    export(tmp_path / "motion.json", rate=24)
    document = json.loads((tmp_path / "motion.json").read_text())
    assert document["protocol"] == "feetech_sts"
    for values, positions in zip(document["values"], document["positions"], strict=True):
        assert positions == pytest.approx([2048.0 + 651.9 * value for value in values], abs=1e-3)
    assert "servos that take pulses" in refusal(tmp_path / "motion.h", "firmware")


@pytest.mark.parametrize(
    ("form", "is_written"),
    [
        ("ros2_json", True),
        ("ros2_yaml", True),
        ("joints_csv", True),
        ("json", True),
        ("lerobot", True),
        ("csv", False),
        ("lelamp", False),
    ],
)
def test_a_servo_s_range_counts_only_for_files_with_its_positions(
    chain, tmp_path, capfd, form: str, is_written: bool
):
    for joint in chain.joints:
        joint.min_us, joint.max_us = 1510.0, 1600.0  # at rest they are at 1500
    suffix = {"lerobot": "", "ros2_yaml": ".yaml", "joints_csv": ".csv", "csv": ".csv", "lelamp": ".csv"}.get(
        form, ".json"
    )
    path = tmp_path / f"motion{suffix}"
    told = {"filepath": str(path), "format": form, "frame_start": FRAMES[0], "frame_end": FRAMES[-1]}
    if is_written:
        assert bpy.ops.limber.export_motion(**told) == {"FINISHED"}
        assert path.exists()
        assert "expected 1510 to 1600" in capfd.readouterr().out
        return
    with pytest.raises(RuntimeError, match="expected 1510 to 1600"):
        bpy.ops.limber.export_motion(**told)
    assert not path.exists()
