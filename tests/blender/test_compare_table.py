"""Tests the comparison's table: sorting, use of a row, copying, and its owner."""

import bpy
import pytest
from limber.rig.output import compare
from limber.solvers.erik.solver import Erik
from limber.solvers.table import SOLVERS

from tests.blender.comparing import chain_in_motion, compared
from tests.blender.rigs import UPRIGHT, build, looking_chain
from tests.blender.shown import choose, go_live, no_handler_raises, settle

__all__ = ["chain_in_motion", "no_handler_raises"]


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


@pytest.mark.every_blender
def test_solvers_that_cannot_be_used_stay_below_and_say_why(chain_in_motion, monkeypatch):
    rig, chain = chain_in_motion
    from limber.rig.chains import chain as builder

    why = builder.why_not_solver
    monkeypatch.setattr(
        builder,
        "why_not_solver",
        lambda r, c, name="": "ERIK is on leave" if name == "erik" else why(r, c, name),
    )
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


@pytest.mark.every_blender
def test_use_this_one_takes_effect_while_live(chain_in_motion):
    rig, chain = chain_in_motion
    choose(chain, solver="erik_exact")
    now = go_live(rig, chain)
    assert now.outputs.solution.aim_error < 1e-6
    bpy.ops.limber.use_solver(solver="erik")
    settle()
    assert type(now.model.solver) is Erik


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


@pytest.mark.every_blender
def test_the_table_as_text_has_every_row_and_column(chain_in_motion):
    lines = compared(*chain_in_motion).csv().splitlines()
    assert lines[0].split(",") == ["solver", *compare.COLUMNS, "not available"]
    assert [line.split(",")[0] for line in lines[1:]] == list(SOLVERS)
    assert bpy.ops.limber.copy_comparison() == {"FINISHED"}
