"""Tests the list of a mechanism's joints: adding, finding, removing, disabling and deleting, copies and other
files.
"""

import bpy
import pytest
from limber.panels.mechanism.items import LIMBER_PT_mechanism_joints

from tests.blender import mechanisms as those
from tests.blender.drawing import drawn
from tests.blender.four_bars import ABOUT_Y, four_bar, owned
from tests.blender.rest_poses import said
from tests.blender.rigs import make_active

pytestmark = (
    pytest.mark.every_blender
)  # variants, since each changes how pointers in lists pass through copies, undo and other files
PINS = ["pin A", "pin B", "pin C", "pin D"]


def listed(owner) -> list[str]:
    return [joint.object.name for joint in owner.limber.mechanism.joints]


def with_more():
    """A four-bar, and a bar on its rocker that is not in its list; returns the owner and the bar's pin."""
    four_bar(those.joint, "revolute", bodies="")
    owner = owned()
    bar = those.box("bar", (0.2, 0.0, 0.05))
    return owner, those.joint("more", "revolute", bpy.data.objects["rocker"], bar, (0.2, 0.0, 0.05), ABOUT_Y)


def test_a_joint_that_is_made_later_is_no_mechanisms_until_it_is_added():
    owner, more = with_more()
    assert listed(owner) == PINS
    assert "Joint 'more' holds 'rocker' and is not in the list of joints: press Find Joints" in said(owner)
    make_active(owner)
    more.select_set(True)
    assert bpy.ops.limber.add_mechanism_joints() == {"FINISHED"}
    assert listed(owner) == [*PINS, "more"]
    assert said(owner) == ""
    assert not bpy.ops.limber.add_mechanism_joints.poll()


def test_find_joints_adds_what_hangs_together_and_is_undone(undo_step):
    owner, _ = with_more()
    name = owner.name
    those.joint("lone", "revolute", None, those.box("stick"))
    those.joint("further", "revolute", bpy.data.objects["bar"], those.box("tip"))
    undo_step("more")
    make_active(owner)
    bpy.ops.limber.find_mechanism_joints()
    undo_step("found")
    assert set(listed(owner)) == {*PINS, "more", "further", "lone"}, "no other mechanism is in its collection"
    bpy.ops.ed.undo()
    assert listed(bpy.data.objects[name]) == PINS


def test_find_joints_leaves_alone_what_does_not_hang_together_where_others_have_the_collection_as_well():
    owner, _ = with_more()
    those.joint("lone", "revolute", None, those.box("stick"))
    make_active(bpy.data.objects["lone"])
    bpy.ops.limber.new_mechanism()
    other = bpy.context.active_object
    those.joint("last", "revolute", None, those.box("twig"))
    for one, expected in ((owner, [*PINS, "more"]), (other, ["lone"])):
        make_active(one)
        bpy.ops.limber.find_mechanism_joints()
        assert sorted(listed(one)) == sorted(expected)


def test_a_joint_of_another_mechanism_is_not_added():
    owner, _ = with_more()
    those.joint("lone", "revolute", None, those.box("stick"))
    make_active(bpy.data.objects["lone"])
    bpy.ops.limber.new_mechanism()
    other = bpy.context.active_object
    make_active(owner)
    bpy.data.objects["lone"].select_set(True)
    bpy.data.objects["more"].select_set(True)
    with pytest.raises(
        RuntimeError,
        match=f"Joint 'lone' is one of mechanism '{other.name}': remove it there first, or deselect it",
    ):
        bpy.ops.limber.add_mechanism_joints()
    assert listed(owner) == PINS


def test_what_is_added_is_at_rest_where_it_is_and_what_was_listed_too():
    owner, more = with_more()
    make_active(owner)
    more.select_set(True)
    bpy.ops.limber.add_mechanism_joints()
    assert {item.object.name for item in owner.limber.mechanism.rest_pose} == {
        owner.name, *PINS, "more", "ground", "crank", "coupler", "rocker", "bar"
    }  # fmt: skip


def test_a_removed_joint_holds_nothing_and_its_object_stays():
    owner, _ = with_more()
    kept = owner.limber.mechanism
    kept.active_joint = 3
    make_active(owner)
    assert bpy.ops.limber.remove_mechanism_joint() == {"FINISHED"}
    assert listed(owner) == PINS[:3]
    assert "pin D" in bpy.data.objects
    assert "Joint 'pin D' holds 'rocker' and is not in the list of joints" in said(owner)


def test_a_disabled_joint_holds_nothing():
    from limber.rig.mechanisms.authored_mechanism import read

    owner, _ = with_more()
    owner.limber.mechanism.joints[3].enabled = False
    assert [joint.name for joint in read(owner, those.update()).mechanism.joints] == PINS[:3]


@pytest.mark.parametrize("how", ["by a script", "by the user"])
def test_a_deleted_joint_is_named_with_the_remedy(how):
    owner, _ = with_more()
    pin = bpy.data.objects["pin C"]
    if how == "by a script":
        bpy.data.objects.remove(pin)
    else:
        make_active(pin)
        bpy.ops.object.delete()
    assert (
        "Joint 'pin C' of mechanism 'Mechanism' was deleted: undo that, or press Find Joints, which"
        " removes it" in said(owner)
    )
    make_active(owner)
    rows = drawn(LIMBER_PT_mechanism_joints)
    assert "limber.find_mechanism_joints" in rows.operators
    bpy.ops.limber.find_mechanism_joints()
    assert sorted(listed(owner)) == ["more", "pin A", "pin B", "pin D"]
    assert "was deleted" not in said(owner)


def test_an_appended_mechanism_lists_its_own_joints_and_has_its_rest_pose(tmp_path):
    owner = those.add("four_bar")
    name, joints = owner.name, listed(owner)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    first = those.add("four_bar")
    with bpy.data.libraries.load(str(tmp_path / "library.blend")) as (_, taken):
        taken.collections = ["Four-Bar"]
    bpy.context.scene.collection.children.link(taken.collections[0])
    second = next(thing for thing in taken.collections[0].all_objects if thing.limber.mechanism.uid)
    assert first.name == name
    assert second != first
    assert listed(first) == joints
    assert not set(listed(second)) & set(joints)
    for owner in (first, second):
        assert "rest pose" not in said(owner)
        make_active(owner)
        bpy.ops.limber.live()
        assert those.session(owner).problem == ""


def test_an_armature_in_a_mechanisms_collection_may_have_a_mechanism_of_its_own_and_children_of_bodies_belong_to_it():
    from limber.rig.mechanisms.ownership import owner_at_hand, owner_of

    owner = those.add("stewart")
    scene, cup = bpy.context.scene, those.box("cup")
    cup.parent = bpy.data.objects["Platform"]
    assert owner_at_hand(cup, scene) == owner
    assert owner_of(cup, scene) is None
    assert owner_at_hand(owner.limber.mechanism.goals[0].target, scene) == owner
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    owner.users_collection[0].objects.link(rig)
    rig.parent = bpy.data.objects["Platform"]
    assert owner_at_hand(rig, scene) is None
