"""Fixtures of tests in which a player moves a robot behind a real port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.player.served_robot import PROC, ServedRobot
from tests.player.test_live import Playing


@pytest.fixture
def served_robot(tmp_path: Path) -> Iterator[ServedRobot]:
    """A robot behind a port, which nobody has armed."""
    if not PROC.is_dir():
        pytest.skip("no /proc here, which names the worker")
    with ServedRobot(tmp_path) as robot:
        yield robot


@pytest.fixture
def armed_player(served_robot: ServedRobot) -> Iterator[Playing]:
    """A player at a terminal, whom that robot follows."""
    with served_robot.armed_player() as player:
        yield player
