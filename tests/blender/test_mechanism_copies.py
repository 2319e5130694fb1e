"""Tests copies of mechanisms (Shift D), and several sketches in one collection: each mechanism has its own
joints and bodies.
"""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import ABOUT_Y, four_bar, owned
from tests.blender.rigs import make_active

pytestmark = pytest.mark.every_blender


def duplicated(owner):
    """Duplicates all objects in a mechanism's collection, as Shift D does; returns the copy's owner,
    active.
    """
    chosen = list(owner.users_collection[0].all_objects)
    for thing in bpy.data.objects:
        thing.select_set(thing in chosen)
    bpy.ops.object.duplicate()
    made = next(thing for thing in bpy.context.selected_objects if thing.limber.mechanism.uid)
    make_active(made)
    return made


def bodies(owner) -> set[str]:
    from limber.rig.mechanisms.authored_mechanism import read

    return {part.name for part in read(owner, those.update()).parts}


def angle(name: str) -> float:
    """Angle [rad] of a bar about the world's Y."""
    turn = those.world(bpy.data.objects[name])
    return float(np.arctan2(turn[0, 2], turn[0, 0]))


@pytest.mark.parametrize("kind", ["four_bar", "stewart"])
def test_a_copy_of_a_mechanism_has_its_own_joints_and_bodies(kind):
    from limber.rig.authoring.mechanism.check import check

    owner = those.add(kind)
    before, said = bodies(owner), check(bpy.context, owner).sentence
    copy = duplicated(owner)
    assert bodies(owner) == before
    assert bodies(copy) == {f"{name}.001" for name in before}
    assert check(bpy.context, owner).sentence == said


@pytest.mark.parametrize("motor", [True, False])
def test_so_has_a_copy_of_a_sketch_that_is_parented_to_nothing(motor):
    four_bar()
    make_active(bpy.data.objects["pin A"])
    bpy.ops.limber.new_mechanism()
    owner = bpy.context.active_object
    if motor:
        make_active(bpy.data.objects["pin A"])
        bpy.ops.limber.add_motors()
    copy = duplicated(owner)
    assert bodies(owner) == {"ground", "crank", "coupler", "rocker"}
    assert bodies(copy) == {"ground.001", "crank.001", "coupler.001", "rocker.001"}


def test_both_are_live_side_by_side_and_bake():
    owner = those.add("four_bar")
    copy = duplicated(owner)
    for one in (owner, copy):
        make_active(one)
        bpy.ops.limber.live()
    assert copy.limber.mechanism.uid != owner.limber.mechanism.uid, "it is another one once it is used"
    copy.limber.mechanism.motors[0].value = 0.5
    those.settle(copy)
    assert angle("Crank.001") == pytest.approx(0.5, abs=1e-5)
    assert angle("Crank") == pytest.approx(0.0, abs=1e-5)
    make_active(copy)
    bpy.ops.limber.bake()
    assert those.session(owner).problem == ""
    assert bpy.data.objects["Crank"].animation_data is None
    assert bpy.data.objects["Crank.001"].animation_data is not None


def test_a_copy_made_while_live_stops_nothing(undo_step):
    owner = those.add("four_bar")
    undo_step("added")
    bpy.ops.limber.live()
    undo_step("live")
    copy = duplicated(owner)
    undo_step("copied")
    those.clock(3)
    owner.limber.mechanism.motors[0].value = 0.4
    those.settle(owner)
    assert those.session(owner).problem == ""
    assert angle("Crank") == pytest.approx(0.4, abs=1e-5)
    make_active(copy)
    bpy.ops.limber.end_live()
    assert angle("Crank.001") == pytest.approx(0.0, abs=1e-5), "it stands where it is authored"
    assert owner.limber.mechanism.live
    assert copy.limber.mechanism.uid != owner.limber.mechanism.uid
    bpy.ops.limber.live()
    copy.limber.mechanism.motors[0].value = -0.3
    those.settle(copy)
    assert angle("Crank.001") == pytest.approx(-0.3, abs=1e-5)
    assert angle("Crank") == pytest.approx(0.4, abs=1e-5)


def test_a_copy_that_is_undone_leaves_the_first_one_as_it_was(undo_step):
    owner = those.add("four_bar")
    undo_step("added")
    bpy.ops.limber.live()
    undo_step("live")
    name = owner.name
    copy = duplicated(owner)
    undo_step("copied")
    copied = copy.name
    make_active(copy)
    those.clock(2)
    bpy.ops.ed.undo()
    owner = bpy.data.objects[name]
    assert copied not in bpy.data.objects
    owner.limber.mechanism.motors[0].value = 0.4
    those.settle(owner)
    assert angle("Crank") == pytest.approx(0.4, abs=1e-5)
    bpy.ops.ed.redo()
    owner = bpy.data.objects[name]
    those.clock(2)
    assert those.session(owner).problem == ""
    assert {part.name for part in those.session(owner).reading.parts} == {
        "Ground",
        "Crank",
        "Coupler",
        "Rocker",
    }


def test_a_copy_keeps_its_identity_while_a_robot_is_connected_that_knows_it():
    from limber.rig.robot import links

    owner = those.add("four_bar")
    copy = duplicated(owner)
    copy.limber.device.port = "virtual"
    bpy.ops.limber.connect()
    bpy.ops.limber.live()
    (joint,) = links.link(copy).device.joints
    assert joint.name == copy.limber.mechanism.motors[0].name
    assert copy.limber.mechanism.uid == owner.limber.mechanism.uid
    bpy.ops.limber.end_live()
    links.disconnect_all()
    bpy.ops.limber.check_mechanism()
    assert copy.limber.mechanism.uid != owner.limber.mechanism.uid


