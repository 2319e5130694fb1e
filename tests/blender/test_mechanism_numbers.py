"""Tests that Check and Live name the object with an impossible value, or a mechanism that cannot move, and
the remedy.
"""

import math

import bpy
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import boned, four_bar, owned
from tests.blender.rigs import select
from tests.blender.test_mechanism_messages import says


@pytest.mark.every_blender
@pytest.mark.parametrize("steady", [0.0, 0.1])
def test_a_mechanism_in_which_nothing_moves_is_refused_with_a_remedy(steady):
    four_bar()
    owner = owned()
    owner.limber.mechanism.drive, owner.limber.mechanism.steady = "MOTORS", steady
    for name in ("crank", "coupler", "rocker"):
        bpy.data.objects[name].limber.part.role = "GROUND"
    sentence = (
        f"Mechanism '{owner.name}' has nothing that can move: all of its bodies are Ground, or fixed to one."
        " Let a body move"
    )
    assert sentence in says(owner)
    with pytest.raises(RuntimeError, match="has nothing that can move"):
        bpy.ops.limber.live()


@pytest.mark.parametrize("number", [1e30, math.nan, math.inf])
def test_a_body_at_no_place_is_named(number):
    four_bar(those.joint, "revolute", bodies="")
    owner = owned()
    owner.limber.mechanism.drive = "MOTORS"
    bpy.data.objects["rocker"].location.x = number
    said = says(owner)
    assert "Object 'rocker' is at no position that can be (" in said
    assert (
        "clear its location, rotation and scale (Alt G, Alt R, Alt S), or mend its keys, drivers or parents"
        in said
    )
    with pytest.raises(RuntimeError, match="Object 'rocker' is at no position that can be"):
        bpy.ops.limber.live()


@pytest.mark.every_blender
@pytest.mark.parametrize("number", [1e30, math.nan, math.inf])
def test_an_armature_of_bodies_at_no_place_is_named(number):
    rig, _ = boned()
    rig.location.x = number
    bpy.context.view_layer.update()
    assert "Object 'Rig' is at no position that can be (" in says(rig)
    select(rig, "coupler", "rocker")
    rig.data.bones.active = rig.data.bones["rocker"]
    with pytest.raises(
        RuntimeError, match=r"Object 'Rig' is at no position that can be .*clear its location"
    ):
        bpy.ops.limber.add_closure()
    for name, new in (("coupler", "closing_rod_1"), ("rocker", "closing_rod_2")):
        rig.data.bones[name].name = new
    with pytest.raises(RuntimeError, match="Object 'Rig' is at no position that can be"):
        bpy.ops.limber.close_named_loops()
    assert len(rig.limber.mechanism.closures) == 1


@pytest.mark.parametrize(
    ("number", "is_turned"), [(1e30, False), (math.nan, False), (math.inf, False), (math.nan, True)]
)
def test_a_target_at_no_place_is_named_and_the_mechanism_follows_again_when_it_is_back(number, is_turned):
    owner = those.add("stewart")
    goal = owner.limber.mechanism.goals[0]
    bpy.ops.limber.live()
    was = goal.target.location.copy()
    (goal.target.rotation_euler if is_turned else goal.target.location).x = number
    those.clock()
    sentence = f"Goal '{goal.name}': target '{goal.target.name}' is at no position that can be ("
    assert sentence in says(owner)
    assert sentence in those.session(owner).problem
    goal.target.location, goal.target.rotation_euler = was, (0.0, 0.0, 0.0)
    those.clock(2, start=101.0)
    assert those.session(owner).problem == ""
    assert those.session(owner).outputs.is_closed
