"""Tests Compare Solvers: it runs every solver on the same frames, and leaves the scene unchanged."""

import bpy
import numpy as np
import pytest
from limber.rig.live import live
from limber.rig.output import compare
from limber.solvers.table import SOLVERS

from tests.blender.baking import curves
from tests.blender.comparing import FRAMES, chain_in_motion, compared, scene_as_is
from tests.blender.modal import step_by_step
from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, target
from tests.blender.shown import choose, go_live, no_handler_raises, session, settle, traces

__all__ = ["chain_in_motion", "no_handler_raises"]

WIDEST = 1e-9


@pytest.mark.parametrize(("frames", "words"), [("CURRENT", "frame 3"), ("RANGE", "8 frames")])
def test_the_report_says_how_many_solvers_and_which_frames(chain_in_motion, capsys, frames, words):
    rig, chain = chain_in_motion
    chain.goal = "POSITION"
    table = compared(rig, chain, frames=frames)
    able = sum(not row.why_not for row in table.rows)
    assert f"Compared {able} of {len(SOLVERS)} solvers on {words}" in capsys.readouterr().out


@pytest.mark.parametrize("frames", ["CURRENT", "RANGE"])
def test_every_solver_that_can_has_a_row_with_all_figures_and_the_others_say_why_not(chain_in_motion, frames):
    rig, chain = chain_in_motion
    table = compared(rig, chain, frames=frames)
    assert [row.name for row in table.rows] == list(SOLVERS)
    for row in table.rows:
        assert not row.why_not
        assert set(row.figures) == set(compare.COLUMNS)
        assert all(np.isfinite(value) for value in row.figures.values())
    assert table.frames == (FRAMES if frames == "RANGE" else range(3, 4))
    assert table.remark == ""


def test_the_figures_are_those_of_the_solver_on_that_frame(chain_in_motion):
    rig, chain = chain_in_motion
    rows = {row.name: row.figures for row in compared(rig, chain).rows}
    for name in ("erik", "erik_exact"):
        choose(chain, solver=name)
        bpy.ops.limber.live()
        answer = session(rig, chain).outputs.solution
        bpy.ops.limber.end_live()
        assert rows[name]["aim"] == pytest.approx(np.degrees(answer.aim_error), abs=WIDEST)
        assert rows[name]["shape"] == pytest.approx(np.degrees(answer.shape_deviation), abs=WIDEST)
        assert rows[name]["orientation"] == pytest.approx(answer.orientation_error, abs=WIDEST)
        assert rows[name]["posture"] == pytest.approx(answer.posture_error, abs=WIDEST)
        assert rows[name]["iterations"] == answer.iterations


def test_over_a_range_each_frame_starts_from_the_last_as_in_a_bake(chain_in_motion):
    rig, chain = chain_in_motion
    choose(chain, solver="erik_exact")
    row = next(row for row in compared(rig, chain, frames="RANGE").rows if row.name == "erik_exact")
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(100)
    shapes = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        shapes.append(np.degrees(session(rig, chain).outputs.solution.shape_deviation))
    assert row.figures["shape"] == pytest.approx(np.mean(shapes), abs=WIDEST)


@pytest.mark.parametrize(("rate", "is_kept"), [(24, True), (60, False)])
def test_expressive_has_the_time_of_a_frame_to_gain_speed_for_its_aim(rate, is_kept):
    rig, chain = looking_chain()
    bpy.context.scene.render.fps = rate
    for frame, x in (
        (1, -0.1),
        (4, -0.1),
        (8, 0.1),
        (11, 0.1),
    ):  # starts and stops from one frame to the next
        chain.target.location.x = x
        chain.target.keyframe_insert("location", frame=frame)
        for curve in curves(chain.target):
            curve.keyframe_points[-1].interpolation = "LINEAR"
    rows = {row.name: row for row in compared(rig, chain, frames="RANGE", frame_start=1, frame_end=12).rows}
    assert (rows["expressive"].figures["worst"] < 0.01) == is_kept


def test_pops_are_counted():
    """For a target that jumps, a solver without patience jumps as well."""
    rig, chain = looking_chain()
    for frame in FRAMES:
        chain.target.location = (0.8 if frame % 2 else -0.8, -0.3, 0.4)
        chain.target.keyframe_insert("location", frame=frame)
        for curve in curves(chain.target):
            curve.keyframe_points[-1].interpolation = "CONSTANT"
    rows = {row.name: row for row in compared(rig, chain, frames="RANGE", frame_start=1, frame_end=8).rows}
    assert rows["erik"].figures["jumps"] == len(FRAMES) - 1


@pytest.mark.parametrize("is_live", [False, True])
@pytest.mark.parametrize("frames", ["CURRENT", "RANGE"])
def test_the_scene_is_as_it_was(chain_in_motion, frames, is_live):
    rig, chain = chain_in_motion
    if is_live:
        go_live(rig, chain)
    rig.pose.bones["middle"].rotation_euler.x = 0.77  # changed by hand, in spite of a keyframe
    chain.target.location.z += 0.2
    rig["note"] = 3.0
    rig.keyframe_insert('["note"]', frame=1)
    rig["note"] = 4.0
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    if is_live:
        settle()
    bpy.context.view_layer.update()
    before, moved = scene_as_is(), is_live and list(session(rig, chain).outputs.angles)
    compared(rig, chain, frames=frames)
    bpy.context.view_layer.update()
    assert scene_as_is() == before
    assert rig["note"] == 4.0
    if is_live:
        settle()
        assert list(session(rig, chain).outputs.angles) == moved
        chain.target.location.x -= 0.5
        settle()
        assert list(session(rig, chain).outputs.angles) != moved
    else:
        assert traces() == []


