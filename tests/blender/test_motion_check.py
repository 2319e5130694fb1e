"""Tests that Motion Check lists motion that a robot could not follow, and leaves the scene unchanged."""

from xml.etree import ElementTree

import bpy
import numpy as np
import pytest

from tests.blender.modal import step_by_step
from tests.blender.rigs import keyed, looking_chain

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def chain():
    """The chain of a head with slow joints whose target flies past in half a second."""
    _, chain = looking_chain()
    keyed(chain.target, (10, 22), end=(-0.6, 0.5, 0.3))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 40
    for joint in chain.joints:
        joint.velocity = 1.0
    return chain


def checked(rig):
    from limber.rig.output.motion_check.check import result

    bpy.ops.limber.check_motion()
    return result(rig)


def kinds(found) -> set[str]:
    return {finding.kind for finding in found.findings}


def test_a_target_that_flies_past_is_lost_and_the_joint_that_is_too_slow_is_named(rig, chain):
    found = checked(rig)
    assert {"LOST", "VELOCITY", "FILTER"} <= kinds(found)
    fast = next(finding for finding in found.findings if finding.kind == "VELOCITY")
    assert fast.joint in fast.sentence
    assert 10 <= fast.first <= fast.worst <= fast.last <= 27
    assert fast.value > fast.bound == pytest.approx(np.degrees(1.0), rel=1e-6)
    lost = next(finding for finding in found.findings if finding.kind == "LOST")
    assert lost.first >= 11
    assert lost.value > lost.bound == pytest.approx(5.0, rel=1e-6)


def test_a_lost_aim_says_whether_the_filter_is_late_or_the_target_out_of_reach(rig, chain):
    chain.target.animation_data_clear()
    chain.target.location = (0.5, -0.6, 0.4)
    keyed(chain.target, (10, 30), end=(-0.3, -0.6, 0.4))
    for joint in chain.joints:
        joint.velocity = 0.1
    assert "the motion filter lags behind" in checked(rig).findings[0].sentence
    for joint in chain.joints:
        joint.lower, joint.upper = -0.01, 0.01
    lost = next(one for one in checked(rig).findings if one.kind == "LOST").sentence
    assert "the solution has an error too: 'head' has an error of" in lost
    assert "at their limits: widen these, or move the target" in lost


def test_a_target_at_rest_within_reach_gives_no_finding(rig, chain):
    chain.target.animation_data_clear()
    assert checked(rig).findings == ()


def test_a_gaze_with_less_influence_misses_its_target_for_that_and_not_for_the_filter(rig, chain):
    chain.target.animation_data_clear()
    chain.influence = 0.5
    (lost,) = checked(rig).findings
    assert lost.kind == "LOST"
    assert "the gaze has an influence of 0.50" in lost.sentence


def test_a_chain_that_follows_another_target_than_its_own_is_checked(rig, chain):
    chain.targets.add().target, chain.target, chain.watch = chain.target, None, 1
    assert [take.chain for take in checked(rig).takes] == [chain.name]


def test_after_the_filter_nothing_is_faster_than_its_joint_may_be(rig, chain):
    take = checked(rig).takes[0]
    speeds = np.abs(np.diff(take.filtered, axis=0)) / take.seconds
    assert speeds.max() <= 1.0 + 1e-9
    assert np.abs(np.diff(take.desired, axis=0)).max() / take.seconds > 1.5


@pytest.mark.every_blender
def test_a_pop_of_the_target_is_a_pop_of_a_joint(rig, chain):
    chain.solver = "erik_exact"  # the default solver would make a transition
    chain.target.animation_data_clear()
    chain.target.location = (0.5, -0.6, 0.4)
    chain.target.keyframe_insert("location", frame=10)
    chain.target.location = (-0.5, 0.6, 0.4)
    chain.target.keyframe_insert("location", frame=11)
    pops = [finding for finding in checked(rig).findings if finding.kind == "JUMP"]
    assert pops
    assert all(10 <= pop.worst <= 14 for pop in pops)


def test_findings_of_several_chains_are_listed_by_severity():
    from limber.rig.output.motion_check.findings import KINDS

    rig, lower = looking_chain(None, "base", "middle")
    _, upper = looking_chain(rig, "upper", "head", at=lower.target)
    keyed(lower.target, (10, 22), end=(-0.6, 0.5, 0.3))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
    for joint in (*lower.joints, *upper.joints):
        joint.velocity = 1.0
    for chain in (lower, upper):
        chain.live = True
    found = checked(rig).findings
    assert {finding.chain for finding in found if finding.kind == "LOST"} == {lower.name, upper.name}
    order = [list(KINDS).index(finding.kind) for finding in found]
    assert order == sorted(order)


def test_a_check_leaves_frame_pose_and_actions_as_they_were(rig, chain):
    bpy.context.scene.frame_set(7)
    rig.pose.bones["lower"].rotation_euler.x = 0.3
    chain.target.location = (0.1, -0.9, 0.2)  # by hand, in spite of its keyframe
    checked(rig)
    assert bpy.context.scene.frame_current == 7
    assert tuple(chain.target.location) == pytest.approx((0.1, -0.9, 0.2))
    assert rig.pose.bones["lower"].rotation_euler.x == pytest.approx(0.3)
    assert rig.animation_data is None


