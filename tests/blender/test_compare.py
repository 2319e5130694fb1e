"""Compare Solvers: every solver on the same frames, and a scene that is as it was."""

import bpy
import numpy as np
import pytest
from limber.rig import compare, live
from limber.solvers.table import SOLVERS

from tests.blender.baking import curves, walk
from tests.blender.modal import step_by_step
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active, target
from tests.blender.shown import authored, choose, go_live, no_handler_raises, pose, session, settle, traces

__all__ = ["no_handler_raises"]

FRAMES = range(1, 9)
WIDEST = 1e-9


@pytest.fixture
def chain_in_motion():
    """A chain with a keyed walk and a target that flies by; returns rig and chain."""
    rig, chain = looking_chain()
    walk(rig)
    keyed(chain.target, (1, 8))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES[0], FRAMES[-1]
    bpy.context.scene.frame_set(3)
    return rig, chain


def scene_as_is() -> dict:
    """All that a comparison must leave alone."""
    scene, view = bpy.context.scene, bpy.context.view_layer
    rigs = [thing for thing in scene.objects if thing.type == "ARMATURE"]
    return {
        "frame": scene.frame_current_final,
        "selected": [thing.name for thing in scene.objects if thing.select_get()],
        "bones": [bone.name for rig in rigs for bone in rig.pose.bones if (bone if hasattr(bone, "select") else bone.bone).select],
        "active": view.objects.active and view.objects.active.name,
        "mode": bpy.context.mode,
        "authored": [authored(rig) for rig in rigs],
        "shown": [[tuple(map(tuple, matrix)) for matrix in pose(rig)] for rig in rigs],
        "live": [(chain.name, chain.live, chain.solver) for rig in rigs for chain in rig.limber.chains],
        "objects": [(thing.name, tuple(thing.location)) for thing in bpy.data.objects],
        "actions": [(action.name, action.users) for action in bpy.data.actions],
        "scenes": [scene.name for scene in bpy.data.scenes],
    }


def compared(rig, chain, **options) -> compare.Table:
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.limber.compare_solvers(**options) == {"FINISHED"}
    return compare.table(rig, chain)


@pytest.mark.parametrize(("frames", "words"), [("CURRENT", "are compared on frame 3"), ("RANGE", "are compared on 8 frames")])
def test_the_report_says_how_many_solvers_and_which_frames(chain_in_motion, capsys, frames, words):
    rig, chain = chain_in_motion
    chain.goal = "POSITION"
    table = compared(rig, chain, frames=frames)
    able = sum(not row.why_not for row in table.rows)
    assert f"{able} of {len(SOLVERS)} solvers {words}" in capsys.readouterr().out


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


def test_pops_are_counted():
    """A target that jumps about: a solver without patience jumps after it."""
    rig, chain = looking_chain()
    for frame in FRAMES:
        chain.target.location = (0.8 if frame % 2 else -0.8, -0.3, 0.4)
        chain.target.keyframe_insert("location", frame=frame)
        for curve in curves(chain.target):
            curve.keyframe_points[-1].interpolation = "CONSTANT"
    rows = {row.name: row for row in compared(rig, chain, frames="RANGE", frame_start=1, frame_end=8).rows}
    assert rows["erik"].figures["pops"] == len(FRAMES) - 1


@pytest.mark.parametrize("is_live", [False, True])
@pytest.mark.parametrize("frames", ["CURRENT", "RANGE"])
def test_the_scene_is_as_it_was(chain_in_motion, frames, is_live):
    rig, chain = chain_in_motion
    if is_live:
        go_live(rig, chain)
    rig.pose.bones["middle"].rotation_euler.x = 0.77  # changed by hand over a key
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
    from limber.operators.compare import LIMBER_OT_compare_solvers

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


@pytest.mark.parametrize("column", ["name", *compare.COLUMNS])
def test_a_heading_sorts_and_the_same_one_again_sorts_the_other_way_round(chain_in_motion, column):
    rig, chain = chain_in_motion
    table = compared(rig, chain, frames="RANGE")

    def values() -> list:
        return [row.label.lower() if column == "name" else row.figures[column] for row in table.sorted_rows()]

    assert bpy.ops.limber.sort_comparison(column=column) == {"FINISHED"}
    assert values() == sorted(values())
    bpy.ops.limber.sort_comparison(column=column)
    assert values() == sorted(values(), reverse=True)
    bpy.ops.limber.sort_comparison(column=column)
    assert values() == sorted(values())