def test_between_frames_the_scene_stays_between_them(chain_in_motion):
    rig, chain = chain_in_motion
    bpy.context.scene.frame_set(4, subframe=0.25)
    compared(rig, chain, frames="RANGE")
    assert bpy.context.scene.frame_current_final == 4.25


def test_in_a_window_it_goes_step_by_step_and_escape_leaves_the_scene_as_it_was(chain_in_motion, monkeypatch):
    from limber.operators.output.compare import LIMBER_OT_compare_solvers

    rig, chain = chain_in_motion
    make_active(rig)
    before = scene_as_is()
    properties = type("Properties", (), {"is_property_set": staticmethod(lambda name: False)})
    window = step_by_step(monkeypatch, LIMBER_OT_compare_solvers, frames="RANGE", properties=properties)
    window.start()
    for _ in range(2 * len(SOLVERS)):
        assert window.send("TIMER") == {"RUNNING_MODAL"}
    assert window.send("MOUSEMOVE") == {"RUNNING_MODAL"}
    assert window.work.done == 2 * len(SOLVERS)
    assert window.send("ESC") == {"CANCELLED"}
    assert window.reports == [("WARNING", "Comparing is cancelled: the scene is as it was")]
    assert scene_as_is() == before
    assert compare.table(rig, chain) is None
    window.start()
    while window.send("TIMER") == {"RUNNING_MODAL"}:
        pass
    assert scene_as_is() == before
    assert compare.table(rig, chain).frames == FRAMES


def test_a_comparison_that_is_given_up_leaves_the_scene_and_the_older_table(chain_in_motion):
    rig, chain = chain_in_motion
    older = compared(rig, chain)
    before = scene_as_is()
    comparison = compare.Comparison(bpy.context.scene, rig, chain, FRAMES)
    for _ in range(5):
        assert comparison.step()
    assert bpy.context.scene.frame_current != 3
    comparison.cancel()
    comparison.cancel()
    assert scene_as_is() == before
    assert compare.table(rig, chain) is older


def test_live_stands_still_while_solvers_are_compared(chain_in_motion):
    rig, chain = chain_in_motion
    now = go_live(rig, chain)
    comparison = compare.Comparison(bpy.context.scene, rig, chain, FRAMES)
    kept = now.outputs
    while comparison.step():
        assert session(rig, chain).outputs is kept
    comparison.finish()
    assert live.session(rig, chain).problem == ""


def test_progress_counts_every_solver_on_every_frame(chain_in_motion):
    rig, chain = chain_in_motion
    comparison = compare.Comparison(bpy.context.scene, rig, chain, FRAMES)
    assert comparison.total == len(FRAMES) * len(SOLVERS)
    frames = [comparison.frame]
    while comparison.step():
        frames.append(comparison.frame)
    assert comparison.done == comparison.total
    assert sorted(set(frames)) == list(FRAMES)
    comparison.finish()


def test_a_chain_that_hangs_on_a_live_one_is_compared_where_that_one_takes_it():
    rig = build(UPRIGHT)
    _, neck = looking_chain(rig, "base", "middle", at=target((3, 1, 1), "Far"))
    _, head = looking_chain(rig, "upper", "head")
    alone = compared(rig, head).rows[0].figures["shape"]
    rig.limber.active_chain = 0
    go_live(rig, neck)
    make_active(rig)
    rig.limber.active_chain = 1
    assert abs(compared(rig, head).rows[0].figures["shape"] - alone) > 0.1


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda rig, chain: setattr(chain, "target", None), "no target"),
        (lambda rig, chain: setattr(chain, "end", "nose"), "'nose' is missing"),
        (
            lambda rig, chain: setattr(chain.target, "parent", None) or setattr(chain, "target", rig),
            "own armature",
        ),
    ],
)
def test_a_set_up_that_cannot_be_solved_is_an_error_and_changes_nothing(chain_in_motion, spoil, words):
    rig, chain = chain_in_motion
    make_active(rig)
    spoil(rig, chain)
    bpy.context.view_layer.update()
    before = scene_as_is()
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.limber.compare_solvers(frames="RANGE")
    assert scene_as_is() == before
    assert compare.table(rig, chain) is None


def test_a_range_that_ends_before_it_starts_is_an_error(chain_in_motion):
    make_active(chain_in_motion[0])
    with pytest.raises(RuntimeError, match="ends at frame 2, before it starts at 5"):
        bpy.ops.limber.compare_solvers(frames="RANGE", frame_start=5, frame_end=2)


@pytest.mark.every_blender
def test_frames_without_a_goal_are_left_out_and_named(chain_in_motion):
    rig, chain = chain_in_motion
    chain.goal = "DIRECTION"
    for frame, size in ((1, 1.0), (4, 0.0), (6, 1.0)):
        chain.target.scale = (size, size, size)
        chain.target.keyframe_insert("scale", frame=frame)
    for curve in curves(chain.target):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    table = compared(rig, chain, frames="RANGE")
    assert "Frames left out: 2. Frame 4:" in table.remark
    assert "scaled to nothing" in table.remark
