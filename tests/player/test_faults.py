"""Tests faults while a player moves a robot behind a real port, and that nothing moves afterwards without a
command.

After each fault the robot is disarmed, or holds its pose, or follows on if the fault does not concern it, and
its device executes no further order to arm before a person has given one.
"""

import ast
from pathlib import Path

import pytest

from tests.hardware.faults.table import PAGE, without_times
from tests.player.fault_rows import PLAYER, PlayerRow
from tests.player.served_robot import ServedRobot
from tests.player.test_live import ROOT


@pytest.mark.parametrize("row", PLAYER, ids=lambda row: row.key)
def test_a_fault_moves_nothing_unasked_and_is_told_as_the_documents_say(
    row: PlayerRow, served_robot: ServedRobot
):
    line = row.line(row.play(served_robot))
    assert without_times(line) in without_times(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "path",
    [
        path
        for layer in ("player", "inputs", "character")
        for path in sorted((ROOT / layer).rglob("*.py"))
        if path.name != "arrival_times.py"  # the system's time stamps use such a clock; it has its own test
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_nothing_reads_a_clock_that_jumps(path: Path):
    called = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    attributes = {
        (each.value.id, each.attr)
        for each in called
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
    }
    assert not attributes & {("time", "time"), ("time", "time_ns"), ("datetime", "now"), ("date", "today")}