def test_an_owner_copied_alone_shares_the_joints_and_check_and_live_say_so():
    from limber.rig.authoring.mechanism.check import check

    owner = those.add("four_bar")
    make_active(owner)
    bpy.ops.object.duplicate()
    copy = bpy.context.active_object
    assert bodies(owner) == bodies(copy) == {"Ground", "Crank", "Coupler", "Rocker"}
    said = [finding.sentence for finding in check(bpy.context, copy).findings]
    assert (
        "Joint 'Crank Shaft' is in the list of mechanism 'Four-Bar' as well: only one of them can be live at"
        " once" in said
    )
    make_active(owner)
    bpy.ops.limber.live()
    make_active(copy)
    with pytest.raises(RuntimeError, match="'Four-Bar' is live and moves 'Crank', a body of 'Four-Bar"):
        bpy.ops.limber.live()
    assert not copy.limber.mechanism.live


def test_bodies_and_joints_copied_without_their_owner_can_be_a_mechanism_of_their_own():
    four_bar()
    owner = owned()
    for thing in bpy.data.objects:
        thing.select_set(thing != owner)
    bpy.ops.object.duplicate()
    assert len(bodies(owner)) == 4, "what is in no list is no mechanism's"
    make_active(bpy.data.objects["pin A"])
    assert not bpy.ops.limber.new_mechanism.poll(), "what has the motor is what the mechanism is"
    copy = new(bpy.data.objects["coupler.001"])
    assert bodies(owner) == {"ground", "crank", "coupler", "rocker"}
    assert bodies(copy) == {"ground.001", "crank.001", "coupler.001", "rocker.001"}
    assert copy.limber.mechanism.uid != owner.limber.mechanism.uid
    make_active(bpy.data.objects["pin A.001"])
    bpy.ops.limber.add_motors()
    assert [motor.joint.name for motor in copy.limber.mechanism.motors] == ["pin A.001"]


def test_two_mechanisms_with_a_body_in_common_are_not_live_at_once():
    from limber.rig.mechanisms.ownership import add_joint

    pins = four_bar()
    owner = owned()
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.limber.mechanism.uid = "other"
    add_joint(other, pins["A"])
    those.set_rest_pose(other)
    other.limber.mechanism.motors.add().joint = pins["A"]
    for one in (owner, other):
        those.with_idle_goal(one)
    make_active(owner)
    bpy.ops.limber.live()
    make_active(other)
    with pytest.raises(
        RuntimeError,
        match="Mechanism 'Mechanism' is live and moves 'crank', a body of 'Other' as well: press End Live",
    ):
        bpy.ops.limber.live()


# -- sketches in the scene's own collection --


def hinged(number: int):
    """A sketch of one hinge; returns it."""
    ground, bar = (
        those.box(f"{word} {number}", (number, 0.0, 0.0), kind)
        for word, kind in (("ground", "PASSIVE"), ("bar", "ACTIVE"))
    )
    return those.constraint(f"pin {number}", "HINGE", ground, bar, (number, 0.0, 0.0), ABOUT_Y)


def new(thing):
    make_active(thing)
    bpy.ops.limber.new_mechanism()
    return bpy.context.active_object


def test_bodies_of_a_sketch_are_part_of_its_mechanism():
    owner = new(hinged(1))
    for name in ("bar 1", "ground 1"):
        make_active(bpy.data.objects[name])
        with pytest.raises(RuntimeError, match="is part of mechanism 'Mechanism' already"):
            bpy.ops.limber.new_mechanism()
    bpy.ops.limber.check_mechanism()
    assert bpy.context.active_object != owner
    assert len([thing for thing in bpy.data.objects if thing.limber.mechanism.uid]) == 1


@pytest.mark.parametrize("chosen", ["pin 2", "bar 2", "ground 2"])
def test_a_second_sketch_becomes_a_mechanism_of_its_own(chosen):
    first = new(hinged(1))
    hinged(2)
    hinged(3)
    second = new(bpy.data.objects[chosen])
    assert bodies(first) == {"ground 1", "bar 1"}
    assert bodies(second) == {"ground 2", "bar 2"}
    third = new(bpy.data.objects["pin 3"])
    assert bodies(third) == {"ground 3", "bar 3"}
    assert bodies(second) == {"ground 2", "bar 2"}


def test_joints_that_no_mechanism_has_yet_are_all_taken_by_the_first_one():
    hinged(1)
    assert bodies(new(hinged(2))) == {"ground 1", "bar 1", "ground 2", "bar 2"}


def test_a_joint_that_holds_a_body_of_a_mechanism_is_told_where_it_belongs_and_nothing_is_made():
    new(hinged(1))
    more = those.constraint(
        "more", "HINGE", bpy.data.objects["bar 1"], those.box("next", (1.1, 0.0, 0.0), "ACTIVE")
    )
    before = len(bpy.data.objects), len(bpy.data.collections)
    with pytest.raises(
        RuntimeError, match="Joint 'more' holds 'bar 1', a body of mechanism 'Mechanism': add it to that, by"
    ):
        new(more)
    assert (len(bpy.data.objects), len(bpy.data.collections)) == before


def test_where_all_joints_are_mechanisms_already_another_object_is_told_so():
    new(hinged(1))
    with pytest.raises(RuntimeError, match="has no joint, or a mechanism has them all"):
        new(those.box("lone"))
