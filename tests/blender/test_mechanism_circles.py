"""Tests mechanisms that follow themselves, directly or through others: a sentence names them as long as this
lasts, and no others.
"""

import bpy
import pytest

from tests.blender import mechanisms as those
from tests.blender.rigs import build, looking_chain, make_active, target
from tests.blender.shown import as_good_as_unfiltered, no_handler_raises, settle  # noqa: F401
from tests.blender.test_mechanism_carries import go_live
from tests.blender.test_mechanism_robots import head_on_push_rods


def hang(thing, parent) -> None:
    """Makes an object the child of another without moving it."""
    at = thing.matrix_world.copy()
    thing.parent = parent
    bpy.context.view_layer.update()
    thing.matrix_world = at
    bpy.context.view_layer.update()


def rod_of(owner):
    return next(thing for thing in owner.users_collection[0].all_objects if thing.name == "Left Rod")


def who_looks_at_its_own_rod():
    """A head on push rods whose gaze looks at an object on its own rod; returns armature, chain and owner."""
    neck, gaze, owner = head_on_push_rods()
    hang(gaze.target, rod_of(owner))
    as_good_as_unfiltered(gaze)
    go_live(owner, gaze)
    return neck, gaze, owner


def two_platforms(place=0.0):
    """Stewart platforms whose targets are children of each other's platform, live; returns their owners and
    targets.
    """
    owners = [those.add("stewart", place=(place + x, 0.0, 0.0)) for x in (0.0, 2.0)]
    one, two = (owner.limber.mechanism.goals[0] for owner in owners)
    hang(one.target, two.body)
    hang(two.target, one.body)
    for owner in owners:
        go_live(owner)
    return owners, [one.target, two.target]


def remark(owner) -> str:
    session = those.session(owner)
    assert session.problem == ""
    return session.remark


def drive(thing, path: str, read, kind: str, read_path: str = "") -> None:
    """Makes a property follow that of another object by a driver."""
    curve = thing.driver_add(path) if not path.endswith("]") else thing.driver_add(path[:-3], int(path[-2]))
    variable = curve.driver.variables.new()
    variable.name, variable.type = "v", kind
    variable.targets[0].id = read
    if read_path:
        variable.targets[0].data_path = read_path
    curve.driver.expression = "0.1 * v"
    bpy.context.view_layer.update()


def test_a_mechanism_that_follows_itself_through_a_gaze_is_told_until_the_target_is_another():
    neck, gaze, owner = who_looks_at_its_own_rod()
    those.clock(5)
    assert f"Mechanism '{owner.name}' follows chain '{gaze.name}' of '{neck.name}', which in turn" in remark(
        owner
    )
    hang(gaze.target, None)
    those.clock(5, start=200.0)
    assert "in turn" not in remark(owner)


@pytest.mark.every_blender
def test_what_is_told_of_a_circle_at_rest_ends_with_it_though_nothing_moves_then():
    _, gaze, owner = head_on_push_rods()
    held = gaze.target.constraints.new("COPY_LOCATION")
    held.target, held.use_x, held.use_y, held.use_z = rod_of(owner), False, False, False
    go_live(owner, gaze)
    settle()
    assert "in turn" in remark(owner)
    gaze.target.constraints.remove(held)
    those.clock(2)
    assert "in turn" not in remark(owner)


def test_mechanisms_that_follow_each_other_are_told_pair_by_pair():
    (one, two), (mark, _) = two_platforms()
    (three, four), _ = two_platforms(5.0)
    those.clock(3)
    assert f"follows mechanism '{two.name}'" in remark(one)
    assert f"follows mechanism '{one.name}'" in remark(two)
    hang(mark, None)
    those.clock(3, start=200.0)
    assert "in turn" not in remark(one) + remark(two)
    assert f"follows mechanism '{four.name}'" in remark(three)
    make_active(four)
    bpy.ops.limber.end_live()
    those.clock(3, start=300.0)
    assert "in turn" not in remark(three)


@pytest.mark.every_blender
def test_a_mechanism_whose_target_follows_its_own_body_by_a_constraint_is_told():
    owner = those.add("stewart")
    goal = owner.limber.mechanism.goals[0]
    held = goal.target.constraints.new("CHILD_OF")
    held.target = goal.body
    go_live(owner)
    those.clock(1)
    assert f"Mechanism '{owner.name}' follows what it moves itself" in remark(owner)
    held.influence = 0.0
    those.clock(1, start=200.0)
    assert "itself" not in remark(owner)


@pytest.mark.parametrize(
    "way", ["a constraint that is off", "a driver of something else", "a driver from something else", "a lid"]
)
def test_what_does_not_move_a_target_is_no_circle(way):
    neck, gaze, owner = head_on_push_rods()
    rod = rod_of(owner)
    if way == "a constraint that is off":
        held = gaze.target.constraints.new("COPY_LOCATION")
        held.target, held.influence = rod, 0.0
    elif way == "a driver of something else":
        drive(gaze.target, "empty_display_size", rod, "TRANSFORMS")
    elif way == "a driver from something else":
        rod["slider"] = 0.5
        drive(gaze.target, "location[2]", rod, "SINGLE_PROP", '["slider"]')
    else:  # a bone of the neck's armature that belongs to no chain reads the rod's position
        drive(neck, 'pose.bones["head"].location[1]', rod, "TRANSFORMS")
        neck.limber.chains[0].end = "neck"
    go_live(owner, gaze)
    those.clock(3)
    assert "in turn" not in remark(owner)


def test_eyes_on_the_head_that_look_at_a_rod_are_no_circle():
    _, gaze, owner = head_on_push_rods()
    mark = target((0.3, -0.5, 0.2), name="Mark")
    hang(mark, rod_of(owner))
    eyes = build({"eye": "XZ"}, name="Eyes")
    eyes.parent = bpy.data.objects["Head"]
    eyes, look = looking_chain(eyes, "eye", at=mark)
    go_live(owner, gaze, look)
    those.clock(3)
    assert remark(owner) == "" or "in turn" not in remark(owner)