def test_a_column_that_is_none_is_an_error(chain_in_motion):
    compared(*chain_in_motion)
    with pytest.raises(RuntimeError, match="no column 'beauty'"):
        bpy.ops.limber.sort_comparison(column="beauty")


def test_solvers_that_cannot_be_used_stay_below_and_say_why(chain_in_motion, monkeypatch):
    rig, chain = chain_in_motion
    from limber.rig import build as builder

    why = builder.why_not_solver
    monkeypatch.setattr(builder, "why_not_solver", lambda r, c, name="": "ERIK is on leave" if name == "erik" else why(r, c, name))
    table = compared(rig, chain)
    for column in ("name", "shape", "shape"):
        bpy.ops.limber.sort_comparison(column=column)
        last = table.sorted_rows()[-1]
        assert (last.name, last.why_not) == ("erik", "ERIK is on leave")
    assert '"ERIK is on leave"' in table.csv()


def test_use_this_one_changes_the_solver_and_can_be_undone(chain_in_motion, undo_step):
    rig, chain = chain_in_motion
    choose(chain, solver="erik_exact")
    compared(rig, chain)
    name = rig.name
    undo_step("compared")
    assert bpy.ops.limber.use_solver(solver="erik") == {"FINISHED"}
    undo_step("use")
    assert chain.solver == "erik"
    bpy.ops.ed.undo()
    rig = bpy.data.objects[name]
    assert rig.limber.chains[0].solver == "erik_exact"
    assert compare.table(rig, rig.limber.chains[0]) is not None
    bpy.ops.ed.redo()
    assert bpy.data.objects[name].limber.chains[0].solver == "erik"


def test_use_this_one_takes_effect_while_live(chain_in_motion):
    rig, chain = chain_in_motion
    choose(chain, solver="erik_exact")
    now = go_live(rig, chain)
    assert now.outputs.solution.aim_error < 1e-6
    bpy.ops.limber.use_solver(solver="erik")
    settle()
    assert type(now.model.solver) is SOLVERS["erik"].make


def test_a_solver_that_is_none_is_an_error(chain_in_motion):
    with pytest.raises(RuntimeError, match="no solver 'magic'"):
        bpy.ops.limber.use_solver(solver="magic")
    assert chain_in_motion[1].solver in SOLVERS


def test_comparing_leaves_no_step_to_undo(chain_in_motion, undo_step):
    rig, chain = chain_in_motion
    name = rig.name
    rig.pose.bones["upper"].rotation_euler.x = 0.3
    undo_step("posed")
    rig.pose.bones["upper"].rotation_euler.x = 0.6
    undo_step("posed again")
    compared(rig, chain, frames="RANGE")
    bpy.ops.ed.undo()
    assert bpy.data.objects[name].pose.bones["upper"].rotation_euler.x == pytest.approx(0.3)


def test_a_table_is_in_no_file_and_of_its_chain_alone(chain_in_motion, reopen):
    rig, chain = chain_in_motion
    compared(rig, chain)
    other = build(UPRIGHT, "Other")
    _, other_chain = looking_chain(other)
    assert compare.table(other, other_chain) is None
    with pytest.raises(RuntimeError, match="not compared yet"):
        bpy.ops.limber.sort_comparison(column="aim")
    name = rig.name
    reopen()
    rig = bpy.data.objects[name]
    assert compare.table(rig, rig.limber.chains[0]) is None


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


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda rig, chain: setattr(chain, "target", None), "no target"),
        (lambda rig, chain: setattr(chain, "end", "nose"), "'nose' is missing"),
        (lambda rig, chain: setattr(chain.target, "parent", None) or setattr(chain, "target", rig), "own armature"),
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
    assert "2 frames are left out. Frame 4:" in table.remark
    assert "scaled to nothing" in table.remark


def test_the_table_as_text_has_every_row_and_column(chain_in_motion):
    lines = compared(*chain_in_motion).csv().splitlines()
    assert lines[0].split(",") == ["solver", *compare.COLUMNS, "not available"]
    assert [line.split(",")[0] for line in lines[1:]] == list(SOLVERS)
    assert bpy.ops.limber.copy_comparison() == {"FINISHED"}
