"""Tests undo and redo of a live mechanism: an unfinished motion continues when it is live again."""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those

pytestmark = pytest.mark.every_blender

FAR = 0.05  # [m] distance by which the target is moved: the motion takes several frames


def wanted(owner) -> float:
    """Distance [m] of the following body from its target."""
    goal = owner.limber.mechanism.goals[0]
    return float(np.linalg.norm(those.world(goal.target)[:3, 3] - those.world(goal.body)[:3, 3]))


def test_a_mechanism_that_was_undone_in_the_middle_of_a_motion_goes_on_with_it_when_it_is_redone(undo_step):
    owner = those.add("delta")
    name = owner.name
    undo_step("mechanism")
    bpy.ops.limber.live()
    undo_step("live")
    owner.limber.mechanism.goals[0].target.location.x += FAR
    those.settle(owner)
    undo_step("move")
    bpy.ops.ed.undo()
    those.clock(3)
    assert not those.session(bpy.data.objects[name]).outputs.at_rest
    bpy.ops.ed.undo()
    those.clock(1, 101.0)  # nothing remains to be done
    bpy.ops.ed.redo()
    owner = bpy.data.objects[name]
    assert owner.limber.mechanism.live
    those.clock(200, 102.0)
    assert those.session(owner).outputs.at_rest
    assert wanted(owner) < 1e-4
