"""Tests undo and redo in a real window, by their keys, with Blender's own undo steps and a running clock."""

import pytest

pytestmark = pytest.mark.every_window


def test_deeds_while_live_are_undone_and_redone_key_by_key(play):
    facts = play("live_undo")
    before = [0, False]  # number of twins, and whether the chain is live
    done = facts["done"]
    assert done == [[1, True], [1, True], [1, True], [2, True], [1, True], [0, False]]
    assert facts["undone"] == [*reversed(done[:-1]), before]
    assert facts["redone"] == done
    assert facts["raised"] == []