def test_selecting_a_finding_jumps_to_its_worst_frame(rig, chain):
    found = checked(rig)
    bpy.context.window_manager.limber_motion_check.active = 1
    assert bpy.context.scene.frame_current == found.findings[1].worst


@pytest.mark.every_blender
def test_marks_are_put_at_the_worst_frames_and_taken_away_without_the_users_own(rig, chain):
    scene = bpy.context.scene
    scene.timeline_markers.new("mine", frame=5)
    found = checked(rig)
    for _ in range(2):
        bpy.ops.limber.mark_findings()
        ours = [marker for marker in scene.timeline_markers if marker.name != "mine"]
        assert {marker.frame for marker in ours} == {finding.worst for finding in found.findings}
    bpy.ops.limber.clear_marks()
    assert [marker.name for marker in scene.timeline_markers] == ["mine"]
    with pytest.raises(RuntimeError, match="no markers of Motion Check"):
        bpy.ops.limber.clear_marks()


def test_the_csv_has_a_line_for_each_finding(rig, chain, tmp_path):
    found = checked(rig)
    bpy.ops.limber.save_findings(filepath=str(tmp_path / "motion"))
    lines = (tmp_path / "motion.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(found.findings)
    assert lines[1].startswith(found.findings[0].kind.lower() + ",head,")


def test_the_picture_is_an_svg_with_texts_that_shows_the_findings(rig, chain, tmp_path):
    from limber.rig.output.motion_check.findings import KINDS

    chain.name = "Head & <Neck>\x01"
    findings = checked(rig).findings
    bpy.ops.limber.save_motion_picture(filepath=str(tmp_path / "motion"))
    picture = ElementTree.parse(tmp_path / "motion.svg").getroot()
    assert int(picture.get("width")) > 1000
    assert int(picture.get("height")) > 84 * (1 + len(chain.joints))
    texts = list(picture.itertext())
    assert {"Head & <Neck>: aim", *(joint.label for joint in chain.joints)} <= set(texts)
    assert any(f"{len(findings)} finding" in text for text in texts)
    red, green, blue = (round(255 * part) for part in KINDS["LOST"].colour)
    shades = [shape for shape in picture.iter(f"{SVG}rect") if shape.get("opacity") == "0.45"]
    lost = [shape for shape in shades if shape.get("fill") == f"#{red:02x}{green:02x}{blue:02x}"]
    assert lost, f"{findings[0]} is to be seen"
    assert all(float(shape.get("width")) >= 2.5 for shape in lost)
    assert len(list(picture.iter(f"{SVG}polyline"))) == 2 * (1 + len(chain.joints))


def test_a_script_that_asks_for_a_png_is_told_to_name_an_svg(rig, chain, tmp_path):
    checked(rig)
    with pytest.raises(RuntimeError, match=r"no PNG any more: name it motion\.svg"):
        bpy.ops.limber.save_motion_picture(filepath=str(tmp_path / "motion.png"))
    assert not list(tmp_path.iterdir())


@pytest.mark.every_blender
def test_what_cannot_be_written_is_said(rig, chain, tmp_path):
    checked(rig)
    (tmp_path / "nowhere").write_text("no folder")
    for operator in (bpy.ops.limber.save_findings, bpy.ops.limber.save_motion_picture):
        with pytest.raises(RuntimeError, match="cannot be written"):
            operator(filepath=str(tmp_path / "nowhere" / "motion"))
        with pytest.raises(RuntimeError, match="No file name"):
            operator()


def test_before_a_check_its_verbs_say_what_to_press(rig, chain):
    with pytest.raises(RuntimeError, match="press Check Motion"):
        bpy.ops.limber.mark_findings()


@pytest.mark.every_blender
def test_without_a_target_and_with_an_empty_range_the_check_says_why(rig, chain):
    scene = bpy.context.scene
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = 5, 5
    assert len(checked(rig).frames) == 1
    chain.target = None
    with pytest.raises(RuntimeError, match="Chain 'head' has no target: choose the object"):
        bpy.ops.limber.check_motion()


def test_escape_cancels_a_check(rig, chain, monkeypatch):
    from limber.operators.output.motion_check import LIMBER_OT_check_motion
    from limber.rig.output.motion_check.check import result

    bpy.context.scene.frame_set(3)
    window = step_by_step(monkeypatch, LIMBER_OT_check_motion)
    window.start()
    for _ in range(5):
        assert window.send("TIMER") == {"RUNNING_MODAL"}
    assert window.send("ESC") == {"CANCELLED"}
    assert bpy.context.scene.frame_current == 3
    assert result(rig) is None


def test_a_new_file_has_no_findings(rig, chain, reopen):
    checked(rig)
    reopen()
    assert len(bpy.context.window_manager.limber_motion_check.findings) == 0
